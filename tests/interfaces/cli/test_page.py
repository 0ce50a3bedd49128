"""Pages as plain text."""

from __future__ import annotations

import pytest

from reverie.interfaces.cli.page import (
    BLANK,
    Bar,
    Grid,
    Span,
    Style,
    cells_wide,
    counted,
    paragraph,
    render_plain,
    row,
    shortened,
    visible,
)


def test_a_page_is_rows_and_grids() -> None:
    page = [
        row("Hello ", Span("you", Style.GOOD)),
        BLANK,
        Grid(("id", "what"), ((Span("a"), Span("one")), (Span("long"), Span("2")))),
        *paragraph("two\nlines", indent=2),
    ]

    assert render_plain(page) == (
        "Hello you\n\nid    what\na     one\nlong  2\n  two\n  lines\n"
    )


def test_wide_characters_keep_the_columns_straight() -> None:
    grid = Grid((), ((Span("日本"), Span("x")), (Span("abcd"), Span("x"))))

    assert render_plain([grid]) == "日本  x\nabcd  x\n"
    assert cells_wide("e\u0301") == 1


@pytest.mark.parametrize(
    ("used", "budget", "drawn"),
    [
        (0, 10, "." * 20),
        (5, 10, "#" * 10 + "." * 10),
        (99, 10, "#" * 20),
        (0, 0, "#" * 20),
    ],
)
def test_a_bar_shows_how_much_is_used(used: int, budget: int, drawn: str) -> None:
    assert render_plain([Grid((), ((Bar(used, budget),),))]) == f"{drawn}\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日本 🎉", "plain é 日本 🎉"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("back\u202ewards", "back\\u202ewards"),
        ("\udcff", "\\udcff"),
        ("a\tb\nc\rd", "a    b c\\rd"),
        ("no\u00a0break", "no\u00a0break"),
    ],
)
def test_nothing_in_a_text_reaches_the_terminal_unseen(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lines_may_stay_lines() -> None:
    assert visible("a\nb", lines=True) == "a\nb"


def test_a_number_agrees_with_its_noun() -> None:
    assert counted(1, "file") == "1 file"
    assert counted(1200, "file") == "1,200 files"
    assert counted(0, "memory", "memories") == "0 memories"


def test_a_text_is_shortened_to_one_line() -> None:
    assert shortened("a\n  b\tc", 5) == "a b c"
    assert shortened("word after word", 11) == "word after…"
    assert shortened("abcdef", 4) == "abc…"
