"""A long text is cut where it reads on well, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.conversation.window import cut


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("short", "short"),
        ("One two three.\n\nFour five. Six seven", "One two three."),
        ("One two three.\nFour five. Six seven", "One two three."),
        ("One two. Three four five six seven", "One two. Three four"),
        ("One two three. Four five six", "One two three."),
        ("One two three four five six", "One two three four"),
        ("x" * 50, "x" * 20),
    ],
)
def test_a_text_is_cut_at_the_best_place(text: str, first: str) -> None:
    assert cut(text, 20)[0] == first


@given(st.text(st.sampled_from("ab.\n \t。"), max_size=200), st.integers(1, 50))
def test_nothing_but_blanks_is_lost_and_no_piece_is_too_long(
    text: str, most: int
) -> None:
    pieces = cut(text, most)

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= most for piece in pieces)


def test_a_very_long_text_is_cut_at_once() -> None:
    assert len(cut("word " * 200_000, 100)) > 9_000
