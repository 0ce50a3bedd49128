"""A cycle is kept as it is, and nothing else is believed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.asleep import NIGHT, asleep, episode

from reverie.model.reflection import (
    Choice,
    Decision,
    Grant,
    Occasion,
    Outcome,
    Reason,
    SourceRead,
    Survey,
    TokenRequest,
)
from reverie.reflection.cycle import (
    MOST,
    NAMES,
    Asked,
    Cycle,
    Decided,
    Deferred,
    Granted,
    Idle,
    Recorded,
    Reflecting,
    Requested,
    Thought,
    Waiting,
    parse_cycle,
    render_cycle,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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
    Waiting: st.builds(Waiting, numbers, moments),
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
