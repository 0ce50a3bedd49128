"""Bringing in what was written elsewhere: in batches, once, and whole after a crash."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import CORE, DAY, NOON, Home

from reverie import Actor, Episodic, FormatError, Store
from reverie.authority.authority import NotACallerError
from reverie.importers import intake
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.model.items import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.importers.walk import Found

TALK = "conversations/chatgpt-c1.md"


def talk(*texts: str, name: str = "c1", title: str = "Trip") -> Chat:
    roles = ("user", "assistant")
    said = tuple(ChatTurn(roles[n % 2], text, NOON) for n, text in enumerate(texts))
    return Chat(Provenance("chatgpt", name), title, NOON, said)


def page(text: str, line: int = 1) -> Passage:
    return Passage(Provenance("text", "a.txt", line), "", text, NOON)


def much() -> list[Found]:
    """Things to import that make several batches of five."""
    talks = [talk(f"q{n}", f"a{n}", f"r{n}", name=f"c{n}") for n in range(6)]
    return [*talks[:3], *(page(f"text {n}", n) for n in range(1, 12)), *talks[3:]]


def texts(home: Home, store: Store) -> list[str]:
    return sorted(item.text for item in home.memory.items(store))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit every five memories."""
    monkeypatch.setattr(intake, "BATCH", 5)


class CutOffError(Exception):
    """The import ends here."""


def stopping_after(batches: int) -> Callable[[int], None]:
    """A callback that ends an import after some batches."""
    left = iter(range(batches - 1, -1, -1))

    def stop(_done: int) -> None:
        if next(left) == 0:
            raise CutOffError

    return stop


def test_conversations_and_passages_become_memories(home: Home) -> None:
    report = home.memory.take_in([talk("Where?", "Here."), page("A text.")])

    assert (report.added, report.known, report.findings) == (3, 0, [])
    assert report.commits == [home.head]
    assert texts(home, Store.TURNS) == ["Here.", "Where?"]
    assert texts(home, Store.EPISODIC) == ["A text."]
    assert home.memory.show("turn:chatgpt-c1/1/user/0").text == "Where?"
    assert home.memory.check() == []
    assert home.disagreements() == []


def test_importing_twice_changes_nothing(home: Home) -> None:
    home.memory.take_in(much())
    before, files = home.head, home.tracked()

    report = home.memory.take_in(much())

    assert (report.added, report.known, report.commits) == (0, 29, [])
    assert (home.head, home.tracked()) == (before, files)


@pytest.mark.usefixtures("small_batches")
def test_every_batch_is_a_commit_and_progress_is_told(home: Home) -> None:
    told: list[int] = []

    report = home.memory.take_in(much(), progress=told.append)

    assert len(report.commits) == len(told) > 3
    assert told == sorted(told)
    assert (told[-1], report.added) == (29, 29)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("batches", [1, 2, 3, 4])
def test_an_import_that_was_cut_off_goes_on_where_it_stopped(
    home: Home, tmp_path: Path, batches: int
) -> None:
    with pytest.raises(CutOffError):
        home.memory.take_in(much(), progress=stopping_after(batches))
    done = len(home.memory.items(Store.TURNS)) + len(home.memory.items(Store.EPISODIC))
    home.reopen()

    report = home.memory.take_in(much())

    assert (report.added, report.known) == (29 - done, done)
    whole = Home(tmp_path / "whole")
    whole.memory.take_in(much())
    for store in (Store.TURNS, Store.EPISODIC):
        assert texts(home, store) == texts(whole, store)
    whole.memory.close()
    assert home.disagreements() == []


@pytest.mark.usefixtures("small_batches")
def test_a_source_that_breaks_off_leaves_what_came_before(home: Home) -> None:
    def breaking() -> Iterator[Found]:
        yield talk("a", "b", "c", "d", "e")
        raise CutOffError

    with pytest.raises(CutOffError):
        home.memory.take_in(breaking())

    assert texts(home, Store.TURNS) == ["a", "b", "c", "d", "e"]
    assert home.memory.take_in([talk("a", "b", "c", "d", "e")]).commits == []


def test_findings_are_passed_on_and_stop_nothing(home: Home) -> None:
    found = Finding("x.json", 3, "is broken", "Mend it.")

    report = home.memory.take_in([found, talk("a"), found])

    assert (report.findings, report.added) == ([found, found], 1)


def test_nothing_to_import_is_no_change(home: Home) -> None:
    before = home.head

    report = home.memory.take_in([])

    assert (report.added, report.known, report.commits) == (0, 0, [])
    assert home.head == before


def test_a_conversation_that_grew_appends_only_what_is_new(home: Home) -> None:
    home.memory.take_in([talk("a", "b")])
    before = home.text(TALK)

    report = home.memory.take_in([talk("a", "b", "c")])

    assert (report.added, report.known) == (1, 2)
    assert home.text(TALK).startswith(before)
    assert texts(home, Store.TURNS) == ["a", "b", "c"]
    assert home.disagreements() == []


