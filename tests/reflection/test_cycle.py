"""Which state leads to which, and what time does to them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from msgspec.structs import replace as replace_config
from tests.reflection.asleep import NIGHT, asleep, episode
from tests.strategies import built

from reverie.config import ReflectionConfig
from reverie.encoding.triggers import detect
from reverie.model.reflection import (
    Choice,
    Grant,
    Occasion,
    Operation,
    OperationKind,
    Outcome,
    Reason,
    SourceRead,
    Survey,
    TokenRequest,
)
from reverie.reflection.cycle import (
    LONGEST_DEFERRAL,
    MOST_REJECTED,
    NAMES,
    Asked,
    AwaitingDecision,
    Cycle,
    Deferred,
    Granted,
    Idle,
    NotNowError,
    Recorded,
    Reflecting,
    Requested,
    State,
    Thought,
    Timetable,
    Tracked,
    fingerprint,
    no_answer,
    occasion_of,
    parse_cycle,
    parse_tracked,
    quiet_until,
    remind_due,
    render_cycle,
    render_moment,
    with_rejected,
)

if TYPE_CHECKING:
    from collections.abc import Callable

REQUEST = TokenRequest(7, date(2026, 2, 3), 8000)
FREE: tuple[State, ...] = (
    Idle(),
    Asked(Occasion.SCHEDULED, NIGHT, "Now?"),
    Deferred(Occasion.SCHEDULED, NIGHT, "you said later"),
    Recorded(7, Choice.APPROVE),
)
TAKEN: tuple[State, ...] = (
    Requested(Occasion.MANUAL, NIGHT, REQUEST),
    Granted(Occasion.MANUAL, NIGHT, REQUEST, Grant(8000, Outcome.APPROVED)),
    asleep(),
    AwaitingDecision(7, NIGHT),
)
MINUTES = timedelta(minutes=10)


def test_every_state_has_a_name_and_is_tried_here() -> None:
    assert (
        set(get_args(State))
        == NAMES.keys()
        == {type(s) for s in (*FREE, *TAKEN)}
        == STATES.keys()
    )
    assert len(set(NAMES.values())) == len(NAMES)


def test_a_step_out_of_turn_says_where_it_stands() -> None:
    assert "cannot think now: the reflection is pending" in str(
        NotNowError("think", AwaitingDecision(7, NIGHT))
    )
    assert "reflect cancel" in NotNowError("begin another", asleep()).advice


def test_what_is_put_off_is_quiet_until_then_and_not_for_ever() -> None:
    until = NIGHT + timedelta(hours=4)
    state = Deferred(Occasion.SCHEDULED, until, "you said later")

    assert quiet_until(state, NIGHT) == until
    assert quiet_until(state, until) is None
    assert quiet_until(state, until - LONGEST_DEFERRAL - timedelta(seconds=1)) is None
    assert quiet_until(Idle(), NIGHT) is None


def test_what_waits_for_its_human_is_brought_up_again() -> None:
    day = timedelta(days=1)

    for state in (
        AwaitingDecision(7, NIGHT),
        Requested(Occasion.MANUAL, NIGHT, REQUEST),
    ):
        assert not remind_due(state, NIGHT, day)
        assert not remind_due(state, NIGHT + day - MINUTES, day)
        assert remind_due(state, NIGHT + day, day)
        assert not remind_due(state, NIGHT - MINUTES, day), "a clock set back a little"
        assert remind_due(state, NIGHT - day, day)
    assert not remind_due(Idle(), NIGHT + day, day)


def test_what_was_said_in_vain_is_spent_too() -> None:
    state = replace(asleep({"survey": {}, "meta": {}}, tokens=300), wasted=1000)

    assert (state.used, state.left) == (1600, 6400)
    assert replace(state, wasted=9000).left == 0


# --- a cycle is kept as it is, and nothing else is believed -------------------


texts = st.text(max_size=12)
counts = st.integers(0, 10**8)
numbers = st.integers(1, 10**8)
moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  Hypothesis wants it so
    datetime(2199, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
occasions = st.sampled_from(Occasion)
choices = st.sampled_from(Choice)
reasons = st.lists(built(Reason, texts, counts), max_size=2).map(tuple)
requests = built(TokenRequest, numbers, st.dates(), counts, reasons, reasons)
grants = built(Grant, counts, st.sampled_from(Outcome), texts, texts)
thoughts = built(Thought, texts, texts, counts)
noticed = st.lists(texts.map(episode), max_size=2).map(tuple)
sources = built(SourceRead, texts, counts, counts, counts, counts, texts)
lines = st.lists(texts, max_size=2).map(tuple)
surveys = built(
    Survey,
    first=st.booleans(),
    since=moments,
    read_until=st.none() | moments,
    log=lines,
    fading=noticed,
    entities=noticed,
    episodes=noticed,
    procedures=noticed,
    proposals=noticed,
    read=st.lists(sources, max_size=1).map(tuple),
    **dict.fromkeys(("core", "evolution", "graph", "economy"), texts),
)
STATES = {
    Idle: built(Idle, texts),
    Asked: built(Asked, occasions, moments, texts),
    Deferred: built(Deferred, occasions, moments, texts),
    Requested: built(Requested, occasions, moments, requests),
    Granted: built(Granted, occasions, moments, requests, grants),
    Reflecting: built(
        *(Reflecting, occasions, numbers, moments, counts, surveys, lines, counts),
        *(st.lists(thoughts, max_size=2).map(tuple), counts, texts),
    ),
    AwaitingDecision: built(AwaitingDecision, numbers, moments),
    Recorded: built(Recorded, numbers, choices),
}
cycles = built(
    *(Cycle, st.one_of(*STATES.values()), counts, st.none() | moments),
    *(counts, counts, st.none() | moments, st.none() | st.tuples(requests, grants)),
)


@given(cycles)
def test_what_is_kept_is_what_was(cycle: Cycle) -> None:
    assert parse_cycle(render_cycle(cycle)) == (cycle, "")


@given(cycles, st.data())
def test_half_a_file_is_told_and_not_believed(
    cycle: Cycle, data: st.DataObject
) -> None:
    whole = render_cycle(cycle).rstrip()
    cut = data.draw(st.integers(0, len(whole) - 1))

    found, problem = parse_cycle(whole[:cut])

    assert found == Cycle(Idle(problem))
    assert "cannot be read" in problem


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)


@given(st.sampled_from(sorted(NAMES.values())) | st.text(max_size=5), json_values)
def test_any_other_object_is_no_cycle_or_a_sound_one(name: str, value: object) -> None:
    whole = {"state": name, "value": value, "last_number": 1}

    cycle, problem = parse_cycle(json.dumps(whole).encode())

    assert problem or name == NAMES[type(cycle.state)]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_harm(data: bytes) -> None:
    assert parse_cycle(data)[0].state is not None


def test_no_file_is_no_reflection() -> None:
    assert parse_cycle(None) == (Cycle(), "")


def no_zone(whole: dict[str, object]) -> None:
    whole["offered"] = "2026-02-03T03:00:00"


def one_field_more(whole: dict[str, object]) -> None:
    whole["approved"] = True


SPOILERS = (no_zone, one_field_more)


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
def test_what_cannot_be_is_told_and_not_believed(
    spoil: Callable[[dict[str, object]], None],
) -> None:
    state = asleep({"survey": {}}, seen={"episodes": (episode("Saw a heron."),)})
    whole = json.loads(render_cycle(Cycle(state, 7, NIGHT)))
    spoil(whole)

    found, problem = parse_cycle(json.dumps(whole).encode())

    assert problem
    assert found == Cycle(Idle(problem))


def test_a_file_of_brackets_is_only_a_bad_file() -> None:
    for data in (b"[" * 1_000_000, b'{"state": ' * 100_000):
        assert parse_cycle(data)[1]


# --- what the scores keep of reflections, whoever wrote into them -------------


KEYS = (
    *("last_reflection", "reflection_read_until", "rejected_operations"),
    *("self_awareness_count_since_consolidation", "token_economy"),
)
ALEX = "memory/graph/entities/person--alex.md"
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)


def extract(content: str, target: str = ALEX) -> Operation:
    return Operation(OperationKind.EXTRACT, target, content)


@given(st.dictionaries(st.sampled_from(KEYS), anything))
def test_whatever_stands_there_is_read_or_counts_as_absent(
    other: dict[str, object],
) -> None:
    found = parse_tracked(other, NIGHT)

    assert found.awareness >= 0
    for moment in (found.last, found.read_until):
        assert moment is None or moment.utcoffset() == timedelta()


@given(moments)
def test_a_moment_is_kept_to_the_second(moment: datetime) -> None:
    text = render_moment(moment)

    found = parse_tracked({"last_reflection": text}, moment)

    assert found.last == moment.replace(microsecond=0)


def test_a_moment_elsewhere_is_told_in_utc() -> None:
    there = datetime(2026, 2, 5, 5, 0, tzinfo=timezone(timedelta(hours=2)))

    assert render_moment(there) == "2026-02-05T03:00:00Z"
    found = parse_tracked({"reflection_read_until": there.isoformat()}, there)
    assert found.read_until == datetime(2026, 2, 5, 3, 0, tzinfo=UTC)


def test_a_moment_or_a_count_that_cannot_be_is_none() -> None:
    key = "self_awareness_count_since_consolidation"

    for moment in (
        *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "yesterday"),
        *("2026-02-05T00:00:00Z", 1770000000, None),
    ):
        assert parse_tracked({"last_reflection": moment}, NIGHT) == Tracked()
    for count in (-1, True, 2.5, "3", None):
        assert parse_tracked({key: count}, NIGHT).awareness == 0
    assert parse_tracked({key: 4}, NIGHT).awareness == 4


def test_an_operation_is_known_again_however_it_is_written() -> None:
    known = fingerprint(extract("Works from Berlin"))

    for same in ("works  from BERLIN", "- Works from Berlin!\n", "“Works” from Berlin"):
        assert fingerprint(extract(same)) == known
    for other in (
        extract("Works from Bern"),
        extract("Works from Berlin", "memory/graph/entities/person--sam.md"),
        extract("from Berlin works"),
        Operation(OperationKind.FLAG, ALEX, "Works from Berlin"),
    ):
        assert fingerprint(other) != known


@given(st.text(), st.text())
def test_every_operation_has_a_short_mark(target: str, content: str) -> None:
    mark = fingerprint(extract(content, target))

    assert len(mark) == 12
    assert int(mark, 16) >= 0


def test_what_was_rejected_is_remembered_with_its_session() -> None:
    first = parse_tracked(
        {"rejected_operations": with_rejected(Tracked(), [extract("One")], "r-001")},
        NIGHT,
    )

    both = with_rejected(first, [extract("Two")], "r-002")

    assert both == {
        fingerprint(extract("One")): "r-001",
        fingerprint(extract("Two")): "r-002",
    }


def test_of_very_many_the_oldest_are_let_go() -> None:
    known = {f"{number:012x}": "r-001" for number in range(MOST_REJECTED)}

    kept = with_rejected(Tracked(rejected=known), [extract("New")], "r-002")

    assert len(kept) == MOST_REJECTED
    assert fingerprint(extract("New")) in kept
    assert "000000000000" not in kept


# --- what starts one, and when it is put off ----------------------------------


BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    *("Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"),
]


def planned(now: datetime, zone: tzinfo = BERLIN, **settings: object) -> Timetable:
    return Timetable(
        replace_config(ReflectionConfig(), **settings), zone, now
    )  # the test names the fields


def test_words_of_a_message_are_an_occasion_and_an_order_outranks_a_farewell() -> None:
    order, farewell = detect("let's reflect"), detect("goodnight")

    assert occasion_of(farewell) is Occasion.SOFT
    assert occasion_of((*farewell, *order)) is Occasion.IMMEDIATE
    assert occasion_of(detect("nice weather")) is None


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_later_is_four_hours() -> None:
    schedule = planned(at("2026-02-05T03:00:00+01:00"))

    for occasion in (Occasion.SCHEDULED, Occasion.THRESHOLD, Occasion.SESSION_END):
        until = schedule.put_off(occasion, later=True)
        assert until == at("2026-02-05T07:00:00+01:00")


def test_later_after_a_farewell_is_the_usual_time() -> None:
    evening = at("2026-02-05T23:00:00+01:00")
    night = at("2026-02-06T01:00:00+01:00")

    for now in (evening, night):
        until = planned(now).put_off(Occasion.SOFT, later=True)
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

    until = planned(now).put_off(Occasion.THRESHOLD)

    assert until == at("2026-02-06T03:00:00+01:00")


def test_no_answer_to_a_farewell_waits_for_the_usual_time() -> None:
    now = at("2026-02-05T01:30:00+01:00")

    until = planned(now).put_off(Occasion.SOFT)

    assert until == at("2026-02-05T03:00:00+01:00")


def test_a_time_that_the_clock_leaves_out_comes_after_the_gap() -> None:
    now = at("2026-03-28T23:00:00+01:00")

    until = planned(now, time="02:30").put_off(Occasion.SOFT)

    assert until == at("2026-03-29T03:30:00+02:00")


def test_an_hour_that_comes_twice_counts_once() -> None:
    between = at("2026-10-25T02:45:00+02:00")

    until = planned(between, time="02:30").put_off(Occasion.SOFT)

    assert until == at("2026-10-26T02:30:00+01:00")


def test_a_day_that_a_zone_left_out_is_no_trap() -> None:
    apia = ZoneInfo("Pacific/Apia")
    now = datetime(2011, 12, 29, 23, tzinfo=apia).astimezone(UTC)

    until = planned(now, apia).put_off(Occasion.SCHEDULED)

    assert now < until < now + timedelta(days=2)


zones = st.sampled_from(ZONES).map(ZoneInfo) | st.integers(-1439, 1439).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)


@given(occasions, moments, zones, st.times())
def test_it_is_never_put_off_to_the_past(
    occasion: Occasion, now: datetime, zone: tzinfo, hour: time
) -> None:
    weekly = planned(now, zone, time=f"{hour:%H:%M}", frequency=("weekly",))
    daily = replace_config(weekly, settings=ReflectionConfig(time=f"{hour:%H:%M}"))

    for until in (
        daily.put_off(occasion),
        daily.put_off(occasion, later=True),
        daily.next_time(None),
        weekly.next_time(now - timedelta(days=3)),
    ):
        assert until is not None
        assert now < until <= now + timedelta(days=8)


def test_the_next_time_is_the_next_day_or_a_week_after_the_last() -> None:
    now, week = at("2026-02-05T12:00:00+01:00"), timedelta(days=7)
    following = at("2026-02-06T03:00:00+01:00")
    weekly = planned(now, frequency=("weekly",))

    assert weekly.next_time(now - timedelta(days=1)) == following + week / 7 * 5
    for last in (None, now - timedelta(days=90), now + timedelta(days=90)):
        assert weekly.next_time(last) == following
    assert planned(now, frequency=("weekly", "daily")).next_time(now) == following
    for nothing in ((), ("session-end",)):
        assert planned(now, frequency=nothing).next_time(None) is None


# --- what is due ---------------------------------------------------------------

NOON = at("2026-02-05T12:00:00+01:00")
MORNING = at("2026-02-05T03:10:00+01:00")


def due(
    now: datetime = NOON,
    last: datetime | None = MORNING,
    waiting: int = 3,
    offered: datetime | None = None,
    **settings: object,
) -> Occasion | None:
    return planned(now, **settings).due(last, waiting, offered)  # type: ignore[arg-type]  # the test names the fields


def test_one_is_due_when_the_time_has_passed_since_the_last() -> None:
    assert due() is None
    assert due(last=NOON - timedelta(days=1)) is Occasion.SCHEDULED
    assert due(last=None) is Occasion.SCHEDULED


def test_it_is_due_at_the_very_minute_and_offered_once() -> None:
    three = at("2026-02-06T03:00:00+01:00")

    assert due(three - timedelta(seconds=1)) is None
    assert due(three) is Occasion.SCHEDULED
    assert due(three, offered=three) is None


def test_a_pile_of_episodes_is_due_and_a_threshold_of_zero_never_reached() -> None:
    assert due(waiting=19) is None
    assert due(waiting=20) is Occasion.THRESHOLD
    assert due(waiting=5000, threshold=0) is None


def test_who_was_asked_is_not_asked_again_before_the_next_time() -> None:
    asked = NOON - timedelta(hours=1)

    assert due(waiting=50, offered=asked) is None
    tomorrow = NOON + timedelta(days=1)
    assert due(tomorrow, waiting=50, offered=asked) is Occasion.SCHEDULED


def test_nothing_new_is_nothing_to_reflect_on() -> None:
    assert due(last=None, waiting=0, threshold=1) is None


def test_a_weekly_one_is_due_after_seven_days() -> None:
    six, seven = (NOON - timedelta(days=days) for days in (6, 7))

    assert due(last=six, frequency=("weekly",)) is None
    assert due(last=seven, frequency=("weekly",)) is Occasion.SCHEDULED


def test_without_a_frequency_only_the_pile_counts() -> None:
    assert due(last=None, frequency=()) is None
    assert due(last=None, waiting=20, frequency=()) is Occasion.THRESHOLD


def test_a_last_one_in_the_future_does_not_silence_for_good() -> None:
    ahead = NOON + timedelta(days=900)

    assert due(last=ahead, offered=ahead) is Occasion.SCHEDULED
