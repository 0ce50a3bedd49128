"""`schedule`: let the machine offer reflections by itself."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.isolation import absolute_only
from reverie.model.health import Machine, Way

if TYPE_CHECKING:
    from collections.abc import Iterator

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
ADVICE = "`reverie schedule install` has it looked at every hour and offered from"


@cli.group()
def schedule(session: cli.Invocation) -> None:
    """Show whether the machine offers reflections by itself.

    Nothing of Reverie runs in the background: systemd, cron or launchd starts
    `reverie reflect --scheduled` every hour, and that asks only if one is due.

        reverie schedule
        reverie schedule install
    """
    from reverie.memory.schedule import timetable

    told = timetable(session.reader, this_machine())
    session.answer(told, _timetable(told))


@schedule.verb()
@cli.option("--systemd way", "With a timer of your systemd.", flag_value="systemd")
@cli.option("--cron way", "With a line in your crontab.", flag_value="cron")
@cli.option("--launchd way", "With a launch agent of macOS.", flag_value="launchd")
@cli.flag("--print only", "Show what would be written, and where.")
def install(session: cli.Invocation, way: str | None, *, only: bool) -> None:
    """Have the machine look every hour whether a reflection is due.

    When it is due is up to reflection.time and reflection.frequency in reverie.toml,
    and to you: "later" means some hours. Who starts it is found out: launchd on macOS,
    your systemd where it answers, else cron. Doing it again takes over another minute
    of reflection.time, and replaces what an earlier version wrote; other workspaces
    have schedules of their own.

        reverie schedule install
        reverie schedule install --cron --print
    """
    from reverie.memory.schedule import install as write
    from reverie.memory.schedule import planned

    memory = session.reader
    act = planned if only else write
    made = act(memory, this_machine(), Way(way) if way else None)
    at = memory.config.reflection.time
    page = [*_one(made), *map(out.faint, (_offered(at), NOTES[made.way], TAKE_BACK))]
    if only:
        page = []
        for file in made.files:
            page += ["", out.place(f"# {file.path}"), *file.text.rstrip().split("\n")]
        del page[0]
    session.answer(made, page)


@schedule.verb()
def remove(session: cli.Invocation) -> None:
    """Take back what `reverie schedule install` wrote.

    The folder of the workspace may be gone by now; then name it with -w.

        reverie schedule remove
        reverie schedule remove -w ~/agents/alex
    """
    from reverie.memory.schedule import remove as take_out

    gone = take_out(session.root, this_machine())
    ways = " and ".join(each.way for each in gone)
    done = out.good("Removed "), f"what {ways} would have started."
    session.answer(gone, [done if gone else "Nothing was scheduled."])


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


def _offered(at: str) -> str:
    return f"Looked at every hour; offered from {at} on (reflection.time)."


def _timetable(table: Timetable) -> out.Lines:
    if not table.found:
        yield "Nothing is scheduled."
        advice = f"{ADVICE} {table.at} on (reflection.time)."
        yield out.faint(NEVER if table.wanted is None else advice)
    for each in table.found:
        yield from _one(each)
        if table.wanted is None:
            yield from (out.faint(NEVER), out.faint(TAKE_BACK))
        elif troubles := list(_troubles(each, table)):
            for words in troubles:
                yield out.warn(f"{words} `reverie schedule install` mends that.")
        else:
            yield out.faint(_offered(table.at))


def _one(made: Schedule) -> out.Lines:
    first, *more = made.files
    yield out.good("Scheduled "), f"by {made.way}: ", out.place(first.path)
    yield from (("  ", out.place(file.path)) for file in more)


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
