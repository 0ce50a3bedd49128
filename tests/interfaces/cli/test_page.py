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


def test_nothing_in_a_row_reaches_the_terminal_unseen() -> None:
    page = [row(Span("\x1b[31mred", Style.BAD), Span("\u202eback"), "a\tb\nc")]

    assert render_plain(page) == "⟦U+001B⟧[31mred⟦U+202E⟧backa⟦U+0009⟧b⟦U+000A⟧c\n"


def test_a_mark_belongs_to_the_letter_of_the_piece_before() -> None:
    assert render_plain([row(Span("e", Style.MATCH), "\u0301")]) == "e\u0301\n"


def test_a_number_agrees_with_its_noun() -> None:
    assert counted(1, "file") == "1 file"
    assert counted(1200, "file") == "1,200 files"
    assert counted(0, "memory", "memories") == "0 memories"


def test_a_text_is_shortened_to_one_line() -> None:
    assert shortened("a\n  b\tc", 5) == "a b c"
    assert shortened("word after word", 11) == "word after…"
    assert shortened("abcdef", 4) == "abc…"
