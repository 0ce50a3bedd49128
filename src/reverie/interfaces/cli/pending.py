"""`pending`: what waits for a decision, and `accept`, `reject`, `defer`, `resolve`."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from reverie import ConflictError, Resolution, Store, UnavailableError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.remember import told_near
from reverie.model.proposals import told_aim
from reverie.model.reflection import describe_due_self_image
from reverie.recall.context_block import quote_others, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import Contradiction
    from reverie.model.proposals import Proposal, Waiting
    from reverie.model.views import QuotedChange

_STORES = click.Choice(
    [store for store in Store if store is not Store.TURNS], case_sensitive=False
)
_NUMBER = click.IntRange(1)
DECIDE = "reverie pending accept N · reject N · defer N · resolve N M --keep N"
CONFIRM = "reverie show CHANGE · alerts --ack PATH · undo --file PATH"
SAME = "reverie merge ONE INTO · merge ONE INTO --no"
SETTLE = "reverie settle ID --keep ID · --both · --neither"
CORE_WORTHY = "Worth core memory, says its sender: `reverie remember --store core …`"
_KEEP = "This one holds, the others are rejected; 0 for none of them."


@cli.group()
def pending(call: cli.Invocation) -> None:
    """List what waits for a decision, and decide on it.

    What an agent, a tool or an import wants to put into core memory, the procedures
    or the vault waits for you here, and whatever sub-agents propose. So does what you
    have to acknowledge before it counts: an edit by an unknown hand, where you set an
    owner passphrase, and settings in reverie.toml that do not act yet. Pages that may
    be about one thing are listed with what says yes or no to it. Changes of core
    memory that an agent made in your own words are listed as applied, with their undo.

        reverie pending
        reverie pending accept 3
        reverie pending reject 3 --reason "not how we do it"
        reverie pending resolve 3 4 --keep 4
    """
    if call.agent:
        listed = call.companion.waiting()
        call.answer(listed, _proposals(listed, "") if listed else ["Nothing waits."])
        return
    memory = call.memory
    # Who only looks still finds the newest marks, where nobody else is writing.
    with suppress(UnavailableError, ConflictError):
        memory.review()
    waiting, doubted = memory.waiting(), memory.unconfirmed()
    asked, state = memory.contradictions(), memory.reflection.status()
    page = [*_proposals(waiting, DECIDE)] if waiting else []
    for each in doubted:
        by = f"changed by an unknown hand, unconfirmed ({each.commit[:10]}): "
        hand = "" if each.kind == "unacknowledged" else by
        page += f"{each.path}: {hand}{each.summary}".split("\n")
    page += ["", out.faint(CONFIRM)] if doubted else []
    for place, question in enumerate(asked, 1):
        page += _asked(place, question)
    page += ["", out.faint(SETTLE)] if asked else []
    pairs = memory.pairs()
    page += [
        (out.ident(each.one), " or ", out.ident(each.into), f": {each.why}")
        for each in pairs
    ]
    page += ["", out.faint(SAME)] if pairs else []
    if state.state == "pending":
        number = out.title(f"Reflection #{state.number}")
        page.append((number, " waits for your decision: reverie reflect"))
    if state.image:
        page.append("A new self-image waits for your decision: reflect self-image")
    if state.notes_due:
        page.append(describe_due_self_image(state.notes_due))
    quoted = memory.quoted_changes()
    page += _quoted(quoted)
    told = [*waiting, *doubted, *asked, *pairs, *quoted]
    call.answer(told, page or ["Nothing waits for you."])


def _quoted(changes: Sequence[QuotedChange]) -> out.Page:
    """Changes that were applied because they quote the user, each with its undo."""
    page: out.Page = []
    for each in changes:
        page += ["", (out.title("Applied "), "in core memory, in your own words:")]
        page += out.paragraph(f"“{each.text}”", 3)
        page += [
            line
            for old in each.replaced
            for line in out.paragraph(f"replaces “{old}”", 3, out.faint)
        ]
        page += out.paragraph(f"you typed “{each.words}”", 3, out.faint)
        page.append(out.faint(f"   Hint: reverie undo {each.commit[:10]}"))
    return page[1:]


def _asked(number: int, asked: Contradiction) -> out.Lines:
    """A question of a page: its sides in words, each with the id that names it."""
    says = " may conflict:" if asked.possible else " asks which holds:"
    page = asked.page or "These episodes"
    yield out.title(f"{number} "), out.ident(page), out.warn(says)
    yield from (("   ", *told_near(side)) for side in asked.sides)


def _proposals(waiting: Sequence[Waiting], verbs: str) -> out.Lines:
    head = "to decide on" if verbs else "waiting"
    yield f"{out.counted(len(waiting), 'proposal')} {head}:"
    for each in waiting:
        yield from ("", *_one(each))
    yield from ("", out.faint(verbs)) if verbs else ()


def _one(each: Waiting) -> out.Lines:
    proposal = each.proposal
    name = f" “{proposal.name}”" if proposal.name else ""
    status = "" if proposal.status == "pending" else f"  {proposal.status}"
    loose = "" if proposal.removes else _loose(each.lands, proposal)
    yield (
        out.title(f"#{proposal.number} "),
        f"{told_aim(proposal)}{name}{loose}, by ",
        out.who(proposal.sender),
        out.warn(f", {words_of(proposal.origin)}{status}"),
    )
    yield from out.paragraph(quote_others(proposal.content, proposal.origin), 3)
    about = ", ".join(proposal.entities)
    details = (
        f"confidence {proposal.confidence}",
        f"about {about}" if about else "",
        f"when {proposal.when}" if proposal.when else "",
        f"in the block {proposal.block}" if proposal.block else "",
        f"for {proposal.scope} alone" if proposal.scope else "",
        f"takes the place of {proposal.supersedes}" if proposal.supersedes else "",
        f"rests on {proposal.basis}" if proposal.basis else "",
        f"because of {proposal.trigger}" if proposal.trigger else "",
        "worth standing in core memory" if proposal.core_worthy else "",
    )
    yield from out.paragraph(" · ".join(filter(None, details)), 3, out.faint)
    for line in each.leaves:
        yield from out.paragraph(f"moves “{line}” out of core memory", 3, out.warn)
    for clash in each.clashes:
        other = out.ident(f"#{clash.other}" if clash.other else clash.known)
        said = out.faint(f" “{clash.said}”: {clash.why}")
        yield "   ", out.bad("⚠️ contradicts "), other, said


def _loose(lands: object, proposal: Proposal) -> str:
    """That a proposal becomes an episode, where it was meant for another store."""
    if lands is not Store.EPISODIC or proposal.store is Store.EPISODIC:
        return ""
    why = f"for {proposal.scope} alone" if proposal.scope else "it names nobody"
    return f" (as an episode: {why})"


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
        call.confirm(chain.from_iterable(map(_one, found)), "Make it so?")
    where = memory.place_in(shown, store) if store else None
    receipt = memory.accept(shown, where, actor=call.actor)
    meant = replace(shown, store=store) if store else shown
    episode = any(id_.startswith("episode:") for id_ in receipt.ids)
    ids = out.ident(", ".join(receipt.ids))
    loose = _loose(Store.EPISODIC if episode else None, meant)
    if shown.removes:
        back = out.faint(f"`reverie undo {receipt.commit[:10]}` brings it back.")
        call.answer(receipt, [(out.good(f"Removed (#{number}): "), ids), back])
        return
    done = out.good(f"Accepted #{number}: "), ids, loose, out.commit(receipt)
    worthy = meant.core_worthy and meant.store is not Store.CORE
    more = [out.faint(CORE_WORTHY)] if worthy and receipt.actor.human else []
    call.answer(receipt, [done, *more])


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
