"""The idle timer: rings when the user of a window has not spoken for a while (002)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from reverie.session.conversation_record import due, due_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.config import ConversationConfig
    from reverie.model.conversation import WindowState

LEAST_WAIT = 1.0
"""Seconds before a timer that woke too early looks again."""


class Cancellable(Protocol):
    """Something that was set for later and can be called off."""

    def cancel(self) -> None:
        """Call it off; does nothing once it has run."""
        ...


def later(seconds: float, then: Callable[[], None]) -> Cancellable:
    """Call something later, from a thread that keeps no program from ending."""
    timer = threading.Timer(seconds, then)
    timer.daemon = True
    timer.start()
    return timer


class IdleTimer:
    """One timer a window, which rings when its user has not spoken for a while.

    Any thread may use it. A message sets one where none is set that rings before; one
    that rings looks when its user last spoke, and is set anew where that is recent.

    Args:
        config: How long to wait, and how much has to be said.
        clock: The time, in UTC.
        state: How far a window has come by now; None if there is none.
        fire: Told the window that is due, from the thread in which its timer rings.
        schedule: Calls something after so many seconds, later than it returns.
    """

    def __init__(
        self,
        *,
        config: ConversationConfig,
        clock: Callable[[], datetime],
        state: Callable[[str], WindowState | None],
        fire: Callable[[str], None],
        schedule: Callable[[float, Callable[[], None]], Cancellable] = later,
    ) -> None:
        self._config, self._clock, self._state = config, clock, state
        self._fire, self._schedule = fire, schedule
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[datetime, Cancellable]] = {}
        self._closed = False

    def heard(self, window: str, state: WindowState, *, after: float = 0.0) -> None:
        """The user of a window has spoken: wait, and so many seconds at least."""
        if self._config.reflections:
            now, whole = self._clock(), timedelta(minutes=self._config.idle_minutes)
            # Never more than the whole time, whatever the last message's moment says.
            silence = min(max(now - (state.heard or now), timedelta()), whole)
            self.again(window, max((whole - silence).total_seconds(), after))

    def again(self, window: str, seconds: float) -> None:
        """Look at a window after so many seconds, or sooner."""
        at = self._clock() + timedelta(seconds=seconds)
        with self._lock:
            known = self._waiting.get(window)
            if self._closed or (known and known[0] <= at):
                return
            if known:
                known[1].cancel()
            timer = self._schedule(seconds, lambda: self._look(window, at))
            self._waiting[window] = at, timer

    def close(self) -> None:
        """Call off everything; nothing is set any more."""
        with self._lock:
            self._closed = True
            for _, timer in self._waiting.values():
                timer.cancel()
            self._waiting.clear()

    def _look(self, window: str, at: datetime) -> None:
        with self._lock:
            if self._waiting.get(window, (None,))[0] != at:
                # It ran off in the moment in which it was called off.
                return
            del self._waiting[window]
        state = self._state(window)
        if state is None:
            return
        if due(state, self._clock(), self._config):
            self._fire(window)
        elif due_at(state, self._config) is not None:
            self.heard(window, state, after=LEAST_WAIT)
