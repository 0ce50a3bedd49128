"""What starts a reflection, what is asked first, and when it is put off."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import Config, ReflectionConfig
from reverie.encoding.triggers import detect
from reverie.model.reflection import Occasion
from reverie.reflection.checkin import (
    QUESTIONS,
    Situation,
    due,
    due_at_end,
    next_time,
    no_answer,
    occasion_of,
    put_off,
    question,
    unanswered_until,
)

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    *("Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"),
]
THREE = time(3)

# --- what is asked -------------------------------------------------------------


def test_the_two_questions_of_the_design_are_asked_word_for_word() -> None:
    assert question(Occasion.SOFT, 5) == (
        "Before you go — want me to reflect now, or wait for our usual time?"
    )
    assert question(Occasion.SCHEDULED, 5) == (
        "Hey, it's reflection time. Good to go, or should I catch you later?"
    )


@pytest.mark.parametrize("occasion", [Occasion.THRESHOLD, Occasion.SESSION_END])
def test_a_pile_of_episodes_is_told_with_its_number(occasion: Occasion) -> None:
    assert "23 new episodes" in question(occasion, 23)
    assert "1 new episode " in question(occasion, 1)


@pytest.mark.parametrize("occasion", [Occasion.IMMEDIATE, Occasion.MANUAL])
def test_an_order_is_a_yes_already(occasion: Occasion) -> None:
    assert occasion not in QUESTIONS
    assert question(occasion, 3) == ""


@pytest.mark.parametrize(
    ("message", "occasion"),
    [
        ("let's reflect", Occasion.IMMEDIATE),
        ("goodnight", Occasion.SOFT),
        ("remember that I moved to Ghent", None),
        ("nice weather", None),
    ],
)
def test_words_of_a_message_are_an_occasion(
    message: str, occasion: Occasion | None
) -> None:
    assert occasion_of(detect(message)) is occasion


def test_an_order_outranks_a_farewell() -> None:
    both = (*detect("goodnight"), *detect("let's reflect"))

    assert occasion_of(both) is Occasion.IMMEDIATE


# --- when it is put off --------------------------------------------------------


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    "occasion", [Occasion.SCHEDULED, Occasion.THRESHOLD, Occasion.SESSION_END]
)
def test_later_is_four_hours(occasion: Occasion) -> None:
    now = at("2026-02-05T03:00:00+01:00")

    assert put_off(occasion, now, BERLIN, THREE) == at("2026-02-05T07:00:00+01:00")


def test_later_after_a_farewell_is_the_usual_time() -> None:
    evening = at("2026-02-05T23:00:00+01:00")
    night = at("2026-02-06T01:00:00+01:00")

    for now in (evening, night):
        until = put_off(Occasion.SOFT, now, BERLIN, THREE)
        assert until == at("2026-02-06T03:00:00+01:00")


def test_nobody_answers_after_ten_minutes() -> None:
    asked = at("2026-02-05T03:00:00Z")

    assert not no_answer(asked, asked + timedelta(minutes=9, seconds=59))
    assert no_answer(asked, asked + timedelta(minutes=10))


def test_a_clock_set_back_a_little_still_waits_and_far_does_not() -> None:
    asked = at("2026-02-05T03:00:00Z")

    assert not no_answer(asked, asked - timedelta(minutes=5))
    assert no_answer(asked, asked - timedelta(days=300))


def test_no_answer_waits_for_the_next_day() -> None:
    now = at("2026-02-05T01:30:00+01:00")

    until = unanswered_until(Occasion.THRESHOLD, now, BERLIN, THREE)

    assert until == at("2026-02-06T03:00:00+01:00")


def test_no_answer_to_a_farewell_waits_for_the_usual_time() -> None:
    now = at("2026-02-05T01:30:00+01:00")

    until = unanswered_until(Occasion.SOFT, now, BERLIN, THREE)

    assert until == at("2026-02-05T03:00:00+01:00")


def test_a_time_that_the_clock_leaves_out_comes_after_the_gap() -> None:
    now = at("2026-03-28T23:00:00+01:00")

    until = put_off(Occasion.SOFT, now, BERLIN, time(2, 30))

    assert until == at("2026-03-29T03:30:00+02:00")


def test_an_hour_that_comes_twice_counts_once() -> None:
    between = at("2026-10-25T02:45:00+02:00")

    until = put_off(Occasion.SOFT, between, BERLIN, time(2, 30))

    assert until == at("2026-10-26T02:30:00+01:00")


def test_a_day_that_a_zone_left_out_is_no_trap() -> None:
    apia = ZoneInfo("Pacific/Apia")
    now = datetime(2011, 12, 29, 23, tzinfo=apia).astimezone(UTC)

    until = unanswered_until(Occasion.SCHEDULED, now, apia, THREE)

    assert now < until < now + timedelta(days=2)


moments = st.datetimes(
    datetime(1975, 1, 1),  # noqa: DTZ001 - the zone comes with the strategy
    datetime(2150, 1, 1),  # noqa: DTZ001 - as above
    timezones=st.just(UTC),
)
zones = st.sampled_from(ZONES).map(ZoneInfo) | st.integers(-1439, 1439).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)


@given(st.sampled_from(Occasion), moments, zones, st.times())
def test_it_is_never_put_off_to_the_past(
    occasion: Occasion, now: datetime, local: ZoneInfo | timezone, hour: time
) -> None:
    for until in (
        put_off(occasion, now, local, hour),
        unanswered_until(occasion, now, local, hour),
        next_time(now, local, hour, ("daily",)),
        next_time(now, local, hour, ("weekly",), now - timedelta(days=3)),
    ):
        assert until is not None
        assert now < until <= now + timedelta(days=8)


def test_a_weekly_one_comes_seven_days_after_the_last() -> None:
    now = at("2026-02-05T12:00:00+01:00")
    last = at("2026-02-04T12:00:00+01:00")

    found = next_time(now, BERLIN, THREE, ("weekly",), last)

    assert found == at("2026-02-11T03:00:00+01:00")


def test_a_weekly_one_that_is_late_comes_at_the_next_time() -> None:
    now = at("2026-02-05T12:00:00+01:00")
    following = at("2026-02-06T03:00:00+01:00")

    for last in (None, now - timedelta(days=90), now + timedelta(days=90)):
        assert next_time(now, BERLIN, THREE, "weekly", last) == following


def test_a_daily_one_outranks_a_weekly_one() -> None:
    now = at("2026-02-05T12:00:00+01:00")
    following = at("2026-02-06T03:00:00+01:00")

    assert next_time(now, BERLIN, THREE, ("weekly", "daily"), now) == following


@pytest.mark.parametrize("frequency", [(), ("session-end",), "none"])
def test_nothing_is_scheduled_unless_it_is_wanted(frequency: tuple[str, ...]) -> None:
    assert next_time(at("2026-02-05T12:00:00Z"), UTC, THREE, frequency) is None


# --- what is due ---------------------------------------------------------------

NOON = at("2026-02-05T12:00:00+01:00")
QUIET = Situation(
    now=NOON,
    last=at("2026-02-05T03:10:00+01:00"),
    waiting=3,
    config=Config(),
    local=BERLIN,
)


def settings(**values: object) -> Config:
    return Config(reflection=replace(ReflectionConfig(), **values))  # type: ignore[arg-type]  # the test names the fields


def test_nothing_is_due_right_after_a_reflection() -> None:
    assert due(QUIET) is None


def test_one_is_due_when_the_time_has_passed_since_the_last() -> None:
    assert due(replace(QUIET, last=NOON - timedelta(days=1))) is Occasion.SCHEDULED
    assert due(replace(QUIET, last=None)) is Occasion.SCHEDULED


def test_it_is_due_at_the_very_minute_and_offered_once() -> None:
    three = at("2026-02-06T03:00:00+01:00")
    situation = replace(QUIET, now=three)

    assert due(replace(situation, now=three - timedelta(seconds=1))) is None
    assert due(situation) is Occasion.SCHEDULED
    assert due(replace(situation, offered=three)) is None


def test_a_pile_of_episodes_is_due() -> None:
    assert due(replace(QUIET, waiting=19)) is None
    assert due(replace(QUIET, waiting=20)) is Occasion.THRESHOLD


def test_a_threshold_of_zero_is_never_reached() -> None:
    config = settings(threshold=0)

    assert due(replace(QUIET, waiting=5000, config=config)) is None


def test_who_was_asked_is_not_asked_again_before_the_next_time() -> None:
    asked = replace(QUIET, waiting=50, offered=NOON - timedelta(hours=1))

    assert due(asked) is None
    assert due(replace(asked, now=NOON + timedelta(days=1))) is Occasion.SCHEDULED


def test_nothing_new_is_nothing_to_reflect_on() -> None:
    empty = replace(QUIET, waiting=0, last=None, turns=9, config=settings(threshold=1))

    assert due(empty) is None
    assert due_at_end(empty) is None


def test_a_weekly_one_is_due_after_seven_days() -> None:
    config = settings(frequency=("weekly",))
    weekly = replace(QUIET, config=config)

    assert due(replace(weekly, last=NOON - timedelta(days=6))) is None
    assert due(replace(weekly, last=NOON - timedelta(days=7))) is Occasion.SCHEDULED


def test_without_a_frequency_only_the_pile_counts() -> None:
    silent = replace(QUIET, last=None, config=settings(frequency=()))

    assert due(silent) is None
    assert due(replace(silent, waiting=20)) is Occasion.THRESHOLD


def test_a_last_one_in_the_future_does_not_silence_for_good() -> None:
    ahead = NOON + timedelta(days=900)

    assert due(replace(QUIET, last=ahead, offered=ahead)) is Occasion.SCHEDULED


def test_the_end_of_a_session_is_an_occasion_if_something_was_said() -> None:
    assert due_at_end(replace(QUIET, turns=4)) is Occasion.SESSION_END
    assert due_at_end(QUIET) is None
    daily = settings(frequency=("daily",))
    assert due_at_end(replace(QUIET, turns=4, config=daily)) is None


@given(moments, zones, st.none() | moments, st.none() | moments, st.integers(0, 99))
def test_whatever_the_clocks_say_nothing_breaks(
    now: datetime,
    local: ZoneInfo | timezone,
    last: datetime | None,
    offered: datetime | None,
    waiting: int,
) -> None:
    found = due(Situation(now, last, waiting, Config(), local, 1, offered))

    assert found in {None, Occasion.SCHEDULED, Occasion.THRESHOLD}
    assert waiting or found is None
