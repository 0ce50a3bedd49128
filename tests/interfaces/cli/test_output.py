"""Pages as plain text, on a screen, and as JSON."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli.output import (
    Table,
    bad,
    bar,
    cells_wide,
    counted,
    good,
    match,
    paragraph,
    print_page,
    render_json,
    render_json_line,
    render_plain,
    shortened,
)
from reverie.model.change import MANUAL, Action, LogLine, Receipt
from reverie.model.ids import Store

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MOMENT = datetime(2026, 2, 2, 14, 30, tzinfo=timezone(timedelta(hours=2)))


def test_a_page_is_lines_and_tables() -> None:
    page = [
        ("Hello ", good("you")),
        "",
        Table([("a", "one"), ("long", "2")], ("id", "what")),
        *paragraph("two\nlines", 2),
    ]

    assert render_plain(page) == (
        "Hello you\n\nid    what\na     one\nlong  2\n  two\n  lines\n"
    )


def test_numbers_stand_below_each_other() -> None:
    table = Table([("a", "1"), ("b", bad("1,000"))], ("", "n"), right=1)

    assert render_plain([table]) == "       n\na      1\nb  1,000\n"


def test_wide_characters_keep_the_columns_straight() -> None:
    table = Table([("日本", "x"), ("abcd", "x")])

    assert render_plain([table]) == "日本  x\nabcd  x\n"
    assert cells_wide("e\u0301") == 1


@pytest.mark.parametrize(
    ("used", "budget", "full"), [(0, 10, 0), (5, 10, 10), (99, 10, 20), (0, 0, 20)]
)
def test_a_bar_shows_how_much_is_used(used: int, budget: int, full: int) -> None:
    drawn = "#" * full + "." * (20 - full)

    assert render_plain([Table([(bar(used, budget),)])]) == f"{drawn}\n"


def test_nothing_in_a_line_reaches_the_terminal_unseen() -> None:
    page = [(bad("\x1b[31mred"), "\u202eback", "a\tb\nc")]

    assert render_plain(page) == "⟦U+001B⟧[31mred⟦U+202E⟧backa⟦U+0009⟧b⟦U+000A⟧c\n"


def test_a_mark_belongs_to_the_letter_of_the_piece_before() -> None:
    assert render_plain([(match("e"), "\u0301")]) == "e\u0301\n"


def test_a_number_agrees_with_its_noun() -> None:
    assert counted(1, "file") == "1 file"
    assert counted(1200, "file") == "1,200 files"
    assert counted(0, "memory", "memories") == "0 memories"


def test_a_text_is_shortened_to_one_line() -> None:
    assert shortened("a\n  b\tc", 5) == "a b c"
    assert shortened("word after word", 11) == "word after…"
    assert shortened("abcdef", 4) == "abc…"


def screen(desk: Desk, *words: str, **variables: str) -> str:
    code, seen = on_a_screen(("-w", str(desk.root), *words), variables=variables)
    assert code == 0, seen
    return seen


def test_the_overview_has_bars_and_colours(desk: Desk) -> None:
    seen = screen(desk, "show")

    assert "█" in seen
    assert COLOUR.search(seen)


def test_no_colours_for_those_who_want_none(desk: Desk) -> None:
    seen = screen(desk, "show", NO_COLOR="1")

    assert "█" in seen
    assert not re.search(r"\x1b\[3\d", seen)


def test_a_table_fits_the_screen_and_keeps_ids_whole(desk: Desk) -> None:
    desk.done("remember", "A very long thing to say, " * 10)

    seen = COLOUR.sub("", screen(desk, "show", "episodic"))

    assert "episode:2026-02-02:14:31" in seen
    assert "…" in seen
    assert max(map(len, seen.splitlines())) <= 80


def test_a_long_summary_wraps_under_its_indent(desk: Desk) -> None:
    desk.done("remember", "Word after word. " * 8)

    seen = COLOUR.sub("", screen(desk, "history", "-n", "1"))

    assert max(map(len, seen.splitlines())) <= 80
    assert "\n  " in seen.partition("CREATE")[2]


def test_a_link_stays_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    link = "http://127.0.0.1:42809/" + "a" * 60

    print_page([("  page   ", link), "  " + "words of it " * 8])

    lines = COLOUR.sub("", capsys.readouterr().out).splitlines()
    assert f"  page   {link}" in lines
    assert max(len(line) for line in lines if link not in line) <= 40


def test_what_has_no_gaps_between_words_wraps_under_its_indent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    said = "我昨天在河边的茶馆里遇见了一个老朋友他告诉我他下个月要搬到柏林去工作"
    link = "See https://example.org/" + "a" * 60

    print_page([*paragraph(said, 3), *paragraph(f"{'words of it ' * 6}{link}", 3)])

    lines = COLOUR.sub("", capsys.readouterr().out).splitlines()
    assert max(map(cells_wide, lines)) <= 40
    assert all(line.startswith("   ") for line in lines)


def test_progress_goes_away_when_it_is_done(desk: Desk) -> None:
    seen = screen(desk, "rebuild")

    assert seen.rstrip().endswith("files.\x1b[0m") or "Rebuilt" in seen
    assert "Reading files" in seen


def test_a_long_list_is_cut_on_a_screen_only(desk: Desk) -> None:
    for number in range(51):
        desk.done("remember", f"Note {number}.", "--at", f"2026-01-01 10:{number:02}")

    assert "… and 1 more (--limit 0)" in screen(desk, "show", "episodic")
    assert "more" not in desk.done("show", "episodic").out
    assert len(desk.json("show", "episodic")) == 51
    assert len(desk.json("show", "episodic", "--limit", "3")) == 3


def test_json_on_a_screen_is_plain(desk: Desk) -> None:
    assert not COLOUR.search(screen(desk, "show", "--json"))


def read(value: object) -> Any:  # noqa: ANN401 - a test knows what it asked for
    """A value as a program reads it."""
    return json.loads(render_json(value))


def test_a_receipt_is_its_fields_in_their_order() -> None:
    line = LogLine(Action.EDIT, "MEMORY.md", "why")
    receipt = Receipt("abc", MOMENT.astimezone(UTC), (line,), MANUAL, ("core:a/b",))

    assert list(read(receipt).items()) == [
        ("commit", "abc"),
        ("at", "2026-02-02T12:30:00Z"),
        ("lines", [{"action": "EDIT", "path": "MEMORY.md", "summary": "why"}]),
        ("actor", "manual"),
        ("ids", ["core:a/b"]),
    ]


def test_times_are_in_utc_and_days_are_days() -> None:
    assert read(MOMENT) == "2026-02-02T12:30:00Z"
    assert read(date(2026, 2, 2)) == "2026-02-02"


def test_values_inside_values_are_told_too() -> None:
    class Odd(Struct, frozen=True):
        inner: dict[Store, tuple[object, ...]]

    odd = Odd({Store.CORE: (1, 0.5, True, None, "x")})

    assert read(odd) == {"inner": {"core": [1, 0.5, True, None, "x"]}}


def test_the_text_is_for_people_and_the_line_for_programs() -> None:
    assert render_json({"a": "é"}) == '{\n  "a": "é"\n}'
    assert render_json({"a": "é"}, ascii_only=True) == '{\n  "a": "\\u00e9"\n}'
    assert render_json_line({"a": "é"}) == '{"a": "\\u00e9"}'
