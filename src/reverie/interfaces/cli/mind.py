"""`questions` and `answer`: the agent that calls is the one who thinks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.edge import MUST_ANSWER
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.outcome import told_remembered
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.model.reflection import HostQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page


@contextmanager
def thinking(ctx: click.Context) -> Iterator[None]:
    """Pass a question on to the host agent, where it is the one who thinks."""
    from reverie.minds.host import HostMustAnswerError

    try:
        yield
    except HostMustAnswerError as error:
        asked = error.question
        question = HostQuestion(asked.id, asked.operation, asked.text, asked.schema)
        session_of(ctx).answer(question, _told_question)
        ctx.exit(MUST_ANSWER)


@click.command(cls=Verb)
@click.pass_context
def questions(ctx: click.Context) -> None:
    """List what the host agent has to think about.

    With mind.kind = "host" in reverie.toml, the agent that calls Reverie is the one
    who thinks: it gets a prompt and a schema, and answers.

        reverie questions
        reverie questions --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        waiting = memory.questions()
    session.answer(waiting, _told_questions)


@click.command(cls=Verb)
@click.argument("id_", metavar="ID")
@click.argument("text", metavar="JSON")
@click.pass_context
def answer(ctx: click.Context, id_: str, text: str) -> None:
    """Answer question ID with JSON, or standard input for '-'.

    The answer is checked, and what it was asked for goes on. A wrong one may be
    given again, once.

        reverie answer 1f2e3d4c5b6a7980 - < answer.json
    """
    session = session_of(ctx)
    with session.open() as memory, thinking(ctx):
        receipt = memory.answer(id_, given_text(text))
    session.answer(receipt, told_remembered)


def _told_questions(waiting: Sequence[HostQuestion]) -> Page:
    if not waiting:
        return [row("There is nothing to answer.")]
    page: Page = [row(f"{counted(len(waiting), 'question')} for the host agent:")]
    for question in waiting:
        page += [BLANK, *_told_question(question)]
    return page


def _told_question(question: HostQuestion) -> Page:
    page: Page = [
        row(
            Span("The host agent has to answer ", Style.WARN),
            Span(question.id, Style.ID),
            Span(f"  ({question.operation})", Style.FAINT),
        )
    ]
    if question.problem:
        page.append(row(Span(f"Last answer: {question.problem}", Style.BAD), indent=2))
    hint = "`reverie questions --json` has the prompt and the schema of the answer."
    return [*page, row(Span(hint, Style.FAINT), indent=2)]
