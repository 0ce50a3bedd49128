"""`pin`: keep a memory from fading, or let it fade again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import actor_option, verb
from reverie.interfaces.cli.output import faint, good, ident
from reverie.interfaces.cli.session import named

if TYPE_CHECKING:
    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt


@verb()
@click.argument("id_", metavar="ID")
@click.option("--remove", is_flag=True, help="Let it fade again.")
@actor_option()
def pin(session: Session, id_: str, actor: Actor | None, *, remove: bool) -> None:
    """Keep the memory ID from fading, or let it fade again.

    A name that fits one memory alone will do. A pinned item of core memory is never
    moved out either. Only you may --remove a pin; notes in the vault stay pinned for
    as long as they are there.

        reverie pin entity:person--alex
        reverie pin alex
        reverie pin alex --remove
    """
    with session.open() as memory:
        meant = named(memory, id_)
        receipt = memory.unpin(meant) if remove else memory.pin(meant, actor=actor)
    word = "Unpinned" if remove else "Pinned"

    def told(receipt: Receipt) -> Page:
        (id_,) = receipt.ids
        if not receipt.lines:
            return [(ident(id_), f" was {word.lower()} already")]
        return [(good(f"{word} "), ident(id_), faint(f"  {receipt.commit[:10]}"))]

    session.answer(receipt, told)
