"""When the live tables are written down, and what then stands in the files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from reverie.config import DecayConfig
from reverie.decay import Trace
from reverie.index.sqlite_index import FEWEST, SHARE, SqliteIndex
from reverie.index.sync import plan_snapshot
from reverie.model.change import ABSENT
from reverie.model.ids import ItemId, Store
from reverie.model.items import Edge, Entity, Entry
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)
SCORES, GRAPH = "memory/meta/decay-scores.json", "memory/graph/index.md"
TRACE = Trace(Store.SEMANTIC, 1.0, NOON, NOON)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An index with one entity."""
    made = SqliteIndex(tmp_path / "index.db")
    fill(made, 1)
    yield made
    made.close()


def fill(index: SqliteIndex, count: int, unsaved: int = 0) -> None:
    with index.changing():
        for number in range(count):
            name = f"tool--n{number}"
            entity = Entity("tool", f"n{number}", f"N {number}")
            entry = Entry(ItemId.parse(f"entity:{name}"), entity, 1, "x", "N", "x")
            edges = [Edge(name, "uses", "tool--git")]
            path = f"memory/graph/entities/{name}.md"
            index.put_file(path, [entry], edges)
            index.put_traces({f"entity:{name}": TRACE})
        index.note_unsaved(unsaved)


def planned(index: SqliteIndex, files: dict[str, bytes]) -> dict[str, bytes]:
    edits = plan_snapshot(index, files.get, DecayConfig(), NOON)
    return {edit.path: edit.content or b"" for edit in edits}


@pytest.mark.parametrize(
    ("memories", "unsaved", "expected"),
    [
        (FEWEST, FEWEST - 1, False),
        (FEWEST, FEWEST, True),
        (FEWEST * SHARE, FEWEST, True),
        (FEWEST * SHARE + 1, FEWEST, False),
    ],
)
def test_a_snapshot_is_due_when_enough_has_changed(
    index: SqliteIndex, memories: int, unsaved: int, *, expected: bool
) -> None:
    fill(index, memories, unsaved)

    assert index.snapshot_due is expected


def test_both_files_are_written_where_there_are_none(index: SqliteIndex) -> None:
    edits = plan_snapshot(index, lambda _: None, DecayConfig(), NOON)

    assert [(e.path, e.base, e.action) for e in edits] == [
        (SCORES, ABSENT, "CREATE"),
        (GRAPH, ABSENT, "CREATE"),
    ]


def test_the_files_say_what_the_tables_say(index: SqliteIndex) -> None:
    files = planned(index, {})

    entry = json.loads(files[SCORES])["entries"]["entity:tool--n0"]
    assert (entry["store"], entry["access_count"]) == ("semantic", 1)
    graph = files[GRAPH].decode()
    assert "| tool--n0 | tool | N | entities/tool--n0.md | 1.00 |\n" in graph
    assert (
        f"| tool--n0 | uses | tool--git | high |  | {TRACE.last_accessed:%Y-%m-%d} |\n"
        in graph
    )


def test_nothing_is_written_twice(index: SqliteIndex) -> None:
    assert planned(index, planned(index, {})) == {}


def test_wishes_are_written_beside_the_live_traces(index: SqliteIndex) -> None:
    changes = {"entity:tool--n0": replace(TRACE, pinned=True)}

    edits = plan_snapshot(index, lambda _: None, DecayConfig(), NOON, changes)

    told = json.loads(edits[0].content or b"")["entries"]["entity:tool--n0"]
    assert told["pinned"] is True
    assert b"1.00 (pinned)" in (edits[1].content or b"")


def test_an_archived_entity_is_not_in_the_graph(index: SqliteIndex) -> None:
    with index.changing():
        index.put_traces({"entity:tool--n0": replace(TRACE, archived=True)})

    files = planned(index, {})

    assert b"tool--n0 | tool" not in files[GRAPH]
    assert b"entity:tool--n0" in files[SCORES]


def test_a_score_file_nobody_can_read_is_left(index: SqliteIndex) -> None:
    assert list(planned(index, {SCORES: b"{"})) == [GRAPH]


def test_where_a_link_or_folder_stands_nothing_is_planned(index: SqliteIndex) -> None:
    def read(path: str) -> bytes | None:
        raise NotAPlainFileError(path, "a link")

    assert plan_snapshot(index, read, DecayConfig(), NOON) == ()
