"""Sections and lists."""

from __future__ import annotations

from hypothesis import given
from tests import strategies

from reverie.markdown import escape, render_item, split_items, split_sections, unescape


def known(words: str) -> bool:
    return words == "Facts"


@given(strategies.files)
def test_sections_join_to_the_text_again(text: str) -> None:
    assert "".join(s.raw for s in split_sections(text, known)) == text


@given(strategies.files)
def test_items_join_to_the_body_again(text: str) -> None:
    assert "".join(piece.raw for piece in split_items(text)) == text


@given(strategies.said)
def test_an_item_reads_as_it_was_written(text: str) -> None:
    [piece] = split_items(render_item(escape(text, item=True)))

    assert unescape(piece.text) == text


@given(strategies.said, strategies.said)
def test_two_items_stay_two(first: str, second: str) -> None:
    body = "".join(
        render_item(escape(text, item=True), marker)
        for text, marker in ((first, "9. "), (second, "10. "))
    )

    assert [unescape(p.text) for p in split_items(body)] == [first, second]


def test_a_heading_inside_a_fence_starts_a_section_only_if_it_is_known() -> None:
    text = "```\n## lunch\n```\n```\n## Facts\n```\n## dinner\n"

    assert [s.heading for s in split_sections(text, known)] == [None, "Facts", "dinner"]


def test_blank_lines_below_an_item_are_no_part_of_it() -> None:
    pieces = split_items("- a\n\n  more\n\n\n- b\nprose\n", line=5)

    assert [(p.line, p.raw, p.marker) for p in pieces] == [
        (5, "- a\n\n  more\n", "- "),
        (8, "\n\n", ""),
        (10, "- b\n", "- "),
        (11, "prose\n", ""),
    ]


def test_what_is_commented_out_is_no_item() -> None:
    pieces = split_items("<!--\n- a\n-->\n- b\n")

    assert [p.text for p in pieces if p.marker] == ["b"]


def test_a_tab_continues_an_item() -> None:
    [piece] = split_items("- a\n\tb\n")

    assert piece.text == "a\nb"
