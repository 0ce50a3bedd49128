"""What was said is written down once, in order, below what is there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies
from tests.strategies import built

from reverie.errors import FormatError
from reverie.markdown import tidy
from reverie.model.change import Action, Edit, checksum
from reverie.model.conversation import DELETED, EDITED, WindowState
from reverie.model.ids import MissingItemError
from reverie.model.items import Role, Turn
from reverie.printable import mended
from reverie.session.conversation_record import (
    NoNumberLeftError,
    TurnsPlan,
    WindowRecord,
    state_of,
)
from reverie.stores.reader import load_vocabulary, read_appended, read_file
from reverie.stores.turns import LARGEST, PART_BYTES, UnchangeableTurnError, new_window

WINDOW = "trip-to-rome"
PATH = f"conversations/{WINDOW}.md"
AT = datetime(2026, 2, 2, 14, 30, tzinfo=UTC)
DAY = "2026-03-01"
WORDS = load_vocabulary(None)
USER, ASSISTANT, SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM


class Files:
    """Files in memory, and how often they were read."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.reads = 0
        self.looks = 0

    @property
    def it(self) -> WindowRecord:
        """The record of the one conversation."""
        return self.of(WINDOW)

    def of(self, window: str) -> WindowRecord:
        """The record of any conversation."""
        return WindowRecord(window, self.read, self.exists, self.place)

    def read(self, path: str) -> bytes | None:
        """A file as it stands."""
        self.reads += 1
        return self.files.get(path)

    def exists(self, path: str) -> bool:
        """Whether there is one."""
        self.looks += 1
        return path in self.files

    def place(self, folder: str, name: str) -> str:
        """Where it stands."""
        return f"{folder}/{name}"

    def make(self, edits: tuple[Edit, ...]) -> None:
        """Do what was planned, as the ledger would."""
        assert len({edit.path for edit in edits}) == len(edits)
        for edit in edits:
            assert edit.base == checksum(self.files.get(edit.path))
            assert edit.content is not None
            self.files[edit.path] = edit.content

    def write(self, *said: Turn) -> TurnsPlan:
        """Plan and write some turns down."""
        plan = self.it.plan_turns(said)
        self.make(plan.edits)
        return plan

    def type(self, text: str, path: str = PATH) -> None:
        """A person types something at the end of a file."""
        self.files[path] = self.files.get(path, b"") + text.encode()

    def told(self) -> list[tuple[int, Role, str]]:
        """What the record says; nothing is wrong in it."""
        for path, data in self.files.items():
            assert read_file(path, data, WORDS).findings == ()
        found = self.it.tail()
        return [(turn.number, turn.role, turn.text) for turn in found]


@pytest.fixture
def shelf() -> Files:
    """An empty workspace."""
    return Files()


def turn(number: int, role: Role = USER, text: str = "", second: int = 0) -> Turn:
    at = AT + timedelta(minutes=number, seconds=second)
    return Turn(WINDOW, number, role, text or f"{role} {number}.", at)


def pair(number: int, size: int = 0) -> tuple[Turn, Turn]:
    more = f" {'x' * size}" if size else ""
    return (
        turn(number, USER, f"Question {number}?{more}"),
        turn(number, ASSISTANT, f"Answer {number}.{more}", 5),
    )


