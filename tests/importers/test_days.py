"""Days and times in file names, headings and exports."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importers.samples import shaped

from reverie.importers.documents import at_time, day_in_name, parse_day, parse_time
from reverie.importers.walk import parse_moment

DAY = datetime(2026, 2, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-02",
        "2026/2/2",
        "[[2026-02-02]]",
        "2026-02-02 — Episode Log",
        "Monday, 2 February 2026",
        "Mon 2026-02-02",
        "February 2, 2026",
        "Feb 2nd 2026",
        "2 feb. 2026",
    ],
)
def test_a_heading_that_begins_with_a_date_names_that_day(text: str) -> None:
    assert parse_day(text) == DAY


@pytest.mark.parametrize(
    "text", ["", "Lunch", "2026", "2026-13-02", "2026-02-30", "9999-01-01", "v2.0.1"]
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert parse_day(text) is None


@pytest.mark.parametrize(
    "name",
    [
        "2026-02-02.md",
        "notes/2026-02-02-standup.md",
        "standup 2026_02_02.md",
        "20260202.txt",
        "2026-02-02-9999.md",
    ],
)
def test_a_date_in_a_file_name_is_found(name: str) -> None:
    assert day_in_name(name) == DAY


def test_a_time_behind_the_date_in_a_file_name_counts() -> None:
    assert day_in_name("2026-02-02-1430.md") == DAY.replace(hour=14, minute=30)


@pytest.mark.parametrize("name", ["2026-02-02/plan.md", "12345678901.md", "a.md"])
def test_only_the_file_itself_can_name_a_day(name: str) -> None:
    assert day_in_name(name) is None


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("14:30", time(14, 30)),
        ("14:30:05 Standup", time(14, 30, 5)),
        ("**9:05** — tea", time(9, 5)),
        ("[2:30 PM] call", time(14, 30)),
        ("12:10 am", time(0, 10)),
        ("- 08:00 up", time(8)),
    ],
)
def test_a_time_at_the_beginning_is_read(text: str, clock: time) -> None:
    assert parse_time(text) == clock


@pytest.mark.parametrize("text", ["", "at 14:30", "25:00", "14:99", "13:00 pm", "1430"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert parse_time(text) is None


def test_a_time_replaces_the_one_a_day_had() -> None:
    late = DAY.replace(hour=23, minute=59)

    assert at_time(late, time(1, 2, 3)) == DAY.replace(hour=1, minute=2, second=3)


@pytest.mark.parametrize(
    "value",
    [
        1770000000,
        1770000000.0,
        1770000000000,
        "2026-02-02T02:40:00Z",
        "2026-02-02T03:40:00+01:00",
        "2026-02-02 02:40",
    ],
)
def test_a_moment_is_read_from_seconds_milliseconds_and_text(value: object) -> None:
    assert parse_moment(value) == datetime(2026, 2, 2, 2, 40, tzinfo=UTC)


@given(shaped("a"))
def test_any_value_is_a_moment_in_utc_or_none(value: object) -> None:
    at = parse_moment(value)

    assert at is None or at.tzinfo is UTC


@given(st.text())
def test_any_text_has_a_day_and_a_time_or_none(text: str) -> None:
    for at in (parse_day(text), day_in_name(text)):
        assert at is None or at.tzinfo is UTC
    assert isinstance(parse_time(text), time | None)
