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
from reverie.index.attestation import Attest, FileRecord, to_standing
from reverie.index.lookup import FILE, Lookup, to_located, to_trace
from reverie.index.rows import Holdings, Vectors
from reverie.index.schema import edge_values
from reverie.workspace.files import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reverie.decay import Trace
    from reverie.index.attestation import Past
    from reverie.index.view import View
    from reverie.model.ids import Store
    from reverie.model.items import Edge, Entry

_MODULUS = 1 << 256

UNKNOWN = Signature(-1, -1, -1, -1)
"""The looks of a file that has to be read to be known."""


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
        self._holdings = Holdings(self._db, self.attest)
        self.lookup = Lookup(self._rows, self.attest)
        self.vectors = Vectors(self._db)
        self._view: View | None = None
        self._changed = ("", 0)
        self._good: dict[str, tuple[Any, ...]] = {}

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
                self._changed = (self.seen, 0)
                yield
                self._holdings.post()
                if self._changed != (self.seen, 0):
                    self._write_tally()
                self._db.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise
            finally:
                self._holdings.forget()

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
        return _number(self._meta("unsaved"))

    def note_unsaved(self, count: int) -> None:
        """Say how many score changes are not yet in the snapshot."""
        self._set_meta("unsaved", str(count))

    def resting(self, chore: str, now: float) -> bool:
        """Whether a chore was done so lately that it need not be done again."""
        since, until, mark = (*self._meta(chore).split(" "), "", "", "")[:3]
        told = self.attest.note(chore, since, until).hex() == mark
        try:
            # A clock that was set back must not put a chore off.
            return told and float(since) <= now < float(until)
        except ValueError:
            return False

    def note_done(self, chore: str, now: float, rest: float) -> None:
        """Say that a chore was done, and for how many seconds that will do."""
        with self._told():
            told = (str(now), str(now + rest))
            mark = self.attest.note(chore, *told).hex()
            self._set_meta(chore, " ".join((*told, mark)))

    def clear(self) -> None:
        """Forget everything, within a transaction."""
        removals = _number(self._meta("removals"))
        for table in schema.CONTENT:
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - a fixed name
        self._changed = ("", 0)
        # Who keeps a view must notice that all of it is gone.
        self._set_meta("removals", str(removals + 1))

    def scour(self) -> None:
        """Leave no byte of removed rows in the file."""
        with self._told():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def has(self, id_: str, path: str) -> bool:
        """Whether a memory stands in a file."""
        query = "SELECT 1 FROM items WHERE id = ? AND path = ?"
        return bool(self._rows(query, id_, path))

    def ids_in(self, path: str) -> set[str]:
        """The memories that stand in a file."""
        rows = self._rows("SELECT id FROM items WHERE path = ?", path)
        return {row[0] for row in rows}

    def add_entries(self, path: str, entries: Sequence[Entry], since: str = "") -> None:
        """Add what was appended to a file.

        Args:
            path: The file.
            entries: What was appended.
            since: The commit at which the file was last read as a whole.
        """
        self._holdings.add(path, entries, since)

    def put_file(
        self,
        path: str,
        entries: Sequence[Entry],
        edges: Iterable[Edge],
        since: str = "",
    ) -> None:
        """Replace what is known of one file.

        Args:
            path: The file.
            entries: All that is in it.
            edges: All relations that it tells of.
            since: The commit that it was read at.
        """
        self._holdings.replace(path, entries, since)
        self._db.execute("DELETE FROM edges WHERE path = ?", (path,))
        told = map(edge_values, edges)
        self._db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(path, *e, self.attest.row(since, (path, *e))) for e in told],
        )

    def move_file(self, old: str, new: str) -> None:
        """Note that a file stands elsewhere now, within a transaction."""
        self._holdings.move(old, new)

    def find(self, id_: str) -> Located | None:
        """One memory by its id; of two files of one name, the first."""
        id_ = whole(id_)
        return next(
            self._located("WHERE items.id = ? ORDER BY items.path LIMIT 1", id_), None
        )

    def path_of(self, id_: str) -> str:
        """The file in which a memory stands; empty for none."""
        query = "SELECT path FROM items WHERE id = ? ORDER BY path LIMIT 1"
        rows = self._rows(query, whole(id_))
        return str(rows[0][0]) if rows else ""

    def moment(self, id_: str) -> datetime | None:
        """When a memory happened, where that is known."""
        rows = self._rows("SELECT at FROM items WHERE id = ? ORDER BY path", whole(id_))
        if not rows or rows[0][0] is None:
            return None
        return datetime.fromtimestamp(rows[0][0], UTC)

    def scopes(self) -> dict[str, str]:
        """Whom memories are for, of those that are for one person alone, by id."""
        return dict(self._rows("SELECT id, scope FROM items WHERE scope != ''"))

    def in_file(self, path: str) -> list[Located]:
        """The memories of one file, in order."""
        return list(self._located("WHERE items.path = ? ORDER BY line", path))

    def items(self, store: Store | None = None) -> Iterator[Located]:
        """Every memory, or those of one store, by id."""
        only = "SELECT min(path) FROM items AS i WHERE i.id = items.id"
        first = f"WHERE items.path = ({only}) "
        if store is None:
            return self._located(f"{first}ORDER BY items.id")
        return self._located(f"{first}AND store = ? ORDER BY items.id", store)

    def edges(self) -> list[Edge]:
        """The whole graph."""
        return self.lookup.edges("ORDER BY edges.origin, relation, target")

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
                    id_,
                    t.store,
                    t.base,
                    t.created.isoformat(),
                    t.last_accessed.isoformat(),
                    t.accesses,
                    t.pinned,
                    t.archived,
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
        wanted = list(ids)
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT id FROM items WHERE id IN ({marks}) AND names != ''"  # noqa: S608 - marks only
        found = self._rows(query, *wanted)
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

    def signatures(self) -> dict[str, Signature]:
        """What every file that is vouched for looked like when it was last known."""
        return self.looks()[0]

    def looks(self) -> tuple[dict[str, Signature], bool]:
        """What every file looked like, and whether it is certain that these are all.

        Who takes the row of a file away must not hide that the file went, too.
        """
        query = f"SELECT path, {FILE} FROM files"  # noqa: S608 - fixed
        found, total, before = {}, 0, self._good
        self._good = {}
        for row in self._rows(query):
            path = row[0]
            # What was looked at before is not worked out again.
            good = before.get(path) == row
            if good or self.attest.good_file(path, to_standing(row[1:])):
                self._good[path] = row
                found[path] = Signature._make(row[2:6])
                total += int.from_bytes(row[8])
        # Whether the seals of all files come to what was written down of them.
        return found, self._meta("files") == self._tally(f"{total % _MODULUS:x}")

    def _tally(self, told: str) -> str:
        return f"{told} {self.attest.note('files', self.seen, told).hex()}"

    def _write_tally(self) -> None:
        """Write down what the seals of all files come to, if that was right before."""
        before, (seen, change) = self._meta("files"), self._changed
        if not before and seen:
            return
        told = before.partition(" ")[0]
        mark = self.attest.note("files", seen, told).hex()
        if before and before != f"{told} {mark}":
            return
        total = (int(told or "0", 16) + change) % _MODULUS
        self._set_meta("files", self._tally(f"{total:x}"))

    def standing(self, path: str) -> FileRecord | None:
        """What is known of a file; None if nothing is, or it is not vouched for."""
        query = f"SELECT {FILE} FROM files WHERE path = ?"  # noqa: S608 - fixed
        rows = self._rows(query, path)
        standing = to_standing(rows[0]) if rows else None
        return standing if standing and self.attest.good_file(path, standing) else None

    def paths_named(self, folder: str, name: str) -> list[str]:
        """Where files of one name stand below a folder, the uppermost first."""
        rows = self._rows("SELECT path FROM names WHERE name = ?", name)
        paths = [row[0] for row in rows if row[0].startswith(f"{folder}/")]
        return sorted(paths, key=lambda path: (path.count("/"), path))

    def touched(self, path: str) -> str:
        """The commit that last changed a file; empty if none is known."""
        rows = self._rows("SELECT id, seal FROM touched WHERE path = ?", path)
        for id_, seal in rows:
            if self.attest.good_note(seal, "touched", path, id_):
                return str(id_)
        return ""

    def note_touched(self, commits: Mapping[str, str]) -> None:
        """Say, within a transaction, which commits last changed some files."""
        self._db.executemany(
            "REPLACE INTO touched VALUES (?, ?, ?)",
            [
                (path, id_, self.attest.note("touched", path, id_))
                for path, id_ in commits.items()
            ],
        )

    def put_signature(
        self,
        path: str,
        blob: str,
        looks: Signature | None,
        read: tuple[str, int] | None = None,
    ) -> None:
        """Note a file's looks, within a transaction.

        Args:
            path: The file.
            blob: Its content id; empty if the ledger no longer has it.
            looks: Its looks; None if they are not known for certain.
            read: The commit at which it was last read as a whole, and its number of
                lines; None if that is what is known.
        """
        known = self.standing(path)
        seen, total = self._changed
        if known is not None:
            total -= int.from_bytes(known.seal)
            self._changed = (seen, total)
        if not blob:
            self._db.execute("DELETE FROM files WHERE path = ?", (path,))
            self._db.execute("DELETE FROM names WHERE path = ?", (path,))
            return
        name = path.rpartition("/")[2]
        self._db.execute("REPLACE INTO names VALUES (?, ?)", (path, name))
        if read is None:
            same = known is not None and known.blob == blob
            read = (known.since, known.lines) if known and same else ("", -1)
        looks = looks or UNKNOWN
        standing = FileRecord(blob, *read, tuple(looks), b"")
        seal = self.attest.file(path, standing)
        self._changed = (seen, total + int.from_bytes(seal))
        row = (path, blob, *looks, *read, seal)
        self._db.execute("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

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

    def counts(self, scope: str = "") -> dict[str, int]:
        """How many memories each store has; with a scope, for that person."""
        rows = self._rows(
            "SELECT store, count(DISTINCT id) FROM items "
            "WHERE ? = '' OR scope IN ('', ?) GROUP BY store",
            scope,
            scope,
        )
        return dict(rows)

    def _located(self, where: str, *values: object) -> Iterator[Located]:
        for _, each in self.lookup.checked(where, *values):
            yield to_located(each)

    def _meta(self, key: str) -> str:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else ""

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


def whole(id_: str) -> str:
    """The id of the memory that a passage belongs to."""
    return f"{id_.rpartition('/')[0]}/0" if id_.startswith("turn:") else id_


def _number(text: str) -> int:
    """A count as the tables hold it; of what is no number, none."""
    return int(text) if text.isascii() and text.isdigit() else 0
