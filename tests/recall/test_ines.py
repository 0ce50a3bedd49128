"""What is found for questions about a made-up life, and what is said to be sure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Clock, Home
from tests.recall.ines import LIFE, QUESTIONS

from reverie import Episodic, Role, Semantic
from reverie.recall import search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.recall.ines import Asked

MONDAY = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
NOT_FIRST = {
    # In other words or another language than the answer: the built-in table of words
    # does not lead there.
    "what is my name",
    "what's my job",
    "where do I work",
    "where do I live",
    "am I allergic to anything",
}


@pytest.fixture(scope="module")
def ines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """The workspace of Ines, with the vectors of the built-in table."""
    clock = Clock(MONDAY)
    home = Home(tmp_path_factory.mktemp("ines") / "memory", clock)
    for told in sorted(LIFE, key=lambda told: -told.days):
        clock.now = MONDAY - timedelta(days=told.days)
        if told.about == "turn":
            home.memory.window("talk").say(told.text, role=Role.USER, at=clock.now)
        elif told.about == "episode":
            home.memory.remember(told.text, Episodic(at=clock.now))
        elif told.about:
            home.memory.remember(told.text, Semantic(told.about, "person"))
        else:
            home.memory.remember(told.text)
    clock.now = MONDAY
    home.memory.embed(sentences=False)
    yield home
    home.memory.close()


@pytest.fixture(autouse=True)
def _coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask without the model of sentences, which is not installed everywhere."""
    monkeypatch.setattr(search.MemorySearch, "finer", lambda _: None)


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.text)
def test_a_question_about_a_life_is_answered_by_what_was_told(
    ines: Home, asked: Asked
) -> None:
    found = ines.memory.recall(asked.text, now=MONDAY)

    if asked.answer and asked.text not in NOT_FIRST:
        assert asked.answer in found.hits[0].text
    if asked.sure != "?" and asked.text not in NOT_FIRST:
        assert found.sure is (asked.sure == "yes")


@pytest.mark.parametrize("question", sorted(NOT_FIRST))
def test_a_question_about_oneself_finds_nobody_elses_facts_first(
    ines: Home, question: str
) -> None:
    found = ines.memory.recall(question, now=MONDAY)

    assert found.hits[0].id.startswith("entity:person--user#")
    assert not found.sure
