"""A Markdown file as the sections under its headings."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from tests.strategies import files

from reverie.importers.documents import outline


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in outline(text)]


def test_headings_stand_under_the_headings_above_them() -> None:
    text = "intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"

    assert paths(text) == [
        (),
        ("A",),
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "D"),
        ("E",),
    ]


def test_a_section_knows_where_it_and_its_body_begin() -> None:
    _, first, second = outline("# A\n\nx\n## B\ny", first_line=10)

    assert (first.line, first.body_line, first.body) == (10, 11, "\nx\n")
    assert (second.line, second.body_line, second.raw) == (13, 14, "## B\ny")


@pytest.mark.parametrize(
    "text",
    [
        "```\n# not\n```\n",
        "~~~sh\n## not\n~~~\n",
        "<!--\n# not\n-->\n",
        "#tag\n",
        "    # code\n",
        "####### seven\n",
        "| a |\n---\n",
        "- item\n---\n",
        "two\nlines\n---\n",
        "x\n\n---\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert paths(text) == [()]


def test_a_line_below_a_line_makes_it_a_heading() -> None:
    assert paths("Title\n=====\nx\n\nPart\n---\ny") == [
        (),
        ("Title",),
        ("Title", "Part"),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# A #", "A"),
        ("#", ""),
        ("# C#", "C#"),
        ("#\tA", "A"),
        ("# #", ""),
        ("# a\r", "a"),
    ],
)
def test_the_marks_around_a_heading_are_no_words(line: str, words: str) -> None:
    assert paths(line)[-1] == (words,)


def test_a_heading_that_is_a_date_gives_its_day_to_all_below_it() -> None:
    _, day, inner, other = outline("# 2026-02-02\n## Lunch\nx\n# Ideas\n")

    assert day.day == inner.day == datetime(2026, 2, 2, tzinfo=UTC)
    assert other.day is None


def test_a_heading_with_only_headings_below_it_is_bare() -> None:
    assert [s.bare for s in outline("# A\n## B\nx\n## C\n")] == [
        True,
        True,
        False,
        False,
    ]


@given(files)
def test_the_sections_of_any_file_join_to_the_file_again(text: str) -> None:
    sections = outline(text)

    assert "".join(section.raw for section in sections) == text
    assert [s.line for s in sections] == sorted(s.line for s in sections)
