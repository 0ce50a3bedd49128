"""Survey: what a reflection reads, each source within its token budget.

Nothing here looks at all memories: the index says which come first, and only as
many are read as fit. What does not fit is counted, and told. New episodes are read in
the order in which they were learned of, the oldest first, so that one moment says how
far a reflection came and where the next one goes on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING

from reverie.decay import standing
from reverie.encoding.proposal_draft import without_private
from reverie.index.lookup import ReadUpTo, first_of, from_micros, micros
from reverie.markdown import one_line, render_page, split_sections, with_lines
from reverie.model.ids import Store
from reverie.model.items import Episode
from reverie.model.reflection import Noticed, SourceRead, Survey
from reverie.reflection.scope import ForbiddenReadError, noted_on
from reverie.stores.entities import FACTS, parse_entity, parse_fact
from reverie.stores.relations import GraphRow, render_graph_index
from reverie.stores.scores import parse_scores
from reverie.tokens import clip_to_tokens, count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from reverie.config import Config, DecayConfig
    from reverie.decay import Trace
    from reverie.index import Index
    from reverie.index.lookup import ScoredMemory, WaitingEpisode
    from reverie.model.items import Edge, Entry
    from reverie.reflection.cycle import Tracked
    from reverie.reflection.scope import Scope

    Scored = Sequence[tuple[float, ScoredMemory]]
    Found = list[tuple[WaitingEpisode, Noticed]]

CORE, EVOLUTION = "MEMORY.md", "evolution.md"
SCORES, LOG = "decay-scores.json", "reflection-log.md"
GRAPH, ENTITIES = "memory/graph/index.md", "memory/graph/entities/*"
EPISODES, PROCEDURES = "memory/episodes/*", "memory/procedures/*"
PROPOSALS = "pending-memories.md"

WHOLE = 30_000
BUDGETS = {
    CORE: 3000,
    EVOLUTION: 2000,
    SCORES: 500,
    LOG: 4000,
    GRAPH: 1500,
    ENTITIES: 5000,
    EPISODES: 10_000,
    PROCEDURES: 3000,
}
"""Tokens of each source, out of the whole."""

MOST_FOR_PROPOSALS = 1000
"""Tokens; they come out of what the other sources leave."""

FIRST = timedelta(days=7)
"""How far back the first reflection looks."""

LOG_ENTRIES = 10
VIVID, ANY = 0.3, -1.0
"""Pages of a score up to this are not read; of entities the first one reads all."""

MISSES = 8
"""After so many pages that do not fit, smaller ones are not looked for."""

MOST_EDGES = 12
"""Relations shown of one entity."""

_ENTRY = "Reflection #"
_LINKED = "it is no plain file"
_ENTITY, _RELATION = ("entity", "entities"), ("relation", "relations")
_PROCEDURE, _MEMORY = ("procedure", "procedures"), ("memory", "memories")
_EPISODE = ("episode", "episodes")

CANDIDATES = 300
"""So many memories are weighed where only the most vivid or the faintest count."""

BATCH = 256
"""Episodes that are looked up at a time."""

LATE_SHARE = 4
"""One part in so many of the budget is for what may have been read already."""

MARK = "\n[… the rest did not fit]"

_LONGEST = 40
"""Characters; no token is longer, not even one of blanks."""


def since(tracked: Tracked, now: datetime) -> datetime:
    """What happened after this moment is new; a `Scope` is made with it."""
    if tracked.last is None:
        return now - FIRST
    return tracked.read_until or tracked.last


def beginning(since: datetime, now: datetime, *, first: bool) -> ReadUpTo:
    """Where the episodes that wait begin; they count by when they were noted.

    Only the first reflection goes by when they happened, not to read what was
    imported as if it were of this week.
    """
    return ReadUpTo(micros(since), now, not first)


def unprocessed(index: Index, tracked: Tracked, now: datetime) -> int:
    """How many episodes wait for a reflection.

    Not those that were told later than they happened, on the very day of the last
    reflection: nobody can say whether it read them.
    """
    place = beginning(since(tracked, now), now, first=tracked.last is None)
    return index.lookup.how_many_wait(place)[0]


def survey(
    index: Index, scope: Scope, config: Config, now: datetime, tracked: Tracked
) -> Survey:
    """Read what a reflection may see, within its budgets.

    Args:
        index: Up to date with the files.
        scope: Made with `since(tracked, now)`.
        config: Budgets and rates.
        now: The moment of the reflection, in UTC.
        tracked: How far reflections have come.
    """
    whole, first = config.reflection.input_tokens, tracked.last is None
    room = {name: tokens * whole // WHOLE for name, tokens in BUDGETS.items()}
    desk = SurveyDesk(index, scope, config.decay, now, tracked.last)
    known, ways = desk.vivid(Store.SEMANTIC), desk.vivid(Store.PROCEDURAL)
    core, core_read = _file(scope, layout.CORE, CORE, room[CORE])
    evolution, evolved = _file(scope, layout.EVOLUTION, EVOLUTION, room[EVOLUTION])
    economy, fading, scores_read = _scores(desk, room[SCORES])
    log, log_read = _log(scope, room[LOG])
    graph, graph_read = _graph(desk, known, room[GRAPH])
    entities, entities_read = _pages(
        desk, known, SourceRead(ENTITIES, 0, 0, room[ENTITIES]), ANY if first else VIVID
    )
    episodes, read_until, news_read = read_news(desk, room[EPISODES])
    procedures, procedures_read = _pages(
        desk, ways, SourceRead(PROCEDURES, 0, 0, room[PROCEDURES]), VIVID
    )
    read = (
        *(core_read, evolved, scores_read, log_read, graph_read),
        *(entities_read, news_read, procedures_read),
    )
    left = min(MOST_FOR_PROPOSALS, whole - sum(each.tokens for each in read))
    proposals, proposals_read = _file(scope, layout.PENDING, PROPOSALS, left)
    return Survey(
        first=first,
        since=scope.since,
        read_until=read_until,
        core=core,
        evolution=evolution,
        log=log,
        graph=graph,
        economy=economy,
        fading=fading,
        entities=entities,
        episodes=episodes,
        procedures=procedures,
        proposals=proposals,
        read=(*read, proposals_read),
    )


# --- what all sources are read with: a guard, scores, a room in tokens ---------


@dataclass(slots=True)
class Room:
    """What is left of a budget, in tokens."""

    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """How many tokens still fit."""
        return self.budget - self.spent

    def take(self, *texts: str) -> bool:
        """Make room for some texts; False, and none of them, if they do not fit."""
        if sum(map(len, texts)) > _LONGEST * self.left:
            return False
        cost = sum(map(count_tokens, texts))
        if cost > self.left:
            return False
        self.spent += cost
        return True


@dataclass(slots=True)
class SurveyDesk:
    """One survey at work.

    Attributes:
        index: Which memories there are.
        scope: The only way to their texts.
        decay: How they fade.
        now: The moment of the survey, in UTC.
        reflected: When the last reflection was, in UTC; None before the first.
    """

    index: Index
    scope: Scope
    decay: DecayConfig
    now: datetime
    reflected: datetime | None
    _logs: dict[str, dict[str, Entry]] = field(default_factory=dict)

    @property
    def start(self) -> ReadUpTo:
        """Where the episodes that wait begin."""
        return beginning(self.scope.since, self.now, first=self.reflected is None)

    def score(self, trace: Trace) -> float:
        """How vivid a memory is at this moment."""
        return standing(trace, self.now, self.decay)[0]

    def vivid(self, store: Store) -> list[tuple[float, ScoredMemory]]:
        """Memories of a store with their scores, the most vivid first."""
        found = self.index.lookup.lively(store, CANDIDATES)
        scored = ((self.score(each.trace), each) for each in found)
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))

    def entry(self, row: WaitingEpisode) -> Entry | None:
        """An episode as its file tells it; None where it may not be read."""
        if row.path not in self._logs:
            try:
                self._logs[row.path] = self.scope.episodes(row.path)
            except ForbiddenReadError:
                self._logs[row.path] = {}
        return self._logs[row.path].get(row.id)

    def episode(self, row: WaitingEpisode) -> Noticed | None:
        """An episode as the reflection sees it; None where it may not be read."""
        entry = self.entry(row)
        if entry is None or not isinstance(entry.item, Episode):
            return None
        return Noticed(
            row.id,
            row.path,
            entry.text,
            entry.title,
            entry.item.kind,
            entry.item.tags,
            row.origin,
            entry.item.at,
            self.score(row.trace),
        )


def clipped(text: str, budget: int) -> str:
    """A text, or its beginning and a mark that says so; empty where neither fits."""
    if Room(budget).take(text):
        return text
    # The mark may cost one more where it is joined to the text.
    room = budget - count_tokens(MARK) - 1
    return clip_to_tokens(text, room) + MARK if room > 0 else ""


def shown(each: Noticed) -> str:
    """A memory about as a prompt shows it, to count its tokens."""
    if not each.kind:
        return f"[{each.path}]\n{each.text}\n\n"
    tags = ", ".join(each.tags)
    head = f"{each.id} · {each.kind} · {tags} · words of {each.origin}"
    return f"[{head}]\n{each.text}\n\n"


def shortened(each: Noticed, room: Room) -> Noticed:
    """A memory that fits into a room, its text cut short where it must be."""
    if Room(room.left).take(shown(each)):
        return each
    head = count_tokens(shown(replace(each, text="")))
    return replace(each, text=clipped(each.text, room.left - head - 1))


def cut_short(read: Iterable[Noticed]) -> list[str]:
    """Words for what was read, but not to its end."""
    cut = [each.id for each in read if each.text.endswith(MARK)]
    return [f"the end of {', '.join(cut)}"] if cut else []


def counted(count: int, words: tuple[str, str]) -> str:
    """A number and its word, in the singular or the plural."""
    return f"{count:,} {words[count != 1]}"


# --- files, scores and pages ---------------------------------------------------


def _file(scope: Scope, path: str, name: str, budget: int) -> tuple[str, SourceRead]:
    """A file, or as much of its beginning as fits.

    Of proposals, not what is for one person alone: it is not decided here.
    """
    try:
        text = scope.read(path)
    except ForbiddenReadError:
        return "", SourceRead(name, 0, 0, budget, 1, _LINKED)
    if text is None:
        return "", SourceRead(name, 0, 0, budget)
    text = without_private(text) if path == layout.PENDING else text
    fitting = clipped(text, budget)
    tokens = count_tokens(fitting)
    if fitting == text:
        return text, SourceRead(name, 1, tokens, budget)
    lost = len(text) - len(fitting.removesuffix(MARK))
    why = f"its last {lost:,} characters"
    return fitting, SourceRead(name, int(bool(fitting)), tokens, budget, 1, why)


def _log(scope: Scope, budget: int) -> tuple[tuple[str, ...], SourceRead]:
    """The last entries of the log, oldest first; of too many the newest."""
    try:
        text = scope.read(layout.REFLECTION_LOG) or ""
    except ForbiddenReadError:
        return (), SourceRead(LOG, 0, 0, budget, 1, _LINKED)
    parts = split_sections(text, lambda words: words.startswith(_ENTRY))
    entries = [p.raw.strip() for p in parts if (p.heading or "").startswith(_ENTRY)]
    wanted = entries[-LOG_ENTRIES:]
    room = Room(budget)
    kept: list[str] = []
    for entry in reversed(wanted):
        fitting = entry if kept else clipped(entry, budget)
        if not fitting or not room.take(fitting):
            break
        kept.append(fitting)
    lost = len(wanted) - len(kept)
    why = f"the oldest {lost} of the last {len(wanted)} entries" if lost else ""
    return tuple(kept[::-1]), SourceRead(LOG, len(kept), room.spent, budget, lost, why)


def _scores(
    desk: SurveyDesk, budget: int
) -> tuple[str, tuple[Noticed, ...], SourceRead]:
    """What the scores say besides their entries, and which memories fade."""
    try:
        text = desk.scope.read(layout.SCORES) or ""
    except ForbiddenReadError:
        text = ""
    other = other_keys(text)
    said = json.dumps(other, ensure_ascii=False, sort_keys=True) if other else ""
    economy = clipped(said, budget // 2)
    room = Room(budget, count_tokens(economy))
    most = max(desk.decay.active_threshold, 2 * desk.decay.archive_threshold)
    faint = []
    for one in desk.index.lookup.faintest(CANDIDATES):
        if (score := desk.score(one.trace)) < most:
            # Of an episode that is not read again only what the scores say is told.
            words = one_line(one.title) if desk.scope.allows(one.path) else ""
            faint.append(replace(_noticed(one, words, score), title=words))
    faint.sort(key=lambda each: (each.score, each.id))
    kept: list[Noticed] = []
    for each in faint:
        head = f"[{each.id} · words of {each.origin} · score {each.score:.2f}]"
        if not room.take(f"{head}\n{each.text}\n\n"):
            break
        kept.append(each)
    lost = len(faint) - len(kept)
    why = f"{counted(lost, _MEMORY)} less faint than these" if lost else ""
    if len(faint) >= CANDIDATES:
        why += ", and those of use since, which were not weighed"
    read = SourceRead(SCORES, len(kept), room.spent, budget, lost, why)
    return economy, tuple(kept), read


def other_keys(text: str) -> dict[str, object]:
    """What the score file says besides its entries.

    The entries stand last where we wrote the file, and there may be very many: where
    it has that shape, only what is above them is read. Any other is read whole.
    """
    head, found, tail = text.partition('\n  "entries": {')
    end = tail if tail.startswith("}") else tail[tail.find("\n  }") :]
    if found and end.split() == ["}", "}"]:
        above = parse_scores(f'{head}\n  "entries": {{}}\n}}', layout.SCORES)
        if not above.damaged:
            return dict(above.other)
    return dict(parse_scores(text, layout.SCORES).other)


def _noticed(each: ScoredMemory, text: str, score: float) -> Noticed:
    at = each.trace.last_accessed
    seen = Noticed(each.id, each.path, text, each.title, origin=each.origin, at=at)
    return replace(seen, score=score)


def _graph(desk: SurveyDesk, entities: Scored, budget: int) -> tuple[str, SourceRead]:
    """The graph's index as it would be written now, as much of it as fits.

    Its rows come from the tables it is made of: they are newer, and in order.
    """
    desk.scope.require(layout.GRAPH_INDEX)
    lookup = desk.index.lookup
    empty = spent = count_tokens(render_graph_index((), ()))
    kept: list[tuple[GraphRow, list[Edge]]] = []
    for score, each in entities:
        desk.scope.require(each.path)
        name = each.id.partition(":")[2]
        kind, file = name.partition("--")[0], each.path.removeprefix("memory/graph/")
        row = GraphRow(name, kind, each.title, file, score, each.trace.pinned)
        own = lookup.edges_from(row.id, MOST_EDGES)
        # A row and its relations stand apart; each may cost one more when joined.
        spent += count_tokens(render_graph_index([row], own)) - empty + 2
        if spent > budget:
            break
        kept.append((row, own))
    edges = [edge for _, own in kept for edge in own]
    text = render_graph_index((row for row, _ in kept), edges) if kept else ""
    lost = {
        _ENTITY: max(0, lookup.unforgotten(Store.SEMANTIC) - len(kept)),
        _RELATION: max(0, lookup.edge_count() - len(edges)),
    }
    why = " and ".join(counted(count, what) for what, count in lost.items() if count)
    return text, SourceRead(
        *(GRAPH, len(kept) + len(edges), count_tokens(text), budget),
        *(sum(lost.values()), why),
    )


def _pages(
    desk: SurveyDesk, found: Scored, source: SourceRead, least: float
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Whole pages, the most vivid first, as many as fit."""
    wanted = [pair for pair in found if pair[0] > least]
    room = Room(source.budget)
    kept: list[Noticed] = []
    misses = 0
    for score, each in wanted:
        page = _page(desk, each, score)
        if page and not kept:
            page = shortened(page, room)
        if page and room.take(shown(page)):
            kept.append(page)
            continue
        misses += 1
        if misses >= MISSES:
            break
    entities = source.name == ENTITIES
    what = _ENTITY if entities else _PROCEDURE
    store = Store.SEMANTIC if entities else Store.PROCEDURAL
    lost = len(wanted) - len(kept)
    unweighed = max(0, desk.index.lookup.unforgotten(store) - len(found))
    parts = [f"{counted(lost, what)} less vivid or too long"] if lost else []
    if unweighed:
        parts.append(f"{counted(unweighed, what)} not of use lately")
    return tuple(kept), replace(
        source,
        read=len(kept),
        tokens=room.spent,
        left_out=lost + unweighed,
        why=" and ".join(parts + cut_short(kept)),
    )


