"""The index in one SQLite file: brought up to a commit, and asked."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.index import (
    IndexAlteredError,
    IndexDamagedError,
    IndexUnavailableError,
    Located,
    schema,
)
from reverie.index.attestation import Attest, FileRecord
from reverie.index.lookup import Lookup, places, to_trace
from reverie.index.near_duplicates import sketches
from reverie.index.text import heard, shape
from reverie.model.items import Entity
from reverie.workspace.files import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reverie.decay import Trace
    from reverie.index.attestation import Past
    from reverie.index.text import IndexPassage
    from reverie.index.view import View
    from reverie.model.ids import Store
    from reverie.model.items import Edge, Entry

UNKNOWN = Signature(-1, -1, -1, -1)
"""The looks of a file that has to be read to be known."""

ENOUGH = 256
"""So many memories are posted together; fewer are read as they are."""

MANY = 4096
"""No more than so many wait in memory to be posted."""

_SAID = (
    "items LEFT JOIN questions ON questions.item = items.number "
    "LEFT JOIN items AS asked ON asked.number = questions.question"
)
"""Memories with all that their vectors are made of."""


class SqliteIndex:
    """The derived database of one workspace.

    Args:
        path: Its file.
        attest: What vouches for its rows; without, they are taken as they are.
    """

    def __init__(self, path: Path, attest: Attest | None = None) -> None:
        self.path = path
        self.attest = attest or Attest()
        with self._told():
            self._db = schema.connect(path)
        self.lookup = Lookup(self._rows, self.attest)
        self._view: View | None = None
        self._heard: dict[int, list[IndexPassage]] = {}

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def copy(self, past: Past | None = None) -> SqliteIndex:
        """The same in memory, to try something out on; this one stays as it is.

        Args:
            past: What it will show, where that is not what this one shows.
        """
        attest = self.attest if past is None else self.attest.over(past)
        made = SqliteIndex(Path(":memory:"), attest)
        try:
            with self._told():
                self._db.backup(made._db)
        except BaseException:
            made.close()
            raise
        return made

    @contextmanager
    def changing(self) -> Iterator[None]:
        """One transaction: all rows and the commit they belong to, or nothing."""
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._post()
                self._db.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise
            finally:
                self._heard.clear()

    def clear(self) -> None:
        """Forget everything, within a transaction."""
        removals = self._number("removals")
        schema.create(self._db)
        # Who keeps a view must notice that all of it is gone.
        self._set_meta("removals", str(removals + 1))

    def scour(self) -> None:
        """Leave no byte of removed rows in the file."""
        with self._told():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def emptied(self) -> Iterator[None]:
        """Forget everything, to be filled anew, and leave no byte of it.

        Afterwards vectors come back where the words, and the question that they
        answer, are the same: some cost money.
        """
        with self.changing():
            self._db.execute("PRAGMA temp_store = MEMORY")
            self._db.execute("DROP TABLE IF EXISTS temp.kept")
            self._db.execute(
                "CREATE TEMP TABLE kept AS SELECT items.id, items.path, items.text, "  # noqa: S608 - fixed
                "items.aside, items.speaker, asked.text AS question, asked.speaker "
                f"AS asker, model, data FROM {_SAID} "
                "JOIN vectors ON vectors.item = items.number"
            )
            self.clear()
        self.scour()
        yield
        with self.changing():
            self._db.execute(
                "INSERT OR IGNORE INTO vectors SELECT items.number, model, data "  # noqa: S608 - fixed
                f"FROM {_SAID} JOIN kept ON kept.id = items.id AND kept.path = "
                "items.path AND kept.text = items.text AND kept.aside = items.aside "
                "AND kept.speaker = items.speaker AND kept.question IS asked.text "
                "AND kept.asker IS asked.speaker"
            )
            self._db.execute("DROP TABLE kept")
            self._tell_views()

    # --- what it notes of itself -----------------------------------------------

    @property
    def seen(self) -> str:
        """The commit whose state the rows show; empty for none."""
        return self._meta("commit")

    def note_seen(self, commit: str) -> None:
        """Say, within a transaction, which commit the rows now show."""
        self._set_meta("commit", commit)

    @property
    def unsaved(self) -> int:
        """How many score changes are not yet in `decay-scores.json`."""
        return self._number("unsaved")

    def note_unsaved(self, count: int) -> None:
        """Say how many score changes are not yet in the snapshot."""
        self._set_meta("unsaved", str(count))

    def resting(self, chore: str, now: float) -> bool:
        """Whether a chore was done so lately that it need not be done again."""
        since, until, mark = (*self._meta(chore).split(" "), "", "", "")[:3]
        told = self.attest.mark("note", chore, since, until).hex() == mark
        try:
            # A clock that was set back must not put a chore off.
            return told and float(since) <= now < float(until)
        except ValueError:
            return False

    def note_done(self, chore: str, now: float, rest: float) -> None:
        """Say that a chore was done, and for how many seconds that will do."""
        with self._told():
            told = (str(now), str(now + rest))
            mark = self.attest.mark("note", chore, *told).hex()
            self._set_meta(chore, " ".join((*told, mark)))

    def fold(self, name: str) -> tuple[bytes, bytes]:
        """What was folded out of history, and its seal; empty for nothing."""
        rows = self._rows("SELECT data, seal FROM folds WHERE name = ?", name)
        data, seal = rows[0] if rows else (b"", b"")
        fine = isinstance(data, bytes) and isinstance(seal, bytes)
        return (data, seal) if fine else (b"", b"")

    def put_fold(self, name: str, data: bytes, seal: bytes) -> None:
        """Keep what was folded out of history."""
        with self._told():
            self._db.execute("REPLACE INTO folds VALUES (?, ?, ?)", (name, data, seal))

    # --- memories --------------------------------------------------------------

    def find(self, id_: str) -> Located | None:
        """One memory by its id; of two files of one name, the first."""
        where = "WHERE items.id = ? ORDER BY items.path LIMIT 1"
        return next(self._located(where, whole(id_)), None)

    def path_of(self, id_: str) -> str:
        """The file in which a memory stands; empty for none."""
        query = "SELECT path FROM items WHERE id = ? ORDER BY path LIMIT 1"
        return str(next(iter(self._rows(query, whole(id_))), ("",))[0])

    def moment(self, id_: str) -> datetime | None:
        """When a memory happened, where that is known."""
        query = "SELECT at FROM items WHERE id = ? ORDER BY path LIMIT 1"
        at = next(iter(self._rows(query, whole(id_))), (None,))[0]
        return None if at is None else datetime.fromtimestamp(at, UTC)

    def scopes(self) -> dict[str, str]:
        """Whom memories are for, of those that are for one person alone, by id."""
        return dict(self._rows("SELECT id, scope FROM items WHERE scope != ''"))

    def in_file(self, path: str) -> list[Located]:
        """The memories of one file, in order."""
        return list(self._located("WHERE items.path = ? ORDER BY line", path))

    def items(self, store: Store | None = None) -> Iterator[Located]:
        """Every memory, or those of one store, by id."""
        return self._located(
            "WHERE items.path = (SELECT min(path) FROM items AS i WHERE i.id = "
            "items.id) AND (?1 IS NULL OR store = ?1) ORDER BY items.id",
            store,
        )

    def counts(self, scope: str = "") -> dict[str, int]:
        """How many memories each store has; with a scope, for that person."""
        query = (
            "SELECT store, count(DISTINCT id) FROM items "
            "WHERE ?1 = '' OR scope IN ('', ?1) GROUP BY store"
        )
        return dict(self._rows(query, scope))

    def ids_in(self, path: str) -> set[str]:
        """The memories that stand in a file."""
        rows = self._rows("SELECT id FROM items WHERE path = ?", path)
        return {row[0] for row in rows}

    def edges(self) -> list[Edge]:
        """The whole graph."""
        return self.lookup.edges("ORDER BY edges.origin, relation, target")

    def put_file(
        self,
        path: str,
        entries: Sequence[Entry],
        edges: Iterable[Edge],
        since: str = "",
    ) -> None:
        """Replace what is known of one file; what is as it was stays.

        Args:
            path: The file.
            entries: All that is in it.
            edges: All relations that it tells of.
            since: The commit that it was read at.
        """
        columns = ", ".join(_same(schema.Values._fields))
        query = f"SELECT id, number, {columns} FROM items WHERE path = ?"  # noqa: S608 - fixed
        known = {row[0]: row[1:] for row in self._db.execute(query, (path,))}
        stays = []
        for entry in {str(entry.id): entry for entry in entries}.values():
            told = schema.values(entry, path)
            number, *was = known.pop(told.id, (0,))
            if was == _same(told):
                seal = self.attest.mark("row", since, *told)
                place = (told.line, told.place, *places(entry))
                stays.append((*place, seal, number))
            else:
                if number:
                    self._delete(number)
                self._insert(entry, told, since)
        for number, *_ in known.values():
            self._delete(number)
        self._db.executemany(
            "UPDATE items SET line = ?, place = ?, moment = ?, learned = ?, seal = ? "
            "WHERE number = ?",
            stays,
        )
        self._db.execute("DELETE FROM edges WHERE path = ?", (path,))
        rows = [(path, *schema.edge_values(edge)) for edge in edges]
        self._db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(*row, self.attest.mark("row", since, *row)) for row in rows],
        )

    def add_entries(self, path: str, entries: Iterable[Entry], since: str = "") -> None:
        """Add what was appended to a file, none of which it had before.

        Args:
            path: The file.
            entries: What was appended.
            since: The commit at which the file was last read as a whole.
        """
        for entry in {str(entry.id): entry for entry in entries}.values():
            self._insert(entry, schema.values(entry, path), since)

    def move_file(self, old: str, new: str) -> None:
        """Note that a file stands elsewhere now; it has to be put there next."""
        self._db.execute("UPDATE items SET path = ? WHERE path = ?", (new, old))
        self._db.execute("DELETE FROM edges WHERE path = ?", (old,))

    def _delete(self, number: int) -> None:
        self._db.execute("DELETE FROM items WHERE number = ?", (number,))
        self._heard.pop(number, None)

    def _insert(self, entry: Entry, told: schema.Values, since: str) -> None:
        passages = heard(told.text, told.aside)
        seal = self.attest.mark("row", since, *told)
        row = (None, *told, shape(passages), *places(entry), seal, 0)
        query = f"INSERT INTO items VALUES ({', '.join('?' * len(row))})"  # noqa: S608 - marks
        number = self._db.execute(query, row).lastrowid or 0
        keys = [(key, number) for key in sketches(entry.item)]
        self._db.executemany("INSERT INTO sketches VALUES (?, ?)", keys)
        if isinstance(entry.item, Entity):
            names = {name.casefold() for name in told.names.split("\n")}
            rows = [(name, number) for name in names]
            self._db.executemany("INSERT INTO called VALUES (?, ?)", rows)
        self._heard[number] = passages
        if len(self._heard) >= MANY:
            self._post()

    def _post(self) -> None:
        """Post what waits for it, once there is enough."""
        query = "SELECT count(*) FROM items WHERE posted = 0"
        if not self._heard or self._db.execute(query).fetchone()[0] < ENOUGH:
            return
        from reverie.index.view import post  # noqa: PLC0415 - numpy is not for small writes

        query = "SELECT number, text, aside FROM items WHERE posted = 0"
        for number, text, aside in self._db.execute(query).fetchall():
            if number not in self._heard:
                self._heard[number] = heard(text, aside)
        self._db.execute("UPDATE items SET posted = 1 WHERE posted = 0")
        post(self._db, self._heard)
        self._heard.clear()

    # --- scores ----------------------------------------------------------------

    def trace(self, id_: str) -> Trace | None:
        """How often and when a memory was called on."""
        rows = self._rows("SELECT * FROM traces WHERE id = ?", id_)
        return to_trace(rows[0]) if rows else None

    def traces(self) -> dict[str, Trace]:
        """All of them, by id."""
        return {row[0]: to_trace(row) for row in self._rows("SELECT * FROM traces")}

    def put_traces(self, traces: Mapping[str, Trace]) -> None:
        """Set some, within a transaction."""
        self._db.executemany(
            "REPLACE INTO traces VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(id_, t.store, t.base, t.created.isoformat()),
                    *(t.last_accessed.isoformat(), t.accesses, t.pinned, t.archived),
                )
                for id_, t in traces.items()
            ],
        )

    def drop_traces(self, ids: Iterable[str]) -> None:
        """Forget some that no file holds any more, within a transaction."""
        self._db.executemany(
            "DELETE FROM traces WHERE id = ? "
            "AND NOT EXISTS (SELECT 1 FROM items WHERE items.id = traces.id)",
            [(i,) for i in ids],
        )

    def note_resurrected(self, ids: Iterable[str]) -> None:
        """Count one more return of those turns that are context reflections.

        Args:
            ids: Of turns.
        """
        query = "SELECT id FROM items WHERE id = ? AND names != ''"
        found = [row for id_ in ids for row in self._rows(query, id_)]
        if found:
            with self._told():
                self._db.executemany(
                    "INSERT INTO resurrected VALUES (?, 1) "
                    "ON CONFLICT (id) DO UPDATE SET count = count + 1",
                    found,
                )
                self.note_unsaved(self.unsaved + len(found))

    def resurrected(self) -> dict[str, int]:
        """How often context reflections came back, by id."""
        return dict(self._rows("SELECT id, count FROM resurrected ORDER BY id"))

    def put_resurrected(self, counts: Mapping[str, int]) -> None:
        """Take over what is written down, within a transaction; no count shrinks."""
        self._db.executemany(
            "INSERT INTO resurrected VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET count = max(count, excluded.count)",
            counts.items(),
        )

    # --- files -----------------------------------------------------------------

    def standing(self, path: str) -> FileRecord | None:
        """What is known of a file; None if nothing is, or it is not vouched for."""
        return next(self._files("WHERE path = ?", path), None)

    def signatures(self) -> dict[str, Signature]:
        """What every file that is vouched for looked like when it was last known."""
        return {f.path: Signature._make(f[3:7]) for f in self._files("")}

    def _files(self, where: str, *values: object) -> Iterator[FileRecord]:
        rows = self._rows(f"SELECT * FROM files {where}", *values)  # noqa: S608 - fixed
        return filter(self.attest.good_file, map(FileRecord._make, rows))

    def put_signature(
        self,
        path: str,
        blob: str,
        looks: Signature | None,
        read: tuple[str, int] | None = None,
        touched: str = "",
    ) -> None:
        """Note a file's looks, within a transaction.

        Args:
            path: The file.
            blob: Its content id; empty if the ledger no longer has it.
            looks: Its looks; None if they are not known for certain.
            read: The commit at which it was last read as a whole, and its number of
                lines; None if that is what is known.
            touched: The commit that changed it; empty if that is what is known.
        """
        known = self.standing(path)
        self._db.execute("DELETE FROM files WHERE path = ?", (path,))
        if not blob:
            return
        if read is None:
            same = known is not None and known.blob == blob
            read = (known.since, known.lines) if known and same else ("", -1)
        touched = touched or (known.touched if known else "")
        told = (path, path.rpartition("/")[2], blob, *(looks or UNKNOWN), *read)
        row = (*told, touched, self.attest.mark("file", *told, touched))
        marks = ", ".join("?" * len(row))
        self._db.execute(f"INSERT INTO files VALUES ({marks})", row)  # noqa: S608 - marks

    def paths_named(self, folder: str, name: str) -> list[str]:
        """Where files of one name stand below a folder, the uppermost first."""
        rows = self._rows("SELECT path FROM files WHERE name = ?", name)
        paths = [row[0] for row in rows if row[0].startswith(f"{folder}/")]
        return sorted(paths, key=lambda path: (path.count("/"), path))

    def touched(self, path: str) -> str:
        """The commit that last changed a file; empty if none is known."""
        known = self.standing(path)
        return known.touched if known else ""

    # --- arrays and vectors ----------------------------------------------------

    def view(self, model: str = "") -> View:
        """Everything as arrays, as it is now, with the vectors of one model."""
        from reverie.index.view import View, now_state  # noqa: PLC0415 - needs numpy

        with self._told():
            try:
                state = now_state(self._rows)
                if self._view is None or self._view.model != model:
                    self._view = View(self._rows, model)
                elif self._view.state != state:
                    self._view.load(state)
            except (ValueError, TypeError, LookupError, OverflowError):
                # Nothing that we wrote looks like this.
                raise IndexAlteredError from None
        return self._view

    def put_vectors(
        self,
        model: str,
        vectors: Mapping[int, bytes],
        questions: Mapping[int, int] | None = None,
    ) -> None:
        """Keep the vectors of some memories, by their numbers, in a transaction.

        Args:
            model: What made them.
            vectors: A vector for each passage, packed.
            questions: The question that a memory's vectors have a share of; 0 for
                none. Those of an answer to another question are not kept: it was
                changed while they were made.
        """
        self._db.executemany(
            "REPLACE INTO vectors SELECT ?1, ?2, ?3 FROM items WHERE number = ?1 "
            "AND (?4 IS NULL OR ?4 = ifnull("
            "(SELECT question FROM questions WHERE item = ?1), 0))",
            [(n, model, data, (questions or {}).get(n)) for n, data in vectors.items()],
        )
        self._tell_views()

    def _tell_views(self) -> None:
        """Let everybody who keeps a view know that there are more vectors."""
        self._set_meta("vectors", str(self._number("vectors") + 1))

    def _located(self, where: str, *values: object) -> Iterator[Located]:
        return (each.located for _, each in self.lookup.checked(where, *values))

    def _meta(self, key: str) -> str:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else ""

    def _number(self, key: str) -> int:
        text = self._meta(key)
        return int(text) if text.isascii() and text.isdigit() else 0

    def _set_meta(self, key: str, value: str) -> None:
        self._db.execute("REPLACE INTO meta VALUES (?, ?)", (key, value))

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._told():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            # A table of ours that is not there, or of another shape.
            gone = str(error).startswith("no such ")
            kind = IndexDamagedError if gone else IndexUnavailableError
            raise kind(self.path, error) from error
        except sqlite3.Error as error:
            raise IndexDamagedError(self.path, error) from error


def _same(told: Sequence[Any]) -> list[Any]:
    """What must be the same of a memory for its row to stay."""
    return [*told[4:13], told[14]]


def whole(id_: str) -> str:
    """The id of the memory that a passage belongs to."""
    return f"{id_.rpartition('/')[0]}/0" if id_.startswith("turn:") else id_
