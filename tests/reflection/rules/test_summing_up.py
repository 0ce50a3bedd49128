"""What rules say of a reflection, and what they leave unsaid."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reflection.rules.diary import DIARY
from tests.reflection.rules.labels import (
    Told,
    diary_of,
    knowledge_of,
    page,
    survey_of,
)

from reverie.model.ids import Store
from reverie.model.proposal import Proposal
from reverie.model.reflection import Insight
from reverie.reflection.rules import reflect_by_rules, tell
from reverie.stores.proposal import render_proposal


def told(*episodes: Told) -> Insight:
    """What is said of some episodes."""
    pages = {
        "project--ledger": page("project--ledger"),
        "place--berlin": page("place--berlin"),
        "person--marten": page("person--marten", "Lives in Porto."),
    }
    diary = diary_of(*episodes, pages=pages)
    survey = survey_of(diary)
    return tell(reflect_by_rules(survey, knowledge_of(diary)), survey)


def test_figures_and_themes_make_the_sentence() -> None:
    insight = told(
        Told(2, "09:00", "The Ledger uses Rust."),
        Told(3, "09:00", "The Ledger crashed in Berlin."),
        Told(4, "09:00", "The Ledger was slow."),
        Told(5, "09:00", "It rained in Berlin."),
    )

    assert insight.key == (
        "4 new episodes, mostly about Ledger and Berlin; 1 fact is new."
    )
    assert insight.new_understanding == "New facts about Ledger."


def test_what_cannot_both_hold_is_counted() -> None:
    insight = told(Told(2, "09:00", "Marten moved to Berlin."))

    assert insight.key == "1 new episode; no fact is new; 1 contradiction waits."


def test_a_question_about_somebody_new_is_a_contradiction_and_no_fact() -> None:
    insight = told(
        Told(2, "09:00", "Bruno lives in Leeds."),
        Told(3, "09:00", "Bruno lives in Porto."),
    )

    assert insight.key.endswith("; no fact is new; 1 contradiction waits.")
    assert insight.new_understanding == ""


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1,), ("1 proposal of others waits for you: `reverie pending`.",)),
        ((1, 2), ("2 proposals of others wait for you: `reverie pending`.",)),
        ((), ()),
    ],
)
def test_what_others_propose_is_only_said_to_wait(
    numbers: tuple[int, ...], said: tuple[str, ...]
) -> None:
    diary = diary_of()
    waiting = [
        Proposal(number, "scout", None, "", Store.EPISODIC, "The shop is shut.")
        for number in numbers
    ]
    text = "\n---\n\n".join(map(render_proposal, waiting))
    survey = replace(survey_of(diary), proposals=text)
    found = reflect_by_rules(survey, knowledge_of(diary))

    assert found.operations == ()
    assert found.questions == said


def test_rules_claim_no_mood_no_thread_and_no_inquiry() -> None:
    survey = survey_of(DIARY)
    insight = tell(reflect_by_rules(survey, knowledge_of(DIARY)), survey)

    assert insight.vibe == insight.revised == insight.continues == insight.opens == ""
    assert insight.confirmed == ""
    assert insight.new_understanding.endswith("more.")


def test_quiet_weeks_are_called_quiet() -> None:
    assert told() == Insight(key="No new episodes.")


def test_no_more_than_five_themes_and_each_in_words_that_stand_there() -> None:
    found = reflect_by_rules(survey_of(DIARY), knowledge_of(DIARY))
    said = " ".join(one.text for one in DIARY.told).lower()

    assert len(found.themes) == 5
    assert found.themes[:3] == ("Marten", "Tidepool", "Ledger")
    assert all(theme.lower() in said for theme in found.themes)
