"""A window's turns deleted, corrected and spread over parts; all else stays."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.markdown import tidy
from reverie.model.change import ABSENT, Action, checksum
from reverie.model.conversation import DELETED, EDITED
from reverie.model.ids import MissingItemError
from reverie.model.items import Role, Turn
from reverie.stores import turns as store
from reverie.stores.reader import load_vocabulary, read_appended, read_file
from reverie.stores.turns import (
    GAP,
    PART_BYTES,
    UnchangeableTurnError,
    append_turns,
    edit_turn,
    last_part,
    mark_deleted,
    new_window,
    parse_more,
    parse_turns,
    parse_window,
    part_name,
    plan_parts,
    render_turn,
    window_of,
)

PATH = "conversations/trip.md"
DAY = "2026-03-01"
AT = datetime(2026, 2, 2, 14, 30, 5, tzinfo=UTC)
WORDS = load_vocabulary(None)
TYPED = (
    "# trip\r\n\r\n"
    "##  2026-02-02 14:30:05|user |turn:1 | speaker:A \\| B | x \r\n"
    "\r\n\r\n  Where do we stay?  \r\n\r\n\r\n"
    "## — | assistant | turn:1\r\nNear the river.\r\n```\r\n## not a turn\r\n```\r\n"
    "## lunch\r\nLost.\r\n"
    "## — | user | turn:2 | deleted:"
)

typed = st.sampled_from(
    [
        "## — | user | turn:1",
        "## — | user | turn:2 | deleted:2026-01-01",
        "## — | assistant | turn:1 | deleted: | x:y",
        "## — | assistant |turn:2|edited:2026-01-01 | speaker:a\\",
        "##\t— | system | turn:3 | speaker:\\| | ",
        "## — | user | turn:x",
    ]
)
ends = st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"])
files = st.lists(
    st.tuples(typed | strategies.lines, ends | st.just("")), max_size=12
).map(lambda pairs: "".join(line + end for line, end in pairs))
"""Any file that somebody makes of a window."""


def keys_of(text: str) -> list[tuple[int, Role]]:
    return [(turn.number, turn.role) for turn in parse_turns(text, PATH)]


def plain(turn: Turn) -> Turn:
    """A turn without the marks that a change leaves."""
    more = tuple((k, v) for k, v in turn.more if k not in (DELETED, EDITED))
    return replace(turn, more=more)


# --- deleted turns -----------------------------------------------------------


@given(files, st.data())
def test_deleting_changes_the_headings_of_these_turns_alone(
    text: str, data: st.DataObject
) -> None:
    before = parse_turns(text, PATH)
    there = [(turn.number, turn.role) for turn in before]
    some = data.draw(st.sets(st.sampled_from(there))) if there else set()

    after = mark_deleted(text, PATH, some, DAY)

    found = parse_turns(after, PATH)
    assert [*map(plain, found)] == [*map(plain, before)]
    for was, now in zip(before, found, strict=True):
        gone = (now.number, now.role) in some
        old = was.field(DELETED)
        assert now.field(DELETED) == (old or DAY if gone else old)
    changed = [
        (a, b)
        for a, b in zip(text.split("\n"), after.split("\n"), strict=True)
        if a != b
    ]
    assert all(b.startswith("##") and DAY in b for _, b in changed)
    assert mark_deleted(after, PATH, some, "2027-01-01") == after


@given(files)
def test_a_deleted_turn_is_found_by_nobody_and_its_number_stays_taken(
    text: str,
) -> None:
    there = keys_of(text)
    gone = set(there[::2])

    after = mark_deleted(text, PATH, gone, DAY)

    window = parse_window(after, PATH)
    items = [e.item for e in window.entries if isinstance(e.item, Turn)]
    alive = [t for t in parse_turns(text, PATH) if not t.field(DELETED)]
    assert items == [t for t in alive if (t.number, t.role) not in gone]
    assert len(window.entries) + len(window.deleted) == len(there)
    assert [f.what for f in window.findings] == [
        f.what for f in parse_window(text, PATH).findings
    ]


def test_a_turn_is_marked_as_deleted_so() -> None:
    text = append_turns("# trip\n", [Turn("trip", 1, Role.USER, "Hi.", AT)])

    assert mark_deleted(text, PATH, {(1, Role.USER)}, DAY) == (
        "# trip\n\n## 2026-02-02 14:30:05 | user | turn:1 | deleted:2026-03-01\nHi.\n"
    )


def test_a_heading_keeps_all_that_was_typed_into_it() -> None:
    both = {(1, Role.USER), (2, Role.USER)}

    after = mark_deleted(TYPED, PATH, both, DAY)

    assert after == TYPED.replace("B | x \r\n", f"B | x | deleted:{DAY} \r\n").replace(
        "turn:2 | deleted:", f"turn:2 | deleted:{DAY}"
    )


def test_a_number_that_was_deleted_is_not_given_again_in_the_same_file() -> None:
    text = f"## — | user | turn:1 | deleted:{DAY}\nA.\n## — | user | turn:1\nB.\n"

    window = parse_window(text, PATH)

    assert window.entries == ()
    assert [f.what for f in window.findings] == ["turn 1 of the user is written twice"]
    assert [turn.text for turn in parse_turns(text, PATH)] == ["A."]


def test_what_is_appended_below_deleted_turns_is_read_alone() -> None:
    said = [Turn("trip", n, Role.USER, f"Word {n}.", AT) for n in (1, 2)]
    known = mark_deleted(
        append_turns(new_window("trip"), said), PATH, {(1, Role.USER)}, DAY
    )
    more = [
        Turn("trip", 1, Role.USER, "Again.", AT),
        Turn("trip", 3, Role.USER, "Gone.", AT, more=((DELETED, DAY),)),
        Turn("trip", 4, Role.USER, "New.", AT),
    ]
    whole = append_turns(known, more)

    assert [e.text for e in parse_more(whole, PATH, known)] == ["New."]
    assert [e.text for e in parse_window(whole, PATH).entries] == ["Word 2.", "New."]


def test_a_deletion_is_never_taken_for_something_appended() -> None:
    text = "# trip\n\n## — | user | turn:1"
    after = mark_deleted(text, PATH, {(1, Role.USER)}, DAY)

    assert read_appended(PATH, text.encode(), after.encode()) is None
    reading = read_file(PATH, after.encode(), WORDS)
    assert (reading.entries, len(reading.deleted)) == ((), 1)


def test_deleting_or_changing_what_is_not_there_is_told() -> None:
    for role in [Role.SYSTEM, Role.ASSISTANT]:
        with pytest.raises(MissingItemError, match=f"turn 2 of the {role} in {PATH}"):
            mark_deleted(TYPED, PATH, [(1, Role.USER), (2, role)], DAY)
        with pytest.raises(MissingItemError, match=f"turn 2 of the {role} in {PATH}"):
            edit_turn(TYPED, PATH, 2, role, "x", DAY)


# --- corrected turns ---------------------------------------------------------


@given(files, strategies.said, st.data())
def test_correcting_changes_one_turn_alone(
    text: str, new: str, data: st.DataObject
) -> None:
    before = [t for t in parse_turns(text, PATH) if not t.field(DELETED)]
    if not before:
        return
    turn = data.draw(st.sampled_from(before))

    after = edit_turn(text, PATH, turn.number, turn.role, new, DAY)

    def others(of: str) -> list[Turn]:
        found = parse_turns(of, PATH)
        return [t for t in found if (t.number, t.role) != (turn.number, turn.role)]

    (now,) = [t for t in parse_turns(after, PATH) if t not in others(after)]
    assert now.text == tidy(new)
    assert plain(replace(now, text="")) == plain(replace(turn, text=""))
    assert now.field(EDITED) == (turn.field(EDITED) if turn.text == new else DAY)
    assert others(after) == others(text)
    assert edit_turn(after, PATH, turn.number, turn.role, new, "2027-01-01") == after


def test_blank_lines_and_windows_line_ends_stay_around_other_words() -> None:
    asked = edit_turn(TYPED, PATH, 1, Role.USER, "## Here?\nOr there?", DAY)
    answered = edit_turn(TYPED, PATH, 1, Role.ASSISTANT, "No.", DAY)
    empty = edit_turn(TYPED, PATH, 2, Role.USER, "Said\nafter all.", DAY)

    assert asked == TYPED.replace("| x \r\n", f"| x | edited:{DAY} \r\n").replace(
        "  Where do we stay?  \r\n", "\\## Here?\r\nOr there?\r\n"
    )
    start, _, rest = TYPED.partition("Near")
    assert (
        answered
        == start.replace("assistant | turn:1", f"assistant | turn:1 | edited:{DAY}")
        + "No."
        + rest.partition("a turn\r\n```")[2]
    )
    assert empty == f"{TYPED} | edited:{DAY}\r\nSaid\r\nafter all.\r\n"


def test_a_second_correction_takes_the_place_of_the_first() -> None:
    text = "## — | user | turn:1 | edited:2026-01-01 | scope:alex\nA.\n"

    assert edit_turn(text, PATH, 1, Role.USER, "B.", DAY) == (
        "## — | user | turn:1 | edited:2026-03-01 | scope:alex\nB.\n"
    )


def test_a_summary_is_corrected_like_any_turn() -> None:
    text = "## — | system | turn:4 | reflection:idle\nSum up.\n\n"
    text += "## — | assistant | turn:4 | reflection:idle\nAll is well.\n"

    after = edit_turn(text, PATH, 4, Role.ASSISTANT, "Nothing is well.", DAY)

    prompt, summary = parse_turns(after, PATH)
    assert (prompt.text, summary.text) == ("Sum up.", "Nothing is well.")
    assert summary.field("reflection") == "idle"


def test_what_is_deleted_or_would_be_empty_is_not_changed() -> None:
    text = f"## — | user | turn:1 | deleted:{DAY}\nA.\n## — | user | turn:2\nB.\n"

    with pytest.raises(UnchangeableTurnError) as caught:
        edit_turn(text, PATH, 1, Role.USER, "C.", DAY)
    with pytest.raises(UnchangeableTurnError):
        edit_turn(text, PATH, 2, Role.USER, " \r\n", DAY)
    assert "undoing" in caught.value.advice


# --- parts -------------------------------------------------------------------


@given(strategies.slugs, st.integers(1, 10**8))
def test_a_part_belongs_to_its_window(window: str, part: int) -> None:
    name = part_name(window, part)

    assert window_of(name) == window
    assert window_of(f"conversations/x/{name}") == window
    assert (part == 1) == (name == f"{window}.md")


def test_a_name_that_no_part_has_is_a_window_of_its_own() -> None:
    for name in ["trip~1", "trip~0", "trip~02", "trip~x", "trip~"]:
        assert window_of(f"{name}.md") == name


@given(st.integers(0, 400), st.lists(st.integers(1, 400), max_size=3, unique=True))
def test_the_newest_part_is_found_although_some_are_gone(
    count: int, gone: list[int]
) -> None:
    assert len(gone) <= GAP
    there = {n for n in range(1, count + 1) if n not in gone}

    assert last_part(there.__contains__) == max(there, default=0)


def test_the_newest_of_many_parts_is_found_with_few_looks() -> None:
    asked: list[int] = []

    def there(part: int) -> bool:
        asked.append(part)
        return part <= 10_000

    assert last_part(there) == 10_000
    assert len(asked) < 40


class Parts(dict[int, bytes]):
    """The parts of a window, and what is written into them."""

    def write(self, fresh: list[Turn], start: str = "# trip\n") -> list[int]:
        """Spread some turns; returns how many each part got."""
        last = max(1, *self, 1)
        found = list(plan_parts(fresh, last, self.opened, start, str))
        for edit in found:
            part, new = int(edit.path), edit.content or b""
            assert new.startswith(self.get(part, b""))
            known = self.get(part)
            assert edit.base == (checksum(known) if known is not None else ABSENT)
            assert edit.action is (Action.APPEND if known else Action.CREATE)
            self[part] = new
        return [int(edit.summary) for edit in found]

    def opened(self, part: int) -> tuple[str, bytes | None]:
        """A part's path and bytes."""
        return str(part), self.get(part)

    def turns(self) -> list[Turn]:
        """What all parts hold."""
        texts = (data.decode("utf-8-sig") for _, data in sorted(self.items()))
        return [turn for text in texts for turn in parse_turns(text, PATH)]


