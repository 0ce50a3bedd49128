"""Which questions want the newest word, and what that does to the order."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import NOON
from tests.recall.scenes import hit_of, talk, texts

from reverie import Actor
from reverie.recall.question import wants_present

if TYPE_CHECKING:
    from tests.memory.home import Home

OLD = "My commute to work takes 30 minutes."
NEW = "Since the bridge is closed, my commute to work takes 45 minutes by bus."


def test_a_question_tells_whether_it_is_about_the_present() -> None:
    for question, present in [
        ("How long is my commute?", True),
        ("Where do I live now?", True),
        ("What is my current job?", True),
        ("How many cups do I own?", True),
        ("my latest address", True),
        ("What is the price of the roof?", True),
        ("When did I move?", False),
        ("What was my previous address?", False),
        ("Where did I live before?", False),
        ("How many days did we walk?", False),
        ("In which order did we visit the towns?", False),
        ("What is different between the two roofs?", False),
        ("Is my commute long?", False),
        ("Can you recommend a book that is short?", False),
        ("What was my original plan?", False),
        ("green curtains", False),
        ("", False),
    ]:
        assert wants_present(question) is present


@pytest.fixture
def commuting(home: Home) -> Home:
    """Ann told of her commute twice."""
    month = timedelta(days=30)
    home.memory.take_in(
        [
            talk("first", OLD, "Nice.", start=NOON - 2 * month),
            talk("second", NEW, "Oh.", start=NOON - month),
            talk("third", "I fed the sardines.", "Ok.", start=NOON - month),
        ]
    )
    return home


def test_for_how_it_is_the_newer_statement_stands_above_the_older(
    commuting: Home,
) -> None:
    found = commuting.memory.recall("How long is my commute to work?")

    assert texts(found)[:2] == [NEW, OLD]


def test_for_how_it_was_the_better_match_stands_above(commuting: Home) -> None:
    for question in [
        "What was my previous commute to work?",
        "When did I commute to work?",
        "commute to work",
    ]:
        found = commuting.memory.recall(question)

        assert texts(found)[:2] == [OLD, NEW]


def test_what_was_told_later_on_another_matter_overtakes_nothing(
    commuting: Home,
) -> None:
    other = "My walk to the lake takes 20 minutes."
    commuting.memory.take_in([talk("fourth", other, "Lovely.")])

    found = commuting.memory.recall("How long is my commute to work?")

    assert texts(found)[:2] == [NEW, OLD]


def test_both_statements_stay_and_say_when_they_were_made(commuting: Home) -> None:
    found = commuting.memory.recall("How long is my commute to work?")

    new = hit_of(found, "turn:test-second/1/user/0")
    old = hit_of(found, "turn:test-first/1/user/0")
    assert new.at is not None
    assert old.at is not None
    assert new.at - old.at == timedelta(days=30)


@pytest.mark.parametrize(
    ("between", "order"), [(2, [OLD, NEW]), (12, [NEW, OLD])], ids=["soon", "later"]
)
def test_in_one_conversation_some_turns_must_lie_between(
    home: Home, between: int, order: list[str]
) -> None:
    filling = [f"Well, number {n}." for n in range(between - 1)]
    home.memory.take_in([talk("one", OLD, *filling, NEW, "Oh.")])

    found = home.memory.recall("How long is my commute to work?")

    assert [text for text in texts(found) if text in {OLD, NEW}] == order


def test_of_two_facts_that_differ_only_in_time_the_newer_comes_first(
    home: Home,
) -> None:
    """Both are stored in the same minute, and only the older one was used since."""
    noticed = Actor("bot:auto-detect")
    older = home.memory.remember("Kestrel is due on December 15.", actor=noticed)
    home.memory.remember("Kestrel is due on January 20.", actor=noticed)
    home.memory.reinforce(older.ids)

    found = home.memory.recall("Kestrel")

    assert texts(found)[:2] == [
        "Kestrel is due on January 20.",
        "Kestrel is due on December 15.",
    ]
