"""A budget in tokens, and what fits into what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

MARK = "\n[… the rest did not fit]"

_LONGEST = 40
"""Characters; no token is longer, not even one of blanks."""


class Room(Struct):
    """What is left of a budget, in tokens."""

    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """How many tokens still fit."""
        return self.budget - self.spent

    def take(self, *texts: str) -> bool:
        """Make room for some texts; False, and none of them, if they do not fit."""
        if sum(map(len, texts)) > _LONGEST * self.left:
            return False
        cost = sum(map(count_tokens, texts))
        fits = cost <= self.left
        self.spent += cost if fits else 0
        return fits


def clipped(text: str, budget: int) -> str:
    """A text, or its beginning and a mark that says so; empty where neither fits."""
    if Room(budget).take(text):
        return text
    # The mark may cost one more where it is joined to the text.
    room = budget - count_tokens(MARK) - 1
    return clip_to_tokens(text, room) + MARK if room > 0 else ""


def fitting(
    items: Iterable[T], room: Room, text: Callable[[T], str], misses: int = 1
) -> list[T]:
    """What fits, in its order; after so many that do not, no more are tried."""
    kept: list[T] = []
    for item in items:
        if room.take(text(item)):
            kept.append(item)
        elif (misses := misses - 1) <= 0:
            break
    return kept
