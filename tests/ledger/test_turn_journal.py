"""The journal: what was said is kept whatever happens, each turn under its number."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.crash.faults import Points, in_child, instrumented, run_killed
from tests.strategies import NASTY, built

from reverie.ledger.turn_journal import (
    HEAD,
    MARKS,
    Journal,
    WindowNameError,
    number_turns,
    parse_head,
    parse_turns,
    render_head,
    render_turns,
)
from reverie.model.conversation import REFLECTION, WindowState
from reverie.model.items import Role, Turn, UnclearMomentError, scope_of
from reverie.workspace.files import DiskError, NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)
WRITERS = 4
EACH = 100


texts = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=()))
moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  Hypothesis wants it so
    datetime(2199, 12, 31),  # noqa: DTZ001
    timezones=st.timezones(),
    allow_imaginary=False,
)
utterances = built(
    Turn,
    window=st.just("w"),
    role=st.sampled_from(Role),
    text=texts,
    at=moments,
    speaker=texts,
    more=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    number=st.integers(-1, 5),
)
states = built(
    WindowState,
    last=st.integers(0, 999_999_999),
    open=st.booleans(),
    since=st.integers(0, 999_999_999),
    heard=st.none() | moments.map(lambda at: at.astimezone(UTC).replace(microsecond=0)),
    reflected=st.none()
    | moments.map(lambda at: at.astimezone(UTC).replace(microsecond=0)),
    waiting=st.integers(0, 999_999_999),
)


@pytest.fixture(scope="module", autouse=True)
def quick_disk() -> Iterator[None]:
    """What is synced, and when, is looked at in a test of its own; no kill needs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "said"


def user(text: str = "and?") -> Turn:
    return Turn("w", 0, Role.USER, text, NOON)


def assistant(text: str = "so.", answers: int = 0) -> Turn:
    return Turn("w", answers, Role.ASSISTANT, text, NOON)


def never() -> WindowState:
    pytest.fail("history was asked")


def say(journal: Journal, *texts: str, window: str = "w") -> list[Turn]:
    return [journal.append(window, [user(t)], WindowState)[0] for t in texts]


