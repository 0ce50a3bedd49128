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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from reverie.errors import RefusedError, UnavailableError
from reverie.isolation import absolute_only
from reverie.model.health import Job, Rhythm, Schedule, Way, Written
from reverie.workspace.files import DiskError, write_replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.health import Machine

OPENING, CLOSING = b"# >>> reverie ", b"# <<< reverie"
"""The lines around what is ours in a crontab."""

_NAME_LENGTH = 12  # hexadecimal digits
_ON_CALENDAR = re.compile(r"^OnCalendar=\*-\*-\* \*:([0-9]{2}):00$", re.MULTILINE)
_CRON_LINE = re.compile(r"^([0-9]{1,2}) \* \* \* \* ", re.MULTILINE)
_UNSAFE_PROGRAM = frozenset("\"'\\$")
_THROUGH_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")


class UnspeakableError(RefusedError):
    """A path that no timetable can hold."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} cannot be scheduled: it holds a line break, another control "
            "character, or bytes that are no text",
            hint="Rename the folder, then try again.",
        )


class TornBlockError(RefusedError):
    """A crontab holds the beginning of what is ours and not its end."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"the crontab has a line `{OPENING.decode()}{workspace}` and no "
            f"`{CLOSING.decode()}` after it, so nobody knows what is ours",
            hint="Take that line and what belongs to it out with `crontab -e`, "
            "then try again.",
        )


def require_speakable(*texts: str) -> None:
    """Refuse what would end a line or is no text; raises `UnspeakableError`."""
    for text in texts:
        if any(unicodedata.category(char) in {"Cc", "Cs"} for char in text):
            raise UnspeakableError(text)


def name_of(workspace: str) -> str:
    """What the units of a workspace are called; every folder has its own name."""
    digest = hashlib.sha256(os.fsencode(workspace)).hexdigest()
    return f"reverie-{digest[:_NAME_LENGTH]}"


def _rhythm(*minutes: int) -> Rhythm | None:
    """The rhythm of the one minute that was found."""
    if len(minutes) != 1 or not 0 <= minutes[0] < 60:
        return None
    return Rhythm(minutes[0])


# --- systemd -----------------------------------------------------------------


def render_service(job: Job) -> str:
    """The unit that says what is started."""
    words = job.command
    # systemd takes no such program's name, however it is quoted.
    if _UNSAFE_PROGRAM.intersection(words[0]):
        words = (*_THROUGH_SHELL, *words)
    command = " ".join(map(_for_systemd, words))
    return (
        f"{_UNIT_HEAD}[Unit]\n{_described(job)}\n"
        f"[Service]\nType=oneshot\nExecStart={command}\n"
    )


