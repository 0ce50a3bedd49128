"""Pages on a screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


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
