"""Trying again where the trouble may pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from reverie.minds.endpoint import BusyMindError, UnreachableMindError

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.minds.timed import Deadline

T = TypeVar("T")

_FIRST_PAUSE = 0.5  # seconds; doubles with each further attempt


def try_again(
    once: Callable[[], T],
    retries: int,
    deadline: Deadline,
    sleep: Callable[[float], None],
) -> T:
    """Ask, and ask again while the server is away or busy and there is time."""
    for attempt in range(retries):
        try:
            return once()
        except (UnreachableMindError, BusyMindError) as error:
            pause = _pause(error, attempt)
            if pause is None or pause >= deadline.left:
                raise
            sleep(pause)
    return once()


def _pause(error: UnreachableMindError | BusyMindError, attempt: int) -> float | None:
    """How long to wait before the next attempt; None where it would not help."""
    usual = _FIRST_PAUSE * (1 << attempt)
    if isinstance(error, BusyMindError):
        return max(usual, error.wait)
    return usual if error.passing else None
