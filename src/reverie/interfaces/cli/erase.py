"""`erase`: for good, from history too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import channel
from reverie.interfaces.cli.command import verb
from reverie.interfaces.cli.output import bad, faint, good, paragraph, place, warn
from reverie.interfaces.cli.session import NotConfirmedError, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.output import Line, Table
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.model.views import ErasureReceipt

WORD = "erase"


@verb()
@click.argument("id_", required=False, default="", metavar="[ID]")
@click.option("--text", default="", help="Erase this very text wherever it stands.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
def erase(session: Session, id_: str, text: str, *, yes: bool) -> int:
    """Remove a memory, or a text, for good, from history too.

    This cannot be undone. It goes from files, index, log and history, which is
    written again without it; then everything is searched for what might remain.

        reverie erase vault:passport
        reverie erase --text "4111 1111 1111 1111"
    """
    if bool(id_) == bool(text):
        message = "name what to erase: either an ID or --text"
        raise click.UsageError(message, click.get_current_context())
    with session.open() as memory:
        # Unseen, only what is named in full goes for good.
        meant = id_ if yes else named(memory, id_) if id_ else ""
        if session.interactive and not yes:
            session.say(_would_go(memory, meant, text))
            type_the_word()
        with session.progress("Writing history again") as step:
            receipt = memory.erase(meant, text=text, progress=step)
    session.answer(receipt, _gone)
    return int(bool(receipt.remains))


def type_the_word(warning: str = "") -> None:
    """Have a person type what they are about to do."""
    if channel.ask(f"{warning}Type {WORD!r} to go on").lower() != WORD:
        raise NotConfirmedError


def _would_go(memory: Memory, id_: str, text: str) -> Iterator[Line | Table]:
    if id_:
        found = [memory.show(id_)]
        yield "This will be gone for good, with every version of it:"
    else:
        found = [each for each in memory.items() if text in each.text]
        yield "This text will be gone for good, wherever it stands or stood:"
    yield ""
    yield from paragraph(text or found[0].text, 2)
    yield ""
    yield from (("  ", place(f"{each.id} in {each.path}")) for each in found[:5])
    if len(found) > 5:
        yield "  ", faint(f"… and {len(found) - 5:,} more memories")
    yield bad("It cannot be undone.")


def _gone(receipt: ErasureReceipt) -> Iterator[Line]:
    changes = f"All {receipt.rewritten:,} changes of history are without it"
    yield good("Erased. "), f"{changes}; {receipt.dropped:,} old objects dropped."
    yield f"That something was erased is recorded in {receipt.commit[:10]}."
    if receipt.remains:
        yield bad("The scan still finds it in:")
        yield from (("  ", place(where)) for where in receipt.remains)
    else:
        yield good("The scan of every file and git object finds nothing of it.")
    if receipt.remotes:
        copies = ", ".join(receipt.remotes)
        yield warn(f"Copies elsewhere still have it; clean them yourself: {copies}")
