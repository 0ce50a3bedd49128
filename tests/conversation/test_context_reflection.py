"""What a mind is asked for a summary, and which one is taken."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conversation.said import pair, say, summed_up, texts, turns

from reverie.config import ConversationConfig
from reverie.conversation.context_reflection import (
    MOST_TOPICS,
    UnfitSummaryError,
    check_summary,
    clean_summary,
    context_text,
    measure,
    summary_question,
)
from reverie.minds.json_answers import ask
from reverie.minds.mind import UnusableAnswerError
from reverie.minds.scripted import ScriptedMind
from reverie.model.conversation import Quality
from reverie.model.items import Role, Turn
from reverie.recall.context_block import CLOSING, OPENING
from reverie.tokens import count_tokens

SUMMARY = """\
We plan the goats' move to Lisbon. Decisions:
- The vet comes on Friday.
- Call Kim before that.

Open: who drives? Ann would like to."""
PROMPT = ConversationConfig().prompt


def check(answer: object) -> str:
    assert isinstance(answer, dict)
    return check_summary(answer, 2000)


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
        "- 2026-02-02 12:01 · user: Where to?",
        "- 2026-02-02 12:01 · assistant: To Lisbon.",
        f"- 2026-02-02 12:02 · asked of you: {PROMPT}",
        "- 2026-02-02 12:02 · your summary: The goats move.",
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
    assert 500 < question.most_tokens <= 600


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
    quality = measure([GOATS, VET, WRONG], {})

    assert (quality.written, quality.deleted) == (3, 1)
    assert (quality.resurrected, quality.useful) == (0, 0)


def test_a_pair_that_comes_back_counts_once_each_time() -> None:
    times = {
        "turn:trip/3/assistant/0": 2,
        "turn:trip/3/system/0": 3,
        "turn:trip/7/system/0": 1,
        "turn:trip/5/assistant/0": 9,
    }

    quality = measure([GOATS, VET, WRONG], times)

    assert (quality.resurrected, quality.useful) == (4, 2)


def test_passages_of_a_long_summary_count_for_it() -> None:
    times = {"turn:trip/3/assistant/0": 1, "turn:trip/3/assistant/4": 2}

    assert measure([GOATS], times).resurrected == 3


def test_a_window_of_a_like_name_is_another_one() -> None:
    assert measure([GOATS], {"turn:trip/33/assistant/0": 1}).resurrected == 0


def test_a_prompt_without_an_answer_is_no_reflection() -> None:
    asked: tuple[Turn, Turn | None] = (GOATS[0], None)
    alone: tuple[Turn, Turn | None] = (GOATS[1], None)

    assert measure([asked], {}).written == 0
    assert measure([alone, (VET[1], VET[0])], {}).written == 2


def test_topics_are_what_most_summaries_are_about() -> None:
    topics = measure([GOATS, VET, WRONG], {}).topics

    assert topics[:2] == (("Lisbon", 2), ("goat", 2))
    assert "Oslo" not in dict(topics)
    assert not {"decided", "where", "The", "We"} & set(dict(topics))


def test_topics_are_few_and_always_the_same() -> None:
    many = [summed_up(n, f"Alpha beta gamma word{n}x topic{n}y") for n in range(1, 30)]

    topics = measure(many, {}).topics

    assert len(topics) == MOST_TOPICS
    assert topics[0] == ("Alpha", 29)
    assert topics == measure(many, {}).topics
