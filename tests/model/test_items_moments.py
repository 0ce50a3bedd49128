"""Moments that mean the same on every machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from reverie.model.items import UnclearMomentError, aware, in_utc

if TYPE_CHECKING:
    from collections.abc import Callable

EAST = timezone(timedelta(hours=9))
WEST = timezone(timedelta(hours=-8))


def test_a_moment_is_the_same_in_utc() -> None:
    assert in_utc(datetime(2026, 2, 3, 1, tzinfo=EAST)) == datetime(
        2026, 2, 2, 16, tzinfo=UTC
    )


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=EAST),
        datetime(9999, 12, 31, 23, tzinfo=UTC),
        datetime(9999, 12, 31, 23, tzinfo=WEST),
        datetime(1970, 1, 1, tzinfo=EAST),
        datetime(2200, 12, 31, 23, tzinfo=WEST),
        datetime(1969, 12, 31, tzinfo=UTC),
    ],
)
def test_a_year_no_memory_can_be_from_is_refused(moment: datetime) -> None:
    with pytest.raises(UnclearMomentError, match="not a time a memory can be from"):
        in_utc(moment)


@pytest.mark.parametrize("year", [1970, 2026, 2200])
def test_the_first_and_last_years_are_taken(year: int) -> None:
    assert in_utc(datetime(year, 6, 1, tzinfo=EAST)).year == year


@pytest.mark.parametrize("check", [aware, in_utc])
def test_a_time_without_a_zone_is_refused_with_a_good_example(
    check: Callable[[datetime], datetime],
) -> None:
    with pytest.raises(UnclearMomentError) as caught:
        check(datetime(2026, 2, 2))  # noqa: DTZ001 - that is the point

    assert "2026-02-02T14:30:00Z" in caught.value.advice
