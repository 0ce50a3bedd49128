"""Keys that texts of nearly the same words have in common."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from reverie.index.near_duplicates import BANDS, sketch, sketches
from reverie.model.items import Entity, Fact, Role, Statement, Turn

WORDS = [f"word{n}x" for n in range(400)]


def alike(one: list[str], other: list[str]) -> bool:
    return bool(set(sketch(" ".join(one))) & set(sketch(" ".join(other))))


def test_texts_of_nearly_the_same_words_share_a_key() -> None:
    chance = random.Random(1)  # noqa: S311 - the same pairs every time
    found = 0
    for _ in range(300):
        one = chance.sample(WORDS, 10)
        found += alike(one, one[:9])

    assert found >= 290


def test_unrelated_texts_hardly_ever_share_a_key() -> None:
    chance = random.Random(2)  # noqa: S311 - the same pairs every time
    pairs = [(chance.sample(WORDS, 10), chance.sample(WORDS, 10)) for _ in range(500)]

    assert sum(alike(one, other) for one, other in pairs) <= 5


@given(st.text())
def test_a_text_has_all_keys_or_none_and_the_same_ones_again(text: str) -> None:
    assert len(sketch(text)) in {0, BANDS + 1}
    assert sketch(text) == sketch(text)


def test_case_and_small_words_make_no_difference() -> None:
    assert sketch("The user prefers dark mode!") == sketch("user PREFERS the dark mode")


def test_keys_are_the_same_in_another_process() -> None:
    module = "reverie.index.near_duplicates"
    code = f"from {module} import sketch; print(sketch('dark mode'))"
    command = [sys.executable, "-c", code]
    other = subprocess.run(command, capture_output=True, text=True, check=True)

    assert other.stdout.strip() == str(sketch("dark mode"))


def test_a_fact_states_what_it_says_of_its_page_and_that_what_was_forgotten() -> None:
    gone = Fact("Lived in Rome.", forgotten=date(2026, 2, 2))
    entity = Entity("person", "alex", "Alex", facts=(Fact("Lives in Berlin."), gone))
    fact = Statement(entity.facts[0], "Alex")

    assert sketches(fact) == set(sketch("Alex lives in Berlin."))
    assert sketches(entity) == set(sketch("Alex lived in Rome."))


def test_a_turn_is_record_and_states_nothing() -> None:
    assert sketches(Turn("trip", 1, Role.USER, "Remember the milk.")) == set()
