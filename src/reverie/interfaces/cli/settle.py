"""`settle`: answer what a page asks, which of some statements holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.remember import told_near

if TYPE_CHECKING:
    from datetime import date

_UNTIL = "With --both: until when one of them held; repeatable."


def _ended(text: str) -> tuple[str, date]:
    id_, equals, day = text.partition("=")
    if not equals:
        cli.misused(f"--until {text!r} is not ID=DAY: person--alex#3f2a9c=2025-06-01")
    return id_.strip(), cli.moment_type()(day).date()


@cli.verb()
@cli.argument("which", metavar="QUESTION|ID")
@cli.option("--keep", "This one holds; the others end today.", str, "ID")
@cli.flag("--both", "All of them hold.")
@cli.flag("--neither", "None of them does.")
@cli.option("--until", _UNTIL, _ended, "ID=DAY", multiple=True)
@cli.actor_option()
def settle(
    call: cli.Invocation,
    which: str,
    keep: str | None,
    until: tuple[tuple[str, date], ...],
    *,
    both: bool,
    neither: bool,
) -> None:
    """Say which of some statements holds that contradict each other.

    `reverie pending` lists them until they are settled. One is named by the id of a
    side, by its page, or by its number there. What does not hold is struck out with
    its day, and the page no longer asks. `reverie undo` brings it back.

        reverie settle person--alex#3f2a9c --keep person--alex#3f2a9c
        reverie settle 1 --both --until person--alex#3f2a9c=2025-06-01
        reverie settle person--alex --neither
    """
    receipt = call.memory.settle(
        which,
        keep=keep or "",
        both=both,
        neither=neither,
        until=dict(until),
        actor=call.actor,
    )
    page: out.Page = [(out.good("Settled."), out.commit(receipt))]
    gone = out.warn("No longer holds: ")
    page += [(gone, *told_near(each)) for each in receipt.superseded]
    call.answer(receipt, page)
