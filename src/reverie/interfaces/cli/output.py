"""What commands print: lines and tables, plain for pipes, with rich on a screen, JSON.

A page is an iterable of lines and tables. A line is a text or a tuple of pieces, each
plain or one of the styles below; its leading spaces are kept where it wraps. Whatever
a reader could not see is spelled out. rich is loaded only to draw on a screen.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, date, datetime
from enum import Enum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self
from unicodedata import category, east_asian_width

from reverie.printable import escape_json, printable, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.text import Text

BAR_WIDTH, GAP, NARROWEST = 20, 2, 8

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

DIFF = {"+": "good", "-": "bad"}
"""Styles of the lines of a diff."""


class Styled(str):
    """A piece of text that stands out on a screen."""

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str) -> Self:
        """Give a text one of the styles of `LOOKS`."""
        made = super().__new__(cls, text)
        made.style = style
        return made


class Bar(Styled):
    """How much of something is used, drawn better on a screen."""

    __slots__ = ()
    DRAWN: ClassVar = str.maketrans("#.", "█░")


def _in_style(style: str) -> Callable[[str], Styled]:
    return lambda text: Styled(text, style)


title, ident, place, who, faint, match, good, warn, bad, mused = map(_in_style, LOOKS)


class Table(NamedTuple):
    """Rows of cells.

    Attributes:
        rows: The cells of each.
        heads: Titles of the columns; none where those are obvious.
        flexible: The column that gives way when the screen is narrow.
        indent: Columns of space in front.
        right: From this column on cells are numbers, which stand below each other.
    """

    rows: Sequence[Sequence[str]]
    heads: Sequence[str] = ()
    flexible: int = -1
    indent: int = 0
    right: int = 99

    def cells(self) -> list[list[str]]:
        """All rows, the heads first, with numbers moved to the right."""
        table = [list(each) for each in ([self.heads] if self.heads else [])]
        table += [list(each) for each in self.rows]
        for column in range(self.right, len(table[0]) if table else 0):
            width = max(len(cells[column]) for cells in table)
            for cells in table:
                cell = cells[column]
                cells[column] = Styled(cell.rjust(width), getattr(cell, "style", ""))
        return table


Line = str | tuple[str, ...]
Page = list[Line | Table]
if TYPE_CHECKING:
    Lines = Iterator[Line | Table]


def paragraph(text: str, indent: int = 0, look: Callable[[str], str] = str) -> Page:
    """Text of somebody's, line by line."""
    return [(" " * indent, look(line)) for line in text.split("\n")]


def facts(found: Iterable[tuple[str, str]], indent: int = 2) -> Table:
    """Names and what they stand for, below each other."""
    return Table([(faint(name), value) for name, value in found], indent=indent)