def render_timer(job: Job) -> str:
    """The unit that says when; what was missed is made up for, once."""
    return (
        f"{_UNIT_HEAD}[Unit]\n{_described(job)}\n"
        f"[Timer]\nOnCalendar=*-*-* *:{job.rhythm.minute:02}:00\n"
        "Persistent=true\nRandomizedDelaySec=0\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def parse_timer(text: str) -> Rhythm | None:
    """When a timer is due; None for a time that is not one of ours."""
    return _rhythm(*map(int, _ON_CALENDAR.findall(text)))


_UNIT_HEAD = "# Written by `reverie schedule install`.\n"


def _described(job: Job) -> str:
    # The words after it keep a backslash at its end from joining two lines.
    workspace = job.workspace.replace("%", "%%")
    return f"Description=Reverie: {workspace} (offers a reflection)\n"


def _for_systemd(word: str) -> str:
    for char, spelled in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(char, spelled)
    return f'"{word}"'


# --- cron --------------------------------------------------------------------


def render_cron(job: Job) -> str:
    """The lines of a crontab, with the marks around them."""
    command = " ".join(map(_for_cron, job.command))
    line = f"{job.rhythm.minute} * * * * {command}"
    return f"{OPENING.decode()}{job.workspace}\n{line}\n{CLOSING.decode()}\n"


def parse_cron(block: str) -> Rhythm | None:
    """When a block is due; None for a time that is not one of ours."""
    return _rhythm(*map(int, _CRON_LINE.findall(block)))


def _for_cron(word: str) -> str:
    """A word for the shell, by way of cron.

    Crons differ in what they make of a backslash, but none touches one before a
    quote, and all leave `%` for a `%` that follows one outside of quotes: those that
    know nothing of it pass both on to the shell, which does the same.
    """
    if _PLAIN.fullmatch(word):
        return word
    parts = re.findall(r"[^'%\\]+|['%\\]", word)
    return "".join(_CRON_SPELLING.get(part, f"'{part}'") for part in parts) or "''"


_PLAIN = re.compile(r"[A-Za-z0-9_@+:,./-]+")
_CRON_SPELLING = {"%": "\\%", "\\": "'\\'", "'": '"\'"'}


def find_block(crontab: bytes, workspace: str) -> str:
    """What a crontab holds for a workspace, with its marks; empty for nothing."""
    ours = [piece for piece, own in _pieces(crontab, workspace) if own]
    return b"".join(ours).decode("utf-8", "replace")


def with_block(crontab: bytes, workspace: str, block: str) -> bytes:
    """A crontab with this block for a workspace, and with no other one for it.

    Args:
        crontab: As it is; all that is not ours stays byte for byte.
        workspace: Whose block.
        block: What to put there; empty to take it out.

    Raises:
        TornBlockError: The end of what is ours is missing.
    """
    fresh = os.fsencode(block)
    kept: list[bytes] = []
    for piece, own in _pieces(crontab, workspace):
        kept.append(fresh if own else piece)
        if own:
            fresh = b""
    if fresh and kept and not kept[-1].endswith(b"\n"):
        kept.append(b"\n")
    return b"".join([*kept, fresh])


def _pieces(crontab: bytes, workspace: str) -> Iterator[tuple[bytes, bool]]:
    """What is ours and what is not, in order."""
    opening = OPENING + os.fsencode(workspace)
    ours: list[bytes] = []
    for line in re.findall(rb"[^\n]*\n|[^\n]+", crontab):
        said = line.rstrip(b"\r\n")
        if ours:
            if said.startswith(OPENING):
                raise TornBlockError(workspace)
            ours.append(line)
            if said == CLOSING:
                yield b"".join(ours), True
                ours = []
        elif said == opening:
            ours = [line]
        else:
            yield line, False
    if ours:
        raise TornBlockError(workspace)


# --- launchd -----------------------------------------------------------------


def render_agent(job: Job) -> str:
    """The property list of a launch agent."""
    agent = {
        "Label": name_of(job.workspace),
        "ProgramArguments": list(job.command),
        "ProcessType": "Background",
        "StartCalendarInterval": {"Minute": job.rhythm.minute},
    }
    return plistlib.dumps(agent).decode()


def parse_agent(text: str) -> Rhythm | None:
    """When an agent is due; None for a time that is not one of ours."""
    try:
        when = plistlib.loads(text.encode())["StartCalendarInterval"]
        minute = when["Minute"]
    except (ValueError, LookupError, TypeError, AttributeError, ExpatError):
        return None
    if when != {"Minute": minute} or not isinstance(minute, int):
        return None
    return _rhythm(minute)


# --- a schedule --------------------------------------------------------------


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
    require_speakable(job.workspace, *job.command)
    name = name_of(job.workspace)
    texts = {
        Way.SYSTEMD: (render_service, render_timer),
        Way.CRON: (render_cron,),
        Way.LAUNCHD: (render_agent,),
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
    name = name_of(workspace)
    if way is Way.CRON:
        texts = [find_block(_crontab(machine), workspace)]
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
    Way.SYSTEMD: parse_timer,
    Way.CRON: parse_cron,
    Way.LAUNCHD: parse_agent,
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
    name = name_of(workspace)
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
    after = with_block(before, workspace, block)
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
