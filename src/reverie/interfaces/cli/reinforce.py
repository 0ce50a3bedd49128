"""`reinforce`: note that memories were of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import verb
from reverie.interfaces.cli.output import counted, good
from reverie.interfaces.cli.session import named

if TYPE_CHECKING:
    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session


@verb()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def reinforce(session: Session, ids: tuple[str, ...]) -> None:
    """Note that memories were of use.

    What is of use fades later. Recalling alone does not count: say so for what
    really went into an answer.

        reverie reinforce entity:person--alex episode:2026-02-02:14:30
    """
    with session.open() as memory:
        # `show` raises for one that does not exist.
        meant = [memory.show(named(memory, id_)).id for id_ in ids]
        count = memory.reinforce(meant)

    def told(_: object) -> Page:
        if not count:
            return ["Nothing to note: what was named does not fade."]
        words = counted(count, "memory was", "memories were")
        return [(good("Noted: "), f"{words} of use.")]

    session.answer({"reinforced": count}, told)
