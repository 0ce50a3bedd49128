"""What is heard of an answer, however it was cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.minds.voice import Voice


def heard(*pieces: str) -> str:
    voice = Voice()
    return "".join(map(voice.hear, pieces)) + voice.end()


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Hello\n\tthere. ", "Hello\n\tthere. "),
        ("\n\n Hello", "Hello"),
        ("a\x1b[2Jb\x07\x00\x7f\x9b31mc\x85", "a[2Jb31mc"),
        ("one\r\ntwo", "one\ntwo"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83db\ude00", "a\ufffdb\ufffd"),
        ("a\ud83d", "a\ufffd"),
        ("<think>Hm.</think>\n\nHello <think> there", "Hello <think> there"),
        (" <think>a <b></think>", ""),
        ("<think>never done", ""),
        ("<think>a</think><think>b</think>", "<think>b</think>"),
        ("<thin", "<thin"),
        ("<thin\ud83d", "<thin\ufffd"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("Hello </think>", "Hello </think>"),
        ("   ", ""),
        ("", ""),
    ],
)
def test_words_are_heard_and_orders_are_not(said: str, found: str) -> None:
    assert heard(said) == found
    assert heard(*said) == found


PIECES = st.lists(
    st.sampled_from(["<think>", "</think>", "<th", "ink>", "</", " ", "\n", "\x1b"])
    | st.sampled_from(["\ud83d", "\ude00", "\udbff"])
    | st.text(max_size=3)
)


@given(PIECES)
def test_any_cut_is_heard_the_same(pieces: list[str]) -> None:
    whole = heard("".join(pieces))

    assert heard(*pieces) == whole
    assert heard(*"".join(pieces)) == whole
    whole.encode()  # no half characters
    assert not any(char < " " and char not in "\n\t" for char in whole)


def test_words_are_not_held_back() -> None:
    voice = Voice()

    assert [voice.hear(piece) for piece in ("<", "b", "> it")] == ["", "<b", "> it"]


def test_an_endless_thought_takes_no_room() -> None:
    voice = Voice()
    voice.hear("<think>")

    assert not any(voice.hear("hm " * 1000) for _ in range(1000))
    assert voice.hear("</think> Yes.") == "Yes."
