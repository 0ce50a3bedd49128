"""What a command has to say, before it is known who reads it.

Commands build a page from rows and grids. `render_plain` makes readable text of it
for files and pipes, `terminal.py` colours and tables for a screen.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from reverie.printable import printable, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Style(StrEnum):
    """What a piece of text is; the terminal decides how that looks."""

    PLAIN = "plain"
    TITLE = "title"
    ID = "id"
    PATH = "path"
    ACTOR = "actor"
    FAINT = "faint"
    MATCH = "match"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    MUSED = "mused"
    """What an agent wrote to itself: a context reflection."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text and what it is."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Bar:
    """How much of a budget is used.

    Attributes:
        used: So much.
        budget: Of so much.
        style: What the filled part is; by default it warns as the budget runs out.
    """

    used: int
    budget: int
    style: Style | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line, or a paragraph that wraps on a narrow screen."""

    spans: tuple[Span, ...]
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells under their heads; without heads where those are obvious.

    Attributes:
        heads: Titles of the columns; may be empty.
        rows: The cells.
        flexible: The column that gives way when the screen is narrow.
        indent: Columns of space in front.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Span | Bar, ...], ...]
    flexible: int = -1
    indent: int = 0


Block = Row | Grid
Page = list[Block]

BLANK = Row(())


def row(*parts: str | Span, indent: int = 0) -> Row:
    """A row of pieces, plain where nothing else is said."""
    spans = tuple(Span(p) if isinstance(p, str) else p for p in parts)
    return Row(spans, indent)


def paragraph(text: str, *, style: Style = Style.PLAIN, indent: int = 0) -> Page:
    """Text of somebody's, line by line."""
    return [row(Span(line, style), indent=indent) for line in text.split("\n")]


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun: `1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shortened(text: str, most: int) -> str:
    """A text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def visible_spans(spans: Sequence[Span]) -> list[str]:
    """The texts of spans with nothing unseen in them.

    They are looked at as one: a mark may stand on a letter of the span before.
    """
    whole = "".join(span.text for span in spans)
    if printable(whole) == whole:
        return [span.text for span in spans]
    shown = spelled(whole)
    ends = [0, *accumulate(len(span.text) for span in spans)]
    return ["".join(shown[start:end]) for start, end in pairwise(ends)]


def cells_wide(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) == "Cf"
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def render_plain(page: Iterable[Block]) -> str:
    """The page as text for a file or a pipe; nothing is cut."""
    lines: list[str] = []
    for block in page:
        lines += _plain_row(block) if isinstance(block, Row) else _plain_grid(block)
    return "".join(f"{line}\n" for line in lines)


def _plain_row(block: Row) -> list[str]:
    text = "".join(visible_spans(block.spans))
    return [f"{' ' * block.indent}{text}".rstrip()]


def _plain_grid(grid: Grid) -> Iterator[str]:
    table = [tuple(map(_plain_cell, cells)) for cells in grid.rows]
    if grid.heads:
        table.insert(0, grid.heads)
    widths = [max(map(cells_wide, column)) for column in zip(*table, strict=True)]
    for cells in table:
        padded = _padded(cells, widths)
        yield f"{' ' * grid.indent}{'  '.join(padded)}".rstrip()


def _plain_cell(cell: Span | Bar) -> str:
    return printable(cell.text) if isinstance(cell, Span) else _dots(cell)


def _dots(bar: Bar, width: int = 20) -> str:
    full = min(width, round(width * bar.used / bar.budget)) if bar.budget else width
    return "#" * full + "." * (width - full)


def _padded(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for cell, width in zip(cells, widths, strict=True):
        yield cell + " " * (width - cells_wide(cell))
