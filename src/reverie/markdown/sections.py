"""Sections under level-two headings, and the lists inside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.markdown.lines import hidden_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HEADING = re.compile(r"##(?!\S)")
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")


@dataclass(frozen=True, slots=True)
class Section:
    """A level-two heading and what stands below it.

    Attributes:
        heading: Its words; None for what stands above the first heading.
        line: Line number counted from 1.
        raw: The very text, heading line and all.
    """

    heading: str | None
    line: int
    raw: str

    @property
    def body(self) -> str:
        """What stands below the heading line."""
        return self.raw if self.heading is None else self.raw.partition("\n")[2]

    @property
    def body_line(self) -> int:
        """Line number of the first line of the body."""
        return self.line if self.heading is None else self.line + 1


def heading(line: str) -> str | None:
    """The words of a level-two heading; None if the line is none."""
    return line[2:].strip() if _HEADING.match(line) else None


def split_sections(text: str, known: Callable[[str], bool]) -> tuple[Section, ...]:
    """Cut a text at its level-two headings; the first part is above them all.

    A heading that is `known` always counts; any other only outside code fences
    and comments.
    """
    lines = split_lines(text)
    heads = {
        n: words for n, line in enumerate(lines) if (words := heading(line)) is not None
    }
    sure = [n for n, words in heads.items() if known(words)]
    cuts = set(heads)
    for start, end in pairwise([0, *sure, len(lines)]):
        cuts -= {start + n for n in hidden_lines(lines[start:end])}
    cuts |= set(sure)
    bounds = [*sorted(cuts), len(lines)]
    opening = Section(None, 1, "".join(lines[: bounds[0]]))
    return opening, *(
        Section(heads[start], start + 1, "".join(lines[start:end]))
        for start, end in pairwise(bounds)
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A list item with its continuation lines, or what stands between items.

    Attributes:
        line: Line number counted from 1.
        raw: The very text.
        marker: `- `, `1. ` or the like; empty for what is no list item.
    """

    line: int
    raw: str
    marker: str = ""

    @property
    def text(self) -> str:
        """The words without marker and indentation, still escaped."""
        first, *rest = (line.rstrip("\r") for line in self.raw.split("\n"))
        width = len(self.marker)
        return "\n".join(
            [first[width:], *(_dedent(line, width) for line in rest)]
        ).strip()


def _dedent(line: str, width: int) -> str:
    if line.startswith("\t"):
        return line[1:]
    return line[min(width, len(line) - len(line.lstrip(" "))) :]


def split_items(body: str, line: int = 1) -> tuple[Piece, ...]:
    """Cut a section's body into list items and the text between them."""
    lines = split_lines(body)
    hidden = hidden_lines(lines)
    groups: list[list[int]] = []
    marker = ""
    for n, text in enumerate(lines):
        if n in hidden or (marker and _continues(text)):
            groups[-1].append(n)
            continue
        found = _MARKER.match(text.rstrip("\r\n"))
        if found or marker or not groups:
            groups.append([])
        marker = found[0] if found else ""
        groups[-1].append(n)
    return tuple(piece for group in groups for piece in _pieces(lines, group, line))


def _continues(line: str) -> bool:
    return line.startswith(("  ", "\t")) or not line.strip()


def _pieces(lines: list[str], group: list[int], first: int) -> Iterator[Piece]:
    """One piece for a group of lines; blank lines below an item are no part of it."""
    found = _MARKER.match(lines[group[0]].rstrip("\r\n"))
    end = group[-1] + 1
    while found and not lines[end - 1].strip():
        end -= 1
    raw = "".join(lines[group[0] : end])
    yield Piece(first + group[0], raw, found[0] if found else "")
    if end <= group[-1]:
        yield Piece(first + end, "".join(lines[end : group[-1] + 1]))


def render_item(text: str, marker: str = "- ") -> str:
    """Write an escaped text as a list item; `Piece.text` reads it back."""
    first, *rest = text.split("\n")
    indent = " " * len(marker)
    lines = [marker + first, *(indent + line if line else "" for line in rest)]
    return "\n".join(lines) + "\n"
