"""Survey: what a reflection may read, each source within its token budget.

Nothing here looks at all memories: the index says which come first, and only as
many are read as fit. What does not fit is counted, and told. New episodes are read in
the order in which they were learned of, the oldest first, so that one moment says how
far a reflection came and where the next one goes on.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.index import ScoredMemory
from reverie.index.located import fact_days
from reverie.index.text import stem_set
from reverie.model.ids import Kind, Store
from reverie.model.items import WHICH_HOLDS
from reverie.model.reflection import Noticed, SourceRead, Survey
from reverie.reflection.cycle import first_backlog, other_keys
from reverie.reflection.entity_view import read_view
from reverie.reflection.room import MARK, clipped, fitting
from reverie.reflection.scope import ForbiddenReadError, Scope, names_in
from reverie.reflection.unread import (
    CANDIDATES,
    EPISODES,
    SurveyDesk,
    counted,
    cut_short,
    read_news,
    shortened,
    shown,
)
from reverie.reflection.waiting import read_proposals, without_copies
from reverie.session.moved_pages import find_pairs
from reverie.stores.entities import asked_about
from reverie.stores.notes import BOOT_NOTES
from reverie.stores.relations import GraphRow, render_graph_index
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from reverie.config import Config
    from reverie.index import Index
    from reverie.model.items import Edge
    from reverie.reflection.cycle import Tracked
    from reverie.reflection.room import Room
    from reverie.reflection.unread import News

    Scored = Sequence[tuple[float, ScoredMemory]]
    Found = list[tuple[ScoredMemory, Noticed]]

T = TypeVar("T")

# --- all of it -----------------------------------------------------------------

CORE, EVOLUTION = "MEMORY.md", "evolution.md"
SCORES, LOG = "decay-scores.json", "reflection-log.md"
GRAPH, ENTITIES = "memory/graph/index.md", "memory/graph/entities/*"
PROCEDURES = "memory/procedures/*"

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

HOST_BUDGETS = {
    CORE: 6000,
    EVOLUTION: 2500,
    SCORES: 500,
    LOG: 2500,
    GRAPH: 1000,
    ENTITIES: 6500,
    EPISODES: 6500,
    PROCEDURES: 2500,
}
"""The same for a connected agent, which receives far less than the whole in all.

