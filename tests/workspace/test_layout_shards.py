"""Folders that stay small, and files that stay findable in them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from reverie.workspace.layout import ENTITIES, EPISODES, moves, place

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGITS = "0123456789abcdef"


class Tree:
    """A committed state: the names of the files in each folder."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._names: dict[str, set[str]] = {}
        for path in paths:
            self._put(path)

    @property
    def paths(self) -> set[str]:
        """Every file."""
        return {f"{folder}/{n}" for folder, names in self._names.items() for n in names}

    def files(self, path: str) -> set[str]:
        """Names of the files in a folder."""
        return self._names.get(path, set())

    def folders(self, path: str) -> set[str]:
        """Names of the folders in a folder."""
        inside = (f for f, names in self._names.items() if names)
        below = (f.removeprefix(f"{path}/") for f in inside if f.startswith(f"{path}/"))
        return {folder.partition("/")[0] for folder in below}

    def add(self, folder: str, name: str, limit: int) -> None:
        """Add a file as the memory does: make room, then put it in its place."""
        while moved := moves(self, place(self, folder, name), limit):
            for old, new in moved.items():
                self.remove(old)
                self._put(new)
        self._put(place(self, folder, name))

    def remove(self, path: str) -> None:
        """Take a file away."""
        folder, _, name = path.rpartition("/")
        self._names.get(folder, set()).discard(name)

    def filled(self, folder: str, names: Iterable[str], limit: int) -> Tree:
        """Add many files."""
        for name in names:
            self.add(folder, name, limit)
        return self

    def _put(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._names.setdefault(folder, set()).add(name)


def names(count: int) -> list[str]:
    return [f"person--{n}.md" for n in range(count)]


def test_a_small_folder_is_flat() -> None:
    tree = Tree().filled(ENTITIES, names(100), limit=100)

    assert tree.paths == {f"{ENTITIES}/{name}" for name in names(100)}


def test_a_full_folder_is_split_by_a_digit_of_the_names_hash() -> None:
    tree = Tree().filled(ENTITIES, names(101), limit=100)

    assert tree.folders(ENTITIES) == set(DIGITS)
    assert tree.files(ENTITIES) == set()
    assert tree.paths == {place(tree, ENTITIES, name) for name in names(101)}


def test_a_full_shard_is_split_again() -> None:
    tree = Tree().filled(ENTITIES, names(1200), limit=50)

    depths = Counter(path.count("/") for path in tree.paths)
    assert depths == {ENTITIES.count("/") + 3: 1200}
    assert all(path == place(tree, ENTITIES, _name(path)) for path in tree.paths)


def test_no_folder_ever_holds_more_than_the_limit() -> None:
    tree = Tree()
    for name in names(600):
        tree.add(ENTITIES, name, limit=50)
    sizes = Counter(path.rpartition("/")[0] for path in tree.paths)

    assert max(sizes.values()) <= 50


def test_putting_a_file_that_is_there_moves_nothing() -> None:
    tree = Tree().filled(ENTITIES, names(100), limit=100)

    assert moves(tree, place(tree, ENTITIES, "person--7.md"), limit=100) == {}


def test_day_logs_move_into_years() -> None:
    days = [f"{year}-01-{day:02}.md" for year in (2024, 2025) for day in range(1, 29)]
    tree = Tree().filled(EPISODES, days, limit=50)

    assert tree.folders(EPISODES) == {"2024", "2025"}
    assert place(tree, EPISODES, "2025-01-07.md") == f"{EPISODES}/2025/2025-01-07.md"
    assert place(tree, EPISODES, "2031-06-01.md") == f"{EPISODES}/2031/2031-06-01.md"
    assert all(path == place(tree, EPISODES, _name(path)) for path in tree.paths)


def test_a_year_is_never_split() -> None:
    days = [
        f"2025-{month:02}-{day:02}.md" for month in range(1, 13) for day in range(1, 29)
    ]
    tree = Tree().filled(EPISODES, days, limit=10)

    assert tree.folders(f"{EPISODES}/2025") == set()
    assert len(tree.files(f"{EPISODES}/2025")) == len(days)


def test_a_note_among_the_day_logs_has_a_place_too() -> None:
    tree = Tree().filled(EPISODES, ["2025-01-01.md", "notes.md", "2025-01-02.md"], 2)

    assert place(tree, EPISODES, "notes.md") in tree.paths


def test_a_persons_folder_called_a_is_not_taken_for_a_shard() -> None:
    tree = Tree([f"{ENTITIES}/{folder}/note.md" for folder in "abc"])

    for name in names(50):
        assert place(tree, ENTITIES, name) == f"{ENTITIES}/{name}"


def test_files_are_found_when_most_of_a_split_folder_has_gone() -> None:
    tree = Tree().filled(ENTITIES, names(300), limit=100)
    left = sorted(tree.paths)[:5]

    tree = Tree(left)

    assert [place(tree, ENTITIES, _name(path)) for path in left] == left


def test_a_file_left_flat_in_a_split_folder_is_found_where_it_is() -> None:
    split = Tree().filled(ENTITIES, names(300), limit=100)
    tree = Tree([*split.paths, f"{ENTITIES}/by-hand.md"])

    assert place(tree, ENTITIES, "by-hand.md") == f"{ENTITIES}/by-hand.md"


@given(
    st.lists(
        st.text("abcdé日", min_size=1, max_size=6).map("{}.md".format),
        unique=True,
        max_size=40,
    ),
    st.integers(1, 12),
    st.lists(st.integers(0, 39), max_size=20),
)
def test_every_file_is_findable_and_every_name_unique_after_any_splits(
    added: list[str], limit: int, removed: list[int]
) -> None:
    tree = Tree()
    kept: set[str] = set()
    for number, name in enumerate(added):
        tree.add(ENTITIES, name, limit)
        kept.add(name)
        if number in removed:
            gone = added[number // 2]
            tree.remove(place(tree, ENTITIES, gone))
            kept.discard(gone)

    assert sorted(map(_name, tree.paths)) == sorted(kept)
    assert {place(tree, ENTITIES, name) for name in kept} == tree.paths


def _name(path: str) -> str:
    return path.rpartition("/")[2]
