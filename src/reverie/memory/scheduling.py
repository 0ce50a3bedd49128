"""When the machine offers a reflection by itself, and who there sees to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.schedule import Job, Rhythm, Timetable
from reverie.workspace import schedules

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.config.sections import ReflectionConfig
    from reverie.memory.reader import Reader
    from reverie.model.schedule import Machine, Schedule, Way


class NoRhythmError(RefusedError):
    """The configuration wants no reflection by the clock."""

    def __init__(self) -> None:
        super().__init__(
            "reflection.frequency asks for no reflection by the clock: it has neither "
            '"daily" nor "weekly"',
            hint="Add one of them in reverie.toml, or say when: "
            "`reverie schedule install --at 03:00`.",
        )


def rhythm(config: ReflectionConfig) -> Rhythm | None:
    """When the configuration asks for a reflection; None for never by the clock."""
    asked = {"daily", "weekly"}.intersection(config.frequency)
    return Rhythm(config.time, weekly=asked == {"weekly"}) if asked else None


def planned(reader: Reader, machine: Machine, way: Way | None, at: str) -> Schedule:
    """What would be scheduled; nothing is written.

    Args:
        reader: The workspace.
        machine: Where.
        way: Who starts it; None for whoever does so on this machine.
        at: The time of day; empty for the one that is configured.

    Raises:
        NoRhythmError: No time was given, and none is configured.
    """
    job = _job(reader, machine, at)
    return schedules.plan(job, way or schedules.usual_way(machine), machine)


def install(reader: Reader, machine: Machine, way: Way | None, at: str) -> Schedule:
    """Have the machine offer reflections by itself; see `planned`."""
    job = _job(reader, machine, at)
    return schedules.install(job, way or schedules.usual_way(machine), machine)


def remove(root: Path, machine: Machine) -> tuple[Schedule, ...]:
    """Take out what is scheduled for a folder, which may be gone by now."""
    return schedules.remove(str(root.resolve()), machine)


def timetable(reader: Reader, machine: Machine) -> Timetable:
    """What is scheduled for a workspace, beside what its configuration asks for."""
    workspace = str(reader.root)
    found = schedules.find_schedules(workspace, machine)
    return Timetable(workspace, rhythm(reader.config.reflection), found)


def _job(reader: Reader, machine: Machine, at: str) -> Job:
    wanted = rhythm(reader.config.reflection)
    if at:
        wanted = Rhythm(at, weekly=wanted is not None and wanted.weekly)
    if wanted is None:
        raise NoRhythmError
    workspace = str(reader.root)
    return Job(workspace, schedules.scheduled(machine.command, workspace), wanted)