def talk(count: int, size: int, first: int = 1) -> list[Turn]:
    return [
        Turn("trip", n, Role.USER, f"{n} " + "x" * size, AT)
        for n in range(first, first + count)
    ]


def test_turns_go_on_in_a_further_part_where_one_is_full() -> None:
    said = talk(10, PART_BYTES // 4)
    parts = Parts()

    assert parts.write(said[:1]) == [1]
    assert parts.write(said[1:]) == [3, 4, 2]
    assert parts.turns() == said
    assert all(len(data) >= PART_BYTES for n, data in parts.items() if n < 3)
    assert all(data.startswith(b"# trip\n") for data in parts.values())


def test_a_giant_turn_is_not_cut_and_a_giant_title_stops_nothing() -> None:
    parts = Parts()

    assert parts.write(talk(2, 3 * PART_BYTES), f"# {'x' * PART_BYTES}\n") == [1, 1]
    assert parts.turns() == talk(2, 3 * PART_BYTES)


def test_what_was_imported_and_what_was_said_here_are_never_in_one_part() -> None:
    imported = new_window("trip", "", "chatgpt:abc")
    parts = Parts()

    parts.write(talk(1, 1), imported)
    parts.write(talk(1, 1, 2), imported)
    parts.write(talk(1, 1, 3))
    parts.write(talk(1, 1, 4), imported)

    assert [(t.number, t.imported) for t in parts.turns()] == [
        *((1, True), (2, True), (3, False), (4, True))
    ]
    assert sorted(parts) == [1, 2, 3]


def test_a_part_that_nobody_can_read_gets_no_more() -> None:
    parts = Parts({1: b"# trip\n\n## caf\xe9\n"})

    assert parts.write(talk(1, 1)) == [1]
    assert sorted(parts) == [1, 2]


def test_bytes_at_the_start_of_a_part_stay() -> None:
    for start in [b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf# Mine\r\n"]:
        parts = Parts({1: start})

        assert parts.write(talk(1, 1)) == [1]
        assert parts[1].startswith(start)
        assert parts.turns() == talk(1, 1)


def test_turns_stand_in_their_window_by_number_and_speaker() -> None:
    pairs = [(n, role) for n in (1, 2, 10) for role in store.SPEAKERS]
    said = [Turn("trip", n, role, "x") for n, role in pairs]

    places = list(map(store.standing, said))
    assert places == sorted(set(places))


def test_a_hostile_megabyte_is_changed_in_time() -> None:
    for line in ["```", "<!--", "|" * 50, render_turn(talk(1, 1)[0])]:
        hostile = f"{line}\n" * (150_000 // (len(line) + 1))
        text = f"## — | user | turn:7 | {'|' * 10_000}\n{hostile}"

        after = mark_deleted(text, PATH, {(7, Role.USER)}, DAY)

        assert len(after) == len(text) + len(f" | deleted:{DAY}")
