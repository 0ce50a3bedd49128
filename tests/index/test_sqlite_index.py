"""Rows in, answers out; a transaction is all or nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from reverie.decay import Trace
from reverie.index import IndexDamagedError, IndexUnavailableError
from reverie.index.sqlite_index import SqliteIndex
from reverie.model.ids import ItemId, Store
from reverie.model.items import Edge, Entry, VaultNote
from reverie.workspace.files import Signature

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)
TRACE = Trace(Store.VAULT, 0.7, NOON, NOON, 3, pinned=True)
LOOKS = Signature(1, 2, 3, 4)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An empty index."""
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


def note(name: str, text: str = "Text.", line: int = 1) -> Entry:
    item_id = ItemId.parse(f"vault:{name}")
    return Entry(item_id, VaultNote(name, name, text), line, text, name, text)


def test_a_file_that_says_less_loses_its_rows(index: SqliteIndex) -> None:
    with index.changing():
        index.put_file("x.md", [note("a"), note("b", line=2)], [])
        index.put_file("y.md", [note("c")], [])
    with index.changing():
        index.put_file("x.md", [note("b", "New.")], [])

    assert [(i.id, i.text) for i in index.items()] == [
        ("vault:b", "New."),
        ("vault:c", "Text."),
    ]
    assert index.ids_in("x.md") == {"vault:b"}


def test_of_two_files_of_one_name_the_first_counts(index: SqliteIndex) -> None:
    with index.changing():
        index.put_file("b.md", [note("a", "second")], [])
        index.put_file("a.md", [note("a", "first")], [])

    assert [i.text for i in index.items()] == ["first"]
    assert index.counts() == {"vault": 1}
    with index.changing():
        index.put_file("a.md", [], [])
    assert [i.text for i in index.items(Store.VAULT)] == ["second"]
    assert list(index.items(Store.CORE)) == []


def rows(index: SqliteIndex) -> list[tuple[int, str, int]]:
    """Number, text and line of every row."""
    found = index._db.execute("SELECT number, text, line FROM items ORDER BY number")  # noqa: SLF001 - tests look behind the door
    return found.fetchall()


def test_what_is_put_again_keeps_its_row_and_vector(index: SqliteIndex) -> None:
    with index.changing():
        index.add_entries("x.md", [note("a"), note("b", line=5), note("c", line=9)])
        index.put_vectors("model", {1: b"a", 2: b"b", 3: b"c"})
    with index.changing():
        again = [note("a"), note("b", line=6), note("c", "New.", line=10)]
        index.put_file("x.md", again, [])

    assert rows(index) == [(1, "Text.", 1), (2, "Text.", 6), (4, "New.", 10)]
    kept = index._db.execute("SELECT item FROM vectors ORDER BY item").fetchall()  # noqa: SLF001 - tests look behind the door
    assert kept == [(1,), (2,)]


def test_a_failed_transaction_leaves_everything_as_it_was(index: SqliteIndex) -> None:
    with index.changing():
        index.put_file("x.md", [note("a")], [])
        index.note_seen("first")

    def half() -> None:
        with index.changing():
            index.put_file("x.md", [note("b")], [])
            index.note_seen("second")
            raise KeyError

    with pytest.raises(KeyError):
        half()

    assert [i.id for i in index.items()] == ["vault:a"]
    assert index.seen == "first"


def test_traces_come_back_as_they_went_in(index: SqliteIndex) -> None:
    with index.changing():
        index.put_traces({"vault:a": TRACE})

    assert index.trace("vault:a") == TRACE
    assert index.traces() == {"vault:a": TRACE}


def test_a_trace_is_dropped_with_the_last_file_that_holds_it(
    index: SqliteIndex,
) -> None:
    with index.changing():
        index.put_traces({"vault:a": TRACE, "vault:b": TRACE})
        index.put_file("a.md", [note("a")], [])
        index.drop_traces(["vault:a", "vault:b"])

    assert list(index.traces()) == ["vault:a"]


def test_edges_go_with_their_file_and_are_told_once(index: SqliteIndex) -> None:
    edge = Edge("a--b", "uses", "c--d", first_seen=date(2026, 2, 2))
    with index.changing():
        index.put_file("x.md", [], [edge])
        index.put_file("y.md", [], [edge])

    assert index.edges() == [edge]
    with index.changing():
        index.put_file("x.md", [], [])
        index.put_file("y.md", [], [])
    assert index.edges() == []


def test_signatures_are_known_unknown_or_gone(index: SqliteIndex) -> None:
    with index.changing():
        index.put_signature("a.md", "blob", LOOKS)
        index.put_signature("b.md", "blob", None)
        index.put_signature("c.md", "blob", LOOKS)
        index.put_signature("c.md", "", None)

    assert index.signatures() == {"a.md": LOOKS, "b.md": Signature(-1, -1, -1, -1)}
    assert index.more_files(1)
    assert not index.more_files(2)


def test_forgetting_everything_leaves_no_byte_of_it(index: SqliteIndex) -> None:
    with index.changing():
        index.put_file("x.md", [note("a", "zq7canary4kx9 " * 2_000)], [])
    with index.changing():
        index.clear()
    index.scour()

    files = index.path.parent.glob("index.db*")
    assert b"zq7canary4kx9" not in b"".join(file.read_bytes() for file in files)
    assert list(index.items()) == []


def test_a_file_that_is_no_database_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"not a database at all " * 100)

    with pytest.raises(IndexDamagedError) as caught:
        SqliteIndex(tmp_path / "index.db")

    assert "reverie rebuild" in caught.value.advice


def test_an_index_that_cannot_be_opened_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError) as caught:
        SqliteIndex(tmp_path / "no" / "such" / "folder" / "index.db")

    assert not isinstance(caught.value, IndexDamagedError)
