"""`mind`: what thinking has cost, and what the host agent has to think about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.remember import thinking, told_question, told_remembered
from reverie.model.health import MILLION, Cost, Prices, cost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date, datetime

    from reverie.config import MindConfig
    from reverie.model.health import Bill, Spent
    from reverie.model.reflection import HostQuestion

USUAL, MOST = 30, 3660
DAYS = f"How many days, up to today.  [default: {USUAL}]"
GUESSED = "~ some counts are Reverie's own estimate: the server gave none."
UNSURE = (
    "unsettled: calls whose end nobody saw, or lines nobody can read; counted in "
    "full, at the dearer price."
)
NO_PRICES = (
    "For money, set mind.price_input and mind.price_output in reverie.toml: "
    "what a million tokens cost."
)


@cli.group()
@cli.option("--days", DAYS, click.IntRange(1, MOST), "N")
@cli.option("--day", "Only this day.", cli.moment_type(), "DAY")
def mind(call: cli.Invocation, days: int | None, day: datetime | None) -> None:
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
    if days is not None and day is not None:
        cli.misused("--day is one day, --days are many: give one of them.")
    memory = call.reader
    if day is not None:
        spent = memory.spent(day.date())
        call.answer(spent, _day(spent, memory.config.mind))
    else:
        call.answer(bill := memory.spending(days or USUAL), _days(bill))


@mind.verb()
def questions(call: cli.Invocation) -> None:
    """List what the host agent has to think about.

    Each with its prompt and the schema of its answer.

        reverie mind questions
        reverie mind questions --json
    """
    waiting = call.memory.questions()
    page: out.Page = ["There is nothing to answer."]
    if waiting:
        page = [f"{out.counted(len(waiting), 'question')} for the host agent:"]
        page += [line for each in waiting for line in ("", *told_question(each))]
    call.answer(waiting, page)


@mind.verb()
@cli.argument("id_", metavar="ID")
@cli.argument("text", metavar="JSON")
def answer(call: cli.Invocation, id_: str, text: str) -> None:
    """Answer question ID with JSON, or standard input for '-'.

    The answer is checked, and what it was asked for goes on. A wrong one may be
    given again, once.

        reverie mind answer 1f2e3d4c5b6a7980 - < answer.json
    """
    with thinking(call):
        receipt = call.memory.answer(id_, cli.given_text(text))
    call.answer(receipt, told_remembered(receipt))


def told_prompt(question: HostQuestion) -> out.Lines:
    """What the host agent has to think about, and how its answer has to look."""
    if question.problem:
        yield out.bad(f"The last answer: {question.problem}")
    yield from question.prompt.split("\n")
    yield from ("", out.faint(json.dumps(question.schema, ensure_ascii=False)))


# --- spending --------------------------------------------------------------------


def _days(bill: Bill) -> out.Lines:
    yield _beside_the_limit(bill.last, bill.today.tokens, bill.limit)
    days = (bill.last - bill.first).days + 1
    if not bill.days:
        span = "today" if days == 1 else f"in the last {days:,} days"
        yield f"Nothing was spent {span}."
        return
    money = _money(bill.currency, bill.total)
    largest = max(each.cost.tokens for each in bill.days)
    rows = [
        (
            str(each.day),
            out.bar(each.cost.tokens, largest, "id"),
            f"{each.cost.calls:,}",
            _number(each.cost.tokens, each.cost),
            *money(each.cost),
        )
        for each in bill.days
    ]
    heads = ("day", "", "calls", "tokens", *filter(None, [bill.currency]))
    yield from ("", out.Table(rows, heads, flexible=1, right=2), "")
    causes: list[tuple[tuple[str, ...], Cost]] = []
    for cause in bill.causes:
        causes.append(((cause.name,), cause.cost))
        causes += [((out.faint(f"  {p.name}"),), p.cost) for p in cause.phases]
    together = out.title(f"in {out.counted(len(bill.days), 'day')}")
    causes.append(((together,), bill.total))
    yield from _sums(causes, ("for",), bill.currency)


def _day(spent: Spent, config: MindConfig) -> out.Lines:
    yield _beside_the_limit(spent.day, spent.tokens, config.daily_tokens)
    prices = Prices.per_million(
        config.price_input, config.price_output, config.currency
    )
    if spent.sums:
        rows: list[tuple[tuple[str, ...], Cost]] = [
            ((each.operation, each.model), cost([each], prices)) for each in spent.sums
        ]
        if len(rows) > 1:
            rows.append(((out.title("together"), ""), cost(spent.sums, prices)))
        yield ""
        yield from _sums(rows, ("for", "model"), prices.currency)
    if spent.feared:
        lines = out.counted(spent.unreadable, "unreadable line")
        yield out.warn(f"{lines} counted as {spent.feared:,} tokens.")


def _beside_the_limit(day: date, tokens: int, most: int) -> out.Table:
    said = f"{tokens:,} of {most:,} tokens a day"
    return out.Table([(out.title(str(day)), out.bar(tokens, most), said)])


def _sums(
    rows: Sequence[tuple[tuple[str, ...], Cost]], heads: tuple[str, ...], currency: str
) -> out.Lines:
    """What each cause has cost, the last row being all of it, and what to know."""
    total = rows[-1][1]
    money, unsure = _money(currency, total), bool(total.unsure)
    cells = [
        (
            *name,
            f"{each.calls:,}" if each.calls else "",
            _number(each.input_tokens, each),
            _number(each.output_tokens, each),
            *[out.warn(f"{each.unsure:,}" if each.unsure else "")][: int(unsure)],
            *money(each),
        )
        for name, each in rows
    ]
    more = ("unsettled" if unsure else "", currency)
    titles = (*heads, "calls", "in", "out", *filter(None, more))
    yield out.Table(cells, titles, flexible=len(heads) - 1, right=len(heads))
    notes = ((total.estimated, GUESSED), (unsure, UNSURE), (not currency, NO_PRICES))
    told = [out.faint(words) for wanted, words in notes if wanted]
    yield from ["", *told] if told else []


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
