"""`undo`: take back a change, a reflection, a file, or everything since a moment."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.history import change, session_named

if TYPE_CHECKING:
    from datetime import datetime

    from reverie import Receipt

TO = "Everything since this moment; a day means its end."


@cli.verb()
@cli.argument("commit", required=False, metavar="[CHANGE]")
@cli.option("--file path", "Only this file.", metavar="PATH", default="")
@cli.option(
    "--session session_id", "All of one reflection, or of the 'last'.", None, "ID"
)
@cli.option("--to moment", TO, cli.moment_type(time.max), "WHEN")
@cli.yes_option("Do not ask again, with --to.")
@cli.actor_option()
def undo(
    call: cli.Invocation,
    commit: str | None,
    path: str,
    session_id: str | None,
    moment: datetime | None,
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
    if commit == "":
        cli.misused("CHANGE is empty; leave it out to take back the newest")
    if bool(session_id) + bool(moment) + bool(commit or path) > 1:
        cli.misused("--session, --to and CHANGE or --file exclude each other")
    memory = call.memory
    if moment:
        later = [entry for entry in memory.history(since=moment) if entry.at > moment]
        if later and call.interactive and not call.yes:
            files = {line.path for entry in later for line in entry.lines}
            changes = out.counted(len(later), "change")
            head = f"{changes} to {out.counted(len(files), 'file')} since then:"
            shown = [line for entry in later[:3] for line in change(entry)]
            more = out.rest(len(later) - 3)
            call.confirm([out.warn(head), *shown, *more], "Go back?")
        receipt = memory.restore(moment, actor=call.actor)
    else:
        file = cli.inside(memory.root, path) if path else ""
        name = session_named(memory, session_id) if session_id else ""
        receipt = memory.undo(commit or "", path=file, session=name, actor=call.actor)
    call.answer(receipt, _went_back(receipt))


def _went_back(receipt: Receipt) -> out.Lines:
    files = out.counted(len(receipt.lines), "file")
    yield out.good("Went back: "), f"{files} changed", out.commit(receipt)
    for summary in dict.fromkeys(line.summary for line in receipt.lines):
        paths = [line.path for line in receipt.lines if line.summary == summary]
        yield "  ", summary
        yield from (("    ", out.place(path)) for path in paths[:5])
        yield from out.rest(len(paths) - 5, indent=4)
    yield out.faint(f"`reverie undo {receipt.commit[:10]}` takes this back.")
