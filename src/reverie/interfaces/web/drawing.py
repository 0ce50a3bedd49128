"""Where the nodes of a graph stand in a picture, and where their names fit.

The same graph is drawn the same way every time: nothing is left to chance.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STEPS = 160
"""Moves after which everything has found its place."""

SIZES = ((12, 600, 400), (40, 960, 620), (10_000, 1120, 800))
"""Up to how many nodes a picture is how wide and how high."""

LETTER = 7.4
"""About how wide a letter of a label is."""

LINE = 16.0
"""How high a label is."""

LONGEST = 26
"""Characters of a label; the rest is on the page of the entity."""

MARGIN = np.array((68.0, 36.0))
"""What is left free beside, and above and below: half a label has room there."""

FEW_LINES = 80
"""Up to so many lines a label keeps clear of; among more it cannot."""

OPENED = 0.75
"""How far the crowded middle is drawn out: 1 is not at all."""


class Point(NamedTuple):
    """A place in a picture."""

    x: float
    y: float


class Box(NamedTuple):
    """A part of a picture that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether both take the same place."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)


class Circle(NamedTuple):
    """Something that stands in a picture, and is called something."""

    text: str
    at: Point
    radius: float


class Label(NamedTuple):
    """A text where it fits: at a point that is its start, middle or end."""

    text: str
    x: float
    y: float
    anchor: str


def size_for(count: int) -> tuple[int, int]:
    """Width and height of a picture of so many nodes."""
    return next((wide, high) for most, wide, high in SIZES if count <= most)


@lru_cache(maxsize=16)
def laid_out(
    count: int, edges: tuple[tuple[int, int], ...], size: tuple[int, int]
) -> tuple[Point, ...]:
    """Places of nodes: what is linked is near, and everything else keeps apart."""
    if not count:
        return ()
    wide, high = (np.array(size) - 2 * MARGIN).tolist()
    chance = np.random.default_rng(7)
    at = chance.uniform(-0.5, 0.5, (count, 2)) * (wide, high)
    ends = np.array(edges, dtype=int).reshape(-1, 2)
    # The distance at which pull and push of a link are even.
    rest = 0.8 * np.sqrt(wide * high / count)
    heat = wide / 8
    for _ in range(STEPS):
        apart = at[:, None, :] - at[None, :, :]
        far = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1.0)
        moves = (apart * (rest**2 / far**2)[:, :, None]).sum(axis=1)
        along = at[ends[:, 0]] - at[ends[:, 1]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / rest)[:, None]
        np.add.at(moves, ends[:, 0], -pull)
        np.add.at(moves, ends[:, 1], pull)
        moves -= at * (1.2, 1.2 * wide / high)
        length = np.maximum(np.sqrt((moves**2).sum(axis=1)), 1e-9)
        at += moves * (np.minimum(length, heat) / length)[:, None]
        heat *= 0.97
    return tuple(_fitted(at, wide, high))


def _fitted(at: np.ndarray, wide: float, high: float) -> Iterable[Point]:
    """The same places, spread over the whole of a picture."""
    half = np.array((wide, high)) / 2
    least, most = at.min(axis=0), at.max(axis=0)
    at = (at - (least + most) / 2) / np.maximum((most - least) / 2, 1e-9)
    far = np.maximum(np.sqrt((at**2).sum(axis=1)), 1e-9)
    at = np.clip(at * (far**OPENED / far)[:, None], -1, 1)
    return (
        Point(round(x, 1), round(y, 1)) for x, y in (at * half + half + MARGIN).tolist()
    )


@lru_cache(maxsize=16)
def labelled(
    size: tuple[int, int],
    circles: tuple[Circle, ...],
    lines: tuple[tuple[Point, Point], ...],
    said: tuple[str, ...] = (),
) -> tuple[tuple[Label | None, ...], tuple[Label | None, ...]]:
    """Labels of circles, then of lines; None for what finds no room.

    Most changes of a memory change nothing that is drawn, and then this is known.

    Args:
        size: Width and height of the picture.
        circles: What stands on it.
        lines: What is drawn on it: both ends.
        said: What each of the lines says; nothing, where they are too many.
    """
    canvas = _Canvas(size, circles, lines if len(lines) <= FEW_LINES else ())
    names = tuple(map(canvas.beside, circles))
    middles = (Point((a.x + b.x) / 2, (a.y + b.y) / 2) for a, b in lines)
    return names, tuple(map(canvas.on, said, middles))


class _Canvas:
    """A picture that fills: what is put on it first keeps its place."""

    def __init__(
        self,
        size: tuple[int, int],
        circles: Iterable[Circle],
        lines: Sequence[tuple[Point, Point]],
    ) -> None:
        self._whole = Box(2, 2, size[0] - 2, size[1] - 2)
        self._taken = [_around(each.at, each.radius) for each in circles]
        self._lines = lines

    def beside(self, circle: Circle) -> Label | None:
        """A label at a circle: right of it, or left, below, above; None for nowhere."""
        (text, point, radius), low = circle, circle.at.y + LINE / 4
        gap = radius + 4
        places = (
            Label(text, point.x + gap, low, "start"),
            Label(text, point.x - gap, low, "end"),
            Label(text, point.x, point.y + gap + LINE * 0.7, "middle"),
            Label(text, point.x, point.y - gap - 2, "middle"),
        )
        clear = (place for place in places if not self._crossed(place))
        return next(filter(self._take, (*clear, *places)), None)

    def on(self, text: str, point: Point) -> Label | None:
        """A label at a point, where nothing else is; else None."""
        label = Label(text, point.x, point.y + LINE / 4, "middle")
        return label if self._take(label) else None

    def _crossed(self, label: Label) -> bool:
        """Whether a line goes through a label."""
        box = box_of(label)
        return any(_passes(box, *line) for line in self._lines)

    def _take(self, label: Label) -> bool:
        box, whole = box_of(label), self._whole
        inside = box.left >= whole.left and box.right <= whole.right
        inside = inside and box.top >= whole.top and box.bottom <= whole.bottom
        if not inside or any(box.meets(other) for other in self._taken):
            return False
        self._taken.append(box)
        return True


def shortened(text: str) -> str:
    """A text that is no longer than a label may be."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"


def box_of(label: Label) -> Box:
    """The place that a label takes."""
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in label.text)
    width = wide * LETTER
    left = label.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    top = label.y - LINE * 0.75
    return Box(left, top, left + width, top + LINE)


def _passes(box: Box, start: Point, end: Point) -> bool:
    """Whether a line goes through a box."""
    enters, leaves = 0.0, 1.0
    spans = ((box.left, box.right), (box.top, box.bottom))
    for (low, high), begin, step in zip(
        spans, start, (end.x - start.x, end.y - start.y), strict=True
    ):
        if not step:
            if not low < begin < high:
                return False
            continue
        first, last = sorted(((low - begin) / step, (high - begin) / step))
        enters, leaves = max(enters, first), min(leaves, last)
    return enters < leaves


def _around(point: Point, radius: float) -> Box:
    x, y = point
    return Box(x - radius, y - radius, x + radius, y + radius)
