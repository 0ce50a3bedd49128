"""Merge two edits of one text, line by line.

Lines are compared. Changes that merely touch are no conflict: taking out one
entry of a log and adding another below it are two different wishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_LINES = 20_000
"""Longer texts are not compared line by line; both are kept whole."""


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
    """What turns one list of lines into the other, in order."""
    head = _shared(base, new)
    tail = _shared(base[head:][::-1], new[head:][::-1])
    old, fresh = base[head : len(base) - tail], new[head : len(new) - tail]
    # Lines that come very often, such as empty ones, hold nothing together.
    opcodes = SequenceMatcher(None, old, fresh).get_opcodes()
    return [
        Hunk(head + i, head + j, tuple(fresh[k:end]))
        for tag, i, j, k, end in opcodes
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
