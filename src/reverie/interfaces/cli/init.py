"""`init`: make a folder a workspace, or adopt what is in it."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.check import findings_page
from reverie.interfaces.cli.import_ import MOST_PROBLEMS, make_vectors
from reverie.interfaces.cli.rebuild import interruptible

if TYPE_CHECKING:
    from reverie.importers.adoption import Unread
    from reverie.importers.intake import Imported

NEXT = 'Go there, then: reverie remember "something worth keeping"'
LOCK = "So that nobody says yes for you: reverie owner set"
LOCKED = (
    "The owner passphrase of a workspace that was here before still holds: "
    "reverie owner remove"
)


@cli.verb()
@cli.argument("path", required=False)
def init(call: cli.Invocation, path: str | None) -> None:
    """Make the folder PATH a workspace, or adopt what is in it.

    Without PATH, the current folder. Nothing that is there is overwritten, and
    doing it twice does no harm. Markdown in it is found where it stands; the notes of
    an Obsidian vault and of Claude Code are imported. What lies elsewhere is offered,
    and not read.

        reverie init
        reverie init ~/agents/alex
    """
    from reverie.memory import Memory

    root = Path(path or call.workspace or ".")
    known = (root / cli.GIT_DIR / "HEAD").is_file()
    with interruptible(call, "Importing") as step:
        made = Memory.init(root, clock=call.clock, human=call.channel, progress=step)
    with call.using(made) as memory:
        if made.adopted and made.adopted.added:
            make_vectors(call, memory)
        offers = memory.elsewhere(Path.home())
        first = memory.history(actor="system:init")[-1:]
        told, owned = memory.overview(), False
        with suppress(ReverieError):
            owned = memory.owned
    lines = [line for entry in first for line in entry.lines]
    adopted = sum(line.summary.startswith("adopted") for line in lines)
    where = out.place(str(Path(told.root).absolute()))
    page: out.Page = [(where, " is a workspace already; nothing was overwritten.")]
    if not known:
        mine = f", {out.counted(adopted, 'file')} of yours adopted unchanged"
        page = [(out.good("Made a workspace in "), where, mine if adopted else "")]
        page += map(out.faint, (NEXT, LOCKED if owned else LOCK))
    page[1:1] = _adoption(sum(told.counts.values()), made.adopted, offers)
    call.answer(told, page)


def _adoption(known: int, adopted: Imported | None, offers: list[Unread]) -> out.Lines:
    """What of the folder can be recalled now, and what could be besides."""
    if known:
        new = (
            f", {adopted.added:,} of them imported" if adopted and adopted.added else ""
        )
        yield f"{out.memories(known)} can be recalled now{new}."
    problems = sorted(adopted.findings) if adopted else []
    if problems:
        yield from findings_page(problems[:MOST_PROBLEMS])
    yield from out.rest(len(problems) - MOST_PROBLEMS)
    if offers:
        yield "There is more, which was not read:"
    for offer in offers:
        kind = f" --kind {offer.kind}" if offer.kind else ""
        where = shlex.quote(offer.path)
        yield (
            f"  {offer.what} ({offer.count:,}): ",
            out.place(f"reverie import {where}{kind}"),
        )
