"""`mind`: what thinking has cost, and what the host agent has to think about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.remember import thinking, told_question, told_remembered
from reverie.model.health import MILLION, Prices, cost

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.model.health import Cost
    from reverie.model.reflection import HostQuestion

USUAL, MOST = 30, 3660
DAYS = f"How many days, up to today.  [default: {USUAL}]"
GUESSED = "~ some counts are Reverie's own estimate: the server gave none."
UNSURE = "tokens of calls whose end nobody saw, or of unreadable lines, in full."
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
    config = memory.config.mind
    if day is not None:
        spent = memory.spent(day.date())
        price = config.price_input, config.price_output, config.currency
        prices = Prices.per_million(*price)
        rows = [(f"{s.operation}  {s.model}", cost([s], prices)) for s in spent.sums]
        rows.append((out.title("together"), cost(spent.sums, prices, spent.feared)))
        page: out.Page = [_limit(str(spent.day), spent.tokens, config.daily_tokens)]
        call.answer(spent, [*page, "", *_costs(rows, prices.currency)])
        return
    bill = memory.spending(days or USUAL)
    page = [_limit(str(bill.last), bill.today.tokens, bill.limit), ""]
    if bill.days:
        rows = [(str(each.day), each.cost) for each in bill.days]
        for cause in bill.causes:
            rows.append((cause.name, cause.cost))
            rows += [(out.faint(f"  {p.name}"), p.cost) for p in cause.phases]
        rows.append((out.title("together"), bill.total))
        page += _costs(rows, bill.currency)
    else:
        page.append(f"Nothing was spent since {bill.first}.")
    call.answer(bill, page)


def _limit(day: str, tokens: int, most: int) -> out.Table:
    said = f"{tokens:,} of {most:,} tokens a day"
    return out.Table([(out.title(day), out.bar(tokens, most), said)])


def _costs(rows: Sequence[tuple[str, Cost]], currency: str) -> out.Lines:
    """What each day or cause has cost, the last row being all of it."""
    cells = []
    for name, each in rows:
        own = "~" if each.estimated else ""
        counts = each.input_tokens, each.output_tokens
        money = [f"{own}{each.micros / MILLION:,.4f}"] if currency else []
        told = (f"{own}{count:,}" for count in counts)
        cells.append((name, f"{each.calls:,}", *told, *money))
    titles = ("for", "calls", "in", "out", *filter(None, [currency]))
    yield out.Table(cells, titles, flexible=0, right=1)
    total = rows[-1][1]
    if total.estimated:
        yield out.faint(GUESSED)
    if total.unsure:
        yield out.warn(f"besides {total.unsure:,} {UNSURE}")
    if not currency:
        yield out.faint(NO_PRICES)


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
