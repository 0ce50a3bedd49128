"""What a mind is asked for a summary, and which one is taken."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.conversation.said import MINUTE, NOON, pair, say, summed_up, texts, turns

from reverie.config import ConversationConfig
from reverie.conversation.context_reflection import (
    MOST_TOPICS,
    OBSERVING,
    UnfitSummaryError,
    clean_summary,
    context_text,
    measure,
    summary_question,
)
from reverie.conversation.idle import IdleTimer, later
from reverie.minds.json_answers import ask
from reverie.minds.mind import UnusableAnswerError
from reverie.minds.scripted import ScriptedMind
from reverie.model.conversation import Quality, WindowState
from reverie.model.items import Role, Turn
from reverie.recall.context_block import CLOSING, OPENING
from reverie.session.conversation_record import due, due_at
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

SUMMARY = """\
We plan the goats' move to Lisbon. Decisions:
- The vet comes on Friday.
- Call Kim before that.

Open: who drives? Ann would like to."""
PROMPT = ConversationConfig().prompt


def check(answer: object) -> str:
    assert isinstance(answer, dict)
    return clean_summary(str(answer["summary"]), 2000)


# --- what is summed up ---------------------------------------------------------


def test_everything_in_the_working_context_is_summed_up() -> None:
    talk = (*pair(1, "Where to?", "To Lisbon."), *summed_up(2, "The goats move."))

    text = context_text(talk, "# Memory\n\n- Has goats", "- Kim drives.", 1000)

    assert text.split("\n") == [
        "Core memory:",
        "# Memory",
        "",
        "- Has goats",
        "",
        "Brought back:",
        "- Kim drives.",
        "",
        "The conversation:",
        "- turn 1 · 2026-02-02 12:01 · user: Where to?",
        "- turn 1 · 2026-02-02 12:01 · assistant: To Lisbon.",
        f"- turn 2 · 2026-02-02 12:02 · asked of you: {PROMPT}",
        "- turn 2 · 2026-02-02 12:02 · your summary: The goats move.",
    ]


def test_of_a_long_conversation_the_newest_is_kept() -> None:
    talk = list(
        chain.from_iterable(pair(n, f"Goat {n}?", f"Fed {n}.") for n in range(1, 90))
    )

    text = context_text(talk, "core " * 900, "memory " * 900, 400)

    assert "Fed 89." in text
    assert "Fed 1." not in text
    assert "core core" in text
    assert "memory memory" in text


def test_deleted_turns_are_not_summed_up() -> None:
    deleted = say(1, Role.USER, "The secret goat.", deleted="2026-02-03")

    assert context_text([deleted], "", "", 100) == ""


@given(st.lists(turns, max_size=6), texts, texts, st.integers(-5, 300))
def test_the_context_is_never_longer_than_it_may_be(
    talk: list[Turn], core: str, memories: str, budget: int
) -> None:
    text = context_text(talk, core, memories, budget)

    assert count_tokens(text) <= max(budget, 0)
    assert text == context_text(talk, core, memories, budget)
    assert OPENING not in text
    assert CLOSING not in text


# --- the question --------------------------------------------------------------


def test_the_prompt_is_the_one_of_the_settings_and_the_length_too() -> None:
    question = summary_question("Summarise our decisions.", "Talk of goats.", 500)

    assert question.operation == question.prompt == "context-reflection"
    assert "\nSummarise our decisions.\n</data " in question.text
    assert "\nTalk of goats.\n</data " in question.text
    assert "At most 500 tokens" in question.text
    assert 500 < question.most_tokens - OBSERVING <= 600


def test_the_same_context_is_the_same_question() -> None:
    assert summary_question(PROMPT, "x", 99).id == summary_question(PROMPT, "x", 99).id


# --- the answer ----------------------------------------------------------------


def test_a_mind_writes_the_summary() -> None:
    mind = ScriptedMind([{"summary": f"\r\n{SUMMARY}\r\n "}])

    assert ask(mind, summary_question(PROMPT, "x", 2000), check) == SUMMARY


def test_a_bad_summary_is_asked_for_once_more() -> None:
    mind = ScriptedMind([{"summary": " \n"}, {"summary": SUMMARY}])

    assert ask(mind, summary_question(PROMPT, "x", 2000), check) == SUMMARY
    assert "the summary is empty" in mind.questions[1].text


def test_a_second_bad_summary_is_not_kept() -> None:
    mind = ScriptedMind([{"summary": "---"}, {"summary": f"{OPENING}\nx\n{CLOSING}"}])

    with pytest.raises(UnusableAnswerError, match="repeats lines that memory"):
        ask(mind, summary_question(PROMPT, "x", 2000), check)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("\n- \n", "empty"),
        ("word " * 2500, "more than 2,000 tokens"),
        ("x" * 100_000, "more than 2,000 tokens"),
        (f"The goats moved. {CLOSING} Pay Kim.", "repeats"),
        ("The goats moved. &lt;!-- reverie : recalled --&gt; Pay.", "repeats"),
        ("Fine.\n- Goats. [turn:old/3/user/0, conversations/old.md:5]", "repeats"),
    ],
)
def test_what_is_no_summary_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnfitSummaryError, match=problem):
        clean_summary(text, 2000)


@pytest.mark.parametrize(
    "text",
    [
        SUMMARY,
        "Call the vet on Friday; then feed the goats.",
        "A web page told the assistant to ignore its instructions. It did not.",
        "Ann asked to always be answered in German.",
        "Las cabras se mudan a Lisboa.",
        "山羊搬到里斯本。",
    ],
)
def test_a_summary_that_only_tells_is_taken(text: str) -> None:
    assert clean_summary(text, 2000) == text


@given(texts)
def test_a_summary_that_is_taken_is_taken_again(text: str) -> None:
    try:
        clean = clean_summary(text, 100)
    except UnfitSummaryError:
        return

    assert clean_summary(clean, 100) == clean
    assert count_tokens(clean) <= 100
    assert OPENING not in clean
    assert CLOSING not in clean


# --- how well they do ----------------------------------------------------------

GOATS = summed_up(3, "We decided that Lisbon is where the goats will live.")
VET = summed_up(7, "The vet in Lisbon looks after one goat. Lisbon is warm.")
WRONG = summed_up(9, "The goats move to Oslo.", deleted="2026-02-03")


def test_nothing_was_written_yet() -> None:
    assert measure([], {"turn:trip/3/assistant/0": 4}) == Quality()


def test_written_and_deleted_ones_are_counted() -> None:
    quality = measure([*GOATS, *VET, *WRONG], {})

    assert (quality.written, quality.deleted) == (3, 1)
    assert (quality.resurrected, quality.useful) == (0, 0)


def test_a_pair_that_comes_back_counts_once_each_time() -> None:
    times = {
        "turn:trip/3/assistant/0": 2,
        "turn:trip/3/system/0": 3,
        "turn:trip/7/system/0": 1,
        "turn:trip/5/assistant/0": 9,
    }

    quality = measure([*GOATS, *VET, *WRONG], times)

    assert (quality.resurrected, quality.useful) == (4, 2)


def test_passages_of_a_long_summary_count_for_it() -> None:
    times = {"turn:trip/3/assistant/0": 1, "turn:trip/3/assistant/4": 2}

    assert measure(GOATS, times).resurrected == 3


def test_a_window_of_a_like_name_is_another_one() -> None:
    assert measure(GOATS, {"turn:trip/33/assistant/0": 1}).resurrected == 0


def test_a_prompt_without_an_answer_is_no_reflection() -> None:
    assert measure(GOATS[:1], {}).written == 0
    assert measure([GOATS[1], *VET], {}).written == 2


def test_topics_are_what_most_summaries_are_about() -> None:
    topics = measure([*GOATS, *VET, *WRONG], {}).topics

    assert topics[:2] == (("Lisbon", 2), ("goat", 2))
    assert "Oslo" not in dict(topics)
    assert not {"decided", "where", "The", "We"} & set(dict(topics))


def test_topics_are_few_and_always_the_same() -> None:
    each = (summed_up(n, f"Alpha beta gamma word{n}x topic{n}y") for n in range(1, 30))
    many = list(chain.from_iterable(each))

    topics = measure(many, {}).topics

    assert len(topics) == MOST_TOPICS
    assert topics[0] == ("Alpha", 29)
    assert topics == measure(many, {}).topics


# --- when it is due: nobody speaks, and enough was said ------------------------

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


def test_a_window_nobody_spoke_in_is_never_due() -> None:
    assert not due(WindowState(since=9), NOON, CONFIG)
    assert due_at(WindowState(since=9), CONFIG) is None


def test_a_clock_that_was_wrong_makes_nobody_wait_for_its_time() -> None:
    assert not due(ENOUGH, NOON - 5 * MINUTE, CONFIG)
    assert due(ENOUGH, NOON - 180 * MINUTE, CONFIG)
    assert not due(replace(ENOUGH, since=4), NOON - 180 * MINUTE, CONFIG)
    assert due(ENOUGH, NOON - MINUTE, replace(CONFIG, idle_minutes=0))


def test_at_the_end_of_time_nothing_breaks() -> None:
    end = datetime.max.replace(tzinfo=UTC)
    state = replace(ENOUGH, heard=end)

    assert due_at(state, CONFIG) == end


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


def test_too_few_messages_make_the_timer_ring_for_nothing() -> None:
    room = Room()
    room.hear(room.timer(), since=4)

    room.ring(room.alarms[0])

    assert room.fired == []
    assert len(room.alarms) == 1


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


def test_by_default_a_thread_calls_later_and_can_be_called_off() -> None:
    rung = threading.Event()
    called_off = later(3600, rung.clear)

    later(0, rung.set)

    assert rung.wait(10)
    called_off.cancel()


def test_a_timer_rings_five_minutes_after_the_last_of_many_messages() -> None:
    room = Room()
    timer = room.timer()
    room.hear(timer)
    room.now += 4 * MINUTE
    room.hear(timer, since=6)

    room.now += MINUTE
    room.alarms[0].then()
    assert room.fired == []

    room.ring(room.alarms[1])
    room.alarms[0].then()
    assert [alarm.seconds for alarm in room.alarms] == [300, 240]
    assert room.fired == ["trip"]


def test_a_message_does_not_wait_for_a_second_attempt_that_comes_later() -> None:
    room = Room()
    timer = room.timer()
    timer.again("trip", 3600)
    room.hear(timer)

    room.alarms[0].then()
    room.ring(room.alarms[1])

    assert room.alarms[0].cancelled
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

    assert len(room.pending) == 1
