"""Sentences that say several things, each apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import stays_linear

from reverie.reflection.rules.parting import MOST_CLAUSES, clauses, plain


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (
            "Ida is the cook and lives in Porto.",
            ("Ida is the cook.", "Ida lives in Porto."),
        ),
        (
            "Dan Ode is the boss, and he is colour-blind.",
            ("Dan Ode is the boss.", "Dan Ode is colour-blind."),
        ),
        (
            "I work at Holt but live in Leeds.",
            ("I work at Holt.", "I live in Leeds."),
        ),
        ("Ida likes tea and cakes.", ("Ida likes tea and cakes.",)),
        ("Ida and Dan live in Porto.", ("Ida and Dan live in Porto.",)),
        ("Ida lives in Porto.", ("Ida lives in Porto.",)),
    ],
)
def test_what_is_said_of_one_subject_is_told_apart(
    said: str, parts: tuple[str, ...]
) -> None:
    assert clauses(said) == parts


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Ida has 3 cats, Dan had counted wrong.", "Ida has 3 cats"),
        ("I was wrong, Ida has 3 cats.", "Ida has 3 cats."),
        ("It turns out that Ida has 3 cats.", "Ida has 3 cats."),
        ("Ida moved to Rome yesterday.", "Ida moved to Rome."),
        ("Ida has been living in Rome since last week.", "Ida is living in Rome."),
        ("Ida quit her job at Holt.", "Ida no longer works at Holt."),
        ("The Barn has a budget of 400 euros.", "The Barn's budget is 400 euros."),
        ("There are 4 cooks in the Barn.", "the Barn has 4 cooks."),
        ("Ida's new phone number is 555-0100.", "Ida's phone number is 555-0100."),
    ],
)
def test_a_claim_is_read_without_what_happened_to_it(said: str, claim: str) -> None:
    assert plain(said) == claim


WORDS = ["Ida", "and", "but", "lives", "is", "wrong,", "she", "in", "Rome.", "has", "3"]


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_text_has_some_parts_and_never_too_many(said: str) -> None:
    assert 1 <= len(clauses(said)) <= MOST_CLAUSES
    assert clauses(plain(said))


@pytest.mark.timing
@pytest.mark.parametrize("piece", [" and lives", ", wrong", " has a b of", "There are"])
def test_four_times_the_text_takes_four_times_as_long_at_most(piece: str) -> None:
    assert stays_linear(lambda text: clauses(plain(f"Ida{text}")), piece)
