"""Where sentences begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.triggers.sentences import Sentences

SPLIT = [
    ("one. two", ["one.", "two"]),
    ("one! two? three", ["one!", "two?", "three"]),
    ("dr. no met st. john. then i left", ["dr. no met st. john.", "then i left"]),
    ("e.g. this, i.e. that", ["e.g. this, i.e. that"]),
    ("well... maybe. yes", ["well... maybe.", "yes"]),
    ("version 1.5 is out", ["version 1.5 is out"]),
    ("a line\nanother line", ["a line", "another line"]),
    ("- one\n- two", ["- one", "- two"]),
    (
        "a line that is so long that a program broke it in its middle\nhere. and on",
        [
            "a line that is so long that a program broke it in its middle\nhere.",
            "and on",
        ],
    ),
    ("(one.) two", ["(one.)", "two"]),
]


@pytest.mark.parametrize(("text", "expected"), SPLIT)
def test_a_text_falls_into_its_sentences(text: str, expected: list[str]) -> None:
    sentences = Sentences(text)
    found = {sentences.at(place) for place in range(len(text))}
    places = sorted((one.start, one.end) for one in found)

    assert [text[start:end].strip() for start, end in places] == expected


def test_a_sentence_knows_its_paragraph_and_the_one_before() -> None:
    text = "one. two.\n\nthree."
    sentences = Sentences(text)

    three = sentences.at(text.index("three"))
    two = sentences.before(three)

    assert text[slice(*three.paragraph)].strip() == "three."
    assert two is not None
    assert text[two.start : two.end].strip() == "two."
    assert text[slice(*two.paragraph)] == "one. two."
    assert sentences.before(sentences.at(0)) is None


@given(st.text(alphabet="ab. \n!?\"'", min_size=1).filter(str.strip))
def test_every_word_is_in_the_sentence_at_its_place(text: str) -> None:
    sentences = Sentences(text)

    for place, char in enumerate(text):
        if not char.isspace():
            sentence = sentences.at(place)
            assert sentence.start <= place < sentence.end
            assert sentence.paragraph[0] <= place < sentence.paragraph[1]
