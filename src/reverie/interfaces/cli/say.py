"""`say`: record what is said in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import for_person_option, moment_type, verb
from reverie.interfaces.cli.output import good, ident
from reverie.interfaces.cli.session import given_text
from reverie.model.items import Role

if TYPE_CHECKING:
    from reverie.interfaces.cli.session import Session


@verb()
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
def say(session: Session, window: str, text: str, **given: Any) -> None:  # noqa: ANN401 - as typed
    """Record TEXT as said in WINDOW, or standard input for '-'.

    It is durable when the command returns. A question and its answer share a number.
    Passwords and keys are redacted, and what Reverie put into a message is left out.

        reverie say trip-to-rome "Where do we stay?"
        reverie say trip-to-rome --role assistant "In Trastevere, for three nights."
        reverie say trip-to-rome - --speaker Nora < message.txt
    """
    given["answers"] = given["answers"] or 0
    with session.open() as memory:
        turn = memory.window(window).say(given_text(text), **given)
    id_ = f"turn:{turn.window}/{turn.number}/{turn.role}/0"
    session.answer(turn, lambda _: [(good("Said "), ident(id_))])
