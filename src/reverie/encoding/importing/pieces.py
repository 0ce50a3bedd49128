"""Cutting texts into pieces of a comfortable size."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from reverie.markdown import hidden_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from reverie.encoding.importing.outline import Section

TOGETHER = 1_200
"""Characters up to which short sections stay together, and long ones are cut to."""

LONGEST = 2_000
"""Characters up to which one section stays whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document.

    Attributes:
        path: The headings it stands under, outermost first.
        line: Line number of its first line, counted from 1.
        text: Its words, never empty.
        day: The day a heading gives it.
    """

    path: tuple[str, ...]
    line: int
    text: str
    day: datetime | None = None


def find_pieces(sections: Iterable[Section]) -> list[Piece]:
    """Join what is short and belongs together, cut what is long."""
    return [piece for group in _groups(sections) for piece in _pieces(group)]


def _groups(sections: Iterable[Section]) -> Iterator[list[Section]]:
    group: list[Section] = []
    size = 0
    for section in sections:
        size += len(section.raw)
        if group and not (size <= TOGETHER and _beside(group[0], section)):
            yield group
            group, size = [], len(section.raw)
        group.append(section)
    if group:
        yield group


def _beside(first: Section, section: Section) -> bool:
    """Whether a later section stands under the same heading as the first one."""
    above = first.path[:-1]
    return section.path[: len(above)] == above and section.day == first.day


def _pieces(group: list[Section]) -> Iterator[Piece]:
    group = _with_words(group)
    if not group:
        return
    first = group[0]
    if len(group) > 1:
        yield _joined(group)
    elif len(first.body) > LONGEST:
        for line, text in cut(first.body, first.body_line):
            yield Piece(first.path, line, text, first.day)
    else:
        text = tidied(first.body) or first.path[-1]
        if text:
            yield Piece(first.path, first.line, text, first.day)


def _with_words(group: list[Section]) -> list[Section]:
    """The group without empty headings that its title will say, or that end it."""
    start, end = 0, len(group)
    while end and group[end - 1].bare:
        end -= 1
    while start < end and group[start].bare and _above_all(group[start:end]):
        start += 1
    return group[start:end]


def _above_all(group: list[Section]) -> bool:
    path = group[0].path
    return all(section.path[: len(path)] == path for section in group)


def _joined(group: list[Section]) -> Piece:
    steps = zip(*(section.path for section in group), strict=False)
    shared = tuple(step[0] for step in takewhile(lambda s: len(set(s)) == 1, steps))
    if sum(section.path == shared for section in group) > 1:
        shared = shared[:-1]
    parts = (s.raw if len(s.path) > len(shared) else s.body for s in group)
    text = "\n\n".join(filter(None, map(tidied, parts)))
    return Piece(shared, group[0].line, text, group[0].day)


def tidied(text: str) -> str:
    """A text without blank lines at its edges; the first line keeps its indent."""
    return text.strip("\n").rstrip() if text.strip() else ""


def cut(text: str, line: int = 1) -> list[tuple[int, str]]:
    """Cut a text at paragraph borders into pieces, each with its line number.

    A paragraph that is too long itself is cut at its lines, a line at its words;
    a code fence is never cut.
    """
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    starts = [
        n
        for n in range(len(lines))
        if n not in hidden and (n == 0 or not lines[n - 1].strip())
    ]
    units = []
    for start, end in pairwise([*starts, len(lines)]):
        units += _units(lines, start, end, hidden)
    return [(line + n, piece) for n, piece in _packed(units) if piece]


def _units(
    lines: Sequence[str], start: int, end: int, hidden: frozenset[int]
) -> list[tuple[int, str]]:
    """A paragraph, or its parts where it is too long."""
    whole = "".join(lines[start:end])
    if len(whole) <= LONGEST:
        return [(start, whole)]
    units: list[tuple[int, str]] = []
    for n in range(start, end):
        if n in hidden and units:
            units[-1] = (units[-1][0], units[-1][1] + lines[n])
        else:
            units.append((n, lines[n]))
    solid = {n for n, _ in units if n + 1 in hidden}
    return [
        (n, part)
        for n, text in units
        for part in ([text] if n in solid else _by_words(text))
    ]


def _by_words(text: str) -> Iterator[str]:
    """One long line in parts that end at a sentence, a word, or somewhere."""
    at = 0
    while len(text) - at > LONGEST:
        stop = at + TOGETHER
        ends = (text.rfind(mark, at, stop) + len(mark) for mark in (". ", " "))
        end = next((n for n in ends if n > at + 1), stop)
        yield text[at:end]
        at = end
    yield text[at:]


def _packed(units: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    start, held, size = 0, [""], 0
    for n, text in units:
        if size and size + len(text) > TOGETHER:
            yield start, tidied("".join(held))
            held, size = [], 0
        if not size and not text.strip():
            continue
        if not size:
            start = n
        held.append(text)
        size += len(text)
    yield start, tidied("".join(held))
