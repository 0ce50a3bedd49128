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
    from reverie.model.health import Schedule

NEVER = "reflection.frequency asks for none by the clock."
ADVICE = "`reverie schedule install` has the machine look every hour."
TAKE_BACK = "`reverie schedule remove` takes it back."
OLD = "It is not what would be written today. `reverie schedule install` mends that."


@cli.group()
def schedule(call: cli.Invocation) -> None:
    """Show whether the machine offers reflections by itself.

    Nothing of Reverie runs in the background: systemd, cron or launchd starts
    `reverie reflect --scheduled` every hour, and that asks only if one is due.

        reverie schedule
        reverie schedule install
    """
    from reverie.memory.schedule import find_schedules, job

    memory, machine = call.reader, this_machine()
    found, wanted = find_schedules(memory, machine), job(memory, machine)
    at = memory.config.reflection.time
    page: out.Page = [line for each in found for line in _written(each)]
    page = page or ["Nothing is scheduled."]
    if wanted is None:
        page += [out.faint(NEVER), *([out.faint(TAKE_BACK)] if found else [])]
    elif all(each.current for each in found):
        page.append(out.faint(_offered(at) if found else ADVICE))
    else:
        page.append(out.warn(OLD))
    told = {"workspace": str(memory.root), "wanted": wanted, "at": at, "found": found}
    call.answer(told, page)


@schedule.verb()
@cli.option("--systemd way", "With a timer of your systemd.", flag_value="systemd")
@cli.option("--cron way", "With a line in your crontab.", flag_value="cron")
@cli.option("--launchd way", "With a launch agent of macOS.", flag_value="launchd")
@cli.flag("--print only", "Show what would be written, and where.")
def install(call: cli.Invocation, way: str | None, *, only: bool) -> None:
    """Have the machine look every hour whether a reflection is due.

    When it is due is up to reflection.time and reflection.frequency in reverie.toml,
    and to you: "later" means some hours. Who starts it is found out: launchd on macOS,
    your systemd where it answers, else cron. A systemd of yours runs while you are
    logged in; `loginctl enable-linger` lets it run at any time. Doing it again takes
    over another minute of reflection.time; other workspaces have schedules of their
    own.

        reverie schedule install
        reverie schedule install --cron --print
    """
    from reverie.memory.schedule import install

    memory = call.reader
    made = install(memory, this_machine(), Way(way) if way else None, only_plan=only)
    at = memory.config.reflection.time
    page: out.Page = [*_written(made), out.faint(_offered(at)), out.faint(TAKE_BACK)]
    if only:
        page = []
        for file in made.files:
            page += [out.place(f"# {file.path}"), *file.text.split("\n")]
    call.answer(made, page)


@schedule.verb()
def remove(call: cli.Invocation) -> None:
    """Take back what `reverie schedule install` wrote.

    The folder of the workspace may be gone by now; then name it with -w.

        reverie schedule remove
        reverie schedule remove -w ~/agents/alex
    """
    from reverie.memory.schedule import remove

    gone = remove(call.root, this_machine())
    done = out.good("Removed "), f"what {' and '.join(gone)} would have started."
    call.answer(gone, [done if gone else "Nothing was scheduled."])


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


def _written(made: Schedule) -> out.Page:
    first, *more = made.files
    head = out.good("Scheduled "), f"by {made.way}: ", out.place(first.path)
    return [head, *(("  ", out.place(file.path)) for file in more)]
