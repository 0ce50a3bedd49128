"""How a memory fades, and what brings it back (design, section 9).

Pure arithmetic: callers pass `now`, nothing here reads a clock or a file.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reverie.model.ids import Store
from reverie.model.items import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from reverie.config import DecayConfig

_SECONDS_PER_DAY = 86_400
_JULIAN_1970 = 2_440_587.5

_LOOKED_UP = 64
"""For fewer uses than that, what they are worth is looked up."""

TraceRow = tuple[str, str, float, float, int, int, int]
"""A trace as a row: id, store, base, the Julian day of its last use, uses, flags."""


class Status(StrEnum):
    """How visible a memory is to recall."""

    ACTIVE = "active"
    FADING = "fading"
    DORMANT = "dormant"
    ARCHIVED = "archived"


class Trace(Struct, frozen=True):
    """What decay remembers about one memory.

    Attributes:
        store: Where the memory lives; decides its weight.
        base: How relevant it started out, from 0 to 1.
        created: When it was first written; timezone-aware, UTC.
        last_accessed: When it was last of use; timezone-aware, UTC.
        accesses: How often it was of use; writing it is the first time.
        pinned: Whether it is kept from fading. What is in the vault always is.
        archived: Whether its human said to forget it.
    """

    store: Store
    base: float
    created: datetime
    last_accessed: datetime
    accesses: int = 1
    pinned: bool = False
    archived: bool = False


def relevance(trace: Trace, now: datetime, *, rate: float, weight: float) -> float:
    """Score a memory between 0 and 1 at a moment.

    Args:
        trace: The memory's access record.
        now: The moment to score for; must be timezone-aware.
        rate: Decay per day; 0.03 halves a score in about 23 days.
        weight: How much its type counts, as `type_weight` says.

    Returns:
        0 for what its human said to forget, 1 for what is pinned, otherwise its
        faded base relevance.
    """
    score = math.prod(_factors(trace, now, rate, weight).values())
    return min(1.0, max(0.0, score))


def factors(trace: Trace, now: datetime, decay: DecayConfig) -> dict[str, float]:
    """What a score is the product of, by name; it is cut off at 1."""
    return _factors(trace, now, decay.rate, type_weight(trace.store, decay))


def _factors(
    trace: Trace, now: datetime, rate: float, weight: float
) -> dict[str, float]:
    if trace.store is Store.VAULT or (trace.pinned and not trace.archived):
        return {"pinned": 1.0}
    if trace.archived:
        return {"forgotten": 0.0}
    # A clock that jumped back must not make a memory stronger than new.
    days = max(0.0, (now - trace.last_accessed).total_seconds() / _SECONDS_PER_DAY)
    use = math.log2(max(1, trace.accesses) + 1)
    return {
        "base": trace.base,
        "time": math.exp(-rate * days),
        "use": use,
        "type": weight,
    }


def status(score: float, thresholds: DecayConfig) -> Status:
    """Say how visible a memory of this score is; a limit belongs to the upper side."""
    if score >= thresholds.active_threshold:
        return Status.ACTIVE
    if score >= thresholds.dormant_threshold:
        return Status.FADING
    if score >= thresholds.archive_threshold:
        return Status.DORMANT
    return Status.ARCHIVED


def standing(trace: Trace, now: datetime, decay: DecayConfig) -> tuple[float, Status]:
    """Score and status of a memory at a moment, under a configuration."""
    weight = type_weight(trace.store, decay)
    score = relevance(trace, now, rate=decay.rate, weight=weight)
    # With an archive threshold of 0, a score of 0 alone would not hide it.
    forgotten = trace.archived and trace.store is not Store.VAULT
    return score, Status.ARCHIVED if forgotten else status(score, decay)


class Rated(NamedTuple):
    """How vivid one of many memories is.

    Attributes:
        id: Its id.
        store: Where it lives.
        strength: Its score, not cut off at 1.
        status: Its status.
        pinned: Whether it is kept from fading.
        forgotten: Whether its human said to forget it.
        last: The Julian day of its last use.
    """

    id: str
    store: str
    strength: float
    status: Status
    pinned: bool
    forgotten: bool
    last: float


def rated(
    rows: Iterable[TraceRow], now: datetime, decay: DecayConfig
) -> Iterator[Rated]:
    """What `standing` says, of very many memories at once, and several times faster."""
    today = now.timestamp() / _SECONDS_PER_DAY + _JULIAN_1970
    weights = {str(store): type_weight(store, decay) for store in Store}
    rate, uses = -decay.rate, [math.log2(n + 1) for n in range(_LOOKED_UP)]
    for id_, store, base, last, accesses, pinned, archived in rows:
        kept = store == Store.VAULT or bool(pinned and not archived)
        if kept or archived:
            strength = 1.0 if kept else 0.0
        else:
            days = max(0.0, today - last)
            many = max(1, accesses)
            used = uses[many] if many < _LOOKED_UP else math.log2(many + 1)
            strength = base * math.exp(rate * days) * used * weights[store]
        forgotten = archived and not kept
        stands = Status.ARCHIVED if forgotten else status(min(1.0, strength), decay)
        flags = kept or bool(pinned), bool(archived)
        yield Rated(id_, store, strength, stands, *flags, last)


def days_to_fall(strength: float, decay: DecayConfig) -> float:
    """Days until a memory of a strength has a lower status; endless for never."""
    limits = (decay.active_threshold, decay.dormant_threshold, decay.archive_threshold)
    limit = max((each for each in limits if 0 < each <= strength), default=0.0)
    if not limit or not decay.rate:
        return math.inf
    return math.log(strength / limit) / decay.rate


def days_left(trace: Trace, now: datetime, decay: DecayConfig) -> float:
    """Days until a memory that nobody uses has a lower status; endless for never."""
    made_of = factors(trace, now, decay)
    if "time" not in made_of:
        return math.inf
    return days_to_fall(math.prod(made_of.values()), decay)


def reinforced(trace: Trace, now: datetime) -> Trace:
    """The trace of a memory that was of use at a moment (design, section 9.4)."""
    # A clock that jumped back must not make a memory of today look old.
    latest = max(now, trace.last_accessed)
    return replace(trace, last_accessed=latest, accesses=max(1, trace.accesses) + 1)


def type_weight(store: Store, decay: DecayConfig) -> float:
    """How much the type of a memory counts; 1 where nothing fades."""
    weight: float = getattr(decay, f"weight_{store}", 1.0)
    return weight


def base_relevance(source: Source | None, decay: DecayConfig) -> float:
    """How relevant a memory starts out, by where it came from.

    Without a source a person wrote it by hand, which is as explicit as it gets.
    """
    match source:
        case Source.CONVERSATION | Source.IMPORT:
            return decay.base_detected
        case Source.REFLECTION:
            return decay.base_inferred
        case Source.USER_EXPLICIT | None:
            return decay.base_explicit
