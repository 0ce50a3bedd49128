"""`reflect`: the agent sleeps on it, step by step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.concluding import (
    approve,
    decided_page,
    reject,
    say,
    self_image,
    show,
)
from reverie.interfaces.cli.edge import MUST_ANSWER
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.page import BLANK, Span, Style, paragraph, row
from reverie.interfaces.cli.session import interactive, session_of
from reverie.interfaces.cli.standing import told_standing
from reverie.interfaces.cli.verb import VerbGroup, person_option
from reverie.model.change import Actor
from reverie.model.reflection import Occasion

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.memory.standing import Standing
    from reverie.model.asked import HostQuestion


@click.group(cls=VerbGroup)
@click.option("--scheduled", is_flag=True, help="Only ask, and only if one is due.")
@click.option("--session-end", is_flag=True, help="Ask because a conversation ends.")
@click.pass_context
def reflect(ctx: click.Context, *, scheduled: bool, session_end: bool) -> None:
    """Reflect on what happened: extract, connect, archive; you decide.

    In a terminal it leads through the whole cycle. Nothing is applied without your
    yes, and every step can be left and taken up again, also by another program.

        reverie reflect
        reverie reflect --scheduled
        reverie reflect reply "Proceed with 8K"
        reverie reflect approve
    """
    if ctx.invoked_subcommand is not None:
        return
    session = session_of(ctx)
    with session.open() as memory:
        if scheduled or session_end:
            _offer(session, memory, at_end=session_end)
        elif interactive() and not session.json:
            _lead_through(session, memory)
        else:
            session.answer(_begun(memory), told_standing)


def _offer(session: Session, memory: Memory, *, at_end: bool) -> None:
    """Ask, where there is something to ask for; never more than that."""
    reflection = memory.reflection
    occasion = reflection.offer(turns=int(at_end))
    standing = reflection.begin(occasion) if occasion else reflection.status()
    session.answer(standing, told_standing if occasion else _told_quiet)


def _begun(memory: Memory) -> Standing:
    """Begin, and go as far as nobody has to be asked."""
    reflection = memory.reflection
    standing = reflection.status()
    if standing.state in _BEGINNINGS:
        standing = reflection.begin(Occasion.MANUAL)
    if standing.state == "reflecting" and standing.question is None:
        standing = reflection.advance()
    return standing


_BEGINNINGS = {"idle", "deferred", "recorded", "asked"}


def _lead_through(session: Session, memory: Memory) -> None:
    """Go through all steps with a person."""
    reflection = memory.reflection
    standing = _begun(memory)
    if standing.state == "tokens requested":
        session.say(paragraph(standing.says))
        words = click.prompt("Your answer", default="Proceed", err=True)
        standing = reflection.reply(words)
    if standing.state in {"granted", "reflecting"} and standing.question is None:
        with session.progress("Reflecting") as step:
            standing = reflection.advance(step)
    session.say(told_standing(standing))
    if standing.state == "pending":
        _ask_for_decision(session, memory, standing)


def _ask_for_decision(session: Session, memory: Memory, standing: Standing) -> None:
    words = click.prompt(
        "approve, approve 1,3, reject because …, or later", default="later", err=True
    )
    if words.strip().casefold() == "later":
        session.say(
            [row(Span("It waits; nothing is applied by waiting.", Style.FAINT))]
        )
        return
    done = memory.reflection.decide(words, standing.shown)
    session.say(decided_page(done))


@reflect.command()
@click.pass_context
def status(ctx: click.Context) -> None:
    """Tell where the reflection stands, and what comes next.

    reverie reflect status
    reverie reflect status --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.status()
    session.answer(standing, told_standing)


@reflect.command()
@click.argument("words", nargs=-1, required=True)
@person_option()
@click.pass_context
def reply(ctx: click.Context, words: tuple[str, ...], actor: str) -> None:
    """Answer the check-in, the token request or the proposal in plain WORDS.

    An agent may pass on what you say to the first two, tokens up to the baseline.
    What becomes of a proposal only you decide, in a terminal.

        reverie reflect reply later
        reverie reflect reply "Proceed with 8K"
        reverie reflect reply "5K only, because yesterday was sloppy"
    """
    session, text = session_of(ctx), " ".join(words)
    with session.open() as memory:
        standing = memory.reflection.status()
        if standing.state == "pending" and interactive():
            session.say(told_standing(standing))
            session.confirm(f"Decide: {text!r}?")
            done = memory.reflection.decide(text, standing.shown, actor=Actor(actor))
            session.answer(done, decided_page)
            return
        standing = memory.reflection.reply(text, actor=Actor(actor))
    session.answer(standing, told_standing)


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
    session.answer(standing, told_standing)
    if standing.question is not None:
        ctx.exit(MUST_ANSWER)


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
    session.answer(question, _told_question)


@reflect.command()
@click.argument("text", metavar="JSON")
@click.pass_context
def answer(ctx: click.Context, text: str) -> None:
    """Answer the present phase with JSON, or standard input for '-'.

    Operations may also come in their text form, OPERATION, TARGET, CONTENT, REASON.

        reverie reflect answer - < answer.json
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.answer(given_text(text))
    if standing.problem:
        raise BadAnswerError(standing.problem)
    session.answer(standing, told_standing)


class BadAnswerError(RefusedError):
    """The host agent's answer cannot be used."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"the answer cannot be used: {problem}",
            hint="Answer again; `reverie reflect next` prints what is asked.",
        )


@reflect.command()
@person_option()
@click.pass_context
def cancel(ctx: click.Context, actor: str) -> None:
    """Give up a reflection that has no proposal yet.

    reverie reflect cancel
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.cancel(actor=Actor(actor))
    session.answer(standing, told_standing)


for _command in (show, approve, reject, say, self_image):
    reflect.add_command(_command)


def _told_quiet(standing: Standing) -> Page:
    page: Page = [row("No reflection is due.")]
    if standing.remind:
        words = "A proposal has waited for more than a day: `reverie reflect show`."
        page.append(row(Span(words, Style.WARN)))
    return page


def _told_question(question: HostQuestion) -> Page:
    schema = json.dumps(question.schema, ensure_ascii=False)
    page: Page = []
    if question.problem:
        page.append(row(Span(f"Last answer: {question.problem}", Style.BAD)))
    return [*page, *paragraph(question.prompt), BLANK, row(Span(schema, Style.FAINT))]
