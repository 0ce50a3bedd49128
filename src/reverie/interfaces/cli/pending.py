"""`pending`, `accept`, `reject`, `defer` and `resolve`: what waits for a decision."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from reverie.errors import ConflictError, UnavailableError
from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.interfaces.cli.session import session_of
from reverie.model.ids import Store
from reverie.model.proposals import Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Actor, Receipt
    from reverie.model.proposals import Proposal, Waiting
    from reverie.model.views import Alert

_STORES = tuple(store for store in Store if store is not Store.TURNS)


@click.command(cls=Verb)
@click.pass_context
def pending(ctx: click.Context) -> None:
    """List what waits for a decision, and what contradicts what.

    What an agent, a tool or an import wants to put into core memory, the procedures
    or the vault waits for you here, and whatever sub-agents propose. So does what you
    have to acknowledge before it counts: an edit by an unknown hand, where you set an
    owner passphrase, and settings in reverie.toml that do not act yet.

        reverie pending
        reverie pending --json
    """
    session = session_of(ctx)
    if session.agent:
        with session.proposing() as companion:
            listed = tuple(companion.waiting())
        session.answer(
            listed, lambda told: _told_all(told, "Nothing waits.", "waiting")
        )
        return
    with session.open() as memory:
        # Who only looks still finds the newest marks, where nobody else is writing.
        with suppress(UnavailableError, ConflictError):
            memory.review()
        waiting = memory.waiting()
        doubted = memory.unconfirmed()
        asked = memory.contradictions()
    more = [*_told_doubts(doubted), *_told_asked(asked)]
    told = [*_told_pending(waiting, quiet=bool(more)), *more]
    questions = ({"id": id_, "question": said} for id_, said in asked)
    session.answer([*waiting, *doubted, *questions], lambda _: told)


def _told_all(waiting: Sequence[Waiting], none: str, title: str) -> Page:
    if not waiting:
        return [row(none)]
    page: Page = [row(f"{counted(len(waiting), 'proposal')} {title}:")]
    for each in waiting:
        page += [BLANK, *_told_waiting(each)]
    return page


def _told_doubts(found: Sequence[Alert]) -> Page:
    """What its human has to acknowledge: edits by no known channel, configuration."""
    if not found:
        return []
    page: Page = []
    edits = [each for each in found if each.kind != "unacknowledged"]
    if edits:
        count = counted(len(edits), "file")
        page.append(row(f"{count} changed by an unknown hand, unconfirmed:"))
    for each in edits:
        what = f"  {each.commit[:10]}  {each.summary}"
        page.append(row(Span(each.path, Style.PATH), what, indent=2))
    for each in found:
        if each not in edits:
            page += paragraph(f"{each.path}: {each.summary}")
    hint = "reverie diff CHANGE · alerts --ack PATH · undo --file PATH"
    return [*page, BLANK, row(Span(hint, Style.FAINT))]


def _told_asked(asked: Sequence[tuple[str, str]]) -> Page:
    """What pages ask: which of some facts holds."""
    page = [row(Span(id_, Style.ID), f"  {question}") for id_, question in asked]
    hint = "reverie forget ID · remember TEXT --supersedes ID"
    return [*page, BLANK, row(Span(hint, Style.FAINT))] if page else []


def _told_pending(waiting: Sequence[Waiting], *, quiet: bool = False) -> Page:
    """What waits.

    Args:
        waiting: All of it.
        quiet: Whether to say nothing where nothing waits: something else does.
    """
    if quiet and not waiting:
        return []
    page = _told_all(waiting, "Nothing waits for you.", "to decide on")
    if not waiting:
        return page
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
            f"into {proposal.store}{named}{_landing(each)}, by ",
            Span(proposal.sender, Style.ACTOR),
            Span(f", words of {proposal.origin}{status}", Style.WARN),
        ),
        *paragraph(proposal.content, indent=3),
        *paragraph(" · ".join(_details(proposal)), style=Style.FAINT, indent=3),
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


def _landing(each: Waiting) -> str:
    """Where a proposal would go, if that is not where it is proposed for."""
    if each.lands is not Store.EPISODIC or each.proposal.store is Store.EPISODIC:
        return ""
    return f" ({_as_episode(each.proposal)})"


def _as_episode(proposal: Proposal) -> str:
    why = f"for {proposal.scope} alone" if proposal.scope else "it names nobody"
    return f"as an episode: {why}"


def _details(proposal: Proposal) -> Iterator[str]:
    """What its sender says besides."""
    yield f"confidence {proposal.confidence}"
    if proposal.entities:
        yield f"about {', '.join(proposal.entities)}"
    if proposal.when:
        yield f"when {proposal.when}"
    if proposal.trigger:
        yield f"because of {proposal.trigger}"
    if proposal.core_worthy:
        yield "worth standing in core memory"


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@click.option(
    "-s",
    "--store",
    type=click.Choice(_STORES, case_sensitive=False),
    help="Another store than it was proposed for.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@click.pass_context
def accept(
    ctx: click.Context,
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

        reverie accept 3
        reverie accept 3 --store episodic
    """
    session = session_of(ctx)
    with session.open() as memory:
        shown = memory.proposal(number)
        if not yes and session.interactive:
            found = [w for w in memory.waiting() if w.proposal.number == number]
            page = [line for each in found for line in _told_waiting(each)]
            session.say(page, aside=session.json)
            session.confirm("Make it so?")
        place = memory.place_in(shown, store) if store else None
        receipt = memory.accept(shown, place, actor=actor)
    meant = replace(shown, store=store) if store else shown
    session.answer(receipt, lambda value: _told_accepted(value, meant))