What its other sources leave is shared by episodes and pages of entities.
"""

MOST_FOR_PROPOSALS = MOST_BESIDES = 1000
"""Tokens of proposals, and of each of what is told besides; they come out of what the
other sources leave."""

OFTEN = 12
"""So many of what was of use most often are told."""

MOST_PAGES = 3
"""So many times their tokens pages of entities have where other sources leave them."""

LEAST_OF_A_PAGE = 120
"""Tokens that the page of an entity that is spoken of has at least."""

_SUPERSEDED = "## Superseded"

PLANNED_FACT = 120
"""Characters of a planned fact that a connected agent is told beside its page."""

LOG_ENTRIES = 10
VIVID, ANY = 0.3, -1.0
"""Pages of a score up to this are not read; of entities the first one reads all."""

MISSES = 8
"""After so many pages that do not fit, smaller ones are not looked for."""

MOST_EDGES = 12
"""Relations shown of one entity."""

PROCEDURE_REST = timedelta(days=400)
"""A procedure counts as faded after more than a year: many are needed once a year."""

FADING = 120
"""Characters that are told of what fades."""

_ENTRY = "Reflection #"


class Budgets(Struct, frozen=True):
    """How many tokens of memory a reflection reads.

    Attributes:
        whole: Of all sources together. For a connected agent four characters count
            as one, because characters are the tighter limit.
        connected: Whether a connected agent reads them.
        rate: What a token takes of the budget; see `room.cost`.
    """

    whole: int = WHOLE
    connected: bool = False
    rate: float = 1.0

    def by_source(self) -> dict[str, int]:
        """Return the tokens of each source."""
        shares = HOST_BUDGETS if self.connected else BUDGETS
        found = {name: share * self.whole // WHOLE for name, share in shares.items()}
        return found | {CORE: min(found[CORE], max(BUDGETS[CORE], self.whole // 10))}


def survey(
    index: Index,
    scope: Scope,
    config: Config,
    now: datetime,
    tracked: Tracked,
    heard: Sequence[str] = (),
    budgets: Budgets | None = None,
    asked: datetime | None = None,
) -> Survey:
    """Read what a reflection may see, within its budgets.

    Args:
        index: Up to date with the files.
        scope: Made with `since(tracked, now)`.
        config: Budgets and rates.
        now: The moment of the reflection, in UTC.
        tracked: How far reflections have come.
        heard: What the human said to earlier ones, the newest last.
        budgets: How much is read; by default what the settings say.
        asked: From when on the backlog is read before what is new; by default it is
            read after that.
    """
    budgets = budgets or Budgets(config.reflection.input_tokens)
    whole, first = budgets.whole, tracked.last is None
    room = budgets.by_source()
    backlog = first_backlog(scope.since, now) if first else tracked.backlog
    rate = budgets.rate
    desk = SurveyDesk(
        index, scope, config.decay, now, tracked.last, backlog, budgets.connected, rate
    )
    known = desk.vivid(Store.SEMANTIC)
    core, core_read = _file(desk, layout.CORE, CORE, room[CORE])
    evolution, evolved = _file(desk, layout.EVOLUTION, EVOLUTION, room[EVOLUTION])
    economy, fading, scores_read = _scores(desk, room[SCORES])
    log, log_read = _log(desk, room[LOG])
    procedures, ways_read = _procedures(desk, room[PROCEDURES])
    table = [core_read, evolved, scores_read, log_read]
    spent = sum(each.tokens for each in (*table, ways_read))
    # Of what a connected agent is sent, the list of all that waits comes first.
    left = whole - spent - room[ENTITIES] - room[EPISODES] - room[GRAPH]
    news: News | None = None
    if not budgets.connected:
        news = read_news(desk, room[EPISODES], asked)
        graph, graph_read = _graph(desk, known, room[GRAPH])
        left = whole - spent - room[ENTITIES] - news[3].tokens - graph_read.tokens
    notes, left = _notes(desk, known, heard, left)
    proposals, waiting_read = read_proposals(desk, min(MOST_FOR_PROPOSALS, left))
    left -= waiting_read.tokens
    if news is None:
        both = room[ENTITIES] + room[EPISODES]
        share = room[EPISODES] + left * room[EPISODES] // both
        news = read_news(desk, share, asked)
        proposals, saved = without_copies(desk, proposals, news[0])
        left += room[EPISODES] - news[3].tokens + saved
        waiting_read = replace(waiting_read, tokens=waiting_read.tokens - saved)
    episodes, read_until, backlog, news_read = news
    # What the others leave is for whom the news speak of.
    most = room[ENTITIES] + left
    if not budgets.connected:
        most = min(most, MOST_PAGES * room[ENTITIES])
    most = max(room[ENTITIES], most)
    proposed = "\n".join(each.text for each in proposals)
    spoken = (proposed, core, *(each.text for each in episodes))
    usual = most if budgets.connected else room[ENTITIES]
    lowest = ANY if first else VIVID
    entities, entities_read = _entities(desk, known, spoken, (usual, most), lowest)
    if budgets.connected:
        seen = {each.id for each in entities if not each.text.endswith(MARK)}
        rest = [pair for pair in known if pair[1].id not in seen]
        graph, graph_read = _graph(desk, rest, room[GRAPH], len(seen))
    read = (*table, graph_read, entities_read, news_read, ways_read)
    return Survey(
        *(first, scope.since, read_until, core, evolution, log, graph, economy),
        *(fading, entities, episodes, procedures, proposals),
        (*read, *notes.read, waiting_read),
        *(notes.asks, notes.used, notes.heard),
        backlog=backlog,
        planned=notes.planned,
    )


class Notes(Struct, frozen=True):
    """What is told besides files: short lists, each within a budget of its own.

    Attributes:
        asks: What pages ask.
        used: What was of use most often.
        planned: What is dated in the future, the soonest first.
        heard: What the person said to earlier reflections, the newest last.
        read: What was read of each.
    """

    asks: tuple[str, ...]
    used: tuple[str, ...]
    planned: tuple[Noticed, ...]
    heard: tuple[str, ...]
    read: tuple[SourceRead, ...]


def _notes(
    desk: SurveyDesk, known: Scored, heard: Sequence[str], left: int
) -> tuple[Notes, int]:
    """Read the short lists, and return them and what is left of the budget."""
    asks, asks_read = _besides(desk, "what pages ask", _asks(desk), left)
    left -= asks_read.tokens
    used, used_read = _besides(desk, "what was often of use", _used(desk, known), left)
    left -= used_read.tokens
    planned, planned_read = _planned(desk, left)
    left -= planned_read.tokens
    told, told_read = _besides(desk, "what you said", heard[::-1], left)
    read = (asks_read, used_read, planned_read, told_read)
    return Notes(asks, used, planned, told[::-1], read), left - told_read.tokens


def _besides(
    desk: SurveyDesk, name: str, lines: Sequence[str], left: int
) -> tuple[tuple[str, ...], SourceRead]:
    """As many lines as fit of what is told besides, the first ones first."""
    room = desk.room(max(0, min(MOST_BESIDES, left)))
    kept = fitting(lines, room, "- {}\n".format)
    lost = len(lines) - len(kept)
    why = f"{counted(lost, 'line')} more" if lost else ""
    return tuple(kept), SourceRead(name, len(kept), room.spent, room.budget, lost, why)


# --- files, scores and pages ---------------------------------------------------


def _file(
    desk: SurveyDesk, path: str, name: str, budget: int
) -> tuple[str, SourceRead]:
    """A file, or as much of its beginning as fits."""
    try:
        text = desk.scope.read(path)
    except ForbiddenReadError:
        return "", SourceRead(name, 0, 0, budget, 1, "it is no plain file")
    if text is None:
        return "", SourceRead(name, 0, 0, budget)
    if desk.connected:
        text = _without_notes(text)
    fitting = clipped(text, budget, desk.rate)
    tokens = desk.cost(fitting)
    if fitting == text:
        return text, SourceRead(name, 1, tokens, budget)
    lost = len(text) - len(fitting.removesuffix(MARK))
    why = f"its last {lost:,} characters"
    return fitting, SourceRead(name, int(bool(fitting)), tokens, budget, 1, why)


_NOTE = re.compile(r"^<!--.*?-->[ \t]*\n+", re.MULTILINE)
"""A comment on lines of its own; one behind an item says whose words that is."""


def _without_notes(text: str) -> str:
    """A file without the notes on how it is written."""
    return _NOTE.sub("", text)


def _log(desk: SurveyDesk, budget: int) -> tuple[tuple[str, ...], SourceRead]:
    """The last entries of the log, oldest first; of too many the newest."""
    try:
        text = desk.scope.read(layout.REFLECTION_LOG) or ""
    except ForbiddenReadError:
        return (), SourceRead(LOG, 0, 0, budget, 1, "it is no plain file")
    parts = md.split_sections(text, lambda words: words.startswith(_ENTRY))
    entries = [p.raw.strip() for p in parts if (p.heading or "").startswith(_ENTRY)]
    wanted, room = entries[-LOG_ENTRIES:], desk.room(budget)
    cut = (clipped(entry, budget, desk.rate) for entry in wanted[-1:])
    newest = filter(None, cut)
    kept = fitting((*newest, *wanted[-2::-1]), room, str)
    lost = len(wanted) - len(kept)
    why = f"the oldest {lost} of the last {len(wanted)} entries" if lost else ""
    return tuple(kept[::-1]), SourceRead(LOG, len(kept), room.spent, budget, lost, why)


def _scores(
    desk: SurveyDesk, budget: int
) -> tuple[str, tuple[Noticed, ...], SourceRead]:
    """What the scores say besides their entries, and which memories fade."""
    try:
        other = other_keys(desk.scope.read(layout.SCORES) or "")
    except ForbiddenReadError:
        other = {}
    said = json.dumps(other, ensure_ascii=False, sort_keys=True) if other else ""
    # No prompt shows it: what a connected agent is sent has no room to spare.
    economy = "" if desk.connected else clipped(said, budget // 2)
    room = desk.room(budget, desk.cost(economy))
    most = max(desk.decay.active_threshold, 2 * desk.decay.archive_threshold)
    faint = []
    for one in desk.index.faintest(CANDIDATES):
        score = desk.score(one.trace)
        rests = one.trace.store is Store.PROCEDURAL
        rests = rests and desk.now - one.trace.last_accessed < PROCEDURE_REST
        if score < most and not rests and not one.id.startswith(BOOT_NOTES):
            # Nobody can judge an id: of what fades the beginning is told.
            found = desk.index.find(one.id)
            words = md.headline(found.text if found else one.title, FADING)
            faint.append(replace(_noticed(one, words, score), title=words))
    faint.sort(key=lambda each: (each.score, each.id))
    head = "[{0.id} · words of {0.origin} · score {0.score:.2f}]\n{0.text}\n\n"
    kept = fitting(faint, room, head.format)
    lost = len(faint) - len(kept)
    why = f"{counted(lost, 'memory')} less faint than these" if lost else ""
    if len(faint) >= CANDIDATES:
        why += ", and those of use since, which were not weighed"
    read = SourceRead(SCORES, len(kept), room.spent, budget, lost, why)
    return economy, tuple(kept), read


def _noticed(each: ScoredMemory, text: str, score: float) -> Noticed:
    at, whose = each.trace.last_accessed, each.origin
    return Noticed(each.id, each.path, text, each.title, "", (), whose, at, score)


def _graph(
    desk: SurveyDesk, entities: Scored, budget: int, shown_pages: int = 0
) -> tuple[str, SourceRead]:
    """The graph's index as it would be written now, as much of it as fits.

    Its rows come from the tables it is made of: they are newer, and in order.

    Args:
        desk: The survey.
        entities: Those that are shown, the most vivid first.
        budget: How much it may take.
        shown_pages: How many more entities there are whose pages tell their relations.
    """
    desk.scope.require(layout.GRAPH_INDEX)
    lookup = desk.index
    empty = spent = desk.cost(render_graph_index((), ()))
    rows: list[GraphRow] = []
    edges: list[Edge] = []
    for score, each in entities:
        desk.scope.require(each.path)
        name = each.id.partition(":")[2]
        kind, file = name.partition("--")[0], each.path.removeprefix("memory/graph/")
        row = GraphRow(name, kind, each.title, file, score, each.trace.pinned)
        own = lookup.edges_from(row.id, MOST_EDGES)
        # A row and its relations stand apart; each may cost one more when joined.
        spent += desk.cost(render_graph_index([row], own)) - empty + 2
        if spent > budget:
            break
        rows.append(row)
        edges += own
    text = render_graph_index(rows, edges) if rows else ""
    known = lookup.unforgotten(Store.SEMANTIC) - shown_pages
    lost = {"entity": max(0, known - len(rows))}
    if not shown_pages:
        lost["relation"] = max(0, lookup.edge_count() - len(edges))
    why = " and ".join(counted(count, what) for what, count in lost.items() if count)
    tokens, left_out = desk.cost(text), sum(lost.values())
    read = SourceRead(GRAPH, len(rows) + len(edges), tokens, budget, left_out, why)
    return text, read


def _procedures(
    desk: SurveyDesk, budget: int
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Procedures, the most vivid first: vivid ones, and those used within a year."""
    found = [
        (score, each)
        for score, each in desk.vivid(Store.PROCEDURAL)
        if score > VIVID or desk.now - each.trace.last_accessed < PROCEDURE_REST
    ]
    return _pages(desk, found, PROCEDURES, budget)


