"""`attend`: what to tell an agent for a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import for_person_option, verb
from reverie.interfaces.cli.session import given_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.interfaces.cli.session import Session

WHO_SPEAKS = "Who speaks; what is for somebody else alone is left out."


def budget_option(key: str) -> Callable[[Any], Any]:
    """`--budget`: the tokens that what is told may have."""
    return click.option(
        "--budget",
        type=click.IntRange(min=50),
        metavar="TOKENS",
        help=f"How long it may be.  [default: conversation.{key}]",
    )


@verb()
@click.argument("window")
@click.argument("message")
@budget_option("attend_tokens")
@for_person_option(WHO_SPEAKS)
def attend(
    session: Session, window: str, message: str, budget: int | None, person: str
) -> None:
    """Print what to tell the agent in WINDOW for MESSAGE, or '-'.

    To be added to its context: what fits, from memory and from earlier
    conversations, and what has changed in core memory since the agent was last told.
    Nothing, if nothing fits.

        reverie attend trip-to-rome "What did we decide about the hotel?"
        reverie attend trip-to-rome - --budget 500 < message.txt
    """
    said = given_text(message)
    with session.open() as memory:
        attended = memory.attend(window, said, budget=budget, person=person)
    session.prompt(attended, attended.text)
