"""Which state leads to which, and what time does to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import get_args

import pytest
from tests.reflection.asleep import NIGHT, asleep

from reverie.model.reflection import (
    Choice,
    Decision,
    Grant,
    Occasion,
    Outcome,
    TokenRequest,
)
from reverie.reflection.cycle import (
    LONGEST_DEFERRAL,
    NAMES,
    Asked,
    Decided,
    Deferred,
    Granted,
    Idle,
    NotNowError,
    Recorded,
    Requested,
    State,
    UnderWayError,
    Waiting,
    begin,
    may_begin,
    quiet_until,
    remind_due,
)

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
    Waiting(7, NIGHT),
    Decided(7, NIGHT, "abc", Decision(Choice.APPROVE)),
)
MINUTES = timedelta(minutes=10)
ASK_FIRST = [o for o in Occasion if o not in {Occasion.MANUAL, Occasion.IMMEDIATE}]


def test_every_state_has_a_name_and_is_tried_here() -> None:
    assert set(get_args(State)) == NAMES.keys() == {type(s) for s in (*FREE, *TAKEN)}
    assert len(set(NAMES.values())) == len(NAMES)


@pytest.mark.parametrize("state", FREE, ids=lambda state: NAMES[type(state)])
def test_a_reflection_begins_with_a_question(state: State) -> None:
    assert may_begin(state)
    for occasion in ASK_FIRST:
        asked = begin(state, occasion, NIGHT, "Now?")
        assert asked == Asked(occasion, NIGHT, "Now?")


@pytest.mark.parametrize("occasion", [Occasion.MANUAL, Occasion.IMMEDIATE])
def test_words_that_ask_for_one_are_a_yes(occasion: Occasion) -> None:
    assert begin(Idle(), occasion, NIGHT, "Now?") is None


@pytest.mark.parametrize("state", TAKEN, ids=lambda state: NAMES[type(state)])
def test_none_begins_beside_another(state: State) -> None:
    assert not may_begin(state)
    for occasion in Occasion:
        with pytest.raises(UnderWayError, match=NAMES[type(state)]):
            begin(state, occasion, NIGHT, "Now?")


def test_a_step_out_of_turn_says_where_it_stands() -> None:
    assert "cannot think now: the reflection is pending" in str(
        NotNowError("think", Waiting(7, NIGHT))
    )


def test_what_is_put_off_is_quiet_until_then_and_not_for_ever() -> None:
    until = NIGHT + timedelta(hours=4)
    state = Deferred(Occasion.SCHEDULED, until, "you said later")

    assert quiet_until(state, NIGHT) == until
    assert quiet_until(state, until) is None
    assert quiet_until(state, until - LONGEST_DEFERRAL - timedelta(seconds=1)) is None
    assert quiet_until(Idle(), NIGHT) is None


@pytest.mark.parametrize(
    "state", [Waiting(7, NIGHT), Requested(Occasion.MANUAL, NIGHT, REQUEST)]
)
def test_what_waits_for_its_human_is_brought_up_again(state: State) -> None:
    day = timedelta(days=1)

    assert not remind_due(state, NIGHT, day)
    assert not remind_due(state, NIGHT + day - MINUTES, day)
    assert remind_due(state, NIGHT + day, day)
    assert remind_due(state, NIGHT - MINUTES, day)
    assert not remind_due(Idle(), NIGHT + day, day)


def test_what_was_said_in_vain_is_spent_too() -> None:
    state = replace(asleep({"survey": {}, "meta": {}}, tokens=300), wasted=1000)

    assert (state.used, state.left) == (1600, 6400)
    assert replace(state, wasted=9000).left == 0
