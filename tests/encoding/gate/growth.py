"""How the time of a look grows with the text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 25_000


def stays_linear(look: Callable[[str], object], piece: str) -> bool:
    """Whether four times the text takes about four times as long, not sixteen times.

    The time is this process's own, and the best of three: others work here as well.
    """
    small = piece * (SIZE // len(piece))
    look(small)
    return _best(look, small * 4) < 10 * _best(look, small) + 0.05


def _best(look: Callable[[str], object], text: str) -> float:
    taken = []
    for _ in range(3):
        started = time.process_time()
        look(text)
        taken.append(time.process_time() - started)
    return min(taken)
