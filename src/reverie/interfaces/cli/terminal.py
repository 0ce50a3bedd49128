"""A page on a screen: colours, tables, bars and progress. The only place with rich."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from reverie.interfaces.cli.page import (
    Row,
    Span,
    Style,
    cells_wide,
    counted,
    visible_spans,
)
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from reverie.interfaces.cli.page import Bar, Block, Grid

BAR_WIDTH = 24
GAP = 2
NARROWEST = 8

_LOOKS = {
    Style.PLAIN: "none",
    Style.TITLE: "bold",
    Style.ID: "cyan",
    Style.PATH: "blue",
    Style.ACTOR: "magenta",
    Style.FAINT: "bright_black",
    Style.MATCH: "bold yellow",
    Style.GOOD: "green",
    Style.WARN: "yellow",
    Style.BAD: "red",
    Style.MUSED: "bright_blue",
}
_THEME = Theme({f"reverie.{style}": look for style, look in _LOOKS.items()})


def console(*, stderr: bool = False) -> Console:
    """A console for the stream as it is now."""
    return Console(theme=_THEME, stderr=stderr, highlight=False, soft_wrap=False)


def print_page(page: Iterable[Block]) -> None:
    """Print a page on the screen."""
    screen = console()
    for block in page:
        body = (
            _text(block.spans)
            if isinstance(block, Row)
            else _table(block, screen.width)
        )
        screen.print(Padding(body, (0, 0, 0, block.indent)) if block.indent else body)


def _text(spans: Sequence[Span]) -> Text:
    text = Text()
    for span, shown in zip(spans, visible_spans(spans), strict=True):
        text.append(shown, f"reverie.{span.style}")
    return text


def _table(grid: Grid, room: int) -> Table:
    table = Table(
        box=None,
        show_header=bool(grid.heads),
        header_style=f"reverie.{Style.FAINT}",
        padding=(0, GAP, 0, 0),
        pad_edge=False,
    )
    for head, width in zip(
        grid.heads or ("",) * len(grid.rows[0]), _widths(grid, room), strict=True
    ):
        table.add_column(head, no_wrap=True, overflow="ellipsis", width=width)
    for cells in grid.rows:
        table.add_row(*map(_cell, cells))
    return table


def _widths(grid: Grid, room: int) -> list[int]:
    """How wide each column is, where one gives way so that the others fit."""
    heads = (tuple(map(Span, grid.heads)),) if grid.heads else ()
    columns = zip(*heads, *grid.rows, strict=True)
    widths = [max(map(_width, cells)) for cells in columns]
    flexible = grid.flexible % len(widths)
    left = room - grid.indent - sum(widths) - GAP * (len(widths) - 1)
    widths[flexible] = max(NARROWEST, widths[flexible] + min(0, left))
    return widths


def _width(cell: Span | Bar) -> int:
    return cells_wide(printable(cell.text)) if isinstance(cell, Span) else BAR_WIDTH


def _cell(cell: Span | Bar) -> RenderableType:
    return _text((cell,)) if isinstance(cell, Span) else _bar(cell)


def _bar(bar: Bar) -> Text:
    share = bar.used / bar.budget if bar.budget else 1.0
    full = min(BAR_WIDTH, round(BAR_WIDTH * share))
    warned = Style.BAD if share > 1 else Style.WARN if share > 0.8 else Style.GOOD
    style = bar.style or warned
    text = Text("█" * full, f"reverie.{style}")
    return text.append("░" * (BAR_WIDTH - full), f"reverie.{Style.FAINT}")


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on the error stream that goes away when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def step(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield step


@contextmanager
def status_line(words: str) -> Iterator[None]:
    """What is going on, on the error stream; it goes away when the work is done."""
    with console(stderr=True).status(words, spinner_style=f"reverie.{Style.MUSED}"):
        yield


@contextmanager
def reading_bar(label: str) -> Iterator[Callable[[int, int, int], None]]:
    """A bar for bytes that are read and memories that come of them."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TextColumn("{task.fields[filed]}"),
        TimeRemainingColumn(compact=True),
    )
    screen = console(stderr=True)
    with Progress(*columns, console=screen, transient=True, expand=True) as bar:
        task = bar.add_task(label, total=None, filed="")

        def step(done: int, total: int, memories: int) -> None:
            elapsed = bar.tasks[task].elapsed or 0.0
            rate = f", {memories / elapsed:,.0f}/s" if elapsed >= 1 else ""
            filed = f"{counted(memories, 'memory', 'memories')}{rate}"
            bar.update(task, completed=done, total=total, filed=filed)

        yield step
