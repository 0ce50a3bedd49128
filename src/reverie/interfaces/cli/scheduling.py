"""`schedule`: let the machine offer reflections by itself."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.page import BLANK, Span, Style, paragraph, row
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.verb import VerbGroup
from reverie.model.schedule import Machine, Way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.schedule import Rhythm, Schedule, Timetable

_TIME = re.compile(r"(\d|[01]\d|2[0-3]):[0-5]\d", re.ASCII)

NOTES = {
    Way.SYSTEMD: "A night that was missed is made up for. It runs while you are logged "
    "in; `loginctl enable-linger` lets it run at any time.",
    Way.CRON: "A night on which the machine is off is not made up for.",
    Way.LAUNCHD: "If the machine sleeps, it runs on waking up; a night on which it is "
    "off is not made up for.",
}
TAKE_BACK = "`reverie schedule remove` takes it back."


class NoTimeError(click.BadParameter):
    """A text that is no time of day."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no time of day; it looks like 03:00.")


def _time(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise NoTimeError(text)
    return text.rjust(5, "0")


@click.group(cls=VerbGroup)
@click.pass_context
def schedule(ctx: click.Context) -> None:
    """Show whether the machine offers reflections by itself.

    Nothing of Reverie runs in the background: systemd, cron or launchd starts
    `reverie reflect --scheduled` when reflection.time has come.

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
    "--at", type=_time, metavar="TIME", help="When.  [default: reflection.time]"
)
@click.option(
    "--print", "only", is_flag=True, help="Show what would be written, and where."
)
@click.pass_context
def install(ctx: click.Context, way: str | None, at: str | None, *, only: bool) -> None:
    """Have the machine offer a reflection every night.

    Every week where reflection.frequency says only "weekly". Who starts it is found
    out: launchd on macOS, your systemd where it answers, else cron. Doing it again
    takes over a new time; other workspaces have schedules of their own.

        reverie schedule install
        reverie schedule install --at 04:30
        reverie schedule install --cron --print
    """
    from reverie.memory import scheduling

    session, chosen = session_of(ctx), Way(way) if way else None
    act = scheduling.planned if only else scheduling.install
    with session.asking() as memory:
        made = act(memory, this_machine(), chosen, at or "")
    session.answer(made, _printed if only else _installed)


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
    path = os.environ.get("PATH", os.defpath)
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
    return (str(Path(program).absolute()),) if program else (python, "-m", "reverie")


def _told(table: Timetable) -> Page:
    if not table.found:
        return [row("Nothing is scheduled."), *_advice(table.wanted)]
    page: Page = []
    for each in table.found:
        page += [*_one(each), *_troubles(each, table.wanted)]
    return page


def _advice(wanted: Rhythm | None) -> Page:
    if wanted is None:
        words = "reflection.frequency asks for none by the clock."
    else:
        words = f"`reverie schedule install` offers a reflection {_when(wanted)}."
    return [row(Span(words, Style.FAINT))]


def _one(made: Schedule) -> Page:
    when = _when(made.rhythm) if made.rhythm else "at a time of its own"
    page: Page = [
        row(Span("Scheduled ", Style.GOOD), f"{when}, by {made.way}: ", _where(made, 0))
    ]
    places = range(1, len(made.files))
    return [*page, *(row(_where(made, place), indent=2) for place in places)]


def _where(made: Schedule, place: int) -> Span:
    return Span(made.files[place].path, Style.PATH)


def _troubles(made: Schedule, wanted: Rhythm | None) -> Page:
    again = "`reverie schedule install` mends that."
    page: Page = []
    if not made.active:
        page.append(row(Span(f"It is not running. {again}", Style.WARN)))
    if not made.current:
        words = f"It is not what would be written today. {again}"
        page.append(row(Span(words, Style.WARN)))
    if wanted is None:
        page += _advice(wanted)
    elif made.rhythm != wanted:
        words = (
            f"reverie.toml says {_when(wanted)}: `reverie schedule install` takes it."
        )
        page.append(row(Span(words, Style.FAINT)))
    return page


def _installed(made: Schedule) -> Page:
    return [
        *_one(made),
        row(Span(NOTES[made.way], Style.FAINT)),
        row(Span(TAKE_BACK, Style.FAINT)),
    ]


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


def _when(rhythm: Rhythm) -> str:
    return f"{'on Mondays' if rhythm.weekly else 'daily'} at {rhythm.at}"
