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
from typing import TYPE_CHECKING

from reverie.errors import RefusedError, UnavailableError
from reverie.isolation import absolute_only
from reverie.model.health import Job, Schedule, Way, Written
from reverie.workspace.files import DiskError, write_replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.health import Machine

OPENING, CLOSING = "# >>> reverie ", "# <<< reverie"
"""The lines around what is ours in a crontab."""

CRONTAB = "crontab"
_SECONDS = 60
_NO_CRONTAB = re.compile(rb"no f?crontab|no such file|not allowed", re.IGNORECASE)

_ANSWERS = {
    Way.SYSTEMD: "systemctl --user show-environment",
    Way.CRON: CRONTAB,
    Way.LAUNCHD: "launchctl",
}
"""What a way is asked whether it is there; a bare program only has to exist."""

# A call that begins with `-` may fail.
_START = {
    # Enabled before it is started, and started anew in case the time is another.
    Way.SYSTEMD: (
        "systemctl --user daemon-reload",
        "systemctl --user enable {name}.timer",
        "systemctl --user restart {name}.timer",
    ),
    # One that is loaded is not loaded again.
    Way.LAUNCHD: (
        "-launchctl bootout gui/{user}/{name}",
        "launchctl bootstrap gui/{user} {path}",
    ),
}
_STOP = {
    Way.SYSTEMD: "-systemctl --user disable --now {name}.timer",
    Way.LAUNCHD: "-launchctl bootout gui/{user}/{name}",
}


class ScheduleError(UnavailableError):
    """A program of the system did not do what it was asked."""


class NoTimetableError(ScheduleError):
    """Nothing on this machine starts programs by the clock for us."""

    says = "nothing here can start reverie by the clock: no answer from {}"
    mend = (
        "Install cron, or add --cron, --systemd or --launchd and --print to see what "
        "another machine should be told."
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
    if way is Way.CRON:
        line = f"{job.minute} * * * * {' '.join(map(_for_cron, job.command))}"
        return (f"{OPENING}{job.workspace}\n{line}\n{CLOSING}\n",)
    if way is Way.LAUNCHD:
        agent = {
            "Label": name_of(job.workspace),
            "ProgramArguments": list(job.command),
            "ProcessType": "Background",
            "StartCalendarInterval": {"Minute": job.minute},
        }
        return (plistlib.dumps(agent).decode().expandtabs(2),)
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
        f"{head}[Timer]\nOnCalendar=*-*-* *:{job.minute:02}:00\nPersistent=true\n"
        "RandomizedDelaySec=0\n\n[Install]\nWantedBy=timers.target\n",
    )


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
    raise NoTimetableError(" and ".join(_ANSWERS[way] for way in ways))


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
    paths = _paths(name_of(job.workspace), way, machine)
    return Schedule(way, tuple(map(Written, paths, render(job, way))))


def install(job: Job, way: Way, machine: Machine) -> Schedule:
    """Write it down, and have the machine begin with it.

    Doing it twice does no harm. What was there for the workspace, in whatever way,
    is replaced.

    Raises:
        UnavailableError: The machine did not let us; told with what to do.
    """
    made = plan(job, way, machine)
    if not _answers(machine, way):
        raise NoTimetableError(_ANSWERS[way])
    if way is Way.CRON:
        _edit_crontab(job.workspace, made.files[0].text, machine)
    else:
        for file in made.files:
            with _telling(file.path):
                os.makedirs(os.path.dirname(file.path), exist_ok=True)
                write_replacing(Path(file.path), file.text.encode())
        for call in _START[way]:
            _call(machine, call, name_of(job.workspace), made.files[0].path)
    for other in Way:
        if other is not way:
            _take_out(job.workspace, other, machine)
    return made


def remove(workspace: str, machine: Machine) -> tuple[Way, ...]:
    """Take out whatever there is for a workspace; returns whose it was."""
    found = find_schedules(Job(workspace, (), 0), machine)
    for way in Way:
        _take_out(workspace, way, machine)
    return tuple(each.way for each in found)


def find_schedules(job: Job, machine: Machine) -> tuple[Schedule, ...]:
    """What there is for a workspace: nothing, or one schedule; more if typed so.

    It is current where it reads as it would be written now for the job.
    """
    found = []
    for way in Way:
        paths = _paths(name_of(job.workspace), way, machine)
        texts = (_text_at(path, job.workspace, machine) for path in paths)
        pairs = zip(paths, texts, strict=True)
        files = tuple(Written(path, text) for path, text in pairs if text)
        if files:
            same = bool(job.command) and plan(job, way, machine).files == files
            found.append(Schedule(way, files, same))
    return tuple(found)


def _text_at(path: str, workspace: str, machine: Machine) -> str:
    if path == CRONTAB:
        return find_block(_crontab(machine), workspace)
    with _telling(path), suppress(FileNotFoundError):
        return Path(path).read_bytes().decode("utf-8", "replace")
    return ""


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
    _call(machine, _STOP[way], name, traces[0])
    for trace in traces:
        with _telling(trace), suppress(FileNotFoundError):
            os.unlink(trace)
    if way is Way.SYSTEMD:
        _call(machine, "-systemctl --user daemon-reload", name, traces[0])


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
    words = _ANSWERS[way].split()
    there = _program(machine, words[0]) is not None
    return there and (len(words) == 1 or _call(machine, f"-{_ANSWERS[way]}"))


def _call(machine: Machine, call: str, name: str = "", path: str = "") -> bool:
    """Make a call of the tables; False for one that failed and may."""
    names = {"name": name, "user": machine.user, "path": path}
    words = tuple(word.format(**names) for word in call.removeprefix("-").split())
    hint = "The files are written. `reverie schedule install` tries again, "
    try:
        _run(machine, words, f"{hint}`reverie schedule remove` takes them away.")
    except ScheduleError:
        if not call.startswith("-"):
            raise
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
