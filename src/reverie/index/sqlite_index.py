"""The index in one SQLite file: brought up to a commit, and asked."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.index import IndexAlteredError
from reverie.index.attestation import FileRecord, edge_row
from reverie.index.located import located, places
from reverie.index.lookup import (
    ABOUT,
    COLUMNS,
    HEARD,
    PATIENCE,
    SqliteLookup,
    batches,
    create,
)
from reverie.index.near_duplicates import sketches
from reverie.index.text import heard, pieces, shape
from reverie.index.traces import TRACE_ROW, to_rows
from reverie.index.value_keys import keys_of
from reverie.model.ids import Store, citation
from reverie.model.items import Entity
from reverie.workspace.files import Signature

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import datetime

    from reverie.decay import Trace, TraceRow
    from reverie.embedding import Embedder
    from reverie.index import Located, Used
    from reverie.index.attestation import Past
    from reverie.index.text import IndexPassage
    from reverie.index.view import View, ViewState
    from reverie.model.items import Edge, Entry

UNKNOWN = Signature(-1, -1, -1, -1)
"""The looks of a file that has to be read to be known."""

ENOUGH = 256
"""So many memories are posted together; fewer are read as they are."""

MANY = 4096
"""No more than so many wait in memory to be posted."""

SMALL_GRAPH = 500
"""Up to so many entities, the graph's index is written at the end of each session."""

FEWEST, SHARE = 5, 10
"""Changes of scores worth a snapshot: so many, and of one in so many memories."""

_SAID = (
    "items.id, items.path, items.title, items.text, items.aside, items.speaker, "
    "asked.text, "
    "asked.speaker FROM items LEFT JOIN questions ON questions.item = items.number "
    "LEFT JOIN items AS asked ON asked.number = questions.question"
)
"""All that the vectors of memories are made of, and what tells them apart."""


