"""Health: how the memory is doing, with plots of what one would rather look at."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.interfaces.web.page import View
from reverie.interfaces.web.reflections import Reflections
from reverie.model.health import MILLION
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie import LogEntry, Memory
    from reverie.config import DecayConfig
    from reverie.interfaces.web.page import Given
    from reverie.interfaces.web.reflections import Slept
    from reverie.model.health import Bill, Health, Repeated, StoreCount

STATUSES = ("active", "fading", "dormant", "archived")
MEANS = {
    "active": "found and shown",
    "fading": "found, and weighed less",
    "dormant": "found only by who searches",
    "archived": "found only where nothing fits better",
}
DAYS = 30
"""Days that are plotted, up to today."""

NEWEST = 1_000
"""So many of the newest changes are counted by day."""

MOST = 100
"""So many findings, and so much of what fades, are listed."""

STEPS = 60
"""Points of a curve."""

SLEPT = 30
"""So many of the newest reflections are plotted."""

BECAME = {
    "approved": "active",
    "approved with changes": "active",
    "partially approved": "fading",
    "rejected": "archived",
    "": "dormant",
}
"""The colour of a reflection, by what its human decided."""

WIDTH, HEIGHT = 600, 120
"""The plane of a plot; it is stretched to the room there is."""


class Bar(NamedTuple):
    """One day of a plot: where it stands, and what it counts."""

    day: date
    number: int
    x: float
    y: float
    width: float
    height: float


class Plot(NamedTuple):
    """Counts by day.

    Attributes:
        bars: One a day, the oldest first.
        total: All of them together.
        most: The tallest.
        on: Its day; None where nothing was counted.
    """

    bars: tuple[Bar, ...]
    total: int
    most: int
    on: date | None


class Night(NamedTuple):
    """One reflection of a plot: what it asked for, and before that what it got.

    Attributes:
        slept: The reflection.
        colour: Of what became of it.
        x: Where it stands.
        width: How broad it is.
        asked: The top of what it asked for.
        given: The top of what it was given.
    """

    slept: Slept
    colour: str
    x: float
    width: float
    asked: float
    given: float


class Phase(NamedTuple):
    """The days in which a memory that nobody uses has one status.

    Attributes:
        status: Which.
        when: From or until which day, in words.
        area: What lies under the curve, as an SVG path; empty for nothing.
    """

    status: str
    when: str
    area: str


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """How the memory is doing; with `check`, also what is wrong in which file."""
    # Who wants conversations counted has all of them read.
    told = memory.health(conversations="conversations" in given)
    today = told.at.astimezone().date()
    changes = memory.history(limit=NEWEST)
    counted = Counter(each.at.astimezone().date() for each in changes)
    oldest = changes[-1].at.astimezone().date() if len(changes) == NEWEST else date.min
    return {
        "health": told,
        "statuses": _statuses(told.stores),
        "means": MEANS,
        "shares": _shares(told),
        "phases": _phases(memory.config.decay),
        "lasting": _lasting(memory.config.decay),
        "decay": memory.config.decay,
        "half_life": _half_life(memory.config.decay),
        "spent": _plot({d.day: d.cost.tokens for d in told.spending.days}, today),
        "price": _price(told.spending),
        "changed": _plot(counted, today),
        "counted_since": oldest if oldest > today - timedelta(DAYS) else None,
        "reflections": _reflections(changes),
        "nights": _nights(Reflections(memory.root).newest(SLEPT)),
        "repeated": _repeated(memory, told.upkeep.repeated),
        "fade": [each for each in told.stores if each.store != Store.TURNS],
        "said": sum(e.memories for e in told.stores if e.store == Store.TURNS),
        "sizes": _sizes(told),
        "most": MOST,
        "findings": memory.check() if given.get("check") else None,
    }


# --- by status ---------------------------------------------------------------------


def _statuses(stores: Iterable[StoreCount]) -> Mapping[str, int]:
    """How many memories have which status; what was only said does not fade."""
    fade = [each for each in stores if each.store != Store.TURNS]
    return {name: sum(getattr(each, name) for each in fade) for name in STATUSES}


def _shares(told: Health) -> list[tuple[str, int, float, float]]:
    """The statuses as pieces of one bar: name, count, where it begins, how long."""
    counts = _statuses(told.stores)
    whole, at, pieces = sum(counts.values()), 0.0, []
    for name, count in counts.items():
        width = WIDTH * count / whole if whole else 0.0
        pieces.append((name, count, round(at, 2), round(width, 2)))
        at += width
    return pieces


# --- fading ------------------------------------------------------------------------


def _half_life(decay: DecayConfig) -> float:
    """Days in which a score loses half; 0 where nothing fades."""
    return math.log(2) / decay.rate if decay.rate else 0.0


def _falls(score: float, limit: float, rate: float) -> float:
    """Days until a score has fallen to a limit; endless for never."""
    if not rate or limit <= 0:
        return math.inf
    return max(0.0, math.log(score / limit) / rate) if score > 0 else 0.0


def _limits(score: float, decay: DecayConfig) -> list[float]:
    """The days on which a memory of a score becomes fading, dormant, archived."""
    limits = (decay.active_threshold, decay.dormant_threshold, decay.archive_threshold)
    return [_falls(score, limit, decay.rate) for limit in limits]


def _lasting(decay: DecayConfig) -> list[tuple[str, list[str]]]:
    """When what was told in so many words becomes less, by store."""
    stores = ("core", "semantic", "procedural", "episodic")
    weights = ((name, getattr(decay, f"weight_{name}")) for name in stores)
    return [
        (name, [*map(_on, _limits(decay.base_explicit * weight, decay))])
        for name, weight in weights
    ]


def _on(days: float) -> str:
    """A day from now, in words."""
    if math.isinf(days):
        return "never"
    return f"day {round(days):,}" if days >= 1 else "at once"


def _phases(decay: DecayConfig) -> list[Phase]:
    """The curve of a memory that nobody uses, in pieces by its status.

    It is of weight 1, told in so many words.
    """
    days = [0.0, *_limits(decay.base_explicit, decay), math.inf]
    known = [each for each in days if math.isfinite(each)]
    end = max(known) * 1.25 or 4 * _half_life(decay)
    return [
        Phase(name, _when(first, last), _area(first, last, end, decay))
        for name, first, last in zip(STATUSES, days, days[1:], strict=False)
    ]


def _when(first: float, last: float) -> str:
    if math.isinf(last):
        return "never" if math.isinf(first) else f"from {_on(first)} on"
    return f"until {_on(last)}" if last > first else "never"


def _area(first: float, last: float, end: float, decay: DecayConfig) -> str:
    """What lies under the curve between two days, as an SVG path."""
    if first >= min(last, end):
        return ""
    last = min(last, end)
    steps = (first + (last - first) * step / STEPS for step in range(STEPS + 1))
    points = [
        f"{WIDTH * day / end:.1f} {HEIGHT * (1 - _score(day, decay)):.1f}"
        for day in steps
    ]
    left, right = (WIDTH * day / end for day in (first, last))
    line = " L".join(points)
    return f"M{left:.1f} {HEIGHT} L{line} L{right:.1f} {HEIGHT} Z"


def _score(day: float, decay: DecayConfig) -> float:
    return min(1.0, decay.base_explicit * math.exp(-decay.rate * day))


# --- by day ------------------------------------------------------------------------


def _plot(counts: Mapping[date, int], today: date) -> Plot:
    """The last days as bars."""
    days = [today - timedelta(ago) for ago in reversed(range(DAYS))]
    found = [counts.get(day, 0) for day in days]
    most, step = max(found), WIDTH / DAYS
    bars = []
    for number, (day, count) in enumerate(zip(days, found, strict=True)):
        # Something that was there is seen, however little.
        tall = max(2.0, HEIGHT * count / most) if count else 0.0
        at = (round(number * step + 1, 2), round(HEIGHT - tall, 2))
        bars.append(Bar(day, count, *at, step - 2, round(tall, 2)))
    on = days[found.index(most)] if most else None
    return Plot(tuple(bars), sum(found), most, on)


def _price(bill: Bill) -> str:
    return (
        f"{bill.total.micros / MILLION:,.2f} {bill.currency}" if bill.currency else ""
    )


def _reflections(changes: Iterable[LogEntry]) -> list[tuple[str, LogEntry]]:
    """The reflections among some changes, each with its newest, newest first."""
    newest: dict[str, LogEntry] = {}
    for each in changes:
        if session := each.signed.session:
            newest.setdefault(session, each)
    return list(newest.items())


def _nights(slept: Sequence[Slept]) -> list[Night]:
    """Reflections as bars, the oldest first: what was given before what was asked."""
    most = max((max(each.asked, each.given) for each in slept), default=0) or 1
    step = WIDTH / max(len(slept), 8)

    def top(tokens: int) -> float:
        # One that asked for nothing is seen all the same.
        return round(HEIGHT - max(2.0, HEIGHT * tokens / most), 2)

    return [
        Night(
            each,
            BECAME.get(each.became, "dormant"),
            round(number * step + step / 8, 2),
            round(step * 3 / 4, 2),
            top(each.asked),
            top(each.given),
        )
        for number, each in enumerate(slept)
    ]


def _repeated(
    memory: Memory, repeated: Sequence[Repeated]
) -> list[tuple[Repeated, list[tuple[str, int, str]]]]:
    """What is said twice, and where: file, line, and the memory that it belongs to."""
    paths = {path for each in repeated for path, _ in each.places}
    there = {path: memory.items(path=[path]) for path in paths}

    def owner(path: str, line: int) -> str:
        # The last that begins before it.
        above = [each for each in there[path] if each.line <= line]
        return above[-1].id if above else ""

    return [(e, [(p, line, owner(p, line)) for p, line in e.places]) for e in repeated]


def _sizes(told: Health) -> list[tuple[str, str]]:
    """What it takes on the disk."""
    sizes = (
        ("Markdown, the memory itself", told.storage.markdown),
        ("History", told.storage.history),
        ("Derived, can be made anew", told.storage.state),
        ("Index, a part of that", told.index.size),
    )
    return [(name, _bytes(size)) for name, size in sizes]


def _bytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} KB"


VIEWS = (View("/health", "health.html", look),)
ACTS = ()
