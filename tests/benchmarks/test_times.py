"""The many spellings of a time, and who says what."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from benchmarks.suite.times import SPELLINGS, speaker, when
from hypothesis import given
from hypothesis import strategies as st

MOMENTS = st.datetimes(
    min_value=datetime(1974, 1, 1),  # noqa: DTZ001 - hypothesis wants it naive
    max_value=datetime(2999, 12, 31),  # noqa: DTZ001 - hypothesis wants it naive
    timezones=st.just(UTC),
)


def test_a_time_is_read_in_each_spelling() -> None:
    for text, expected in (
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("2023/04/30 (Sun) 13:59", datetime(2023, 4, 30, 13, 59, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("March 5, 2024", datetime(2024, 3, 5, tzinfo=UTC)),
        ("2024-03-15", datetime(2024, 3, 15, tzinfo=UTC)),
        ("20240315", datetime(2024, 3, 15, tzinfo=UTC)),
        ("2024-03-15T10:00:00+02:00", datetime(2024, 3, 15, 8, tzinfo=UTC)),
        (" 2024-03-15T10:00:00Z\n", datetime(2024, 3, 15, 10, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1710496800, datetime(2024, 3, 15, 10, tzinfo=UTC)),
        ("1710496800", datetime(2024, 3, 15, 10, tzinfo=UTC)),
        ("1710496800.5", datetime(2024, 3, 15, 10, 0, 0, 500000, tzinfo=UTC)),
        (1710496800000, datetime(2024, 3, 15, 10, tzinfo=UTC)),
    ):
        assert when(text) == expected


def test_what_is_no_time_is_none() -> None:
    for text in (
        *(None, "", "  ", "nonsense", "May-32-2024", "25:00 pm on 8 May, 2023"),
        *(True, float("nan"), float("inf"), 1e30, -1e30, "9" * 40, "7", "2023"),
        "0001-01-01T00:00:00+12:00",
    ):
        assert when(text) is None


@given(MOMENTS, st.sampled_from(SPELLINGS))
def test_what_was_written_in_a_spelling_is_read_back(
    moment: datetime, spelling: str
) -> None:
    written = moment.strftime(spelling)
    kept = moment.replace(second=0, microsecond=0)
    if "%M" not in spelling:
        kept = kept.replace(hour=0, minute=0)

    assert when(written) == kept


@given(MOMENTS, st.integers(-14, 14))
def test_an_iso_time_is_the_same_moment_in_utc(moment: datetime, hours: int) -> None:
    there = moment.astimezone(timezone(timedelta(hours=hours)))

    read = when(there.isoformat())

    assert read == moment
    assert read is not None
    assert read.tzinfo is UTC


@given(st.integers(10**8, 32 * 10**9))
def test_an_epoch_is_read_as_a_number_as_text_and_in_milliseconds(seconds: int) -> None:
    expected = datetime.fromtimestamp(seconds, UTC)

    assert when(seconds) == when(str(seconds)) == when(seconds * 1000) == expected


@given(st.text() | st.floats() | st.integers() | st.none())
def test_anything_at_all_gives_a_time_in_utc_or_none(text: str | float | None) -> None:
    found = when(text)

    assert found is None or found.tzinfo is UTC


def test_a_turn_is_split_into_who_and_what() -> None:
    for text, expected in (
        ("[1:56 pm on 8 May, 2023] Ann: Hi: there", ("Ann", "Hi: there")),
        ("Mary Ann: Hello\nBob: no", ("Mary Ann", "Hello\nBob: no")),
        ("[] Ann: Hi", ("Ann", "Hi")),
        ("[2023/04/30 (Sun) 13:59] just text", ("", "just text")),
        ("[draft] Ann: Hi", ("", "[draft] Ann: Hi")),
        ("user: hello", ("user", "hello")),
        ("so I said: hello", ("", "so I said: hello")),
        ("https://example.org: it", ("", "https://example.org: it")),
        ("", ("", "")),
    ):
        assert speaker(text) == expected
