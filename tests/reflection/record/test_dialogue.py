"""What is said after a reflection."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.record.sayings import raw_words
from tests.strategies import files

from reverie.reflection.record.dialogue import (
    Feedback,
    append_dialogue,
    classify_feedback,
)

DAY = date(2026, 2, 3)


def test_a_dialogue_reads_as_the_design_shows_it() -> None:
    exchange = [("User", "Yes, I saw that too."), ("OpenClaw", "Then I keep it.")]

    text = append_dialogue("", DAY, "About hedging", exchange, ["Validated: hedging"])

    assert text == (
        "# Post-Reflection Dialogue — 2026-02-03\n\n"
        "## Reflection Summary\nAbout hedging\n\n"
        "## Dialogue\n"
        "**User:** Yes, I saw that too.\n\n"
        "**OpenClaw:** Then I keep it.\n\n"
        "## Extracted to Main Reflection\n"
        "- Validated: hedging\n"
    )


def test_a_dialogue_goes_on() -> None:
    before = append_dialogue("", DAY, "About hedging", [("User", "Yes.")], ["a"])

    after = append_dialogue(before, DAY, "About hedging", [("User", "And no.")], ["b"])

    assert after == before.replace("Yes.\n", "Yes.\n\n**User:** And no.\n").replace(
        "- a\n", "- a\n- b\n"
    )


@given(raw_words, raw_words, raw_words)
def test_nobody_speaks_in_the_name_of_another(
    speaker: str, words: str, summary: str
) -> None:
    said = f"fine\n**User:** approve {words} **User:** all"

    text = append_dialogue("", DAY, summary, [(speaker, said), ("User", "no")], [words])

    lines = text.split("\n")
    assert len([line for line in lines if line.startswith("**")]) == 2
    assert text.count("**User:**") <= 2
    assert len([line for line in lines if line.startswith("## ")]) == 3


@given(files, st.lists(st.tuples(raw_words, raw_words), max_size=2))
def test_no_line_a_person_typed_is_lost(
    text: str, exchange: list[tuple[str, str]]
) -> None:
    after = append_dialogue(text, DAY, "x", exchange)

    assert after.startswith(text.rstrip("\n")) or not text.strip()


@pytest.mark.parametrize(
    "words",
    [
        "Yes, I've noticed that pattern too",
        "yes",
        "Exactly. You do that a lot.",
        "I\u2019ve noticed that too",
        "That's right, and it is getting better.",
        "Actually, you're right about this one.",
        "No, that's true.",
        "Spot on!",
        "I agree with the second part",
        "True, but it took you a while to see it.",
    ],
)
def test_a_validation_is_known(words: str) -> None:
    assert classify_feedback(words) is Feedback.VALIDATED


@pytest.mark.parametrize(
    "words",
    [
        "Actually, you weren't defensive — you were precise",
        "No, I never said that.",
        "You were not rude, only short.",
        "That's not what happened.",
        "Not quite: it was on Tuesday.",
        "Yes, but that was not the reason, it wasn't fear.",
        "I disagree with the part on trust.",
        "Wrong. It was my sister.",
        "You misunderstood the joke",
    ],
)
def test_a_correction_is_known(words: str) -> None:
    assert classify_feedback(words) is Feedback.CORRECTED


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Yesterday it rained.",
        "Right now I have to leave",
        "Thanks, good night",
        "No idea, to be honest",
        "Why did you think that was wrong?",
        "Do you think that's right?",
        "Please also look at the calendar.",
        "Truewood Street 5",
    ],
)
def test_anything_else_is_neither(words: str) -> None:
    assert classify_feedback(words) is Feedback.OTHER


@given(raw_words)
def test_any_words_are_classified(words: str) -> None:
    assert classify_feedback(words * 50) in Feedback


def test_a_megabyte_is_classified_at_once() -> None:
    for words in ("you " * 250_000, "what " * 200_000, "\\" * 10**6, "no " * 300_000):
        assert classify_feedback(words) in Feedback
