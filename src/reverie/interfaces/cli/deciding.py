"""`pending`, `accept`, `reject`, `defer` and `resolve`: what waits for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.interfaces.cli.session import interactive, session_of
from reverie.interfaces.cli.verb import Verb, person_option
from reverie.model.agents import Resolution, Waiting
from reverie.model.change import Actor
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Receipt

_STORES = tuple(store for store in Store if store is not Store.TURNS)


class NotAPersonError(RefusedError):
    """A program signs as a person."""

    def __init__(self) -> None:
        super().__init__(
            "a person decides in a terminal, and there is none here",
            hint="Show it to them: `reverie pending`. As the main agent: "
            "--actor bot:main.",
        )


def decider(session: Session, actor: str) -> Actor:
    """Who decides: a person only where one is typing, whatever was passed in."""
    found = Actor(actor)
    if found.human and not session.typed_by_a_person:
        raise NotAPersonError
    return found


@click.command(cls=Verb)
@click.pass_context
def pending(ctx: click.Context) -> None:
    """List what waits for a decision, and what contradicts what.

    What an agent, a tool or an import wants to put into core memory, the procedures
    or the vault waits for you here, and whatever sub-agents propose.

        reverie pending
        reverie pending --json
    """
    session = session_of(ctx)
    if session.agent:
        with session.proposing() as companion:
            waiting = tuple(map(Waiting, companion.pending()))
    else:
        with session.open() as memory:
            waiting = memory.waiting()
    session.answer(waiting, _told_pending)


def _told_pending(waiting: Sequence[Waiting]) -> Page:
    if not waiting:
        return [row("Nothing waits for you.")]
    page: Page = [row(f"{counted(len(waiting), 'proposal')} to decide on:")]
    for each in waiting:
        page += [BLANK, *_told_waiting(each)]
    verbs = "reverie accept N · reject N · defer N"
    if any(each.clashes for each in waiting):
        verbs += " · resolve N M --keep N | --both | --ask"
    return [*page, BLANK, row(Span(verbs, Style.FAINT))]


def _told_waiting(each: Waiting) -> Page:
    proposal = each.proposal
    named = f" “{proposal.name}”" if proposal.name else ""
    status = "" if proposal.status == "pending" else f"  {proposal.status}"
    page: Page = [
        row(
            Span(f"#{proposal.number} ", Style.TITLE),
            f"into {proposal.store}{named}, by ",
            Span(proposal.sender, Style.ACTOR),
            Span(f", words of {proposal.origin}{status}", Style.WARN),
        ),
        *paragraph(proposal.content, indent=3),
    ]
    for clash in each.clashes:
        other = f"#{clash.other}" if clash.other else clash.known
        page.append(
            row(
                Span("⚠️ contradicts ", Style.BAD),
                Span(other, Style.ID),
                Span(f" “{clash.said}”: {clash.why}", Style.FAINT),
                indent=3,
            )
        )
    return page


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@click.option(
    "-s",
    "--store",
    type=click.Choice(_STORES, case_sensitive=False),
    help="Another store than it was proposed for.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@person_option()
@click.pass_context
def accept(
    ctx: click.Context, number: int, store: Store | None, actor: str, *, yes: bool
) -> None:
    """Make proposal NUMBER a memory, word for word.

    A person in a terminal may always. The main agent may commit what a sub-agent
    proposed for the episodes or the graph; [agents] in reverie.toml says more.

        reverie accept 3
        reverie accept 3 --store episodic
    """
    session = session_of(ctx)
    who = decider(session, actor)
    with session.open() as memory:
        shown = memory.proposal(number)
        if not yes and interactive():
            found = [w for w in memory.waiting() if w.proposal.number == number]
            session.say([line for each in found for line in _told_waiting(each)])
            session.confirm("Make it so?")
        place = memory.place_in(shown, store) if store else None
        receipt = memory.accept(shown, place, actor=who)
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


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@person_option()
@click.pass_context
def defer(ctx: click.Context, number: int, actor: str) -> None:
    """Leave proposal NUMBER for the next reflection.

    It stays on the list, and you decide on it with all the rest.

        reverie defer 3
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.defer(number, actor=Actor(actor))
    words = f"Deferred #{number}: the next reflection takes it up."
    session.answer(receipt, lambda _: [row(Span(words, Style.GOOD))])


@click.command(cls=Verb)
@click.argument("numbers", type=click.IntRange(1), nargs=-1, required=True)
@click.option(
    "--keep",
    type=click.IntRange(0),
    metavar="N",
    help="This one holds, the others are rejected; 0 for none of them.",
)
@click.option("--both", is_flag=True, help="Keep all, with low confidence and linked.")
@click.option("--ask", is_flag=True, help="Ask the user at the next occasion.")
@person_option()
@click.pass_context
def resolve(
    ctx: click.Context,
    numbers: tuple[int, ...],
    keep: int | None,
    actor: str,
    *,
    both: bool,
    ask: bool,
) -> None:
    """Settle proposals that contradict each other.

    Or what is known. What is kept is committed, the rest rejected, in one change.

        reverie resolve 3 4 --keep 4
        reverie resolve 3 4 --both
        reverie resolve 3 --ask
    """
    if (keep is not None) + both + ask != 1:
        message = "choose one of --keep N, --both and --ask"
        raise click.UsageError(message, ctx)
    session = session_of(ctx)
    how = Resolution.BOTH if both else Resolution.ASK if ask else Resolution.KEEP
    who = decider(session, actor)
    with session.open() as memory:
        receipt = memory.resolve(numbers, how, keep=keep or 0, actor=who)
    session.answer(receipt, lambda value: _told_resolved(value, numbers))


def _told_resolved(receipt: Receipt, numbers: Sequence[int]) -> Page:
    listed = ", ".join(f"#{number}" for number in numbers)
    page: Page = [row(Span(f"Resolved {listed}.", Style.GOOD))]
    return page + [row(Span(id_, Style.ID), indent=2) for id_ in receipt.ids]
