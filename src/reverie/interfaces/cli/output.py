"""What commands print: lines and tables, plain for pipes, with rich on a screen, JSON.

A page is an iterable of lines and tables. A line is a text or a tuple of pieces, each
plain or one of the styles below; its leading spaces are kept where it wraps. Whatever
a reader could not see is spelled out. rich is loaded only to draw on a screen.
"""

from __future__ import annotations

import json
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from enum import Enum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from reverie.printable import escape_json, printable, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.text import Text

BAR_WIDTH, GAP, NARROWEST = 24, 2, 8

LOOKS = {
    "title": "bold",
    "id": "cyan",
    "place": "blue",
    "who": "magenta",
    "faint": "bright_black",
    "match": "bold yellow",
    "good": "green",
    "warn": "yellow",
    "bad": "red",
    "mused": "bright_blue",
}
"""Styles, and how rich shows them; `mused` is what an agent wrote to itself."""


class Styled(str):
    """A piece of text that stands out on a screen."""

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str) -> Styled:
        """Give a text one of the styles of `LOOKS`."""
        made = super().__new__(cls, text)
        made.style = style
        return made


def _in_style(style: str) -> Callable[[str], Styled]:
    return lambda text: Styled(text, style)


title, ident, place, who, faint, match, good, warn, bad, mused = map(_in_style, LOOKS)


@dataclass(frozen=True, slots=True)
class Bar:
    """How much of a budget is used; without a style it warns as it runs out."""

    used: int
    budget: int
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells.

    Attributes:
        rows: The cells of each.
        heads: Titles of the columns; none where those are obvious.
        flexible: The column that gives way when the screen is narrow.
        indent: Columns of space in front.
        right: From this column on cells are numbers, which stand below each other.
    """

    rows: Sequence[Sequence[str | Bar]]
    heads: Sequence[str] = ()
    flexible: int = -1
    indent: int = 0
    right: int = 99

    def cells(self) -> list[list[str | Bar]]:
        """All rows, the heads first, with numbers moved to the right."""
        table: list[list[str | Bar]] = [list(self.heads)] if self.heads else []
        table += [list(each) for each in self.rows]
        for column in range(self.right, len(table[0]) if table else 0):
            width = max(len(str(cells[column])) for cells in table)
            for cells in table:
                cell = cells[column]
                cells[column] = Styled(f"{cell:>{width}}", getattr(cell, "style", ""))
        return table


Line = str | tuple[str, ...]
Page = list[Line | Table]


def paragraph(
    text: str, indent: int = 0, look: Callable[[str], str] = str
) -> list[Line | Table]:
    """Text of somebody's, line by line."""
    return [(" " * indent, look(line)) for line in text.split("\n")]


