"""`history`: what changed, who did it, and which change each line came with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie import Action, NotFoundError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie import LogEntry, Memory, SubAgent

FILES_SHOWN = 5
"""So many files of one change are listed; --json has them all."""

_LOST = (Action.DELETE, Action.ARCHIVE, Action.DECAY, Action.REJECT, Action.ALERT)
_LOOKS = {
    **dict.fromkeys(_LOST, "bad"),
    **dict.fromkeys((Action.CREATE, Action.APPEND), "good"),
    Action.REVERT: "warn",
}


def session_named(memory: Memory | SubAgent, name: str) -> str:
    """A reflection's id; `last` means the newest."""
    if name != "last":
        return name.removeprefix("reflection:")
    newest = memory.history(actor="reflection", limit=1)
    if not newest:
        problem = "there has been no reflection yet"
        raise NotFoundError(problem, hint="`reverie history` lists what happened.")
    return newest[0].actor.session


@cli.verb()
@cli.argument("path", required=False)
@cli.option("--actor", "Only by this actor.", metavar="ACTOR", default="")
@cli.option("--since", "Only from this moment on.", cli.moment_type(), "WHEN")
@cli.option("--forgotten", "Why was TEXT forgotten?", metavar="TEXT", default="")
@cli.option(
    "--session session_id", "What did this reflection do? Or 'last'.", metavar="ID"
)
@cli.flag("--lines", "Which change each line of PATH came with.")
@cli.option("-n --limit", "How many, 0 for all.", click.IntRange(min=0), "N", usual=20)
def history(
    call: cli.Invocation,
    path: str | None,
    session_id: str | None,
    limit: int,
    *,
    lines: bool,
    **given: Any,
) -> None:
    """Tell what changed, newest first: everything, or one file.

    WHEN is a date, a time, `yesterday` or `2 days ago`, in your time zone. `reverie
    show CHANGE` prints what one of them did to the files. Lines that somebody typed
    into a file are by `manual`.

        reverie history
        reverie history MEMORY.md --since yesterday
        reverie history MEMORY.md --lines
        reverie history --forgotten "old office"
        reverie history --session last
    """
    if lines and not path:
        cli.misused("--lines needs the PATH of a file")
    memory = call.reader
    file = cli.inside(memory.root, path) if path else ""
    if lines:
        found = memory.blame(file)
        rows = [
            (
                out.ident(each.commit[:10]),
                cli.local(each.at)[:10],
                out.who(each.actor),
                out.faint(f"{each.number:>4}"),
                each.text,
            )
            for each in found
        ]
        call.answer(found, [out.Table(rows) if rows else "The file is empty."])
        return
    if session_id:
        given["actor"] = f"reflection:{session_named(memory, session_id)}"
    most = limit + 1 if limit else 0
    changes = memory.history(path=file, limit=most, **given)
    if file and not (changes or any(given.values())):
        problem = f"there is no file {path!r}, and history knows none"
        raise NotFoundError(problem, hint="`reverie history` lists what changed.")
    told = changes[: limit or None]
    page: out.Page = [line for entry in told for line in (*change(entry), "")][:-1]
    if len(changes) > len(told):
        page += ["", out.faint("… and more (--limit 0)")]
    call.answer(told, page or ["No changes."])


def change(entry: LogEntry) -> out.Lines:
    """One change: who and when, then what it did to which file."""
    said = entry.trigger and entry.trigger not in {"remember", "—"}
    by = str(entry.actor)
    yield (
        out.ident(entry.commit[:10]),
        f"  {cli.local(entry.at)}  ",
        out.who(by) if entry.verified else out.bad(by),
        out.bad(f" (claims {entry.claim})" if entry.claim else ""),
        out.faint(f"  {entry.trigger}" if said else ""),
    )
    for line in entry.lines[:FILES_SHOWN]:
        done = out.Styled(line.action, _LOOKS.get(line.action, ""))
        yield "  ", done, " ", out.place(line.path), f" — {line.summary}"
    yield from out.rest(len(entry.lines) - FILES_SHOWN, " files", 2)
