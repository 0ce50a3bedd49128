"""Two edits of one text, brought together without losing either."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.ledger.three_way_merge import MOST_LINES, merge


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


BASE = text("one", "two", "three", "four", "five")


def test_changes_in_different_places_are_both_made() -> None:
    ours = text("ONE", "two", "three", "four", "five")
    theirs = text("one", "two", "three", "four", "FIVE", "six")

    merged = merge(BASE, ours, theirs)

    assert merged.content == text("ONE", "two", "three", "four", "FIVE", "six")
    assert merged.conflicts == ()


def test_changes_that_touch_are_no_conflict() -> None:
    ours = text("one", "TWO", "three", "four", "five")
    theirs = text("one", "two", "THREE", "four", "five")

    merged = merge(BASE, ours, theirs)

    assert merged.content == text("one", "TWO", "THREE", "four", "five")
    assert merged.conflicts == ()


def test_taking_out_one_entry_and_adding_another_below_it_are_two_wishes() -> None:
    ours = text("one", "two", "three", "four")
    theirs = text("one", "two", "three", "four", "five", "six")

    merged = merge(BASE, ours, theirs)

    assert merged.content == text("one", "two", "three", "four", "six")
    assert merged.conflicts == ()


def test_every_other_line_by_each_is_no_conflict() -> None:
    base = [f"line {n}" for n in range(40)]
    ours = [f"ours {n}" if n % 2 else line for n, line in enumerate(base)]
    theirs = [line if n % 2 else f"theirs {n}" for n, line in enumerate(base)]

    merged = merge(text(*base), text(*ours), text(*theirs))

    both = [f"ours {n}" if n % 2 else f"theirs {n}" for n in range(40)]
    assert merged.content == text(*both)
    assert merged.conflicts == ()


def test_what_both_append_is_kept_whole_and_one_after_the_other() -> None:
    first = ["", "## 14:30 | decision", "", "Yes.", "tags: x"]
    second = ["", "## 14:31 | decision", "", "Yes.", "tags: x"]

    merged = merge(text("# Day"), text("# Day", *first), text("# Day", *second))

    assert merged.content == text("# Day", *first, *second)
    assert merged.conflicts == (2,)


def test_what_both_change_is_kept_twice_and_told_with_its_line() -> None:
    ours = text("one", "two", "ours", "four", "five")
    theirs = text("one", "two", "theirs", "four", "five")

    merged = merge(BASE, ours, theirs)

    assert merged.content == text("one", "two", "ours", "theirs", "four", "five")
    assert merged.conflicts == (3,)


def test_a_changed_line_survives_its_deletion_by_the_other_side() -> None:
    ours = text("one", "two", "four", "five")
    theirs = text("one", "two", "theirs", "four", "five")

    merged = merge(BASE, ours, theirs)

    assert merged.content == text("one", "two", "theirs", "four", "five")
    assert merged.conflicts == (3,)


def test_identical_edits_are_made_once() -> None:
    edit = text("one", "TWO", "three", "four", "five", "six")

    assert merge(BASE, edit, edit).content == edit
    ours = text("zero", "one", "TWO", "three", "four", "five", "six")
    assert merge(BASE, ours, edit) == merge(BASE, edit, ours)
    assert merge(BASE, ours, edit).content == ours
    assert merge(BASE, ours, edit).conflicts == ()


def test_an_edit_that_holds_the_other_is_made_once() -> None:
    ours = text("one", "TWO", "and more", "three", "four", "five")
    theirs = text("one", "TWO", "three", "four", "five")

    assert merge(BASE, ours, theirs).content == ours
    assert merge(BASE, theirs, ours).content == ours


def test_a_side_that_did_nothing_leaves_the_others_text_as_it_is() -> None:
    for base in [b"", BASE, b"no newline at the end"]:
        edited = b"something\r\n\r\nelse without an end"

        assert merge(base, edited, base).content == edited
        assert merge(base, base, edited).content == edited
        assert merge(base, edited, edited).content == edited
        assert merge(base, base, base).content == base


def test_bytes_that_are_no_text_are_merged_as_well() -> None:
    merged = merge(b"\xff\n\0\n", b"\xff\n\0\n\xfe\n", b"\x80\n\xff\n\0\n")

    assert merged.content == b"\x80\n\xff\n\0\n\xfe\n"


def test_a_last_line_without_an_end_is_not_glued_to_the_next() -> None:
    assert merge(b"a", b"a\nours", b"a\ntheirs").content == text("a", "ours", "theirs")


def test_very_long_texts_are_both_kept_whole() -> None:
    base = b"x\n" * (MOST_LINES + 1)

    merged = merge(base, base + b"ours\n", b"theirs\n" + base)

    assert merged.content == base + b"ours\n" + b"theirs\n" + base
    assert merged.conflicts == (1,)


lines = st.lists(st.sampled_from([*"abcdefgh", "", "- x"]), max_size=12)


@given(lines, lines, lines)
@settings(max_examples=400)
def test_no_line_is_lost_unless_the_other_side_took_it_out(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    merged = merge(text(*base), text(*ours), text(*theirs))

    left = merged.content.decode().split("\n")[:-1]
    for mine, other in ((ours, theirs), (theirs, ours)):
        taken_out = set(Counter(base) - Counter(other))
        assert set(mine) - taken_out <= set(left)
    assert set(left) <= set(ours) | set(theirs)


@given(lines, lines, lines)
@settings(max_examples=200)
def test_each_line_that_is_new_on_a_side_is_there_as_often_as_there(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    merged = merge(text(*base), text(*ours), text(*theirs))

    left = merged.content.decode().split("\n")[:-1]
    for mine in (ours, theirs):
        for line in set(mine) - set(base):
            assert left.count(line) >= mine.count(line)


different = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True)


@given(different, different)
@settings(max_examples=100)
def test_merging_again_what_is_merged_changes_nothing(
    base: list[str], theirs: list[str]
) -> None:
    ours = [*base, "ours"]
    once = merge(text(*base), text(*ours), text(*theirs)).content

    assert merge(text(*base), once, text(*theirs)).content == once
