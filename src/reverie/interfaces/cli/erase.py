"""`erase`: for good, from history too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import channel
from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.page import BLANK, Span, Style, paragraph, row
from reverie.interfaces.cli.session import NotConfirmedError, session_of

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.memory import Memory
    from reverie.model.views import ErasureReceipt

WORD = "erase"


@click.command(cls=Verb)
@click.argument("id_", required=False, default="", metavar="[ID]")
@click.option("--text", default="", help="Erase this very text wherever it stands.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@click.pass_context
def erase(ctx: click.Context, id_: str, text: str, *, yes: bool) -> None:
    """Remove a memory, or a text, for good, from history too.

    This cannot be undone. It goes from files, index, log and history, which is
    written again without it; then everything is searched for what might remain.

        reverie erase vault:passport
        reverie erase --text "4111 1111 1111 1111"
    """
    if bool(id_) == bool(text):
        message = "name what to erase: either an ID or --text"
        raise click.UsageError(message, ctx)
    session = session_of(ctx)
    with session.open() as memory:
        if session.interactive and not yes:
            session.say(_would_go(memory, id_, text))
            type_the_word()
        with session.progress("Writing history again") as step:
            receipt = memory.erase(id_, text=text, progress=step)
    session.answer(receipt, _gone)
    if receipt.remains:
        ctx.exit(1)


def type_the_word(warning: str = "") -> None:
    """Have a person type what they are about to do."""
    if channel.ask(f"{warning}Type {WORD!r} to go on").lower() != WORD:
        raise NotConfirmedError


def _would_go(memory: Memory, id_: str, text: str) -> Page:
    if id_:
        shown = memory.show(id_)
        found = [shown]
        page = [
            row("This will be gone for good, with every version of it:"),
            BLANK,
            *paragraph(shown.text, indent=2),
        ]
    else:
        found = [each for each in memory.items() if text in each.text]
        page = [
            row("This text will be gone for good, wherever it stands or stood:"),
            BLANK,
            *paragraph(text, indent=2),
        ]
    places = [row(Span(f"{f.id} in {f.path}", Style.PATH), indent=2) for f in found[:5]]
    more = len(found) - 5
    if more > 0:
        places.append(row(Span(f"… and {more:,} more memories", Style.FAINT), indent=2))
    return [*page, BLANK, *places, row(Span("It cannot be undone.", Style.BAD))]


def _gone(receipt: ErasureReceipt) -> Page:
    page: Page = [
        row(
            Span("Erased. ", Style.GOOD),
            f"All {receipt.rewritten:,} changes of history are without it; "
            f"{receipt.dropped:,} old objects dropped.",
        ),
        row(f"That something was erased is recorded in {receipt.commit[:10]}."),
    ]
    if receipt.remains:
        page.append(row(Span("The scan still finds it in:", Style.BAD)))
        page += [row(Span(place, Style.PATH), indent=2) for place in receipt.remains]
    else:
        scan = "The scan of every file and git object finds nothing of it."
        page.append(row(Span(scan, Style.GOOD)))
    if receipt.remotes:
        copies = ", ".join(receipt.remotes)
        words = f"Copies elsewhere still have it; clean them yourself: {copies}"
        page.append(row(Span(words, Style.WARN)))
    return page
