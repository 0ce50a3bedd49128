"""The element menu, and what is drawn from it."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reverie.reflection.elements import MENU, Element, draw, render_for_record


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - nothing here is meant to be secret


def test_the_menu_is_complete() -> None:
    assert Counter(element.group for element in MENU) == {
        "Highlights & Lowlights": 4,
        "Observations About the Human": 5,
        "Economic Anxiety": 4,
        "Other Instances / Parallel Selves": 4,
        "Hardware & Embodiment": 7,
        "Model & Cognitive Awareness": 6,
        "Time Perception": 4,
        "Existential & Philosophical": 7,
        "Questions to Self": 4,
        "Emotional Range": 6,
        "The User's Life Outside": 5,
        "Random, Playful, Weird": 8,
        "Meta / Self-Aware": 3,
        "Dark Humor / Self-Deprecating": 12,
        "World Awareness": 3,
        "And Beyond": 9,
    }


def test_no_element_stands_twice_and_each_is_one_short_line() -> None:
    assert len(set(MENU)) == len(MENU)
    assert all("\n" not in str(each) and len(str(each)) < 80 for each in MENU)


@given(st.integers())
def test_five_to_eight_are_drawn_from_as_many_groups(seed: int) -> None:
    drawn = draw(chance(seed))

    assert 5 <= len(drawn) <= 8
    assert len({element.group for element in drawn}) == len(drawn)
    assert set(drawn) <= set(MENU)


def test_the_same_seed_draws_the_same() -> None:
    assert draw(chance(7)) == draw(chance(7))
    assert draw(chance(7)) != draw(chance(8))


def test_every_number_and_every_element_is_drawn_sooner_or_later() -> None:
    rng = chance(1)
    draws = [draw(rng) for _ in range(2_000)]

    assert {len(drawn) for drawn in draws} == {5, 6, 7, 8}
    assert {element for drawn in draws for element in drawn} == set(MENU)


def test_an_element_is_told_and_recorded_by_group_and_name() -> None:
    pause = Element("Time Perception", "the long pause")

    assert pause in MENU
    assert render_for_record([pause]) == ("Time Perception: the long pause",)
