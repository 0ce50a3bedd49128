"""Put a job into cron, systemd or launchd, and take it out again.

Nothing of ours runs in the background: systemd, cron or launchd starts `reverie`
when it is time. What they are told stands outside of the workspace, below the home
that the caller names. Each of them has its own idea of quoting. A path may hold
anything a line can hold: blanks, quotes, `%`, `$` and backslashes arrive as they are.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
import shutil
import subprocess
import unicodedata
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.errors import RefusedError, UnavailableError
from reverie.isolation import absolute_only
from reverie.model.health import Job, Rhythm, Schedule, Way, Written
from reverie.workspace.files import DiskError, write_replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.health import Machine

OPENING, CLOSING = "# >>> reverie ", "# <<< reverie"
"""The lines around what is ours in a crontab."""

CRONTAB = "crontab"
_SECONDS = 60
_NO_CRONTAB = re.compile(rb"no f?crontab|no such file|not allowed", re.IGNORECASE)


class _Calls(NamedTuple):
    """What a way is called with; a call that begins with `-` may fail."""

    due: re.Pattern[str]
    answers: str
    active: str = ""
    start: tuple[str, ...] = ()
    stop: str = ""
    after: str = ""


_CALLS = {
    Way.SYSTEMD: _Calls(
        re.compile(r"^OnCalendar=\*-\*-\* \*:([0-5][0-9]):00$", re.MULTILINE),
        "systemctl --user show-environment",
        "systemctl --user is-active {name}.timer",
        # Enabled before it is started, and started anew in case the time is another.
        (
            "systemctl --user daemon-reload",
            "systemctl --user enable {name}.timer",
            "systemctl --user restart {name}.timer",
        ),
        "systemctl --user disable --now {name}.timer",
        "systemctl --user daemon-reload",
    ),
    Way.CRON: _Calls(re.compile(r"^([1-5]?[0-9]) \* \* \* \* ", re.MULTILINE), CRONTAB),
    Way.LAUNCHD: _Calls(
        re.compile(
            r"<key>StartCalendarInterval</key>\s*<dict>\s*<key>Minute</key>\s*"
            r"<integer>([1-5]?[0-9])</integer>\s*</dict>"
        ),
        "launchctl",
        "launchctl print gui/{user}/{name}",
        # One that is loaded is not loaded again.
        (
            "-launchctl bootout gui/{user}/{name}",
            "launchctl bootstrap gui/{user} {path}",
        ),
        "launchctl bootout gui/{user}/{name}",
    ),
}


class ScheduleError(UnavailableError):
    """A program of the system did not do what it was asked."""


class NoTimetableError(ScheduleError):
    """Nothing on this machine starts programs by the clock for us."""

    def __init__(self, asked: str) -> None:
        super().__init__(
            f"nothing here can start reverie by the clock: no answer from {asked}",
            hint="Install cron, or add --cron, --systemd or --launchd and --print to "
            "see what another machine should be told.",
        )


def name_of(workspace: str) -> str:
    """What the units of a workspace are called; every folder has its own name."""
    return f"reverie-{hashlib.sha256(os.fsencode(workspace)).hexdigest()[:12]}"


def scheduled(command: tuple[str, ...], workspace: str) -> tuple[str, ...]:
    """The command that offers a reflection if one is due."""
    return (*command, "reflect", "--scheduled", "-w", workspace)


# --- what is written -------------------------------------------------------------


def render(job: Job, way: Way) -> tuple[str, ...]:
    """The texts that a way reads, in the order of `_paths`."""
    minute = job.rhythm.minute
    if way is Way.CRON:
        line = f"{minute} * * * * {' '.join(map(_for_cron, job.command))}"
        return (f"{OPENING}{job.workspace}\n{line}\n{CLOSING}\n",)
    if way is Way.LAUNCHD:
        agent = {
            "Label": name_of(job.workspace),
            "ProgramArguments": list(job.command),
            "ProcessType": "Background",
            "StartCalendarInterval": {"Minute": minute},
        }
        return (plistlib.dumps(agent).decode(),)
    words = job.command
    # systemd takes no such program's name, however it is quoted.
    if set("\"'\\$") & set(words[0]):
        words = ("/bin/sh", "-c", 'exec "$@"', "sh", *words)
    # The words after it keep a backslash at its end from joining two lines.
    named = f"Reverie: {job.workspace.replace('%', '%%')} (offers a reflection)"
    head = f"# Written by `reverie schedule install`.\n[Unit]\nDescription={named}\n\n"
    return (
        f"{head}[Service]\nType=oneshot\n"
        f"ExecStart={' '.join(map(_for_systemd, words))}\n",
        # What was missed is made up for, once.
        f"{head}[Timer]\nOnCalendar=*-*-* *:{minute:02}:00\nPersistent=true\n"
        "RandomizedDelaySec=0\n\n[Install]\nWantedBy=timers.target\n",
    )


def parse(text: str, way: Way) -> Rhythm | None:
    """When something is due; None for a time that is not one of ours."""
    found = _CALLS[way].due.findall(text)
    return Rhythm(int(found[0])) if len(found) == 1 else None


def _for_systemd(word: str) -> str:
    for char, spelled in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(char, spelled)
    return f'"{word}"'


def _for_cron(word: str) -> str:
    """A word for the shell, by way of cron.

    Crons differ in what they make of a backslash, but none touches one before a
    quote, and all leave `%` for a `%` that follows one outside of quotes: those that
    know nothing of it pass both on to the shell, which does the same.
    """
    if re.fullmatch(r"[A-Za-z0-9_@+:,./-]+", word):
        return word
    spelling = {"%": "\\%", "\\": "'\\'", "'": '"\'"'}
    parts = re.findall(r"[^'%\\]+|['%\\]", word)
    return "".join(spelling.get(part, f"'{part}'") for part in parts) or "''"


def find_block(crontab: bytes, workspace: str) -> str:
    """What a crontab holds for a workspace, with its marks; empty for nothing."""
    return b"".join(_block(workspace).findall(crontab)).decode("utf-8", "replace")


def with_block(crontab: bytes, workspace: str, block: str) -> bytes:
    """A crontab with this block for a workspace, and with no other one for it.

    Args:
        crontab: As it is; all that is not ours stays byte for byte.
        workspace: Whose block.
        block: What to put there; empty to take it out.

    Raises:
        RefusedError: The end of what is ours is missing.
    """
    ours, fresh = _block(workspace), os.fsencode(block)
    found, kept = ours.search(crontab), ours.sub(b"", crontab)
    opening = os.fsencode(OPENING + workspace)
    if any(line.rstrip(b"\r") == opening for line in kept.split(b"\n")):
        what = (
            f"the crontab has a line `{OPENING}{workspace}` and no `{CLOSING}` after "
            "it, so nobody knows what is ours"
        )
        hint = "Take it and what belongs to it out with `crontab -e`, then try again."
        raise RefusedError(what, hint=hint)
    if found:
        return kept[: found.start()] + fresh + kept[found.start() :]
    return kept + (b"\n" if fresh and kept and kept[-1:] != b"\n" else b"") + fresh


def _block(workspace: str) -> re.Pattern[bytes]:
    first = re.escape(os.fsencode(OPENING + workspace)) + rb"\r*\n"
    between = rb"(?:(?!# [<>]{3} reverie).*\n|# <<< reverie[^\r\n].*\n)*"
    return re.compile(rb"^" + first + between + rb"# <<< reverie\r*(?:\n|\Z)", re.M)


# --- a schedule ------------------------------------------------------------------


def usual_way(machine: Machine) -> Way:
    """Who starts programs by the clock on this machine."""
    if machine.platform == "darwin":
        return Way.LAUNCHD
    ways = (Way.SYSTEMD, Way.CRON)
    for way in ways:
        if _answers(machine, way):
            return way
    raise NoTimetableError(" and ".join(_CALLS[way].answers for way in ways))


def plan(job: Job, way: Way, machine: Machine) -> Schedule:
    """What would be written, and where; nothing is.

    Raises:
        RefusedError: A path holds what no timetable can hold.
    """
    for text in (job.workspace, *job.command):
        if any(unicodedata.category(char) in {"Cc", "Cs"} for char in text):
            what = (
                f"{text!r} cannot be scheduled: it holds a line break, another control "
                "character, or bytes that are no text"
            )
            raise RefusedError(what, hint="Rename the folder, then try again.")
    name = name_of(job.workspace)
    pairs = zip(_paths(name, way, machine), render(job, way), strict=True)
    files = tuple(Written(path, text) for path, text in pairs)
    return Schedule(job.workspace, name, way, job.rhythm, files)


def install(job: Job, way: Way, machine: Machine) -> Schedule:
    """Write it down, and have the machine begin with it.

    Doing it twice does no harm. What was there for the workspace, in whatever way,
    is replaced.

    Raises:
        UnavailableError: The machine did not let us; told with what to do.
    """
    made = plan(job, way, machine)
    if not _answers(machine, way):
        raise NoTimetableError(_CALLS[way].answers)
    if way is Way.CRON:
        _edit_crontab(job.workspace, made.files[0].text, machine)
    else:
        for file in made.files:
            with _telling(file.path):
                os.makedirs(os.path.dirname(file.path), exist_ok=True)
                write_replacing(Path(file.path), file.text.encode())
        hint = (
            "The files are written. `reverie schedule install` tries again, "
            "`reverie schedule remove` takes them away."
        )
        for call in _CALLS[way].start:
            _call(machine, call, made, hint)
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
    name, files = name_of(workspace), []
    for path in _paths(name, way, machine):
        if way is Way.CRON:
            text = find_block(_crontab(machine), workspace)
        else:
            text = ""
            with _telling(path), suppress(FileNotFoundError):
                text = Path(path).read_bytes().decode("utf-8", "replace")
        files += [Written(path, text)] if text else []
    if not files:
        return None
    rhythm = parse(files[-1].text, way)
    found = Schedule(workspace, name, way, rhythm, tuple(files), current=False)
    call = _CALLS[way].active
    active = not call or _call(machine, f"-{call}", found)
    # Whether it reads as we would write it now for the same time.
    job = Job(workspace, scheduled(machine.command, workspace), rhythm or Rhythm(0))
    current = bool(rhythm) and plan(job, way, machine).files == found.files
    return replace(found, active=active, current=current)


def _paths(name: str, way: Way, machine: Machine) -> tuple[str, ...]:
    if way is Way.CRON:
        return (CRONTAB,)
    if way is Way.LAUNCHD:
        return (f"{machine.home}/Library/LaunchAgents/{name}.plist",)
    units = f"{machine.home}/.config/systemd/user/{name}"
    return (f"{units}.service", f"{units}.timer")


def _take_out(workspace: str, way: Way, machine: Machine) -> None:
    if way is Way.CRON:
        _edit_crontab(workspace, "", machine)
        return
    name = name_of(workspace)
    traces = [*_paths(name, way, machine)]
    if way is Way.SYSTEMD:
        wants = ".config/systemd/user/timers.target.wants"
        stamp = f".local/share/systemd/timers/stamp-{name}.timer"
        traces += [f"{machine.home}/{wants}/{name}.timer", f"{machine.home}/{stamp}"]
    if not any(map(os.path.lexists, traces)):
        return
    # Who does not answer has nothing of ours loaded, or lets go of it at log-out.
    made = Schedule(workspace, name, way, None, (Written(traces[0], ""),))
    _call(machine, f"-{_CALLS[way].stop}", made)
    for trace in traces:
        with _telling(trace), suppress(FileNotFoundError):
            os.unlink(trace)
    if after := _CALLS[way].after:
        _call(machine, f"-{after}", made)


def _edit_crontab(workspace: str, block: str, machine: Machine) -> None:
    before = _crontab(machine)
    after = with_block(before, workspace, block)
    if after != before:
        hint = "Nothing was changed. `crontab -l` must work for you; then try again."
        _run(machine, (CRONTAB, "-" if after else "-r"), hint, after)


def _crontab(machine: Machine) -> bytes:
    """The user's crontab; nothing where there is none, or none may be had."""
    if not _answers(machine, Way.CRON):
        return b""
    hint = "What it holds is not known, so nothing was changed. Look at `crontab -l`."
    return _run(machine, (CRONTAB, "-l"), hint)


