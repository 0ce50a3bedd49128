"""Which memory stands at a place of a file."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.encoding.auditing.sheets import Held, Sheet


class Places:
    """The memories of each file in the order in which they stand there."""

    def __init__(self, memories: Iterable[Held]) -> None:
        self._held: dict[Sheet, list[Held]] = {}
        for held in memories:
            self._held.setdefault(held.sheet, []).append(held)
        for among in self._held.values():
            among.sort(key=_start)

    def within(self, sheet: Sheet, start: int, end: int) -> tuple[Held, ...]:
        """The memories that a stretch of a file touches."""
        among = self._held.get(sheet, [])
        first = max(0, bisect_right(among, start, key=_start) - 1)
        last = bisect_right(among, max(start, end - 1), key=_start)
        return tuple(held for held in among[first:last] if held.end > start)


def _start(held: Held) -> int:
    return held.start