def _pages(
    desk: SurveyDesk, found: Scored, name: str, budget: int, besides: int = 0
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Whole pages, the most vivid first, as many as fit; some were read besides."""
    room = desk.room(budget)
    pages = filter(None, (_page(desk, each, score) for score, each in found))
    first = [shortened(page, room) for page in islice(pages, 1)]
    kept = fitting(chain(first, pages), room, shown, MISSES)
    what, store = "entity", Store.SEMANTIC
    if name == PROCEDURES:
        what, store = "procedure", Store.PROCEDURAL
    lost = len(found) - len(kept)
    unweighed = max(0, desk.index.unforgotten(store) - len(found) - besides)
    parts = [f"{counted(lost, what)} less vivid or too long"] if lost else []
    parts += [f"{counted(unweighed, what)} not of use lately"] if unweighed else []
    why, left_out = " and ".join(parts + cut_short(kept)), lost + unweighed
    read = SourceRead(name, len(kept), room.spent, budget, left_out, why)
    return tuple(kept), read


def _entities(
    desk: SurveyDesk,
    known: Scored,
    news: Sequence[str],
    budgets: tuple[int, int],
    lowest: float,
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Pages of entities: those that the news speak of, then those of use lately.

    These within the first of the budgets, those within the second.

    The first of the news is what others propose, and whom it alone names comes last.
    Whom the news speak of is shown whatever its score; where all of these pages are too
    long together, each with what is nearest to the news.
    """
    find = names_in(desk.index)
    spoken = Counter(name for text in news[1:] for name in find(text))
    spoken.update(dict.fromkeys(find(news[0]), 0))
    ids = [f"{Kind.ENTITY}:{name}" for name, _ in spoken.most_common()]
    found = ((desk.index.find(id_), desk.index.trace(id_)) for id_ in ids)
    named = [
        ScoredMemory(row.id, row.path, row.title, row.origin, trace)
        for row, trace in found
        if row and trace
    ]
    scored = ((desk.score(each.trace), each) for each in named)
    pages = [*filter(None, (_page(desk, each, score) for score, each in scored))]
    usual, most = budgets
    room = desk.room(most)
    words = stem_set("\n".join(news))
    kept: list[Noticed] = []
    for share, page in zip(_shares(desk, pages, most), pages, strict=True):
        fits = desk.cost(shown(page)) <= share
        kept += fitting(
            [page if fits else _nearest(desk, page, words, share)], room, shown
        )
    rest = [pair for pair in known if pair[1].id not in {each.id for each in named}]
    rest = [pair for pair in rest if pair[0] > lowest]
    others = max(0, usual - room.spent)
    more, read = _pages(desk, rest, ENTITIES, others, len(named))
    lost = len(named) - len(kept)
    why = f"{counted(lost, 'entity')} that the news speak of" if lost else ""
    why = " and ".join(filter(None, (why, read.why, *cut_short(kept))))
    room.spent += read.tokens
    shown_pages, past = _with_past(desk, (*kept, *more), room)
    why = " and ".join(
        [why] * bool(why) + [counted(past, "superseded fact")] * (past > 0)
    )
    left_out = lost + read.left_out + past
    source = SourceRead(ENTITIES, len(shown_pages), room.spent, most, left_out, why)
    return shown_pages, source


def _with_past(
    desk: SurveyDesk, pages: Sequence[Noticed], room: Room
) -> tuple[tuple[Noticed, ...], int]:
    """Add the facts that no longer hold to whole pages; return how many did not fit."""
    found, lost = list[Noticed](), 0
    for page in pages:
        view = read_view(desk.scope.read(page.path) or "", page.path)
        past = list[str]()
        if view.past and not page.text.endswith(MARK) and room.take(_SUPERSEDED):
            past = fitting(view.past, room, "{}\n".format)
        lost += len(view.past) - len(past)
        text = "\n".join((page.text, _SUPERSEDED, *past)) if past else page.text
        found.append(replace(page, text=text))
    return tuple(found), lost


def _shares(desk: SurveyDesk, pages: Sequence[Noticed], budget: int) -> list[int]:
    """How much of a budget each page has: what it needs, or an equal part."""
    needs = [desk.cost(shown(page)) for page in pages]
    shares, left = dict[int, int](), budget
    for at in sorted(range(len(pages)), key=needs.__getitem__):
        fair = left // (len(pages) - len(shares))
        shares[at] = min(needs[at], max(LEAST_OF_A_PAGE, fair))
        left = max(0, left - shares[at])
    return [shares[at] for at in range(len(pages))]


def _nearest(
    desk: SurveyDesk, page: Noticed, words: Collection[str], budget: int
) -> Noticed:
    """A page with as much of it as fits; see `EntityView.shorten`."""
    view = read_view(desk.scope.read(page.path) or "", page.path)
    head = desk.cost(shown(replace(page, text="")))
    told = view.shorten(words, desk.room(budget - head - 1))
    return shortened(replace(page, text=told), desk.room(budget))


def _asks(desk: SurveyDesk) -> list[str]:
    """What pages ask: which of some statements holds, and which two are the same."""
    index, found = desk.index, dict[str, None]()
    private = index.scopes()
    for page, said in index.asking(WHICH_HOLDS):
        sides = [index.find(f"{Kind.ENTITY}:{id_}") for id_ in asked_about(said)]
        if len(sides) > 1 and all(sides) and page not in private:
            held = (f"“{each.text}” ({page_name(each.id)})" for each in sides if each)
            found[f"{page_name(page)}: which holds, {' or '.join(held)}?"] = None
    for pair in find_pairs(index):
        if private.keys().isdisjoint({f"entity:{pair.one}", f"entity:{pair.into}"}):
            found[f"are {pair.one} and {pair.into} the same? {pair.why}"] = None
    return [*found]


def _used(desk: SurveyDesk, known: Scored) -> list[str]:
    """What was of use most often since the last reflection."""
    stores = (Store.EPISODIC, Store.PROCEDURAL)
    lively = [each for _, each in known]
    lively += [each for s in stores for each in desk.index.lively(s, OFTEN)]
    often = [
        each
        for each in lively
        if each.trace.accesses > 1 and each.trace.last_accessed >= desk.scope.since
    ]
    often.sort(key=lambda each: (-each.trace.accesses, each.id))
    told = ((md.one_line(each.title), each) for each in often[:OFTEN])
    return [f"{each.id} ({words}), {each.trace.accesses} times" for words, each in told]


def _planned(desk: SurveyDesk, left: int) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Facts and episodes that are dated in the future, the soonest first."""
    index, private, today = desk.index, desk.index.scopes(), desk.now.date()
    evening = datetime.combine(today, time.max, UTC).timestamp()
    known = [
        each
        for each in index.known("", CANDIDATES)
        if ((each.at or 0) > evening or each.page)
        and private.keys().isdisjoint({each.id, each.page})
    ]
    # A fact that begins on a later day is found among those that were said last.
    known.sort(key=lambda each: (-(each.at or 0), each.id))
    found = list[tuple[date, Noticed]]()
    for row in index.rows(each.number for each in known[:CANDIDATES]).values():
        said = datetime.fromtimestamp(row.at or 0, UTC).date()
        day = max(said, fact_days(row)[0] or said)
        if day > today:
            text = f"{row.title}: {row.text}" if row.page else row.text
            if row.page and desk.connected:
                text = md.headline(text, PLANNED_FACT)
            whose = (f"on {day}", (), row.origin)
            found.append((day, Noticed(row.id, row.path, text, row.title, *whose)))
    found.sort(key=lambda each: (each[0], each[1].id))
    room = desk.room(max(0, min(MOST_BESIDES, left)))
    kept = fitting([each for _, each in found], room, shown)
    lost = len(found) - len(kept)
    why = f"{counted(lost, 'memory')} dated later" if lost else ""
    name = "what is planned"
    read = SourceRead(name, len(kept), room.spent, room.budget, lost, why)
    return tuple(kept), read


def page_name(id_: str) -> str:
    """An id without its kind, as answers name it."""
    return id_.partition(":")[2]


def _page(desk: SurveyDesk, each: ScoredMemory, score: float) -> Noticed | None:
    """A page without what its human asked to forget; None if it cannot be read."""
    try:
        text = desk.scope.read(each.path)
    except ForbiddenReadError:
        return None
    if text is None:
        return None
    if each.trace.store is Store.SEMANTIC:
        text = read_view(text, each.path).text
    elif desk.connected:
        text = _without_notes(text)
    return _noticed(each, text, score)
