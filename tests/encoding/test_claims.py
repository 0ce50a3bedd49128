"""Contradictions without a model: found where they are plain, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.claim_pairs import AGAINST, BESIDE
from tests.strategies import texts

from reverie.encoding.claims import claim_of, claims_of, contradicts

MISSED = {
    ("The drive takes 40 minutes.", "The drive takes an hour and 20 minutes."),
    ("Sam switched to Fennel.", "Sam works at Initrode."),
    ("I drink my coffee black.", "I drink my coffee with milk."),
}
"""Contradictions the rules do not see."""

statements = st.sampled_from(sorted({text for pair in AGAINST for text in pair}))


@pytest.mark.parametrize(("new", "old"), [p for p in AGAINST if p not in MISSED])
def test_two_statements_that_cannot_both_hold_are_noticed(new: str, old: str) -> None:
    assert contradicts(new, old)
    assert contradicts(old, new)


@pytest.mark.parametrize(("new", "old"), sorted(MISSED))
def test_what_is_too_hard_is_left_alone(new: str, old: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(("new", "old"), BESIDE)
def test_two_statements_that_can_both_hold_are_left_alone(new: str, old: str) -> None:
    assert contradicts(new, old) == ""
    assert contradicts(old, new) == ""


@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        (
            "The deadline of the project is March 30.",
            "The project deadline is March 15.",
            "the deadline of the project: March 15 before, March 30 now",
        ),
        (
            "I moved to Porto.",
            "I live in Ghent.",
            "the user lives in: Ghent before, Porto now",
        ),
        (
            "Atlas no longer uses Redis.",
            "Atlas uses Redis.",
            "Atlas uses Redis: yes before, no now",
        ),
        (
            "My favourite colour is green.",
            "My favorite color is teal.",
            "the user's favourite colour: teal before, green now",
        ),
        (
            "The meeting is on Friday.",
            "The meeting is on Tuesday.",
            "the meeting is on: Tuesday before, Friday now",
        ),
        (
            "The shop is closed.",
            "The shop is open.",
            "the shop is: open before, closed now",
        ),
    ],
)
def test_a_contradiction_is_told_in_plain_words(
    new: str, old: str, reason: str
) -> None:
    assert contradicts(new, old) == reason


def test_a_claim_is_a_subject_an_attribute_and_a_value() -> None:
    claim = claim_of("The deadline of the project is March 15.")

    assert claim is not None
    assert (claim.subject, claim.attribute) == (("project",), "deadline")
    assert claim.value.parts == {"date": (None, 3, 15)}
    assert (claim.negated, claim.single) == (False, True)


def test_a_claim_may_be_denied() -> None:
    claim = claim_of("I'm not allergic to nuts.")

    assert claim is not None
    assert claim.subject == ("user",)
    assert claim.negated


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "Is the deadline March 15?",
        "Sam thinks the deadline is March 15.",
        "The deadline was March 15.",
        "If the deadline is March 15, we are late.",
        "She lives in Berlin.",
        "Ich wohne in Berlin.",
    ],
)
def test_what_is_not_stated_plainly_claims_nothing(text: str) -> None:
    assert claim_of(text) is None


def test_every_sentence_of_a_text_may_claim_something() -> None:
    told = "Hi! Alex lives in Berlin. The demo is on Friday."

    assert [claim.attribute for claim in claims_of(told)] == ["lives in", "is on"]
    assert contradicts("Good news. The demo is on Monday.", told)


@given(texts | st.text() | statements)
def test_no_text_speaks_against_itself(text: str) -> None:
    assert contradicts(text, text) == ""


@given(texts | statements, texts | statements)
def test_what_speaks_against_another_is_spoken_against_by_it(
    one: str, other: str
) -> None:
    assert bool(contradicts(one, other)) is bool(contradicts(other, one))


@given(statements, statements)
def test_marks_at_the_end_and_capital_letters_change_nothing(
    one: str, other: str
) -> None:
    plain = contradicts(one, other)

    assert bool(contradicts(f" {one.rstrip('.')}!", other)) is bool(plain)


@pytest.mark.parametrize(
    "piece", ["a ", "is ", "the x of ", "1 ", "March ", "not ", " "]
)
def test_a_megabyte_of_nonsense_claims_nothing_at_once(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))

    assert contradicts(text, "Alex lives in Berlin.") == ""
    assert contradicts(text, text) == ""