def test_what_a_person_wrote_into_a_conversation_survives(home: Home) -> None:
    home.memory.take_in([talk("a", "b")])
    mine = home.text(TALK) + "\n## — | user | turn:5 | speaker:Me\nMine.\n"
    home.type(TALK, mine)

    home.memory.take_in([talk("a", "b", "c")])

    assert home.text(TALK).startswith(mine)
    assert home.memory.show("turn:chatgpt-c1/5/user/0").text == "Mine."
    assert home.memory.show("turn:chatgpt-c1/6/user/0").text == "c"
    assert home.disagreements() == []


def test_a_person_who_edits_while_an_import_runs_loses_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 2)

    def edit(_done: int) -> None:
        mine = f"{home.text(CORE).rstrip()}\n- Seen: {_done}\n"
        home.type(CORE, mine)

    home.memory.take_in([talk("a", "b"), talk("c", "d", name="c2")], progress=edit)

    assert "- Seen: 4" in home.text(CORE)
    assert texts(home, Store.TURNS) == ["a", "b", "c", "d"]
    assert home.disagreements() == []


def test_two_processes_that_import_the_same_file_everything_once(home: Home) -> None:
    other = Home(home.root, home.clock)
    home.memory.take_in([talk("a", "b"), page("x")])

    report = other.memory.take_in([talk("a", "b", "c"), page("x"), page("y")])

    assert (report.added, report.known) == (2, 3)
    assert texts(home, Store.TURNS) == ["a", "b", "c"]
    assert texts(home, Store.EPISODIC) == ["x", "y"]
    other.memory.close()
    assert home.disagreements() == []


def test_an_import_can_be_undone(home: Home) -> None:
    report = home.memory.take_in([talk("a", "b"), page("x")])

    home.memory.undo(report.commits[0])

    assert texts(home, Store.TURNS) == texts(home, Store.EPISODIC) == []
    assert home.memory.take_in([talk("a", "b"), page("x")]).added == 3


def test_what_is_old_but_was_imported_today_is_of_use_today(home: Home) -> None:
    today = home.clock.forward(days=200)

    home.memory.take_in([page("Long ago.")])

    shown = home.memory.show("episode:2026-02-02:12:00")
    assert (shown.created, shown.last_accessed.date()) == (NOON, today.date())
    assert home.disagreements() == []


def test_an_imported_day_that_was_there_already_goes_on_below(home: Home) -> None:
    home.memory.remember("Mine.", Episodic())
    before = home.text(DAY)

    home.memory.take_in([page("Theirs.")])

    assert home.text(DAY).startswith(before)
    assert texts(home, Store.EPISODIC) == ["Mine.", "Theirs."]


def test_an_imported_day_keeps_its_byte_order_mark(home: Home) -> None:
    log = "## 09:00 | event | confidence:high | tags:[]\nMorning.\n"
    home.type(DAY, f"\ufeff# 2026-02-02 — Episode Log\n\n{log}".encode())
    before = home.raw(DAY)

    home.memory.take_in([page("A text.")])

    assert home.raw(DAY).startswith(before)


def test_a_day_that_is_not_utf_8_is_refused_and_not_rewritten(home: Home) -> None:
    home.type(DAY, b"# 2026-02-02 \xff\n")

    with pytest.raises(FormatError, match="not valid UTF-8"):
        home.memory.take_in([page("A text.")])

    assert home.raw(DAY) == b"# 2026-02-02 \xff\n"


def test_turns_do_not_fade(home: Home) -> None:
    home.memory.take_in([talk("a", "b")])

    _, traces, _, _ = home.state()

    assert traces == {}


def test_a_changed_file_knows_the_commit_that_last_touched_it(home: Home) -> None:
    (first,) = home.memory.take_in([talk("a")]).commits
    (second,) = home.memory.take_in([talk("b", name="c2")]).commits
    index = home.memory._session.index  # noqa: SLF001 - tests look behind the door
    seen = [index.touched(path) for path in (TALK, "conversations/chatgpt-c2.md", "x")]

    home.memory.rebuild()

    assert seen == [first, second, ""]
    assert [index.touched(TALK), index.touched("conversations/chatgpt-c2.md")] == [
        first,
        second,
    ]


def test_nobody_imports_in_reveries_own_name(home: Home) -> None:
    with pytest.raises(NotACallerError):
        home.memory.take_in([talk("a")], actor=Actor("system:decay"))


