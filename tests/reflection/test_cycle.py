"""Which state leads to which, and what time does to them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.asleep import NIGHT, asleep, episode

from reverie.model.reflection import (
    Choice,
    Decision,
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
    MOST,
    MOST_REJECTED,
    NAMES,
    Asked,
    AwaitingDecision,
    Cycle,
    Decided,
    Deferred,
    Granted,
    Idle,
    NotNowError,
    Recorded,
    Reflecting,
    Requested,
    State,
    Thought,
    Tracked,
    UnderWayError,
    begin,
    fingerprint,
    may_begin,
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
    Recorded(7, NIGHT, Choice.APPROVE, "abc"),
)
TAKEN: tuple[State, ...] = (
    Requested(Occasion.MANUAL, NIGHT, REQUEST),
    Granted(Occasion.MANUAL, NIGHT, REQUEST, Grant(8000, Outcome.APPROVED)),
    asleep(),
    AwaitingDecision(7, NIGHT),
    Decided(7, NIGHT, "abc", Decision(Choice.APPROVE)),
)
MINUTES = timedelta(minutes=10)
ASK_FIRST = [o for o in Occasion if o not in {Occasion.MANUAL, Occasion.IMMEDIATE}]


def test_every_state_has_a_name_and_is_tried_here() -> None:
    assert set(get_args(State)) == NAMES.keys() == {type(s) for s in (*FREE, *TAKEN)}
    assert len(set(NAMES.values())) == len(NAMES)


def test_a_reflection_begins_with_a_question_unless_words_asked_for_it() -> None:
    for state in FREE:
        assert may_begin(state)
        for occasion in ASK_FIRST:
            asked = begin(state, occasion, NIGHT, "Now?")
            assert asked == Asked(occasion, NIGHT, "Now?")
    for yes in (Occasion.MANUAL, Occasion.IMMEDIATE):
        assert begin(Idle(), yes, NIGHT, "Now?") is None


def test_none_begins_beside_another() -> None:
    for state in TAKEN:
        assert not may_begin(state)
        for occasion in Occasion:
            with pytest.raises(UnderWayError, match=NAMES[type(state)]):
                begin(state, occasion, NIGHT, "Now?")


def test_a_step_out_of_turn_says_where_it_stands() -> None:
    assert "cannot think now: the reflection is pending" in str(
        NotNowError("think", AwaitingDecision(7, NIGHT))
    )


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
        assert remind_due(state, NIGHT - MINUTES, day)
    assert not remind_due(Idle(), NIGHT + day, day)


def test_what_was_said_in_vain_is_spent_too() -> None:
    state = replace(asleep({"survey": {}, "meta": {}}, tokens=300), wasted=1000)

    assert (state.used, state.left) == (1600, 6400)
    assert replace(state, wasted=9000).left == 0


# --- a cycle is kept as it is, and nothing else is believed -------------------


texts = st.text(max_size=12)
counts = st.integers(0, MOST)
numbers = st.integers(1, MOST)
moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  Hypothesis wants it so
    datetime(2199, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
occasions = st.sampled_from(Occasion)
choices = st.sampled_from(Choice)
reasons = st.lists(st.builds(Reason, texts, counts), max_size=2).map(tuple)
requests = st.builds(TokenRequest, numbers, st.dates(), counts, reasons, reasons)
grants = st.builds(Grant, counts, st.sampled_from(Outcome), texts, texts)
thoughts = st.builds(Thought, texts, texts, counts)
decisions = st.builds(
    Decision,
    choices,
    st.lists(numbers, max_size=3).map(tuple),
    st.lists(st.tuples(numbers, texts), max_size=2).map(tuple),
    texts,
    st.booleans(),
)
noticed = st.lists(texts.map(episode), max_size=2).map(tuple)
sources = st.builds(SourceRead, texts, counts, counts, counts, counts, texts)
lines = st.lists(texts, max_size=2).map(tuple)
surveys = st.builds(
    Survey,
    first=st.booleans(),
    since=moments,
    read_until=st.none() | moments,
    log=lines,
    fading=noticed,
    entities=noticed,
    episodes=noticed,
    procedures=noticed,
    read=st.lists(sources, max_size=1).map(tuple),
    **dict.fromkeys(("core", "evolution", "graph", "economy", "proposals"), texts),
)
STATES = {
    Idle: st.builds(Idle, texts),
    Asked: st.builds(Asked, occasions, moments, texts),
    Deferred: st.builds(Deferred, occasions, moments, texts),
    Requested: st.builds(Requested, occasions, moments, requests),
    Granted: st.builds(Granted, occasions, moments, requests, grants),
    Reflecting: st.builds(
        *(Reflecting, occasions, numbers, moments, counts, surveys, lines, counts),
        *(st.lists(thoughts, max_size=2).map(tuple), counts, texts),
    ),
    AwaitingDecision: st.builds(AwaitingDecision, numbers, moments),
    Decided: st.builds(Decided, numbers, moments, texts, decisions),
    Recorded: st.builds(Recorded, numbers, moments, choices, texts),
}
cycles = st.builds(
    *(Cycle, st.one_of(*STATES.values()), counts, st.none() | moments),
    *(counts, counts),
)


def test_every_state_is_tried_here() -> None:
    assert STATES.keys() == NAMES.keys()


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


def no_zone_within(whole: dict[str, object]) -> None:
    value = whole["value"]
    assert isinstance(value, dict)
    value["survey"]["since"] = "2026-02-03T03:00:00"


def below_nothing(whole: dict[str, object]) -> None:
    whole["last_number"] = -1


def beyond_counting(whole: dict[str, object]) -> None:
    whole["wasted"] = 10**30


def one_field_more(whole: dict[str, object]) -> None:
    whole["approved"] = True


SPOILERS = (no_zone, no_zone_within, below_nothing, beyond_counting, one_field_more)


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
    found = parse_tracked(other)

    assert found.awareness >= 0
    for moment in (found.last, found.read_until):
        assert moment is None or moment.utcoffset() == timedelta()


@given(moments)
def test_a_moment_is_kept_to_the_second(moment: datetime) -> None:
    text = render_moment(moment)

    found = parse_tracked({"last_reflection": text})

    assert found.last == moment.replace(microsecond=0)


def test_a_moment_elsewhere_is_told_in_utc() -> None:
    there = datetime(2026, 2, 5, 5, 0, tzinfo=timezone(timedelta(hours=2)))

    assert render_moment(there) == "2026-02-05T03:00:00Z"
    found = parse_tracked({"reflection_read_until": there.isoformat()})
    assert found.read_until == datetime(2026, 2, 5, 3, 0, tzinfo=UTC)


def test_a_moment_or_a_count_that_cannot_be_is_none() -> None:
    key = "self_awareness_count_since_consolidation"

    for moment in (
        *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "yesterday"),
        *("1969-12-31T00:00:00Z", "2201-01-01T00:00:00Z", 1770000000, None),
    ):
        assert parse_tracked({"last_reflection": moment}) == Tracked()
    for count in (-1, True, 2.5, "3", None):
        assert parse_tracked({key: count}).awareness == 0
    assert parse_tracked({key: 4}).awareness == 4


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


def test_half_a_character_has_a_mark_too() -> None:
    assert fingerprint(extract("\ud83d")) == fingerprint(extract("\ud83d"))


def test_what_was_rejected_is_remembered_with_its_session() -> None:
    first = parse_tracked(
        {"rejected_operations": with_rejected(Tracked(), [extract("One")], "r-001")}
    )

    both = with_rejected(first, [extract("Two")], "r-002")

    assert both == {
        fingerprint(extract("One")): "r-001",
        fingerprint(extract("Two")): "r-002",
    }


def test_of_very_many_the_oldest_are_let_go() -> None:
    known = tuple((f"{number:012x}", "r-001") for number in range(MOST_REJECTED))

    kept = with_rejected(Tracked(rejected=known), [extract("New")], "r-002")

    assert len(kept) == MOST_REJECTED
    assert fingerprint(extract("New")) in kept
    assert "000000000000" not in kept
