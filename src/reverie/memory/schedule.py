"""Start reflections without being asked: the machine's schedule, a service's timer.

with watch(memory):
    memory.window("trip").say("Where do we stay?")   # sets the timer anew
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import time
from typing import TYPE_CHECKING

from reverie.conversation.idle import LEAST_WAIT, IdleTimer, later
from reverie.conversation.window import AlreadyReflectedError, unheard
from reverie.errors import RefusedError, ReverieError
from reverie.model.conversation import Cause
from reverie.model.health import Job
from reverie.session.conversation_record import due_at
from reverie.workspace import schedules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.conversation.idle import Cancellable
    from reverie.memory.memory import Memory, SubAgent
    from reverie.model.health import Machine, Schedule, Way


# --- the machine's schedule ----------------------------------------------------


def job(memory: Memory | SubAgent, machine: Machine) -> Job | None:
    """What to start for a workspace; None where no reflection is wanted by the clock.

    Every hour, at the minute of `reflection.time`: what was put off for some hours
    comes before the next night, and what the machine slept through soon after it.
    """
    config, workspace = memory.config.reflection, str(memory.root)
    if {"daily", "weekly"}.isdisjoint(config.frequency):
        return None
    minute = time.fromisoformat(config.time).minute
    return Job(workspace, schedules.scheduled(machine.command, workspace), minute)


def install(
    memory: Memory | SubAgent, machine: Machine, way: Way | None, *, only_plan: bool
) -> Schedule:
    """Have the machine offer reflections by itself, or tell what would be written.

    Args:
        memory: The workspace.
        machine: Where.
        way: Who starts it; None for whoever does so on this machine.
        only_plan: Whether to write nothing.

    Raises:
        RefusedError: The configuration wants none by the clock.
    """
    wanted = job(memory, machine)
    if wanted is None:
        problem = 'reflection.frequency has neither "daily" nor "weekly"'
        hint = "Add one of them in reverie.toml, then try again."
        raise RefusedError(problem, hint=hint)
    act = schedules.plan if only_plan else schedules.install
    return act(wanted, way or schedules.usual_way(machine), machine)


def remove(root: Path, machine: Machine) -> tuple[Way, ...]:
    """Take out what is scheduled for a folder, which may be gone by now."""
    return schedules.remove(str(root.resolve()), machine)


def find_schedules(memory: Memory | SubAgent, machine: Machine) -> tuple[Schedule, ...]:
    """What is scheduled for a workspace."""
    wanted = job(memory, machine) or Job(str(memory.root), (), 0)
    return schedules.find_schedules(wanted, machine)


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
    config, journal = session.config.conversation, session.journal
    pauses: dict[str, float] = {}

    def ring(window: str) -> None:
        pause, done = pauses.pop(window, FIRST_PAUSE), False
        told(window)
        try:
            with suppress(ReverieError), memory.again() as other:
                with suppress(AlreadyReflectedError):
                    other.window(window).reflect(cause=Cause.IDLE)
                done = True
        finally:  # Whatever went wrong, a fault of a mind included.
            if not done:
                pauses[window] = min(2 * pause, LONGEST_PAUSE)
                timer.again(window, pause)
            told(window)

    timer = IdleTimer(
        schedule=schedule,
        clock=session.clock,
        config=config,
        fire=ring,
        state=journal.state,
    )
    talk.heard = timer.heard
    try:
        after = 0.0  # What was said before does not all ring in one moment.
        for window in journal.known():
            state = journal.state(window)
            if state is not None and due_at(state, config):
                timer.heard(window, state, after=after)
                after += LEAST_WAIT
        yield timer
    finally:
        talk.heard = unheard
        timer.close()
