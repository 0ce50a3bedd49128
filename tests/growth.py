"""How the work of a call grows with what it is given, counted and not timed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 4
"""So much more is given the second time."""


def keeps_pace(small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Whether a work that is four times another makes about four times as many calls.

    Eight times is the middle between that and the sixteen times of a work whose parts
    are all compared with each other. What a regular expression does inside is not
    seen: `make bench-growth` measures that.
    """
    small()
    return calls(large) < 2 * TIMES * calls(small)


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, of Python and of C."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