def long_window(shelf: Files, count: int) -> list[Turn]:
    """A window of so many parts, of two pairs each."""
    said = [t for n in range(1, 2 * count + 1) for t in pair(n, PART_BYTES // 4)]
    shelf.write(*said)
    assert len(shelf.it.parts()) == count
    shelf.reads = shelf.looks = 0
    return said


# --- writing down ------------------------------------------------------------

sayings = st.lists(
    built(
        Turn,
        window=st.just(WINDOW),
        number=st.just(0),
        role=st.sampled_from(Role),
        text=strategies.texts | st.sampled_from(["\ud800", "\0 x", "a\r\nb\r"]),
        at=st.integers(0, 10**6).map(lambda s: AT + timedelta(seconds=s)),
        speaker=st.just("") | strategies.names,
        more=st.lists(
            st.tuples(strategies.words.map("x-{}".format), strategies.names), max_size=1
        ).map(tuple),
    ),
    max_size=8,
)


def numbered(said: list[Turn], state: WindowState) -> list[Turn]:
    """Turns as they are numbered while people talk."""
    made = []
    for one in said:
        number = state.number_for(one)
        spoken = Turn(WINDOW, number, one.role, one.text, one.at, one.speaker, one.more)
        state = state.after(spoken)
        made.append(spoken)
    return made


@given(sayings, st.integers(0, 8), st.integers(200, 2000))
def test_whatever_is_said_comes_back_once_however_often_it_is_written(
    said: list[Turn], cut: int, size: int
) -> None:
    shelf = Files()
    spoken = numbered(said, WindowState())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reverie.stores.turns.PART_BYTES", size)
        first = shelf.write(*spoken[:cut])
        again = shelf.it.plan_turns(spoken[:cut])
        second = shelf.write(*spoken)

    assert again.edits == ()
    assert again.turns == first.turns
    texts = [tidy(mended(t.text)) for t in spoken]
    assert shelf.told() == [
        (t.number, t.role, text) for t, text in zip(spoken, texts, strict=True)
    ]
    assert second.last == max((t.number for t in spoken), default=0)
    assert state_of(shelf.it.tail()) == state_of(spoken)


@given(
    sayings,
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(Role)), max_size=4),
    st.integers(0, 8),
    st.integers(100, 1000),
)
def test_whatever_numbers_people_take_nothing_is_lost_and_the_order_stays(
    said: list[Turn], taken: list[tuple[int, Role]], cut: int, size: int
) -> None:
    shelf = Files()
    spoken = numbered(said, WindowState())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reverie.stores.turns.PART_BYTES", size)
        first = shelf.write(*spoken[:cut])
        there = {(t.number, t.role) for t in first.turns}
        typed = [key for key in dict.fromkeys(taken) if key not in there]
        for number, role in typed:
            path = (shelf.it.parts() or [PATH])[-1]
            shelf.type(f"\n\n## — | {role} | turn:{number}\nTyped {number}.\n", path)
        last = max([first.last, *(number for number, _ in typed)])
        rest = numbered(said[cut:], replace(state_of(first.turns), open=False))
        plan = shelf.write(*rest)
        again = shelf.it.plan_turns(rest)

    assert (again.edits, again.turns, again.last) == ((), plan.turns, plan.last)
    written = [(t.number, t.role) for t in (*first.turns, *plan.turns)]
    assert sorted(shelf.told()) == sorted(
        [
            *((n, role, f"Typed {n}.") for n, role in typed),
            *((t.number, t.role, t.text) for t in (*first.turns, *plan.turns)),
        ]
    )
    assert len(set(written)) == len(written)
    numbers = [t.number for t in plan.turns if t.role is not ASSISTANT]
    assert numbers == sorted(numbers)
    assert plan.last == max([last, *(t.number for t in plan.turns)])


def test_a_new_window_begins_with_its_name(shelf: Files) -> None:
    plan = shelf.it.plan_turns(pair(1))

    (edit,) = plan.edits
    assert (edit.path, edit.action, edit.base) == (PATH, Action.CREATE, "")
    assert edit.summary == "2 turns of trip-to-rome"
    assert (edit.content or b"").decode().startswith(new_window(WINDOW))
    assert (plan.turns, plan.last) == (pair(1), 1)


def test_more_turns_are_appended_and_read_alone(shelf: Files) -> None:
    shelf.write(*pair(1))
    before = shelf.files[PATH]

    plan = shelf.write(turn(2))

    (edit,) = plan.edits
    assert (edit.action, edit.summary) == (Action.APPEND, "1 turn of trip-to-rome")
    more = read_appended(PATH, before, shelf.files[PATH])
    assert more is not None
    assert [str(entry.id) for entry in more] == ["turn:trip-to-rome/2/user/0"]


def test_nothing_said_is_nothing_planned(shelf: Files) -> None:
    shelf.write(*pair(3))

    assert shelf.it.plan_turns(()) == TurnsPlan((), (), 3)
    assert shelf.of("other").plan_turns(()) == TurnsPlan((), (), 0)


