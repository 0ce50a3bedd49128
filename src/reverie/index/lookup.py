"""What a question looks up once it knows which memories may answer it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.decay.curve import Trace
from reverie.index.rows import pieces
from reverie.model.ids import Store
from reverie.model.origin import Origin, least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


BEGINNING, MOST_NAMES = 4, 200
"""Letters in which the names of one thing agree, and names that are looked at."""

NEWEST, CLOSEST = 16, 8
"""Of memories with one key so many are counted, and so many are compared."""


class Row(NamedTuple):
    """A memory with all that an answer tells of it."""

    id: str
    store: Store
    path: str
    line: int
    title: str
    text: str
    aside: str
    origin: Origin
    speaker: str


class Alike(NamedTuple):
    """A memory that may say the same as a text."""

    id: str
    title: str
    text: str
    gone: str
    scope: str
    at: int | None


class Lookup:
    """Reads rows by their numbers in a view, and what entities are called."""

    def __init__(self, rows: Callable[..., list[tuple[Any, ...]]]) -> None:
        self._rows = rows

    def candidates(self, numbers: Iterable[int]) -> dict[int, tuple[str, Trace | None]]:
        """Ids and traces of some memories, by their numbers in a view."""
        query = (
            "SELECT number, items.id, traces.* FROM items "
            "LEFT JOIN traces ON traces.id = items.id WHERE number IN ({})"
        )
        rows = self._among(query, numbers)
        return {row[0]: (row[1], to_trace(row[2:]) if row[2] else None) for row in rows}

    def rows(self, numbers: Iterable[int]) -> dict[int, Row]:
        """All that is kept of some memories, by their numbers in a view."""
        query = (
            "SELECT items.number, id, store, path, line, title, text, aside, origin, "
            "coalesce(labels.name, '') FROM items "
            "LEFT JOIN labels ON labels.number = speaker WHERE items.number IN ({})"
        )
        return {
            number: Row._make((id_, Store(store), *rest, Origin(origin), speaker))
            for number, id_, store, *rest, origin, speaker in self._among(
                query, numbers
            )
        }

    def number_of(self, id_: str) -> int:
        """The number that a memory has in a view; 0 for none."""
        query = "SELECT number FROM items WHERE id = ? ORDER BY path LIMIT 1"
        rows = self._rows(query, id_)
        return int(rows[0][0]) if rows else 0

    def alike(self, keys: Sequence[int]) -> list[Alike]:
        """Memories that have keys of a sketch in common, those with most first.

        Only the newest of those that share a key are looked at: where very many
        are alike, it must not cost more.
        """
        query = "SELECT item FROM sketches WHERE band = ? ORDER BY item DESC LIMIT ?"
        shared = Counter(
            number for key in keys for (number,) in self._rows(query, key, NEWEST)
        )
        best = [number for number, _ in shared.most_common(CLOSEST)]
        query = (
            "SELECT number, id, title, text, gone, scope, at FROM items "
            "WHERE number IN ({})"
        )
        found = {number: Alike(*rest) for number, *rest in self._among(query, best)}
        return [found[number] for number in best if number in found]

    def anything_forgotten(self) -> bool:
        """Whether its human ever asked to forget anything."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM traces WHERE archived) "
            "OR EXISTS (SELECT 1 FROM items WHERE gone != '')"
        )
        return bool(self._rows(query)[0][0])

    def origins(self, ids: Iterable[str]) -> dict[str, Origin]:
        """Whose words some memories are, by id; those that exist."""
        query = "SELECT origin FROM items WHERE id = ?"
        found = ((id_, self._rows(query, id_)) for id_ in ids)
        return {id_: least(Origin(o) for (o,) in rows) for id_, rows in found if rows}

    def imported(self) -> list[tuple[str, str]]:
        """Origins and texts of all episodes that were imported."""
        query = "SELECT names, text FROM items WHERE store = 'episodic' AND names != ''"
        return [(origin, text) for origin, text in self._rows(query)]

    def entity_names(self) -> dict[str, list[str]]:
        """What every entity is called, by its id without the kind."""
        rows = self._rows("SELECT id, names FROM items WHERE store = 'semantic'")
        return {id_.partition(":")[2]: names.split("\n") for id_, names in rows}

    def called(self, name: str) -> list[str]:
        """Which entities go by a name, by their ids without the kind."""
        query = (
            "SELECT DISTINCT id FROM called JOIN items ON number = item "
            "WHERE name = ? ORDER BY id"
        )
        return [id_.partition(":")[2] for (id_,) in self._rows(query, _folded(name))]

    def named_like(self, name: str) -> dict[str, list[str]]:
        """What entities are called whose name begins like another, by id.

        Looked up by its first letters, so it costs the same among very many.
        """
        begin = _folded(name)[:BEGINNING]
        query = (
            "SELECT DISTINCT id, names FROM called JOIN items ON number = item "
            "WHERE name >= ? AND name < ? ORDER BY name LIMIT ?"
        )
        rows = self._rows(query, begin, f"{begin}\U0010ffff", MOST_NAMES)
        return {id_.partition(":")[2]: names.split("\n") for id_, names in rows}

    def beside(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Which entities some others are linked with, in either direction."""
        found: dict[str, set[str]] = {}
        for name in names:
            query = (
                "SELECT target FROM edges WHERE origin = ? "
                "UNION SELECT origin FROM edges WHERE target = ?"
            )
            found[name] = {row[0] for row in self._rows(query, name, name)}
        return found

    def _among(self, query: str, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
        chosen = [int(number) for number in numbers]
        marks = ", ".join("?" * len(chosen))
        return self._rows(query.format(marks), *chosen)

    def to_embed(self, numbers: Iterable[int]) -> dict[int, tuple[str, list[str]]]:
        """Who said some memories, and the texts of their passages, by number."""
        query = (
            "SELECT coalesce(labels.name, ''), text, aside FROM items "
            "LEFT JOIN labels ON labels.number = speaker WHERE items.number = ?"
        )
        rows_ = ((number, self._rows(query, number)) for number in numbers)
        return {
            number: (found[0][0], pieces(*found[0][1:]))
            for number, found in rows_
            if found
        }


def _folded(name: str) -> str:
    """A name as it is looked up; what is no Unicode is found nowhere."""
    return name.casefold().encode("utf-8", "replace").decode()


def to_trace(row: tuple[Any, ...]) -> Trace:
    """A row of `traces` as the value it stands for."""
    _, store, base, created, last, accesses, pinned, archived = row
    return Trace(
        store=Store(store),
        base=base,
        created=to_time(created),
        last_accessed=to_time(last),
        accesses=accesses,
        pinned=bool(pinned),
        archived=bool(archived),
    )


def to_time(text: str) -> datetime:
    """A moment as the tables hold it."""
    return datetime.fromisoformat(text).astimezone(UTC)
