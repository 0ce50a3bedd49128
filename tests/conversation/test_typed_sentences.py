"""Whole sentences of a message that are its author's own statements."""

from __future__ import annotations

import pytest

from reverie.conversation.typed_sentences import find_typed_sentences


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
