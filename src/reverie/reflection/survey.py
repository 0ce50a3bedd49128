"""What a reflection sees: each source within its budget (reflection v2).

Nothing here looks at all memories: the index says which come first, and only as
many are read as fit. What does not fit is counted, and told.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.encoding.scoping import without_private
from reverie.markdown import one_line, render_page, split_sections, with_lines
from reverie.model.ids import Store
from reverie.model.reflection import Noticed, SourceRead, Survey
from reverie.reflection.desk import (
    CANDIDATES,
    MARK,
    Desk,
    Room,
    clipped,
    counted,
    cut_short,
    shortened,
    shown,
)
from reverie.reflection.news import beginning, read_news
from reverie.reflection.scope import ForbiddenReadError
from reverie.stores.entities import FACTS, parse_entity, parse_fact
from reverie.stores.graph_index import GraphRow, render_graph_index
from reverie.stores.scores import parse_scores
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.config import Config
    from reverie.index import Index
    from reverie.index.lookup import ScoredMemory
    from reverie.model.items import Edge
    from reverie.reflection.scope import Scope

    Scored = Sequence[tuple[float, ScoredMemory]]

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
_STORES = {
    Store.SEMANTIC: (ENTITIES, _ENTITY),
    Store.PROCEDURAL: (PROCEDURES, _PROCEDURE),
}


@dataclass(frozen=True, slots=True)
class Last:
    """How far reflections have come.

    Attributes:
        reflection: When the last one was, in UTC; None before the first.
        read_until: The moment of the newest episode that was read, in UTC.
    """

    reflection: datetime | None = None
    read_until: datetime | None = None


def since(last: Last, now: datetime) -> datetime:
    """What happened after this moment is new; a `Scope` is made with it."""
    if last.reflection is None:
        return now - FIRST
    return last.read_until or last.reflection


def unprocessed(index: Index, last: Last, now: datetime) -> int:
    """How many episodes wait for a reflection.

    Not those that were told later than they happened, on the very day of the last
    reflection: nobody can say whether it read them.
    """
    place = beginning(since(last, now), now, first=last.reflection is None)
    return index.lookup.how_many_wait(place)[0]


def survey(
    index: Index, scope: Scope, config: Config, now: datetime, last: Last
) -> Survey:
    """Read what a reflection may see, within its budgets.

    Args:
        index: Up to date with the files.
        scope: Made with `since(last, now)`.
        config: Budgets and rates.
        now: The moment of the reflection, in UTC.
        last: How far reflections have come.
    """
    whole = config.reflection.input_tokens
    room = {name: tokens * whole // WHOLE for name, tokens in BUDGETS.items()}
    desk = Desk(index, scope, config.decay, now, last.reflection)
    least = ANY if last.reflection is None else VIVID
    core = _file(scope, layout.CORE, CORE, room[CORE])
    evolution = _file(scope, layout.EVOLUTION, EVOLUTION, room[EVOLUTION])
    economy, fading, scores = _scores(desk, room[SCORES])
    log, log_read = _log(scope, room[LOG])
    known = desk.vivid(Store.SEMANTIC)
    graph = _graph(desk, known, room[GRAPH])
    entities = _pages(desk, Store.SEMANTIC, known, room[ENTITIES], least)
    news = read_news(desk, room[EPISODES])
    ways = desk.vivid(Store.PROCEDURAL)
    procedures = _pages(desk, Store.PROCEDURAL, ways, room[PROCEDURES], VIVID)
    episodes = SourceRead(
        *(EPISODES, len(news.episodes), news.tokens, room[EPISODES]),
        *(news.left_out, news.why),
    )
    read = (
        *(core[1], evolution[1], scores, log_read, graph[1]),
        *(entities[1], episodes, procedures[1]),
    )
    left = min(MOST_FOR_PROPOSALS, whole - sum(each.tokens for each in read))
    proposals = _proposals(scope, left)
    return Survey(
        first=last.reflection is None,
        since=scope.since,
        read_until=news.until,
        core=core[0],
        evolution=evolution[0],
        log=log,
        graph=graph[0],
        economy=economy,
        fading=fading,
        entities=entities[0],
        episodes=news.episodes,
        procedures=procedures[0],
        proposals=proposals[0],
        read=(*read, proposals[1]),
    )


def _file(scope: Scope, path: str, name: str, budget: int) -> tuple[str, SourceRead]:
    """A file, or as much of its beginning as fits."""
    try:
        text = scope.read(path)
    except ForbiddenReadError:
        return "", SourceRead(name, 0, 0, budget, 1, _LINKED)
    return _fitting(text, name, budget)


def _proposals(scope: Scope, budget: int) -> tuple[str, SourceRead]:
    """What waits, without what is for one person alone: it is not decided here."""
    try:
        text = scope.read(layout.PENDING)
    except ForbiddenReadError:
        return "", SourceRead(PROPOSALS, 0, 0, budget, 1, _LINKED)
    return _fitting(without_private(text) if text else text, PROPOSALS, budget)


def _fitting(text: str | None, name: str, budget: int) -> tuple[str, SourceRead]:
    if text is None:
        return "", SourceRead(name, 0, 0, budget)
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


def _scores(desk: Desk, budget: int) -> tuple[str, tuple[Noticed, ...], SourceRead]:
    """What the scores say besides their entries, and which memories fade."""
    try:
        text = desk.scope.read(layout.SCORES) or ""
    except ForbiddenReadError:
        text = ""
    other = other_keys(text)
    said = json.dumps(other, ensure_ascii=False, sort_keys=True) if other else ""
    economy = clipped(said, budget // 2)
    room = Room(budget, count_tokens(economy))
    faint = _faint(desk)
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


def _faint(desk: Desk) -> list[Noticed]:
    """Memories that fade, the faintest first.

    Of an episode that is not read again only what the scores say is told.
    """
    most = max(desk.decay.active_threshold, 2 * desk.decay.archive_threshold)
    found = []
    for each in desk.index.lookup.faintest(CANDIDATES):
        score = desk.score(each.trace)
        if score < most:
            words = one_line(each.title) if desk.scope.allows(each.path) else ""
            found.append(replace(_noticed(each, words, score), title=words))
    return sorted(found, key=lambda each: (each.score, each.id))


def _noticed(each: ScoredMemory, text: str, score: float) -> Noticed:
    at = each.trace.last_accessed
    seen = Noticed(each.id, each.path, text, each.title, origin=each.origin, at=at)
    return replace(seen, score=score)


def _graph(desk: Desk, entities: Scored, budget: int) -> tuple[str, SourceRead]:
    """The graph's index as it would be written now, as much of it as fits.

    Its rows come from the tables it is made of: they are newer, and in order.
    """
    desk.scope.require(layout.GRAPH_INDEX)
    lookup = desk.index.lookup
    empty = spent = count_tokens(render_graph_index((), ()))
    kept: list[tuple[GraphRow, list[Edge]]] = []
    for score, each in entities:
        desk.scope.require(each.path)
        row = _graph_row(score, each)
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


def _graph_row(score: float, each: ScoredMemory) -> GraphRow:
    name = each.id.partition(":")[2]
    kind = name.partition("--")[0]
    file = each.path.removeprefix("memory/graph/")
    return GraphRow(name, kind, each.title, file, score, each.trace.pinned)


def _pages(
    desk: Desk, store: Store, found: Scored, budget: int, least: float
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Whole pages, the most vivid first, as many as fit."""
    wanted = [pair for pair in found if pair[0] > least]
    room = Room(budget)
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
    name, what = _STORES[store]
    lost = len(wanted) - len(kept)
    unweighed = max(0, desk.index.lookup.unforgotten(store) - len(found))
    parts = [f"{counted(lost, what)} less vivid or too long"] if lost else []
    if unweighed:
        parts.append(f"{counted(unweighed, what)} not of use lately")
    why = " and ".join(parts + cut_short(kept))
    return tuple(kept), SourceRead(
        name, len(kept), room.spent, budget, lost + unweighed, why
    )


def _page(desk: Desk, each: ScoredMemory, score: float) -> Noticed | None:
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
