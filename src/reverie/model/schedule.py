"""What the machine starts by itself: an hourly look whether a reflection is due."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Way(StrEnum):
    """Who starts it."""

    SYSTEMD = "systemd"
    CRON = "cron"
    LAUNCHD = "launchd"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where something is scheduled.

    Attributes:
        home: The user's own folder.
        platform: What Python calls the system, such as `linux` or `darwin`.
        environ: Variables for the programs that are called; PATH says where they are.
        command: How `reverie` is started from anywhere.
        user: The user's number.
    """

    home: Path
    platform: str
    environ: Mapping[str, str]
    command: tuple[str, ...]
    user: int = 0


@dataclass(frozen=True, slots=True)
class Rhythm:
    """At which minute of every hour it is started, on the machine's clock."""

    minute: int


@dataclass(frozen=True, slots=True)
class Job:
    """What is started, for which workspace, and when."""

    workspace: str
    command: tuple[str, ...]
    rhythm: Rhythm


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in one file; the `path` of a part of the crontab is `crontab`."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """Something that is scheduled, or would be.

    Attributes:
        name: What the units or the agent are called.
        rhythm: When it is started; None for a time that is not one of ours, or is
            one of an earlier version.
        files: What is written where.
        active: Whether it really is waiting for its time.
        current: Whether it reads as we would write it now.
    """

    workspace: str
    name: str
    way: Way
    rhythm: Rhythm | None
    files: tuple[Written, ...]
    active: bool = False
    current: bool = True


@dataclass(frozen=True, slots=True)
class Timetable:
    """What is scheduled for a workspace.

    Attributes:
        wanted: When its configuration would be looked at; None where it asks for no
            reflection by the clock.
        at: The time of day from which on one is offered, as in `03:00`.
        found: What there is.
    """

    workspace: str
    wanted: Rhythm | None
    at: str
    found: tuple[Schedule, ...]
