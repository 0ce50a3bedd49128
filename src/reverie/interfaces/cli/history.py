"""`history`, `diff` and `blame`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError
from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.moments import local, moment_type
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import inside, session_of
from reverie.model.change import Action

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.interfaces.cli.page import Page, Row
    from reverie.memory import Memory
    from reverie.memory.companions import SubAgent
    from reverie.model.change import LogEntry, LogLine
    from reverie.model.views import BlameLine

FILES_SHOWN = 5
"""So many files of one change are listed; --json has them all."""

_LOST = {Action.DELETE, Action.ARCHIVE, Action.DECAY, Action.REJECT}
_STYLE_OF_ACTION = {
    Action.CREATE: Style.GOOD,
    Action.APPEND: Style.GOOD,
    Action.ALERT: Style.BAD,
    Action.REVERT: Style.WARN,
    **dict.fromkeys(_LOST, Style.BAD),
}


class NoReflectionError(NotFoundError):
    """There has been no reflection yet."""

    def __init__(self) -> None:
        super().__init__(
            "there has been no reflection yet",
            hint="`reverie history` lists what happened.",
        )


def session_named(memory: Memory | SubAgent, name: str) -> str:
    """A reflection's id; `last` means the newest."""
    if name != "last":
        return name.removeprefix("reflection:")
    newest = memory.history(actor="reflection", limit=1)
    if not newest:
        raise NoReflectionError
    return newest[0].actor.session


@click.command(cls=Verb)
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
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    default=20,
    show_default=True,
    help="How many, 0 for all.",
)
@click.pass_context
def history(
    ctx: click.Context,
    /,
    path: str | None,
    since: datetime | None,
    session_id: str | None,
    limit: int,
    **given: str,
) -> None:
    """Tell what changed, newest first: everything, or one file.

    WHEN is a date, a time, `yesterday` or `2 days ago`, in your time zone.

        reverie history
        reverie history MEMORY.md --since yesterday
        reverie history --actor manual --limit 5
        reverie history --forgotten "old office"
        reverie history --session last
    """
    session = session_of(ctx)
    with session.asking() as memory:
        actor = given["actor"]
        if session_id:
            actor = f"reflection:{session_named(memory, session_id)}"
        found = memory.history(
            path=inside(memory.root, path) if path else "",
            actor=actor,
            since=since,
            forgotten=given["forgotten"],
            limit=limit + 1 if limit else 0,
        )
    more = bool(limit) and len(found) > limit
    told = found[: limit or None]
    session.answer(told, lambda value: _history(value, given["forgotten"], more=more))


def _history(found: Sequence[LogEntry], forgotten: str, *, more: bool) -> Page:
    if not found:
        missing = f"Nothing about {forgotten!r} was forgotten."
        return [row(missing if forgotten else "No changes.")]
    page: Page = []
    for entry in found:
        page += [*change(entry), BLANK]
    if more:
        page.append(row(Span("… and more (--limit 0)", Style.FAINT)))
    else:
        page.pop()
    return page


def change(entry: LogEntry) -> Page:
    """One change: who and when, then what it did to which file."""
    head = row(
        Span(entry.commit[:10], Style.ID),
        Span(f"  {local(entry.at)}  "),
        Span(str(entry.actor), Style.ACTOR if entry.verified else Style.BAD),
        Span(f" (claims {entry.claim})" if entry.claim else "", Style.BAD),
        Span(_reason(entry), Style.FAINT),
    )
    shown = entry.lines[:FILES_SHOWN]
    page: Page = [head, *map(_line, shown)]
    left = len(entry.lines) - len(shown)
    if left:
        more = f"… and {counted(left, 'more file')}"
        page.append(row(Span(more, Style.FAINT), indent=2))
    return page


def _reason(entry: LogEntry) -> str:
    said = entry.trigger and entry.trigger not in {"remember", "—"}
    return f"  {entry.trigger}" if said else ""


def _line(line: LogLine) -> Row:
    return row(
        Span(line.action, _STYLE_OF_ACTION.get(line.action, Style.PLAIN)),
        " ",
        Span(line.path, Style.PATH),
        f" — {line.summary}",
        indent=2,
    )


@click.command(cls=Verb)
@click.argument("commit", metavar="CHANGE")
@click.pass_context
def diff(ctx: click.Context, commit: str) -> None:
    """Show what one CHANGE did to the files.

    CHANGE is an id that `reverie history` prints.

        reverie diff a6f907cb22
    """
    session = session_of(ctx)
    with session.asking() as memory:
        text = memory.diff(commit)
    session.answer({"commit": commit, "diff": text}, lambda told: _diff(told["diff"]))


def _diff(text: str) -> Page:
    if not text:
        return [row("This change touched no files.")]
    lines = text.removesuffix("\n").split("\n")
    return [row(Span(line, _style_of_diff(line))) for line in lines]


def _style_of_diff(line: str) -> Style:
    marks = (
        (("+++", "---"), Style.TITLE),
        (("@@",), Style.ID),
        (("+",), Style.GOOD),
        (("-",), Style.BAD),
    )
    return next((s for marks_, s in marks if line.startswith(marks_)), Style.PLAIN)


@click.command(cls=Verb)
@click.argument("path")
@click.pass_context
def blame(ctx: click.Context, path: str) -> None:
    """Tell for each line of the file PATH which change it came with.

    Lines that somebody typed into the file are by `manual`.

        reverie blame MEMORY.md
    """
    session = session_of(ctx)
    with session.asking() as memory:
        found = memory.blame(inside(memory.root, path))
    session.answer(found, _blame)


def _blame(found: Sequence[BlameLine]) -> Page:
    if not found:
        return [row("The file is empty.")]
    rows = tuple(
        (
            Span(each.commit[:10], Style.ID),
            Span(local(each.at)[:10]),
            Span(each.actor, Style.ACTOR),
            Span(str(each.number).rjust(4), Style.FAINT),
            Span(each.text),
        )
        for each in found
    )
    return [Grid((), rows)]
