"""Put memories, their passages and their vectors into the tables of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.index import schema
from reverie.index.near_duplicates import sketches, unpacked
from reverie.index.schema import QUESTION
from reverie.model.items import Entity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from reverie.index.attestation import Attest
    from reverie.index.text import IndexPassage
    from reverie.model.items import Entry

ENOUGH = 256
"""So many memories are posted together; fewer are read as they are."""

MANY = 4096
"""No more than so many wait in memory to be posted."""

_COLUMNS = (
    "id, store, path, line, title, text, aside, names, at, scope, origin, gone, "
    "sketch, company, place, speaker, shape, seal"
)


class Holdings:
    """Puts memories into the tables of an open index, within its transactions."""

    def __init__(self, db: sqlite3.Connection, attest: Attest) -> None:
        self._db = db
        self._attest = attest
        self._heard: dict[int, list[IndexPassage]] = {}
        self._labels: dict[tuple[str, str], int] = {}

    def forget(self) -> None:
        """Let go of what belonged to a transaction."""
        self._heard.clear()
        self._labels.clear()

    def add(self, path: str, entries: Sequence[Entry], since: str) -> None:
        """Put memories of a file in; of those it has, what is as it was stays."""
        there = {str(entry.id): entry for entry in entries}
        known = {i: row for i in there for row in self._known(path, i)}
        self._put(path, there, known, since)

    def replace(self, path: str, entries: Sequence[Entry], since: str) -> None:
        """Make a file's memories exactly these; what is as it was stays."""
        there = {str(entry.id): entry for entry in entries}
        self._put(path, there, {row[0]: row for row in self._known(path)}, since)

    def _put(
        self,
        path: str,
        there: Mapping[str, Entry],
        known: Mapping[str, tuple[Any, ...]],
        since: str,
    ) -> None:
        """Put memories in the place of known ones; what is as it was stays."""
        same = {i: e for i, e in there.items() if known.get(i) == _gist(e)}
        self._remove(path, (i for i in known if i not in same))
        for id_, entry in there.items():
            if id_ not in same:
                self._insert(path, entry, since)
        self._shift(path, same.values())
        self._db.executemany(
            "UPDATE items SET seal = ? WHERE id = ? AND path = ?",
            [
                (self._attest.row(since, schema.values(entry, path)), id_, path)
                for id_, entry in same.items()
            ],
        )

    def _shift(self, path: str, entries: Iterable[Entry]) -> None:
        """Note that memories stand in other lines of their file now."""
        query = (
            "UPDATE items SET line = ?1, place = ?2 "
            "WHERE id = ?3 AND path = ?4 AND (line != ?1 OR place != ?2)"
        )
        moved = sum(
            self._db.execute(
                query, (e.line, schema.company(e, path).place, str(e.id), path)
            ).rowcount
            for e in entries
        )
        if moved:
            self._tell_views()

    def _tell_views(self) -> None:
        """Let everybody who keeps a view know that it is not enough to add to it."""
        self._db.execute(
            "INSERT INTO meta VALUES ('removals', '1') "
            "ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )

    def move(self, old: str, new: str) -> None:
        """Note that a file stands elsewhere now, with all that is in it.

        Its rows are vouched for no more until it is read.
        """
        for table in ("items", "edges"):
            query = f"UPDATE {table} SET path = ? WHERE path = ?"  # noqa: S608 - fixed
            self._db.execute(query, (new, old))

    def _known(self, path: str, id_: str | None = None) -> list[tuple[Any, ...]]:
        """The gists of a file's memories, or of one of them."""
        query = (
            "SELECT id, title, text, aside, names, at, scope, origin, gone, "
            "coalesce(labels.name, '') "
            "FROM items LEFT JOIN labels ON labels.number = speaker "
            "WHERE path = ?1" + (" AND id = ?2" if id_ is not None else "")
        )
        values = (path,) if id_ is None else (path, id_)
        return self._db.execute(query, values).fetchall()

    def _remove(self, path: str, ids: Iterable[str]) -> None:
        query = (
            "DELETE FROM items WHERE id = ? AND path = ? "
            "RETURNING number, sketch, names"
        )
        gone = [
            row
            for id_ in ids
            for row in self._db.execute(query, (id_, path)).fetchall()
        ]
        for number, keys, names in gone:
            self._db.execute("DELETE FROM vectors WHERE item = ?", (number,))
            self._db.executemany(
                "DELETE FROM sketches WHERE band = ? AND item = ?",
                [(key, number) for key in unpacked(keys)],
            )
            self._db.executemany(
                "DELETE FROM called WHERE name = ? AND item = ?",
                [(name, number) for name in _called(names)],
            )
            self._heard.pop(number, None)
        if gone:
            self._tell_views()

    def _insert(self, path: str, entry: Entry, since: str) -> None:
        told = schema.values(entry, path)
        heard = schema.heard(entry.text, told.aside)
        keys = sketches(entry.item)
        values = (
            *told[:12],
            keys,
            self._label("company", told.company),
            told.place,
            self._label("speaker", told.speaker),
            schema.shape(heard),
            self._attest.row(since, told),
        )
        marks = ", ".join("?" * len(values))
        query = f"INSERT INTO items ({_COLUMNS}) VALUES ({marks})"  # noqa: S608 - fixed
        made = self._db.execute(query, values)
        number = made.lastrowid or 0
        self._db.executemany(
            "INSERT INTO sketches VALUES (?, ?)",
            [(key, number) for key in unpacked(keys)],
        )
        if isinstance(entry.item, Entity):
            self._db.executemany(
                "INSERT INTO called VALUES (?, ?)",
                [(name, number) for name in _called(told.names)],
            )
        self._heard[number] = heard
        if len(self._heard) >= MANY:
            self.post()

    def _label(self, kind: str, name: str) -> int:
        """The number of a name; 0 for none."""
        if not name:
            return 0
        found = self._labels.get((kind, name))
        if found is None:
            query = "SELECT number FROM labels WHERE kind = ? AND name = ?"
            known = self._db.execute(query, (kind, name)).fetchone()
            if known is None:
                query = "INSERT INTO labels (kind, name) VALUES (?, ?)"
                known = (self._db.execute(query, (kind, name)).lastrowid or 0,)
            found = self._labels[kind, name] = known[0]
        return found

    def post(self) -> None:
        """Post what waits for it, once there is enough."""
        if not self._heard:
            return
        query = "SELECT count(*) FROM items WHERE posted = 0"
        if self._db.execute(query).fetchone()[0] < ENOUGH:
            return
        from reverie.index import postings  # noqa: PLC0415 - numpy is not for small writes

        query = "SELECT number, text, aside FROM items WHERE posted = 0"
        for number, text, aside in self._db.execute(query).fetchall():
            if number not in self._heard:
                self._heard[number] = schema.heard(text, aside)
        self._db.execute("UPDATE items SET posted = 1 WHERE posted = 0")
        postings.post(self._db, self._heard)
        self._heard.clear()


def _called(names: str) -> set[str]:
    """What an entity is looked up by."""
    return {name.casefold() for name in names.split("\n")}


def _gist(entry: Entry) -> tuple[object, ...]:
    """What must be the same of a memory for its row to stay."""
    told = schema.values(entry, "")
    return (told.id, *told[4:12], told.speaker)


_SAID = (
    "items LEFT JOIN labels ON labels.number = items.speaker "
    f"LEFT JOIN items AS asked ON asked.number = {schema.QUESTION} "
    "LEFT JOIN labels AS asker ON asker.number = asked.speaker"
)
"""Memories with all that their vectors are made of."""


class Vectors:
    """Puts vectors into the tables of an open index, within its transactions."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(
        self,
        model: str,
        vectors: Mapping[int, bytes],
        questions: Mapping[int, int] | None = None,
    ) -> None:
        """Keep the vectors of some memories, by their numbers.

        Args:
            model: What made them.
            vectors: A vector for each passage, packed.
            questions: The question that a memory's vectors have a share of; 0 for
                none. Those of an answer to another question are not kept: it was
                changed while they were made.
        """
        asked = questions or {}
        self._db.executemany(
            "REPLACE INTO vectors SELECT ?1, ?2, ?3 "  # noqa: S608 - fixed
            "FROM items WHERE number = ?1 "
            f"AND (?4 IS NULL OR ?4 = coalesce({QUESTION}, 0))",
            [(n, model, data, asked.get(n)) for n, data in vectors.items()],
        )
        self._tell_views()

    def put_aside(self) -> None:
        """Keep them in memory, by what the memories say, while everything goes."""
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("DROP TABLE IF EXISTS temp.kept")
        self._db.execute(
            "CREATE TEMP TABLE kept AS "  # noqa: S608 - fixed
            "SELECT items.id, items.path, items.text, items.aside, labels.name, "
            f"asked.text AS question, asker.name AS who, model, data FROM {_SAID} "
            "JOIN vectors ON vectors.item = items.number"
        )

    def take_back(self) -> None:
        """Give those put aside to memories that say the same, to the same question."""
        self._db.execute(
            "INSERT OR IGNORE INTO vectors "  # noqa: S608 - fixed
            "SELECT items.number, model, data "
            f"FROM {_SAID} JOIN kept ON kept.id = items.id AND kept.path = items.path "
            "AND kept.text = items.text AND kept.aside = items.aside "
            "AND kept.name IS labels.name AND kept.question IS asked.text "
            "AND kept.who IS asker.name"
        )
        self._db.execute("DROP TABLE kept")
        self._tell_views()

    def _tell_views(self) -> None:
        """Let everybody who keeps a view know that there are more."""
        self._db.execute(
            "INSERT INTO meta VALUES ('vectors', '1') "
            "ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
