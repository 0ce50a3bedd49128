"""`spend`: what thinking has cost, in tokens and in money."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.moments import moment_type
from reverie.interfaces.cli.page import BLANK, Bar, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.model.health import MILLION, Cost, Prices, cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, datetime

    from reverie.config import MindConfig
    from reverie.interfaces.cli.page import Page
    from reverie.model.health import Bill, SpendCause, Spent, Sum

USUAL = 30
MOST = 3660

GUESSED = "~ some counts are Reverie's own estimate: the server gave none."
UNSURE = (
    "unsettled: calls whose end nobody saw, or lines nobody can read; counted in "
    "full, at the dearer price."
)
NO_PRICES = (
    "For money, set mind.price_input and mind.price_output in reverie.toml: "
    "what a million tokens cost."
)


class OneOrManyError(click.UsageError):
    """Asked for one day and for several at once."""

    def __init__(self, ctx: click.Context) -> None:
        super().__init__("--day is one day, --days are many: give one of them.", ctx)


@click.command(cls=Verb)
@click.option(
    "--days",
    type=click.IntRange(1, MOST),
    metavar="N",
    help=f"How many days, up to today.  [default: {USUAL}]",
)
@click.option("--day", type=moment_type(), metavar="DAY", help="Only this day.")
@click.pass_context
def spend(ctx: click.Context, days: int | None, day: datetime | None) -> None:
    """Show what thinking has cost, by day and by cause.

    In tokens, and in money at the prices that reverie.toml has now; today stands
    beside its limit, mind.daily_tokens. Days are those of UTC. With mind.kind =
    "rules" nothing is ever spent.

        reverie spend
        reverie spend --days 7
        reverie spend --day yesterday --json
    """
    if days is not None and day is not None:
        raise OneOrManyError(ctx)
    session = session_of(ctx)
    with session.asking() as memory:
        if day is not None:
            spent, mind = memory.spent(day.date()), memory.config.mind
            session.answer(spent, lambda told: _one_day(told, mind))
        else:
            session.answer(memory.spending(days or USUAL), _many_days)


def _many_days(bill: Bill) -> Page:
    page: Page = [_beside_the_limit(bill.last, bill.today.tokens, bill.limit)]
    days = (bill.last - bill.first).days + 1
    if not bill.days:
        span = "today" if days == 1 else f"in the last {days:,} days"
        return [*page, row(f"Nothing was spent {span}.")]
    money = _Money(bill.currency, bill.total)
    largest = max(each.cost.tokens for each in bill.days)
    page += [
        BLANK,
        _table(
            ("day", "", "calls", "tokens", *money.head),
            [
                (
                    Span(f"{each.day}"),
                    Bar(each.cost.tokens, largest, Style.ID),
                    Span(f"{each.cost.calls:,}"),
                    Span(_number(each.cost.tokens, each.cost)),
                    *money.cells(each.cost),
                )
                for each in bill.days
            ],
            left=2,
        ),
        BLANK,
        _causes(bill, money),
    ]
    return [*page, *_notes(bill.total, bill.currency)]


def _causes(bill: Bill, money: _Money) -> Grid:
    unsure = bool(bill.total.unsure)
    rows = [
        (Span(name, style), *_taken(cost, unsure=unsure), *money.cells(cost))
        for name, style, cost in _named(bill.causes)
    ]
    total = (
        Span(f"in {counted(len(bill.days), 'day')}", Style.TITLE),
        *_taken(bill.total, unsure=unsure),
        *money.cells(bill.total),
    )
    return _table(("for", *_heads(unsure=unsure), *money.head), [*rows, total], left=1)


def _named(causes: Sequence[SpendCause]) -> Iterator[tuple[str, Style, Cost]]:
    for cause in causes:
        yield cause.name, Style.PLAIN, cause.cost
        for phase in cause.phases:
            yield f"  {phase.name}", Style.FAINT, phase.cost


def _one_day(spent: Spent, mind: MindConfig) -> Page:
    page: Page = [_beside_the_limit(spent.day, spent.tokens, mind.daily_tokens)]
    prices = Prices.per_million(mind.price_input, mind.price_output, mind.currency)
    if spent.sums:
        page += [BLANK, *_operations(spent.sums, prices)]
    if spent.feared:
        lines = counted(spent.unreadable, "unreadable line")
        words = f"{lines} counted as {spent.feared:,} tokens."
        page.append(row(Span(words, Style.WARN)))
    return page


def _operations(sums: Sequence[Sum], prices: Prices) -> Page:
    total = cost(sums, prices)
    unsure, money = bool(total.unsure), _Money(prices.currency, total)
    named = [
        (Span(each.operation), Span(each.model), cost([each], prices)) for each in sums
    ]
    if len(sums) > 1:
        named.append((Span("together", Style.TITLE), Span(""), total))
    rows = [
        (operation, model, *_taken(each, unsure=unsure), *money.cells(each))
        for operation, model, each in named
    ]
    heads = ("for", "model", *_heads(unsure=unsure), *money.head)
    return [_table(heads, rows, left=2), *_notes(total, prices.currency)]


def _beside_the_limit(day: date, tokens: int, most: int) -> Grid:
    said = Span(f"{tokens:,} of {most:,} tokens a day")
    return Grid((), ((Span(f"{day}", Style.TITLE), Bar(tokens, most), said),))


def _heads(*, unsure: bool) -> tuple[str, ...]:
    return ("calls", "in", "out", "unsettled") if unsure else ("calls", "in", "out")


def _taken(cost: Cost, *, unsure: bool) -> tuple[Span, ...]:
    cells = (
        Span(f"{cost.calls:,}" if cost.calls else ""),
        Span(_number(cost.input_tokens, cost)),
        Span(_number(cost.output_tokens, cost)),
    )
    if not unsure:
        return cells
    return (*cells, Span(f"{cost.unsure:,}" if cost.unsure else "", Style.WARN))


def _notes(total: Cost, currency: str) -> Page:
    notes = (
        (total.estimated, GUESSED),
        (total.unsure, UNSURE),
        (not currency, NO_PRICES),
    )
    said = [row(Span(words, Style.FAINT)) for wanted, words in notes if wanted]
    return [BLANK, *said] if said else []


class _Money:
    """A column of money, if there are prices."""

    def __init__(self, currency: str, total: Cost) -> None:
        self.head = (currency,) if currency else ()
        # Cents tell nothing where a day costs less than one.
        self._digits = 2 if total.micros >= 100 * MILLION else 4

    def cells(self, cost: Cost) -> tuple[Span, ...]:
        """What something has cost."""
        return (Span(self._told(cost)),) if self.head else ()

    def _told(self, cost: Cost) -> str:
        step = MILLION // 10**self._digits
        steps = (cost.micros + step // 2) // step
        if cost.micros and not steps:
            return f"<{1 / 10**self._digits:.{self._digits}f}"
        whole, rest = divmod(steps, 10**self._digits)
        return f"{'~' * bool(cost.estimated)}{whole:,}.{rest:0{self._digits}}"


def _number(count: int, cost: Cost) -> str:
    return f"~{count:,}" if cost.estimated and count else f"{count:,}"


def _table(
    heads: tuple[str, ...], rows: Sequence[tuple[Span | Bar, ...]], *, left: int
) -> Grid:
    """A grid whose columns from `left` on are numbers, and stand below each other."""
    table = [tuple(map(Span, heads)), *rows]
    columns = [_right(cells) for cells in list(zip(*table, strict=True))[left:]]
    first = [cells[:left] for cells in table]
    whole = [(*a, *b) for a, b in zip(first, zip(*columns, strict=True), strict=True)]
    titles = tuple(cell.text for cell in whole[0] if isinstance(cell, Span))
    return Grid(titles, tuple(whole[1:]), flexible=left - 1)


def _right(cells: Sequence[Span | Bar]) -> list[Span]:
    spans = [cell for cell in cells if isinstance(cell, Span)]
    width = max(len(span.text) for span in spans)
    return [Span(span.text.rjust(width), span.style) for span in spans]
