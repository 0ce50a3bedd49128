"""What thinking has cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class Sum:
    """What one operation has taken from one model in a day.

    Attributes:
        calls: How often it was asked.
        estimated: For how many of these the count is our own.
        standing: Tokens of calls whose end nobody saw.
    """

    operation: str
    model: str
    calls: int = 0
    estimated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    standing: int = 0

    @property
    def tokens(self) -> int:
        """All that counts against the limit."""
        return self.input_tokens + self.output_tokens + self.standing


@dataclass(frozen=True, slots=True)
class Spent:
    """What a day has cost.

    Attributes:
        sums: By operation and model, in the order of their names.
        unreadable: Lines of the day's file that say nothing.
        feared: Tokens counted for these lines.
    """

    day: date
    sums: tuple[Sum, ...] = ()
    unreadable: int = 0
    feared: int = 0

    @property
    def tokens(self) -> int:
        """All that counts against the limit."""
        return sum(each.tokens for each in self.sums) + self.feared