# --- programs --------------------------------------------------------------------


def _answers(machine: Machine, way: Way) -> bool:
    """Whether the program of a way is there, and answers where it can be asked."""
    words = _CALLS[way].answers.split()
    there = _program(machine, words[0]) is not None
    return there and (len(words) == 1 or _succeeds(machine, tuple(words)))


def _call(machine: Machine, call: str, made: Schedule, hint: str = "") -> bool:
    """Make a call of the table; False for one that failed and may."""
    names = {"name": made.name, "user": machine.user, "path": made.files[0].path}
    words = tuple(word.format(**names) for word in call.removeprefix("-").split())
    if call.startswith("-"):
        return _succeeds(machine, words)
    _run(machine, words, hint)
    return True


def _succeeds(machine: Machine, words: tuple[str, ...]) -> bool:
    try:
        _run(machine, words, "")
    except ScheduleError:
        return False
    return True


def _run(
    machine: Machine, words: tuple[str, ...], hint: str, given: bytes = b""
) -> bytes:
    """What a program says; nothing where it says that there is nothing."""
    try:
        done = subprocess.run(
            [_program(machine, words[0]) or words[0], *words[1:]],
            check=False,
            capture_output=True,
            input=given,
            # What they say is looked at, so it must be in English.
            env={**machine.environ, "LC_ALL": "C"},
            cwd=os.sep,  # a relative PATH finds nothing of the current folder
            timeout=_SECONDS,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        what = f"`{' '.join(words)}` failed: {error}"
        raise ScheduleError(what, hint=hint) from error
    if not done.returncode:
        return done.stdout
    if words[1:] == ("-l",) and _NO_CRONTAB.search(done.stderr):
        return b""
    said = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
    what = f"`{' '.join(words)}` failed: {said[-300:]}"
    raise ScheduleError(what, hint=hint)


def _program(machine: Machine, name: str) -> str | None:
    path = machine.environ.get("PATH", os.defpath)
    return shutil.which(name, path=absolute_only(path))


@contextmanager
def _telling(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"cannot access {path}"
        raise DiskError(what, error) from error
