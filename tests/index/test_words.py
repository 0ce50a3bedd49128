"""Words and stems: lower-cased, telling, the same for a question and its answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.index.text import STOP_WORDS, stems, terms, words


def test_a_text_is_cut_into_words() -> None:
    for text, found in [
        ("I planted five tomatoes.", ["i", "planted", "five", "tomatoes"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("don't", ["don", "t"]),
        ("ÜBER Straße", ["über", "straße"]),
        ("v2.0 of x86", ["v2", "0", "of", "x86"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("東京 is big", ["東", "京", "is", "big"]),
        ("", []),
        (" \n\t…—!?", []),
    ]:
        assert words(text) == found


def test_words_that_tell_nothing_apart_are_no_terms() -> None:
    assert terms("What is the name of my cat?") == ["name", "cat"]


def test_forms_of_a_word_have_one_stem() -> None:
    for one, other in [
        ("planting", "planted"),
        ("tomatoes", "tomato"),
        ("Running", "runs"),
    ]:
        assert terms(one) == terms(other)


@given(st.text(max_size=200))
def test_every_word_is_lower_case_and_without_white_space(text: str) -> None:
    for word in words(text):
        assert word
        assert word == word.lower()
        assert not any(c.isspace() or c == "_" for c in word)


@given(st.text(max_size=100), st.text(max_size=100))
def test_the_words_of_two_lines_are_those_of_each(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == words(one) + words(other)


@given(st.text(max_size=200))
def test_terms_are_the_stems_of_the_telling_words_in_order(text: str) -> None:
    telling = [word for word in words(text) if word not in STOP_WORDS]

    assert terms(text) == stems(telling)
    assert len(terms(text)) == len(telling)


@given(st.text(max_size=200))
def test_letters_in_upper_and_lower_case_are_the_same_words(text: str) -> None:
    assert words(text.lower()) == words(text)
