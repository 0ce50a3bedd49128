"""`reflect`: the agent sleeps on it, step by step."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.command import VerbGroup, actor_option
from reverie.interfaces.cli.concluding import (
    Asking,
    approve,
    decided_page,
    question,
    reject,
    require_person,
    show,
)
from reverie.interfaces.cli.edge import MUST_ANSWER
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.leading import WAITS, begun, lead_through
from reverie.interfaces.cli.page import row
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.standing import told_in_full, told_standing
from reverie.interfaces.cli.talking import say, self_image, told_question
from reverie.model.change import Actor
from reverie.reflection.replies import read_decision

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.reflection.reflection import Standing


@click.group(cls=VerbGroup)
@click.option("--scheduled", is_flag=True, help="Only ask, and only if one is due.")
@click.option("--session-end", is_flag=True, help="Ask because a conversation ends.")
@click.pass_context
def reflect(ctx: click.Context, *, scheduled: bool, session_end: bool) -> None:
    """Sleep on what happened, and decide what becomes of it.

    With a model or a connected agent it extracts, connects and archives; with neither
    it lists what is new, what fades and what is said twice.

    In a terminal it leads through the whole cycle; elsewhere it goes as far as nobody
    has to be asked. Nothing is applied without your yes, and every step can be left
    and taken up again, also by another program. With --scheduled or --session-end
    nothing is said in a pipe where there is nothing to ask.

        reverie reflect
        reverie reflect --scheduled
        reverie reflect reply grant 8000
        reverie reflect approve 1,3
    """
    if ctx.invoked_subcommand is not None:
        return
    session = session_of(ctx)
    with session.open() as memory:
        if scheduled or session_end:
            _offer(session, memory, at_end=session_end)
            return
        if _with_a_person(session):
            standing = lead_through(session, memory)
        else:
            standing = begun(memory.reflection)
            session.answer(standing, told_in_full)
    if standing.question is not None:
        ctx.exit(MUST_ANSWER)


def _with_a_person(session: Session) -> bool:
    """Whether somebody sees what is told, and may decide on it."""
    actor = Actor(os.environ.get("REVERIE_ACTOR") or "manual")
    return session.interactive and session.on_a_screen and actor.human


def _offer(session: Session, memory: Memory, *, at_end: bool) -> None:
    """Ask, where there is something to ask for; never more than that."""
    reflection = memory.reflection
    occasion = reflection.offer(turns=int(at_end))
    standing = reflection.begin(occasion) if occasion else reflection.status()
    # Who is started every hour makes a mail of every word.
    if occasion or session.json or session.on_a_screen or reflection.remind():
        session.answer(standing, _told_offer)


def _told_offer(standing: Standing) -> Page:
    """What was asked, or waits for an answer already."""
    if standing.state in {"idle", "deferred", "recorded"}:
        return [row("No reflection is due.")]
    return told_standing(standing)


@reflect.command()
@click.pass_context
def status(ctx: click.Context) -> None:
    """Tell where the reflection stands, and what comes next.

    Looking changes nothing but what time has: a question that nobody answered.

        reverie reflect status
        reverie reflect status --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.status()
    session.answer(standing, told_standing)


@reflect.command()
@click.argument("words", nargs=-1, required=True)
@actor_option()
@click.pass_context
def reply(ctx: click.Context, words: tuple[str, ...], actor: Actor | None) -> None:
    """Answer the check-in, the token request or the proposal.

    It takes a few commands, tells what it understood, and changes nothing where it
    did not. A reason may follow a colon. Check-in: yes, no, later, 4h. Token request:
    grant, grant 8000, bonus 12000, less 5000, no penalty, worse 5000, decline.
    Proposal: approve, approve 1,3, approve 1-4, approve all but 3, approve 2 as "the
    new text", reject, reject 2, later. An agent may pass on what you say to the first
    two, tokens up to the baseline, in these words; what becomes of a proposal only you
    decide, in a terminal.

        reverie reflect reply later
        reverie reflect reply grant 8000
        reverie reflect reply "less 5000: yesterday was sloppy"
        reverie reflect reply "reject 2: too much about work"
    """
    session, text = session_of(ctx), " ".join(words)
    with session.open() as memory:
        standing = memory.reflection.status()
        if standing.state == "pending":
            _decide(session, memory, text, actor)
            return
        standing = memory.reflection.reply(text, actor=actor)
    session.answer(standing, told_in_full)


def _decide(session: Session, memory: Memory, words: str, actor: Actor | None) -> None:
    require_person(session, actor)
    pending, page = memory.reflection.pending()
    decision = read_decision(words, len(pending.operations))
    if decision is None:
        session.say([row(WAITS)])
        return
    seen = Asking(session, "").seen(pending, page, question(pending, decision))
    done = memory.reflection.decide(decision, seen, actor=actor)
    session.answer(done, decided_page)


@reflect.command()
@click.pass_context
def run(ctx: click.Context) -> None:
    """Think it through, with the tokens that were granted.

    Where it was cut off it goes on; a phase that is done is not paid for again.

        reverie reflect run
    """
    session = session_of(ctx)
    with session.open() as memory, session.progress("Reflecting") as step:
        standing = memory.reflection.advance(step)
    session.answer(standing, told_in_full)
    if standing.question is not None:
        ctx.exit(MUST_ANSWER)


for _command in (show, approve, reject, say, self_image):
    reflect.add_command(_command)


@reflect.command("next")
@click.pass_context
def next_(ctx: click.Context) -> None:
    """Print the prompt and the schema of the phase that the host agent has to think.

    With mind.kind = "host" the agent that calls Reverie is the one who thinks.

        reverie reflect next
        reverie reflect next --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        question = memory.reflection.question()
    session.answer(question, told_question)


@reflect.command()
@click.argument("text", metavar="JSON")
@click.pass_context
def answer(ctx: click.Context, text: str) -> None:
    """Answer the present phase with JSON, or standard input for '-'.

    Operations may also come in their text form, OPERATION, TARGET, CONTENT, REASON.
    With --json, the next phase comes back as `question`.

        reverie reflect answer - < answer.json
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.answer(given_text(text))
    if standing.problem:
        raise BadAnswerError(standing.problem)
    session.answer(standing, told_in_full)


class BadAnswerError(RefusedError):
    """The host agent's answer cannot be used."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"the answer cannot be used: {problem}",
            hint="Answer again; `reverie reflect next` prints what is asked.",
        )


@reflect.command()
@actor_option()
@click.pass_context
def cancel(ctx: click.Context, actor: Actor | None) -> None:
    """Give up a reflection that has no proposal yet.

    What was thought so far is lost. A proposal is rejected instead.

        reverie reflect cancel
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.status()
        if standing.state in {"idle", "recorded"}:
            raise NothingToCancelError
        if standing.state == "pending":
            raise RejectInsteadError(standing.number)
        standing = memory.reflection.cancel(actor=actor)
    session.answer(standing, told_standing)


class NothingToCancelError(RefusedError):
    """No reflection is under way."""

    def __init__(self) -> None:
        super().__init__(
            "no reflection is under way", hint="`reverie reflect` begins one."
        )


class RejectInsteadError(RefusedError):
    """A proposal is there already, and that is decided on."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"reflection #{number} has a proposal, and that is decided on",
            hint="`reverie reflect reject` turns it down.",
        )
