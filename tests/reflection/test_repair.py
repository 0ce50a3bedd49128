"""The repair step: only refused items are asked about, and repaired ones count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reflection.dreams import Dream, Proposal

from reverie import Episodic, Semantic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.memory.home import Home

ANN = "memory/graph/entities/person--ann.md"
QUESTION = "Is [[person--anna|Anna]] her  sister?"


@pytest.fixture
def home(home: Home) -> Home:
    home.memory.remember("Likes tea.", Semantic("Ann", "person"))
    home.memory.remember("Keeps bees.", Semantic("Bob", "person"))
    page = home.text(ANN).rstrip() + f"\n\n## Open Questions\n- {QUESTION}\n"
    home.type(ANN, page)
    home.memory.remember("Anna is the sister of Ann.", Episodic())
    return home


def answering(question: str) -> dict[str, str]:
    return {"question": question, "answer": "Anna is her sister", "page": "person--ann"}


def test_an_answer_needs_no_link_markup_to_name_its_question(home: Home) -> None:
    answer = answering("is Anna her sister?")
    waiting = Proposal(home, Dream([], {"consolidate": {"answers": [answer]}}))

    waiting.decide("approve 1")

    page = home.text(ANN)
    assert "- Anna is her sister" in page
    assert "her  sister?" not in page


def test_the_answer_to_a_question_about_two_pages_is_no_fact_without_links(
    home: Home,
) -> None:
    home.type(ANN, home.text(ANN) + "- Is this the same as [[person--bob]]?\n")
    answer = {**answering("Is this the same as person--bob?"), "answer": "No"}
    waiting = Proposal(home, Dream([], {"consolidate": {"answers": [answer]}}))

    pending, _ = waiting.memory.reflection.pending()
    assert "EXTRACT" not in {str(one.kind) for one in pending.operations}
    assert any("`distinct`" in each.why for each in pending.refused)


def test_a_repaired_answer_is_not_listed_as_left_out(home: Home) -> None:
    wrong, right = answering("Is she her cousin?"), answering("Is Anna her sister?")
    more: dict[str, Mapping[str, object]] = {
        "consolidate": {"answers": [wrong]},
        "mend": {"answers": [right]},
    }
    waiting = Proposal(home, Dream([], more))

    pending, _ = waiting.memory.reflection.pending()
    assert "Anna is her sister" in pending.operations[0].content
    assert [each for each in pending.refused if "EXTRACT" in each.what] == []


def test_an_answer_that_is_not_repaired_is_listed_as_left_out(home: Home) -> None:
    wrong = answering("Is she her cousin?")
    waiting = Proposal(home, Dream([], {"consolidate": {"answers": [wrong]}}))

    pending, _ = waiting.memory.reflection.pending()
    left_out = [each for each in pending.refused if "EXTRACT" in each.what]
    assert len(left_out) == 1
    assert "does not ask" in left_out[0].why


def test_the_repair_step_shows_only_pages_of_what_was_refused(home: Home) -> None:
    wrong = answering("Is she her cousin?")
    waiting = Proposal(home, Dream([], {"consolidate": {"answers": [wrong]}}))

    (asked,) = (q for q in waiting.dream.asked if q.operation == "reflect-mend")
    assert "Likes tea." in asked.text
    assert "Keeps bees." not in asked.text