def bar(used: float, budget: float, style: str = "") -> Bar:
    """How much of a budget is used; without a style it warns as it runs out."""
    share = used / budget if budget else 1.0
    full = max(0, min(BAR_WIDTH, round(BAR_WIDTH * share)))
    warned = "bad" if share > 1 else "warn" if share > 0.8 else "good"
    return Bar("#" * full + "." * (BAR_WIDTH - full), style or warned)


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun: `1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def memories(count: int) -> str:
    """A number of memories."""
    return counted(count, "memory", "memories")


def shortened(text: str, most: int) -> str:
    """A text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def rest(count: int, where: str = "", indent: int = 0) -> Page:
    """That so many more were left out, if any were."""
    told = faint(f"… and {count:,} more{where}")
    return [(" " * indent, told)] if count > 0 else []


def commit(made: Any) -> Styled:
    """The change that something was made with, behind what is told of it."""
    return faint(f"  {made.commit[:10]}")


# --- as plain text ---------------------------------------------------------------


def _pieces(line: Line) -> Sequence[str]:
    return (line,) if isinstance(line, str) else line


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
    if text.isascii():
        return len(text)
    unseen = sum(category(char) in {"Mn", "Me", "Cf"} for char in text)
    return len(text) - unseen + sum(east_asian_width(char) in "WF" for char in text)


def _widths(rows: list[list[str]]) -> list[int]:
    columns = zip(*rows, strict=True)
    return [max(cells_wide(printable(cell)) for cell in column) for column in columns]


def render_plain(page: Iterable[Line | Table]) -> str:
    """The page as text for a file or a pipe; nothing is cut."""
    lines: list[str] = []
    for block in page:
        if not isinstance(block, Table):
            lines.append("".join(_visible(_pieces(block))))
            continue
        rows = block.cells()
        widths = _widths(rows)
        for cells in rows:
            shown = [printable(cell) for cell in cells]
            pairs = zip(shown, widths, strict=True)
            padded = (cell + " " * (width - cells_wide(cell)) for cell, width in pairs)
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
        drawn = shown.translate(Bar.DRAWN) if isinstance(piece, Bar) else shown
        text.append(drawn, f"reverie.{style}" if style else "none")
    return text


def print_page(page: Iterable[Line | Table]) -> None:
    """Print a page on the screen: colours, wrapped lines, tables that fit."""
    from rich import table as rich_table
    from rich.padding import Padding

    screen = _console()
    for block in page:
        if not isinstance(block, Table):
            pieces = _pieces(block)
            whole = "".join(pieces)
            indent = len(whole) - len(whole.lstrip(" "))
            before, _, last = whole.rpartition(" ")
            room = screen.width - indent
            if "://" in last and len(last) > room > cells_wide(before):
                # A link that is broken in two opens nothing: the terminal wraps it.
                screen.print(_text(pieces), soft_wrap=True)
                continue
            body = Padding(_text(pieces)[indent:], (0, 0, 0, indent), expand=False)
            screen.print(body if whole.strip(" ") else "")
            continue
        rows = block.cells()
        if not rows:
            continue
        widths = _widths(rows)
        left = screen.width - block.indent - sum(widths) - GAP * (len(widths) - 1)
        flexible = block.flexible % len(widths)
        widths[flexible] = max(NARROWEST, widths[flexible] + min(0, left))
        drawn = rich_table.Table.grid(padding=(0, GAP, 0, 0))
        for width in widths:
            drawn.add_column(no_wrap=True, overflow="ellipsis", width=width)
        for number, cells in enumerate(rows):
            head = "reverie.faint" if block.heads and not number else None
            drawn.add_row(*(_text((cell,)) for cell in cells), style=head)
        screen.print(Padding(drawn, (0, 0, 0, block.indent)))


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[..., None]]:
    """A bar on the error stream that goes away when the work is done.

    Its steps tell what is done and what is all.
    """
    from rich import progress

    screen = _console(stderr=True)
    with progress.Progress(console=screen, transient=True) as drawn:
        task = drawn.add_task(label, total=None)
        yield lambda done, total, *_: drawn.update(task, completed=done, total=total)


# --- as JSON ---------------------------------------------------------------------


def to_json(value: Any) -> Any:
    """What JSON has no word for, in words that it has: times in UTC, fields in order.

    What is inside of it is asked for again.
    """
    from reverie.model.change import Actor
    from reverie.model.route import Route
    from reverie.model.route import to_json as route_to_json

    match value:
        case Enum():
            return value.value
        case Actor():
            return str(value)
        case Route():
            return route_to_json(value)
        case datetime():
            told = value.astimezone(UTC).isoformat(timespec="seconds")
            return told.replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case _:
            return {name: getattr(value, name) for name in value.__struct_fields__}


def render_json(value: object, *, ascii_only: bool = False) -> str:
    """The text of a value, indented; whatever nobody would see in it is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=ascii_only, default=to_json)
    return escape_json(text)


def render_json_line(value: object) -> str:
    """The text of a value on one line of ASCII."""
    return json.dumps(value, default=to_json)
