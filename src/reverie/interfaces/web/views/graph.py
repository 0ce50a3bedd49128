"""Graph: entities and how they are linked, drawn and as a table."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from itertools import zip_longest
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.errors import NotFoundError
from reverie.interfaces.web.drawing import (
    Circle,
    labelled,
    laid_out,
    shortened,
    size_for,
)
from reverie.interfaces.web.page import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reverie import Memory
    from reverie.interfaces.web.drawing import Label, Point
    from reverie.interfaces.web.page import Act, Given
    from reverie.model.items import Edge
    from reverie.model.views import Node

STATUSES = ("active", "fading", "dormant", "archived")
COLOURED = ("person", "project", "concept", "tool", "place")
"""Types that have a colour of their own; all others share one."""

MOST = 120
"""Entities of a picture; of more, nobody could tell one from the other."""

FEW = 24
"""Up to so many lines say on the picture what they mean."""

NARROW, NARROW_SIZE = 16, (350, 460)
"""Entities of the picture for a phone, which nobody has to push about; its size."""


class Dot(NamedTuple):
    """An entity in the picture."""

    node: Node
    at: Point
    radius: float
    shade: float
    colour: str
    label: Label | None


class Line(NamedTuple):
    """What links two entities in the picture: all their relations, told in words."""

    start: Point
    end: Point
    shade: float
    says: str
    label: Label | None


class Picture(NamedTuple):
    """Some entities as they are drawn: for a wide screen, or for a narrow one."""

    kind: str
    size: tuple[int, int]
    dots: Sequence[Dot]
    lines: Sequence[Line]

    @property
    def unnamed(self) -> int:
        """How many entities have no room for their name."""
        return sum(dot.label is None for dot in self.dots)


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """The part of the graph that was asked for, and what else can be asked for."""
    kind, status = given.get("type", ""), given.get("status", "")
    around = given.get("around", "").strip()
    problem, find = "", partial(memory.entities.part, status=status, most=MOST)
    try:
        part = find(kind=kind, around=around)
    except NotFoundError:
        part, problem = find(kind=kind), f"Nobody and nothing is called {around}."
    first = part.nodes[:NARROW]
    return {
        "part": part,
        "pictures": (
            _drawn("broad", part.nodes, part.edges, size_for(len(part.nodes))),
            _drawn("narrow", first, part.edges, NARROW_SIZE),
        ),
        "problem": problem,
        "around": around,
        "colours": sorted({(_colour(node), _kind(node)) for node in part.nodes}),
        "statuses": STATUSES,
        "asked": {"type": kind, "status": status},
        "centre": next((n.label for n in part.nodes if n.name == part.around), ""),
    }


def _drawn(
    kind: str, nodes: Sequence[Node], edges: Sequence[Edge], size: tuple[int, int]
) -> Picture:
    """Every entity and line with its place; names where they fit, the first first."""
    places = {node.name: number for number, node in enumerate(nodes)}
    pairs: defaultdict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in edges:
        both = [places[name] for name in (edge.origin, edge.target) if name in places]
        if len(both) == 2:
            pairs[min(both), max(both)].append(edge)
    points = laid_out(len(nodes), tuple(sorted(pairs)), size)
    circles = tuple(
        Circle(shortened(node.label), at, _radius(node))
        for at, node in zip(points, nodes, strict=True)
    )
    ends = tuple((points[one], points[other]) for one, other in pairs)
    said = tuple(map(_said, pairs.values())) if len(pairs) <= FEW else ()
    names, told = labelled(size, circles, ends, said)
    dots = [
        Dot(node, *circle[1:], _shade(node.score), _colour(node), name)
        for node, circle, name in zip(nodes, circles, names, strict=True)
    ]
    # Where they are too many to be named, lines stay behind.
    share = 0.9 if said else 0.4
    lines = [
        _line(dots[one], dots[other], each, label, share)
        for ((one, other), each), label in zip_longest(pairs.items(), told)
    ]
    return Picture(kind, size, dots, lines)


def _line(
    one: Dot, other: Dot, edges: Sequence[Edge], label: Label | None, share: float
) -> Line:
    labels = {dot.node.name: dot.node.label for dot in (one, other)}
    return Line(
        one.at,
        other.at,
        round(min(one.shade, other.shade) * share, 2),
        "; ".join(_told(edges, labels)),
        label,
    )


def _said(edges: Sequence[Edge]) -> str:
    """What a line says: `sister of, works with`."""
    return shortened(", ".join(dict.fromkeys(map(_relation, edges))))


def _told(edges: Sequence[Edge], labels: Mapping[str, str]) -> Iterator[str]:
    """`Mira, sister of: Teo`."""
    for edge in edges:
        yield f"{labels[edge.origin]}, {_relation(edge)}: {labels[edge.target]}"


def _relation(edge: Edge) -> str:
    return edge.relation.replace("-", " ")


def _radius(node: Node) -> float:
    return round(min(15.0, 5 + 2 * log2(1 + node.facts)), 1)


def _shade(score: float) -> float:
    """How much of a colour is left of what fades."""
    return round(0.15 + 0.85 * score, 2)


def _kind(node: Node) -> str:
    return node.type if node.type in COLOURED else "something else"


def _colour(node: Node) -> str:
    return node.type if node.type in COLOURED else "other"


VIEWS = (View("/graph", "graph.html", look),)
ACTS: tuple[Act, ...] = ()