def told(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


# --- saying ----------------------------------------------------------------------


def test_what_was_said_waits_under_its_number(journal: Journal) -> None:
    asked = journal.append("w", [user("One.\nTwo.\0")], lambda: WindowState(last=6))
    answered = journal.append("w", [assistant("Three.")], never)

    assert asked == (Turn("w", 7, Role.USER, "One.\nTwo.\0", NOON),)
    assert answered == (Turn("w", 7, Role.ASSISTANT, "Three.", NOON),)
    assert journal.waiting("w") == asked + answered
    assert journal.state("w") == WindowState(7, open=False, since=1, heard=NOON)


def test_another_process_sees_the_same(journal: Journal, tmp_path: Path) -> None:
    other = Journal(tmp_path)
    say(journal, "one")
    assert other.state("w") == journal.state("w")
    say(other, "two")
    say(journal, "three")

    assert told(other.waiting("w")) == ["one", "two", "three"]
    assert other.state("w") == journal.state("w")
    assert other.windows() == journal.windows() == ["w"]


def test_a_turn_costs_no_more_after_many_others(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(data: bytes, window: str) -> Iterator[tuple[list[Turn], int]]:
        read.append(len(data))
        return parse_turns(data, window)

    monkeypatch.setattr("reverie.ledger.turn_journal.parse_turns", counted)

    say(journal, *["and then?"] * 60)

    assert max(read[2:]) < 400  # nothing but what is new, and none of it is
    assert len(Journal(journal._folder.parent).waiting("w")) == 60  # noqa: SLF001


def test_a_reflection_is_said_as_a_pair(journal: Journal) -> None:
    say(journal, "a question that stays open")
    idle = ((REFLECTION, "idle"),)
    pair = [
        Turn("w", 0, Role.SYSTEM, "Sum up.", NOON, more=idle),
        Turn("w", 0, Role.ASSISTANT, "All is well.", NOON, more=idle),
    ]

    prompt, summary = journal.append("w", pair, never)

    assert prompt.number == summary.number == 2
    state = journal.state("w")
    assert state is not None
    assert (state.since, state.reflected) == (0, NOON)


def test_a_fraction_of_a_second_and_a_zone_are_left_out(journal: Journal) -> None:
    at = (NOON + timedelta(microseconds=5)).astimezone()

    turns = journal.append("w", [replace(user(), at=at)], WindowState)

    assert turns[0].at == NOON
    assert journal.waiting("w") == turns


def test_a_moment_without_a_zone_is_refused_and_nothing_kept(journal: Journal) -> None:
    naive = replace(user(), at=NOON.replace(tzinfo=None))

    with pytest.raises(UnclearMomentError):
        journal.append("w", [user(), naive], WindowState)
    assert journal.waiting("w") == ()


@given(st.lists(st.lists(utterances, max_size=3), max_size=3))
def test_whatever_was_said_is_read_back(said: list[list[Turn]]) -> None:
    with TemporaryDirectory() as place:
        journal = Journal(Path(place))
        turns = [journal.append("w", each, WindowState) for each in said]

        whole = tuple(turn for each in turns for turn in each)
        assert journal.waiting("w") == whole
        other = Journal(Path(place))
        assert other.waiting("w") == whole
        assert other.state("w") == journal.state("w")


def test_history_is_asked_without_a_lock_and_only_once(
    journal: Journal, tmp_path: Path
) -> None:
    asked = []

    def known() -> WindowState:
        asked.append(1)
        other = Journal(tmp_path)  # quicker than we are
        assert other.append("w", [user()], lambda: WindowState(last=3))
        return WindowState()

    assert journal.append("w", [user()], known)[0].number == 5
    journal.settle("w", 2)
    assert journal.append("w", [user()], never)[0].number == 6
    assert len(asked) == 1


def test_nothing_said_is_nothing_done(journal: Journal, tmp_path: Path) -> None:
    assert journal.append("w", [], never) == ()
    assert journal.state("w") is None
    assert journal.waiting("w") == ()
    assert journal.windows() == journal.known() == []
    journal.settle("w", 3, last=5)
    assert list(tmp_path.iterdir()) == []


# --- company ---------------------------------------------------------------------


def wait_for(children: list[int]) -> None:
    codes = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
    assert set(codes) == {0}


def talking(journal: Journal, writer: int, window: str, turns: int = EACH) -> None:
    """Ask, and answer by number, as somebody does beside whom others talk."""
    for number in range(turns // 2):
        text = f"{writer} {number}"
        asked = journal.append(window, [user(text)], WindowState)[0]
        given = assistant(text, answers=asked.number)
        assert journal.append(window, [given], never)[0].number == asked.number


@pytest.mark.parametrize("windows", [1, WRITERS])
def test_many_processes_never_share_a_number(tmp_path: Path, windows: int) -> None:
    def start(writer: int) -> int:
        name = f"w{writer % windows}"
        return in_child(lambda: talking(Journal(tmp_path), writer, name))

    wait_for([start(writer) for writer in range(WRITERS)])

    journal = Journal(tmp_path)
    assert len(journal.windows()) == windows
    found = [turn for name in journal.windows() for turn in journal.waiting(name)]
    assert len(found) == WRITERS * EACH
    pairs = Counter((turn.window, turn.number, turn.text) for turn in found)
    assert set(pairs.values()) == {2}
    assert len({(window, number) for window, number, _ in pairs}) == len(pairs)
    assert max(turn.number for turn in found) == len(found) // 2 // windows


def test_a_journal_may_be_taken_along_into_a_child(journal: Journal) -> None:
    say(journal, "before")
    child = in_child(lambda: talking(journal, 1, "w", 60))
    talking(journal, 2, "w", 60)
    wait_for([child])

    keys = Counter((turn.number, turn.role) for turn in journal.waiting("w"))
    assert sum(keys.values()) == len(keys) == 1 + 2 * 60


def test_settling_beside_a_writer_loses_nothing(
    journal: Journal, tmp_path: Path
) -> None:
    child = in_child(lambda: talking(Journal(tmp_path), 1, "w"))
    found: list[Turn] = []
    while len(found) < EACH:
        waiting = journal.waiting("w")
        found += waiting
        journal.settle("w", len(waiting))
    wait_for([child])

    assert journal.waiting("w") == ()
    expected = [number for n in range(1, EACH // 2 + 1) for number in (n, n)]
    assert [turn.number for turn in found] == expected


# --- settling --------------------------------------------------------------------


def test_what_is_settled_is_gone_and_the_state_stays(journal: Journal) -> None:
    say(journal, "one", "two", "three")
    before = journal.state("w")

    journal.settle("w", 2)

    assert told(journal.waiting("w")) == ["three"]
    assert journal.state("w") == before
    journal.settle("w", 5)
    assert journal.waiting("w") == ()
    assert journal.state("w") == before
    assert journal.append("w", [assistant()], never)[0].number == 3


def test_a_number_that_history_gave_away_is_not_given_again(journal: Journal) -> None:
    say(journal, "one")

    journal.settle("w", 1, last=8)

    assert journal.state("w") == WindowState(8, since=1, heard=NOON, waiting=1)
    journal.settle("w", 0, last=3)
    assert say(journal, "two")[0].number == 9


def test_what_got_another_number_in_history_takes_along_what_was_said_since(
    journal: Journal,
) -> None:
    asked = say(journal, "one", "two")
    waiting = journal.waiting("w")
    journal.append("w", [assistant("to two")], never)
    say(journal, "three")
    journal.append("w", [assistant("to one", answers=1)], never)
    journal.append("w", [assistant("to three")], never)
    written = [replace(asked[0], number=4), replace(asked[1], number=5)]

    journal.settle("w", len(waiting), last=5, written=written)

    assert [(turn.number, turn.text) for turn in journal.waiting("w")] == [
        *((5, "to two"), (6, "three"), (4, "to one"), (6, "to three"))
    ]
    assert say(journal, "four")[0].number == 7


def test_an_answer_finds_a_question_that_moved_in_history(journal: Journal) -> None:
    (asked,) = say(journal, "one")

    journal.settle("w", 1, last=7, written=[replace(asked, number=3)])

    assert journal.append("w", [assistant()], never)[0].number == 3
    assert say(journal, "two")[0].number == 8


def test_history_is_asked_whether_an_early_turn_has_its_answer(
    journal: Journal,
) -> None:
    asked: list[int] = []

    def answered(number: int) -> bool:
        asked.append(number)
        return number == 1

    say(journal, "one", "two", "three")
    journal.settle("w", 3)

    def answer(number: int) -> int:
        turns = journal.append("w", [assistant(answers=number)], never, answered)
        return turns[0].number

    assert [answer(number) for number in (3, 2, 2, 1)] == [3, 2, 4, 5]
    assert asked == [2, 1]


def test_an_answer_that_went_to_history_meanwhile_is_known(
    journal: Journal, tmp_path: Path
) -> None:
    say(journal, "one", "two")
    journal.settle("w", 2)
    there: set[int] = set()

    def answered(number: int) -> bool:
        if not there:  # somebody else is quicker, and it is written down
            other = Journal(tmp_path)
            other.append("w", [assistant(answers=1)], never, lambda _: False)
            other.settle("w", len(other.waiting("w")))
            there.add(1)
            return False
        return number in there

    turns = journal.append("w", [assistant(answers=1)], never, answered)

    assert turns[0].number == 3


def test_settling_nothing_writes_nothing(journal: Journal, folder: Path) -> None:
    say(journal, "one")
    before = (folder / "w").stat()

    journal.settle("w", 0)
    journal.settle("w", -1)

    assert (folder / "w").stat() == before


def test_who_settles_what_another_has_settled_drops_nothing(
    journal: Journal, tmp_path: Path
) -> None:
    say(journal, "one")
    other = Journal(tmp_path)
    assert journal.waiting("w") == other.waiting("w")
    other.settle("w", 1)
    say(other, "two")

    journal.settle("w", 1)

    assert told(journal.waiting("w")) == ["two"]


# --- which windows wait ----------------------------------------------------------


def test_windows_are_those_with_turns_that_wait(journal: Journal) -> None:
    for name in ("b", "a", "c"):
        say(journal, "one", window=name)
    journal.settle("c", 1)

    assert journal.windows() == ["a", "b"]
    assert journal.known() == ["a", "b", "c"]
    journal.settle("a", 1)
    say(journal, "two", window="c")
    assert journal.windows() == ["b", "c"]


def test_where_nobody_waits_no_file_is_looked_at(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        say(journal, "one", window=f"w{number}")
        journal.settle(f"w{number}", 1)
    assert journal.windows() == []
    for name in ("open", "lstat"):
        monkeypatch.setattr(os, name, lambda *_args, **_more: pytest.fail("looked"))
    monkeypatch.setattr(os.path, "islink", lambda _path: False)

    assert journal.windows() == []


def test_marks_that_a_power_cut_took_are_not_needed(
    journal: Journal, folder: Path, tmp_path: Path
) -> None:
    say(journal, "one")
    shutil.rmtree(folder / MARKS)

    other = Journal(tmp_path)
    assert other.windows() == ["w"]
    say(other, "two")
    assert other.windows() == ["w"]
    other.settle("w", 2)
    assert other.windows() == []
    say(journal, "three")
    assert other.windows() == ["w"]


def test_a_mark_alone_is_no_turn(journal: Journal, folder: Path) -> None:
    say(journal, "one")
    journal.settle("w", 1)
    for name in ("w", "another"):
        (folder / MARKS / name).touch()

    assert journal.windows() == []


def test_nobody_appends_between_settling_and_taking_the_mark_away(
    journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(journal, "one")
    unlink, tried = os.unlink, []

    def beside(path: str | Path) -> None:
        if Path(path) == folder / MARKS / "w":
            tried.append(path)
            with (folder / "w").open("rb") as file, pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unlink(path)

    monkeypatch.setattr(os, "unlink", beside)

    journal.settle("w", 1)

    assert len(tried) == 1


# --- waiting for the disk ------------------------------------------------------


def test_a_turn_is_on_the_disk_before_it_is_acknowledged(
    journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noting(name: str) -> Callable[..., object]:
        call = getattr(os, name)

        def noted(target: int | str, *more: object) -> object:
            folders = isinstance(target, int) and stat.S_ISDIR(os.fstat(target).st_mode)
            done.append(f"{name} {'folder' if folders else 'file'}")
            return call(target, *more)

        return noted

    for name in ("write", "fsync", "rename"):
        monkeypatch.setattr(os, name, noting(name))
    swap = ["write file", "fsync file", "rename file", "fsync folder"]

    say(journal, "one")
    assert done == ["fsync folder", *swap]
    done.clear()
    say(journal, "two")
    assert done == ["write file", "fsync file"]
    done.clear()
    journal.settle("w", 1)
    assert done == swap
    assert folder.is_dir()


# --- kills, and disks that fail --------------------------------------------------


def test_a_turn_cut_short_anywhere_is_seen_by_nobody(
    journal: Journal, folder: Path, tmp_path: Path
) -> None:
    journal.append("w", [user("one"), assistant("two")], WindowState)
    whole = (folder / "w").stat().st_size
    journal.append("w", [user("three"), assistant("four")], never)
    data = (folder / "w").read_bytes()
    for cut in range(whole, len(data)):
        (folder / "w").write_bytes(data[:cut])
        other = Journal(tmp_path)
        assert told(other.waiting("w")) == ["one", "two"]

        asked = other.append("w", [user("five")], never)

        assert asked[0].number == 2
        assert told(journal.waiting("w")) == ["one", "two", "five"]


def test_who_has_the_file_open_cuts_off_what_another_left(
    journal: Journal, folder: Path
) -> None:
    say(journal, "one")
    with (folder / "w").open("ab") as file:
        file.write(b"01234567 [{" + b"x" * 900)
    assert told(journal.waiting("w")) == ["one"]

    say(journal, "two")

    assert told(journal.waiting("w")) == ["one", "two"]
    assert b"xxx" not in (folder / "w").read_bytes()


def test_a_spoiled_line_takes_no_other_along(
    journal: Journal, folder: Path, tmp_path: Path
) -> None:
    say(journal, "one", "two", "three")
    data = (folder / "w").read_bytes()
    (folder / "w").write_bytes(data.replace(b'"two"', b'"twp"'))
    other = Journal(tmp_path)
    assert told(other.waiting("w")) == ["one", "three"]

    assert say(other, "four")[0].number == 4
    other.settle("w", 2)

    assert told(other.waiting("w")) == ["four"]


@pytest.mark.parametrize("spoil", [b"", b"x" * HEAD, b"\0" * 9 + b"\n", b"\n"])
def test_a_spoiled_first_line_is_asked_of_history_again(
    journal: Journal, folder: Path, tmp_path: Path, spoil: bytes
) -> None:
    say(journal, "one", "two")
    data = (folder / "w").read_bytes()
    (folder / "w").write_bytes(spoil + data[HEAD - (not spoil.endswith(b"\n")) :])
    other = Journal(tmp_path)
    assert other.state("w") is None
    assert told(other.waiting("w")) == ["one", "two"]

    turn = other.append("w", [user("three")], lambda: WindowState(last=1))[0]

    assert turn.number == 3
    assert told(other.waiting("w")) == ["one", "two", "three"]
    assert other.append("w", [assistant()], never)[0].number == 3


def test_a_file_with_a_spoiled_first_line_can_be_settled(
    journal: Journal, folder: Path, tmp_path: Path
) -> None:
    say(journal, "one", "two")
    data = (folder / "w").read_bytes()
    (folder / "w").write_bytes(b"x" + data[1:])
    other = Journal(tmp_path)
    other.settle("w", len(other.waiting("w")) - 1, last=2)

    assert told(other.waiting("w")) == ["two"]
    assert other.state("w") is None
    assert other.append("w", [user()], lambda: WindowState(last=5))[0].number == 6


@given(st.binary(max_size=600))
def test_whatever_stands_in_the_file_the_next_turn_is_kept(data: bytes) -> None:
    with TemporaryDirectory() as place:
        journal = Journal(Path(place))
        (Path(place) / "said").mkdir()
        (Path(place) / "said" / "w").write_bytes(data)
        assert journal.waiting("w") == ()
        assert journal.windows() == []

        turns = journal.append("w", [user()], lambda: WindowState(last=2))

        assert turns[0].number == 3
        assert journal.waiting("w") == turns


def _append_pair(place: Path) -> None:
    journal = Journal(place)
    journal.append("w", [user("three"), assistant("four")], WindowState)


def _settle_all(place: Path) -> None:
    journal = Journal(place)
    journal.settle("w", 2, last=7)


def _settle_one(place: Path) -> None:
    journal = Journal(place)
    journal.settle("w", 1)


ACTS: list[tuple[Callable[[Path], None], tuple[str, ...], list[list[str]]]] = [
    (_append_pair, (), [[], ["three", "four"]]),
    (_append_pair, ("one", "two"), [["one", "two"], ["one", "two", "three", "four"]]),
    (_settle_one, ("one", "two"), [["one", "two"], ["two"]]),
    (_settle_all, ("one", "two"), [["one", "two"], []]),
]


@pytest.mark.parametrize(("act", "before", "allowed"), ACTS)
def test_a_kill_at_any_call_leaves_the_old_or_the_new(
    tmp_path: Path,
    act: Callable[[Path], None],
    before: tuple[str, ...],
    allowed: list[list[str]],
    record_property: Callable[[str, object], None],
) -> None:
    def fresh(name: str) -> Path:
        place = tmp_path / name
        place.mkdir()
        journal = Journal(place)
        say(journal, *before)
        return place

    points, rehearsal = Points(), fresh("rehearsal")
    with instrumented(points):
        act(rehearsal)
    reached = set()
    for number in range(1, points.count + 1):
        place = fresh(f"struck-{number}")

        assert run_killed(partial(act, place), number, "before")

        journal = Journal(place)
        waiting = told(journal.waiting("w"))
        assert waiting in allowed
        assert journal.windows() == (["w"] if waiting else [])
        say(journal, "later")
        assert told(journal.waiting("w")) == [*waiting, "later"]
        assert journal.windows() == ["w"]
        journal.settle("w", 9)
        assert journal.windows() == []
        reached.add(tuple(waiting))
    assert len(reached) == 2
    record_property("crash points", points.count)


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_is_told_and_leaves_no_half_turn(
    journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    say(journal, "one")
    before = (folder / "w").read_bytes()
    write = os.write
    calls = []

    def fill_up(descriptor: int, data: bytes = b"") -> int:
        calls.append(1)
        if failing == "fsync" or len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[:40])

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fill_up)
        with pytest.raises(DiskError, match="No space left") as caught:
            journal.append("w", [user("two")], never)
    assert "Free some space" in caught.value.advice
    assert (folder / "w").read_bytes() == before

    assert journal.append("w", [user("three")], never)[0].number == 2
    assert told(journal.waiting("w")) == ["one", "three"]


def test_a_disk_that_fails_at_any_call_of_settling_loses_nothing(
    journal: Journal, folder: Path
) -> None:
    def fail(at: int, number: int, when: str) -> None:
        if (number, when) == (at, "before"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    at, settled = 0, False
    while not settled:
        at += 1
        journal.settle("w", 9)
        say(journal, "one", "two")
        with instrumented(Points(partial(fail, at))):
            try:
                journal.settle("w", 1)
                settled = True
            except DiskError:
                assert told(journal.waiting("w")) in (["one", "two"], ["two"])
    assert at > 4
    assert told(journal.waiting("w")) == ["two"]
    assert {path.name for path in folder.iterdir()} == {"w", MARKS}


# --- files -----------------------------------------------------------------------


def test_only_the_owner_can_read_it(journal: Journal, folder: Path) -> None:
    say(journal, "one")
    journal.settle("w", 1)
    say(journal, "two")

    for path in (folder, folder / MARKS):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in (folder / "w", folder / MARKS / "w"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_name_that_leads_elsewhere_is_refused(journal: Journal) -> None:
    acts: list[Callable[[str], object]] = [
        lambda name: journal.append(name, [user()], WindowState),
        journal.state,
        journal.waiting,
        lambda name: journal.settle(name, 1),
    ]
    for name in ("", ".", "..", ".w", "a/b", "/a", "a\0", "a\n"):
        for act in acts:
            with pytest.raises(WindowNameError):
                act(name)


@pytest.mark.parametrize("linked", ["said", "said/w", "said/.waiting"])
def test_a_link_is_not_followed(journal: Journal, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / linked).parent.mkdir(exist_ok=True)
    (tmp_path / linked).symlink_to(outside)

    with pytest.raises(NotAPlainFileError):
        say(journal, "one")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_refused_and_stops_nobody(
    journal: Journal, folder: Path, make: Callable[[Path], None]
) -> None:
    say(journal, "one", window="other")
    make(folder / "w")
    (folder / MARKS / "w").touch()

    with pytest.raises(NotAPlainFileError):
        say(journal, "one")
    assert journal.windows() == journal.known() == ["other"]


def test_a_file_that_somebody_took_away_is_begun_anew(
    journal: Journal, folder: Path
) -> None:
    say(journal, "one")
    shutil.rmtree(folder)

    assert journal.state("w") is None
    turn = journal.append("w", [user("two")], lambda: WindowState(last=1))[0]

    assert turn.number == 2
    assert told(journal.waiting("w")) == ["two"]


# --- numbers and lines -------------------------------------------------------------


def said(role: Role, answers: int = 0, text: str = "x") -> Turn:
    return Turn("w", answers, role, text, NOON)


def numbers(state: WindowState, *given: Turn) -> list[int]:
    return [turn.number for turn in number_turns("w", given, state, ())]


def test_an_answer_finds_its_question_among_several() -> None:
    found = numbers(
        WindowState(),
        said(Role.USER),
        said(Role.USER),
        said(Role.ASSISTANT, answers=1),
        said(Role.ASSISTANT),
    )

    assert found == [1, 2, 1, 2]


def test_an_answer_that_cannot_be_one_gets_a_number_of_its_own() -> None:
    for answers in [-1, 4, 6, 7]:
        state = WindowState(last=5, open=False)
        turns = number_turns("w", [said(Role.ASSISTANT, answers)], state, {4})

        assert turns[0].number == 6


def test_a_second_answer_gets_a_number_of_its_own() -> None:
    twice = [said(Role.ASSISTANT, answers=2)] * 2

    assert numbers(WindowState(last=5, open=True), *twice) == [2, 6]
    assert numbers(WindowState(last=5), said(Role.ASSISTANT, answers=5)) == [6]


def test_a_summary_in_between_does_not_answer_the_question() -> None:
    idle = ((REFLECTION, "idle"),)
    prompt = Turn("w", 0, Role.SYSTEM, "Sum up.", NOON, more=idle)
    summary = Turn("w", 0, Role.ASSISTANT, "All is well.", NOON, more=idle)
    pair = [prompt, summary]
    asked, answer = said(Role.USER), said(Role.ASSISTANT)

    assert numbers(WindowState(), asked, *pair, answer) == [1, 2, 2, 1]
    assert numbers(WindowState(), asked, *pair, *pair, answer, answer) == [
        *(1, 2, 2, 3, 3, 1, 4)
    ]
    assert numbers(WindowState(), *pair, answer) == [1, 1, 2]


def test_whom_an_answer_is_for_is_known_under_the_lock() -> None:
    for person in ["Ann", "Ann " * 200, "Ann \u00e9 \U0001f600"]:
        question = replace(said(Role.USER), more=(("scope", person),))
        turns = number_turns("w", [question], WindowState(), ())
        state = WindowState().after(turns[0])
        kept = parse_head(render_head(1, state))[1]
        assert kept == state is not None

        pieces = [said(Role.ASSISTANT), said(Role.ASSISTANT)]
        given = number_turns("w", pieces, kept, ())

        assert {scope_of(turn) for turn in (*turns, *given)} == {person.strip()}
        others = [said(Role.USER), said(Role.ASSISTANT)]
        assert [scope_of(t) for t in number_turns("w", others, state, ())] == [
            "",
            "",
        ]


def test_a_prompt_is_answered_where_no_user_waits() -> None:
    prompt, answer = said(Role.SYSTEM), said(Role.ASSISTANT)

    assert numbers(WindowState(), prompt, answer) == [1, 1]
    assert numbers(WindowState(), said(Role.USER), prompt, answer) == [1, 2, 1]


@given(st.lists(utterances, min_size=1, max_size=4), states)
def test_no_number_is_given_twice(given: list[Turn], state: WindowState) -> None:
    turns = number_turns("w", given, state, ())
    then = reduce(WindowState.after, turns, state)

    keys = [(turn.number, turn.role) for turn in turns]
    assert len(set(keys)) == len(keys)
    assert all(1 <= turn.number <= then.last for turn in turns)


@given(st.lists(st.lists(utterances, min_size=1, max_size=3), max_size=3))
def test_turns_are_read_back_as_they_were(given: list[list[Turn]]) -> None:
    written: list[tuple[Turn, ...]] = [
        number_turns("w", each, WindowState(), ()) for each in given
    ]
    data = b"".join(map(render_turns, written))

    found = list(parse_turns(data, "w"))

    assert [tuple(turns) for turns, _ in found] == written
    assert data.count(b"\n") == len(written)
    assert not found or found[-1][1] == len(data)


@given(states, st.integers(0, 10**9))
def test_a_first_line_is_read_back_and_always_as_long(
    state: WindowState, generation: int
) -> None:
    line = render_head(generation, state)

    assert parse_head(line) == (generation, state)
    assert len(line) == HEAD
    assert line.endswith(b"\n")
    assert list(parse_turns(line, "w")) == []


def test_a_first_line_may_leave_the_state_to_history() -> None:
    assert parse_head(render_head(3, None)) == (3, None)


@given(st.lists(utterances, min_size=1, max_size=2), st.data())
def test_a_spoiled_line_is_no_line(given: list[Turn], data: st.DataObject) -> None:
    line = render_turns(number_turns("w", given, WindowState(), ()))
    at = data.draw(st.integers(0, len(line) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    spoiled = line[:at] + bytes([line[at] ^ bit]) + line[at + 1 :]

    assert list(parse_turns(spoiled, "w")) == []
    assert parse_head(spoiled) == (0, None)


@given(st.binary() | st.lists(st.binary(max_size=9)).map(b"\n".join))
def test_other_bytes_say_nothing(data: bytes) -> None:
    assert list(parse_turns(data, "w")) == []
    assert parse_head(data) == (0, None)


def test_a_forged_line_says_nothing() -> None:
    for told in [
        b"[1]",
        b'[{"turn":1}]',
        b"{}",
        b"null",
        b"[" * 100_000,
        b'{"generation":1,"state":{"last":""}}',
        b'[{"turn":1,"role":"x","at":null,"speaker":"","more":[],"text":""}]',
        b'[{"turn":1,"role":"user","at":"x","speaker":"","more":[],"text":""}]',
        b'[{"turn":1,"role":"user","at":null,"speaker":"","more":["x"],"text":""}]',
    ]:
        line = b"%08x %s\n" % (crc32(told), told)

        assert list(parse_turns(line, "w")) == []
        assert parse_head(line)[1] is None