def test_files_are_imported_from_a_folder_and_a_second_time_nothing_comes(
    home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "2026-01-05-notes.md").write_text("# Notes\n\nTea is nice.\n", "utf-8")
    (folder / "broken.json").write_text("{", "utf-8")
    words = " ".join(f"word{n}" for n in range(20_000))
    (folder / "long.txt").write_text(words, "utf-8")
    told: list[tuple[int, int, int]] = []

    first = home.memory.import_from(folder, progress=lambda *now: told.append(now))
    again = home.memory.import_from(folder)

    assert first.added > 1
    assert (again.added, again.known, again.commits) == (0, first.added, [])
    assert told[-1][0] <= told[-1][1]
    assert told[-1][2] == first.added
    assert home.memory.check() == []


def test_a_chat_export_is_imported(home: Home, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    said = [
        {
            "uuid": "1",
            "sender": "human",
            "text": "Where?",
            "created_at": "2026-01-01T10:00:00Z",
        },
        {
            "uuid": "2",
            "sender": "assistant",
            "text": "Here.",
            "created_at": "2026-01-01T10:01:00Z",
        },
    ]
    chat = {"uuid": "abc", "name": "Trip", "chat_messages": said}
    export.write_text(json.dumps([chat]), "utf-8")

    report = home.memory.import_from(export)

    assert (report.added, report.findings) == (2, [])
    assert texts(home, Store.TURNS) == ["Here.", "Where?"]


def test_what_is_imported_to_an_old_day_is_of_use_since_the_import_after_a_rebuild(
    home: Home,
) -> None:
    home.memory.remember("early", Episodic())
    home.clock.forward(days=30)
    home.memory.take_in([page("body")])

    assert home.disagreements() == []


def test_a_conversation_that_a_person_wrote_is_seen(home: Home) -> None:
    home.type("conversations/mine.md", "## — | user | turn:1\nNew.\n")

    assert texts(home, Store.TURNS) == ["New."]


@pytest.mark.parametrize(
    ("damage", "line", "what"),
    [
        (lambda text: f"{text}\n## lunch\nx\n", 11, "expected"),
        (lambda text: text.replace("| assistant", "| bot"), 8, "unknown role"),
        (lambda text: text.replace("2026-02-02", "2026-02-31", 1), 5, "not a time"),
        (lambda text: f"{text}\n<<<<<<< HEAD\n", 11, "merge conflict"),
        (lambda text: f"{text}\0\n", 10, "NUL"),
    ],
    ids=["heading", "role", "time", "conflict", "nul"],
)
def test_a_damaged_conversation_is_reported_with_its_line_and_the_rest_works(
    home: Home, damage: Callable[[str], str], line: int, what: str
) -> None:
    home.memory.take_in([talk("a", "b"), talk("c", name="c2")])
    home.type(TALK, damage(home.text(TALK)))
    damaged = home.text(TALK)

    (found,) = [f for f in home.memory.check() if f.path == TALK]

    assert (found.line, what in found.what, bool(found.mend)) == (line, True, True)
    assert "c" in texts(home, Store.TURNS)
    home.memory.remember("Still works.", Episodic())
    home.memory.take_in([talk("c", "d", name="c2")])
    assert home.text(TALK) == damaged
    assert home.disagreements() == []


def test_a_conversation_that_is_no_text_any_more_is_reported_and_left_alone(
    home: Home,
) -> None:
    home.memory.take_in([talk("a", "b")])
    home.type(TALK, home.raw(TALK) + b"caf\xe9\n")

    (found,) = [f for f in home.memory.check() if f.path == TALK]

    assert "0xe9" in found.what
    assert texts(home, Store.TURNS) == []
    assert home.disagreements() == []
    home.type(TALK, home.raw(TALK).replace(b"caf\xe9\n", b""))
    assert texts(home, Store.TURNS) == ["a", "b"]


def test_a_note_has_the_day_of_its_file_and_no_made_up_hour(
    home: Home, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "2026-01-05 standup.md").write_text("We chose the blue lamp.")
    (notes / "oats.md").write_text("---\ndate: 2026-01-06\n---\nOats need salt.")
    old = notes / "bike.md"
    old.write_text("The bike has a new chain.")
    at = datetime(2026, 1, 7, 9, 30, tzinfo=UTC).timestamp()
    os.utime(old, (at, at))

    home.memory.import_from(notes)

    days = {each.title: each.id for each in home.memory.items(Store.EPISODIC)}
    assert sorted(days.values()) == [
        "episode:2026-01-05:12:00",
        "episode:2026-01-06:12:00",
        "episode:2026-01-07:09:30",
    ]
    for day, timed in (("05", False), ("06", False), ("07", True)):
        text = home.text(f"memory/episodes/2026-01-{day}.md")
        assert ("time:unknown" not in text) is timed
        assert "noted:2026-02-02" in text


def test_every_file_that_is_skipped_is_named(home: Home, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "lamp.md").write_text("We chose the blue lamp.")
    (notes / "bad.bin").write_bytes(b"\x00\x01\x02" * 100)

    report = home.memory.import_from(notes)

    assert [(f.path, f.severity) for f in report.findings] == [("bad.bin", "note")]
