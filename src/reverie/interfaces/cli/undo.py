"""`undo` and `restore`: going back, which is a change like any other."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.history import change, session_named
from reverie.interfaces.cli.moments import local, moment_type
from reverie.interfaces.cli.page import Span, Style, counted, row
from reverie.interfaces.cli.session import inside, session_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.model.change import Actor, LogEntry, Receipt


@click.command(cls=Verb)
@click.argument("commit", required=False, default="", metavar="[CHANGE]")
@click.option("--file", "path", default="", metavar="PATH", help="Only this file.")
@click.option(
    "--session",
    "session_id",
    metavar="ID",
    help="All of one reflection, or of the 'last'.",
)
@actor_option()
@click.pass_context
def undo(
    ctx: click.Context,
    commit: str,
    path: str,
    session_id: str | None,
    actor: Actor | None,
) -> None:
    """Take back one change, the newest unless CHANGE names another.

    Later changes stay. With --file, that file becomes what it was at CHANGE, or
    before its last change. Undoing is itself a change, which can be undone by id.

        reverie undo
        reverie undo a6f907cb22
        reverie undo --file MEMORY.md
        reverie undo --session r-012
    """
    if session_id and (commit or path):
        message = "--session goes with neither CHANGE nor --file"
        raise click.UsageError(message, ctx)
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.undo(
            commit,
            path=inside(memory.root, path) if path else "",
            session=session_named(memory, session_id) if session_id else "",
            actor=actor,
        )
    session.answer(receipt, _went_back)


@click.command(cls=Verb)
@click.option(
    "--at",
    required=True,
    type=moment_type(time.max, past=True),
    metavar="WHEN",
    help="The moment to go back to; a day means its end.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@click.pass_context
def restore(
    ctx: click.Context, at: datetime, *, yes: bool, actor: Actor | None
) -> None:
    """Make the whole workspace what it was at a moment.

    WHEN is a date, a time, `yesterday` or `2 days ago`, in your time zone. It is a
    change like any other, so nothing is lost: undo it to come back.

        reverie restore --at "2 hours ago"
        reverie restore --at "2026-02-02 14:30" --yes
    """
    session = session_of(ctx)
    with session.open() as memory:
        if session.interactive and not yes:
            _ask(session, memory, at)
        receipt = memory.restore(at, actor=actor)
    session.answer(receipt, _went_back)


def _ask(session: Session, memory: Memory, at: datetime) -> None:
    later = [entry for entry in memory.history(since=at) if entry.at > at]
    if later:
        session.say(_would_go(later, at))
        session.confirm("Go back?")


def _would_go(later: Sequence[LogEntry], at: datetime) -> Page:
    files = {line.path for entry in later for line in entry.lines}
    words = f"{counted(len(later), 'change')} to {counted(len(files), 'file')}"
    page: Page = [row(Span(f"{words} since {local(at)}:", Style.WARN))]
    for entry in later[:3]:
        page += change(entry)
    if len(later) > 3:
        page.append(row(Span(f"… and {len(later) - 3:,} more", Style.FAINT)))
    return page


def _went_back(receipt: Receipt) -> Page:
    files = counted(len(receipt.lines), "file")
    page: Page = [
        row(
            Span("Went back: ", Style.GOOD),
            f"{files} changed  ",
            Span(receipt.commit[:10], Style.FAINT),
        )
    ]
    for summary in dict.fromkeys(line.summary for line in receipt.lines):
        paths = [line.path for line in receipt.lines if line.summary == summary]
        page.append(row(summary, indent=2))
        page += [row(Span(path, Style.PATH), indent=4) for path in paths[:5]]
        if len(paths) > 5:
            more = f"… and {len(paths) - 5:,} more"
            page.append(row(Span(more, Style.FAINT), indent=4))
    back = f"`reverie undo {receipt.commit[:10]}` takes this back."
    return [*page, row(Span(back, Style.FAINT))]
