"""What a memory says never reads as structure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests import strategies

from reverie.markdown import (
    escape,
    heading,
    hidden_lines,
    tidy,
    unescape,
    visible,
    without_comments,
)


@given(strategies.files, st.booleans(), st.booleans())
def test_what_was_escaped_reads_as_it_was(text: str, item: bool, fences: bool) -> None:  # noqa: FBT001  Hypothesis passes them
    assert unescape(escape(text, item=item, fences=fences)) == tidy(text)


@given(strategies.files)
def test_nothing_escaped_is_a_heading_or_a_comment(text: str) -> None:
    lines = escape(text).split("\n")

    assert not any(heading(line) is not None for line in lines)
    assert "<!--" not in "\n".join(lines)


@given(strategies.files)
def test_nothing_escaped_encloses_what_comes_after_it(text: str) -> None:
    lines = [*escape(text).split("\n"), "## After", "```", "-->"]

    assert lines.index("## After") not in hidden_lines(lines)


@given(strategies.files)
def test_a_reader_sees_what_was_written(text: str) -> None:
    assert visible(escape(text)) == tidy(text)


def test_a_closed_code_fence_stays_one() -> None:
    text = "See:\n```py\nx = 1\n```"

    assert escape(text) == text


def test_a_comment_is_left_out_once_it_is_closed() -> None:
    for text, left in [
        ("a <!-- b --> c", "a  c"),
        ("a <!-- b\nc --> d", "a  d"),
        ("a <!-- b", "a <!-- b"),
        ("no comment -->", "no comment -->"),
    ]:
        assert without_comments(text) == left
