"""`init`: make a folder a workspace, or adopt what is in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from reverie.errors import ReverieError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

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
    doing it twice does no harm.

        reverie init
        reverie init ~/agents/alex
    """
    from reverie.memory import Memory

    root = Path(path or call.workspace or ".")
    known = (root / cli.GIT_DIR / "HEAD").is_file()
    made = Memory.init(root, clock=call.clock, human=call.channel)
    with call.using(made) as memory:
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
    call.answer(told, page)
