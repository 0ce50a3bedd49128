"""`init`: make a folder a workspace, or adopt what is in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.errors import ReverieError
from reverie.interfaces.cli.command import verb
from reverie.interfaces.cli.output import counted, faint, good, place
from reverie.interfaces.cli.session import GIT_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session

LOCK = "So that nobody says yes for you: reverie owner set"
LOCKED = (
    "The owner passphrase of a workspace that was here before still holds: "
    "reverie owner remove"
)


@verb()
@click.argument("path", required=False)
def init(session: Session, path: str | None) -> None:
    """Make the folder PATH a workspace, or adopt what is in it.

    Without PATH, the current folder. Nothing that is there is overwritten, and
    doing it twice does no harm.

        reverie init
        reverie init ~/agents/alex
    """
    from reverie.memory import Memory

    root = Path(path or session.workspace or ".")
    known = (root / GIT_DIR / "HEAD").is_file()
    made = Memory.init(root, clock=session.clock, human=session.channel)
    with session.using(made) as memory:
        first = memory.history(actor="system:init")[-1:]
        told, owned = memory.overview(), False
        with suppress(ReverieError):
            owned = memory.owned
    adopted = sum(
        line.summary.startswith("adopted") for entry in first for line in entry.lines
    )

    def page(_: object) -> Iterator[Line]:
        where = place(str(Path(told.root).absolute()))
        if known:
            yield where, " is a workspace already; nothing was overwritten."
            return
        yield good("Made a workspace in "), where
        if adopted:
            yield f"{counted(adopted, 'file')} of yours adopted unchanged."
        yield faint('Go there, then: reverie remember "something worth keeping"')
        yield faint(LOCKED if owned else LOCK)

    session.answer(told, page)
