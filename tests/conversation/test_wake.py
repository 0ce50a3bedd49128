"""What an agent is told when it wakes and for a message; what leaves, what is due."""

from __future__ import annotations

import contextlib
import errno
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import instrumented
from tests.crash.test_disk_errors import Failing
from tests.memory.home import CORE, agrees
from tests.memory.talks import (
    PROMPT,
    ROME,
    SUMMARY,
    Timers,
    offered,
    summed_up,
    talked,
    thoughtful,
    typed,
)

from reverie import Block, Core, Episodic, Memory
from reverie.conversation.sitting import Sittings
from reverie.conversation.window import AlreadyReflectedError
from reverie.encoding.gate import OnlyRecalledError
from reverie.errors import ConflictError, RefusedError
from reverie.memory.schedule import watch
from reverie.minds.http import ServerError
from reverie.model.change import Actor, OnlyHumansError
from reverie.model.conversation import Cause
from reverie.model.items import Role
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.home import Home

    from reverie.minds.mind import Question

TORTOISE = "Who feeds the tortoise while we are away?"
SUMMARISED = "turn:rome/6/assistant/0"


def again(home: Home, **environ: str) -> Memory:
    """A second handle, while the first one is open."""
    memory = Memory(home.root, clock=home.clock, environ=environ, human=agrees)
    memory.tidy_on_close = False
    return memory


def write_core(memory: Memory, text: str) -> None:
    memory.remember(text, Core(Block.CONTEXT))


# --- core memory -----------------------------------------------------------------


def test_core_memory_is_the_same_bytes_all_through_a_session(home: Home) -> None:
    memory = home.memory
    write_core(memory, "Working on: the journey")
    first = memory.wake("rome")
    assert "Working on: the journey" in first.core

    write_core(memory, "Waiting for: the tickets")
    home.type(CORE, home.text(CORE).replace("the journey", "the garden"))
    home.clock.forward(minutes=30)
    second = memory.wake("rome")
    with again(home) as other:
        third = other.wake("rome")

    assert first.core == second.core == third.core
    assert second.text.startswith(first.core)
    assert "the tickets" in second.changes
    assert second.changes == third.changes


def test_a_change_is_told_once_for_a_message_and_whole_to_who_wakes(home: Home) -> None:
    memory = home.memory
    memory.wake("rome")
    write_core(memory, "Waiting for: the tickets")

    told = memory.attend("rome", "Hello?")
    again_ = memory.attend("rome", "Hello once more?")
    write_core(memory, "Bought: a suitcase")
    more = memory.attend("rome", "And now?")
    awake = memory.wake("rome")

    assert "the tickets" in told.changes
    assert again_.changes == ""
    assert "a suitcase" in more.changes
    assert "the tickets" not in more.changes
    assert "the tickets" in awake.changes
    assert "a suitcase" in awake.changes
    assert memory.attend("rome", "Good.").changes == ""


def test_a_session_begins_anew_after_an_hour_of_silence(home: Home) -> None:
    memory = home.memory
    first = memory.wake("rome")
    write_core(memory, "Waiting for: the tickets")
    for _ in range(3):
        home.clock.forward(minutes=50)
        memory.window("rome").say("Still here.")
    home.clock.forward(minutes=60)
    assert memory.wake("rome").core == first.core

    home.clock.forward(minutes=61)
    later = memory.wake("rome")

    assert "the tickets" in later.core
    assert later.changes == ""


def test_a_session_can_be_begun_and_ends_as_configured(home: Home) -> None:
    memory = home.reopen(REVERIE_CONVERSATION_SESSION_MINUTES="2")
    memory.wake("rome")
    write_core(memory, "Waiting for: the tickets")

    assert "the tickets" in memory.wake("rome", new=True).core

    write_core(memory, "Bought: a suitcase")
    home.clock.forward(minutes=3)
    assert "a suitcase" in memory.wake("rome").core


def test_a_window_of_its_own_has_a_session_of_its_own(home: Home) -> None:
    memory = home.memory
    memory.wake("rome")
    write_core(memory, "Waiting for: the tickets")

    other = memory.wake("work")

    assert "the tickets" in other.core
    assert other.changes == ""


