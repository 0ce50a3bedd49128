"""Merge two edits of one text, line by line.

Lines are compared. Changes that merely touch are no conflict: taking out one
entry of a log and adding another below it are two different wishes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

MOST_LINES = 20_000
"""Longer texts are not compared line by line; both are kept whole."""

MOST_PAIRS = 10_000
"""Stretches with more pairs of lines than this are not compared any finer."""


class Hunk(NamedTuple):
    """Lines `start` to `end` of the base, replaced by others."""

    start: int
    end: int
    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged text, and the base lines (from 1) where both sides disagreed."""

    content: bytes
    conflicts: tuple[int, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Apply to `base` what both sides did; where they disagree, keep both."""
    if theirs in (ours, base):
        return Merged(ours, ())
    if ours == base:
        return Merged(theirs, ())
    old, mine, other = (_lines(text) for text in (base, ours, theirs))
    if max(len(old), len(mine), len(other)) > MOST_LINES:
        return Merged(_joined([*mine, *other]), (1,))
    return _merged(old, _hunks(old, mine), _hunks(old, other))


def _merged(base: list[bytes], ours: list[Hunk], theirs: list[Hunk]) -> Merged:
    result: list[bytes] = []
    conflicts = []
    at = 0
    while ours or theirs:
        first = min(hunk.start for hunk in (*ours[:1], *theirs[:1]))
        result += base[at:first]
        mine, other, at = _group(ours, theirs)
        a, b = (_applied(base, side, first, at) for side in (mine, other))
        if not other or a == b:
            result += a
        elif not mine:
            result += b
        else:
            conflicts.append(first + 1)
            result += _both(a, b, [line for hunk in other for line in hunk.lines])
    return Merged(_joined(result + base[at:]), tuple(conflicts))


def _group(ours: list[Hunk], theirs: list[Hunk]) -> tuple[list[Hunk], list[Hunk], int]:
    """Take from both lists the next hunks that overlap, and where they end."""
    start, end = min(hunk[:2] for hunk in (*ours[:1], *theirs[:1]))
    mine: list[Hunk] = []
    other: list[Hunk] = []
    grew = True
    while grew:
        grew = False
        for source, taken in ((ours, mine), (theirs, other)):
            while source and (source[0].start < end or source[0][:2] == (start, end)):
                taken.append(source.pop(0))
                end = max(end, taken[-1].end)
                grew = True
    return mine, other, end


def _both(ours: list[bytes], theirs: list[bytes], added: list[bytes]) -> list[bytes]:
    """Our lines and what they added, each block whole; once if one holds the other."""
    if _holds(ours, added):
        return ours
    return theirs if _holds(theirs, ours) else ours + added


def _holds(lines: list[bytes], block: list[bytes]) -> bool:
    return b"\n" + _joined(block) in b"\n" + _joined(lines)


def _applied(base: list[bytes], hunks: list[Hunk], start: int, end: int) -> list[bytes]:
    result: list[bytes] = []
    for hunk in hunks:
        result += base[start : hunk.start]
        result += hunk.lines
        start = max(start, hunk.end)
    return result + base[start:end]


def _hunks(base: list[bytes], new: list[bytes]) -> list[Hunk]:
    """What turns one list of lines into the other, in order.

    Lines that stand once in both texts hold them together, so that the time does
    not grow with the square of their length.
    """
    found = []
    pending = [(0, len(base), 0, len(new))]
    while pending:
        i, j, k, end = pending.pop()
        head = _shared(base[i:j], new[k:end])
        i, k = i + head, k + head
        tail = _shared(base[i:j][::-1], new[k:end][::-1])
        j, end = j - tail, end - tail
        anchors = _anchors(base[i:j], new[k:end])
        if anchors:
            pending += _gaps(anchors, (i, j, k, end))
        else:
            found += _small_hunks(base[i:j], new[k:end], i)
    return sorted(found)


def _gaps(
    anchors: list[tuple[int, int]], whole: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    """The parts before, between and after lines that both texts have."""
    i, j, k, end = whole
    pairs = [(-1, -1), *anchors, (j - i, end - k)]
    return [
        (i + a + 1, i + b, k + c + 1, k + d)
        for (a, c), (b, d) in pairwise(pairs)
        if (a + 1, c + 1) != (b, d)
    ]


def _anchors(old: list[bytes], new: list[bytes]) -> list[tuple[int, int]]:
    """Places of lines that stand once in both texts, in the same order in both."""
    times, times_new = Counter(old), Counter(new)
    where = {line: k for k, line in enumerate(new) if times_new[line] == 1}
    pairs = [(i, where[x]) for i, x in enumerate(old) if times[x] == 1 and x in where]
    # The longest rising row among the second places.
    ends: list[int] = []
    row: list[int] = []
    before: dict[int, int] = {}
    for number, (_, k) in enumerate(pairs):
        at = bisect_left(ends, k)
        ends[at : at + 1] = [k]
        row[at : at + 1] = [number]
        before[number] = row[at - 1] if at else -1
    chosen = []
    number = row[-1] if row else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _small_hunks(old: list[bytes], new: list[bytes], at: int) -> list[Hunk]:
    """Compare every line with every other, unless that would take too long."""
    if len(old) * len(new) > MOST_PAIRS:
        return [Hunk(at, at + len(old), tuple(new))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(at + i, at + j, tuple(new[k:end]))
        for tag, i, j, k, end in matcher.get_opcodes()
        if tag != "equal"
    ]


def _shared(a: list[bytes], b: list[bytes]) -> int:
    """How many lines two lists begin with in common."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def _lines(text: bytes) -> list[bytes]:
    """Lines with their endings; a last line without one gets it."""
    lines = text.split(b"\n")
    tail = lines.pop()
    return [line + b"\n" for line in lines] + ([tail + b"\n"] if tail else [])


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(lines)
