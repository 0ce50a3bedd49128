"""What is retrieved or referred to counts as use, and nothing spoken of fades."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.home import ALEX, NOON, SCORES, Clock, Home
from tests.reflection.dreams import Dream, dreaming, proposed

from reverie import (
    Episodic,
    Memory,
    Procedural,
    Reach,
    Role,
    Semantic,
    SubAgent,
)
from reverie.index import IndexUnavailableError
from reverie.model.ids import page_of
from reverie.session import upkeep
from reverie.session.upkeep import MANY, fading_id
from reverie.workspace import background

if TYPE_CHECKING:
    from pathlib import Path

ZOE = "entity:person--zoe"
BONN = "entity:place--bonn"
PERSON = "entity:person--alex"
EPISODE = "episode:2026-02-02:12:00"


def uses(home: Home, id_: str) -> int:
    """How often a memory was of use after it was written."""
    return home.memory.show(id_).accesses - 1


def told(home: Home, id_: str) -> int:
    """The same as the scores tell it; -1 where they do not know it."""
    entries = json.loads(home.text(SCORES))["entries"]
    return int(entries[id_]["access_count"]) - 1 if id_ in entries else -1


@pytest.fixture
def zoe(home: Home) -> Home:
    """A workspace that knows where Zoe lives."""
    link = (("Lives in", "place--bonn"),)
    home.memory.remember("Is a city", Semantic("Bonn", "place"))
    home.memory.remember("Zoe lives in Bonn.", Semantic("Zoe", "person", links=link))
    return home


# --- a fact or a link that is added ---------------------------------------------


def test_a_fact_told_now_is_found_however_old_its_page_is(home: Home) -> None:
    memory, window = home.memory, home.memory.window("chat")
    memory.remember("Zoe lives in Bonn.", Semantic("Zoe", "person"))
    home.clock.forward(days=60)
    assert window.attend("where does Zoe live?").ids == ()
    home.clock.forward(days=50)
    assert memory.show(ZOE).status == "archived"

    memory.remember("Zoe has a parrot called Polly.", Semantic("Zoe", "person"))

    found = memory.recall("what pet does Zoe have")
    assert any("Polly" in hit.text for hit in found.hits[:2])
    assert "Polly" in window.attend("what pet does Zoe have?").text


def test_it_stays_so_when_the_index_is_lost(home: Home) -> None:
    home.memory.remember("Zoe lives in Bonn.", Semantic("Zoe", "person"))
    home.memory.rebuild()
    home.clock.forward(days=110)
    home.memory.remember("Zoe has a parrot.", Semantic("Zoe", "person"))
    home.memory.close()
    shutil.rmtree(home.root / ".reverie")

    assert home.reopen().show(ZOE).status == "active"


def test_a_fact_counts_for_its_page_and_a_link_for_both(zoe: Home) -> None:
    assert (uses(zoe, ZOE), uses(zoe, BONN)) == (0, 1)

    later = zoe.clock.forward(days=3)
    zoe.memory.remember("Zoe sings.", Semantic("Zoe", "person"))

    assert (uses(zoe, ZOE), uses(zoe, BONN)) == (1, 1)
    assert zoe.memory.show(ZOE).last_accessed == later


def test_what_a_hand_adds_counts_as_well(furnished: Home) -> None:
    link = "\n## Relations\n\n- Visits: [[place--bonn]]\n"
    furnished.memory.remember("Is a city", Semantic("Bonn", "place"))

    furnished.type(ALEX, furnished.text(ALEX) + "- Likes tea\n" + link)

    assert (uses(furnished, PERSON), uses(furnished, BONN)) == (1, 1)


def test_a_step_more_counts_for_a_procedure(furnished: Home) -> None:
    furnished.memory.remember("tell everybody", Procedural("how to deploy"))

    assert uses(furnished, "procedure:how-to-deploy") == 1


def test_what_says_nothing_more_is_no_use(furnished: Home) -> None:
    memory = furnished.memory
    memory.pin(PERSON)
    memory.pin("procedure:how-to-deploy")
    furnished.type(ALEX, furnished.text(ALEX).replace("Pinned", "Pinned "))
    change = memory.remember("Sings", Semantic("Alex", "person"))
    before = uses(furnished, PERSON)
    memory.undo(change.commit)
    memory.undo()

    assert uses(furnished, "procedure:how-to-deploy") == 0
    assert uses(furnished, PERSON) == before == 1


# --- an episode or a turn that names an entity -----------------------------------


def test_an_episode_counts_for_whom_it_names_at_its_own_moment(zoe: Home) -> None:
    zoe.clock.forward(days=10)
    at = zoe.clock() - timedelta(days=4)

    zoe.memory.remember("Met Zoe and zoe's sister.", Episodic(at=at))

    assert uses(zoe, ZOE) == 1
    assert zoe.memory.show(ZOE).last_accessed == at


def test_nothing_is_of_use_in_a_time_to_come(zoe: Home) -> None:
    ahead = zoe.clock() + timedelta(days=30)

    zoe.memory.remember("Zoe will come.", Episodic(at=ahead))

    assert uses(zoe, ZOE) == 1
    assert zoe.memory.show(ZOE).last_accessed == NOON


def test_an_alias_names_too_and_another_word_does_not(home: Home) -> None:
    home.memory.remember("Sings", Semantic("Zoe", "person"))
    page = "memory/graph/entities/person--zoe.md"
    header = "Type: person | Aliases: Zozo Lind"
    named = home.text(page).replace("Type: person", header)
    home.type(page, named)
    home.memory.items()

    home.memory.remember("Zozo Lind came; the zoetrope broke.", Episodic())

    assert uses(home, ZOE) == 1


def test_a_turn_counts_for_whom_it_names_once(zoe: Home) -> None:
    window = zoe.memory.window("chat")
    window.say("Is Zoe there? Zoe is late.")
    window.say("Zoe will come.", role=Role.ASSISTANT)
    window.say("Fine.")

    zoe.memory.recall("unrelated", now=zoe.clock())

    assert uses(zoe, ZOE) == 2


def test_what_is_read_again_is_not_counted_again(zoe: Home) -> None:
    zoe.memory.remember("Met Zoe.", Episodic())
    day = "memory/episodes/2026-02-02.md"
    zoe.type(day, zoe.text(day).replace("Met Zoe.", "Met Zoe again."))
    zoe.memory.rebuild()

    assert uses(zoe, ZOE) == 1


# --- a recall ----------------------------------------------------------------------


def test_an_explicit_recall_counts_for_its_first_hit_alone(furnished: Home) -> None:
    furnished.memory.remember("Another approach was shown.", Episodic())
    first, second, *_ = furnished.memory.recall("which approach was hybrid?").hits

    assert (uses(furnished, first.id), uses(furnished, second.id)) == (1, 0)


def test_automatic_recall_a_given_moment_and_a_sub_agent_count_nothing(
    furnished: Home,
) -> None:
    memory, now = furnished.memory, furnished.clock()
    memory.recall("hybrid approach", reach=Reach.AUTOMATIC)
    memory.recall("hybrid approach", reach=Reach.EVERYTHING)
    memory.recall("hybrid approach", now=now)
    memory.context("hybrid approach")
    agent = SubAgent(furnished.root, "helper", clock=furnished.clock, environ={})
    assert agent.recall("hybrid approach").hits
    agent.close()

    assert uses(furnished, EPISODE) == 0


def test_a_use_that_cannot_be_counted_is_counted_with_the_next(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, noticed = furnished.memory, furnished.memory._session.uses  # noqa: SLF001 - nobody else does
    with Memory(furnished.root, clock=furnished.clock, environ={}) as other:
        other.tidy_on_close = False
        with other._session.index.changing():  # noqa: SLF001 - another is writing
            noticed.note([EPISODE])
        assert uses(furnished, EPISODE) == 0
    noticed.note([EPISODE])
    assert uses(furnished, EPISODE) == 2

    def full(*_: object, **__: object) -> int:
        raise IndexUnavailableError(furnished.root, "disk full")

    monkeypatch.setattr(type(memory._session.index), "count_uses", full)  # noqa: SLF001 - a full disk
    assert memory.recall("hybrid approach").hits


def test_what_faded_is_shown_marked_if_nothing_fits_better_and_comes_back(
    home: Home,
) -> None:
    home.memory.remember("The wombat sleeps in the kitchen.", Episodic())
    home.clock.forward(days=200)

    (first,) = home.memory.recall("wombat").hits
    (again,) = home.memory.recall("wombat", reach=Reach.AUTOMATIC).hits

    assert (first.status, again.status) == ("archived", "active")


def test_what_faded_gives_way_to_what_fits_better(home: Home) -> None:
    home.memory.remember("The wombat sleeps in the kitchen.", Episodic())
    home.clock.forward(days=200)
    home.memory.remember("The wombat sleeps in the hall.", Episodic())

    found = home.memory.recall("where does the wombat sleep?")

    assert [hit.status for hit in found.hits] == ["active"]
    assert found.archived == 1


def test_only_a_decision_hides_for_good(home: Home) -> None:
    home.memory.remember("The wombat sleeps in the kitchen.", Episodic())
    home.memory.forget(home.memory.find_to_forget("wombat").matches)
    home.clock.forward(days=200)

    found = home.memory.recall("wombat")

    assert (found.hits, found.archived) == ((), 1)
    assert uses(home, EPISODE) == 0


# --- an answer ---------------------------------------------------------------------


def test_a_reply_counts_for_what_it_used_of_what_it_was_given(zoe: Home) -> None:
    zoe.memory.remember("The printer jams on Mondays.", Episodic())
    window, message = zoe.memory.window("chat"), "Where does she live, our Zoe?"
    window.say(message)
    assert ZOE in map(page_of, window.attend(message).ids)
    before = uses(zoe, ZOE), uses(zoe, EPISODE)

    window.say("In Bonn, I think.", role=Role.ASSISTANT)

    assert (uses(zoe, ZOE), uses(zoe, EPISODE)) == (before[0] + 1, before[1])


@pytest.mark.parametrize("reply", ["I do not know.", "When does the printer jam?"])
def test_a_reply_that_has_only_the_words_of_the_question_used_nothing(
    home: Home, reply: str
) -> None:
    home.memory.remember("The printer jams on Mondays.", Episodic())
    window, message = home.memory.window("chat"), "When does the printer jam?"
    assert window.attend(message).ids == (EPISODE,)

    window.exchange(message, reply)
    assert uses(home, EPISODE) == 0
    window.attend(message)
    window.exchange(message, "On Mondays.")
    assert uses(home, EPISODE) == 1


def test_what_was_given_in_one_process_is_used_in_another(zoe: Home) -> None:
    zoe.memory.attend("chat", "Where does she live, our Zoe?")
    zoe.reopen()
    zoe.memory.window("chat").say("In Bonn.", role=Role.ASSISTANT)

    assert uses(zoe, ZOE) == 1


def test_a_later_reply_is_not_compared_with_what_was_given_long_ago(zoe: Home) -> None:
    window = zoe.memory.window("chat")
    window.attend("Where does she live, our Zoe?")
    for _ in range(3):
        window.exchange("Hm?", "Well.")

    window.exchange("And the old capital?", "That was Bonn.")

    assert uses(zoe, ZOE) == 0


# --- an approved reflection, and derived memories -----------------------------------


def _dream(home: Home) -> None:
    """A mind that learns one thing of an episode."""
    change = {
        "operation": "EXTRACT",
        "target": ALEX,
        "content": "Ships on Fridays",
        "reason": f"said in {EPISODE}.",
    }
    dream = Dream()
    dream.operations = [change]
    dreaming(home, dream)


def test_an_approved_reflection_counts_for_what_it_draws_from_and_writes_to(
    furnished: Home,
) -> None:
    _dream(furnished)
    standing = proposed(furnished.memory)
    before = uses(furnished, EPISODE), uses(furnished, PERSON)

    furnished.memory.reflection.decide("approve", standing.shown)

    counted = uses(furnished, EPISODE), uses(furnished, PERSON)
    assert before == (0, 0)
    assert counted == (1, 1)
    assert (told(furnished, EPISODE), told(furnished, PERSON)) == (1, 1)


def test_a_rejected_reflection_counts_for_nothing(
    furnished: Home,
) -> None:
    _dream(furnished)
    standing = proposed(furnished.memory)
    furnished.memory.reflection.decide("reject: no", standing.shown)

    assert (uses(furnished, EPISODE), uses(furnished, PERSON)) == (0, 0)


def test_a_reflection_writes_down_what_waits(furnished: Home) -> None:
    furnished.memory.reinforce(["procedure:how-to-deploy"])
    _dream(furnished)
    standing = proposed(furnished.memory)

    furnished.memory.reflection.decide("approve", standing.shown)

    assert told(furnished, "procedure:how-to-deploy") == 1


def test_what_something_is_made_of_was_of_use(furnished: Home) -> None:
    text = "The hybrid approach costs less."
    furnished.memory.remember(text, Episodic(), derived_from=(EPISODE,))

    assert uses(furnished, EPISODE) == 1


# --- written down ------------------------------------------------------------------


def test_the_end_of_a_session_writes_uses_down_and_losing_the_index_loses_none(
    furnished: Home,
) -> None:
    furnished.memory.reinforce([EPISODE])
    furnished.memory.reinforce([EPISODE])
    furnished.memory.tidy_on_close = True
    furnished.memory.close()
    shutil.rmtree(furnished.root / ".reverie")

    assert told(furnished, EPISODE) == 2
    assert furnished.reopen().show(EPISODE).accesses == 3


def test_the_next_change_writes_uses_down_where_it_costs_little(
    furnished: Home,
) -> None:
    furnished.memory.reinforce([EPISODE])
    furnished.memory.reinforce([EPISODE])
    commits = furnished.commits()

    furnished.memory.remember("It rains.", Episodic())

    assert furnished.commits() == commits + 2
    shutil.rmtree(furnished.root / ".reverie")
    assert furnished.reopen().show(EPISODE).accesses == 3


def test_of_very_many_memories_uses_wait_for_more_of_them(home: Home) -> None:
    notes = (f"- Note {number} of the day" for number in range(2 * MANY))
    home.type("notes.md", "\n".join(notes))
    (id_,) = home.memory.remember("It rained.", Episodic()).ids

    written = []
    for number in range(20):
        home.memory.reinforce([id_])
        home.memory.remember(f"Day {number}.", Episodic())
        written.append(told(home, id_))

    assert set(written[:9]) == {-1}
    assert set(written) != {-1}


def test_a_status_that_changes_before_the_first_snapshot_is_logged(
    home: Home,
) -> None:
    home.memory.remember("It rained.", Episodic())
    home.clock.forward(days=40)

    home.memory.tidy_on_close = True
    home.reopen()

    assert any(f"{EPISODE}: active to fading" in line for line in home.log())


def test_leaving_a_conversation_ends_a_session(furnished: Home) -> None:
    furnished.memory.reinforce([EPISODE])
    furnished.memory.window("chat").say("Bye.")

    furnished.memory.leave("chat")

    assert told(furnished, EPISODE) == 1


def test_a_single_command_leaves_them_in_the_journal_until_fifty_wait(
    furnished: Home,
) -> None:
    def once(count: int) -> None:
        memory = Memory(furnished.root, clock=furnished.clock, environ={})
        memory.stays = False
        for _ in range(count):
            memory.reinforce([EPISODE])
        memory.close()

    furnished.memory.rebuild()
    head = furnished.head
    once(1)
    once(MANY - 2)
    assert furnished.head == head
    once(1)

    assert told(furnished, EPISODE) == MANY


def test_a_session_that_goes_on_writes_them_down_in_the_background_where_much_is(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = furnished.memory
    memory.close()
    memory = furnished.memory = Memory(furnished.root, environ={})
    started: list[bool] = []
    begin = lambda _folder, *, ended: started.append(ended)  # noqa: E731 - a stand-in
    monkeypatch.setattr(background, "start_upkeep", begin)

    def written(text: str) -> None:
        memory.recall("hybrid approach", now=furnished.clock())
        memory.remember(text, Episodic())

    memory.rebuild()
    for _ in range(MANY):
        memory.reinforce([EPISODE])
    monkeypatch.setattr(upkeep, "SMALL", 0)
    written("Dry paint.")
    # Where there is much, nobody waits for it.
    assert (told(furnished, EPISODE), started) == (0, [True])
    monkeypatch.undo()
    written("No paint.")

    assert told(furnished, EPISODE) == MANY


def test_uses_survive_taking_back_what_the_scores_said(furnished: Home) -> None:
    pinned = furnished.memory.pin(EPISODE)
    furnished.memory.reinforce([EPISODE])
    furnished.memory.undo(pinned.commit)

    shown = furnished.memory.show(EPISODE)
    assert (shown.accesses, shown.pinned) == (2, False)


def test_a_use_survives_a_kill(furnished: Home, tmp_path: Path) -> None:
    root, told_ = furnished.root, tmp_path / "told"
    furnished.memory.close()
    code = (
        "import os, pathlib, signal\n"
        "from reverie import Memory\n"
        f"memory = Memory({str(root)!r})\n"
        "assert memory.recall('hybrid approach').hits\n"
        f"pathlib.Path({str(told_)!r}).touch()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ})

    assert (done.returncode, told_.exists()) == (-signal.SIGKILL, True)
    assert furnished.reopen().show(EPISODE).accesses == 2


@settings(max_examples=6, deadline=None)
@given(
    steps=st.lists(
        st.sampled_from(["look", "name", "fact", "close", "lose", "tidy"]), max_size=12
    )
)
def test_no_use_that_was_written_is_ever_lost(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = Home(tmp_path_factory.mktemp("uses") / "agent", Clock())
    home.memory.remember("Sings", Semantic("Zoe", "person"))
    home.memory.rebuild()
    kept = most = 0
    for number, step in enumerate(steps):
        home.clock.forward(hours=7)
        match step:
            case "look":
                home.memory.recall("sings")
            case "name":
                home.memory.remember(f"Zoe, visit {number}.", Episodic())
            case "fact":
                home.memory.remember(f"Fact {number}", Semantic("Zoe", "person"))
            case "tidy":
                home.memory.tidy()
            case "close":
                home.memory.tidy_on_close = True
                home.reopen()
            case _:
                home.memory.close()
                shutil.rmtree(home.root / ".reverie")
                home.reopen()
        now = uses(home, ZOE)
        assert now >= (kept if step == "lose" else most)
        most = now
        kept = max(kept, told(home, ZOE))
    home.memory.close()


def test_the_id_of_a_fact_stands_for_its_page() -> None:
    assert fading_id("person--zoe#3f2a9c") == ZOE
    assert fading_id("entity:person--zoe#3f2a9c") == ZOE
    assert fading_id(EPISODE) == EPISODE
