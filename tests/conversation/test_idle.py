"""A summary is due when nobody speaks for a while and enough was said."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conversation.said import MINUTE, NOON

from reverie.config import ConversationConfig
from reverie.conversation.idle import IdleTimer, due, due_at, later
from reverie.model.conversation import WindowState

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = ConversationConfig()
ENOUGH = WindowState(last=5, since=5, heard=NOON)


# --- the two conditions --------------------------------------------------------


def test_a_reflection_is_due_after_five_minutes_of_silence_and_five_messages() -> None:
    assert due(ENOUGH, NOON + 5 * MINUTE, CONFIG)
    assert not due(ENOUGH, NOON + 4.99 * MINUTE, CONFIG)


@pytest.mark.parametrize(
    ("since", "minutes"), [(4, 5), (4, 500), (5, 4), (500, 0), (0, 5)]
)
def test_both_conditions_are_needed(since: int, minutes: int) -> None:
    state = replace(ENOUGH, since=since)

    assert not due(state, NOON + minutes * MINUTE, CONFIG)


def test_nothing_is_due_where_reflections_are_off() -> None:
    off = replace(CONFIG, reflections=False)

    assert not due(ENOUGH, NOON + 60 * MINUTE, off)
    assert due_at(ENOUGH, off) is None


def test_both_numbers_are_settings() -> None:
    quick = replace(CONFIG, idle_minutes=0.5, messages=2)
    state = replace(ENOUGH, since=2)

    assert due(state, NOON + 0.5 * MINUTE, quick)
    assert not due(state, NOON + 0.4 * MINUTE, quick)
    assert not due(replace(state, since=1), NOON + MINUTE, quick)


def test_a_window_nobody_spoke_in_is_never_due() -> None:
    assert not due(WindowState(since=9), NOON, CONFIG)
    assert due_at(WindowState(since=9), CONFIG) is None


def test_it_is_known_beforehand_when_it_will_be_due() -> None:
    assert due_at(ENOUGH, CONFIG) == NOON + 5 * MINUTE
    assert due_at(replace(ENOUGH, since=4), CONFIG) is None


def test_a_clock_that_was_wrong_makes_nobody_wait_for_its_time() -> None:
    assert not due(ENOUGH, NOON - 5 * MINUTE, CONFIG)
    assert due(ENOUGH, NOON - 180 * MINUTE, CONFIG)
    assert not due(replace(ENOUGH, since=4), NOON - 180 * MINUTE, CONFIG)
    assert due(ENOUGH, NOON - MINUTE, replace(CONFIG, idle_minutes=0))


def test_at_the_end_of_time_nothing_breaks() -> None:
    end = datetime.max.replace(tzinfo=UTC)
    state = replace(ENOUGH, heard=end)

    assert due_at(state, CONFIG) == end
    assert not due(state, end, CONFIG)


@given(
    heard=st.datetimes(timezones=st.just(UTC)),
    now=st.datetimes(timezones=st.just(UTC)),
    since=st.integers(0, 10),
)
def test_it_is_due_from_the_moment_foretold_on(
    heard: datetime, now: datetime, since: int
) -> None:
    state = WindowState(since=since, heard=heard)
    foretold = due_at(state, CONFIG)

    if foretold is None:
        assert not due(state, now, CONFIG)
    elif heard <= datetime.max.replace(tzinfo=UTC) - timedelta(minutes=5):
        wrong = heard - now > 5 * MINUTE
        assert due(state, now, CONFIG) == (now >= foretold or wrong)


# --- the timer of a service ----------------------------------------------------


@dataclass
class Alarm:
    """Something set for later."""

    seconds: float
    then: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        """Call it off."""
        self.cancelled = True


@dataclass
class Room:
    """A timer with a clock and alarms that a test moves."""

    now: datetime = NOON
    states: dict[str, WindowState] = field(default_factory=dict)
    alarms: list[Alarm] = field(default_factory=list)
    fired: list[str] = field(default_factory=list)

    def schedule(self, seconds: float, then: Callable[[], None], /) -> Alarm:
        """Note it."""
        self.alarms.append(Alarm(seconds, then))
        return self.alarms[-1]

    def timer(self, config: ConversationConfig = CONFIG) -> IdleTimer:
        """A timer that looks at this clock."""
        return IdleTimer(
            config=config,
            clock=lambda: self.now,
            state=self.states.get,
            fire=self.fired.append,
            schedule=self.schedule,
        )

    def hear(self, timer: IdleTimer, window: str = "trip", since: int = 5) -> None:
        """Let the user of a window speak."""
        self.states[window] = WindowState(last=since, since=since, heard=self.now)
        timer.heard(window, self.states[window])

    def ring(self, alarm: Alarm) -> None:
        """Let the time of an alarm come."""
        self.now += timedelta(seconds=alarm.seconds)
        alarm.then()

    @property
    def pending(self) -> list[Alarm]:
        """What is not called off."""
        return [alarm for alarm in self.alarms if not alarm.cancelled]


def test_the_timer_fires_once_nobody_spoke_for_five_minutes() -> None:
    room = Room()
    room.hear(room.timer())
    (alarm,) = room.alarms

    room.ring(alarm)

    assert alarm.seconds == 300
    assert room.fired == ["trip"]


def test_the_timer_is_reset_by_each_message_of_the_user() -> None:
    room = Room()
    timer = room.timer()
    room.hear(timer)
    room.now += 4 * MINUTE
    room.hear(timer, since=6)

    first, second = room.alarms
    assert first.cancelled
    assert not second.cancelled
    assert second.seconds == 300


def test_a_timer_that_was_reset_does_nothing_even_if_it_rings() -> None:
    room = Room()
    timer = room.timer()
    room.hear(timer)
    first = room.alarms[0]
    room.hear(timer)

    room.now += 5 * MINUTE
    first.then()
    assert room.fired == []

    room.alarms[1].then()
    room.alarms[1].then()
    assert room.fired == ["trip"]


def test_too_few_messages_make_the_timer_ring_for_nothing() -> None:
    room = Room()
    room.hear(room.timer(), since=4)

    room.ring(room.alarms[0])

    assert room.fired == []
    assert len(room.alarms) == 1


def test_the_timer_looks_again_before_it_fires() -> None:
    room = Room()
    room.hear(room.timer())
    room.states["trip"] = replace(room.states["trip"], since=0)

    room.ring(room.alarms[0])

    assert room.fired == []


def test_a_window_that_is_gone_is_not_reflected_on() -> None:
    room = Room()
    room.hear(room.timer())
    room.states.clear()

    room.ring(room.alarms[0])

    assert room.fired == []


def test_who_spoke_in_another_process_is_waited_for() -> None:
    room = Room()
    room.hear(room.timer())
    later_ = NOON + 3 * MINUTE
    room.states["trip"] = replace(room.states["trip"], since=6, heard=later_)

    room.ring(room.alarms[0])
    assert room.fired == []

    room.ring(room.alarms[1])
    assert room.alarms[1].seconds == 180
    assert room.fired == ["trip"]


def test_a_timer_that_rings_a_hair_early_waits_for_the_rest() -> None:
    room = Room()
    room.hear(room.timer())
    room.now += 5 * MINUTE - timedelta(microseconds=1)

    room.alarms[0].then()
    assert room.fired == []

    room.ring(room.alarms[1])
    assert room.alarms[1].seconds == 1
    assert room.fired == ["trip"]


def test_a_message_in_the_moment_of_ringing_sets_the_better_timer() -> None:
    room = Room(now=NOON + MINUTE)

    def spoken_meanwhile(window: str) -> WindowState:
        room.hear(timer, window, since=6)
        return ENOUGH

    timer = IdleTimer(
        config=CONFIG,
        clock=lambda: room.now,
        state=spoken_meanwhile,
        fire=room.fired.append,
        schedule=room.schedule,
    )
    room.hear(timer)
    room.alarms[0].then()

    assert [alarm.seconds for alarm in room.alarms] == [300, 300]
    assert not room.alarms[1].cancelled


def test_windows_have_timers_of_their_own() -> None:
    room = Room()
    timer = room.timer()
    room.hear(timer, "trip")
    room.hear(timer, "work")

    room.ring(room.alarms[1])

    assert room.fired == ["work"]
    assert len(room.pending) == 2


def test_closing_calls_everything_off_for_good() -> None:
    room = Room()
    timer = room.timer()
    room.hear(timer, "trip")
    room.hear(timer, "work")

    timer.close()
    room.ring(room.alarms[0])
    room.hear(timer)

    assert room.pending == []
    assert len(room.alarms) == 2
    assert room.fired == []


def test_no_timer_is_set_where_reflections_are_off() -> None:
    room = Room()
    room.hear(room.timer(replace(CONFIG, reflections=False)))

    assert room.alarms == []


@pytest.mark.parametrize("days", [-4000, -1, 1, 4000])
def test_no_clock_makes_a_timer_wait_longer_or_less_than_nothing(days: int) -> None:
    room = Room()
    timer = room.timer()
    state = replace(ENOUGH, heard=NOON + timedelta(days=days))

    timer.heard("trip", state)

    assert 0 <= room.alarms[0].seconds <= 300


def test_an_alarm_that_rings_while_it_is_set_is_no_deadlock() -> None:
    room = Room()
    room.states["trip"] = ENOUGH
    room.now = NOON + 9 * MINUTE

    def at_once(seconds: float, then: Callable[[], None], /) -> Alarm:
        then()
        return Alarm(seconds, then)

    timer = IdleTimer(
        config=CONFIG,
        clock=lambda: room.now,
        state=room.states.get,
        fire=room.fired.append,
        schedule=at_once,
    )
    timer.heard("trip", ENOUGH)

    assert room.fired == ["trip"]


def test_many_threads_leave_one_timer_a_window() -> None:
    room = Room()
    timer = room.timer()

    def speak() -> None:
        for _ in range(50):
            timer.heard("trip", ENOUGH)

    threads = [threading.Thread(target=speak) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(room.alarms) == 200
    assert len(room.pending) == 1


def test_by_default_a_thread_calls_later_and_can_be_called_off() -> None:
    rung = threading.Event()
    called_off = later(3600, rung.clear)

    later(0, rung.set)

    assert rung.wait(10)
    called_off.cancel()
