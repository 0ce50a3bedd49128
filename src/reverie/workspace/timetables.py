"""What cron, systemd and launchd want to read; pure text.

Each of them has its own idea of quoting. A path may hold anything a line can hold:
blanks, quotes, `%`, `$` and backslashes arrive as they are.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
import unicodedata
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from reverie.errors import RefusedError
from reverie.model.health import Rhythm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.health import Job

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
