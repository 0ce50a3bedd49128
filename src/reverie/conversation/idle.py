"""When a conversation is due for a summary: nobody speaks, and enough was said (002).

Both are read off what was said, so there is nothing to lose. A long-lived program
sets one timer a window; others ask `due` at their next call.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from reverie.model.conversation import REFLECTION
from reverie.model.items import Role
from reverie.model.origin import in_one_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.config import ConversationConfig
    from reverie.model.conversation import WindowState
    from reverie.model.items import Turn

NEWEST = 200
"""So many of the newest turns are looked at."""

LEAST_WAIT = 1.0
"""Seconds before a timer that woke too early looks again."""


def due(state: WindowState, now: datetime, config: ConversationConfig) -> bool:
    """Whether a context reflection is due: idle for long enough *and* enough said."""
    if not config.reflections or state.heard is None or state.since < config.messages:
        return False
    silence = now - state.heard
    # What was heard far in a time to come was heard by a wrong clock: nobody knows
    # when, and nobody shall wait for that time.
    return silence >= _idle_time(config) or -silence > _idle_time(config)


def due_at(state: WindowState, config: ConversationConfig) -> datetime | None:
    """When it will be due if nobody speaks; None while too little was said."""
    if not config.reflections or state.heard is None or state.since < config.messages:
        return None
    try:
        return state.heard + _idle_time(config)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def anything_new(turns: Sequence[Turn], person: str = "") -> bool:
    """Whether the user said something since the last summary that may be summed up.

    What several people said to it alone goes into no summary.

    Args:
        turns: What was said, in order, without what was deleted.
        person: Who would read the summary.
    """
    for turn in reversed(in_one_scope(turns[-NEWEST:], person)[0]):
        if turn.role is Role.USER or turn.field(REFLECTION):
            return turn.role is Role.USER
    return False


def _idle_time(config: ConversationConfig) -> timedelta:
    return timedelta(minutes=config.idle_minutes)


class Cancellable(Protocol):
    """Something that was set for later and can be called off."""

    def cancel(self) -> None:
        """Call it off; does nothing once it has run."""
        ...


class CallLater(Protocol):
    """Calls something after so many seconds."""

    def __call__(self, seconds: float, then: Callable[[], None], /) -> Cancellable:
        """Set it for later."""
        ...


def later(seconds: float, then: Callable[[], None]) -> Cancellable:
    """Call something later, from a thread that keeps no program from ending."""
    timer = threading.Timer(seconds, then)
    timer.daemon = True
    timer.start()
    return timer


class _Waiting:
    """One window's timer; a new one takes its place with every message."""

    __slots__ = ("timer",)

    def __init__(self) -> None:
        self.timer: Cancellable | None = None


class IdleTimer:
    """One timer a window, reset by each message of its user.

    Any thread may use it. `fire` is called from whatever thread `schedule` uses, and
    at most once for each message.
    """

    def __init__(
        self,
        *,
        config: ConversationConfig,
        clock: Callable[[], datetime],
        state: Callable[[str], WindowState | None],
        fire: Callable[[str], None],
        schedule: CallLater = later,
    ) -> None:
        """Set nothing yet.

        Args:
            config: How long to wait, and how much has to be said.
            clock: The time, in UTC.
            state: How far a window has come by now; None if there is none.
            fire: Told the window that is due.
            schedule: Calls something after so many seconds.
        """
        self._config = config
        self._clock = clock
        self._state = state
        self._fire = fire
        self._schedule = schedule
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}
        self._closed = False

    def heard(self, window: str, state: WindowState, *, after: float = 0.0) -> None:
        """The user of a window has spoken: wait anew, and so many seconds at least."""
        if self._config.reflections:
            self._set(window, max(self._wait(state), after))

    def again(self, window: str, seconds: float) -> None:
        """Look at a window once more, unless a message sets its timer before."""
        self._set(window, seconds, again=True)

    def close(self) -> None:
        """Call off everything; nothing is set any more."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for each in waiting:
            _cancel(each)

    def _wait(self, state: WindowState) -> float:
        """Seconds until the window could be idle for long enough.

        Never more than the whole time, whatever the moment of the last message says.
        """
        whole = _idle_time(self._config)
        heard = state.heard or self._clock()
        left = whole - max(self._clock() - heard, timedelta())
        return max(left, timedelta()).total_seconds()

    def _set(self, window: str, seconds: float, *, again: bool = False) -> None:
        waiting = _Waiting()
        with self._lock:
            before = self._waiting.get(window)
            # What a message set meanwhile is the better one.
            if self._closed or (again and before is not None):
                return
            self._waiting[window] = waiting
        if before is not None:
            _cancel(before)
        # Outside the lock: who schedules may call back at once.
        timer = self._schedule(seconds, lambda: self._look(window, waiting))
        with self._lock:
            waiting.timer = timer
            overtaken = self._waiting.get(window) is not waiting
        if overtaken:
            timer.cancel()

    def _look(self, window: str, waiting: _Waiting) -> None:
        with self._lock:
            if self._waiting.get(window) is not waiting:
                # It ran off in the moment in which it was called off.
                return
            del self._waiting[window]
        state = self._state(window)
        if state is None:
            return
        if due(state, self._clock(), self._config):
            self._fire(window)
        elif due_at(state, self._config) is not None:
            # Early by a hair, or another process heard the user meanwhile.
            self._set(window, max(self._wait(state), LEAST_WAIT), again=True)


def _cancel(waiting: _Waiting) -> None:
    if waiting.timer is not None:
        waiting.timer.cancel()
