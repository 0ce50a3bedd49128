"""The questions that corrected facts answer."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from tests.reflection.hits import hit
from tests.strategies import names, texts

from reverie.markdown import one_line
from reverie.model.reflection import Expected
from reverie.reflection.corrections import from_correction
from reverie.reflection.trials import found_at


@pytest.mark.parametrize(
    ("label", "fact", "question", "answer"),
    [
        ("Alex", "Lives in Berlin", "Where does Alex live?", "Berlin"),
        ("Alex", "Birthday: March 3", "What is Alex's birthday?", "March 3"),
        ("Apollo", "The deadline is May 5", "What is Apollo's deadline?", "May 5"),
        ("Apollo", "Apollo's deadline is May 5", "What is Apollo's deadline?", "May 5"),
        ("Server", "runs on port 8080", "Which port does Server run on?", "8080"),
        ("Standup", "was moved to Tuesday", "When is Standup?", "Tuesday"),
        ("Alex", "is on the 3rd floor", "What is known about Alex?", None),
        ("Alex", "Likes coffee", "What is known about Alex?", None),
        ("Alex", "no longer lives in Berlin", "What is known about Alex?", None),
        ("Alex", "Wears\n## hats", "What is known about Alex?", "Wears ## hats"),
    ],
)
def test_a_correction_asks_for_what_it_says(
    label: str, fact: str, question: str, answer: str | None
) -> None:
    made = from_correction(label, fact, date(2026, 2, 2), "r-007")

    wanted = fact if answer is None else answer
    assert made == Expected(question, wanted, date(2026, 2, 2), "r-007")


@given(names, texts.filter(bool))
def test_what_a_correction_asks_for_stands_in_its_own_words(
    label: str, fact: str
) -> None:
    made = from_correction(label, fact)

    assert made.question.endswith("?")
    if one_line(made.answer):
        assert found_at(made, [hit(fact, label)]) == 1
