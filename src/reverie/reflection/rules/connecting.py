"""Relations that were told or show themselves, and stand on no page."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from reverie.encoding.routing import entity_id
from reverie.model.reflection import Operation, OperationKind
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


def connections(
    statements: Sequence[Statement],
    library: Library,
    graph: str,
    fresh: Collection[str],
) -> list[Operation]:
    """Relations between entities that have pages or get one now.

    Args:
        statements: What was said.
        library: The pages.
        graph: `graph/index.md`.
        fresh: Names of entities that get a page now.
    """
    known = {
        (edge.origin, edge.relation, edge.target)
        for edge in parse_graph_index(graph, layout.GRAPH_INDEX).edges
    }
    told = _told(statements)
    seen = _together(statements, library)
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
    for (one, other), why in seen.items():
        if frozenset((one, other)) not in pairs:
            new[one, "relates-to", other] = why
    return [_operation(triple, why) for triple, why in new.items()]


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
    statements: Iterable[Statement], library: Library
) -> dict[tuple[str, str], str]:
    """What is spoken of in the same episodes again and again."""
    named: dict[str, set[str]] = defaultdict(set)
    days: dict[str, object] = {}
    for said in statements:
        if said.trusted:
            days[said.episode.id] = said.day
            named[said.episode.id] |= {
                name
                for one in said.filing.route.entities
                if (name := entity_id(one, said.known)) != library.owner
                and library.entity(name) is not None
            }
    counts: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str], set[object]] = defaultdict(set)
    for id_, names in named.items():
        for pair in combinations(sorted(names), 2) if len(names) <= CROWD else ():
            counts[pair] += 1
            seen[pair].add(days[id_])
    return {
        pair: f"spoken of together in {count} episodes on {len(seen[pair])} days"
        for pair, count in counts.most_common()
        if count >= TOGETHER_EPISODES and len(seen[pair]) >= TOGETHER_DAYS
    }
