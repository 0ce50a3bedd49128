"""Days and times in file names, headings and exports."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from reverie.dates import find_spans
from reverie.errors import RefusedError
from reverie.model.moments import EARLIEST, in_utc

_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>\d{4})(?P<gap>[-_.]?)(?P<month>\d\d)(?P=gap)(?P<day>\d\d)"
    r"(?:[-_T ](?P<hour>\d\d)[-_.:]?(?P<minute>\d\d))?(?!\d)"
)
_TIME = re.compile(
    r"[^\w]*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?!\d)"
    r"(?:\s*(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_HEADING = 80
"""So many characters of a text are looked at for the day it begins with."""

_BULLETS = re.compile(r"^[\W_]+")
_YEAR = re.compile(r"\d{4}")
_EPOCH = datetime(EARLIEST, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_THIS_CENTURY = 100_000_000_000
"""Above it a number of seconds is one of milliseconds."""


def parse_moment(value: object) -> datetime | None:
    """Read seconds or an ISO text as a moment in UTC; None for anything else.

    A text without a zone is read as UTC.
    """
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return in_utc(at if at.tzinfo else at.replace(tzinfo=UTC))
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            seconds = value / 1000 if value > _THIS_CENTURY else value
            return in_utc(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError, RefusedError):
        return None
    return None


def parse_day(text: str) -> datetime | None:
    """The day a text begins with, such as `2026-02-02` or `Mon, 2 February 2026`."""
    head = _BULLETS.sub("", text[:_HEADING])
    first = next(iter(find_spans(head, _EPOCH)), None)
    if not first or first.at[0] or not _YEAR.search(first.text):
        return None
    try:
        return in_utc(first.start) if first.end - first.start == _DAY else None
    except RefusedError:
        return None


def day_in_name(name: str) -> datetime | None:
    """The day in a file's name, such as `2026-02-02-standup.md`, with its time.

    `2026-01-16-1430.md` is from half past two; what is no time is left aside.
    """
    for match in _IN_NAME.finditer(name.rpartition("/")[2]):
        day = _midnight(match)
        if day:
            clock = _clock(match["hour"], match["minute"])
            return at_time(day, clock) if clock else day
    return None


def parse_time(text: str) -> time | None:
    """The time a text begins with, such as `14:30` or `**2:30 pm** lunch`."""
    match = _TIME.match(text)
    if not match:
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return _clock(str(hour), match["minute"], match["second"])


def at_time(day: datetime, clock: time) -> datetime:
    """That time on that day."""
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(
        hours=clock.hour, minutes=clock.minute, seconds=clock.second
    )


def _clock(
    hour: str | None, minute: str | None, second: str | None = None
) -> time | None:
    if hour is None or minute is None:
        return None
    try:
        return time(int(hour), int(minute), int(second or 0))
    except ValueError:
        return None


def _midnight(match: re.Match[str]) -> datetime | None:
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    try:
        return in_utc(datetime(year, month, day, tzinfo=UTC))
    except (ValueError, RefusedError):
        return None
