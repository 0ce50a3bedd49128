"""Moments as people say them."""

from __future__ import annotations

import os
import time as clock
from datetime import UTC, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from reverie.dates import home_zone
from reverie.interfaces.cli.command import local, parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 2, 2, 14, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _two_hours_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "EAST-2")
    clock.tzset()
    yield
    monkeypatch.undo()
    clock.tzset()


def said(text: str, whole_day: time = time.min) -> datetime:
    here = NOW.astimezone(home_zone("", os.environ))
    return parse_moment(text, here, whole_day=whole_day).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-02-01", datetime(2026, 1, 31, 22, tzinfo=UTC)),
        ("2026-02-01 10:00", datetime(2026, 2, 1, 8, tzinfo=UTC)),
        ("2026-02-01T10:00Z", datetime(2026, 2, 1, 10, tzinfo=UTC)),
        ("14:30", datetime(2026, 2, 2, 12, 30, tzinfo=UTC)),
        ("yesterday", datetime(2026, 1, 31, 22, tzinfo=UTC)),
        ("  Yesterday  14:30 ", datetime(2026, 2, 1, 12, 30, tzinfo=UTC)),
        ("3 hours ago", NOW - timedelta(hours=3)),
        ("2 DAYS AGO", NOW - timedelta(days=2)),
        ("a week ago", NOW - timedelta(weeks=1)),
        ("90 seconds ago", NOW - timedelta(seconds=90)),
        ("1 month ago", datetime(2026, 1, 2, 14, 30, tzinfo=UTC)),
        ("2 years ago", datetime(2024, 2, 2, 14, 30, tzinfo=UTC)),
        ("last friday", datetime(2026, 1, 29, 22, tzinfo=UTC)),
        ("8 May 2025 9:05", datetime(2025, 5, 8, 7, 5, tzinfo=UTC)),
    ],
)
def test_a_moment_is_understood_in_the_persons_own_time(
    text: str, moment: datetime
) -> None:
    assert said(text) == moment


@pytest.mark.parametrize("text", ["2026-02-01", "yesterday", "last week"])
def test_a_day_can_mean_its_end(text: str) -> None:
    assert said(text, time.max) == datetime(2026, 2, 1, 21, 59, 59, 999999, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("", "someday", "yesterday or so", "2026-02-30", "25:00"),
        *("999999 weeks ago", "0001-01-01", "2026-02-01T10:00+99:00", "٣ days"),
    ],
)
def test_what_is_no_moment_is_said_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        said(text)


def test_a_moment_is_shown_in_the_persons_own_time() -> None:
    assert local(NOW) == "2026-02-02 16:30"


def test_a_moment_at_the_end_of_the_calendar_can_be_shown() -> None:
    last = datetime.max.replace(tzinfo=timezone(timedelta(hours=0)))

    assert local(last) == "9999-12-31 23:59Z"
