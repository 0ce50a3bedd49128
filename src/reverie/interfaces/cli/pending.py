"""`pending`: what waits for a decision, and `accept`, `reject`, `defer`, `resolve`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from reverie.errors import ConflictError, UnavailableError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.ids import Store
from reverie.model.proposals import Resolution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.change import Receipt
    from reverie.model.proposals import Proposal, Waiting
    from reverie.model.views import Alert

_STORES = click.Choice(
    [store for store in Store if store is not Store.TURNS], case_sensitive=False
)
_NUMBER = click.IntRange(1)
_KEEP = "This one holds, the others are rejected; 0 for none of them."


@cli.group()
def pending(call: cli.Invocation) -> None:
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
    if call.agent:
        listed = call.companion.waiting()
        page = _all(listed, "waiting") if listed else ["Nothing waits."]
        call.answer(listed, page)
        return
    memory = call.memory
    # Who only looks still finds the newest marks, where nobody else is writing.
    with suppress(UnavailableError, ConflictError):
        memory.review()
    waiting, doubted = memory.waiting(), memory.unconfirmed()
    asked = memory.contradictions()
    state = memory.reflection.status()
    told = [*_decisions(waiting), *_doubts(doubted), *_questions(asked)]
    if state.state == "pending":
        number = out.title(f"Reflection #{state.number}")
        told.append((number, " waits for your decision: reverie reflect"))
    questions = ({"id": id_, "question": said} for id_, said in asked)
    none: out.Page = ["Nothing waits for you."]
    call.answer([*waiting, *doubted, *questions], told or none)


def _all(waiting: Sequence[Waiting], head: str) -> out.Lines:
    yield f"{out.counted(len(waiting), 'proposal')} {head}:"
    for each in waiting:
        yield from ("", *_one(each))


def _decisions(waiting: Sequence[Waiting]) -> out.Lines:
    if waiting:
        yield from _all(waiting, "to decide on")
        verbs = "reverie pending accept N · reject N · defer N"
        if any(each.clashes for each in waiting):
            verbs += " · resolve N M --keep N | --both | --ask"
        yield from ("", out.faint(verbs))


def _doubts(doubted: Sequence[Alert]) -> out.Lines:
    """What its human has to acknowledge: edits by no known channel, configuration."""
    edits = [each for each in doubted if each.kind != "unacknowledged"]
    if edits:
        files = out.counted(len(edits), "file")
        yield f"{files} changed by an unknown hand, unconfirmed:"
    for each in edits:
        yield "  ", out.place(each.path), f"  {each.commit[:10]}  {each.summary}"
    for each in doubted:
        if each not in edits:
            yield from f"{each.path}: {each.summary}".split("\n")
    if doubted:
        hint = "reverie show CHANGE · alerts --ack PATH · undo --file PATH"
        yield from ("", out.faint(hint))


def _questions(asked: Sequence[tuple[str, str]]) -> out.Lines:
    """What pages ask: which of some facts holds."""
    yield from ((out.ident(id_), f"  {question}") for id_, question in asked)
    if asked:
        yield from ("", out.faint("reverie forget ID · remember TEXT --supersedes ID"))


def _one(each: Waiting) -> out.Lines:
    proposal = each.proposal
    name = f" “{proposal.name}”" if proposal.name else ""
    status = "" if proposal.status == "pending" else f"  {proposal.status}"
    loose = each.lands is Store.EPISODIC and proposal.store is not Store.EPISODIC
    lands = f" ({_as_episode(proposal)})" if loose else ""
    yield (
        out.title(f"#{proposal.number} "),
        f"into {proposal.store}{name}{lands}, by ",
        out.who(proposal.sender),
        out.warn(f", words of {proposal.origin}{status}"),
    )
    yield from out.paragraph(proposal.content, 3)
    about = ", ".join(proposal.entities)
    details = (
        f"confidence {proposal.confidence}",
        f"about {about}" if about else "",
        f"when {proposal.when}" if proposal.when else "",
        f"because of {proposal.trigger}" if proposal.trigger else "",
        "worth standing in core memory" if proposal.core_worthy else "",
    )
    yield from out.paragraph(" · ".join(filter(None, details)), 3, out.faint)
    for clash in each.clashes:
        other = out.ident(f"#{clash.other}" if clash.other else clash.known)
        said = out.faint(f" “{clash.said}”: {clash.why}")
        yield "   ", out.bad("⚠️ contradicts "), other, said


def _as_episode(proposal: Proposal) -> str:
    why = f"for {proposal.scope} alone" if proposal.scope else "it names nobody"
    return f"as an episode: {why}"


@pending.verb()
@cli.argument("number", type=_NUMBER)
@cli.option("-s --store", "Another store than it was proposed for.", _STORES)
@cli.yes_option()
@cli.actor_option()
def accept(call: cli.Invocation, number: int, store: Store | None) -> None:
    """Make proposal NUMBER a memory, word for word.

    A person in a terminal may always. The main agent may commit what a sub-agent
    proposed for the episodes or the graph; [agents] in reverie.toml says more. It
    stays the words of its sender.

        reverie pending accept 3
        reverie pending accept 3 --store episodic
    """
    memory = call.memory
    shown = memory.proposal(number)
    if not call.yes and call.interactive:
        found = [w for w in memory.waiting() if w.proposal.number == number]
        page = [line for each in found for line in _one(each)]
        call.confirm(page, "Make it so?")
    where = memory.place_in(shown, store) if store else None
    receipt = memory.accept(shown, where, actor=call.actor)
    meant = replace(shown, store=store) if store else shown
    call.answer(receipt, _accepted(receipt, meant))


def _accepted(receipt: Receipt, shown: Proposal) -> out.Lines:
    episode = any(id_.startswith("episode:") for id_ in receipt.ids)
    loose = episode and shown.store is not Store.EPISODIC
    yield (
        out.good(f"Accepted #{shown.number}: "),
        out.ident(", ".join(receipt.ids)),
        f" ({_as_episode(shown)})" if loose else "",
        out.commit(receipt),
    )
    if shown.core_worthy and shown.store is not Store.CORE and receipt.actor.human:
        hint = "Worth core memory, says its sender: `reverie remember --store core …`"
        yield "  ", out.faint(hint)


@pending.verb()
@cli.argument("number", type=_NUMBER)
@cli.option("--reason", "Why, for history.", metavar="WORDS", default="")
@cli.actor_option()
def reject(call: cli.Invocation, number: int, reason: str) -> None:
    """Take proposal NUMBER off the list.

    History keeps what it said, and `reverie undo` brings it back.

        reverie pending reject 3 --reason "not how we do it"
    """
    receipt = call.memory.reject(number, reason=reason, actor=call.actor)
    call.answer(receipt, [out.good(f"Rejected #{number}.")])


@pending.verb()
@cli.argument("number", type=_NUMBER)
@cli.actor_option()
def defer(call: cli.Invocation, number: int) -> None:
    """Leave proposal NUMBER for the next reflection.

    It stays on the list. The reflection proposes to commit it, and you decide on that
    with all the rest; what contradicts something it asks you about instead.

        reverie pending defer 3
    """
    receipt = call.memory.defer(number, actor=call.actor)
    words = f"Deferred #{number}: the next reflection takes it up."
    call.answer(receipt, [out.good(words)])


@pending.verb()
@cli.argument("numbers", type=_NUMBER, nargs=-1, required=True)
@cli.option("--keep", _KEEP, click.IntRange(0), "N")
@cli.flag("--both", "Keep all, with low confidence and linked.")
@cli.flag("--ask", "Ask the user at the next occasion.")
@cli.actor_option()
def resolve(
    call: cli.Invocation,
    numbers: tuple[int, ...],
    keep: int | None,
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
        cli.misused("choose one of --keep N, --both and --ask")
    how = Resolution.BOTH if both else Resolution.ASK if ask else Resolution.KEEP
    receipt = call.memory.resolve(numbers, how, keep=keep or 0, actor=call.actor)
    listed = ", ".join(f"#{number}" for number in numbers)
    kept = (("  ", out.ident(id_)) for id_ in receipt.ids)
    call.answer(receipt, [out.good(f"Resolved {listed}."), *kept])
