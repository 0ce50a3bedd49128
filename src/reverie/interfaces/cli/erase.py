"""`erase`: for good, from history too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import Erasing, ErasureReceipt, Taken

WORD = "erase"
MOST = 5
QUOTES = "Take its words out of those, too? (yes, or nothing to leave them)"


@cli.verb()
@cli.argument("id_", required=False, default="", metavar="[ID]")
@cli.option("--text", "Erase this very text wherever it stands.", default="")
@cli.option(
    "--person", "Erase all they said, what is for them, their page.", default=""
)
@cli.flag("--quotes", "Take its words out of what quotes it, too.")
@cli.yes_option()
def erase(
    call: cli.Invocation, id_: str, text: str, person: str, *, quotes: bool
) -> int:
    """Remove a memory, a text or a person for good, from history too.

    This cannot be undone. It goes from files, index, log and history, which is
    written again without it, and so does what was made of it alone. What tells of it
    among other things is shown, and stays unless you say otherwise, or --quotes.
    Then everything is searched for what might remain.

        reverie erase vault:passport
        reverie erase person--alex#3f2a9c
        reverie erase --text "4111 1111 1111 1111"
        reverie erase --person "Ralf Kunze"
    """
    if sum(map(bool, (id_, text, person))) != 1:
        cli.misused("name what to erase: an ID, --text or --person")
    memory = call.memory
    # Unseen, only what is named in full goes for good.
    meant = id_ if call.yes else cli.named(memory, id_) if id_ else ""
    if call.interactive and not call.yes:
        found = memory.find_to_erase(meant, text=text, person=person)
        call.say(_would_go(found, text))
        if found.quoted and not text and not quotes:
            quotes = channel.ask(QUOTES).strip().lower() in {"y", "yes"}
        type_the_word()
    with call.progress("Writing history again") as step:
        receipt = memory.erase(
            meant, text=text, person=person, quotes=quotes, progress=step
        )
    call.answer(receipt, _gone(receipt))
    return int(bool(receipt.remains))


def type_the_word(warning: str = "") -> None:
    """Have a person type what they are about to do."""
    if channel.ask(f"{warning}Type {WORD!r} to go on").lower() != WORD:
        cli.unconfirmed()


def _would_go(found: Erasing, text: str) -> out.Lines:
    if text:
        yield "This text will be gone for good, wherever it stands or stood:"
        yield from ("", *out.paragraph(text, 2), "")
        yield from _listed(found.quoted)
    else:
        yield "This will be gone for good, with every version of it:"
        yield ""
        for each in found.taken[:MOST]:
            yield from out.paragraph(each.text, 2)
            yield "  ", out.place(f"{each.id} in {each.path}:{each.line}")
        yield from out.rest(len(found.taken) - MOST, " memories", 2)
        if found.quoted:
            yield from ("", "This tells of it among other things, and would stay:", "")
            yield from _listed(found.quoted, shown=True)
    yield out.bad("It cannot be undone.")


def _listed(found: Sequence[Taken], *, shown: bool = False) -> out.Lines:
    for each in found[:MOST]:
        told = f": {out.shortened(each.text, 60)}" if shown else ""
        yield "  ", out.place(f"{each.id} in {each.path}:{each.line}"), told
    yield from out.rest(len(found) - MOST, " memories", 2)


def _gone(receipt: ErasureReceipt) -> out.Lines:
    changes = f"All {receipt.rewritten:,} changes of history are without it"
    yield out.good("Erased. "), f"{changes}; {receipt.dropped:,} old objects dropped."
    yield f"That something was erased is recorded in {receipt.commit[:10]}."
    if not receipt.remains:
        yield out.good("The scan of every file and git object finds nothing of it.")
    yield from told_left(receipt)


def told_left(receipt: ErasureReceipt) -> out.Lines:
    """Where something that was erased still stands, or may."""
    if receipt.remains:
        yield out.bad("The scan still finds it in:")
        yield from (("  ", out.place(where)) for where in receipt.remains)
    if receipt.quoted:
        yield "This tells of it among other things; --quotes takes the words out:"
        yield from _listed(receipt.quoted, shown=True)
    if receipt.beyond:
        yield out.warn("Not reached, because it is not in the workspace:")
        yield from (("  ", out.place(where)) for where in receipt.beyond)
    if receipt.remotes:
        copies = ", ".join(receipt.remotes)
        yield out.warn(f"Copies elsewhere still have it; clean them yourself: {copies}")
