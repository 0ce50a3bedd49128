"""Rooms hold what they say, and what is cut says so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import files

from reverie.model.reflection import Noticed
from reverie.reflection.survey import MARK, Room, clipped, counted, shortened, shown
from reverie.tokens import count_tokens


@given(files | st.text(), st.integers(0, 60))
def test_what_is_clipped_fits_and_begins_as_it_did(text: str, budget: int) -> None:
    cut = clipped(text, budget)

    assert count_tokens(cut) <= budget
    if cut != text:
        assert text.startswith(cut.removesuffix(MARK))


@given(files, st.integers(60, 200))
def test_a_memory_is_shortened_into_any_room(text: str, budget: int) -> None:
    each = Noticed("episode:2026-02-02:14:30", "x.md", text * 9, kind="fact")
    room = Room(budget)

    assert room.take(shown(shortened(each, room)))


def test_a_room_takes_all_or_nothing() -> None:
    room = Room(5)

    assert not room.take("one two three", "four five six")
    assert room.spent == 0
    assert room.take("one two three")
    assert room.left == 2


def test_a_text_of_a_megabyte_is_not_even_counted() -> None:
    assert not Room(100).take("word " * 300_000)
    assert len(clipped("word " * 300_000, 100)) < 1000


def test_a_word_that_never_ends_leaves_the_mark() -> None:
    assert clipped("x" * 10_000, 50) == MARK


def test_one_is_singular() -> None:
    words = ("episode", "episodes")
    assert [counted(n, words) for n in (0, 1, 1234)] == [
        "0 episodes",
        "1 episode",
        "1,234 episodes",
    ]
