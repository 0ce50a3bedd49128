"""Cutting texts into pieces of a comfortable size."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import files

from reverie.importers.documents import TOGETHER, cut, find_pieces, outline

PARAGRAPH = "One sentence of some length that says little. " * 8


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_a_short_text_is_one_piece() -> None:
    assert cut("\none\n\ntwo\n", 5) == [(6, "one\n\ntwo")]


def test_a_long_text_is_cut_between_its_paragraphs() -> None:
    text = f"{PARAGRAPH}\n\n" * 9

    pieces = cut(text)

    assert [line for line, _ in pieces] == [1, 7, 13]
    assert all(len(piece) <= TOGETHER for _, piece in pieces)
    assert all(piece.startswith("One") for _, piece in pieces)


def test_a_code_fence_is_never_cut() -> None:
    fence = "```\n" + "x = 1\n\n# no heading\n" * 300 + "```"

    pieces = cut(f"{PARAGRAPH}\n\n{fence}\n\n{PARAGRAPH}")

    assert fence in [piece for _, piece in pieces]


def test_a_code_fence_right_below_a_paragraph_is_not_cut_either() -> None:
    fence = "```\n" + "x = 1\n" * 600 + "```"

    pieces = cut(f"{PARAGRAPH}\n{fence}\nafter")

    assert sum(fence in piece for _, piece in pieces) == 1


def test_a_paragraph_that_is_too_long_is_cut_at_its_lines() -> None:
    text = "a line of a long list\n" * 200

    pieces = cut(text)

    assert all(piece.endswith("list") for _, piece in pieces)
    assert all(len(piece) <= TOGETHER for _, piece in pieces)
    assert pieces[1][0] == pieces[0][1].count("\n") + 2


def test_one_endless_line_is_cut_at_its_sentences() -> None:
    pieces = cut(PARAGRAPH * 20)

    assert len(pieces) > 5
    assert all(piece.strip().endswith(".") for _, piece in pieces)


def test_one_endless_word_is_cut_somewhere() -> None:
    assert letters("".join(piece for _, piece in cut("x" * 10_000))) == "x" * 10_000


@given(files)
def test_cutting_any_text_loses_no_letter(text: str) -> None:
    assert letters("".join(piece for _, piece in cut(text))) == letters(text)


BITS = ["a. ", "\n", "\n\n", "```\n", "# b\n", "x" * 900, "word " * 500, "- c\n" * 300]


@given(st.lists(st.sampled_from(BITS), max_size=15).map("".join))
def test_cutting_a_long_text_loses_no_letter(text: str) -> None:
    pieces = cut(text)

    assert letters("".join(piece for _, piece in pieces)) == letters(text)
    assert [line for line, _ in pieces] == sorted(line for line, _ in pieces)


def test_short_sections_side_by_side_stay_together_with_their_headings() -> None:
    (piece,) = find_pieces(outline("# T\n\n## A\nx\n\n## B\ny\n"))

    assert piece.path == ("T",)
    assert piece.text == "## A\nx\n\n## B\ny"


def test_a_lone_section_has_its_heading_in_its_path_only() -> None:
    (piece,) = find_pieces(outline("# T\n## A\nx\n"))

    assert (piece.path, piece.text, piece.line) == (("T", "A"), "x", 2)


def test_a_section_keeps_its_short_subsections() -> None:
    (piece,) = find_pieces(outline("# T\nintro\n## A\nx\n"))

    assert (piece.path, piece.text) == (("T",), "intro\n\n## A\nx")


def test_sections_under_different_headings_do_not_mix() -> None:
    long = PARAGRAPH * 4
    text = f"# T\n## A\n{long}\n### A1\nx\n## B\ny\n"

    found = [(p.path, p.text) for p in find_pieces(outline(text))]

    assert found == [
        (("T", "A"), long.strip()),
        (("T", "A", "A1"), "x"),
        (("T", "B"), "y"),
    ]


def test_days_do_not_mix() -> None:
    first, second = find_pieces(outline("# 2026-02-02\nx\n# 2026-02-03\ny\n"))

    assert (first.text, second.text) == ("x", "y")
    assert first.day != second.day


def test_a_heading_with_nothing_below_it_is_kept_as_words() -> None:
    (piece,) = find_pieces(outline("# Buy milk\n"))

    assert piece.text == "Buy milk"


def test_an_empty_heading_at_the_end_of_a_group_goes_with_what_it_heads() -> None:
    text = f"# A\nx\n# B\n## C\n{PARAGRAPH * 4}\n"

    first, second = find_pieces(outline(text))

    assert (first.path, first.text) == (("A",), "x")
    assert second.path == ("B", "C")


@given(files)
def test_no_body_of_any_file_is_lost(text: str) -> None:
    sections = outline(text)
    pieces = find_pieces(sections)

    held = letters("".join(piece.text for piece in pieces))
    assert all(piece.text.strip() for piece in pieces)
    assert all(letters(section.body) in held for section in sections)
