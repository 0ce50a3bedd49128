"""After a reflection: `reflect say`, and `reflect self-image`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.concluding import Asking, require_person
from reverie.interfaces.cli.edge import MUST_ANSWER
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.page import BLANK, Span, Style, paragraph, row
from reverie.interfaces.cli.proposal import styled
from reverie.interfaces.cli.session import session_of
from reverie.model.reflection import Feedback

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Actor, Receipt
    from reverie.model.reflection import HostQuestion
    from reverie.reflection.afterwards import Discussed, SelfImageShown


class TwoAnswersError(click.UsageError):
    """A picture that shall be written and dropped."""

    def __init__(self) -> None:
        super().__init__("--approve and --reject do not go together.")


@click.command(cls=Verb)
@click.argument("words")
@click.option("--answer", default="", metavar="WORDS", help="What the agent replied.")
@click.option(
    "--kind",
    type=click.Choice([each.value for each in Feedback]),
    default=Feedback.OTHER.value,
    help="Whether it bears the reflection out, corrects it, or does neither.",
)
@actor_option()
@click.pass_context
def say(
    ctx: click.Context, words: str, answer: str, kind: str, actor: Actor | None
) -> None:
    """Say something about the last reflection; what matters of it is kept.

    What bears it out or corrects it is noted in the reflection's own file, the whole
    exchange below memory/meta/reflections/dialogues/.

        reverie reflect say "Yes, I've noticed that too." --kind validated
        reverie reflect say "You weren't defensive, but precise." --kind corrected
    """
    session = session_of(ctx)
    with session.open() as memory:
        done = memory.reflection.say(words, answer, kind=kind, actor=actor)
    session.answer(done, _told_discussed)


@click.command("self-image", cls=Verb)
@click.option("--approve", "yes", is_flag=True, help="Write it into IDENTITY.md.")
@click.option("--reject", "no", is_flag=True, help="Leave IDENTITY.md as it is.")
@click.option(
    "--answer",
    default="",
    metavar="JSON",
    help="The host agent's answer, or standard input for '-'.",
)
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@actor_option()
@click.pass_context
def self_image(
    ctx: click.Context,
    answer: str,
    shown: str,
    actor: Actor | None,
    *,
    yes: bool,
    no: bool,
) -> None:
    """Have the agent's picture of itself drawn anew, and decide on it.

    It is due after ten notes of self-awareness and at milestones, and needs a model.
    Only a person may approve.

        reverie reflect self-image
        reverie reflect self-image --approve
        reverie reflect self-image --reject
    """
    if yes and no:
        raise TwoAnswersError
    session = session_of(ctx)
    if yes or no:
        require_person(session, actor)
    with session.open() as memory:
        reflection = memory.reflection
        if no:
            reflection.drop_self_image(actor=actor)
            session.answer({"dropped": True}, lambda _: [row("It is dropped.")])
            return
        drawn = reflection.self_image(given_text(answer) if answer else "")
        if drawn.question or not yes:
            session.answer(drawn, _told_image)
            ctx.exit(MUST_ANSWER if drawn.question else 0)
        if not shown:
            Asking(session, shown, yes=False).require_screen(SOURCE)
            session.say([*styled(drawn.says), BLANK])
            session.confirm("Write it into IDENTITY.md?")
        receipt = reflection.adopt_self_image(shown or drawn.shown, actor=actor)
    session.answer(receipt, _told_adopted)


SOURCE = "reverie reflect self-image"


def told_question(question: HostQuestion) -> Page:
    """What the host agent has to think about, and how its answer has to look."""
    schema = json.dumps(question.schema, ensure_ascii=False)
    page: Page = []
    if question.problem:
        page.append(row(Span(f"The last answer: {question.problem}", Style.BAD)))
    return [*page, *paragraph(question.prompt), BLANK, row(Span(schema, Style.FAINT))]


def _told_image(drawn: SelfImageShown) -> Page:
    said = told_question(drawn.question) if drawn.question else styled(drawn.says)
    return [*said, BLANK, row(Span(drawn.hint, Style.FAINT))]


def _told_adopted(receipt: Receipt) -> Page:
    done = Span("IDENTITY.md is rewritten.", Style.GOOD)
    return [row(done, Span(f"  {receipt.commit[:10]}", Style.FAINT))]


def _told_discussed(done: Discussed) -> Page:
    return [
        row(Span(f"Kept: {done.kind}", Style.GOOD), Span(f"  {done.path}", Style.PATH))
    ]