def facts(found: Iterable[tuple[str, str]], indent: int = 2) -> Table:
    """Names and what they stand for, below each other."""
    return Table([(faint(name), value) for name, value in found], indent=indent)


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun: `1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shortened(text: str, most: int) -> str:
    """A text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def style_of_diff(line: str) -> str:
    """One line of a diff, as it is shown."""
    for marks, look in (
        (("+++", "---"), title),
        ("@@", ident),
        ("+", good),
        ("-", bad),
    ):
        if line.startswith(marks):
            return look(line)
    return line


# --- as plain text ---------------------------------------------------------------


def _visible(pieces: Sequence[str]) -> list[str]:
    """The pieces of a line with nothing unseen in them.

    They are looked at as one: a mark may stand on a letter of the piece before.
    """
    whole = "".join(pieces)
    if printable(whole) == whole:
        return [str(piece) for piece in pieces]
    shown = spelled(whole)
    ends = [0, *accumulate(map(len, pieces))]
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


def _plain_cell(cell: str | Bar, width: int = 20) -> str:
    if isinstance(cell, str):
        return printable(cell)
    share = cell.used / cell.budget if cell.budget else 1
    full = min(width, round(width * share))
    return "#" * full + "." * (width - full)


def render_plain(page: Iterable[Line | Table]) -> str:
    """The page as text for a file or a pipe; nothing is cut."""
    lines: list[str] = []
    for block in page:
        if not isinstance(block, Table):
            lines.append(
                "".join(_visible((block,) if isinstance(block, str) else block))
            )
            continue
        table = [[_plain_cell(cell) for cell in cells] for cells in block.cells()]
        widths = [max(map(cells_wide, column)) for column in zip(*table, strict=True)]
        for cells in table:
            padded = (
                cell + " " * (width - cells_wide(cell))
                for cell, width in zip(cells, widths, strict=True)
            )
            lines.append(" " * block.indent + "  ".join(padded))
    return "".join(f"{line.rstrip()}\n" for line in lines)


# --- on a screen -----------------------------------------------------------------


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console
    from rich.theme import Theme

    theme = Theme({f"reverie.{style}": look for style, look in LOOKS.items()})
    return Console(theme=theme, stderr=stderr, highlight=False, soft_wrap=False)


def _text(pieces: Sequence[str]) -> Text:
    from rich.text import Text

    text = Text()
    for piece, shown in zip(pieces, _visible(pieces), strict=True):
        style = getattr(piece, "style", "")
        text.append(shown, f"reverie.{style}" if style else "none")
    return text


def _drawn_cell(cell: str | Bar) -> Text:
    if isinstance(cell, str):
        return _text((cell,))
    share = cell.used / cell.budget if cell.budget else 1.0
    full = min(BAR_WIDTH, round(BAR_WIDTH * share))
    warned = "bad" if share > 1 else "warn" if share > 0.8 else "good"
    bar = _text((Styled("█" * full, cell.style or warned),))
    return bar.append_text(_text((faint("░" * (BAR_WIDTH - full)),)))


def print_page(page: Iterable[Line | Table]) -> None:
    """Print a page on the screen: colours, wrapped lines, tables that fit."""
    from rich import table as rich_table
    from rich.padding import Padding

    screen = _console()
    for block in page:
        if not isinstance(block, Table):
            pieces = (block,) if isinstance(block, str) else block
            whole = "".join(pieces)
            indent = len(whole) - len(whole.lstrip(" "))
            text = _text(pieces)
            body = Padding(text[indent:], (0, 0, 0, indent)) if indent else text
            screen.print(body if whole.strip(" ") else "")
            continue
        rows = block.cells()
        if not rows:
            continue
        widths = [
            max(
                cells_wide(printable(c)) if isinstance(c, str) else BAR_WIDTH
                for c in column
            )
            for column in zip(*rows, strict=True)
        ]
        left = screen.width - block.indent - sum(widths) - GAP * (len(widths) - 1)
        flexible = block.flexible % len(widths)
        widths[flexible] = max(NARROWEST, widths[flexible] + min(0, left))
        drawn = rich_table.Table(
            box=None,
            show_header=bool(block.heads),
            header_style="reverie.faint",
            padding=(0, GAP, 0, 0),
            pad_edge=False,
        )
        heads = rows.pop(0) if block.heads else [""] * len(widths)
        for head, width in zip(heads, widths, strict=True):
            drawn.add_column(str(head), no_wrap=True, overflow="ellipsis", width=width)
        for cells in rows:
            drawn.add_row(*map(_drawn_cell, cells))
        screen.print(Padding(drawn, (0, 0, 0, block.indent)))


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[..., None]]:
    """A bar on the error stream that goes away when the work is done.

    Its steps tell what is done and what is all; a third number is memories made of
    so many bytes.
    """
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[told]}"),
        progress.TimeRemainingColumn(compact=True),
    )
    screen = _console(stderr=True)
    with progress.Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(label, total=None, told="")

        def step(done: int, total: int, memories: int | None = None) -> None:
            told = f"{done:,}/{total:,}"
            if memories is not None:
                elapsed = bar.tasks[task].elapsed or 0.0
                rate = f", {memories / elapsed:,.0f}/s" if elapsed >= 1 else ""
                told = f"{done / 1e6:,.1f}/{total / 1e6:,.1f} MB  "
                told += f"{counted(memories, 'memory', 'memories')}{rate}"
            bar.update(task, completed=done, total=total, told=told)

        yield step


@contextmanager
def status_line(words: str) -> Iterator[None]:
    """What is going on, on the error stream; it goes away when the work is done."""
    with _console(stderr=True).status(words, spinner_style="reverie.mused"):
        yield


# --- as JSON ---------------------------------------------------------------------


def to_json(value: Any) -> Any:  # noqa: ANN401, PLR0911 - whatever a verb returns
    """A value in the words of JSON: fields in their order, times in UTC."""
    from reverie.model.change import Actor
    from reverie.model.route import Route
    from reverie.model.route import to_json as route_to_json

    match value:
        case Enum():
            return to_json(value.value)
        case None | bool() | int() | float() | str():
            return value
        case Actor():
            return str(value)
        case Route():
            return to_json(route_to_json(value))
        case datetime():
            moment = value.astimezone(UTC).isoformat(timespec="seconds")
            return moment.replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case dict():
            return {str(key): to_json(each) for key, each in value.items()}
        case list() | tuple():
            return [to_json(each) for each in value]
        case _:
            pass
    return {each.name: to_json(getattr(value, each.name)) for each in fields(value)}


def render_json(value: object, *, ascii_only: bool = False) -> str:
    """The text of a value, indented; whatever nobody would see in it is escaped."""
    return escape_json(json.dumps(to_json(value), indent=2, ensure_ascii=ascii_only))


def render_json_line(value: object) -> str:
    """The text of a value on one line of ASCII."""
    return json.dumps(to_json(value))
