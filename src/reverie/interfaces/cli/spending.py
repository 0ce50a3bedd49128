"""`tokens`: what thinking has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.moments import moment_type
from reverie.interfaces.cli.page import BLANK, Bar, Grid, Span, Style, row
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.verb import Verb

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.interfaces.cli.page import Page
    from reverie.model.spent import Spent


@click.command(cls=Verb)
@click.option(
    "--day", type=moment_type(), metavar="DAY", help="Which day.  [default: today]"
)
@click.pass_context
def tokens(ctx: click.Context, day: datetime | None) -> None:
    """Show what thinking has cost today, beside the limit.

    Days are counted in UTC. With mind.kind = "rules" nothing is ever spent.

        reverie tokens
        reverie tokens --day yesterday --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        spent, most = memory.spent(day.date() if day else None), memory.config.mind
    session.answer(spent, lambda told: _told(told, most.daily_tokens))


def _told(spent: Spent, most: int) -> Page:
    page: Page = [
        Grid(
            (),
            (
                (
                    Span(f"{spent.day}", Style.TITLE),
                    Bar(spent.tokens, most),
                    Span(f"{spent.tokens:,} of {most:,} tokens (mind.daily_tokens)"),
                ),
            ),
        )
    ]
    if spent.sums:
        rows = tuple(
            (
                Span(each.operation),
                Span(each.model),
                Span(f"{each.calls:,}"),
                Span(f"{each.input_tokens:,}"),
                Span(f"{each.output_tokens:,}"),
                Span(f"{each.standing:,}" if each.standing else "", Style.WARN),
            )
            for each in spent.sums
        )
        heads = ("for", "model", "calls", "in", "out", "never settled")
        page += [BLANK, Grid(heads, rows)]
    if spent.feared:
        words = f"{spent.unreadable:,} unreadable lines count {spent.feared:,} tokens"
        page.append(row(Span(words, Style.WARN)))
    return page
