"""`undo`: take back a change, a reflection, a file, or everything since a moment."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import actor_option, local, moment_type, verb
from reverie.interfaces.cli.history import change, session_named
from reverie.interfaces.cli.output import counted, faint, good, place, warn
from reverie.interfaces.cli.session import inside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.model.change import Actor, Receipt


@verb()
@click.argument("commit", required=False, default="", metavar="[CHANGE]")
@click.option("--file", "path", default="", metavar="PATH", help="Only this file.")
@click.option(
    "--session",
    "session_id",
    metavar="ID",
    help="All of one reflection, or of the 'last'.",
)
@click.option(
    "--to",
    "moment",
    type=moment_type(time.max, past=True),
    metavar="WHEN",
    help="Everything since this moment; a day means its end.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask again, with --to.")
@actor_option()
def undo(
    session: Session,
    commit: str,
    path: str,
    session_id: str | None,
    moment: datetime | None,
    actor: Actor | None,
    *,
    yes: bool,
) -> None:
    """Take back one change, the newest unless CHANGE names another.

    Later changes stay. With --file, that file becomes what it was at CHANGE, or
    before its last change. With --to, the whole workspace becomes what it was at a
    moment: a date, a time, `yesterday` or `2 days ago`, in your time zone. Undoing is
    itself a change, so nothing is lost, and it can be undone by its id.

        reverie undo
        reverie undo a6f907cb22
        reverie undo --file MEMORY.md
        reverie undo --session r-012
        reverie undo --to "2 hours ago"
    """
    if bool(session_id) + bool(moment) + bool(commit or path) > 1:
        message = "--session, --to and CHANGE or --file exclude each other"
        raise click.UsageError(message, click.get_current_context())
    with session.open() as memory:
        if moment:
            if session.interactive and not yes:
                _ask(session, memory, moment)
            receipt = memory.restore(moment, actor=actor)
        else:
            receipt = memory.undo(
                commit,
                path=inside(memory.root, path) if path else "",
                session=session_named(memory, session_id) if session_id else "",
                actor=actor,
            )
    session.answer(receipt, _went_back)


def _ask(session: Session, memory: Memory, at: datetime) -> None:
    later = [entry for entry in memory.history(since=at) if entry.at > at]
    if not later:
        return
    files = {line.path for entry in later for line in entry.lines}
    words = f"{counted(len(later), 'change')} to {counted(len(files), 'file')}"
    more = [faint(f"… and {len(later) - 3:,} more")] if len(later) > 3 else []
    shown = [line for entry in later[:3] for line in change(entry)]
    session.say([warn(f"{words} since {local(at)}:"), *shown, *more])
    session.confirm("Go back?")


def _went_back(receipt: Receipt) -> Iterator[Line]:
    commit = receipt.commit[:10]
    files = counted(len(receipt.lines), "file")
    yield good("Went back: "), f"{files} changed  ", faint(commit)
    for summary in dict.fromkeys(line.summary for line in receipt.lines):
        paths = [line.path for line in receipt.lines if line.summary == summary]
        yield "  ", summary
        yield from (("    ", place(path)) for path in paths[:5])
        if len(paths) > 5:
            yield "    ", faint(f"… and {len(paths) - 5:,} more")
    yield faint(f"`reverie undo {commit}` takes this back.")
