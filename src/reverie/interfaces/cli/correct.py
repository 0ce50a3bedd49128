"""`correct`: put new words in the place of what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie import Origin
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.remember import link, told_near, told_remembered
from reverie.interfaces.hosts.runtime import CALL_DEPTH, host_processes
from reverie.model.change import REMEMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import Near

_ORIGINS = click.Choice([str(each) for each in Origin], case_sensitive=False)
_LINK = "A relation of the new fact, as 'Uses=tool--vim'; repeatable."
_ON = "Since when the new fact holds.  [default: today]"


@cli.verb()
@cli.argument("what", metavar="ID|WORDS")
@cli.argument("new")
@cli.option("--on", _ON, cli.moment_type(), "DAY")
@cli.option("--link links", _LINK, link, "LABEL=ENTITY", multiple=True)
@cli.actor_option("bot:trigger-remember")
@cli.option("--origin", "Whose words it is: 'tool' for what a web page said.", _ORIGINS)
def correct(call: cli.Invocation, what: str, new: str, **given: Any) -> int:
    """Put NEW in the place of what is remembered, in one change.

    It is named by its id, or by words that stand in it alone; where several fit they
    are shown and nothing is changed. A fact is struck out with its day, and what it was
    linked with no longer is. An episode is struck out in its log. A line of core
    memory, a step of a procedure and a note of the vault are replaced where they stand;
    history keeps what they said. `reverie undo` brings it back.

        reverie correct person--alex#3f2a9c "Lives in Lyon." --link lives-in=place--lyon
        reverie correct "launch November" "The launch is on 15 December."
        reverie correct procedure:how-to-deploy#2 "Run all the tests."
    """
    memory = call.memory
    actor = call.actor or memory.acting(REMEMBER)
    origin = given["origin"] or (None if actor.human else Origin.AGENT)
    on = given["on"].date() if given["on"] else None
    words = cli.given_text(new)
    receipt = memory.correct(
        *(what, words),
        on=on,
        links=given["links"],
        actor=actor,
        origin=origin,
        conversation=memory.find_conversation(host_processes(CALL_DEPTH)),
    )
    if receipt.choices:
        call.answer(receipt, _choices(receipt.choices))
        return cli.REFUSED
    call.answer(receipt, told_remembered(receipt, "Corrected "))
    return 0


def _choices(choices: Sequence[Near]) -> out.Lines:
    yield out.warn("Nothing was changed: these may be meant.")
    yield from (("  ", *told_near(near)) for near in choices)
    yield "  ", out.faint("Name one by its id.")