def test_many_turns_fill_several_parts(shelf: Files) -> None:
    said = [t for n in range(1, 7) for t in pair(n, PART_BYTES // 4)]

    plan = shelf.write(*said)

    paths = [f"conversations/{WINDOW}{part}.md" for part in ("", "~2", "~3")]
    assert [edit.path for edit in plan.edits] == paths == shelf.it.parts()
    assert shelf.it.tail() == tuple(said)
    assert shelf.write(*said[-9:]).edits == ()


def test_a_number_that_a_person_took_moves_the_pair_to_the_next(shelf: Files) -> None:
    shelf.write(*pair(1))
    shelf.type("\n## — | user | turn:2\nTyped.\n")
    spoken = [*pair(2), *pair(3), turn(4)]

    plan = shelf.write(*spoken)

    assert [(t.number, t.role) for t in plan.turns] == [
        *((3, USER), (3, ASSISTANT), (4, USER), (4, ASSISTANT), (5, USER))
    ]
    assert plan.last == 5
    assert shelf.told()[2:5] == [
        (2, USER, "Typed."),
        (3, USER, "Question 2?"),
        (3, ASSISTANT, "Answer 2."),
    ]
    again = shelf.it.plan_turns(spoken)
    assert (again.edits, again.turns, again.last) == ((), plan.turns, 5)


def test_a_number_far_above_the_others_is_a_slip_and_raises_nothing(
    shelf: Files,
) -> None:
    shelf.write(*pair(1))
    shelf.type("\n## — | user | turn:999999999\nTyped.\n")

    plan = shelf.write(turn(2))

    assert (plan.turns[0].number, plan.last) == (2, 2)
    assert [t.number for t in shelf.it.tail()] == [1, 1, 2]
    (finding,) = read_file(PATH, shelf.files[PATH], WORDS).findings
    assert "turn 999999999 is far above" in finding.what
    assert state_of(shelf.it.tail()).last == 2


def test_no_number_is_given_that_could_not_be_read_back(shelf: Files) -> None:
    shelf.write(*pair(1))

    plan = shelf.write(turn(1_000_000_000), turn(1_000_000_000, ASSISTANT))

    assert [t.number for t in plan.turns] == [2, 2]
    assert [t.number for t in shelf.it.tail()] == [1, 1, 2, 2]
    shelf.type(
        f"# x\n\n## — | user | turn:{LARGEST}\nTyped.\n",
        PATH.replace(".md", "~2.md"),
    )
    with pytest.raises(NoNumberLeftError):
        shelf.it.plan_turns([turn(LARGEST + 1)])


def test_it_is_known_whether_a_turn_has_an_answer_wherever_that_stands(
    shelf: Files,
) -> None:
    long_window(shelf, 4)
    shelf.write(turn(9), turn(10))
    shelf.write(turn(9, ASSISTANT))

    found = [shelf.it.is_answered(number) for number in (1, 9, 10, 11)]

    assert found == [True, True, False, False]


def test_words_that_come_again_are_not_taken_for_those_that_moved(
    shelf: Files,
) -> None:
    shelf.type("# x\n\n## — | user | turn:1\nTyped.\n")
    spoken = [turn(n, USER, "ok") for n in (1, 2, 3)]

    plan = shelf.write(*spoken)
    again = shelf.it.plan_turns([*spoken, turn(4, USER, "ok")])

    assert [t.number for t in plan.turns] == [2, 3, 4]
    assert [t.number for t in again.turns] == [2, 3, 4, 5]
    assert [edit.summary for edit in again.edits] == ["1 turn of trip-to-rome"]


def test_of_a_pair_only_what_follows_the_taken_side_moves(shelf: Files) -> None:
    shelf.write(*pair(1), turn(2))
    shelf.type("\n## — | assistant | turn:2\nTyped.\n")

    plan = shelf.write(pair(2)[1], turn(3))

    assert [(t.number, t.role) for t in plan.turns] == [(3, ASSISTANT), (4, USER)]


def test_an_answer_that_comes_late_stays_with_its_question(shelf: Files) -> None:
    shelf.write(turn(1), turn(2))
    shelf.type("\n## — | user | turn:3\nTyped.\n")

    plan = shelf.write(turn(3), turn(1, ASSISTANT))

    assert [(t.number, t.role) for t in plan.turns] == [(4, USER), (1, ASSISTANT)]


@pytest.mark.parametrize("change", ["deleted", "edited"])
def test_a_turn_that_was_changed_meanwhile_is_not_written_again(
    shelf: Files, change: str
) -> None:
    shelf.write(*pair(1))
    shelf.make(
        shelf.it.plan_delete(1, day=DAY)
        if change == "deleted"
        else shelf.it.plan_edit(1, ASSISTANT, "Other words.", day=DAY)
    )

    assert shelf.it.plan_turns(pair(1)).edits == ()


def test_the_number_of_a_deleted_turn_is_not_given_again(shelf: Files) -> None:
    shelf.write(*pair(1))
    shelf.make(shelf.it.plan_delete(1, day=DAY))

    assert shelf.write(turn(1, USER, "New.")).turns[0].number == 2


def test_what_was_imported_goes_on_in_a_part_of_its_own(shelf: Files) -> None:
    start = new_window(WINDOW, "", "chatgpt:abc")
    shelf.type(f"{start}\n## — | user | turn:1\nTheirs.\n")

    shelf.write(turn(2))

    assert [t.imported for t in shelf.it.tail()] == [True, False]


def test_a_file_that_nobody_can_read_loses_nothing_and_hides_nothing(
    shelf: Files,
) -> None:
    broken = b"# x\n\n## \xe2\x80\x94 | user | turn:1\ncaf\xe9\n"
    shelf.files[PATH] = broken

    plan = shelf.write(turn(1), turn(2))

    assert shelf.files[PATH] == broken
    assert [t.number for t in plan.turns] == [2, 3]
    assert [t.number for t in shelf.it.tail(1)] == [2, 3]
    with pytest.raises(FormatError):
        shelf.it.plan_delete(1, day=DAY)


# --- parts -------------------------------------------------------------------


def test_writing_into_a_long_window_reads_little_of_it(shelf: Files) -> None:
    long_window(shelf, 50)

    shelf.write(turn(101))
    assert shelf.reads <= 3
    assert shelf.looks < 30

    plan = shelf.write(pair(101)[1], replace(pair(9)[1], text="Another answer."))
    assert [t.number for t in plan.turns] == [101, 102]


def test_a_long_window_knows_what_it_holds_wherever_that_stands(shelf: Files) -> None:
    said = long_window(shelf, 20)

    for there in said[::7]:
        assert shelf.it.plan_turns([there]).edits == ()


def test_an_answer_may_stand_in_the_part_behind_its_question(shelf: Files) -> None:
    long_window(shelf, 3)
    question, answer = pair(7, PART_BYTES)
    shelf.write(question)
    shelf.write(answer)
    shelf.write(turn(8), turn(9))

    assert len(shelf.it.parts()) == 6
    assert shelf.it.plan_turns([question, answer]).edits == ()
    edits = shelf.it.plan_delete(7, day=DAY)
    assert [edit.path.rpartition("~")[2] for edit in edits] == ["4.md", "5.md"]


def test_parts_that_hold_only_late_answers_give_no_number_twice(shelf: Files) -> None:
    long_window(shelf, 2)
    shelf.write(replace(turn(1, ASSISTANT), text="Late."))
    shelf.make(shelf.it.plan_turns([turn(5)]).edits)
    assert [n for n, _, _ in shelf.told()][-2:] == [5, 5]

    late = f"conversations/{WINDOW}~3.md"
    shelf.files[late] = b"# x\n\n## \xe2\x80\x94 | assistant | turn:2\nTyped.\n"
    plan = shelf.it.plan_turns([turn(4, USER, "Mine."), turn(5)])
    assert [t.number for t in plan.turns] == [5, 6]


def test_the_last_turns_are_read_from_the_last_parts(shelf: Files) -> None:
    said = long_window(shelf, 30)

    assert shelf.it.tail(3) == tuple(said[-4:])
    assert shelf.reads == 1
    assert shelf.it.tail(5) == tuple(said[-8:])
    assert shelf.it.tail(10**6) == shelf.it.tail() == tuple(said)
    assert shelf.of("other").tail(5) == ()


def test_deleted_turns_do_not_count_among_the_last(shelf: Files) -> None:
    said = long_window(shelf, 3)
    for number in (5, 6):
        shelf.make(shelf.it.plan_delete(number, day=DAY))

    found = shelf.it.tail(4)

    assert [t.number for t in found] == [t.number for t in said[4:]]
    assert [bool(t.field(DELETED)) for t in found] == [False] * 4 + [True] * 4


def test_a_part_that_was_taken_away_is_missed_and_the_rest_read(shelf: Files) -> None:
    said = long_window(shelf, 9)
    for part in ("", "~4", "~5"):
        del shelf.files[f"conversations/{WINDOW}{part}.md"]

    assert shelf.it.tail() == (*said[4:12], *said[20:])
    assert len(shelf.it.parts()) == 6
    assert shelf.write(turn(19)).edits[0].path.endswith("~10.md")


def test_a_state_is_what_was_said(shelf: Files) -> None:
    shelf.write(*pair(1), turn(2))
    summed_up = replace(turn(3, ASSISTANT), more=(("reflection", "idle"),))
    shelf.write(turn(3, SYSTEM), summed_up, turn(4))

    state = state_of(shelf.it.tail())

    assert (state.last, state.open, state.since) == (4, True, 1)
    assert (state.heard, state.reflected) == (turn(4).at, turn(3).at)
    assert state_of(()) == WindowState()


# --- deleting and correcting -------------------------------------------------


def test_a_pair_is_deleted_together_and_stays_in_the_record(shelf: Files) -> None:
    shelf.write(*pair(1), *pair(2), turn(22))

    (edit,) = shelf.it.plan_delete(2, day=DAY)

    assert (edit.action, edit.summary) == (
        Action.EDIT,
        "deleted turn 2 of trip-to-rome",
    )
    shelf.make((edit,))
    gone = [t for t in shelf.it.tail() if t.field(DELETED)]
    assert [plain for plain in gone if plain.number != 2] == []
    assert [t.text for t in gone] == ["Question 2?", "Answer 2."]
    reading = read_file(PATH, shelf.files[PATH], WORDS)
    assert len(reading.entries) == 3
    assert shelf.it.plan_delete(2, day="2027-01-01") == ()


def test_one_side_may_be_deleted_alone(shelf: Files) -> None:
    shelf.write(*pair(1))

    (edit,) = shelf.it.plan_delete(1, role=ASSISTANT, day=DAY)

    shelf.make((edit,))
    assert edit.summary == "deleted turn 1 (assistant) of trip-to-rome"
    assert [t.field(DELETED) for t in shelf.it.tail()] == ["", DAY]


def test_a_late_answer_is_deleted_with_its_question(shelf: Files) -> None:
    said = long_window(shelf, 4)
    shelf.write(*pair(9), turn(9, SYSTEM))
    shelf.type("\n## — | system | turn:1\nLate.\n", f"conversations/{WINDOW}~5.md")

    shelf.make(shelf.it.plan_delete(1, day=DAY))

    gone = [t for t in shelf.it.tail() if t.field(DELETED)]
    assert [t.text for t in gone] == [said[0].text, said[1].text, "Late."]


def test_a_turn_is_corrected_and_nothing_else(shelf: Files) -> None:
    shelf.write(*pair(1), *pair(2))
    shelf.files[PATH] = b"\xef\xbb\xbf" + shelf.files[PATH].replace(b"\n", b"\r\n")
    before = shelf.files[PATH]

    (edit,) = shelf.it.plan_edit(2, ASSISTANT, "Mine\0\ud800.", day=DAY)

    shelf.make((edit,))
    assert (edit.action, edit.summary) == (
        Action.EDIT,
        "edited turn 2 (assistant) of trip-to-rome",
    )
    assert edit.content == before.replace(
        b"assistant | turn:2", b"assistant | turn:2 | edited:2026-03-01"
    ).replace(b"Answer 2.", "Mine\ufffd\ufffd.".encode())
    assert shelf.it.tail()[-1].field(EDITED) == DAY
    assert shelf.it.plan_edit(2, ASSISTANT, "Mine\0\0.", day="2027-01-01") == ()


def test_what_is_not_there_can_be_neither_deleted_nor_corrected(shelf: Files) -> None:
    shelf.write(turn(1), turn(10))

    with pytest.raises(MissingItemError, match=f"no turn 2 in {PATH}"):
        shelf.it.plan_delete(2, day=DAY)
    with pytest.raises(MissingItemError, match="turn 1 of the system"):
        shelf.it.plan_delete(1, role=SYSTEM, day=DAY)
    with pytest.raises(MissingItemError, match="turn 1 of the assistant"):
        shelf.it.plan_edit(1, ASSISTANT, "x", day=DAY)
    with pytest.raises(MissingItemError):
        shelf.of("other").plan_delete(1, day=DAY)


def test_what_was_deleted_is_not_corrected(shelf: Files) -> None:
    shelf.write(*pair(1))
    shelf.make(shelf.it.plan_delete(1, role=USER, day=DAY))

    with pytest.raises(UnchangeableTurnError):
        shelf.it.plan_edit(1, USER, "x", day=DAY)
