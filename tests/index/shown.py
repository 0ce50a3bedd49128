"""What an index shows, told so that two of them can be compared."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.memory.conftest import MEMORY_DISK

from reverie.index.text import IndexPassage, cut, listen, terms
from reverie.index.view import NEVER, STORES
from reverie.stores.reader import load_vocabulary, read_appended, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.index.sqlite_index import SqliteIndex
    from reverie.index.view import View

Name = tuple[str, str]
"""The id of a memory and the file it stands in."""

WORDS = load_vocabulary(None)


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder for one example of many, in memory where the machine has that."""
    disk = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(dir=disk, prefix="reverie-") as folder:
        yield Path(folder)


def write(index: SqliteIndex, path: str, text: str) -> None:
    """Show a file's new text in an index, in a transaction of its own."""
    reading = read_file(path, text.encode(), WORDS)
    with index.changing():
        index.put_file(path, reading.entries, reading.edges)


def append(index: SqliteIndex, path: str, old: str, new: str) -> None:
    """Show what was added to a file's text, as catching up does."""
    entries = read_appended(path, old.encode(), new.encode())
    assert entries is not None
    with index.changing():
        index.add_entries(path, entries)


def anew(index: SqliteIndex, model: str = "") -> View:
    """A view that knows nothing of what was seen before."""
    kept, index._views = index._views, {}  # noqa: SLF001 - tests look behind the door
    fresh = index.view(model)
    index._views = kept  # noqa: SLF001 - tests look behind the door
    return fresh


def named(index: SqliteIndex, view: View) -> list[Name]:
    """What each item of a view is called."""
    found = index.rows(map(int, view.number))
    return [(found[int(n)].id, found[int(n)].path) for n in view.number]


def standing(
    index: SqliteIndex, view: View, term: str
) -> set[tuple[Name, int, int, int]]:
    """Where a stem stands: in which memory and passage, how often stated and asked."""
    names = named(index, view)
    found = view.standing(term)
    rows = [
        (names[item], int(at - view.first[item]), int(stated), int(asked))
        for at, stated, asked in zip(found.at, found.stated, found.asked, strict=True)
        for item in [int(view.owner[at])]
    ]
    assert len(rows) == len(set(rows)), "a posting came twice"
    assert list(found.at) == sorted(found.at)
    return set(rows)


def all_standing(
    index: SqliteIndex, view: View, words: Iterable[str]
) -> dict[str, set[tuple[Name, int, int, int]]]:
    """Where the stems of some words stand."""
    stems = {stem for word in words for stem in terms(word)}
    return {stem: standing(index, view, stem) for stem in sorted(stems)}


def memories(index: SqliteIndex, view: View) -> dict[Name, tuple[object, ...]]:
    """All that a view knows of each memory by itself."""
    who, whom = ({n: s for s, n in view.named[f].items()} for f in ("speaker", "scope"))
    return {
        name: (
            STORES[view.store[n]],
            None if view.at[n] == NEVER else int(view.at[n]),
            who.get(int(view.speaker[n]), ""),
            whom.get(int(view.scope[n]), ""),
            passages(view, n),
        )
        for n, name in enumerate(named(index, view))
    }


def passages(view: View, item: int) -> list[tuple[float, ...]]:
    """The measures of an item's passages."""
    first, count = int(view.first[item]), int(view.count[item])
    assert (view.owner[first : first + count] == item).all()
    columns = (
        *(view.stated, view.asked, view.own, view.asking),
        *(view.cues, view.words),
    )
    return [tuple(float(c[at]) for c in columns) for at in range(first, first + count)]


def company(index: SqliteIndex, view: View) -> dict[Name, tuple[str, str, int]]:
    """Who stands before and after each memory, and which it is of its company."""
    names = [name for name, _ in named(index, view)]
    before = ["" if n < 0 else names[n] for n in view.before]
    after = ["" if n < 0 else names[n] for n in view.after]
    return {
        name: (before[n], after[n], int(view.rank[n]))
        for n, name in enumerate(named(index, view))
    }


def heard(text: str) -> list[IndexPassage]:
    """A text cut, and every piece of it listened to."""
    return [listen(piece) for piece in cut(text)]
