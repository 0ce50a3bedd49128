"""What a human wanted of memories, and files no longer tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """Wishes that hold although an unknown hand took them out of the files.

    Attributes:
        pinned: Ids of memories that stay pinned.
        scores: The commit whose scores count; empty for the newest.
    """

    pinned: frozenset[str] = frozenset()
    scores: str = ""


NOTHING = Kept()
