"""A budget in tokens, and what fits into what is left of it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

MARK = "\n[… the rest did not fit]"

CHARACTERS_PER_TOKEN = 4
"""A token counts for at least so many characters, also in text that packs better."""


def cost(text: str, rate: float = 1.0) -> int:
    """Return how much of a budget a text takes.

    The text is counted as JSON because an agent receives it so. A budget therefore
    limits the characters that are sent as well.

    Args:
        text: The text.
        rate: What a token takes; less than 1 where characters are the tighter limit.
    """
    characters = len(json.dumps(text, ensure_ascii=False)) - 2
    tokens = math.ceil(count_tokens(text) * rate)
    return max(tokens, -(-characters // CHARACTERS_PER_TOKEN))


class Room(Struct):
    """What is left of a budget.

    Attributes:
        budget: Its size in tokens.
        spent: How much of it is taken.
        rate: What a token takes of it; see `cost`.
    """

    budget: int
    spent: int = 0
    rate: float = 1.0

    @property
    def left(self) -> int:
        """How many tokens still fit."""
        return self.budget - self.spent

    def take(self, *texts: str) -> bool:
        """Make room for some texts; False, and none of them, if they do not fit."""
        if sum(map(len, texts)) > CHARACTERS_PER_TOKEN * self.left:
            return False
        tokens = sum(cost(text, self.rate) for text in texts)
        fits = tokens <= self.left
        self.spent += tokens if fits else 0
        return fits


def clipped(text: str, budget: int, rate: float = 1.0) -> str:
    """A text, or its beginning and a mark that says so; empty where neither fits."""
    if Room(budget, rate=rate).take(text):
        return text
    # The mark may cost one more where it is joined to the text.
    room = budget - cost(MARK, rate) - 1
    if room <= 0:
        return ""
    text = clip_to_tokens(text[: CHARACTERS_PER_TOKEN * room], math.ceil(room / rate))
    while text and (over := cost(text, rate) - room) > 0:
        text = text[: -min(len(text), CHARACTERS_PER_TOKEN * over)]
    return text + MARK


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
