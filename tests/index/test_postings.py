"""Postings: written in runs, merged, and nothing of what is there is lost."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.shown import (
    all_standing,
    anew,
    memories,
    quick_folder,
    standing,
    write,
)

from reverie.index import sqlite_index
from reverie.index import view as views
from reverie.index.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = ["tomato", "rex", "berlin", "tea", "swim"]
PATHS = [
    *("memory/vault/a.md", "memory/vault/b.md", "memory/episodes/2026-02-02.md"),
    *("conversations/trip.md", "conversations/food.md", "memory/procedures/tea.md"),
]
sentences = st.lists(
    st.lists(st.sampled_from([*WORDS, "I", "do you"]), min_size=1, max_size=4)
    .map(" ".join)
    .flatmap(lambda words: st.sampled_from([f"{words}.", f"{words}?"])),
    max_size=4,
)
steps = st.lists(
    st.tuples(
        st.sampled_from(PATHS), sentences, st.sampled_from([0, 1]), st.booleans()
    ),
    min_size=1,
    max_size=14,
)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An empty index."""
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


@contextmanager
def posting_soon(enough: int = 2, factor: int = 2) -> Iterator[None]:
    """Post and merge after a few memories already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_index, "ENOUGH", enough)
        patch.setattr(views, "FACTOR", factor)
        yield


def text_of(path: str, said: list[str]) -> str:
    """A file that says some things; nothing, if there is nothing to say."""
    if not said:
        return ""
    if path.startswith("conversations/"):
        return "\n".join(
            f"## — | user | turn:{n}\n{s}\n" for n, s in enumerate(said, 1)
        )
    if path.startswith("memory/episodes/"):
        return "\n".join(
            f"## 12:0{n} | fact | confidence:high\n{s}\n" for n, s in enumerate(said)
        )
    return f"# Title\n\n## Trigger\n{' '.join(said)}\n"


def runs(index: SqliteIndex) -> int:
    rows = index._rows("SELECT count(*) FROM runs")  # noqa: SLF001 - tests look behind the door
    return int(rows[0][0])


def test_the_first_few_memories_are_found_without_being_posted(
    index: SqliteIndex,
) -> None:
    write(index, PATHS[0], "# A\n\nI like tea.\n")

    assert runs(index) == 0
    assert standing(index, index.view(), "tea") == {(("vault:a", PATHS[0]), 0, 1, 0)}


def test_enough_memories_are_posted_and_found_as_before(index: SqliteIndex) -> None:
    said = [f"Tea number {n}. Do you drink tea{n}?" for n in range(sqlite_index.ENOUGH)]
    path = PATHS[3]
    write(index, path, text_of(path, said[:-1]))
    before = standing(index, index.view(), "tea")
    assert (runs(index), len(before)) == (0, sqlite_index.ENOUGH - 1)

    write(index, path, text_of(path, said))

    assert runs(index) == 1
    after = standing(index, index.view(), "tea")
    assert after > before
    assert len(after) == sqlite_index.ENOUGH


def test_postings_of_a_memory_that_is_gone_are_not_found(index: SqliteIndex) -> None:
    with posting_soon(enough=1):
        write(index, PATHS[0], "# A\n\nI like tea.\n")
        write(index, PATHS[1], "# B\n\nI like tea too.\n")
        write(index, PATHS[0], "")

    assert standing(index, index.view(), "tea") == {(("vault:b", PATHS[1]), 0, 1, 0)}
    assert standing(index, anew(index), "tea") == {(("vault:b", PATHS[1]), 0, 1, 0)}


def test_a_memory_that_says_something_else_now_is_not_found_by_the_old_words(
    index: SqliteIndex,
) -> None:
    with posting_soon(enough=1):
        write(index, PATHS[0], "# A\n\nI like tea.\n")
        write(index, PATHS[0], "# A\n\nI like swimming.\n")

    view = index.view()
    assert standing(index, view, "tea") == set()
    assert standing(index, view, "swim") == {(("vault:a", PATHS[0]), 0, 1, 0)}


def test_runs_are_merged_and_nothing_is_lost(index: SqliteIndex) -> None:
    with posting_soon(enough=1, factor=3):
        for number in range(40):
            write(index, f"memory/vault/n{number}.md", f"# N\n\nTea {number}?\n")
        write(index, "memory/vault/n7.md", "")
        for number in range(40, 46):
            write(index, f"memory/vault/n{number}.md", f"# N\n\nTea {number}?\n")

    assert runs(index) < 10
    found = standing(index, index.view(), "tea")
    assert {name for (name, _), *_ in found} == {
        f"vault:n{number}" for number in range(46) if number != 7
    }


def test_merging_leaves_nothing_of_what_is_gone(index: SqliteIndex) -> None:
    with posting_soon(enough=1, factor=2):
        write(index, PATHS[0], "# A\n\nzq7canary\n")
        write(index, PATHS[0], "")
        for number in range(4):
            write(index, f"memory/vault/n{number}.md", f"# N\n\nTea {number}.\n")

    assert index.view().frequency("zq7canari") == 0
    assert not index.view().frequency("zq7canari")
    assert index.view().frequency("tea") == 4


def test_very_many_memories_in_one_transaction_are_posted_in_time(
    index: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_index, "MANY", 5)
    with posting_soon(enough=3, factor=2):
        path = PATHS[3]
        write(index, path, text_of(path, [f"Tea {n}." for n in range(23)]))

    assert len(standing(index, index.view(), "tea")) == 23


def test_a_transaction_that_failed_posted_nothing(index: SqliteIndex) -> None:
    def half() -> None:
        with index.changing():
            index.put_file(PATHS[0], [], [])
            raise KeyError

    with posting_soon(enough=2):
        write(index, PATHS[0], "# A\n\nI like tea.\n")
        with pytest.raises(KeyError):
            half()
        write(index, PATHS[1], "# B\n\nI like tea.\n")

    assert len(standing(index, index.view(), "tea")) == 2


@pytest.mark.parametrize("enough", [1, 99], ids=["posted", "fresh"])
def test_a_stem_is_counted_up_to_a_byte(index: SqliteIndex, enough: int) -> None:
    said = "tea " * 300 + ". " + "Tea " * 300 + "?"

    with posting_soon(enough=enough):
        write(index, PATHS[3], text_of(PATHS[3], [said]))

    found = standing(index, index.view(), "tea")
    name = ("turn:trip/1/user/0", PATHS[3])
    assert found == {(name, 0, 255, 0), (name, 1, 0, 255)}


@given(steps)
def test_any_sequence_of_changes_is_found_as_if_all_were_read_anew(
    changes: list[tuple[str, list[str], int, bool]],
) -> None:
    with quick_folder() as folder:
        check_changes(folder, changes)


def check_changes(
    folder: Path, changes: list[tuple[str, list[str], int, bool]]
) -> None:
    here = [SqliteIndex(folder / "live.db"), SqliteIndex(folder / "live.db")]
    fresh = SqliteIndex(folder / "fresh.db")
    final: dict[str, str] = {}
    with posting_soon():
        for path, said, who, look in changes:
            final[path] = text_of(path, said)
            write(here[who], path, final[path])
            if look:
                # A view that was loaded before has to keep up.
                here[1 - who].view()
    for path, text in final.items():
        write(fresh, path, text)

    expected = memories(fresh, fresh.view())
    places = all_standing(fresh, fresh.view(), WORDS)
    for index in here:
        for view in (index.view(), anew(index)):
            assert memories(index, view) == expected
            assert all_standing(index, view, WORDS) == places
    for index in (*here, fresh):
        index.close()
