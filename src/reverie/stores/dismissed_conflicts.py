"""Dismissed conflicts: statements that differ in one value, and all of them hold.

The file lists pairs of IDs, one a line: `- person--ana#3f2a9c | person--ana#91b0de`.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Pair = frozenset[str]

TITLE = """\
# Dismissed Conflicts

<!-- Statements that look like a conflict, and all of them hold. Remove a line to be
     asked again. -->

"""


def parse_dismissed(text: str) -> frozenset[Pair]:
    """Return the pairs of IDs that the file lists."""
    rows = (line[2:].split(" | ") for line in text.split("\n") if line[:2] == "- ")
    return frozenset(frozenset(map(str.strip, row)) for row in rows if len(row) == 2)


def add_dismissed(text: str, ids: Iterable[str]) -> str:
    """Return the file with every pair of some statements added."""
    known = parse_dismissed(text)
    rows = (f"- {one} | {other}\n" for one, other in pairs(ids, known))
    return (text or TITLE) + "".join(rows)


def pairs(ids: Iterable[str], known: frozenset[Pair]) -> list[Sequence[str]]:
    """Return the pairs of some IDs that are not among those that are known."""
    found = combinations(sorted(set(ids)), 2)
    return [pair for pair in found if frozenset(pair) not in known]