class SqliteIndex(SqliteLookup):
    """The derived database of one workspace: the one implementation of `Index`."""

    _views: dict[str, View] = {}  # noqa: RUF012 - replaced, never changed
    _embedded: tuple[str, ViewState, tuple[int, int]] | None = None
    _heard: dict[int, list[IndexPassage]]

    def copy(self, past: Past | None = None) -> SqliteIndex:
        """The same in memory, to try something out on; this one stays as it is."""
        attest = self.attest if past is None else self.attest.over(past)
        made = SqliteIndex(Path(":memory:"), attest)
        with self._told():
            self._db.backup(made._db)
        return made

    @contextmanager
    def changing(self, *, wait: bool = True) -> Iterator[None]:
        """One transaction: all rows and the commit they belong to, or nothing."""
        with self._told():
            if wait:
                self._db.execute("BEGIN IMMEDIATE")
            else:
                self._begin_at_once()
            self._heard = {}
            try:
                yield
                self._post()
                self._db.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise

    def _begin_at_once(self) -> None:
        """Begin a transaction, or fail where another process is in one."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("BEGIN IMMEDIATE")
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")

    def clear(self) -> None:
        """Forget everything, within a transaction."""
        given = dict(self._db.execute("SELECT name, seq FROM sqlite_sequence"))
        create(self._db)
        # No number comes twice, for whoever still knows something by it.
        numbers = {name: given.get(name, 0) for name in ("items", "runs")}
        insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
        self._db.executemany(insert, numbers.items())
        # Who keeps a view must notice that all of it is gone: here is a gap.
        removals = given.get("removed", 0) + 2
        self._db.execute("INSERT INTO removed VALUES (?, 0)", (removals,))

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
        query = (
            f"SELECT model, data, {_SAID} JOIN vectors ON vectors.item = items.number"
        )
        with self.changing():
            kept: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
            for model, data, *said in self._rows(query):
                kept.setdefault(tuple(said), []).append((model, data))
            self.clear()
        self.scour()
        yield
        with self.changing():
            again = self._rows(f"SELECT items.number, {_SAID}")
            rows = [(n, *made) for n, *said in again for made in kept.get((*said,), ())]
            self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
            self._tell_views()

    # --- what it notes of itself -----------------------------------------------

    def _meta(self, key: str) -> str:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else ""

    def _number(self, key: str) -> int:
        text = self._meta(key)
        return int(text) if text.isascii() and text.isdigit() else 0

    def _set_meta(self, key: str, value: str) -> None:
        self._db.execute("REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def seen(self) -> str:
        """The commit whose state the rows show; empty for none."""
        return self._meta("commit")

    def note_seen(self, commit: str) -> None:
        """Say, within a transaction, which commit the rows now show."""
        self._set_meta("commit", commit)

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
        query = (
            "SELECT CAST(data AS BLOB), CAST(seal AS BLOB) FROM folds WHERE name = ?"
        )
        return next(
            ((data, seal) for data, seal in self._rows(query, name)), (b"", b"")
        )

    def put_fold(self, name: str, data: bytes, seal: bytes) -> None:
        """Keep what was folded out of history."""
        with self._told():
            self._db.execute("REPLACE INTO folds VALUES (?, ?, ?)", (name, data, seal))

    # --- memories --------------------------------------------------------------

    def put_file(
        self,
        path: str,
        entries: Sequence[Entry],
        edges: Iterable[Edge],
        since: str = "",
    ) -> None:
        """Replace what is known of one file; what is as it was stays."""
        columns = ", ".join(_same(COLUMNS))
        query = f"SELECT id, number, {columns} FROM items WHERE path = ?"  # noqa: S608 - fixed
        known = {row[0]: row[1:] for row in self._db.execute(query, (path,))}
        stays = []
        for entry in {str(entry.id): entry for entry in entries}.values():
            told = located(entry, path)
            number, *was = known.pop(told.id, (0,))
            if was == _same(told):
                seal = self.attest.mark("row", since, *told)
                place = (told.line, told.place, told.basis, *places(entry))
                stays.append((*place, seal, number))
            else:
                if number:
                    self._delete(number)
                self._insert(entry, told, since)
        for number, *_ in known.values():
            self._delete(number)
        self._db.executemany(
            "UPDATE items SET line = ?, place = ?, basis = ?, moment = ?, "
            "learned = ?, seal = ? WHERE number = ?",
            stays,
        )
        self._db.execute("DELETE FROM edges WHERE path = ?", (path,))
        rows = [edge_row(edge, path) for edge in edges]
        self._db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(*row, self.attest.mark("row", since, *row)) for row in rows],
        )

    def add_entries(self, path: str, entries: Iterable[Entry], since: str = "") -> None:
        """Add what was appended to a file, none of which it had before."""
        for entry in {str(entry.id): entry for entry in entries}.values():
            self._insert(entry, located(entry, path), since)

    def move_file(self, old: str, new: str) -> None:
        """Note that a file stands elsewhere now; it has to be put there next."""
        self._db.execute("UPDATE items SET path = ? WHERE path = ?", (new, old))
        self._db.execute("DELETE FROM edges WHERE path = ?", (old,))

    def _delete(self, number: int) -> None:
        self._db.execute("DELETE FROM items WHERE number = ?", (number,))
        self._heard.pop(number, None)

    def _insert(self, entry: Entry, told: Located, since: str) -> None:
        about = told.title if told.store is Store.SEMANTIC else ""
        passages = heard(about, told.text, told.aside)
        seal = self.attest.mark("row", since, *told)
        kept = (seal, 0, citation(told.id))
        row = (None, *told, shape(passages), *places(entry), *kept)
        query = f"INSERT INTO items VALUES ({', '.join('?' * len(row))})"  # noqa: S608 - marks
        number = self._db.execute(query, row).lastrowid or 0
        keys = [(key, number) for key in sketches(entry.item) | keys_of(entry)]
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

        query = f"SELECT {HEARD} WHERE posted = 0"
        for number, *said in self._db.execute(query).fetchall():
            if number not in self._heard:
                self._heard[number] = heard(*said)
        self._db.execute("UPDATE items SET posted = 1 WHERE posted = 0")
        post(self._db, self._heard)
        self._heard.clear()

    # --- scores ----------------------------------------------------------------

    def put_traces(self, traces: Mapping[str, Trace]) -> None:
        """Set some, within a transaction; they are not in the snapshot yet."""
        self._db.executemany(
            "REPLACE INTO traces VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(id_, t.store, t.base, _stamp(t.created), _stamp(t.last_accessed)),
                    *(t.accesses, t.pinned, t.archived),
                )
                for id_, t in traces.items()
            ],
        )
        self._set_meta("unsaved", str(self.unsaved + len(traces)))

    def count_uses(self, uses: Iterable[Used], *, reinforced: bool = False) -> int:
        """Count uses, within a transaction; what was forgotten stays as it is."""
        counted = self._db.executemany(
            "UPDATE traces SET accesses = max(1, accesses) + ?, "
            "last_accessed = max(last_accessed, ?) WHERE id = ? AND NOT archived",
            [(use.times, _stamp(use.at), use.id) for use in uses],
        ).rowcount
        for key in ("uses", "reinforced")[: 1 + reinforced] if counted > 0 else ():
            self._db.execute(
                "INSERT INTO meta VALUES (?2, ?1) "
                "ON CONFLICT (key) DO UPDATE SET value = value + ?1",
                (counted, key),
            )
        return max(0, counted)

    @property
    def uses(self) -> int:
        """How many uses are not yet in `decay-scores.json`."""
        return self._number("uses")

    def are_uses_due(self, many: int) -> bool:
        """Return whether so many wait, or enough of so few memories."""
        if self.uses >= many:
            return True
        most = self._number("reinforced") * SHARE
        query = "SELECT 1 FROM traces LIMIT 1 OFFSET ?"
        return bool(most) and not self._rows(query, most)

    def drop_traces(self, ids: Iterable[str]) -> None:
        """Forget some that no file holds any more, within a transaction."""
        self._db.executemany(
            "DELETE FROM traces WHERE id = ? "
            "AND NOT EXISTS (SELECT 1 FROM items WHERE items.id = traces.id)",
            [(i,) for i in ids],
        )

    @property
    def unsaved(self) -> int:
        """How many score changes are not yet in `decay-scores.json`."""
        return self._number("unsaved")

    def note_unsaved(self, count: int, uses: int = 0) -> None:
        """Say how many score changes and uses are not yet in the snapshot."""
        self._set_meta("unsaved", str(count))
        self._set_meta("uses", str(uses))
        self._set_meta("reinforced", "0")

    @property
    def graph_due(self) -> bool:
        """Whether pages changed since a small graph's index was written."""
        small = self.unforgotten(Store.SEMANTIC) <= SMALL_GRAPH
        return bool(self._number("graph")) and small

    def note_graph(self, *, stale: bool) -> None:
        """Say whether the graph's index is out of date."""
        self._set_meta("graph", str(int(stale)))

    @property
    def snapshot_due(self) -> bool:
        """Whether enough has changed since the last snapshot to pay for a new one."""
        unsaved = self.unsaved
        return unsaved >= FEWEST and unsaved * SHARE >= sum(self.counts().values())

    def note_resurrected(self, ids: Iterable[str]) -> None:
        """Count one more return of those turns that are context reflections."""
        query = "SELECT id FROM items WHERE id = ? AND names != ''"
        found = [row for id_ in ids for row in self._rows(query, id_)]
        if found:
            with self._told():
                self._db.executemany(
                    "INSERT INTO resurrected VALUES (?, 1) "
                    "ON CONFLICT (id) DO UPDATE SET count = count + 1",
                    found,
                )
                self._set_meta("unsaved", str(self.unsaved + len(found)))

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
        return next(self.files("WHERE path = ?", path), None)

    def more_files(self, than: int) -> bool:
        """Whether more files than so many are known; no more are counted."""
        query = "SELECT count(*) FROM (SELECT 1 FROM files LIMIT ?)"
        return bool(self._rows(query, than + 1)[0][0] > than)

    def signatures(self) -> dict[str, Signature]:
        """What every file that is vouched for looked like when it was last known."""
        return {f.path: Signature._make(f[3:7]) for f in self.files()}

    def files(self, where: str = "", *values: object) -> Iterator[FileRecord]:
        """What is known of every file, or some, as far as it is vouched for."""
        rows = self._rows(f"SELECT * FROM files {where}", *values)  # noqa: S608 - fixed
        return filter(self.attest.good_file, map(FileRecord._make, rows))

    def latest(self, folder: str) -> dict[str, int | None]:
        """When the newest of each file below a folder happened, in seconds."""
        query = (
            "SELECT files.path, max(items.at) FROM files LEFT JOIN items "
            "ON items.path = files.path WHERE files.path > ? AND files.path < ? "
            "GROUP BY files.path"
        )
        return dict(self._rows(query, f"{folder}/", f"{folder}0"))

    def in_files(self, paths: str | Sequence[str], last: int = 0) -> Iterator[Located]:
        """The memories of a file or some, in order; of each the last, or all with 0."""
        where = "WHERE items.path = ? ORDER BY line DESC LIMIT ?"
        for path in [paths] if isinstance(paths, str) else paths:
            yield from reversed([*self._located(where, path, last or -1)])

    def put_signature(
        self,
        path: str,
        blob: str,
        looks: Signature | None,
        read: tuple[str, int] | None = None,
        touched: str = "",
    ) -> None:
        """Note a file's looks, within a transaction."""
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

    def entity_types(self) -> dict[str, int]:
        """How many entities there are of each type."""
        query = (
            "SELECT substr(id, 8, instr(id, '--') - 8) AS type, count(*) FROM traces "
            "WHERE id > 'entity:' AND id < 'entity;' GROUP BY type"
        )
        return dict(self._rows(query))

    def entity_uses(self) -> dict[str, int]:
        """How often each entity was used that was since it was written, by id."""
        query = (
            "SELECT id, accesses FROM traces "
            "WHERE id > 'entity:' AND id < 'entity;' AND accesses != 1"
        )
        return dict(self._rows(query))

    def link_ends(
        self, paths: Iterable[str] | None = None
    ) -> dict[str, list[tuple[str, str]]]:
        """Where the relations begin and end that files, or some, tell of, by path."""
        query = "SELECT path, origin, target FROM edges"
        rows = self._rows(query) if paths is None else []
        for some in batches(paths or ()):
            rows += self._among(f"{query} WHERE path IN ({{}})", some)
        found: dict[str, list[tuple[str, str]]] = {}
        for path, origin, target in rows:
            found.setdefault(path, []).append((origin, target))
        return found

    def edges_among(self, names: Collection[str]) -> list[Edge]:
        """Relations between some entities, as many as fit into one question."""
        marks = ", ".join("?" * len(names))
        where = (
            f"WHERE edges.origin IN ({marks}) AND edges.target IN ({marks}) "
            "ORDER BY edges.origin, relation, target"
        )
        return self.edges(where, *names, *names)

    def find_pages_with_several(
        self, relations: Mapping[str, str], ids: Sequence[str] = ()
    ) -> list[str]:
        """Return the paths of pages that state one of some relations more than once.

        Args:
            relations: For each name in the graph the relation that it means.
            ids: Only pages with one of these memories; all pages without any.
        """
        query = (
            "SELECT path, relation FROM edges WHERE relation IN "
            "(SELECT value FROM json_each(?)) {} ORDER BY path"
        )
        some = "AND path IN (SELECT path FROM items WHERE id IN ({}))" if ids else ""
        where = some.format(", ".join("?" * len(ids)))
        rows = self._rows(query.format(where), json.dumps(list(relations)), *ids)
        often = Counter((path, relations[name]) for path, name in rows)
        return list(dict.fromkeys(path for (path, _), n in often.items() if n > 1))

    def titles(self, ids: Iterable[str]) -> dict[str, str]:
        """What some memories are called, by id; those that exist."""
        found: dict[str, str] = {}
        for some in batches(ids):
            where = f"WHERE items.id IN ({', '.join('?' * len(some))})"
            for each in self._located(f"{where} ORDER BY items.path", *some):
                found.setdefault(each.id, each.title)
        return found

    def rows_of_traces(
        self, begin: str = "", ids: Iterable[str] | None = None
    ) -> list[TraceRow]:
        """All traces, those of ids that begin so, or those of some ids, as rows."""
        query = f"SELECT {TRACE_ROW} FROM traces WHERE id "  # noqa: S608 - fixed
        found = []
        if ids is None:
            found += self._rows(f"{query} >= ?1 AND id < ?1 || char(1114111)", begin)
        for some in batches(ids or ()):
            found += self._among(f"{query} IN ({{}})", some)
        return to_rows(found)

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
                view = self._views.get(model)
                if view is None:
                    # The last two: while vectors of one model are being made, what
                    # lacks them is asked for by another.
                    view = View(self._rows, model)
                    self._views = {**dict([*self._views.items()][-1:]), model: view}
                elif view.state != state:
                    # One that is cut short is not to be gone on with.
                    del self._views[model]
                    view.load(state)
                    self._views[model] = view
            except (ValueError, TypeError, LookupError, OverflowError):
                # Nothing that we wrote looks like this.
                raise IndexAlteredError from None
        return view

    def embedded(self, model: str) -> tuple[int, int]:
        """How many memories have the vectors of a model, and how many there are."""
        from reverie.index.view import now_state  # noqa: PLC0415 - needs numpy

        state = now_state(self._rows)
        if self._embedded is None or self._embedded[:2] != (model, state):
            query = "SELECT count(*) FROM vectors WHERE model = ?"
            done = int(self._rows(query, model)[0][0])
            every = int(self._rows("SELECT count(*) FROM items")[0][0])
            self._embedded = model, state, (done, every)
        return self._embedded[2]

    def without_vectors(self, model: str, after: int, limit: int) -> list[int]:
        """Return the first memories behind a number that have no vectors of a model."""
        query = (
            "SELECT number FROM items WHERE number > ? AND NOT EXISTS (SELECT 1 FROM "
            "vectors WHERE item = number AND model = ?) ORDER BY number LIMIT ?"
        )
        return [number for (number,) in self._rows(query, after, model, limit)]

    def drop_vectors(self, keep: Callable[[str], bool]) -> None:
        """Let go of all vectors but those of the models to keep, by name."""
        for (model,) in self._rows("SELECT DISTINCT model FROM vectors"):
            if not keep(model):
                with self.changing():
                    self._db.execute("DELETE FROM vectors WHERE model = ?", (model,))
                    self._tell_views()

    def embed(self, embedder: Embedder, numbers: Sequence[int]) -> None:
        """Give vectors to some memories, by their numbers, in a transaction.

        Each passage is embedded with the name of who says it; an answer's vectors
        have a share of its question's.
        """
        from reverie.index.vectors import in_company  # noqa: PLC0415 - needs numpy

        found = self._to_embed(numbers)
        questions = {number: question for number, (_, question) in found.items()}
        asked = sorted({*questions.values()} - {0} - found.keys())
        query = "SELECT item, data FROM vectors WHERE model = ? AND item IN ({})"
        known: dict[int, bytes] = dict(self._among(query, asked, embedder.name))
        missing = self._to_embed(n for n in asked if n not in known)
        texts = {number: texts for number, (texts, _) in found.items()}
        texts |= {number: texts[:1] for number, (texts, _) in missing.items()}
        rows = embedder.embed([text for several in texts.values() for text in several])
        sizes = {number: len(several) for number, several in texts.items()}
        vectors = in_company(rows, sizes, questions, known)
        made = {number: vectors[number] for number in found}
        with self.changing():
            self.put_vectors(embedder.name, made, questions)

    def _to_embed(self, numbers: Iterable[int]) -> dict[int, tuple[list[str], int]]:
        """Passages of memories, and the number of what each answers; 0 for none."""
        query = (
            f"SELECT speaker, {ABOUT}, text, aside, coalesce(question, 0) FROM items "  # noqa: S608 - fixed
            "LEFT JOIN questions ON questions.item = items.number "
            "WHERE items.number = ?"
        )
        found = {}
        for number in numbers:
            for speaker, *said, question in self._rows(query, number):
                before = f"{speaker}: " if speaker else ""
                texts = [before + piece for piece in pieces(*said)]
                found[number] = texts, question
        return found

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


def _stamp(moment: datetime) -> str:
    """A moment in UTC, as text that sorts like it."""
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).isoformat()


def _same(told: Sequence[Any]) -> list[Any]:
    """What must be the same of a memory for its row to stay."""
    return [*told[4:13], told[14]]
