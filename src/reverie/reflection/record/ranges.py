"""Ranges of numbers, such as `#1-30`; never counted out, however large they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_RANGE = re.compile(r"#?([0-9]{1,9})(?:[\u2013-]#?([0-9]{1,9}))?")

Ranges = tuple[tuple[int, int], ...]


def render_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """Write `#1-7, #9-30`."""
    return ", ".join(map(span, ranges))


def parse_ranges(line: str) -> Ranges:
    """The numbers that `- #1-30: archived` names; none if the line reads otherwise."""
    before, colon, after = line.strip().partition(":")
    if not before.startswith("- #") or not colon or after.strip() != "archived":
        return ()
    pairs = ((int(a), int(b or a)) for a, b in _RANGE.findall(before))
    return tuple((first, last) for first, last in pairs if 0 < first <= last)


def span(numbers: Iterable[int]) -> str:
    """From the lowest to the highest: `#31-40`, or `#31` for a single one."""
    found = sorted(numbers)
    if not found:
        return "none"
    return f"#{found[0]}" + (f"-{found[-1]}" if found[0] < found[-1] else "")


def merged(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges without overlaps, in order; neighbours become one."""
    done: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if done and first <= done[-1][1] + 1:
            done[-1] = (done[-1][0], max(last, done[-1][1]))
        else:
            done.append((first, last))
    return tuple(done)


def size(ranges: Iterable[tuple[int, int]]) -> int:
    """How many numbers there are in ranges without overlaps."""
    return sum(last - first + 1 for first, last in ranges)
