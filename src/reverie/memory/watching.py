"""A service's timer for context reflections.

with watch(memory):
    memory.window("trip").say("Where do we stay?")   # sets the timer anew
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from reverie.conversation.idle import LEAST_WAIT, IdleTimer, due_at, later
from reverie.conversation.summarising import AlreadyReflectedError
from reverie.conversation.windows import unheard
from reverie.errors import ReverieError
from reverie.model.conversation import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.conversation.idle import Schedule
    from reverie.memory.memory import Memory
    from reverie.session.session import House

FIRST_PAUSE = 60.0
"""Seconds until a summary that failed is tried again; twice as many each time."""

LONGEST_PAUSE = 3600.0


@contextmanager
def watch(
    memory: Memory,
    *,
    told: Callable[[str], None] = lambda _window: None,
    schedule: Schedule = later,
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
    house, talk = memory._house, memory._talk  # noqa: SLF001 - its own timer

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
        clock=house.clock,
        config=house.config.conversation,
        fire=ring,
        state=house.journal.state,
    )

    talk.heard = timer.heard
    try:
        _set_all(house, timer)
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


def _set_all(house: House, timer: IdleTimer) -> None:
    """Set timers for what was said before; not all of them ring in one moment."""
    after = 0.0
    for window in house.journal.known():
        state = house.journal.state(window)
        if state is not None and due_at(state, house.config.conversation):
            timer.heard(window, state, after=after)
            after += LEAST_WAIT
