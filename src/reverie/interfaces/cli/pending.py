"""`pending`: what waits for a decision, and `accept`, `reject`, `defer`, `resolve`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from reverie.errors import ConflictError, UnavailableError
from reverie.interfaces.cli.command import VerbGroup, actor_option, with_session
from reverie.interfaces.cli.output import (
    bad,
    counted,
    faint,
    good,
    ident,
    place,
    title,
    warn,
    who,
)
from reverie.model.ids import Store
from reverie.model.proposals import Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt
    from reverie.model.proposals import Proposal, Waiting
    from reverie.model.views import Alert

_STORES = tuple(store for store in Store if store is not Store.TURNS)
_NUMBER = click.IntRange(1)


@click.group(cls=VerbGroup)
@click.pass_context
@with_session
def pending(session: Session, ctx: click.Context) -> None:
    """List what waits for a decision, and decide on it.

    What an agent, a tool or an import wants to put into core memory, the procedures
    or the vault waits for you here, and whatever sub-agents propose. So does what you
    have to acknowledge before it counts: an edit by an unknown hand, where you set an
    owner passphrase, and settings in reverie.toml that do not act yet.

        reverie pending
        reverie pending accept 3
        reverie pending reject 3 --reason "not how we do it"
        reverie pending resolve 3 4 --keep 4
    """
    if ctx.invoked_subcommand is not None:
        return
    if session.agent:
        with session.proposing() as companion:
            listed = tuple(companion.waiting())
        session.answer(listed, lambda told: _all(told, "Nothing waits.", "waiting"))
        return
    with session.open() as memory:
        # Who only looks still finds the newest marks, where nobody else is writing.
        with suppress(UnavailableError, ConflictError):
            memory.review()
        waiting = memory.waiting()
        doubted = memory.unconfirmed()
        asked = memory.contradictions()
    questions = ({"id": id_, "question": said} for id_, said in asked)
    session.answer(
        [*waiting, *doubted, *questions], lambda _: _pending(waiting, doubted, asked)
    )


def _all(waiting: Sequence[Waiting], none: str, head: str) -> Iterator[Line]:
    if not waiting:
        yield none
        return
    yield f"{counted(len(waiting), 'proposal')} {head}:"
    for each in waiting:
        yield ""
        yield from _one(each)


def _pending(
    waiting: Sequence[Waiting],
    doubted: Sequence[Alert],
    asked: Sequence[tuple[str, str]],
) -> Iterator[Line]:
    if waiting or not (doubted or asked):
        yield from _all(waiting, "Nothing waits for you.", "to decide on")
    if waiting:
        verbs = "reverie pending accept N · reject N · defer N"
        if any(each.clashes for each in waiting):
            verbs += " · resolve N M --keep N | --both | --ask"
        yield from ("", faint(verbs))
    # What its human has to acknowledge: edits by no known channel, configuration.
    edits = [each for each in doubted if each.kind != "unacknowledged"]
    if edits:
        yield f"{counted(len(edits), 'file')} changed by an unknown hand, unconfirmed:"
    for each in edits:
        yield "  ", place(each.path), f"  {each.commit[:10]}  {each.summary}"
    for each in doubted:
        if each not in edits:
            yield from f"{each.path}: {each.summary}".split("\n")
    if doubted:
        hint = "reverie show CHANGE · alerts --ack PATH · undo --file PATH"
        yield from ("", faint(hint))
    # What pages ask: which of some facts holds.
    yield from ((ident(id_), f"  {question}") for id_, question in asked)
    if asked:
        yield from ("", faint("reverie forget ID · remember TEXT --supersedes ID"))


def _one(each: Waiting) -> Iterator[Line]:
    proposal = each.proposal
    name = f" “{proposal.name}”" if proposal.name else ""
    status = "" if proposal.status == "pending" else f"  {proposal.status}"
    loose = each.lands is Store.EPISODIC and proposal.store is not Store.EPISODIC
    lands = f" ({_as_episode(proposal)})" if loose else ""
    yield (
        title(f"#{proposal.number} "),
        f"into {proposal.store}{name}{lands}, by ",
        who(proposal.sender),
        warn(f", words of {proposal.origin}{status}"),
    )
    yield from (("   ", line) for line in proposal.content.split("\n"))
    about = ", ".join(proposal.entities)
    details = (
        f"confidence {proposal.confidence}",
        f"about {about}" if about else "",
        f"when {proposal.when}" if proposal.when else "",
        f"because of {proposal.trigger}" if proposal.trigger else "",
        "worth standing in core memory" if proposal.core_worthy else "",
    )
    told = " · ".join(filter(None, details))
    yield from (("   ", faint(line)) for line in told.split("\n"))
    for clash in each.clashes:
        other = ident(f"#{clash.other}" if clash.other else clash.known)
        said = faint(f" “{clash.said}”: {clash.why}")
        yield "   ", bad("⚠️ contradicts "), other, said


def _as_episode(proposal: Proposal) -> str:
    why = f"for {proposal.scope} alone" if proposal.scope else "it names nobody"
    return f"as an episode: {why}"


@pending.command()
@click.argument("number", type=_NUMBER)
@click.option(
    "-s",
    "--store",
    type=click.Choice(_STORES, case_sensitive=False),
    help="Another store than it was proposed for.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@with_session
def accept(
    session: Session,
    number: int,
    store: Store | None,
    actor: Actor | None,
    *,
    yes: bool,
) -> None:
    """Make proposal NUMBER a memory, word for word.

    A person in a terminal may always. The main agent may commit what a sub-agent
    proposed for the episodes or the graph; [agents] in reverie.toml says more. It
    stays the words of its sender.

        reverie pending accept 3
        reverie pending accept 3 --store episodic
    """
    with session.open() as memory:
        shown = memory.proposal(number)
        if not yes and session.interactive:
            found = [w for w in memory.waiting() if w.proposal.number == number]
            page = [line for each in found for line in _one(each)]
            session.say(page, aside=session.json)
            session.confirm("Make it so?")
        where = memory.place_in(shown, store) if store else None
        receipt = memory.accept(shown, where, actor=actor)
    meant = replace(shown, store=store) if store else shown
    session.answer(receipt, lambda value: _accepted(value, meant))


def _accepted(receipt: Receipt, shown: Proposal) -> Iterator[Line]:
    loose = shown.store is not Store.EPISODIC and any(
        id_.startswith("episode:") for id_ in receipt.ids
    )
    yield (
        good(f"Accepted #{shown.number}: "),
        ident(", ".join(receipt.ids)),
        f" ({_as_episode(shown)})" if loose else "",
        faint(f"  {receipt.commit[:10]}"),
    )
    if shown.core_worthy and shown.store is not Store.CORE and receipt.actor.human:
        hint = "Worth core memory, says its sender: `reverie remember --store core …`"
        yield "  ", faint(hint)


@pending.command()
@click.argument("number", type=_NUMBER)
@click.option("--reason", default="", metavar="WORDS", help="Why, for history.")
@actor_option()
@with_session
def reject(session: Session, number: int, reason: str, actor: Actor | None) -> None:
    """Take proposal NUMBER off the list.

    History keeps what it said, and `reverie undo` brings it back.

        reverie pending reject 3 --reason "not how we do it"
    """
    with session.open() as memory:
        receipt = memory.reject(number, reason=reason, actor=actor)
    session.answer(receipt, lambda _: [good(f"Rejected #{number}.")])


@pending.command()
@click.argument("number", type=_NUMBER)
@actor_option()
@with_session
def defer(session: Session, number: int, actor: Actor | None) -> None:
    """Leave proposal NUMBER for the next reflection.

    It stays on the list. The reflection proposes to commit it, and you decide on that
    with all the rest; what contradicts something it asks you about instead.

        reverie pending defer 3
    """
    with session.open() as memory:
        receipt = memory.defer(number, actor=actor)
    words = f"Deferred #{number}: the next reflection takes it up."
    session.answer(receipt, lambda _: [good(words)])


@pending.command()
@click.argument("numbers", type=_NUMBER, nargs=-1, required=True)
@click.option(
    "--keep",
    type=click.IntRange(0),
    metavar="N",
    help="This one holds, the others are rejected; 0 for none of them.",
)
@click.option("--both", is_flag=True, help="Keep all, with low confidence and linked.")
@click.option("--ask", is_flag=True, help="Ask the user at the next occasion.")
@actor_option()
@with_session
def resolve(
    session: Session,
    numbers: tuple[int, ...],
    keep: int | None,
    actor: Actor | None,
    *,
    both: bool,
    ask: bool,
) -> None:
    """Settle proposals that contradict each other.

    Or what is known. What is kept is committed, the rest rejected, in one change.

        reverie pending resolve 3 4 --keep 4
        reverie pending resolve 3 4 --both
        reverie pending resolve 3 --ask
    """
    if (keep is not None) + both + ask != 1:
        message = "choose one of --keep N, --both and --ask"
        raise click.UsageError(message, click.get_current_context())
    how = Resolution.BOTH if both else Resolution.ASK if ask else Resolution.KEEP
    with session.open() as memory:
        receipt = memory.resolve(numbers, how, keep=keep or 0, actor=actor)

    def told(receipt: Receipt) -> Page:
        listed = ", ".join(f"#{number}" for number in numbers)
        return [good(f"Resolved {listed}."), *(("  ", ident(i)) for i in receipt.ids)]

    session.answer(receipt, told)
