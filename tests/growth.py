"""How the time of a look grows with what is looked at."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 4
"""So much more is looked at the second time."""

SIZE = 25_000
ROUND = 0.005
"""Seconds; a shorter look is measured several times in a row."""


def stays_linear(look: Callable[[str], object], piece: str, size: int = SIZE) -> bool:
    """Whether four times the text takes about four times as long, not sixteen times.

    Args:
        look: What is measured.
        piece: What the text is made of.
        size: Characters of the smaller text.
    """
    small = piece * (size // len(piece))
    return keeps_pace(lambda: look(small), lambda: look(small * TIMES))


def keeps_pace(small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Whether a work that is four times another takes about four times as long.

    Eight times is the middle between that and the sixteen times of a work whose parts
    are all compared with each other. The time is this process's own, and the best of
    three: others work here as well.
    """
    small()
    return _best(large) < 2 * TIMES * _best(small)


def _best(work: Callable[[], object]) -> float:
    # A collection looks through all that the other tests left behind.
    gc.disable()
    try:
        return min(_per_call(work) for _ in range(3))
    finally:
        gc.enable()


def _per_call(work: Callable[[], object]) -> float:
    started, calls, taken = time.process_time(), 0, 0.0
    while taken < ROUND:
        work()
        calls += 1
        taken = time.process_time() - started
    return taken / calls
