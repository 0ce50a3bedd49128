"""Putting a job into the machine's own timetable, and taking it out again.

Nothing of ours runs in the background: systemd, cron or launchd starts `reverie`
when it is time. What they are told stands outside of the workspace, below the home
that the caller names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import UnavailableError
from reverie.isolation import absolute_only
from reverie.model.health import Job, Schedule, Way, Written
from reverie.workspace import timetables
from reverie.workspace.files import DiskError, write_replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.health import Machine, Rhythm

CRONTAB = "crontab"
_SECONDS = 60
_NO_CRONTAB = re.compile(rb"no f?crontab|no such file|not allowed", re.IGNORECASE)


class ProgramError(UnavailableError):
    """A program of the system did not do what it was asked."""

    def __init__(self, words: tuple[str, ...], why: str, hint: str) -> None:
        super().__init__(f"`{' '.join(words)}` failed: {why}", hint=hint)


class NoTimetableError(UnavailableError):
    """Nothing on this machine starts programs by the clock for us."""

    def __init__(self, missing: str) -> None:
        super().__init__(
            f"nothing here can start reverie by the clock: {missing}",
            hint="Install cron, or add --cron, --systemd or --launchd and --print to "
            "see what another machine should be told.",
        )


def usual_way(machine: Machine) -> Way:
    """Who starts programs by the clock on this machine."""
    if machine.platform == "darwin":
        return Way.LAUNCHD
    if _systemd_answers(machine):
        return Way.SYSTEMD
    if _program(machine, CRONTAB):
        return Way.CRON
    missing = "`systemctl --user` does not answer, and there is no `crontab`"
    raise NoTimetableError(missing)


def plan(job: Job, way: Way, machine: Machine) -> Schedule:
    """What would be written, and where; nothing is.

    Raises:
        UnspeakableError: A path holds what no timetable can hold.
    """
    timetables.require_speakable(job.workspace, *job.command)
    name = timetables.name_of(job.workspace)
    texts = {
        Way.SYSTEMD: (timetables.render_service, timetables.render_timer),
        Way.CRON: (timetables.render_cron,),
        Way.LAUNCHD: (timetables.render_agent,),
    }
    files = tuple(
        Written(path, render(job))
        for path, render in zip(_paths(name, way, machine), texts[way], strict=True)
    )
    return Schedule(job.workspace, name, way, job.rhythm, files)


def install(job: Job, way: Way, machine: Machine) -> Schedule:
    """Write it down, and have the machine begin with it.

    Doing it twice does no harm. What was there for the workspace, in whatever way,
    is replaced.

    Raises:
        UnavailableError: The machine did not let us; told with what to do.
    """
    made = plan(job, way, machine)
    _require_way(way, machine)
    if way is Way.CRON:
        _edit_crontab(job.workspace, made.files[0].text, machine)
    else:
        for file in made.files:
            _write(Path(file.path), file.text)
        _start(made, machine)
    for other in Way:
        if other is not way:
            _take_out(job.workspace, other, machine)
    return replace(made, active=True)


def remove(workspace: str, machine: Machine) -> tuple[Schedule, ...]:
    """Take out whatever there is for a workspace; returns what there was."""
    there = find_schedules(workspace, machine)
    for way in Way:
        _take_out(workspace, way, machine)
    return there


def find_schedules(workspace: str, machine: Machine) -> tuple[Schedule, ...]:
    """What there is for a workspace: nothing, or one schedule; more if typed so."""
    found = (_find(workspace, way, machine) for way in Way)
    return tuple(each for each in found if each)


def _find(workspace: str, way: Way, machine: Machine) -> Schedule | None:
    name = timetables.name_of(workspace)
    if way is Way.CRON:
        texts = [timetables.find_block(_crontab(machine), workspace)]
    else:
        texts = [_read(Path(path)) for path in _paths(name, way, machine)]
    files = tuple(
        Written(path, text)
        for path, text in zip(_paths(name, way, machine), texts, strict=True)
        if text
    )
    if not files:
        return None
    rhythm = _PARSERS[way](texts[-1])
    active = _active(name, way, machine)
    found = Schedule(workspace, name, way, rhythm, files, active, current=False)
    return replace(found, current=_as_ours(found, rhythm, machine))


def _as_ours(found: Schedule, rhythm: Rhythm | None, machine: Machine) -> bool:
    """Whether it reads as we would write it now for the same time."""
    if rhythm is None:
        return False
    job = Job(found.workspace, scheduled(machine.command, found.workspace), rhythm)
    return plan(job, found.way, machine).files == found.files


def scheduled(command: tuple[str, ...], workspace: str) -> tuple[str, ...]:
    """The command that offers a reflection if one is due."""
    return (*command, "reflect", "--scheduled", "-w", workspace)


_PARSERS = {
    Way.SYSTEMD: timetables.parse_timer,
    Way.CRON: timetables.parse_cron,
    Way.LAUNCHD: timetables.parse_agent,
}


def _paths(name: str, way: Way, machine: Machine) -> tuple[str, ...]:
    if way is Way.CRON:
        return (CRONTAB,)
    if way is Way.LAUNCHD:
        return (str(machine.home / "Library" / "LaunchAgents" / f"{name}.plist"),)
    units = _units(machine)
    return (str(units / f"{name}.service"), str(units / f"{name}.timer"))


def _units(machine: Machine) -> Path:
    return machine.home / ".config" / "systemd" / "user"


# --- each way ----------------------------------------------------------------


def _require_way(way: Way, machine: Machine) -> None:
    if way is Way.SYSTEMD and not _systemd_answers(machine):
        missing = "`systemctl --user` does not answer"
    elif way is Way.CRON and not _program(machine, CRONTAB):
        missing = "there is no `crontab`"
    elif way is Way.LAUNCHD and not _program(machine, "launchctl"):
        missing = "there is no `launchctl`"
    else:
        return
    raise NoTimetableError(missing)


def _systemd_answers(machine: Machine) -> bool:
    return _succeeds(machine, "systemctl", "--user", "show-environment")


def _start(made: Schedule, machine: Machine) -> None:
    hint = (
        "The files are written. `reverie schedule install` tries again, "
        "`reverie schedule remove` takes them away."
    )
    if made.way is Way.SYSTEMD:
        timer = f"{made.name}.timer"
        # Enabled before it is started, and started anew in case the time is another.
        for words in (("daemon-reload",), ("enable", timer), ("restart", timer)):
            _run(machine, "systemctl", "--user", *words, hint=hint)
    else:
        domain = f"gui/{machine.user}"
        # One that is loaded is not loaded again.
        _succeeds(machine, "launchctl", "bootout", f"{domain}/{made.name}")
        path = made.files[0].path
        _run(machine, "launchctl", "bootstrap", domain, path, hint=hint)


def _active(name: str, way: Way, machine: Machine) -> bool:
    if way is Way.SYSTEMD:
        timer = f"{name}.timer"
        return _succeeds(machine, "systemctl", "--user", "is-active", timer)
    if way is Way.LAUNCHD:
        service = f"gui/{machine.user}/{name}"
        return _succeeds(machine, "launchctl", "print", service)
    return True


def _take_out(workspace: str, way: Way, machine: Machine) -> None:
    name = timetables.name_of(workspace)
    if way is Way.CRON:
        _edit_crontab(workspace, "", machine)
        return
    traces = [Path(path) for path in _paths(name, way, machine)]
    if way is Way.SYSTEMD:
        timer = f"{name}.timer"
        stamps = machine.home / ".local" / "share" / "systemd" / "timers"
        traces += [_units(machine) / "timers.target.wants" / timer]
        traces += [stamps / f"stamp-{timer}"]
    if not any(os.path.lexists(trace) for trace in traces):
        return
    # Who does not answer has nothing of ours loaded, or lets go of it at log-out.
    if way is Way.SYSTEMD:
        _succeeds(machine, "systemctl", "--user", "disable", "--now", timer)
    else:
        _succeeds(machine, "launchctl", "bootout", f"gui/{machine.user}/{name}")
    for trace in traces:
        with _telling(trace), suppress(FileNotFoundError):
            os.unlink(trace)
    if way is Way.SYSTEMD:
        _succeeds(machine, "systemctl", "--user", "daemon-reload")


def _edit_crontab(workspace: str, block: str, machine: Machine) -> None:
    before = _crontab(machine)
    after = timetables.with_block(before, workspace, block)
    if after == before:
        return
    hint = "Nothing was changed. `crontab -l` must work for you; then try again."
    if after:
        _run(machine, CRONTAB, "-", given=after, hint=hint)
    else:
        _run(machine, CRONTAB, "-r", hint=hint)


def _crontab(machine: Machine) -> bytes:
    """The user's crontab; nothing where there is none, or none may be had."""
    if not _program(machine, CRONTAB):
        return b""
    hint = "What it holds is not known, so nothing was changed. Look at `crontab -l`."
    done = _ended(machine, (CRONTAB, "-l"), b"", hint)
    if done.returncode == 0:
        return done.stdout
    if _NO_CRONTAB.search(done.stderr):
        return b""
    raise ProgramError((CRONTAB, "-l"), _why(done), hint)


