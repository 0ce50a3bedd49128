"""Relations that were told or show themselves, and stand on no page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from reverie.encoding.routing import entity_id
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.rules.candidates import WITH
from reverie.reflection.rules.extracting import when_said
from reverie.stores.semantic import (
    RELATIONS_TEMPLATE,
    edges,
    parse_graph_index,
    parse_relations,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import date

    from reverie.reflection.rules.candidates import Seen
    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement
    from reverie.stores.semantic import Vocabulary

TOGETHER_EPISODES, TOGETHER_DAYS = 3, 2
"""So often, on so many days, two things are spoken of together that have to do with
each other."""

CROWD = 6
"""An episode that names more things is a list and relates none of them."""

ARROW = " \u2192 "
Triple = tuple[str, str, str]
Pair = tuple[str, str]
Days = Counter["date"]
"""How many episodes on which day."""


def connections(
    statements: Sequence[Statement],
    settled: Sequence[Statement],
    library: Library,
    graph: str,
    fresh: Collection[str],
    before: Seen,
) -> tuple[list[Operation], Seen]:
    """Relations between entities that have pages or get one now.

    Args:
        statements: What was said.
        settled: What of it nothing speaks against.
        library: The pages.
        graph: `graph/index.md`.
        fresh: Names of entities that get a page now.
        before: What was spoken of together too seldom so far.

    Returns:
        The relations, and what was spoken of together too seldom still.
    """
    known = {
        (edge.origin, edge.relation, edge.target)
        for edge in parse_graph_index(graph, layout.GRAPH_INDEX).edges
    }
    told = _told(settled)
    seen = _together(statements, library, before)
    names = {n for a, _, b in told for n in (a, b)} | {n for p in seen for n in p}
    for name in names:
        entity = library.entity(name)
        edges_ = edges(entity, _vocabulary()) if entity else ()
        known |= {(edge.origin, edge.relation, edge.target) for edge in edges_}
    paged = {name for name in names if library.entity(name)} | {*fresh}
    new = {
        triple: why
        for triple, why in told.items()
        if triple not in known and {triple[0], triple[2]} <= paged
    }
    pairs = {frozenset((a, b)) for a, _, b in (*known, *new)}
    seldom: Seen = {}
    for (one, other), days in seen.items():
        if frozenset((one, other)) in pairs:
            continue
        if _is_often(days):
            new[one, "relates-to", other] = _often(days)
        else:
            words = f"{library.label(one)} and {library.label(other)}"
            seldom[f"{WITH}{one} {other}"] = (words, tuple(days.elements()))
    return [_operation(triple, why) for triple, why in new.items()], seldom


@lru_cache(maxsize=1)
def _vocabulary() -> Vocabulary:
    return parse_relations(RELATIONS_TEMPLATE, layout.RELATIONS).vocabulary


def _operation(triple: Triple, why: str) -> Operation:
    content = ARROW.join(triple)
    return Operation(OperationKind.CONNECT, layout.GRAPH_INDEX, content, why)


def _told(statements: Iterable[Statement]) -> dict[Triple, str]:
    """What was said in so many words, as the graph keeps it."""
    found: dict[Triple, str] = {}
    for said in statements:
        if not said.trusted:
            continue
        for one in said.filing.route.relations:
            relation, turned = _vocabulary().canonical(one.relation)
            ends = (one.target, one.origin) if turned else (one.origin, one.target)
            if ends[0] != ends[1]:
                found.setdefault((ends[0], relation, ends[1]), when_said(said))
    return found


def _together(
    statements: Iterable[Statement], library: Library, before: Seen
) -> dict[Pair, Days]:
    """What is spoken of in the same episodes, and in how many on which days."""
    named: dict[str, set[str]] = defaultdict(set)
    days: dict[str, date] = {}
    for said in statements:
        if said.trusted and said.day:
            days[said.episode.id] = said.day
            named[said.episode.id] |= {
                name
                for one in said.filing.route.entities
                if (name := entity_id(one, said.known)) != library.owner
                and library.entity(name) is not None
            }
    seen: dict[Pair, Days] = defaultdict(Counter)
    for id_, names in named.items():
        for pair in combinations(sorted(names), 2) if len(names) <= CROWD else ():
            seen[pair][days[id_]] += 1
    for pair, earlier in _before(before, library).items():
        # The same episode may come again where a reflection had to begin anew.
        seen[pair] |= earlier
    return dict(sorted(seen.items(), key=lambda item: -item[1].total()))


def _before(before: Seen, library: Library) -> dict[Pair, Days]:
    """What was seen before, of things that still have pages."""
    found: dict[Pair, Days] = {}
    for key, (_, days) in before.items():
        names = _PAIR.fullmatch(key)
        if names and all(library.entity(name) for name in names.groups()):
            found[names[1], names[2]] = Counter(days)
    return found


def _is_often(days: Days) -> bool:
    return days.total() >= TOGETHER_EPISODES and len(days) >= TOGETHER_DAYS


def _often(days: Days) -> str:
    named = ", ".join(day.isoformat() for day in sorted(days))
    count = days.total()
    return f"spoken of together in {count} episodes on {len(days)} days: {named}"


_PAIR = re.compile(
    rf"{WITH}(\w[\w.-]{{0,120}}--[\w.-]{{1,120}}) (\w[\w.-]{{0,120}}--[\w.-]{{1,120}})"
)
