"""Words of others on one line of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.records.sayings import raw_words, said

from reverie.markdown import hidden_lines, split_items, split_sections
from reverie.reflection.records.page import (
    clean,
    clipped,
    first_sentences,
    folded,
    last_sentences,
    parse_words,
    render_words,
)
from reverie.tokens import count_tokens


@given(raw_words)
def test_what_was_written_is_read_back(text: str) -> None:
    assert parse_words(render_words(text)) == clean(text)


@given(said)
def test_words_are_one_line_and_no_structure(text: str) -> None:
    line = render_words(text)

    assert "\n" not in line
    assert len(split_sections(f"{line}\n", lambda _: False)) == 1
    assert not hidden_lines([f"{line}\n", "x\n", "```\n", "-->\n"]) - {3}
    assert not any(piece.marker for piece in split_items(f"{line}\n"))


def test_words_do_not_close_what_a_person_left_open() -> None:
    lines = [
        "<!-- open\n",
        f"{render_words('x --> y')}\n",
        "```\n",
        render_words("```"),
    ]

    assert hidden_lines(lines) == frozenset()


def test_a_hidden_character_is_shown() -> None:
    assert render_words("a\u202eb\x00") == "a\ufffdb\ufffd"


@pytest.mark.parametrize("plain", ["**bold** start", "12 apples", "-5 degrees", "_so_"])
def test_plain_words_stay_as_they_are(plain: str) -> None:
    assert render_words(plain) == plain


@given(st.text(), st.integers(3, 40))
def test_a_clipped_text_keeps_its_budget(text: str, budget: int) -> None:
    assert count_tokens(clipped(text, budget)) <= budget + 1


def test_sentences_are_kept_whole() -> None:
    text = "It rained. I noticed. That was new."

    assert first_sentences(text, 22) == "It rained. I noticed."
    assert last_sentences(text, 25) == "I noticed. That was new."
    assert first_sentences("x" * 30, 10) == "x" * 9 + "…"
    assert last_sentences("x" * 30, 10) == "…" + "x" * 9


@given(st.text(), st.integers(5, 60))
def test_sentences_keep_to_their_length(text: str, length: int) -> None:
    assert len(first_sentences(text, length)) <= length
    assert len(last_sentences(text, length)) <= length


def test_folding_forgives_case_and_punctuation() -> None:
    assert folded("Values  audit-trails!") == folded("values audit trails")
