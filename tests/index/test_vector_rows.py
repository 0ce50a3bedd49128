"""The table of vectors: an answer's have a share of its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.index.shown import anew, named, write

from reverie.index.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TALK = "conversations/trip.md"
ASKED = "## — | user | turn:1 | speaker:Ann\nWhere shall we stay?\n\n"
SAID = "## — | assistant | turn:1\nNear the river.\n\n"
OTHER = "## — | user | turn:2\nI like rivers.\n"
USER, ASSISTANT = "turn:trip/1/user/0", "turn:trip/1/assistant/0"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An empty index."""
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


def number(index: SqliteIndex, id_: str) -> int:
    found = index.number_of(id_)
    assert found
    return found


def question(index: SqliteIndex, id_: str = ASSISTANT) -> int:
    (found,) = index._to_embed([number(index, id_)]).values()  # noqa: SLF001 - tests look behind the door
    return found[1]


def embed_all(index: SqliteIndex) -> None:
    """Give every memory a vector; what is in it does not matter here."""
    view = index.view("m")
    pairs = zip(view.number, view.count, strict=True)
    rows = {int(n): b"\x01" * 4 * int(count) for n, count in pairs}
    with index.changing():
        index.put_vectors("m", rows)


def embedded(index: SqliteIndex) -> set[str]:
    view = index.view("m")
    assert list(view.embedded) == list(anew(index, "m").embedded)
    names = (name for name, _ in named(index, view))
    return {name for name, there in zip(names, view.embedded, strict=True) if there}


def test_an_answer_is_embedded_with_the_question_of_its_number(
    index: SqliteIndex,
) -> None:
    write(index, TALK, ASKED + SAID + OTHER)

    found = index._to_embed(map(int, index.view().number))  # noqa: SLF001 - tests look behind the door

    assert question(index) == number(index, USER)
    assert [asked for _, asked in found.values()] == [0, number(index, USER), 0]
    assert found[number(index, USER)][0] == ["Ann: Where shall we stay?"]
    assert found[number(index, ASSISTANT)][0] == ["Near the river."]


def test_an_answer_may_answer_the_system_but_rather_the_user(
    index: SqliteIndex,
) -> None:
    system = "## — | system | turn:1\nSum up.\n\n"

    write(index, TALK, system + SAID)
    assert question(index) == number(index, "turn:trip/1/system/0")

    write(index, TALK, system + ASKED + SAID)
    assert question(index) == number(index, USER)


def test_a_question_is_found_in_another_part_of_its_window(index: SqliteIndex) -> None:
    write(index, TALK, ASKED)
    write(index, "conversations/trip~2.md", SAID)

    assert question(index) == number(index, USER)


@pytest.mark.parametrize(
    ("scope", "shared"), [("", 0), (" | scope:bob", 0), (" | scope:ann", 1)]
)
def test_what_is_for_one_person_is_in_no_vector_for_others(
    index: SqliteIndex, scope: str, shared: int
) -> None:
    asked = ASKED.replace("speaker:Ann", "scope:ann")
    write(index, TALK, asked + SAID.replace("turn:1", f"turn:1{scope}"))

    assert bool(question(index)) == shared


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ASKED + SAID, ASKED.replace("stay", "eat") + SAID),
        (ASKED + SAID, ASKED.replace("Ann", "Bob") + SAID),
        (ASKED + SAID, SAID),
        (SAID, ASKED + SAID),
    ],
    ids=["edited", "said by another", "gone", "come"],
)
def test_an_answer_waits_for_new_vectors_when_its_question_is(
    index: SqliteIndex, before: str, after: str
) -> None:
    write(index, TALK, before + OTHER)
    embed_all(index)
    assert ASSISTANT in embedded(index)
    seen = SqliteIndex(index.path)
    seen.view("m")

    write(index, TALK, after + OTHER)

    assert embedded(index) == {"turn:trip/2/user/0"}
    assert embedded(seen) == {"turn:trip/2/user/0"}
    seen.close()


def test_a_question_keeps_its_vector_when_its_answer_changes(
    index: SqliteIndex,
) -> None:
    write(index, TALK, ASKED + SAID)
    embed_all(index)

    write(index, TALK, ASKED + SAID.replace("river", "lake"))

    assert embedded(index) == {USER}


@pytest.mark.parametrize("before", [ASKED, ""])
def test_vectors_made_while_the_question_changed_are_not_kept(
    index: SqliteIndex, before: str
) -> None:
    write(index, TALK, before + SAID)
    answer, asked = number(index, ASSISTANT), question(index)

    write(index, TALK, ASKED.replace("stay", "eat") + SAID)
    with index.changing():
        index.put_vectors("m", {answer: b"\x01" * 4}, {answer: asked})
    assert embedded(index) == set()

    with index.changing():
        index.put_vectors("m", {answer: b"\x01" * 4}, {answer: question(index)})
    assert embedded(index) == {ASSISTANT}


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (ASKED, {USER, ASSISTANT}),
        (ASKED.replace("stay", "eat"), set()),
        (ASKED.replace("Ann", "Bob"), set()),
        ("", set()),
    ],
    ids=["same", "other words", "other speaker", "none"],
)
def test_vectors_come_back_only_beside_the_same_question(
    index: SqliteIndex, asked: str, kept: set[str]
) -> None:
    write(index, TALK, ASKED + SAID)
    embed_all(index)
    with index.emptied():
        write(index, TALK, asked + SAID)

    assert embedded(index) == kept
