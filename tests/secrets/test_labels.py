"""A text as it reads, and the way back to where it stood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.secrets.labels import fold, look_alike, lowered


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain text\n\tas it is", "plain text\n\tas it is"),
        ("gr\u00fc\u00dfe aus K\u00f6ln", "gr\u00fc\u00dfe aus K\u00f6ln"),
        ("a\u200bb\u00adc\ufeffd\u2060e", "abcde"),
        ("\uff53\uff4b\uff0d\uff11", "sk-1"),
        ("\U0001d400\U0001d4d1", "AB"),
        ("a\u00a0b\u2003c", "a b c"),
        ("a\u2011b\u2013c\u2014d", "a-b-c-d"),
        ("\u201cx\u201d \u2018y\u2019", "\"x\" 'y'"),
        ("\u0661\u0662", "12"),
        ("a\u2028b\x0cc", "a\nb\nc"),
        ("a\x00b\x1bc", "abc"),
        ("e\u0301", "e"),
        ("\ufb01n\u24d0", "\ufb01na"),
        ("\u200b\u200b", ""),
    ],
)
def test_a_text_is_read_as_it_looks(text: str, plain: str) -> None:
    assert fold(text).text == plain


def test_a_stretch_of_the_copy_is_found_in_the_original() -> None:
    text = "key \uff41\u200b\u200bbc!"
    copy = fold(text)
    at = copy.text.index("abc")

    start, end = copy.span(at, at + 3)

    assert text[start:end] == "\uff41\u200b\u200bbc"


@given(st.text(max_size=80))
def test_every_letter_of_the_copy_has_its_place(text: str) -> None:
    copy = fold(text)
    places = [copy.span(at, at + 1) for at in range(len(copy.text))]

    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@given(st.text(max_size=80))
def test_a_copy_is_its_own_copy(text: str) -> None:
    once = fold(text).text

    assert fold(once).text == once


def test_foreign_letters_within_a_word_become_ours() -> None:
    assert look_alike("ign\u043er\u0435 it") == "ignore it"
    assert look_alike("\u043f\u0440\u0438\u0432\u0435\u0442 you") == (
        "\u043f\u0440\u0438\u0432\u0435\u0442 you"
    )


@given(st.text(max_size=80) | st.just("\u0130X"))
def test_small_letters_stand_where_the_large_ones_stood(text: str) -> None:
    low = lowered(text)

    assert len(low) == len(text)
    assert not set(low) & set("ABCXYZ")
