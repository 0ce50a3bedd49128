"""Moments on the command line: what options take, and how they are shown.

People mean their own time zone; what comes out knows its offset from UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

import click

from reverie.dates import find_spans
from reverie.interfaces.cli.session import session_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

EXAMPLES = (
    "2026-02-02, '2026-02-02 14:30', 14:30, yesterday, 'last week', '3 hours ago'"
)

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_WEEK = 7 * 86_400
_AGO = re.compile(r"(?P<count>\d{1,6}|an?) (?P<unit>second|minute|hour|day|week)s? ago")
_DAY_AND_TIME = re.compile(r"(?P<day>.*?)\s*(?P<time>\d{1,2}:\d\d)?", re.DOTALL)


class NoMomentError(ValueError):
    """A text that names no moment."""


def parse_moment(text: str, now: datetime, *, whole_day: time) -> datetime:
    """Read a moment.

    Args:
        text: What was typed: an exact time, a time ago, or a day as a question may
            name it; of more than one day, the first, or the last for its end.
        now: The present, aware of its zone.
        whole_day: Which time of day a bare date means; `time.max` is its end.

    Raises:
        NoMomentError: It names none, or one that the calendar does not have.
    """
    words, here = " ".join(text.split()), now.astimezone()
    try:
        if ago := _AGO.fullmatch(words.lower()):
            count = 1 if ago["count"].startswith("a") else int(ago["count"])
            return here - timedelta(**{f"{ago['unit']}s": count})
        said = _DAY_AND_TIME.fullmatch(words)
        day, at = (said["day"], said["time"]) if said else ("", None)
        day = day or ("today" if at else "")
        spans = find_spans(day, here)
        if not spans or spans[0].text != day:
            moment = datetime.fromisoformat(words).astimezone()
            moment.astimezone(UTC)  # absurd years have no place there
            return moment
        on = spans[0].start
        if whole_day == time.max:
            on = max(on, spans[0].end - timedelta(days=1))
        clock = time.fromisoformat(at.rjust(5, "0")) if at else whole_day
        return datetime.combine(on.date(), clock).astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise NoMomentError(text) from error


def local(moment: datetime) -> str:
    """A moment for people, in their own time zone, to the minute."""
    try:
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return moment.strftime("%Y-%m-%d %H:%MZ")


def ago(moment: datetime, now: datetime) -> str:
    """A moment for people, told from now if it is within a week."""
    seconds = (now - moment).total_seconds()
    if not 0 <= seconds < _WEEK:
        return local(moment)[:10]
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def day_ago(day: date, today: date) -> str:
    """A day for people, told from today if it is within a week."""
    days = (today - day).days
    if not 0 <= days < 7:
        return day.isoformat()
    return ("today", "yesterday")[days] if days < 2 else f"{days} days ago"


def moment_type(
    whole_day: time = time.min, *, past: bool = False
) -> Callable[[str], datetime]:
    """An option's type: a moment, in the past where only that makes sense."""

    def when(value: str) -> datetime:
        now = session_of(click.get_current_context()).clock()
        try:
            moment = parse_moment(value, now, whole_day=whole_day)
        except NoMomentError as error:
            message = f"{value!r} is no moment; try {EXAMPLES}."
            raise click.BadParameter(message) from error
        if past and moment > now:
            message = f"{local(moment)} has not come yet."
            raise click.BadParameter(message)
        return moment

    return when
