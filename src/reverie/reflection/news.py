"""Which episodes are new to a reflection, and which of them fit.

They are read in the order in which they were learned of, the oldest first, so that
one moment says how far a reflection came and where the next one goes on.
"""

from __future__ import annotations

from datetime import UTC
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.lookup import ReadUpTo, first_of, from_micros, micros
from reverie.model.ids import Store
from reverie.reflection.desk import (
    CANDIDATES,
    Room,
    counted,
    cut_short,
    shortened,
    shown,
)
from reverie.reflection.scope import noted_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reverie.index.lookup import WaitingEpisode
    from reverie.model.reflection import Noticed
    from reverie.reflection.desk import Desk

    Found = list[tuple[WaitingEpisode, Noticed]]

BATCH = 256
"""Episodes that are looked up at a time."""

LATE_SHARE = 4
"""One part in so many of the budget is for what may have been read already."""

_EPISODE = ("episode", "episodes")


class News(NamedTuple):
    """What was read of the episodes.

    Attributes:
        episodes: The oldest first.
        until: How far it came; None where nothing was read.
        tokens: How many tokens that is.
        left_out: How many did not fit.
        why: Which ones, in words.
    """

    episodes: tuple[Noticed, ...]
    until: datetime | None
    tokens: int
    left_out: int
    why: str


def beginning(since: datetime, now: datetime, *, first: bool) -> ReadUpTo:
    """Where the episodes that wait begin; they count by when they were noted.

    Only the first reflection goes by when they happened, not to read what was
    imported as if it were of this week.
    """
    return ReadUpTo(micros(since), now, not first)


def read_news(desk: Desk, budget: int) -> News:
    """Read what is new, as much of it as fits."""
    late, missed, spent = _late(desk, budget // LATE_SHARE)
    room = Room(budget, spent)
    kept = _oldest(desk, room, late)
    place = _start(desk)
    if kept:
        place = place._replace(moment=kept[-1][0].moment)
    count, begin, end = desk.index.lookup.how_many_wait(place)
    parts = [f"{counted(count, _EPISODE)} of {_days(begin, end)}"] if count else []
    if missed:
        what = counted(missed, _EPISODE)
        parts.append(f"{what} told late, which may have been read before")
    older = _too_old(desk)
    if older:
        what, day = counted(older, _EPISODE), desk.scope.since.date()
        parts.append(f"{what} from before {day}: the first reflection reads a week")
    read = [*late, *(each for _, each in kept)]
    parts += cut_short(read)
    return News(
        tuple(sorted(read, key=_by_age)),
        # Of what is told today the place may lie ahead, by a few minutes.
        min(desk.now, from_micros(place.moment)) if read else None,
        room.spent,
        count + missed + older,
        " and ".join(parts),
    )


def _too_old(desk: Desk) -> int:
    """Episodes that no reflection has read, and none will: from before the first."""
    if desk.reflected is not None:
        return 0
    there = desk.index.counts().get(Store.EPISODIC, 0)
    lookup, start = desk.index.lookup, _start(desk)
    private = lookup.how_many_wait(start, private=True)[0]
    return max(0, there - lookup.how_many_wait(start)[0] - private)


def _by_age(each: Noticed) -> tuple[datetime | None, int, str]:
    # Of one minute ids differ in their number alone: `~9` comes before `~10`.
    return each.at, len(each.id), each.id


def _start(desk: Desk) -> ReadUpTo:
    return beginning(desk.scope.since, desk.now, first=desk.reflected is None)


def _oldest(desk: Desk, room: Room, late: list[Noticed]) -> Found:
    """The oldest that wait. Those of one minute come together or not at all."""
    kept: Found = []
    for group in _groups(desk, {each.id for each in late}):
        if room.take(*(shown(each) for _, each in group)):
            kept += group
            continue
        if not kept and not late:
            # They will never fit: as many as there is room for.
            kept += _one_by_one(group, room)
        break
    return kept


def _groups(desk: Desk, seen: set[str]) -> Iterator[Found]:
    place = _start(desk)
    streams = [_in_time(desk, place)]
    if place.by_noted:
        streams.append(_noted_late(desk, place))
    waiting = merge(*streams, key=lambda row: row.minute)
    for _, rows in groupby(waiting, key=lambda row: row.minute):
        fresh = [row for row in rows if row.id not in seen]
        found = ((row, desk.episode(row)) for row in sorted(fresh, key=_by_moment))
        group = [(row, each) for row, each in found if each]
        if group:
            yield group


def _by_moment(row: WaitingEpisode) -> tuple[int, str]:
    return row.moment, row.id


def _in_time(desk: Desk, place: ReadUpTo) -> Iterator[WaitingEpisode]:
    after = first_of(place.moment)
    while rows := desk.index.lookup.in_time(after, place, BATCH):
        yield from (row for row in rows if row.moment > place.moment)
        after = rows[-1].id


def _noted_late(desk: Desk, place: ReadUpTo) -> Iterator[WaitingEpisode]:
    while rows := desk.index.lookup.noted_late(place, BATCH):
        if len(rows) == BATCH:
            # The last of them may have others of their moment behind them.
            rows = [row for row in rows if row.moment < rows[-1].moment] or rows
        yield from rows
        place = place._replace(moment=rows[-1].moment)


def _one_by_one(group: Found, room: Room) -> Iterator[tuple[WaitingEpisode, Noticed]]:
    for number, (row, each) in enumerate(group):
        fitting = each if number else shortened(each, room)
        if not room.take(shown(fitting)):
            return
        yield row, fitting


def _late(desk: Desk, budget: int) -> tuple[list[Noticed], int, int]:
    """What was told later than it happened, and may not have been read yet.

    A log says on which day that was, and not when: what was told on the day of the
    last reflection may have come before it or after it. It is read once more.

    Returns:
        What was read, how many did not fit, and how many tokens it took.
    """
    if desk.reflected is None:
        return [], 0, 0
    day = desk.reflected.astimezone(UTC).date()
    earliest = min(day, desk.scope.since.date())
    lookup, room = desk.index.lookup, Room(budget)
    kept: list[Noticed] = []
    missed = 0
    for row in lookup.perhaps_late(_start(desk), earliest.isoformat(), CANDIDATES):
        entry, each = desk.entry(row), desk.episode(row)
        told = noted_on(entry) if entry else None
        # What was called on meanwhile has lost its place in the order.
        wanted = earliest if row.trace.accesses > 1 else day
        if each is None or told is None or told < wanted:
            continue
        if room.take(shown(each)):
            kept.append(each)
        else:
            missed += 1
    return kept, missed, room.spent


def _days(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
