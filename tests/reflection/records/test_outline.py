"""Sections inside sections, in files typed by hand."""

from __future__ import annotations

from hypothesis import given
from tests.strategies import files

from reverie.reflection.records.page import (
    edited,
    split_subs,
    subs_of,
    with_below,
    with_section,
)


@given(files)
def test_the_parts_of_a_section_join_again(raw: str) -> None:
    assert "".join(sub.raw for sub in split_subs(raw)) == raw


def test_a_heading_in_a_fence_is_none() -> None:
    raw = "## A\n```\n### no\n```\n### yes\nx\n"

    assert [sub.heading for sub in split_subs(raw)] == [None, "yes"]


def test_a_section_is_made_once_and_in_its_place() -> None:
    text = with_section("# T\n\n## Last\nx\n", "First", before="Last")

    assert text == "# T\n\n## First\n\n## Last\nx\n"
    assert with_section(text, "first") == text


def test_lines_go_below_what_is_there() -> None:
    text = "## A\n### B\none\n\n\n## C\n"

    assert with_below(text, "a", "two\n", "b") == "## A\n### B\none\ntwo\n\n\n## C\n"
    assert with_below("", "A", "x\n", "B") == "## A\n### B\nx\n"
    assert subs_of(text, "A", "b")[0].body == "one\n\n\n"


def test_a_text_without_the_section_stays() -> None:
    assert edited("## A\n", "B", str.upper) == "## A\n"