def _told_accepted(receipt: Receipt, shown: Proposal) -> Page:
    loose = shown.store is not Store.EPISODIC and any(
        id_.startswith("episode:") for id_ in receipt.ids
    )
    where = f" ({_as_episode(shown)})" if loose else ""
    page: Page = [
        row(
            Span(f"Accepted #{shown.number}: ", Style.GOOD),
            Span(", ".join(receipt.ids), Style.ID),
            where,
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]
    if shown.core_worthy and shown.store is not Store.CORE and receipt.actor.human:
        hint = "Worth core memory, says its sender: `reverie remember --store core …`"
        page.append(row(Span(hint, Style.FAINT), indent=2))
    return page


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", default="", metavar="WORDS", help="Why, for history.")
@actor_option()
@click.pass_context
def reject(ctx: click.Context, number: int, reason: str, actor: Actor | None) -> None:
    """Take proposal NUMBER off the list.

    History keeps what it said, and `reverie undo` brings it back.

        reverie reject 3 --reason "not how we do it"
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.reject(number, reason=reason, actor=actor)
    session.answer(receipt, lambda _: [row(Span(f"Rejected #{number}.", Style.GOOD))])


@click.command(cls=Verb)
@click.argument("number", type=click.IntRange(1))
@actor_option()
@click.pass_context
def defer(ctx: click.Context, number: int, actor: Actor | None) -> None:
    """Leave proposal NUMBER for the next reflection.

    It stays on the list. The reflection proposes to commit it, and you decide on that
    with all the rest; what contradicts something it asks you about instead.

        reverie defer 3
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.defer(number, actor=actor)
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
@actor_option()
@click.pass_context
def resolve(
    ctx: click.Context,
    numbers: tuple[int, ...],
    keep: int | None,
    actor: Actor | None,
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
    with session.open() as memory:
        receipt = memory.resolve(numbers, how, keep=keep or 0, actor=actor)
    session.answer(receipt, lambda value: _told_resolved(value, numbers))


def _told_resolved(receipt: Receipt, numbers: Sequence[int]) -> Page:
    listed = ", ".join(f"#{number}" for number in numbers)
    page: Page = [row(Span(f"Resolved {listed}.", Style.GOOD))]
    return page + [row(Span(id_, Style.ID), indent=2) for id_ in receipt.ids]
