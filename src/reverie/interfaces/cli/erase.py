"""`erase`: for good, from history too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie import ErasureReceipt, Memory

WORD = "erase"


@cli.verb()
@cli.argument("id_", required=False, default="", metavar="[ID]")
@cli.option("--text", "Erase this very text wherever it stands.", default="")
@cli.yes_option()
def erase(call: cli.Invocation, id_: str, text: str) -> int:
    """Remove a memory, or a text, for good, from history too.

    This cannot be undone. It goes from files, index, log and history, which is
    written again without it; then everything is searched for what might remain.

        reverie erase vault:passport
        reverie erase --text "4111 1111 1111 1111"
    """
    if bool(id_) == bool(text):
        cli.misused("name what to erase: either an ID or --text")
    memory = call.memory
    # Unseen, only what is named in full goes for good.
    meant = id_ if call.yes else cli.named(memory, id_) if id_ else ""
    if call.interactive and not call.yes:
        call.say(_would_go(memory, meant, text))
        type_the_word()
    with call.progress("Writing history again") as step:
        receipt = memory.erase(meant, text=text, progress=step)
    call.answer(receipt, _gone(receipt))
    return int(bool(receipt.remains))


def type_the_word(warning: str = "") -> None:
    """Have a person type what they are about to do."""
    if channel.ask(f"{warning}Type {WORD!r} to go on").lower() != WORD:
        cli.unconfirmed()


def _would_go(memory: Memory, id_: str, text: str) -> out.Lines:
    if id_:
        found = [memory.show(id_)]
        yield "This will be gone for good, with every version of it:"
    else:
        found = [each for each in memory.items() if text in each.text]
        yield "This text will be gone for good, wherever it stands or stood:"
    yield from ("", *out.paragraph(text or found[0].text, 2), "")
    yield from (("  ", out.place(f"{each.id} in {each.path}")) for each in found[:5])
    yield from out.rest(len(found) - 5, " memories", 2)
    yield out.bad("It cannot be undone.")


def _gone(receipt: ErasureReceipt) -> out.Lines:
    changes = f"All {receipt.rewritten:,} changes of history are without it"
    yield out.good("Erased. "), f"{changes}; {receipt.dropped:,} old objects dropped."
    yield f"That something was erased is recorded in {receipt.commit[:10]}."
    if receipt.remains:
        yield out.bad("The scan still finds it in:")
        yield from (("  ", out.place(where)) for where in receipt.remains)
    else:
        yield out.good("The scan of every file and git object finds nothing of it.")
    if receipt.remotes:
        copies = ", ".join(receipt.remotes)
        yield out.warn(f"Copies elsewhere still have it; clean them yourself: {copies}")
