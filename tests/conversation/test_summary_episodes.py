"""A conversation of which nothing was stored is read by reflections as an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.talks import SUMMARY, offered, summed_up, talked, thoughtful
from tests.reflection.dreams import Dream, dreaming, proposed

from reverie import Memory, Role, Store

if TYPE_CHECKING:
    from tests.memory.home import Home

DAY = "memory/episodes/2026-02-02.md"


def summaries(home: Home) -> list[str]:
    """The headings of episodes that were made of a summary."""
    if not (home.root / DAY).exists():
        return []
    lines = home.text(DAY).split("\n")
    return [line for line in lines if "source:conversation" in line]


def test_the_summary_is_an_episode_that_cites_its_turns(home: Home) -> None:
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    (heading,) = summaries(home)

    assert "from:turn:rome/6/assistant/0" in heading
    assert "turns:rome/1-5" in heading
    assert home.text(DAY).count(SUMMARY) == 1


def test_a_summary_that_the_agent_wrote_is_an_episode_too(home: Home) -> None:
    window = talked(home.memory)
    offered(window.reflect())

    window.note("We spoke about a journey.")

    assert len(summaries(home)) == 1


def test_the_second_summary_cites_only_later_turns(home: Home) -> None:
    memory, _ = thoughtful(home)
    window = talked(memory)
    summed_up(window)
    home.clock.forward(hours=1)
    talked(memory)
    summed_up(window)

    assert "turns:rome/7-11" in summaries(home)[-1]


def test_what_was_stored_in_the_conversation_is_not_stored_twice(home: Home) -> None:
    memory, _ = thoughtful(home)
    window = talked(memory)
    memory.observe([{"text": "The journey is by night train."}])

    summed_up(window)

    assert not any(SUMMARY in each.text for each in memory.items(Store.EPISODIC))


def test_what_another_conversation_stored_does_not_count(home: Home) -> None:
    memory, _ = thoughtful(home)
    other = talked(memory, "work")
    window = talked(memory)
    other.note("Work.", observations=[{"text": "The report is due.", "turn": 1}])

    summed_up(window)

    assert any(SUMMARY in each.text for each in memory.items(Store.EPISODIC))


def test_a_write_before_the_conversation_does_not_count(home: Home) -> None:
    memory, _ = thoughtful(home)
    memory.observe([{"text": "The report is due."}])
    home.clock.forward(hours=1)

    summed_up(talked(memory))

    assert any(SUMMARY in each.text for each in memory.items(Store.EPISODIC))


@pytest.fixture
def told(home: Home) -> Memory:
    """A workspace with one summary and its episode."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))
    assert episode_ids(memory)
    return memory


def episode_ids(memory: Memory) -> list[str]:
    items = memory.items(Store.EPISODIC)
    return [each.id for each in items if "tortoise" in each.text]


def test_deleting_the_summary_deletes_the_episode_until_undone(told: Memory) -> None:
    done = told.window("rome").delete(6)
    assert episode_ids(told) == []
    assert told.reflection.status().waiting == 0

    told.undo(done.commit)

    assert len(episode_ids(told)) == 1


def test_undoing_the_summary_takes_the_episode_back(home: Home, told: Memory) -> None:
    told.undo(home.head)

    assert episode_ids(told) == []
    assert summaries(home) == []


def test_editing_the_summary_edits_the_episode(home: Home, told: Memory) -> None:
    told.window("rome").edit(
        6, "The neighbour feeds the tortoise.", role=Role.ASSISTANT
    )

    assert SUMMARY not in home.text(DAY)
    assert "The neighbour feeds the tortoise." in home.text(DAY)
    assert len(episode_ids(told)) == 1


@pytest.mark.parametrize("erased", ["turn:rome/6/assistant/0", "turn:rome/3/user/0"])
def test_erasing_reaches_the_episode(home: Home, told: Memory, erased: str) -> None:
    told.erase(erased)

    assert episode_ids(told) == []
    assert summaries(home) == []


def test_a_reflection_reads_the_episode_and_no_turn(home: Home, told: Memory) -> None:
    told.close()
    dream = Dream([])
    proposed(dreaming(home, dream))

    shown = dream.asked[0].text
    assert SUMMARY in shown
    assert "Ninety euros" not in shown
