"""An event that is stored as an episode and as facts is told once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reverie import Episodic, Memory, Origin, Semantic
from reverie.model.change import MAIN, REMEMBER

if TYPE_CHECKING:
    from pathlib import Path

EVENT = "Ida started as a pilot at the harbour in Lisbon"
FACT = "Works as a pilot at the harbour"
SAME = "Ida started as a pilot at the harbour"
IDA = Semantic("person--ida", "person")
QUESTION = "Where is Ida a pilot?"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    clock = datetime(2026, 2, 2, 12, tzinfo=UTC)
    return Memory.init(tmp_path / "agent", clock=lambda: clock)


def store(memory: Memory, text: str, place: Episodic | Semantic) -> str:
    done = memory.remember(text, place, actor=REMEMBER, origin=Origin.AGENT)
    return (done.fact and f"entity:{done.fact}") or done.ids[0]


def told(memory: Memory) -> list[str]:
    """Return how often the event is told, in each context."""
    blocks = [
        memory.context(QUESTION),
        memory.window("other").attend(QUESTION).text,
        memory.wake("other").text,
    ]
    return [line for text in blocks for line in text.split("\n") if "pilot" in line]


@pytest.mark.parametrize("first", ["episode", "fact"])
def test_an_episode_and_its_fact_are_linked_and_told_once(
    memory: Memory, first: str
) -> None:
    both: list[tuple[str, Episodic | Semantic]] = [(EVENT, Episodic()), (SAME, IDA)]
    ids = [
        store(memory, *each) for each in (both if first == "episode" else both[::-1])
    ]

    found = {hit.id: hit.basis for hit in memory.recall(QUESTION).hits}
    assert ids[0] in found[ids[1]]
    assert len(told(memory)) == 3


def test_other_events_are_not_linked(memory: Memory) -> None:
    store(memory, "Ida visited the harbour", Episodic())
    fact = store(memory, FACT, IDA)

    found = {hit.id: hit.basis for hit in memory.recall(QUESTION).hits}
    assert found[fact] == ()


def test_a_fact_does_not_cite_an_episode_of_others(memory: Memory) -> None:
    memory.remember(EVENT, Episodic(), origin=Origin.TOOL, actor=MAIN)
    fact = store(memory, SAME, IDA)

    found = {hit.id: hit.basis for hit in memory.recall(QUESTION).hits}
    assert found[fact] == ()


def test_what_a_message_asks_to_remember_is_told_once_with_the_agent_s_fact(
    memory: Memory,
) -> None:
    message = "Please remember that Ida started as a pilot at the harbour."
    [kept] = memory.hear(message, window="chat").remembered
    memory.window("chat").say(message)
    fact = store(memory, SAME, IDA)

    found = {hit.id: hit for hit in memory.recall(QUESTION).hits}
    assert {*kept.ids} & {*found[fact].basis}
    assert found[fact].origin is Origin.OWNER
    lines = [line for line in memory.context(QUESTION).split("\n") if "pilot" in line]
    assert len([line for line in lines if " user: " not in line]) == 1
