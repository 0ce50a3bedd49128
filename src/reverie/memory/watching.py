"""A service's timer for context reflections.

with watch(memory):
memory.window("trip").say("Where do we stay?")   # sets the timer anew
"""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reverie.conversation.idle import IdleTimer, later
from reverie.errors import ReverieError
from reverie.memory.windows import unheard
from reverie.model.conversation import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.conversation.idle import Schedule
    from reverie.memory.memory import Memory


@contextmanager
def watch(
    memory: Memory,
    *,
    told: Callable[[str], None] = lambda _window: None,
    schedule: Schedule = later,
) -> Iterator[IdleTimer]:
    """Let a timer summarise conversations while nobody speaks.

    Every message of a user sets its window's timer anew. When it rings, the window is
    summarised through a handle of its own, beside whatever this one does.

    Args:
        memory: An open workspace, which is spoken with.
        told: Told the window's name before and after it is summarised.
        schedule: Calls something after so many seconds; a thread by default.
    """
    house, talk = memory._house, memory._talk  # noqa: SLF001 - its own timer

    def ring(window: str) -> None:
        told(window)
        with contextlib.suppress(ReverieError), memory.again() as other:
            other.window(window).reflect(cause=Cause.IDLE)
        told(window)

    timer = IdleTimer(
        schedule=schedule,
        clock=house.clock,
        config=house.config.conversation,
        fire=ring,
        state=house.journal.state,
    )

    talk.heard = timer.heard
    try:
        yield timer
    finally:
        talk.heard = unheard
        timer.close()
