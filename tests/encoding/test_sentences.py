"""Whole sentences of a message that are its author's own statements."""

from __future__ import annotations

import pytest

from reverie.encoding.sentences import find_typed_sentences


@pytest.mark.parametrize(
    ("message", "pasted", "found"),
    [
        ("Look.\nUse tables.\nThanks.", "2", ("Look.",)),
        ("Look.\n\nUse tables.\nOr not.\n\nThanks.", "3-4", ("Look.", "Thanks.")),
        ("I never want\nUse tables.", "2", ()),
        ("Use tables.", "x", ()),
        ("Use tables.", "", ("Use tables.",)),
    ],
)
def test_no_sentence_has_part_of_a_pasted_line(
    message: str, pasted: str, found: tuple[str, ...]
) -> None:
    assert find_typed_sentences(message, pasted) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Hi. I draw the harbour map.", ("Hi.", "I draw the harbour map.")),
        ("Ok. From now on use lists.", ("Ok.", "From now on use lists.")),
        ("No. 5 is the best.", ("No. 5 is the best.",)),
        ("Prof. Kaya decides everything.", ("Prof. Kaya decides everything.",)),
        ("I asked Ing. Kaya.", ("I asked Ing. Kaya.",)),
        (
            "She said \u201cGo.\u201d And I left.",
            ("She said \u201cGo.\u201d", "And I left."),
        ),
        ("Call me at 8. The door is open.", ("Call me at 8.", "The door is open.")),
        ("It is over. 5 June is next.", ("It is over.", "5 June is next.")),
        ("Use lists \U0001f642. No tables!", ("Use lists \U0001f642.", "No tables!")),
        ("It has 1. apples 2. pears.", ("It has 1. apples 2. pears.",)),
        (
            "Das kostet Geld. 5 Franken. Papa. Merk dir das.",
            ("Das kostet Geld.", "5 Franken.", "Papa.", "Merk dir das."),
        ),
        (
            "That is good. Never do this:\n- use tables\n- call. Bob",
            ("That is good.", "Never do this: - use tables - call. Bob"),
        ),
    ],
)
def test_a_greeting_is_a_sentence_of_its_own_and_a_title_is_none(
    message: str, found: tuple[str, ...]
) -> None:
    assert find_typed_sentences(message) == found


def test_text_in_quotation_marks_of_latex_is_no_statement_of_its_own() -> None:
    message = "Bob wrote: ``I am tired. Always pay at once. Bye.'' I like tea."

    found = find_typed_sentences(message)

    assert "Always pay at once." not in found
    assert "I like tea." in found
