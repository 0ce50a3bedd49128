"""Stretches of the calendar: how long they are, and how to step between them.

Every moment of one question carries one zone, so that sums follow the clock on the
wall: a day lasts until the next midnight, however many hours that takes.
"""

from __future__ import annotations

from calendar import monthrange
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DAY = timedelta(days=1)

_DAYS = {"day": 1, "week": 7, "weekend": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HALVES = {"day": 0, "week": 3, "month": 15, "quarter": 45, "year": 182, "decade": 1826}
_SATURDAY = 5
_LEAP_GAP = 9  # years to look through: 1896 to 1904 had no 29 February between


class Period(NamedTuple):
    """A stretch of time; its end is no part of it."""

    start: datetime
    end: datetime


def midnight(moment: datetime) -> datetime:
    """The beginning of the moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def on(day: datetime, when: date) -> datetime:
    """The midnight of a date, in the zone of a day."""
    return day.replace(year=when.year, month=when.month, day=when.day)


def one_day(day: datetime) -> Period:
    """From a midnight to the next."""
    return Period(day, day + DAY)


def is_day(period: Period) -> bool:
    """Whether a stretch is one whole day."""
    start, end = period
    return start == midnight(start) and end - start == DAY


def months_later(day: datetime, count: int) -> datetime:
    """The same day some months on, or the last one of a month that is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    last = monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


def moved(day: datetime, unit: str, count: int) -> datetime:
    """The day some units later, or earlier where the count is negative."""
    if unit in _DAYS:
        return day + timedelta(days=_DAYS[unit] * count)
    return months_later(day, _MONTHS[unit] * count)


def holding(day: datetime, unit: str) -> Period:
    """The calendar's unit with this day in it; a weekend is that of the day's week."""
    if unit == "day":
        return one_day(day)
    if unit in _DAYS:
        monday = day - timedelta(days=day.weekday())
        return Period(
            monday + (5 * DAY if unit == "weekend" else 0 * DAY), monday + 7 * DAY
        )
    length = _MONTHS[unit]
    passed = (day.year * 12 + day.month - 1) % length
    first = months_later(day.replace(day=1), -passed)
    return Period(first, months_later(first, length))


def near(first: datetime, last: datetime, unit: str) -> Period:
    """From half a unit before one day to half a unit after another."""
    if unit == "weekend":
        return Period(holding(first, unit).start, holding(last, unit).end)
    half = _HALVES[unit] * DAY
    return Period(first - half, last + half + DAY)


def share(whole: Period, part: int, of: int) -> Period:
    """One of some equal parts, cut between months where they divide evenly."""
    start, end = whole
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and months % of == 0:
        length = months // of
        first = months_later(start, length * part)
        return Period(first, months_later(first, length))
    days = (end - start).days
    cuts = [start + timedelta(days=days * place // of) for place in (part, part + 1)]
    return Period(cuts[0], cuts[1])


def inside(whole: Period, unit: str, place: int) -> Period | None:
    """The first (0), second (1) … or last (-1) unit within a longer stretch."""
    if unit == "half":
        return share(whole, place % 2, 2)
    if unit == "weekend":
        return _week_day_inside(whole, _SATURDAY, place, days=2)
    edge = whole.end if place < 0 else whole.start
    found = Period(moved(edge, unit, place), moved(edge, unit, place + 1))
    return found if whole.start <= found.start and found.end <= whole.end else None


def weekday_inside(whole: Period, weekday: int, place: int) -> Period | None:
    """The first (0), second (1) … or last (-1) Tuesday of a longer stretch."""
    return _week_day_inside(whole, weekday, place, days=1)


def _week_day_inside(
    whole: Period, weekday: int, place: int, *, days: int
) -> Period | None:
    if place < 0:
        first = weekday_before(whole.end, weekday)
    else:
        first = weekday_after(whole.start - DAY, weekday) + 7 * place * DAY
    if not whole.start <= first < whole.end:
        return None
    return Period(first, first + days * DAY)


def weekday_before(day: datetime, weekday: int) -> datetime:
    """The latest Tuesday (1) before a day."""
    return day - ((day.weekday() - weekday - 1) % 7 + 1) * DAY


def weekday_after(day: datetime, weekday: int) -> datetime:
    """The first Tuesday (1) after a day."""
    return day + ((weekday - day.weekday() - 1) % 7 + 1) * DAY


def yearly(
    of_year: Callable[[int], Period], now: datetime, step: int | None
) -> Period | None:
    """Which one is meant of something that comes once a year.

    Args:
        of_year: The one of a year; `ValueError` where that year has none.
        now: The moment of asking.
        step: -1 for the last that is over, 0 for this year's or the one that is
            running, 1 for the next to come; `None` for the last that has begun.
    """
    year = now.year
    if step == 0:
        around = list(_of_years(of_year, range(year - 1, year + 1)))
        running = [one for one in around if one.start <= now < one.end]
        return next(iter(running or around[-1:]), None)
    if step == 1:
        ahead = _of_years(of_year, range(year, year + _LEAP_GAP))
        return next((one for one in ahead if one.start > now), None)
    back = _of_years(of_year, range(year, year - _LEAP_GAP, -1))
    if step is None:
        return next((one for one in back if one.start <= now), None)
    return next((one for one in back if one.end <= now), None)


def _of_years(of_year: Callable[[int], Period], years: range) -> Iterator[Period]:
    for year in years:
        with suppress(ValueError):
            yield of_year(year)


def thanksgiving(year: int) -> date:
    """The fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def easter(year: int) -> date:
    """Easter Sunday of the western churches, by the Gregorian computus."""
    century, rest = divmod(year, 100)
    lift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * (year % 19) + century - century // 4 - lift + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (year % 19 + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