# --- files and programs ------------------------------------------------------


def _write(path: Path, text: str) -> None:
    with _telling(path):
        os.makedirs(path.parent, exist_ok=True)
        write_replacing(path, text.encode())


def _read(path: Path) -> str:
    with _telling(path), suppress(FileNotFoundError):
        return path.read_bytes().decode("utf-8", "replace")
    return ""


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"cannot access {path}"
        raise DiskError(what, error) from error


def _program(machine: Machine, name: str) -> str | None:
    path = machine.environ.get("PATH", os.defpath)
    return shutil.which(name, path=absolute_only(path))


def _succeeds(machine: Machine, *words: str) -> bool:
    if not _program(machine, words[0]):
        return False
    try:
        return _ended(machine, words, b"", "").returncode == 0
    except ProgramError:
        return False


def _run(machine: Machine, *words: str, hint: str, given: bytes = b"") -> None:
    done = _ended(machine, words, given, hint)
    if done.returncode:
        raise ProgramError(words, _why(done), hint)


def _ended(
    machine: Machine, words: tuple[str, ...], given: bytes, hint: str
) -> subprocess.CompletedProcess[bytes]:
    program = _program(machine, words[0]) or words[0]
    # What they say is looked at, so it must be in English.
    variables = {**machine.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            [program, *words[1:]],
            check=False,
            capture_output=True,
            input=given,
            env=variables,
            cwd=os.sep,  # a relative PATH finds nothing of the current folder
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        why = f"no answer within {_SECONDS} s"
        raise ProgramError(words, why, hint) from error
    except OSError as error:
        raise ProgramError(words, error.strerror or str(error), hint) from error


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    said = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
    return said[-300:]
