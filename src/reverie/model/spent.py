"""What thinking has cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
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


MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in millionths of a currency.

    Attributes:
        input: Of questions.
        output: Of answers.
        currency: Its three letters; empty where nothing is known of prices.
    """

    input: int = 0
    output: int = 0
    currency: str = ""

    @classmethod
    def per_million(cls, question: float, answer: float, currency: str) -> Prices:
        """Prices as a person writes them; none where both are 0."""
        prices = cls(_micros(question), _micros(answer), currency)
        return prices if prices.input or prices.output else cls()

    def micros(self, input_tokens: int, output_tokens: int, unsure: int) -> int:
        """What tokens cost, in millionths; those of either kind at the dearer price."""
        dearer = max(self.input, self.output)
        parts = input_tokens * self.input + output_tokens * self.output
        return (parts + unsure * dearer + MILLION // 2) // MILLION


def _micros(price: float) -> int:
    # By way of the text: 0.15 is meant, not the binary number nearest to it.
    return round(Decimal(str(price)) * MILLION)


@dataclass(frozen=True, slots=True)
class Cost:
    """What some calls have cost together.

    Attributes:
        calls: How many.
        estimated: For how many of these the count is our own.
        unsure: Tokens counted on the safe side: of calls whose end nobody saw, and
            for lines that say nothing.
        tokens: All of them.
        micros: Their price in millionths of the currency.
    """

    calls: int = 0
    estimated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unsure: int = 0
    tokens: int = 0
    micros: int = 0


@dataclass(frozen=True, slots=True)
class DayCost:
    """What one day has cost, in UTC."""

    day: date
    cost: Cost


@dataclass(frozen=True, slots=True)
class Cause:
    """What one thing has cost: an operation, or a reflection with its phases."""

    name: str
    cost: Cost
    phases: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class Bill:
    """What thinking has cost over some days.

    Attributes:
        first: The first of the days.
        last: The last of them: today.
        limit: The most tokens a day may take.
        currency: Of all prices; empty where none are known.
        days: Those on which something was spent, in their order.
        causes: The dearest first.
    """

    first: date
    last: date
    limit: int
    currency: str
    total: Cost
    days: tuple[DayCost, ...] = ()
    causes: tuple[Cause, ...] = ()

    @property
    def today(self) -> Cost:
        """What the last day has cost so far."""
        return next((d.cost for d in self.days if d.day == self.last), Cost())


REFLECTION = "reflect"
UNREADABLE = "unreadable lines"


def bill(
    days: Sequence[Spent], first: date, last: date, limit: int, prices: Prices
) -> Bill:
    """Add up days, by day and by cause."""
    known = [day for day in days if first <= day.day <= last and day.tokens]
    sums = [each for day in known for each in day.sums]
    feared = sum(day.feared for day in known)
    causes = _causes(sums, prices)
    if feared:
        causes.append(Cause(UNREADABLE, cost((), prices, feared)))
    return Bill(
        first,
        last,
        limit,
        prices.currency,
        cost(sums, prices, feared),
        tuple(DayCost(day.day, cost(day.sums, prices, day.feared)) for day in known),
        tuple(sorted(causes, key=_dearest_first)),
    )


def cost(sums: Iterable[Sum], prices: Prices, feared: int = 0) -> Cost:
    """Add up sums of any operations, and what is feared besides."""
    held = tuple(sums)
    taken = sum(each.input_tokens for each in held)
    given = sum(each.output_tokens for each in held)
    unsure = sum(each.standing for each in held) + feared
    return Cost(
        sum(each.calls for each in held),
        sum(each.estimated for each in held),
        taken,
        given,
        unsure,
        taken + given + unsure,
        prices.micros(taken, given, unsure),
    )


def cause_of(operation: str) -> str:
    """What an operation is done for: every phase of a reflection for the reflection."""
    return REFLECTION if operation.startswith(f"{REFLECTION}-") else operation


def _causes(sums: Sequence[Sum], prices: Prices) -> list[Cause]:
    causes = []
    for name, held in _grouped(sums, lambda each: cause_of(each.operation)):
        phases = tuple(
            Cause(operation, cost(part, prices))
            for operation, part in _grouped(held, lambda each: each.operation)
        )
        only = len(phases) == 1 and phases[0].name == name
        inner = () if only else tuple(sorted(phases, key=_dearest_first))
        causes.append(Cause(name, cost(held, prices), inner))
    return causes


def _grouped(
    sums: Sequence[Sum], name: Callable[[Sum], str]
) -> Iterable[tuple[str, list[Sum]]]:
    groups: dict[str, list[Sum]] = {}
    for each in sums:
        groups.setdefault(name(each), []).append(each)
    return groups.items()


def _dearest_first(cause: Cause) -> tuple[int, int, str]:
    return -cause.cost.micros, -cause.cost.tokens, cause.name
