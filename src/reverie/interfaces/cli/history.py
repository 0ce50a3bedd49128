"""`history`: what changed, who did it, and which change each line came with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError
from reverie.interfaces.cli.command import local, moment_type, verb
from reverie.interfaces.cli.output import (
    Styled,
    Table,
    bad,
    counted,
    faint,
    ident,
    place,
    who,
)
from reverie.interfaces.cli.session import inside
from reverie.model.change import Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory, SubAgent
    from reverie.model.change import LogEntry
    from reverie.model.views import BlameLine

FILES_SHOWN = 5
"""So many files of one change are listed; --json has them all."""

_LOST = (Action.DELETE, Action.ARCHIVE, Action.DECAY, Action.REJECT, Action.ALERT)
_LOOKS = {
    **dict.fromkeys(_LOST, "bad"),
    Action.CREATE: "good",
    Action.APPEND: "good",
    Action.REVERT: "warn",
}


class NoReflectionError(NotFoundError):
    """There has been no reflection yet."""

    def __init__(self) -> None:
        hint = "`reverie history` lists what happened."
        super().__init__("there has been no reflection yet", hint=hint)


def session_named(memory: Memory | SubAgent, name: str) -> str:
    """A reflection's id; `last` means the newest."""
    if name != "last":
        return name.removeprefix("reflection:")
    newest = memory.history(actor="reflection", limit=1)
    if not newest:
        raise NoReflectionError
    return newest[0].actor.session


@verb()
@click.argument("path", required=False)
@click.option("--actor", default="", metavar="ACTOR", help="Only by this actor.")
@click.option(
    "--since", type=moment_type(), metavar="WHEN", help="Only from this moment on."
)
@click.option("--forgotten", default="", metavar="TEXT", help="Why was TEXT forgotten?")
@click.option(
    "--session",
    "session_id",
    metavar="ID",
    help="What did this reflection do? Or 'last'.",
)
@click.option("--lines", is_flag=True, help="Which change each line of PATH came with.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    default=20,
    show_default=True,
    help="How many, 0 for all.",
)
def history(
    session: Session,
    path: str | None,
    actor: str,
    since: datetime | None,
    forgotten: str,
    session_id: str | None,
    limit: int,
    *,
    lines: bool,
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
        message = "--lines needs the PATH of a file"
        raise click.UsageError(message, click.get_current_context())
    with session.asking() as memory:
        file = inside(memory.root, path) if path else ""
        if lines:
            session.answer(memory.blame(file), _lines)
            return
        if session_id:
            actor = f"reflection:{session_named(memory, session_id)}"
        most = limit + 1 if limit else 0
        found = memory.history(
            path=file, actor=actor, since=since, forgotten=forgotten, limit=most
        )
    more = bool(limit) and len(found) > limit
    told = found[: limit or None]
    session.answer(told, lambda value: _history(value, forgotten, more=more))


def _history(found: Sequence[LogEntry], forgotten: str, *, more: bool) -> Page:
    if not found:
        missing = f"Nothing about {forgotten!r} was forgotten."
        return [missing if forgotten else "No changes."]
    page: Page = [line for entry in found for line in (*change(entry), "")]
    return [*page, faint("… and more (--limit 0)")] if more else page[:-1]


def change(entry: LogEntry) -> Iterator[Line]:
    """One change: who and when, then what it did to which file."""
    said = entry.trigger and entry.trigger not in {"remember", "—"}
    yield (
        ident(entry.commit[:10]),
        f"  {local(entry.at)}  ",
        who(str(entry.actor)) if entry.verified else bad(str(entry.actor)),
        bad(f" (claims {entry.claim})" if entry.claim else ""),
        faint(f"  {entry.trigger}" if said else ""),
    )
    for line in entry.lines[:FILES_SHOWN]:
        done = Styled(line.action, _LOOKS.get(line.action, ""))
        yield "  ", done, " ", place(line.path), f" — {line.summary}"
    if left := len(entry.lines[FILES_SHOWN:]):
        yield "  ", faint(f"… and {counted(left, 'more file')}")


def _lines(found: Sequence[BlameLine]) -> Page:
    if not found:
        return ["The file is empty."]
    return [
        Table(
            [
                (
                    ident(each.commit[:10]),
                    local(each.at)[:10],
                    who(each.actor),
                    faint(f"{each.number:>4}"),
                    each.text,
                )
                for each in found
            ]
        )
    ]
