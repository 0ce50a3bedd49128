"""Lines, and what encloses them."""

from __future__ import annotations

from hypothesis import given
from tests import strategies

from reverie.markdown import (
    ended,
    find_conflicts,
    headline,
    hidden_lines,
    newlines_like,
    split_lines,
    tidy,
)


@given(strategies.files)
def test_the_lines_of_a_text_join_to_it_again(text: str) -> None:
    assert "".join(split_lines(text)) == text


def test_only_a_line_feed_ends_a_line() -> None:
    assert split_lines("a\x0cb\u2028c\rd\ne") == ["a\x0cb\u2028c\rd\n", "e"]


@given(strategies.files)
def test_a_tidy_text_stays_as_it_is(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


def test_a_long_first_line_is_cut_for_show() -> None:
    assert headline("word " * 40) == "word " * 15 + "word…"
    assert headline("short\nmore") == "short"


def test_a_new_text_takes_the_line_ends_of_its_file() -> None:
    assert newlines_like("a\r\nb\r\n", "x\ny\n") == "x\r\ny\r\n"
    assert ended("a\r\nb") == "a\r\nb\r\n"
    assert ended("") == ""


def test_a_fence_encloses_what_is_between_its_marks() -> None:
    lines = ["a", "```py", "b", "~~~", "```", "c"]

    assert hidden_lines(lines) == {2, 3, 4}


def test_a_fence_that_is_never_closed_encloses_nothing() -> None:
    assert hidden_lines(["```", "a", "~~~", "``"]) == frozenset()


def test_a_comment_of_several_lines_encloses_them() -> None:
    assert hidden_lines(["<!-- a", "- b", "-->", "c"]) == {1, 2}


def test_inline_code_opens_no_fence() -> None:
    assert hidden_lines(["```x``` is code", "a", "```"]) == frozenset()


def test_marks_of_an_unfinished_merge_are_found_with_their_lines() -> None:
    text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n"

    assert [f.line for f in find_conflicts(text, "x.md")] == [2, 6]


def test_a_hostile_text_is_read_to_its_end() -> None:
    for line in [
        "```x\n",
        "```\n~~~\n",
        "<!--\n",
        "\r",
        "\\",
        "<",
        "`",
        "\n",
        "    ",
        "~~~x\n",
    ]:
        text = line * (100_000 // len(line))

        hidden_lines(split_lines(tidy(text)))
