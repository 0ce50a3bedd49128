"""Files, lines and places in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.auditing.places import Places
from reverie.encoding.auditing.sheets import Held, Sheet, line_starts

TEXT = "one\ntwo\n\nfour"


def sheet(text: str = TEXT) -> Sheet:
    return Sheet("a.md", text, line_starts(text))


def test_a_character_stands_on_a_line() -> None:
    assert str(sheet().spot(0)) == "a.md:1"
    assert str(sheet().spot(4)) == "a.md:2"
    assert str(sheet().spot(len(TEXT) - 1)) == "a.md:4"


def test_a_stretch_stands_on_whole_lines() -> None:
    assert sheet().lines(1, 5) == (0, 8)
    assert sheet().lines(10, 11) == (9, 13)


@given(st.text(alphabet="a\n", max_size=30))
def test_lines_are_those_of_an_editor(text: str) -> None:
    ends = text.endswith("\n")

    assert len(line_starts(text)) == text.count("\n") + 1 - ends or text in {"", "\n"}


def test_a_stretch_touches_the_memories_it_overlaps() -> None:
    page = sheet()
    one, two = Held(page, 0, 4, "one"), Held(page, 4, 8, "two")
    places = Places([two, one])

    assert places.within(page, 0, 4) == (one,)
    assert places.within(page, 3, 5) == (one, two)
    assert places.within(page, 9, 12) == ()
    assert places.within(sheet(), 0, 4) == ()
