"""Start reflections without being asked: the machine's schedule, a service's timer.

with watch(memory):
memory.window("trip").say("Where do we stay?")   # sets the timer anew
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import time
from typing import TYPE_CHECKING

from reverie.conversation.context_reflection import LEAST_WAIT, IdleTimer, later
from reverie.conversation.window import AlreadyReflectedError, unheard
from reverie.errors import RefusedError, ReverieError
from reverie.model.conversation import Cause
from reverie.model.health import Job, Rhythm, Timetable
from reverie.session.conversation_record import due_at
from reverie.workspace import schedules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.config import ReflectionConfig
    from reverie.conversation.context_reflection import Cancellable
    from reverie.memory.memory import Memory, SubAgent
    from reverie.model.health import Machine, Schedule, Way
    from reverie.session.session import Session


# --- the machine's schedule ----------------------------------------------------


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


# --- a service's timer ---------------------------------------------------------

FIRST_PAUSE = 60.0
"""Seconds until a summary that failed is tried again; twice as many each time."""

LONGEST_PAUSE = 3600.0


@contextmanager
def watch(
    memory: Memory,
    *,
    told: Callable[[str], None] = lambda _window: None,
    schedule: Callable[[float, Callable[[], None]], Cancellable] = later,
) -> Iterator[IdleTimer]:
    """Let a timer summarise conversations while nobody speaks.

    Every message of a user sets its window's timer anew, and windows in which enough
    was said before have theirs set at once. When it rings, the window is summarised
    through a handle of its own, beside whatever this one does. What fails is tried
    again after a pause that grows.

    Args:
        memory: An open workspace, which is spoken with.
        told: Told the window's name before and after it is summarised.
        schedule: Calls something after so many seconds; a thread by default.
    """
    session, talk = memory._session, memory._talk  # noqa: SLF001 - its own timer

    pauses: dict[str, float] = {}

    def ring(window: str) -> None:
        pause = pauses.pop(window, FIRST_PAUSE)
        done = False
        try:
            told(window)
            done = _summarised(memory, window)
        finally:
            told(window)
            if not done:
                pauses[window] = min(2 * pause, LONGEST_PAUSE)
                timer.again(window, pause)

    timer = IdleTimer(
        schedule=schedule,
        clock=session.clock,
        config=session.config.conversation,
        fire=ring,
        state=session.journal.state,
    )

    talk.heard = timer.heard
    try:
        _set_all(session, timer)
        yield timer
    finally:
        talk.heard = unheard
        timer.close()


def _summarised(memory: Memory, window: str) -> bool:
    """Summarise a window; False where it has to be tried again."""
    try:
        with memory.again() as other:
            other.window(window).reflect(cause=Cause.IDLE)
    except AlreadyReflectedError:
        return True
    except ReverieError:
        return False
    return True


def _set_all(session: Session, timer: IdleTimer) -> None:
    """Set timers for what was said before; not all of them ring in one moment."""
    after = 0.0
    for window in session.journal.known():
        state = session.journal.state(window)
        if state is not None and due_at(state, session.config.conversation):
            timer.heard(window, state, after=after)
            after += LEAST_WAIT
