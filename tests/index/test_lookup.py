"""What a reflection looks up: in order, and never more than it asked for."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.decay import Trace
from reverie.index import ReadUpTo, lookup
from reverie.index.located import from_micros, micros
from reverie.index.sqlite_index import SqliteIndex
from reverie.model.ids import ItemId, Store
from reverie.model.items import (
    WHICH_HOLDS,
    Confidence,
    Edge,
    Entity,
    Entry,
    Episode,
    EpisodeKind,
)
from reverie.stores.entities import SAME_AS

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An empty index."""
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


def put(
    index: SqliteIndex, name: str, trace: Trace, path: str = "", noted: str = ""
) -> str:
    """Show a memory of that name, an episode or an entity."""
    item_id = ItemId.parse(name)
    if trace.store is Store.EPISODIC:
        kind, sure = EpisodeKind.FACT, Confidence.HIGH
        item = Episode(trace.created, kind, sure, "x", more=(("noted", noted),))
        entry = Entry(item_id, item, 1, "x", "x", "x")
    else:
        kind_of, _, slug = item_id.name.partition("--")
        entry = Entry(item_id, Entity(kind_of, slug, slug), 1, slug, slug, slug)
    with index.changing():
        index.add_entries(path or f"{name}.md", [entry])
        index.put_traces({name: trace})
    return name


def episode(
    index: SqliteIndex,
    minute: str,
    told: datetime = NOON - timedelta(days=90),
    **more: int,
) -> str:
    at = datetime.fromisoformat(f"{minute[:10]}T{minute[11:16]}+00:00")
    accesses, archived = more.get("accesses", 1), bool(more.get("archived", 0))
    last = max(at, told)
    trace = Trace(Store.EPISODIC, 1.0, at, last, accesses, archived=archived)
    return put(index, f"episode:{minute}", trace, noted=told.date().isoformat())


def entity(index: SqliteIndex, name: str, last: datetime = NOON, **more: object) -> str:
    trace = Trace(Store.SEMANTIC, 1.0, last, last, **more)  # type: ignore[arg-type]
    return put(index, f"entity:concept--{name}", trace)


def behind(minute: str, number: int = 1) -> ReadUpTo:
    at = datetime.fromisoformat(f"{minute[:10]}T{minute[11:16]}+00:00")
    return ReadUpTo(micros(at) + number - 1, NOON)


def test_episodes_come_by_their_minutes(index: SqliteIndex) -> None:
    place = behind("2026-02-01:10:00")
    expected = [
        episode(index, minute)
        for minute in ("2026-02-01:10:01", "2026-02-01:23:59", "2026-02-02:00:00")
    ]
    episode(index, "2026-02-01:10:00")
    episode(index, "2026-02-02:12:01")
    episode(index, "2026-02-01:15:00", archived=1)

    found = index.waiting(place, 9)

    assert [row.id for row in found] == expected
    assert index.how_many_wait(place) == (3, "2026-02-01", "2026-02-02")
    assert [r.id for r in index.waiting(place, 1)] == expected[:1]


def test_those_of_a_minute_have_an_order(index: SqliteIndex) -> None:
    names = ["", "~2", "~9", "~10"]
    for name in names:
        episode(index, f"2026-02-01:10:00{name}")
    start = behind("2026-02-01:09:59")

    found = index.waiting(start, 9)

    assert [row.id.removeprefix("episode:2026-02-01:10:00") for row in found] == names
    assert len({row.minute for row in found}) == 1
    for number, left in ((1, 3), (2, 2), (9, 1), (10, 0)):
        place = behind("2026-02-01:10:00", number)
        assert index.how_many_wait(place)[0] == left


def test_what_was_noted_late_stands_in_the_day_of_its_noting(
    index: SqliteIndex,
) -> None:
    told = datetime(2026, 2, 1, tzinfo=UTC)
    second = episode(index, "2025-06-01:08:00", told)
    third = episode(index, "2025-06-01:08:00~2", told)
    first = episode(index, "2024-06-01:08:00", told)
    fourth = episode(index, "2026-02-01:01:00", told)
    before, after = behind("2026-01-31:23:59"), behind("2026-02-01:00:59")

    *late, last = index.waiting(before, 9)

    assert [row.id for row in late] == [first, second, third]
    assert last.id == fourth
    assert all(from_micros(row.moment).date() == told.date() for row in late)
    assert index.how_many_wait(before)[0] == 4
    assert index.how_many_wait(after)[0] == 1
    for row, left in zip(late, (3, 2, 1), strict=True):
        place = before._replace(moment=row.moment)
        assert index.how_many_wait(place)[0] == left
        assert len(index.waiting(place, 9)) == left


def test_by_when_it_happened_nothing_is_late(index: SqliteIndex) -> None:
    episode(index, "2025-06-01:08:00", NOON)
    place = behind("2026-01-31:23:59")._replace(by_noted=False)
    long_ago = behind("2025-05-31:23:59")._replace(by_noted=False)

    assert index.how_many_wait(place)[0] == 0
    assert index.how_many_wait(long_ago)[0] == 1
    assert len(index.waiting(long_ago, 9)) == 1


