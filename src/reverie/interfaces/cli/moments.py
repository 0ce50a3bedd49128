"""Moments as people say them: a date, a time, `yesterday`, `2 days ago`.

People mean their own time zone; what comes out knows its offset from UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.session import session_of

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = "2026-02-02, '2026-02-02 14:30', 14:30, yesterday, '3 hours ago'"

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_WEEK = 7 * 86_400
_DAYS = {"today": 0, "yesterday": 1}
_AGO = re.compile(r"(?P<count>\d{1,6}|an?) (?P<unit>second|minute|hour|day|week)s? ago")
_DAY_AND_TIME = re.compile(r"(?P<day>today|yesterday)?\s*(?P<time>\d{1,2}:\d\d)?")


class NoMomentError(ValueError):
    """A text that names no moment."""


def parse_moment(text: str, now: datetime, *, whole_day: time) -> datetime:
    """Read a moment.

    Args:
        text: What was typed.
        now: The present, aware of its zone.
        whole_day: Which time of day a bare date means; `time.max` is its end.

    Raises:
        NoMomentError: It names none, or one that the calendar does not have.
    """
    words = " ".join(text.lower().split())
    try:
        here = now.astimezone()
        ago = _AGO.fullmatch(words)
        if ago:
            count = 1 if ago["count"].startswith("a") else int(ago["count"])
            return here - timedelta(**{f"{ago['unit']}s": count})
        return _on_a_day(words, here, whole_day) or _iso(text.strip(), whole_day)
    except (ValueError, OverflowError, OSError) as error:
        raise NoMomentError(text) from error


def _on_a_day(words: str, here: datetime, whole_day: time) -> datetime | None:
    said = _DAY_AND_TIME.fullmatch(words)
    if not words or said is None:
        return None
    day = here.date() - timedelta(days=_DAYS.get(said["day"] or "", 0))
    at = time.fromisoformat(said["time"].rjust(5, "0")) if said["time"] else whole_day
    return datetime.combine(day, at).astimezone()


def _iso(text: str, whole_day: time) -> datetime:
    try:
        moment = datetime.combine(date.fromisoformat(text), whole_day)
    except ValueError:
        moment = datetime.fromisoformat(text)
    aware = moment.astimezone()
    # Absurd years may have no place in UTC; better to hear of it here.
    aware.astimezone(UTC)
    return aware


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
