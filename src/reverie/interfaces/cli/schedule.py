"""`schedule`: let the machine offer reflections by itself."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import VerbGroup
from reverie.interfaces.cli.page import BLANK, Span, Style, paragraph, row
from reverie.interfaces.cli.session import session_of
from reverie.isolation import absolute_only
from reverie.model.health import Machine, Way

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page, Row
    from reverie.model.health import Schedule, Timetable

NOTES = {
    Way.SYSTEMD: "If the machine was off at that time, it is looked at as soon as you "
    "log in. It runs while you are logged in; `loginctl enable-linger` lets it run at "
    "any time.",
    Way.CRON: "If the machine was off at that time, it is looked at within an hour of "
    "being on again.",
    Way.LAUNCHD: "If the machine slept at that time, it is looked at on waking up; if "
    "it was off, within an hour of being on again.",
}
TAKE_BACK = "`reverie schedule remove` takes it back."
NEVER = "reflection.frequency asks for none by the clock."


@click.group(cls=VerbGroup)
@click.pass_context
def schedule(ctx: click.Context) -> None:
    """Show whether the machine offers reflections by itself.

    Nothing of Reverie runs in the background: systemd, cron or launchd starts
    `reverie reflect --scheduled` every hour, and that asks only if one is due.

        reverie schedule
        reverie schedule install
    """
    if ctx.invoked_subcommand is None:
        from reverie.memory.scheduling import timetable

        session = session_of(ctx)
        with session.asking() as memory:
            told = timetable(memory, this_machine())
        session.answer(told, _told)


@schedule.command()
@click.option(
    "--systemd", "way", flag_value="systemd", help="With a timer of your systemd."
)
@click.option("--cron", "way", flag_value="cron", help="With a line in your crontab.")
@click.option(
    "--launchd", "way", flag_value="launchd", help="With a launch agent of macOS."
)
@click.option(
    "--print", "only", is_flag=True, help="Show what would be written, and where."
)
@click.pass_context
def install(ctx: click.Context, way: str | None, *, only: bool) -> None:
    """Have the machine look every hour whether a reflection is due.

    When it is due is up to reflection.time and reflection.frequency in reverie.toml,
    and to you: "later" means some hours. Who starts it is found out: launchd on macOS,
    your systemd where it answers, else cron. Doing it again takes over another minute
    of reflection.time, and replaces what an earlier version wrote; other workspaces
    have schedules of their own.

        reverie schedule install
        reverie schedule install --cron --print
    """
    from reverie.memory import scheduling

    session, chosen = session_of(ctx), Way(way) if way else None
    act = scheduling.planned if only else scheduling.install
    with session.asking() as memory:
        made = act(memory, this_machine(), chosen)
        at = memory.config.reflection.time
    session.answer(made, _printed if only else partial(_installed, at=at))


@schedule.command()
@click.pass_context
def remove(ctx: click.Context) -> None:
    """Take back what `reverie schedule install` wrote.

    The folder of the workspace may be gone by now; then name it with -w.

        reverie schedule remove
        reverie schedule remove -w ~/agents/alex
    """
    from reverie.memory.scheduling import remove as take_out

    session = session_of(ctx)
    gone = take_out(session.root, this_machine())
    session.answer(gone, _removed)


def this_machine() -> Machine:
    """The machine we are on, as the one who types sees it."""
    path = absolute_only(os.environ.get("PATH", os.defpath))
    command = command_line(sys.argv[0], path, sys.executable)
    return Machine(Path.home(), sys.platform, os.environ, command, os.getuid())


def command_line(called: str, path: str, python: str) -> tuple[str, ...]:
    """How `reverie` is started from anywhere.

    Args:
        called: How this very process was.
        path: Where programs are looked for.
        python: The interpreter, for where there is no program of that name.
    """
    wanted = called if Path(called).name == "reverie" else "reverie"
    program = shutil.which(wanted, path=path) or shutil.which("reverie", path=path)
    # A link stays one: it is what survives the next version.
    if program:
        return (str(Path(program).absolute()),)
    return (python, "-P", "-m", "reverie")


def _told(table: Timetable) -> Page:
    if not table.found:
        return [row("Nothing is scheduled."), _advice(table)]
    page: Page = []
    for each in table.found:
        page += [*_one(each), *_how(each, table)]
    return page


def _advice(table: Timetable) -> Row:
    if table.wanted is None:
        return _faint(NEVER)
    words = "`reverie schedule install` has it looked at every hour and offered from"
    return _faint(f"{words} {table.at} on (reflection.time).")


def _one(made: Schedule) -> Page:
    page: Page = [
        row(Span("Scheduled ", Style.GOOD), f"by {made.way}: ", _where(made, 0))
    ]
    places = range(1, len(made.files))
    return [*page, *(row(_where(made, place), indent=2) for place in places)]


def _where(made: Schedule, place: int) -> Span:
    return Span(made.files[place].path, Style.PATH)


def _how(made: Schedule, table: Timetable) -> Page:
    if table.wanted is None:
        return [_faint(NEVER), _faint(TAKE_BACK)]
    again = "`reverie schedule install` mends that."
    troubles: Page = [
        row(Span(f"{words} {again}", Style.WARN)) for words in _troubles(made, table)
    ]
    return troubles or [_looked_at(table.at)]


def _troubles(made: Schedule, table: Timetable) -> Iterator[str]:
    if not made.active:
        yield "It is not running."
    if made.rhythm is None:
        yield "It runs at a time of its own, not every hour as would be written today."
    elif not made.current:
        yield "It is not what would be written today."
    elif made.rhythm != table.wanted:
        minute = f"{made.rhythm.minute:02}"
        yield f"It runs every hour at :{minute}, and reflection.time is {table.at}."


def _faint(words: str) -> Row:
    return row(Span(words, Style.FAINT))


def _looked_at(at: str) -> Row:
    return _faint(f"Looked at every hour; offered from {at} on (reflection.time).")


def _installed(made: Schedule, at: str) -> Page:
    return [*_one(made), _looked_at(at), _faint(NOTES[made.way]), _faint(TAKE_BACK)]


def _printed(made: Schedule) -> Page:
    page: Page = []
    for file in made.files:
        page += [row(Span(f"# {file.path}", Style.PATH))]
        page += [*paragraph(file.text.rstrip("\n")), BLANK]
    return page[:-1]


def _removed(gone: Sequence[Schedule]) -> Page:
    if not gone:
        return [row("Nothing was scheduled.")]
    ways = " and ".join(each.way for each in gone)
    return [row(Span("Removed ", Style.GOOD), f"what {ways} would have started.")]