def test_what_was_noted_late_is_found_again_by_its_day(index: SqliteIndex) -> None:
    place = behind("2026-02-02:08:00")
    late = episode(index, "2025-06-01:08:00", NOON)
    recalled = episode(index, "2025-06-02:08:00", NOON, accesses=2)
    episode(index, "2025-06-03:08:00")
    episode(index, "2025-06-04:08:00", NOON - timedelta(days=1), accesses=2)
    episode(index, "2026-02-02:09:00", NOON, accesses=2)
    episode(index, "2025-06-05:08:00", NOON, accesses=2, archived=1)

    found = index.perhaps_late(place, "2026-02-02", 9)

    assert [row.id for row in found] == [recalled, late]
    assert len(index.perhaps_late(place, "2026-02-02", 1)) == 1


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)))  # noqa: DTZ001
def test_moments_come_back(at: datetime) -> None:
    moment = at.replace(tzinfo=UTC)

    assert from_micros(micros(moment)) == moment


def test_the_lively_are_those_of_use_last_or_often(index: SqliteIndex) -> None:
    old = NOON - timedelta(days=300)
    last = entity(index, "last", NOON)
    often = entity(index, "often", old, accesses=50)
    pinned = entity(index, "pinned", old, pinned=True)
    for number in range(5):
        entity(index, f"x{number}", old + timedelta(days=number))
    entity(index, "gone", NOON, accesses=99, archived=True)

    found = {each.id for each in index.lively(Store.SEMANTIC, 2)}

    assert {last, often, pinned} <= found
    assert len(found) <= 4
    assert index.unforgotten(Store.SEMANTIC) == 8
    assert index.lively(Store.PROCEDURAL, 2) == []


def test_the_faintest_were_not_of_use_for_longest(index: SqliteIndex) -> None:
    old = NOON - timedelta(days=300)
    second = entity(index, "b", old + timedelta(days=1))
    first = episode(index, "2025-01-01:08:00", old)
    entity(index, "c", NOON)
    entity(index, "pinned", old, pinned=True)
    entity(index, "gone", old, archived=True)

    assert [each.id for each in index.faintest(2)] == [first, second]


def test_of_two_files_of_one_name_the_first_counts(index: SqliteIndex) -> None:
    trace = Trace(Store.SEMANTIC, 1.0, NOON, NOON)
    put(index, "entity:concept--a", trace, "b.md")
    put(index, "entity:concept--a", trace, "a.md")

    assert [each.path for each in index.lively(Store.SEMANTIC, 9)] == ["a.md"]


def test_candidates_that_were_read_are_read_anew_after_any_write(
    index: SqliteIndex, tmp_path: Path
) -> None:
    tea = entity(index, "tea")
    number = index.number_of(tea)

    def archived(asked: SqliteIndex = index) -> bool:
        id_, row = asked.candidates([number, number + 1000])[number]
        assert id_ == tea
        assert row
        return bool(row[-1])

    told = [archived(), archived()]
    other = SqliteIndex(tmp_path / "index.db")
    told.append(archived(other))
    put_away = Trace(Store.SEMANTIC, 1.0, NOON, NOON, archived=True)
    with suppress(KeyError), index.changing():
        index.put_traces({tea: put_away})
        told.append(archived())
        raise KeyError
    told.append(archived())
    with other.changing():
        other.put_traces({tea: put_away})
    told += [archived(), archived(other)]
    other.close()

    assert told == [False, False, False, True, False, True, True]


def test_relations_to_what_was_forgotten_are_not_told(index: SqliteIndex) -> None:
    for name, archived in (("a", False), ("b", False), ("c", True)):
        entity(index, name, archived=archived)
    a, b, c = (f"concept--{name}" for name in "abc")
    edges = [Edge(a, "knows", b), Edge(a, "knows", c), Edge(c, "knows", b)]
    with index.changing():
        index.put_file("x.md", [], edges)
        index.put_file("y.md", [], edges)

    assert index.edges_from(a, 9) == [Edge(a, "knows", b)]
    assert index.edge_count() == 1


def test_relations_among_some_are_told_without_those_to_others(
    index: SqliteIndex,
) -> None:
    a, b, c = (f"concept--{name}" for name in "abc")
    edges = [Edge(a, "knows", b), Edge(b, "likes", a), Edge(b, "knows", c)]
    with index.changing():
        index.put_file("x.md", [], edges)

    assert index.edges_among([a, b]) == [Edge(a, "knows", b), Edge(b, "likes", a)]
    assert index.edges_among([]) == []
    assert index.link_ends() == {"x.md": [(a, b), (b, a), (b, c)]}
    assert index.link_ends(["x.md", "y.md"]) == index.link_ends()
    assert index.link_ends(["y.md"]) == index.link_ends([]) == {}


def test_titles_are_those_of_what_exists(index: SqliteIndex) -> None:
    names = [entity(index, f"n{number}") for number in range(lookup.MOST_KEYS + 1)]

    assert index.titles([*names, "entity:concept--nobody"]) == {
        name: name.rpartition("--")[2] for name in names
    }


def test_finding_one_memory_reads_no_others(index: SqliteIndex) -> None:
    asked: list[str] = []
    index._db.set_trace_callback(asked.append)  # noqa: SLF001 - what it asks SQLite

    index.find("entity:person--alex")

    index._db.set_trace_callback(None)  # noqa: SLF001 - likewise
    query = next(each for each in asked if "items.id" in each)
    plan = index._db.execute(f"EXPLAIN QUERY PLAN {query}")  # noqa: SLF001 - likewise
    assert not [step for *_, step in plan if step.startswith("SCAN")]


def test_pages_that_ask_are_indexed_by_the_words_that_they_ask_with() -> None:
    schema = (Path(lookup.__file__).parent / "schema.sql").read_text("utf-8")
    asking = schema.split("items_asking")[1].partition(";")[0]

    assert f"'{WHICH_HOLDS}'" in asking
    assert f"'{SAME_AS}'" in asking
