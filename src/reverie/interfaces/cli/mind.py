"""`mind`: what thinking has cost, and what the host agent has to think about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import VerbGroup, moment_type, with_session
from reverie.interfaces.cli.output import (
    Bar,
    Table,
    bad,
    counted,
    faint,
    title,
    warn,
)
from reverie.interfaces.cli.remember import (
    thinking,
    told_question,
    told_remembered,
)
from reverie.interfaces.cli.session import given_text
from reverie.model.health import MILLION, Cost, Prices, cost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date, datetime

    from reverie.config import MindConfig
    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.model.health import Bill, Spent
    from reverie.model.reflection import HostQuestion

USUAL, MOST = 30, 3660
GUESSED = "~ some counts are Reverie's own estimate: the server gave none."
UNSURE = (
    "unsettled: calls whose end nobody saw, or lines nobody can read; counted in "
    "full, at the dearer price."
)
NO_PRICES = (
    "For money, set mind.price_input and mind.price_output in reverie.toml: "
    "what a million tokens cost."
)


@click.group(cls=VerbGroup)
@click.option(
    "--days",
    type=click.IntRange(1, MOST),
    metavar="N",
    help=f"How many days, up to today.  [default: {USUAL}]",
)
@click.option("--day", type=moment_type(), metavar="DAY", help="Only this day.")
@click.pass_context
@with_session
def mind(
    session: Session, ctx: click.Context, days: int | None, day: datetime | None
) -> None:
    """Show what thinking has cost, by day and by cause.

    In tokens, and in money at the prices that reverie.toml has now; today stands
    beside its limit, mind.daily_tokens. Days are those of UTC. Without a model nothing
    is ever spent. With mind.kind = "host" the agent that calls Reverie is the one who
    thinks: `questions` lists what it is asked, `answer` takes what it thought.

        reverie mind
        reverie mind --day yesterday --json
        reverie mind questions --json
        reverie mind answer 1f2e3d4c5b6a7980 - < answer.json
    """
    if ctx.invoked_subcommand is not None:
        return
    if days is not None and day is not None:
        message = "--day is one day, --days are many: give one of them."
        raise click.UsageError(message, ctx)
    with session.asking() as memory:
        if day is not None:
            config = memory.config.mind
            session.answer(memory.spent(day.date()), lambda told: _day(told, config))
        else:
            session.answer(memory.spending(days or USUAL), _days)


@mind.command()
@with_session
def questions(session: Session) -> None:
    """List what the host agent has to think about.

    Each with its prompt and the schema of its answer.

        reverie mind questions
        reverie mind questions --json
    """
    with session.open() as memory:
        waiting = memory.questions()

    def told(waiting: Sequence[HostQuestion]) -> Iterator[Line]:
        if not waiting:
            yield "There is nothing to answer."
            return
        yield f"{counted(len(waiting), 'question')} for the host agent:"
        for each in waiting:
            yield ""
            yield from told_question(each)

    session.answer(waiting, told)


@mind.command()
@click.argument("id_", metavar="ID")
@click.argument("text", metavar="JSON")
@with_session
def answer(session: Session, id_: str, text: str) -> None:
    """Answer question ID with JSON, or standard input for '-'.

    The answer is checked, and what it was asked for goes on. A wrong one may be
    given again, once.

        reverie mind answer 1f2e3d4c5b6a7980 - < answer.json
    """
    with session.open() as memory, thinking(session):
        receipt = memory.answer(id_, given_text(text))
    session.answer(receipt, told_remembered)


def told_prompt(question: HostQuestion) -> Iterator[Line]:
    """What the host agent has to think about, and how its answer has to look."""
    if question.problem:
        yield bad(f"The last answer: {question.problem}")
    yield from question.prompt.split("\n")
    yield from ("", faint(json.dumps(question.schema, ensure_ascii=False)))


# --- spending --------------------------------------------------------------------


def _days(bill: Bill) -> Iterator[Line | Table]:
    yield _beside_the_limit(bill.last, bill.today.tokens, bill.limit)
    days = (bill.last - bill.first).days + 1
    if not bill.days:
        span = "today" if days == 1 else f"in the last {days:,} days"
        yield f"Nothing was spent {span}."
        return
    money = _money(bill.currency, bill.total)
    largest = max(each.cost.tokens for each in bill.days)
    rows: list[tuple[str | Bar, ...]] = [
        (
            str(each.day),
            Bar(each.cost.tokens, largest, "id"),
            f"{each.cost.calls:,}",
            _number(each.cost.tokens, each.cost),
            *money(each.cost),
        )
        for each in bill.days
    ]
    currency = (bill.currency,) if bill.currency else ()
    yield ""
    heads = ("day", "", "calls", "tokens", *currency)
    yield Table(rows, heads, flexible=1, right=2)
    yield ""
    causes: list[tuple[str, Cost]] = []
    for cause in bill.causes:
        causes.append((cause.name, cause.cost))
        causes += [(faint(f"  {phase.name}"), phase.cost) for phase in cause.phases]
    causes.append((title(f"in {counted(len(bill.days), 'day')}"), bill.total))
    yield _sums([((name,), each) for name, each in causes], ("for",), bill.currency)
    yield from _notes(bill.total, bill.currency)


def _day(spent: Spent, config: MindConfig) -> Iterator[Line | Table]:
    yield _beside_the_limit(spent.day, spent.tokens, config.daily_tokens)
    prices = Prices.per_million(
        config.price_input, config.price_output, config.currency
    )
    if spent.sums:
        total = cost(spent.sums, prices)
        rows: list[tuple[tuple[str, ...], Cost]] = [
            ((each.operation, each.model), cost([each], prices)) for each in spent.sums
        ]
        rows += [((title("together"), ""), total)] if len(spent.sums) > 1 else []
        yield ""
        yield _sums(rows, ("for", "model"), prices.currency)
        yield from _notes(total, prices.currency)
    if spent.feared:
        lines = counted(spent.unreadable, "unreadable line")
        yield warn(f"{lines} counted as {spent.feared:,} tokens.")


def _beside_the_limit(day: date, tokens: int, most: int) -> Table:
    said = f"{tokens:,} of {most:,} tokens a day"
    return Table([(title(str(day)), Bar(tokens, most), said)])


def _sums(
    rows: Sequence[tuple[tuple[str, ...], Cost]], heads: tuple[str, ...], currency: str
) -> Table:
    """What each cause has cost; the last row is all of it."""
    total = rows[-1][1]
    money, unsure = _money(currency, total), bool(total.unsure)
    cells = [
        (
            *name,
            f"{each.calls:,}" if each.calls else "",
            _number(each.input_tokens, each),
            _number(each.output_tokens, each),
            *((warn(f"{each.unsure:,}" if each.unsure else ""),) if unsure else ()),
            *money(each),
        )
        for name, each in rows
    ]
    more = ("calls", "in", "out", *(("unsettled",) if unsure else ()))
    titles = (*heads, *more, *((currency,) if currency else ()))
    return Table(cells, titles, flexible=len(heads) - 1, right=len(heads))


def _notes(total: Cost, currency: str) -> Iterator[Line]:
    notes = ((total.estimated, GUESSED), (total.unsure, UNSURE))
    told = [words for wanted, words in (*notes, (not currency, NO_PRICES)) if wanted]
    yield from ["", *map(faint, told)] if told else []


def _money(currency: str, total: Cost) -> Callable[[Cost], tuple[str, ...]]:
    """The cell of a column of money, if there are prices."""
    # Cents tell nothing where a day costs less than one.
    digits = 2 if total.micros >= 100 * MILLION else 4
    step = MILLION // 10**digits

    def cell(cost: Cost) -> tuple[str, ...]:
        if not currency:
            return ()
        steps = (cost.micros + step // 2) // step
        if cost.micros and not steps:
            return (f"<{1 / 10**digits:.{digits}f}",)
        whole, rest = divmod(steps, 10**digits)
        return (f"{'~' * bool(cost.estimated)}{whole:,}.{rest:0{digits}}",)

    return cell


def _number(count: int, cost: Cost) -> str:
    return f"~{count:,}" if cost.estimated and count else f"{count:,}"
