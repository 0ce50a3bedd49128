"""What was seen once or twice and may become a pattern: kept from cycle to cycle.

An episode is read by one reflection only, and what is done every Friday never stands in
the two days that it reads. So what it saw too seldom is written down, and counted
together with what the next one sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from reverie.markdown import parse_date
from reverie.reflection.rules.listening import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

Candidates = Mapping[str, tuple[str, tuple[str, ...]]]
"""By key the words of the most complete telling, and the days as ISO dates."""

Seen = dict[str, tuple[str, tuple[date, ...]]]
"""The same while it is worked on; a day stands there once for each episode."""

DO, WITH = "do:", "with:"
"""How the keys begin: of what was done, and of what was spoken of together."""

MOST = 200
OLDEST = 60
"""Days; what was done two months ago and not since is no habit."""

MOST_DAYS = 40
LONGEST_KEY = 400


def carried(candidates: Candidates, prefix: str, now: date) -> Seen:
    """The candidates of one kind that are not too old.

    They come from a file: what is not as it should be is left out.
    """
    found: Seen = {}
    for key, (words, days) in _sound(candidates):
        fresh = tuple(day for day in days if 0 <= (now - day).days <= OLDEST)
        if key.startswith(prefix) and fresh:
            found[key] = (words, fresh)
    return found


def _sound(candidates: object) -> Iterator[tuple[str, tuple[str, list[date]]]]:
    items = candidates.items() if isinstance(candidates, Mapping) else ()
    for key, value in items:
        if not isinstance(key, str) or not isinstance(value, Sequence):
            continue
        if len(key) > LONGEST_KEY or len(value) != 2 or isinstance(value, str):
            continue
        words, days = value
        if isinstance(words, str) and isinstance(days, (list, tuple)):
            read = [parse_date(day) for day in days[:MOST_DAYS] if isinstance(day, str)]
            if len(words) <= LONGEST:
                yield key, (words, [day for day in read if day])


def kept(seen: Seen, now: date) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What goes on to the next cycle: seen twice before once, and the newest first."""
    edge = now - timedelta(days=OLDEST)
    fresh = {
        key: (words, tuple(sorted(day for day in days if day >= edge))[-MOST_DAYS:])
        for key, (words, days) in seen.items()
        if len(key) <= LONGEST_KEY
    }
    ordered = sorted(
        (key for key, (_, days) in fresh.items() if days),
        key=lambda key: (len({*fresh[key][1]}) > 1, fresh[key][1][-1], key),
        reverse=True,
    )
    return {
        key: (fresh[key][0], tuple(day.isoformat() for day in fresh[key][1]))
        for key in ordered[:MOST]
    }
