"""Corners of index and import in which something once went wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.index.shown import anew, company, standing, write
from tests.memory.home import NOON, Home

from reverie import Episodic, Store
from reverie.importers import intake
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.index import sqlite_index
from reverie.index.sqlite_index import SqliteIndex
from reverie.index.text import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TALK = "conversations/chatgpt-c1.md"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()


def talk(*texts: str, name: str = "c1") -> Chat:
    roles = ("user", "assistant")
    said = tuple(ChatTurn(roles[n % 2], text, NOON) for n, text in enumerate(texts))
    return Chat(Provenance("chatgpt", name), "Trip", NOON, said)


def page(number: int, text: str, at: datetime | None = NOON) -> Passage:
    return Passage(Provenance("text", "a.txt", number), "a", text, at)


def texts(home: Home, store: Store) -> list[str]:
    return sorted(item.text for item in home.memory.items(store))


@pytest.mark.parametrize("aside", ["", "A title of its own."])
def test_a_long_memory_with_something_aside_is_heard_to_its_end(aside: str) -> None:
    text = "".join("word " * 59 + f"number{n}.\n" for n in range(300))

    said = "\n".join(pieces("", text, aside))

    assert "number299" in said
    assert aside in said


@pytest.mark.parametrize("new", ["B A", "C A B"])
def test_a_day_whose_order_a_person_changed_is_shown_in_the_new_order(
    index: SqliteIndex, new: str
) -> None:
    path = "memory/episodes/2026-02-02.md"
    at = {"A": "10:00", "B": "11:00", "C": "09:00"}

    def log(order: str) -> str:
        entries = (
            f"## {at[n]} | fact | confidence:high\n{n}\n\n\n" for n in order.split()
        )
        return "# 2026-02-02 — Episode Log\n\n" + "".join(entries)

    write(index, path, log("A B"))
    index.view()
    write(index, path, log(new))

    assert company(index, index.view()) == company(index, anew(index))


def test_vectors_that_came_out_of_order_are_seen(index: SqliteIndex) -> None:
    for name in "ab":
        write(index, f"memory/vault/{name}.md", "# X\n\nText.\n")
    first, second = (int(n) for n in index.view("m").number)
    row = np.full(4, 60, np.int8).tobytes()
    with index.changing():
        index.put_vectors("m", {second: row})
    index.view("m")
    with index.changing():
        index.put_vectors("m", {first: row})

    assert list(index.view("m").embedded) == list(anew(index, "m").embedded)


def test_what_another_process_posts_while_a_question_runs_counts_once(
    index: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_index, "ENOUGH", 2)
    other = SqliteIndex(index.path)
    write(index, "memory/vault/a.md", "# A\n\nI like tea.\n")
    view = index.view()
    write(other, "memory/vault/b.md", "# B\n\nI like tea.\n")
    other.close()

    assert len(standing(index, view, "tea")) == 1


def test_a_turn_typed_twice_by_hand_is_the_same_memory_after_a_rebuild(
    home: Home,
) -> None:
    home.memory.take_in([talk("first", "answer")])
    again = "\n## 2026-02-02 12:00:00 | user | turn:1\nsecond\n"
    home.type(TALK, home.text(TALK) + again)

    assert home.disagreements() == []


def test_a_fence_closed_below_another_heading_is_read_whole(home: Home) -> None:
    home.memory.take_in([talk("first", "answer")])
    home.type(TALK, home.text(TALK) + "```\ncode\n")
    home.state()
    home.type(TALK, home.text(TALK) + "\n## lunch\n```\nend\n")

    assert home.disagreements() == []


def test_a_message_longer_than_a_memory_is_imported_once(home: Home) -> None:
    found = [talk("x " * 150_000, "ok")]
    first = home.memory.take_in(found)
    again = home.memory.take_in(found)

    assert first.known == 0
    assert (again.added, again.commits) == (0, [])


def test_two_exports_of_one_conversation_in_one_batch_lose_nothing(home: Home) -> None:
    home.memory.take_in([talk("a", "b"), talk("c", "d")])

    assert texts(home, Store.TURNS) == ["a", "b", "c", "d"]


def test_a_conversation_twice_in_one_batch_is_counted_once(home: Home) -> None:
    report = home.memory.take_in([talk("a", "b"), talk("a", "b")])

    assert (report.added, report.known) == (2, 2)


def test_conversations_whose_ids_look_alike_stay_apart(home: Home) -> None:
    home.memory.take_in([talk("a", name="x y")])
    home.memory.take_in([talk("b", name="x/y")])

    windows = {item.path for item in home.memory.items(Store.TURNS)}
    assert len(windows) == 2


@pytest.mark.parametrize("name", ["caf\udce9.txt", "a\0b.txt", "a\u202eb.txt"])
def test_a_file_of_any_name_is_imported(home: Home, name: str) -> None:
    home.memory.take_in(
        [Passage(Provenance("text", name, 1), "a", "body", NOON), talk("a", name=name)]
    )

    assert home.memory.check() == []
    assert "\u202e" not in b"".join(home.tracked().values()).decode()


def test_what_nobody_can_date_is_imported_once(home: Home) -> None:
    home.memory.take_in([page(1, "body", None)])
    home.clock.forward(days=1)

    assert home.memory.take_in([page(1, "body", None)]).added == 0


def test_a_day_whose_first_part_a_person_shortened_is_imported_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "FULL_DAY", 700)
    found = [page(n, f"body {n} " + "word " * 20) for n in range(1, 13)]
    home.memory.remember("Something else.", Episodic())
    home.memory.take_in(found)
    day = "memory/episodes/2026-02-02.md"
    head, first, *entries = home.text(day).split("\n## ")
    assert "Something else." in first
    home.type(day, "\n## ".join([head, *entries]))
    home.state()

    report = home.memory.take_in(found)

    assert (report.added, report.known) == (0, 12)
    names = [item.id for item in home.memory.items()]
    assert len(names) == len(set(names)) == 12


def test_a_text_with_a_gap_in_it_leaves_no_empty_memory(home: Home) -> None:
    home.memory.take_in([talk("a" + "\n" * 200_000 + "b")])

    assert all(texts(home, Store.TURNS))


def test_a_time_nobody_can_be_from_does_not_stop_an_import(home: Home) -> None:
    home.memory.take_in([page(1, "body", datetime(1960, 1, 1, tzinfo=UTC))])

    assert len(texts(home, Store.EPISODIC)) == 1
