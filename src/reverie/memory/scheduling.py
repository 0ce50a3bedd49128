"""When the machine looks whether a reflection is due, and who there sees to it."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.health import Job, Rhythm, Timetable
from reverie.workspace import schedules

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.config import ReflectionConfig
    from reverie.memory.companions import SubAgent
    from reverie.memory.memory import Memory
    from reverie.model.health import Machine, Schedule, Way


class NoRhythmError(RefusedError):
    """The configuration wants no reflection by the clock."""

    def __init__(self) -> None:
        super().__init__(
            "reflection.frequency asks for no reflection by the clock: it has neither "
            '"daily" nor "weekly"',
            hint="Add one of them in reverie.toml, then try again.",
        )


def rhythm(config: ReflectionConfig) -> Rhythm | None:
    """When to look whether one is due; None where none ever is by the clock.

    Every hour, at the minute of `reflection.time`: what was put off for some hours
    comes before the next night, and what the machine slept through soon after it.
    """
    if {"daily", "weekly"}.isdisjoint(config.frequency):
        return None
    return Rhythm(time.fromisoformat(config.time).minute)


def planned(memory: Memory | SubAgent, machine: Machine, way: Way | None) -> Schedule:
    """What would be scheduled; nothing is written.

    Args:
        memory: The workspace.
        machine: Where.
        way: Who starts it; None for whoever does so on this machine.

    Raises:
        NoRhythmError: The configuration wants none by the clock.
    """
    job = _job(memory, machine)
    return schedules.plan(job, way or schedules.usual_way(machine), machine)


def install(memory: Memory | SubAgent, machine: Machine, way: Way | None) -> Schedule:
    """Have the machine offer reflections by itself; see `planned`."""
    job = _job(memory, machine)
    return schedules.install(job, way or schedules.usual_way(machine), machine)


def remove(root: Path, machine: Machine) -> tuple[Schedule, ...]:
    """Take out what is scheduled for a folder, which may be gone by now."""
    return schedules.remove(str(root.resolve()), machine)


def timetable(memory: Memory | SubAgent, machine: Machine) -> Timetable:
    """What is scheduled for a workspace, beside what its configuration asks for."""
    workspace = str(memory.root)
    found = schedules.find_schedules(workspace, machine)
    config = memory.config.reflection
    return Timetable(workspace, rhythm(config), config.time, found)


def _job(memory: Memory | SubAgent, machine: Machine) -> Job:
    wanted = rhythm(memory.config.reflection)
    if wanted is None:
        raise NoRhythmError
    workspace = str(memory.root)
    return Job(workspace, schedules.scheduled(machine.command, workspace), wanted)
