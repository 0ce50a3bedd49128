"""Reads what the data sets write before a turn: when it was said, and by whom."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import isfinite

SPELLINGS = (
    "%I:%M %p on %d %B, %Y",  # LoCoMo: 1:56 pm on 8 May, 2023
    "%Y/%m/%d (%a) %H:%M",  # LongMemEval: 2023/04/30 (Sun) 13:59
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%B-%d-%Y",  # BEAM: March-15-2024
    "%B %d, %Y",
    "%d %B %Y",
)
MILLISECONDS_FROM = 1e11  # as seconds this is the year 5138

NUMBER = re.compile(r"-?\d{9,}(\.\d*)?|-?\d+\.\d*")  # shorter ones are no epoch
DATED = re.compile(r"\[([^\]\n]*)\]\s*")
NAMED = re.compile(
    r"((?:[^\W\d_a-z][\w.'-]*)(?: [^\W\d_a-z][\w.'-]*){0,2}|user|assistant): "
)


def when(text: str | float | None) -> datetime | None:
    """The time in UTC, or None when it cannot be read as one."""
    if isinstance(text, int | float):
        return None if isinstance(text, bool) else from_epoch(text)
    said = (text or "").strip()
    if NUMBER.fullmatch(said):
        return from_epoch(float(said))
    found = from_iso(said)
    for spelling in SPELLINGS:
        found = found or from_spelling(said, spelling)
    return found


def from_epoch(number: float) -> datetime | None:
    """Seconds since 1970, or milliseconds when there are too many."""
    if not isfinite(number):
        return None
    seconds = number / 1000 if abs(number) >= MILLISECONDS_FROM else number
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def from_iso(said: str) -> datetime | None:
    """ISO 8601; without an offset it is taken for UTC."""
    try:
        found = datetime.fromisoformat(said)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None


def from_spelling(said: str, spelling: str) -> datetime | None:
    """One of the data sets' own spellings."""
    try:
        return datetime.strptime(said, spelling).replace(tzinfo=UTC)
    except ValueError:
        return None


def speaker(text: str) -> tuple[str, str]:
    """Who says what: `[1:56 pm on 8 May, 2023] Ann: Hi` is `("Ann", "Hi")`.

    A date in brackets goes, other brackets stay; without a name the first is "".
    """
    dated = DATED.match(text)
    if dated and (not dated[1].strip() or when(dated[1])):
        text = text[dated.end() :]
    named = NAMED.match(text)
    return (named[1], text[named.end() :]) if named else ("", text)
