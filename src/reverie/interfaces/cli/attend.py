"""`say`, `wake` and `attend`: what a host calls while its agent talks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import Verb, for_person_option
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.moments import moment_type
from reverie.interfaces.cli.page import Span, Style, paragraph, row
from reverie.interfaces.cli.session import session_of
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.conversation import Attended, Awake
    from reverie.model.items import Turn


_WHO_SPEAKS = "Who speaks; what is for somebody else alone is left out."


def _budget_option(key: str) -> Callable[[Any], Any]:
    return click.option(
        "--budget",
        type=click.IntRange(min=50),
        metavar="TOKENS",
        help=f"How long it may be.  [default: conversation.{key}]",
    )


@click.command(cls=Verb)
@click.argument("window")
@click.argument("text")
@click.option(
    "--role",
    type=click.Choice(Role, case_sensitive=False),
    default=Role.USER,
    show_default=True,
    help="Who speaks.",
)
@click.option("--speaker", default="", metavar="NAME", help="Their name.")
@click.option(
    "--answers",
    type=click.IntRange(min=1),
    metavar="N",
    help="The turn it answers.  [default: the one that is open]",
)
@click.option("--at", type=moment_type(), metavar="WHEN", help="[default: now]")
@for_person_option("Whom it is for alone; an answer is for who asked.")
@click.pass_context
def say(ctx: click.Context, /, window: str, text: str, **given: Any) -> None:  # noqa: ANN401 - passed on as it was typed
    """Record TEXT as said in WINDOW, or standard input for '-'.

    It is durable when the command returns. A question and its answer share a number.
    Passwords and keys are redacted, and what Reverie put into a message is left out.

        reverie say trip-to-rome "Where do we stay?"
        reverie say trip-to-rome --role assistant "In Trastevere, for three nights."
        reverie say trip-to-rome - --speaker Nora < message.txt
    """
    session = session_of(ctx)
    given["answers"] = given["answers"] or 0
    with session.open() as memory:
        turn = memory.window(window).say(given_text(text), **given)
    session.answer(turn, _told_turn)


def _told_turn(turn: Turn) -> Page:
    return [
        row(
            Span("Said ", Style.GOOD),
            Span(f"turn:{turn.window}/{turn.number}/{turn.role}/0", Style.ID),
        )
    ]


@click.command(cls=Verb)
@click.argument("window")
@_budget_option("wake_tokens")
@for_person_option(_WHO_SPEAKS)
@click.option("--new", is_flag=True, help="Begin a session, whatever was told before.")
@click.pass_context
def wake(
    ctx: click.Context, window: str, budget: int | None, person: str, *, new: bool
) -> None:
    """Print what an agent should see when it wakes in WINDOW.

    Core memory first, in the same bytes all through a session, so that a provider's
    prompt cache holds; then what changed since, alerts, what waits for a yes, and
    what was said lately or comes back. All of it is marked, and never learned again.

        reverie wake trip-to-rome
        reverie wake trip-to-rome --budget 3000 --person Nora
        reverie wake trip-to-rome --new --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        awake = memory.wake(window, budget=budget, person=person, new=new)
    _print(session, awake)


@click.command(cls=Verb)
@click.argument("window")
@click.argument("message")
@_budget_option("attend_tokens")
@for_person_option(_WHO_SPEAKS)
@click.pass_context
def attend(
    ctx: click.Context, window: str, message: str, budget: int | None, person: str
) -> None:
    """Print what to tell the agent in WINDOW for MESSAGE, or '-'.

    To be added to its context: what fits, from memory and from earlier
    conversations, and what has changed in core memory since the agent was last told.
    Nothing, if nothing fits.

        reverie attend trip-to-rome "What did we decide about the hotel?"
        reverie attend trip-to-rome - --budget 500 < message.txt
    """
    session = session_of(ctx)
    with session.open() as memory:
        attended = memory.attend(
            window, given_text(message), budget=budget, person=person
        )
    _print(session, attended)


def _print(session: Session, told: Awake | Attended) -> None:
    """What an agent is told: as it is, for a prompt."""
    if session.json or session.on_a_screen:
        session.answer(told, lambda value: paragraph(value.text) if value.text else [])
    elif told.text:
        click.echo(told.text)
