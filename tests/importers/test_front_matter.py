"""What stands between two `---` lines at the top of a Markdown file."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import files

from reverie.importers.documents import FrontMatter, parse_front_matter


def test_title_tags_and_date_are_read() -> None:
    text = (
        "---\ntitle: 'My  plan'\ntags:\n  - garden\n  - '#home/roof'\n"
        "date: 2026-02-02\naliases: [x]\n---\nbody\n"
    )

    assert parse_front_matter(text) == FrontMatter(
        title="My plan",
        tags=("garden", "home/roof"),
        at=datetime(2026, 2, 2, tzinfo=UTC),
        lines=8,
        names=("My  plan", "x"),
    )


@pytest.mark.parametrize(
    "tags",
    [
        "tags: [a, 'b', a]",
        "tags: a, b",
        "tags: a b",
        "tags: '#a #b'",
        "Tags:\n- a\n- b",
        "tag: a\ntags: b",
        'tags: ["a", "b"]',
    ],
)
def test_tags_may_be_written_in_many_ways(tags: str) -> None:
    assert set(parse_front_matter(f"---\n{tags}\n---\n").tags) == {"a", "b"}


@pytest.mark.parametrize(
    "line",
    [
        "created: 2026-02-02T14:30:00Z",
        "date: 2026-02-02 14:30",
        "created_at: 2026-02-02T14:30",
    ],
)
def test_a_date_may_have_a_time(line: str) -> None:
    found = parse_front_matter(f"---\n{line}\n---\n")

    assert found.at == datetime(2026, 2, 2, 14, 30, tzinfo=UTC)


def test_a_date_that_is_none_is_left_aside_for_the_next() -> None:
    found = parse_front_matter("---\ndate: soon\ncreated: 2026-02-02\n---\n")

    assert found.at == datetime(2026, 2, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "# x", "---\ntitle: x\n", "text\n---\na: b\n---\n"]
)
def test_what_is_not_closed_or_not_at_the_top_is_no_front_matter(text: str) -> None:
    assert parse_front_matter(text) == FrontMatter()


def test_nested_fields_are_left_aside() -> None:
    text = "---\nx:\n  title: inner\ntitle: outer\nhttp://a: b\n: c\n---\n"

    assert parse_front_matter(text).title == "outer"


@given(files)
def test_any_file_has_some_front_matter_or_none(text: str) -> None:
    found = parse_front_matter(f"---\n{text}\n---\n")

    assert found.lines <= text.count("\n") + 3
    assert all(tag and not tag.startswith("#") for tag in found.tags)


@given(st.text())
def test_any_text_is_looked_at_for_front_matter(text: str) -> None:
    assert parse_front_matter(text).lines <= text.count("\n") + 1
