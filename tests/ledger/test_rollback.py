"""Going back: one change, one session, one moment; nothing leaves history."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ledger.room import BEGINNING, DAY, NOTE, START

from reverie.errors import ConflictError, NotFoundError
from reverie.ledger.rollback import (
    MOST_LINES,
    commit_at,
    contents_without,
    merge,
)
from reverie.model.change import (
    MANUAL,
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    checksum,
)

if TYPE_CHECKING:
    from tests.ledger.room import Room

    from reverie.ledger.rollback import Contents

CORE = BEGINNING["MEMORY.md"]


def without(room: Room, *commits: str, **moved: str) -> Contents:
    return contents_without(room.ledger, commits, moved)


def apply(room: Room, contents: Contents) -> str:
    """Make the REVERT change that the contents ask for."""
    edits = tuple(
        Edit(
            path,
            data,
            checksum(now) if (now := room.ledger.read(path)) is not None else "",
            Action.REVERT,
            "went back",
        )
        for path, data in contents.items()
    )
    change = ChangeSet(edits, MANUAL, Approval.NONE, "reverie undo")
    return room.ledger.commit(change).commit


def test_the_newest_change_is_taken_back_byte_for_byte(room: Room) -> None:
    made = room.put("MEMORY.md", "# Other\n").commit

    assert without(room, made) == {"MEMORY.md": CORE.encode()}


def test_an_older_change_is_taken_back_and_later_ones_stay(room: Room) -> None:
    made = room.put("MEMORY.md", CORE.replace("- one", "- ONE")).commit
    room.put("MEMORY.md", CORE.replace("- one", "- ONE") + "- three\n")

    assert without(room, made) == {"MEMORY.md": f"{CORE}- three\n".encode()}


def test_changes_to_other_files_stay(room: Room) -> None:
    made = room.put("MEMORY.md", "# Other\n").commit
    room.put(NOTE, "a note\n")

    apply(room, without(room, made))

    assert room.says("MEMORY.md") == CORE
    assert room.says(NOTE) == "a note\n"


def test_a_new_file_goes_and_a_removed_one_comes_back(room: Room) -> None:
    created = room.put(NOTE, "a note\n").commit
    removed = room.put("SOUL.md", None).commit

    assert without(room, created) == {NOTE: None}
    assert without(room, removed) == {"SOUL.md": BEGINNING["SOUL.md"].encode()}


def test_what_was_taken_back_already_changes_nothing(room: Room) -> None:
    made = room.put("MEMORY.md", "# Other\n").commit
    room.put("MEMORY.md", CORE)

    assert without(room, made) == {"MEMORY.md": CORE.encode()}


def test_going_back_is_a_new_change_that_can_itself_be_taken_back(room: Room) -> None:
    made = room.put("MEMORY.md", "# Other\n").commit
    commits = len(room.actors())

    back = apply(room, without(room, made))

    assert room.says("MEMORY.md") == CORE
    assert len(room.actors()) == commits + 1
    assert room.log()[-1].split(" | ")[1:4] == ["REVERT", "MEMORY.md", "manual"]
    apply(room, without(room, back))
    assert room.says("MEMORY.md") == "# Other\n"


def test_all_of_a_session_is_taken_back_and_only_that(room: Room) -> None:
    session = Actor("reflection:r-012")
    first = room.put("MEMORY.md", CORE + "- by reflection\n", actor=session).commit
    room.put(NOTE, "by the user\n")
    second = room.put(
        "MEMORY.md", CORE + "- by reflection\n- and again\n", actor=session
    ).commit
    third = room.put("USER.md", "by reflection\n", actor=session).commit

    assert without(room, third, second, first) == {
        "USER.md": None,
        "MEMORY.md": CORE.encode(),
    }


def test_one_of_two_entries_of_a_day_is_taken_back_without_the_other(
    room: Room,
) -> None:
    head = "# 2026-02-02 — Episode Log\n"
    first, second = "\n## 14:30 | fact\nOne.\n", "\n## 15:30 | fact\nTwo.\n"
    made = room.put(DAY, head + first).commit
    later = room.put(DAY, head + first + second).commit

    assert without(room, later) == {DAY: (head + first).encode()}
    assert without(room, made) == {DAY: (head + second).encode()}


def test_a_change_under_later_ones_is_refused_with_their_names(room: Room) -> None:
    made = room.put("MEMORY.md", CORE.replace("- one", "- ONE")).commit
    later = room.put("MEMORY.md", CORE.replace("- one", "- eins")).commit
    room.put(NOTE, "something else\n")

    with pytest.raises(ConflictError, match="touch the same lines") as caught:
        without(room, made)

    assert made[:10] in str(caught.value)
    assert later[:10] in caught.value.advice
    assert "MEMORY.md" in caught.value.advice


def test_a_new_file_that_was_changed_since_is_not_taken_away(room: Room) -> None:
    made = room.put(NOTE, "a note\n").commit
    room.put(NOTE, "a better note\n")

    with pytest.raises(ConflictError):
        without(room, made)


def test_a_file_is_found_where_it_stands_now(room: Room) -> None:
    made = room.put(NOTE, "a note\n").commit
    room.put(NOTE, None)
    room.put("memory/vault/a/note.md", "a note\n")

    contents = without(room, made, **{NOTE: "memory/vault/a/note.md"})

    assert contents == {"memory/vault/a/note.md": None}


def test_derived_files_are_not_merged(room: Room) -> None:
    made = room.put(NOTE, "a note\n").commit

    assert contents_without(room.ledger, [made], {}, skip=[NOTE]) == {}


def test_the_moment_of_a_commit_includes_it(room: Room) -> None:
    room.clock.forward(minutes=1)
    made = room.put(NOTE, "x\n")

    found = commit_at(room.ledger, made.at)

    assert found == made.commit


def test_before_the_beginning_there_was_nothing(room: Room) -> None:
    with pytest.raises(NotFoundError, match="2026-02-02 14:30"):
        commit_at(room.ledger, START - timedelta(hours=1))


# --- two edits of one text, brought together without losing either -----------------


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
def test_merging_again_what_is_merged_changes_nothing(
    base: list[str], theirs: list[str]
) -> None:
    ours = [*base, "ours"]
    once = merge(text(*base), text(*ours), text(*theirs)).content

    assert merge(text(*base), once, text(*theirs)).content == once
