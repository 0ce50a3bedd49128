"""`pending`, `accept` and `reject`: what waits for its human."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.interfaces.cli.session import interactive, session_of
from reverie.interfaces.cli.verb import Verb, person_option
from reverie.model.change import Actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Receipt
    from reverie.model.proposal import Proposal


@click.command(cls=Verb)
@click.pass_context
def pending(ctx: click.Context) -> None:
    """List what waits for your yes.

    What an agent, a tool or an import wants to put into core memory, the procedures
    or the vault is kept as data and waits here.

        reverie pending
        reverie pending --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        waiting = memory.pending()
    session.answer(waiting, _told_pending)


def _told_pending(waiting: Sequence[Proposal]) -> Page:
    if not waiting:
        return [row("Nothing waits for you.")]
    page: Page = [row(f"{counted(len(waiting), 'proposal')} for you to decide on:")]
    for proposal in waiting:
        page += [BLANK, *_told_proposal(proposal)]
    page += [BLANK, row(Span("reverie accept N · reverie reject N", Style.FAINT))]
    return page


def _told_proposal(proposal: Proposal) -> Page:
    named = f" “{proposal.name}”" if proposal.name else ""
    status = "" if proposal.status == "pending" else f"  {proposal.status}"
    return [
        row(
            Span(f"#{proposal.number} ", Style.TITLE),
            f"into {proposal.store}{named}, by ",
            Span(proposal.sender, Style.ACTOR),
            Span(f", words of {proposal.origin}{status}", Style.WARN),
        ),
        *paragraph(proposal.content, indent=3),
    ]


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@person_option()
@click.pass_context
def accept(ctx: click.Context, number: int, actor: str, *, yes: bool) -> None:
    """Make proposal NUMBER a memory, word for word.

    Only a person may, in a terminal.

        reverie accept 3
    """
    session = session_of(ctx)
    with session.open() as memory:
        shown = memory.proposal(number)
        if not yes and interactive():
            session.say(_told_proposal(shown))
            session.confirm("Make it so?")
        receipt = memory.accept(shown, actor=Actor(actor))
    session.answer(receipt, lambda value: _told_accepted(value, number))


def _told_accepted(receipt: Receipt, number: int) -> Page:
    return [
        row(
            Span(f"Accepted #{number}: ", Style.GOOD),
            Span(", ".join(receipt.ids), Style.ID),
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", default="", metavar="WORDS", help="Why, for history.")
@person_option()
@click.pass_context
def reject(ctx: click.Context, number: int, reason: str, actor: str) -> None:
    """Take proposal NUMBER off the list.

    History keeps what it said, and `reverie undo` brings it back.

        reverie reject 3 --reason "not how we do it"
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.reject(number, reason=reason, actor=Actor(actor))
    session.answer(receipt, lambda _: [row(Span(f"Rejected #{number}.", Style.GOOD))])
