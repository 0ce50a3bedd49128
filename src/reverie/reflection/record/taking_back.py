"""Taking one reflection out of the files that many reflections write to.

Text alone cannot tell: counts, ranges and prunings of later reflections stand in
the same lines. Here the entry of one reflection goes, and all others stay.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import split_sections
from reverie.reflection.record.headings import is_entry, parse_heading
from reverie.reflection.record.ranges import merged, parse_ranges, render_ranges
from reverie.stores.expectations import parse_expectations, remove_expected
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

LOGS = (
    layout.REFLECTION_LOG,
    layout.REFLECTION_ARCHIVE,
    layout.EVOLUTION,
    layout.EVOLUTION_ARCHIVE,
    layout.REWARD_LOG,
)
"""The files that hold an entry for each reflection."""

_TOTAL = re.compile(r"(?m)^- Total reflections: ([0-9]{1,9})$")


def without_reflection(text: str, number: int) -> str:
    """A log, the evolution or an archive, as if a reflection had not been."""
    parts = split_sections(text, is_entry)
    kept = [part for part in parts if not _is_of(part.heading, number)]
    less = len(parts) - len(kept)
    told = "".join(
        _counted_down(part.raw, less)
        if (part.heading or "").casefold() == "overview"
        else part.raw
        for part in kept
    )
    return "".join(_lines(told, number))


def _is_of(heading: str | None, number: int) -> bool:
    found = parse_heading(heading)
    return found is not None and found.number == number


def _counted_down(overview: str, less: int) -> str:
    """An overview of fewer reflections; what entries counted then stays theirs."""
    return _TOTAL.sub(
        lambda found: f"- Total reflections: {max(0, int(found[1]) - less)}", overview
    )


def _lines(text: str, number: int) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        ranges = parse_ranges(line)
        if ranges:
            left = render_ranges(_but(ranges, number))
            yield f"- {left}: archived\n" if left else ""
        elif not line.startswith(f"- [#{number}] "):
            yield line


def _but(ranges: tuple[tuple[int, int], ...], number: int) -> list[tuple[int, int]]:
    """Ranges without one number."""
    found = []
    for first, last in merged(ranges):
        parts = ((first, min(last, number - 1)), (max(first, number + 1), last))
        found += [pair for pair in parts if pair[0] <= pair[1]]
    return list(merged(found))


def without_expectations(before: str, after: str, now: str) -> str:
    """What must stay findable, without what one change added and nobody changed."""
    known, added, there = (
        set(parse_expectations(text, layout.EXPECTATIONS)[0])
        for text in (before, after, now)
    )
    for expected in (added - known) & there:
        now = remove_expected(now, expected.question)
    return now
