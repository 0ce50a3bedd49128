"""The questions that corrected facts answer."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from tests.reflection.hits import hit
from tests.strategies import names, texts

from reverie.markdown import one_line
from reverie.model.reflection import Expected
from reverie.reflection.corrections import from_correction
from reverie.reflection.trials import found_at


def test_a_correction_asks_for_what_it_says() -> None:
    made = from_correction("Alex", "Wears\n## hats", date(2026, 2, 2), "r-007")

    question = "What is known about Alex?"
    assert made == Expected(question, "Wears ## hats", date(2026, 2, 2), "r-007")


@given(names, texts.filter(bool))
def test_what_a_correction_asks_for_stands_in_its_own_words(
    label: str, fact: str
) -> None:
    made = from_correction(label, fact)

    assert made.question.endswith("?")
    if one_line(made.answer):
        assert found_at(made, [hit(fact, label)]) == 1