# --- room ------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [200, 300, 700, 6_000])
def test_who_wakes_is_told_no_more_than_fits(home: Home, budget: int) -> None:
    memory = home.memory
    write_core(memory, "Working on: the journey")
    memory.wake("rome")
    write_core(memory, "Waiting for: " + "tickets and trains " * 20)
    home.type("SOUL.md", "# Soul\n")
    talked(memory, "earlier")
    window = talked(memory)
    window.say("Where is the river, and is the room in Trastevere? " * 30)

    awake = memory.wake("rome", budget=budget)

    assert awake.tokens == count_tokens(awake.text) <= budget
    assert awake.core
    assert awake.left_out + len(awake.recent) == 11


def test_a_message_brings_no_more_than_fits(home: Home) -> None:
    memory = home.memory
    talked(memory)
    for budget in (100, 160, 1_000):
        attended = memory.attend("other", "The room in Trastevere?", budget=budget)
        assert attended.tokens == count_tokens(attended.text) <= budget
    assert attended.ids


def test_the_newest_turns_are_told_first(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    for number in range(30):
        window.exchange(f"Question {number}?", f"Answer {number}. " + "and on " * 20)

    awake = memory.wake("rome", budget=900)

    assert "Answer 29." in awake.turns
    assert "Question 29?" in awake.turns
    assert "Answer 3." not in awake.turns
    assert awake.left_out > 30
    assert awake.recent[-1] == "turn:rome/35/assistant/0"


# --- coming back -----------------------------------------------------------------


def test_what_comes_back_comes_with_the_other_half_of_its_pair(home: Home) -> None:
    memory = home.memory
    talked(memory)
    memory.window("later").say("How many lemon trees are in the garden?")

    awake = memory.wake("later")
    attended = memory.attend("third", "How many lemon trees are in the garden?")

    pair = {"turn:rome/4/user/0", "turn:rome/4/assistant/0"}
    assert pair <= set(awake.resurrected)
    assert all(text in awake.turns for text in ROME[3])
    assert all(text in attended.memories for text in ROME[3])


def test_what_the_agent_sees_anyway_is_not_told_again(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    memory.wake("rome")

    assert memory.attend("rome", "The lemon trees?").ids == ()
    for number in range(60):
        window.exchange(f"Question {number}?", "Yes.")
    memory.wake("rome", budget=250)
    assert "turn:rome/4/assistant/0" in memory.attend("rome", "The lemon trees?").ids


def test_nobody_who_did_not_ask_is_told_that_nothing_was_found(home: Home) -> None:
    memory = home.memory
    talked(memory)
    memory.wake("rome")

    assert memory.attend("rome", "The two lemon trees?").text == ""
    assert memory.attend("rome", "Quantum entanglement?").text == ""


def test_how_often_summaries_came_back_survives_losing_the_index(home: Home) -> None:
    memory, _ = thoughtful(home)
    summed_up(talked(memory))
    for name in ("a", "b"):
        memory.attend(name, TORTOISE)
    memory.attend("c", "We planted lemon trees in the garden.")
    index = memory._session.index  # noqa: SLF001 - tests look behind the door
    counts = index.resurrected()
    assert counts[SUMMARISED] == 2
    assert all("/6/" in id_ for id_ in counts)

    memory.rebuild()
    assert index.resurrected() == counts

    memory.close()
    shutil.rmtree(home.root / ".reverie")
    memory = home.reopen()
    memory.attend("d", TORTOISE)
    fresh = memory._session.index.resurrected()  # noqa: SLF001 - as above
    assert fresh[SUMMARISED] == 3


def test_a_deleted_summary_is_not_summed_up_again(home: Home) -> None:
    memory, mind = thoughtful(home)
    summed_up(talked(memory))
    memory.window("later").say(TORTOISE)
    assert SUMMARISED in memory.wake("later").resurrected
    memory.window("rome").delete(6)

    summed_up(memory.window("later"))
    summed_up(memory.window("rome"))

    assert all("Open: who feeds" not in each.text for each in mind.questions)
    assert SUMMARISED not in memory.wake("later").resurrected


def test_a_template_that_nobody_filled_in_is_not_summed_up(home: Home) -> None:
    memory, mind = thoughtful(home)
    summed_up(talked(memory))
    home.type(CORE, "\ufeff" + home.text(CORE).replace("## ", "- Alone: [name]\n## "))
    write_core(memory, "Working on: the journey")
    summed_up(talked(memory, "later"))

    first, second = (question.text for question in mind.questions)
    assert "Core memory:" not in first
    assert "- Working on: the journey" in second
    assert "[name]" not in second
    assert "\ufeff" not in second


def test_what_was_brought_back_is_summed_up_too(home: Home) -> None:
    memory, mind = thoughtful(home)
    write_core(memory, "Working on: the journey")
    talked(memory)
    memory.window("later").say("How many lemon trees are in the garden?")
    memory.wake("later")

    summed_up(memory.window("later"))

    asked = mind.questions[0].text
    assert ROME[3][1] in asked
    assert "Working on: the journey" in asked


# --- never learned again ---------------------------------------------------------


def test_what_is_injected_is_never_learned_again(home: Home) -> None:
    memory = home.memory
    write_core(memory, "Remember that the tortoise is called Emil")
    talked(memory)
    memory.window("later").say("How many lemon trees are in the garden?")
    home.type("SOUL.md", "# Soul\n")
    awake = memory.wake("later")
    attended = memory.attend("third", "How many lemon trees are in the garden?")
    head = home.head

    for block in (awake.text, attended.text, f"{awake.text}\n{attended.text}"):
        with pytest.raises(OnlyRecalledError):
            memory.remember(block)
        with pytest.raises(OnlyRecalledError):
            memory.remember(block, Episodic())
        with pytest.raises(OnlyRecalledError):
            memory.window("later").say(block)
        assert memory.hear(block).triggers == ()
    assert home.head == head

    said = memory.window("later").say(f"{awake.text}\nAnd how old are they?")
    assert said.text == "And how old are they?"
    with_block = memory.attend("fourth", f"{awake.text}\nQuantum entanglement?")
    assert with_block.ids == ()


# --- news ------------------------------------------------------------------------


def test_who_wakes_hears_of_alerts_proposals_and_a_reflection_that_is_due(
    home: Home,
) -> None:
    memory = home.memory
    home.type("SOUL.md", "# Soul\n")
    memory.remember("Chose the night train.", Episodic())
    with memory.acting_as("scout") as scout:
        scout.propose("Prefers the aisle seat.")
    memory.check()
    home.clock.forward(days=2)

    news = memory.wake("rome").news

    assert "SOUL.md was changed on 2026-02-02" in news
    assert "Waiting for a yes: 1." in news
    assert "- #1 into semantic, by " in news
    assert "scout (words of sub-agent): \u201cPrefers the aisle seat.\u201d" in news
    assert "`reverie reflect`" in news
    assert memory.attend("rome", "Hello?").text.count("SOUL.md") == 0


def test_who_wakes_in_a_quiet_house_hears_no_news(home: Home) -> None:
    talked(home.memory)

    assert home.memory.wake("rome").news == ""


# --- due -------------------------------------------------------------------------


def test_without_a_model_the_agent_is_offered_the_prompt_and_hands_it_in(
    home: Home,
) -> None:
    memory = home.memory
    window = talked(memory)
    assert memory.wake("rome").offer is None
    home.clock.forward(minutes=5)

    offer = offered(memory.wake("rome").offer)
    assert (offer.window, offer.cause, offer.prompt) == ("rome", Cause.IDLE, PROMPT)
    assert PROMPT in memory.wake("rome").news
    assert offered(memory.attend("rome", "Hm?").offer) == offer
    assert memory.idle() == (offer,)
    done = window.note(SUMMARY)

    assert (done.prompt.text, done.summary.text) == (PROMPT, SUMMARY)
    assert done.summary.field("reflection") == "idle"
    assert memory.wake("rome").offer is None
    assert memory.idle() == ()
    assert not window.due()


def test_what_is_no_summary_is_not_taken(home: Home) -> None:
    memory = home.memory
    with pytest.raises(RefusedError, match="nothing was said"):
        memory.window("empty").note(SUMMARY)
    with pytest.raises(RefusedError, match="nothing was said"):
        memory.window("empty").reflect()
    window = talked(memory)
    awake = memory.wake("rome").text

    for bad in ("…", "a " * 9_000):
        with pytest.raises(RefusedError, match="not taken"):
            window.note(bad)
    with pytest.raises(OnlyRecalledError):
        window.note(awake)

    assert len(window.turns()) == 10


def test_who_comes_back_after_the_pause_still_owes_a_summary(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    home.clock.forward(minutes=20)
    window.say("Here I am again.")
    window.say("Welcome.", role=Role.ASSISTANT)

    assert window.due()
    with again(home) as other:
        assert offered(other.attend("rome", "Anything new?").offer).window == "rome"
        assert [view.due for view in other.windows()] == [True]
        other.window("rome").note(SUMMARY)

    assert not window.due()
    assert memory.attend("rome", "And now?").offer is None


def test_a_mind_at_hand_sums_up_before_the_next_message_is_recorded(
    home: Home,
) -> None:
    memory, mind = thoughtful(home)
    window = talked(memory)
    home.clock.forward(minutes=20)

    window.say("Here I am again.")

    assert [turn.text for turn in window.turns(3)] == [
        PROMPT,
        SUMMARY,
        "Here I am again.",
    ]
    assert "Here I am again." not in mind.questions[0].text


def test_a_mind_that_fails_costs_nobody_a_message(home: Home) -> None:
    memory, mind = thoughtful(home, ["what?"] * 9)
    window = talked(memory)
    home.clock.forward(minutes=20)

    said = window.say("Here I am again.")

    assert mind.questions
    assert window.turns()[-1] == said
    assert len(window.turns()) == 11
    assert [view.reflecting for view in memory.windows()] == [False]


# --- pruning ---------------------------------------------------------------------


def test_what_has_least_to_do_with_the_talk_leaves_and_is_summed_up_first(
    home: Home,
) -> None:
    memory, mind = thoughtful(home)
    window = talked(memory)
    window.exchange("Tell me of the weather.", "Mild.")
    window.exchange("And the sea?", "Calm.")

    pruned = window.prune(60, message="Which lemon trees are in the garden?")

    numbers = [turn.number for turn in pruned.gone]
    assert numbers
    assert 4 not in numbers
    assert {6, 7}.isdisjoint(numbers)
    assert numbers == sorted(numbers)
    assert all(numbers.count(number) == 2 for number in numbers)
    assert pruned.tokens <= 60
    assert pruned.offer is None
    assert pruned.reflected
    assert pruned.reflected.summary.field("reflection") == "pruning"
    assert pruned.reflected.prompt.text.startswith("Summarize the chunks about to be")
    asked = mind.questions[0].text
    assert all(turn.text in asked for turn in pruned.gone)
    assert "lemon trees" not in asked
    assert window.turns()[-1] == pruned.reflected.summary
    assert len(window.turns()) == 16


def test_without_a_model_the_summary_of_what_leaves_is_offered(home: Home) -> None:
    window = talked(home.memory)

    pruned = window.prune(40)

    offer = offered(pruned.offer)
    assert offer.cause is Cause.PRUNING
    assert all(turn.text in offer.about for turn in pruned.gone)
    done = window.note(SUMMARY, cause=Cause.PRUNING)
    assert done.prompt.text == offer.prompt
    assert done.summary.field("reflection") == "pruning"


def test_nothing_is_summed_up_where_all_of_it_fits_or_nobody_wants_it(
    home: Home,
) -> None:
    memory, mind = thoughtful(home, REVERIE_CONVERSATION_BEFORE_PRUNING="false")
    window = talked(memory)

    assert window.prune(10_000).gone == ()
    assert window.prune(40).gone
    assert memory.window("empty").prune(50).kept == ()
    assert mind.questions == []


# --- timers ----------------------------------------------------------------------


def test_the_timer_rings_for_five_messages_and_five_minutes_and_once(
    home: Home,
) -> None:
    memory, mind = thoughtful(home)
    timers = Timers(home.clock)
    told: list[str] = []

    with watch(memory, told=told.append, schedule=timers):
        window = talked(memory, pairs=ROME[:4])
        timers.forward(minutes=5)
        assert (told, timers.running) == ([], [])
        window.exchange(*ROME[4])
        timers.forward(minutes=4, seconds=59)
        assert told == []
        timers.forward(seconds=1)
        assert told == ["rome", "rome"]
        timers.forward(minutes=60)
        window.say("Thanks.", role=Role.ASSISTANT)
        timers.forward(minutes=60)

    assert len(mind.questions) == 1
    assert window.turns()[-2].text == SUMMARY


def test_the_timer_waits_on_if_another_process_heard_the_user(home: Home) -> None:
    memory, mind = thoughtful(home)
    timers = Timers(home.clock)

    with watch(memory, schedule=timers), again(home) as other:
        talked(memory)
        timers.forward(minutes=3)
        other.window("rome").say("One more thing.")
        timers.forward(minutes=2)
        assert mind.questions == []
        assert timers.running == [180]
        timers.forward(minutes=3)

    assert len(mind.questions) == 1


def test_while_one_sums_up_nobody_else_does(home: Home) -> None:
    refused: list[str] = []

    def meanwhile(_: Question) -> dict[str, str]:
        with memory.again() as other:
            other.tidy_on_close = False
            with pytest.raises(ConflictError, match="being written") as error:
                other.window("rome").reflect(cause=Cause.IDLE)
            refused.append(error.value.advice)
            other.attend("rome", "And the river?")  # what is told keeps the claim
            with pytest.raises(ConflictError, match="being written"):
                other.window("rome").reflect()
        return {"summary": SUMMARY}

    memory, mind = thoughtful(home, meanwhile)
    summed_up(talked(memory))

    assert len(mind.questions) == 1
    assert refused


def test_who_died_while_summing_up_keeps_a_window_only_for_a_while(home: Home) -> None:
    memory, _ = thoughtful(home)
    window = talked(memory)
    lasts = timedelta(seconds=3 * memory.config.mind.timeout_seconds)
    memory._talk.sittings.claim("rome")  # noqa: SLF001 - and dies

    with pytest.raises(ConflictError, match="being written"):
        window.reflect()
    home.clock.now += lasts
    assert summed_up(window).summary.text == SUMMARY


def test_two_timers_of_one_window_write_one_summary(home: Home) -> None:
    memory, mind = thoughtful(home)
    first, second = Timers(home.clock), Timers(home.clock)
    with memory.again() as other:
        other.tidy_on_close = False
        with watch(memory, schedule=first), watch(other, schedule=second):
            talked(memory, pairs=ROME[:3])
            talked(other, pairs=ROME[3:])
            first.forward(minutes=5)
            second.forward(seconds=0)

    assert len(mind.questions) == 1
    assert memory.windows()[0].reflections == 1


def test_who_finds_it_done_by_the_time_of_its_turn_writes_no_second_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, mind = thoughtful(home)
    window = talked(memory)
    home.clock.forward(minutes=5)
    real = Sittings.claim

    def overtaken(sittings: Sittings, name: str) -> bool:
        monkeypatch.undo()
        window.reflect(cause=Cause.IDLE)
        return real(sittings, name)

    monkeypatch.setattr(Sittings, "claim", overtaken)
    with memory.again() as other:
        other.tidy_on_close = False
        with pytest.raises(AlreadyReflectedError):
            other.window("rome").reflect(cause=Cause.IDLE)

    assert len(mind.questions) == 1
    assert [(v.reflections, v.reflecting) for v in memory.windows()] == [(1, False)]


class _Timers(Timers):
    """Timers that keep quiet about what goes wrong when they ring, as a thread does."""

    def forward(self, **by: float) -> None:
        with contextlib.suppress(ZeroDivisionError):
            super().forward(**by)


def test_a_summary_that_failed_is_tried_again_after_pauses_that_grow(
    home: Home,
) -> None:
    bad: list[object] = ["what?"]

    def answer(_: Question) -> dict[str, str]:
        if bad:
            reason = "the server is down"
            raise ServerError(reason, hint="Start it.")
        return {"summary": SUMMARY}

    memory, mind = thoughtful(home, answer)
    timers = Timers(home.clock)
    told: list[str] = []

    with watch(memory, told=told.append, schedule=timers):
        window = talked(memory)
        timers.forward(minutes=5)
        pauses = list(timers.running)
        for _ in range(7):
            timers.forward(seconds=timers.running[0])
            pauses += timers.running
        assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600]
        bad.clear()
        timers.forward(minutes=60)
        assert timers.running == []

    assert window.turns()[-1].text == SUMMARY
    assert len(told) == 2 * 9
    assert mind.questions


def test_a_fault_of_a_mind_is_told_to_be_over_and_tried_again(home: Home) -> None:
    def faulty(_: Question) -> dict[str, str]:
        raise ZeroDivisionError

    memory, _ = thoughtful(home, faulty)
    timers = _Timers(home.clock)
    told: list[str] = []

    with watch(memory, told=told.append, schedule=timers):
        talked(memory)
        timers.forward(minutes=5)

        assert told == ["rome", "rome"]
        assert timers.running == [60]


def test_a_service_that_starts_sees_to_what_was_said_before(home: Home) -> None:
    memory, mind = thoughtful(home)
    talked(memory)
    talked(memory, "vienna")
    talked(memory, "short", pairs=ROME[:2])
    home.clock.forward(minutes=3)
    timers = Timers(home.clock)

    with watch(memory, schedule=timers):
        assert timers.running == [120, 120]
        timers.forward(minutes=2)
    assert len(mind.questions) == 2

    talked(memory)
    talked(memory, "vienna")
    home.clock.forward(days=2)
    with watch(memory, schedule=timers):
        assert timers.running == [0, 1]
        timers.forward(seconds=1)
    assert len(mind.questions) == 4


# --- at the next call --------------------------------------------------------------


@pytest.mark.parametrize("call", ["wake", "attend"])
def test_a_mind_at_hand_sums_up_before_an_agent_is_told_anything(
    home: Home, call: str
) -> None:
    memory, mind = thoughtful(home)
    window = talked(memory)
    home.clock.forward(minutes=20)

    if call == "wake":
        assert SUMMARY in memory.wake("rome").turns
    else:
        memory.attend("rome", "Here I am again.")

    assert window.turns()[-1].text == SUMMARY
    assert len(mind.questions) == 1
    memory.wake("rome")
    assert len(mind.questions) == 1


def test_a_model_elsewhere_is_asked_by_one_process_at_a_time(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    begin = lambda folder, **_: started.append(folder.root)  # noqa: E731 - a stand-in
    monkeypatch.setattr("reverie.conversation.window.start_upkeep", begin)
    monkeypatch.setattr("reverie.memory.memory.now_in_utc", home.clock)
    memory = home.agreed(
        REVERIE_MIND_KIND="api",
        REVERIE_MIND_URL="http://127.0.0.1:9/v1",
        REVERIE_MIND_MODEL="tiny",
    )
    window = talked(memory)
    memory.tidy_on_close = True
    memory.wake("rome")
    assert started == []
    home.clock.forward(minutes=5)

    memory.wake("rome")
    memory.attend("rome", "Here I am again.")
    window.say("Here I am again.")
    assert started == [home.root]
    assert window.due()
    home.clock.forward(minutes=1)
    memory.attend("rome", "And now?")
    assert started == [home.root] * 2

    memory.tidy_on_close = False
    home.clock.forward(minutes=6)
    memory.attend("rome", "And at last?")
    assert started == [home.root] * 2
    assert window.due()


def test_a_mind_that_fails_is_not_asked_at_every_call(home: Home) -> None:
    def unreachable(_: Question) -> dict[str, str]:
        reason = "the server is down"
        raise ServerError(reason, hint="Start it.")

    memory, mind = thoughtful(home, unreachable)
    window = talked(memory)
    home.clock.forward(minutes=5)
    memory.wake("rome")
    asked = len(mind.questions)

    memory.attend("rome", "And now?")
    window.say("And now?")

    assert asked == len(mind.questions) > 0
    assert window.due()
    home.clock.forward(minutes=1)
    memory.wake("rome")
    assert len(mind.questions) == 2 * asked


# --- what is kept of a session -----------------------------------------------------


def test_what_another_process_notes_of_a_window_is_kept(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    memory.wake("rome")
    home.clock.forward(minutes=20)
    sittings = memory._talk.sittings  # noqa: SLF001 - tests look behind the door

    with again(home) as other:
        mine, theirs = memory.window("rome"), other.window("rome")
        before = mine._sitting("")  # noqa: SLF001
        theirs.say("Here I am again.")
        mine._note(before, ("turn:x/1/user/0",), "")  # noqa: SLF001
        assert theirs.due()
        stale = mine._sitting("")  # noqa: SLF001
        assert stale.owed
        theirs.note(SUMMARY)
        mine._note(stale, ("turn:x/2/user/0",), "")  # noqa: SLF001

    assert not window.due()
    kept = sittings.load("rome")
    assert kept
    assert not kept.owed
    assert {"turn:x/1/user/0", "turn:x/2/user/0"} <= set(kept.brought)


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_where_nothing_can_be_written_an_agent_is_told_all_the_same(
    home: Home, number: int
) -> None:
    memory, _ = thoughtful(home)
    summed_up(talked(memory))
    write_core(memory, "Working on: the journey")
    memory.window("later").say(TORTOISE)
    memory.close()

    with instrumented(Failing(1, number, lasting=True).points):
        memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
        first = memory.wake("later")
        second = memory.wake("later")
        attended = memory.attend("third", TORTOISE)
    home.memory = memory

    assert "Working on: the journey" in first.core
    assert first.core == second.core
    assert SUMMARISED in first.resurrected
    assert SUMMARISED in attended.ids
    told = [each for each in memory.warnings if "is not kept for the next" in each]
    assert len(told) == 1


@pytest.mark.parametrize("budget", [0, -5])
def test_no_budget_at_all_is_refused(home: Home, budget: int) -> None:
    window = talked(home.memory)

    for call in (
        lambda: window.wake(budget=budget),
        lambda: window.attend("Hm?", budget=budget),
        lambda: window.prune(budget),
    ):
        with pytest.raises(RefusedError, match="room for nothing") as error:
            call()
        assert error.value.advice


def test_what_a_window_is_called_is_told_where_its_file_says_so(home: Home) -> None:
    talked(home.memory)
    told = "\n<!-- Title: To Rome | Origin: chatgpt:x -->\n"
    home.type(
        "conversations/old.md",
        f"# old — Conversation\n{told}\n## 2026-01-02 10:00:00 | user | turn:1\nHi.\n",
    )
    home.memory.check()

    titles = {view.name: view.title for view in home.memory.windows()}

    assert titles == {"rome": "", "old": "To Rome"}
    assert "To Rome" in typed(home, "window")


def test_an_agent_that_may_not_correct_a_turn_is_told_who_may(home: Home) -> None:
    window = talked(home.memory)

    with pytest.raises(OnlyHumansError) as error:
        window.edit(1, "Elsewhere.", actor=Actor("bot:main"))

    assert "correct what was said" in error.value.advice


# --- what is asked again -----------------------------------------------------------


def test_a_question_that_was_asked_before_does_not_hide_the_answer(home: Home) -> None:
    memory = home.memory
    memory.remember("The badger lives below the shed.")
    memory.window("rome").say("Where does the badger live?")

    here = memory.attend("rome", "Where does the badger live?")
    elsewhere = memory.attend("garden", "Where does the badger live?")

    assert "below the shed" in here.memories
    assert "Where does" not in here.memories
    assert "below the shed" in elsewhere.memories


def test_what_was_pruned_can_come_back_in_the_same_session(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    memory.wake("rome")
    first = window.turns()[0].text
    assert memory.attend("rome", first).ids == ()

    gone = window.prune(20, message="something else altogether").gone
    back = memory.attend("rome", first)

    assert first in [turn.text for turn in gone]
    assert "turn:rome/1/assistant/0" in back.ids


def test_what_stays_in_sight_behind_a_gap_does_not_come_back(home: Home) -> None:
    memory = home.memory
    window = talked(memory)
    memory.wake("rome")
    garden = ROME[3][0]

    pruned = window.prune(40, message=garden)
    gone = {turn.number for turn in pruned.gone}
    kept = {turn.number for turn in pruned.kept}

    assert 4 in kept
    assert max(gone) > 1
    for number, (question, _) in enumerate(ROME, 1):
        back = {id_.split("/")[1] for id_ in memory.attend("rome", question).ids}
        assert back.isdisjoint(map(str, kept))
        assert (str(number) in back) is (number in gone)
    memory.wake("rome", new=True)
    assert memory.attend("rome", ROME[0][0]).ids == ()
