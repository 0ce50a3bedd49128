"""Moments that mean the same on every machine, and to every store."""

from __future__ import annotations

from datetime import UTC, datetime

from reverie.errors import RefusedError

EARLIEST, LATEST = 1970, 2200
"""Years; outside them, somebody mistyped or wrote another unit."""


class UnclearMomentError(RefusedError):
    """A time without a zone, or outside the years a memory can be from."""

    def __init__(self, moment: datetime, problem: str) -> None:
        super().__init__(
            f"{moment.isoformat()} {problem}",
            hint="Give a time with its zone, such as 2026-02-02T14:30:00Z, "
            f"from the years {EARLIEST} to {LATEST}.",
        )


def aware(moment: datetime) -> datetime:
    """The moment, if it says its time zone; else `UnclearMomentError`."""
    if moment.tzinfo is None:
        raise UnclearMomentError(moment, "does not say its time zone")
    return moment


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; raises `UnclearMomentError` where it is not clear."""
    # The year as written first: at the calendar's edges there is no UTC.
    if EARLIEST <= aware(moment).year <= LATEST:
        at = moment.astimezone(UTC)
        if EARLIEST <= at.year <= LATEST:
            return at
    raise UnclearMomentError(moment, "is not a time a memory can be from")
