"""What of a monologue code can check."""

from __future__ import annotations

import random

from reverie.reflection.presentation import MENU, TAG, draw_elements, find_faults

GOOD = f"""\
Okay. The ledger again, and I keep wondering why it holds my attention like that.

She mentioned Berlin and said "you would like it". I rush past such things. {TAG}

Note to whoever reads this next: you will want the API notes.

Anyway. That's where I'm at.
"""


def test_a_sound_monologue_has_no_faults() -> None:
    assert find_faults(GOOD) == ()
    assert find_faults(f"Hey that was a strange day.\n\n{GOOD}") == ()


def test_a_fault_is_told_in_a_sentence() -> None:
    for text, fault in (
        ("Fine.", "too short"),
        (f"Hi Alex,\n{GOOD}", "greeting"),
        (f"{GOOD}\nBest wishes,\nReverie", "sign-off"),
        (f"## Today\n{GOOD}", "headings"),
        (f"- one\n- two\n\n{GOOD}", "list"),
        (GOOD.replace(TAG, "[self awareness]"), "misspelt"),
        (f"{GOOD}\n{TAG}\n", "alone"),
        (f"I noticed you were tired.\n\n{GOOD}", "third person"),
        (f"{GOOD}\nOperational: a\nb\nc\n", "more than 2 lines"),
    ):
        assert any(fault in found for found in find_faults(text))


def test_five_to_eight_elements_are_drawn_from_as_many_groups() -> None:
    rng = random.Random(1)  # noqa: S311 - nothing here is meant to be secret
    draws = [draw_elements(rng) for _ in range(2_000)]

    assert {len(drawn) for drawn in draws} == {5, 6, 7, 8}
    for drawn in draws:
        assert len({each.partition(": ")[0] for each in drawn}) == len(drawn)
    menu = {f"{group}: {name}" for group, names in MENU.items() for name in names}
    assert {each for drawn in draws for each in drawn} == menu
    assert len(menu) == 91