def _page(desk: SurveyDesk, each: ScoredMemory, score: float) -> Noticed | None:
    """A page without what its human asked to forget; None if it cannot be read."""
    try:
        text = desk.scope.read(each.path)
    except ForbiddenReadError:
        return None
    if text is None:
        return None
    if each.trace.store is Store.SEMANTIC and "forgotten" in text:
        page = parse_entity(text, each.path).page
        for piece in reversed(page.items(FACTS)):
            if parse_fact(piece).forgotten:
                page = with_lines(page, piece.line, piece.raw, "")
        text = render_page(page)
    return _noticed(each, text, score)


# --- new episodes --------------------------------------------------------------


def read_news(
    desk: SurveyDesk, budget: int
) -> tuple[tuple[Noticed, ...], datetime | None, SourceRead]:
    """Read the episodes that are new, as many as fit.

    Returns:
        The episodes, the oldest first; how far it came, None where nothing was read;
        and what was left out.
    """
    late, missed, spent = _late(desk, budget // LATE_SHARE)
    room, start, lookup = Room(budget, spent), desk.start, desk.index.lookup
    kept = _oldest(desk, room, late)
    place = start._replace(moment=kept[-1][0].moment) if kept else start
    count, begin, end = lookup.how_many_wait(place)
    days = begin if begin == end else f"{begin} to {end}"
    parts = [f"{counted(count, _EPISODE)} of {days}"] if count else []
    if missed:
        what = counted(missed, _EPISODE)
        parts.append(f"{what} told late, which may have been read before")
    older = 0
    if desk.reflected is None:
        # No reflection has read them, and none will: from before the first.
        there = desk.index.counts().get(Store.EPISODIC, 0)
        private = lookup.how_many_wait(start, private=True)[0]
        older = max(0, there - lookup.how_many_wait(start)[0] - private)
    if older:
        what, day = counted(older, _EPISODE), desk.scope.since.date()
        parts.append(f"{what} from before {day}: the first reflection reads a week")
    read = [*late, *(each for _, each in kept)]
    # Of one minute ids differ in their number alone: `~9` comes before `~10`.
    told = sorted(read, key=lambda each: (each.at, len(each.id), each.id))
    # Of what is told today the place may lie ahead, by a few minutes.
    until = min(desk.now, from_micros(place.moment)) if read else None
    left_out, why = count + missed + older, " and ".join(parts + cut_short(read))
    source = SourceRead(EPISODES, len(read), room.spent, budget, left_out, why)
    return tuple(told), until, source


def _oldest(desk: SurveyDesk, room: Room, late: list[Noticed]) -> Found:
    """The oldest that wait. Those of one minute come together or not at all."""
    kept: Found = []
    for group in _groups(desk, {each.id for each in late}):
        if room.take(*(shown(each) for _, each in group)):
            kept += group
            continue
        if not kept and not late:
            # They will never fit: as many as there is room for.
            for row, each in group:
                fitting = each if kept else shortened(each, room)
                if not room.take(shown(fitting)):
                    break
                kept.append((row, fitting))
        break
    return kept


def _groups(desk: SurveyDesk, seen: set[str]) -> Iterator[Found]:
    """Episodes that wait, by the minute in which they were learned of."""
    place = desk.start
    streams = [_in_time(desk, place)]
    if place.by_noted:
        streams.append(_noted_late(desk, place))
    waiting = merge(*streams, key=lambda row: row.minute)
    for _, rows in groupby(waiting, key=lambda row: row.minute):
        fresh = [row for row in rows if row.id not in seen]
        fresh.sort(key=lambda row: (row.moment, row.id))
        found = ((row, desk.episode(row)) for row in fresh)
        group = [(row, each) for row, each in found if each]
        if group:
            yield group


def _in_time(desk: SurveyDesk, place: ReadUpTo) -> Iterator[WaitingEpisode]:
    after = first_of(place.moment)
    while rows := desk.index.lookup.in_time(after, place, BATCH):
        yield from (row for row in rows if row.moment > place.moment)
        after = rows[-1].id


def _noted_late(desk: SurveyDesk, place: ReadUpTo) -> Iterator[WaitingEpisode]:
    while rows := desk.index.lookup.noted_late(place, BATCH):
        if len(rows) == BATCH:
            # The last of them may have others of their moment behind them.
            rows = [row for row in rows if row.moment < rows[-1].moment] or rows
        yield from rows
        place = place._replace(moment=rows[-1].moment)


def _late(desk: SurveyDesk, budget: int) -> tuple[list[Noticed], int, int]:
    """What was told later than it happened, and may not have been read yet.

    A log says on which day that was, and not when: what was told on the day of the
    last reflection may have come before it or after it. It is read once more.

    Returns:
        What was read, how many did not fit, and how many tokens it took.
    """
    if desk.reflected is None:
        return [], 0, 0
    day = desk.reflected.astimezone(UTC).date()
    earliest = min(day, desk.scope.since.date())
    lookup, room = desk.index.lookup, Room(budget)
    kept: list[Noticed] = []
    missed = 0
    for row in lookup.perhaps_late(desk.start, earliest.isoformat(), CANDIDATES):
        entry, each = desk.entry(row), desk.episode(row)
        told = noted_on(entry) if entry else None
        # What was called on meanwhile has lost its place in the order.
        wanted = earliest if row.trace.accesses > 1 else day
        if each is None or told is None or told < wanted:
            continue
        if room.take(shown(each)):
            kept.append(each)
        else:
            missed += 1
    return kept, missed, room.spent
