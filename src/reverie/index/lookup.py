"""Read the SQLite index: memories, near duplicates, names, edges, what waits."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections import Counter
from contextlib import contextmanager
from datetime import date, datetime
from itertools import islice
from math import log
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any

from reverie import index as port
from reverie.index.attestation import Attest, FileRecord
from reverie.index.located import micros, statement
from reverie.index.text import stem_set
from reverie.index.traces import TRACE_ROW, to_rows, to_trace
from reverie.model.ids import Store, page_of, whole
from reverie.model.items import (
    UNFILED,
    UNROUTED,
    Confidence,
    Edge,
    Origin,
    joined,
    least,
)
from reverie.workspace.files import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.decay import Trace, TraceRow
    from reverie.index import Located, ReadUpTo, ScoredMemory

MINUTE = 60_000_000
"""In microseconds."""

KEPT = 10_000
"""Once so many candidates that were read are kept, it begins anew."""

MAX_DIFFERING = 3
"""More statements that differ in one value are a list or a log, not a conflict."""

VERSION = 20
"""Raise it with every change of the tables; an older index is made anew."""

_TABLES = Path(__file__).with_name("schema.sql")
_SUFFIXES = ("", "-wal", "-shm", "-journal")

PATIENCE = 30
"""So many seconds who writes waits for another process that does."""

BEGINNING, MOST_NAMES = 4, 200
"""Letters in which the names of one thing agree, and names that are looked at."""

MOST_WORDS = 4
"""So many words of a name are looked up by themselves."""

_WORD = re.compile(r"[^\W_]{3,}")

MOST_TERMS, MOST_PLACES = 24, 128
"""So many words of a text are looked up; those with more places tell too little."""

NEWEST, CLOSEST = 16, 8
"""Of memories with one key so many are counted, and so many are compared."""

MOST_KEYS = 500
"""So many are looked up with one statement."""

_POSTING = Struct("<IBBB")
"""One place of a word, as `index.view` writes it; reading few needs no numpy."""

COLUMNS = port.Located._fields
"""What the rows of `items` keep of a memory."""

ABOUT = "CASE store WHEN 'semantic' THEN title ELSE '' END"
"""What a page and its facts are about; each of their passages is found by it."""

HEARD = f"number, {ABOUT}, text, aside FROM items"
"""All that the words of memories are read from."""

_ROWS = (
    f"SELECT {', '.join(f'items.{name}' for name in COLUMNS)}, items.number, "  # noqa: S608 - fixed
    "items.seal, files.* FROM items LEFT JOIN files ON files.path = items.path"
)


def connect(path: Path) -> sqlite3.Connection:
    """Open the index, making its tables where they are missing or of old shape."""
    for file in (path.with_name(path.name + suffix) for suffix in _SUFFIXES):
        if not os.path.lexists(file):
            continue
        status = os.lstat(file)
        # SQLite would follow a link, and wait for a pipe.
        if not stat.S_ISREG(status.st_mode):
            problem = f"{file.name} is {kind_of(status.st_mode)}"
            raise sqlite3.DatabaseError(problem)
        # The other name may belong to a database of another program.
        if status.st_nlink > 1:
            problem = f"{file.name} has another name outside of this folder"
            raise sqlite3.DatabaseError(problem)
    connection = sqlite3.connect(
        path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    # What is erased must not live on in free pages.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    if _version(connection) != VERSION:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have done it while we waited.
        if _version(connection) != VERSION:
            create(connection)
        connection.execute("COMMIT")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Make all tables anew and empty, within a transaction."""
    found = connection.execute(
        "SELECT type, name FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for kind, name in found:
        connection.execute(f'DROP {kind} "{name}"')
    for order in _TABLES.read_text("utf-8").split("\n\n"):
        connection.execute(order)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def remove_index(path: Path) -> None:
    """Delete the database; everything in it can be made anew."""
    for file in (path.with_name(path.name + suffix) for suffix in _SUFFIXES):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


class SqliteLookup:
    """The half of the SQLite index that is only read; see `Index` for its verbs.

    Args:
        path: Its file.
        attest: What vouches for its rows; without, they are taken as they are.
    """

    def __init__(self, path: Path, attest: Attest | None = None) -> None:
        self.path = path
        self.attest = attest or Attest()
        self._counted: tuple[object, dict[str, int]] = None, {}
        self._candidates: tuple[object, dict[int, tuple[str, TraceRow | None]]] = (
            None,
            {},
        )
        with self._told():
            self._db = connect(path)

    @property
    def size(self) -> int:
        """How many bytes its files take."""
        files = (self.path.with_name(self.path.name + end) for end in _SUFFIXES)
        return sum(file.stat().st_size for file in files if file.is_file())

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._told():
            return self._db.execute(query, values).fetchall()

    def _values(
        self, columns: str, where: str, *values: object
    ) -> list[tuple[Any, ...]]:
        """Some columns of memories, as they are."""
        return self._rows(f"SELECT {columns} FROM items WHERE {where}", *values)  # noqa: S608 - fixed

    def _among(
        self, query: str, keys: Iterable[int | str], *before: object
    ) -> list[tuple[Any, ...]]:
        """Rows of a query with `({})` where some keys belong, numpy's numbers too."""
        chosen = [key if isinstance(key, str) else int(key) for key in keys]
        marks = ", ".join("?" * len(chosen))
        return self._rows(query.format(marks), *before, *chosen)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            # A table of ours that is not there, or of another shape.
            gone = str(error).startswith("no such ")
            kind = port.IndexDamagedError if gone else port.IndexUnavailableError
            raise kind(self.path, error) from error
        except sqlite3.Error as error:
            raise port.IndexDamagedError(self.path, error) from error

    # --- memories, each as it stands in its file -------------------------------

    def _numbered(self, where: str, *values: object) -> Iterator[tuple[int, Located]]:
        """Some memories; `IndexAlteredError` for one that stands so in no file."""
        rows, width = self._rows(f"{_ROWS} {where}", *values), len(COLUMNS)
        # History is never behind what was read; rows may be behind it.
        self.attest.look()
        for row in rows:
            told, (number, seal, *file) = row[:width], row[width:]
            self.attest.require(told[2], told, told[3], seal, FileRecord._make(file))
            store, origin = Store(told[1]), Origin(told[10])
            yield number, port.Located._make(told)._replace(store=store, origin=origin)

    def _located(self, where: str, *values: object) -> Iterator[Located]:
        return (found for _, found in self._numbered(where, *values))

    def find(self, id_: str) -> Located | None:
        """One memory by its id; of two files of one name, the first."""
        # Only so does SQLite go by the index of those that are on a page.
        on_page = "(items.page = ?1 AND items.page != '')"
        where = f"WHERE items.id = ?1 OR {on_page} ORDER BY items.path, line"
        return next(_pages(self._located(where, whole(id_))), None)

    def cited(self, beginning: str) -> list[str]:
        """Ids of the memories whose citation begins so; more than one is unclear."""
        where = "citation >= ?1 AND citation < ?1 || '~' ORDER BY citation, id"
        return [str(id_) for (id_,) in self._values("DISTINCT id", where, beginning)]

    def path_of(self, id_: str) -> str:
        """The file in which a memory stands; empty for none."""
        return str(self._values("coalesce(min(path), '')", "id = ?", id_)[0][0])

    def items(self, store: Store | None = None) -> Iterator[Located]:
        """Every memory, or those of one store, by id."""
        where = (
            "WHERE items.path = (SELECT min(path) FROM items AS i WHERE i.id = "
            "CASE items.page WHEN '' THEN items.id ELSE items.page END) "
            "AND (?1 IS NULL OR store = ?1) "
            "ORDER BY CASE page WHEN '' THEN items.id ELSE page END, line"
        )
        return _pages(self._located(where, store))

    def ids_in(self, path: str) -> set[str]:
        """The ids of the memories of one file."""
        return {row[0] for row in self._values("id", "path = ?", path)}

    def lines_in(self, path: str) -> set[str]:
        """Every line that the memories of one file say or once said."""
        rows = self._values("text || char(10) || aside", "path = ?", path)
        return {statement(line) for (text,) in rows for line in text.split("\n")}

    def links_in(self, path: str) -> set[tuple[str, str, str]]:
        """Origin, relation and target of every relation that one file tells of."""
        query = "SELECT origin, relation, target FROM edges WHERE path = ?"
        return {(a, relation, b) for a, relation, b in self._rows(query, path)}

    def counts(self, scope: str = "") -> dict[str, int]:
        """How many memories each store has; with a scope, for that person."""
        query = (
            "SELECT coalesce(max(number), 0), (SELECT max(at) FROM removed) FROM items"
        )
        state = (*self._rows(query)[0], scope)
        if self._counted[0] != state:
            where = "page = '' AND (?1 = '' OR scope IN ('', ?1)) GROUP BY store"
            found = self._values("store, count(DISTINCT id)", where, scope)
            self._counted = state, dict(found)
        return dict(self._counted[1])

    def scopes(self) -> dict[str, str]:
        """Whom memories are for, of those that are for one person alone, by id."""
        return dict(self._values("id, scope", "scope != ''"))

    def scope_of(self, id_: str) -> str:
        """The person whom a memory is for alone; empty for everybody."""
        return str(self._values("coalesce(max(scope), '')", "id = ?", id_)[0][0])

    def origins(self, ids: Iterable[str]) -> dict[str, Origin]:
        """Whose words some memories are, by id; those that exist."""
        found = ((i, list(self._located("WHERE items.id = ?", i))) for i in ids)
        return {i: least(each.origin for each in rows) for i, rows in found if rows}

    def newest(
        self,
        store: Store,
        limit: int,
        any_of: Sequence[str],
        fits: Callable[[str, str], bool] | None = None,
    ) -> list[Located]:
        """Return the newest memories of a store that have one of some words."""
        has = "(instr(items.text, {0}) OR instr(items.aside, {0}))"
        words = " OR ".join(has.format(f"?{n + 3}") for n in range(len(any_of)))
        newest = (
            "SELECT number FROM items WHERE store = ?1 ORDER BY number DESC LIMIT ?2"
        )
        where = f"items.number IN ({newest}) AND ({words})"
        said = self._values("number, title, text", where, store, limit, *any_of)
        chosen = [n for n, *texts in said if fits is None or fits(*texts)]
        found = sorted(self.rows(chosen).items(), reverse=True) if chosen else []
        return [row for _, row in found]

    def behind(self, ids: Iterable[str]) -> set[str]:
        """Ids of what some memories were noted of."""
        query = "SELECT basis FROM items WHERE basis != '' AND id IN ({})"
        found = (
            self._rows(query.format(", ".join("?" * len(some))), *some)
            for some in batches(ids)
        )
        return {id_ for rows in found for row in rows for id_ in row[0].split()}

    def imported(self) -> list[tuple[str, str]]:
        """Origins and texts of all episodes that were imported."""
        where = "store = 'episodic' AND names NOT IN ('', ?)"
        return [
            (names.removeprefix(f"{UNFILED}\n"), text)
            for names, text in self._values("names, text", where, UNROUTED)
        ]

    def unrouted(self, most: int) -> list[tuple[str, str]]:
        """Ids and files of episodes that wait for a mind, the oldest first."""
        where = "store = 'episodic' AND names = ? ORDER BY id LIMIT ?"
        return [
            (i, path) for i, path in self._values("id, path", where, UNROUTED, most)
        ]

    def unfiled(self, most: int) -> list[tuple[str, str]]:
        """Ids and files of imported episodes that a mind has not read yet."""
        where = "store = 'episodic' AND names GLOB ? ORDER BY id LIMIT ?"
        rows = self._values("id, path", where, f"{UNFILED}\n*", most)
        return [(i, path) for i, path in rows]

    def pages_due(self, day: date) -> list[str]:
        """Return IDs of pages on which a fact begins or ends by a day."""
        # Asked with every question: it must cost the same among very many facts.
        query = (
            "SELECT page FROM items INDEXED BY items_due "
            "WHERE page != '' AND instr(names, ' ') "
            "AND substr(names, instr(names, ' ') + 1, 10) <= ?"
        )
        return sorted({page for (page,) in self._rows(query, str(day))})

    def asking(self, begin: str, ids: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Ids of entities whose pages ask what begins so, and the line."""
        query = (
            "SELECT id, text FROM items INDEXED BY items_asking "
            "WHERE store = 'semantic' AND page = '' "
            "AND (instr(text, 'Which holds:') OR instr(text, 'Is this the same as')) "
            "AND instr('\n' || text, ?) "
            "AND NOT EXISTS (SELECT 1 FROM traces WHERE traces.id = items.id "
            "AND archived){} ORDER BY id"
        )
        some = " AND id IN ({})" if (wanted := [*ids]) else ""
        rows = self._among(query.format(some), wanted, f"\n{begin}")
        return [(i, s) for i, text in rows for s in text.split("\n") if begin in s]

    def own_files(self, folder: str) -> list[str]:
        """The files below a folder that hold something, and nothing imported."""
        # What one file holds comes from one place, so any of it tells.
        query = (
            "SELECT path FROM files WHERE path > ? AND path < ? AND "
            "(SELECT origin FROM items WHERE items.path = files.path "
            "AND id NOT LIKE 'note:%' LIMIT 1) != ?"
        )
        ends = f"{folder}/", f"{folder}0"  # the character behind a slash
        return [path for (path,) in self._rows(query, *ends, Origin.IMPORT)]

    def known(self, scope: str, episodes: int) -> list[port.KnownMemory]:
        """Facts, the newest episodes and pages that ask, but for what was forgotten."""
        seen = "SELECT number FROM items WHERE (?1 = '' OR scope IN ('', ?1)) AND"
        asks = "instr(text, '?') OR instr(text, '\uff1f')"
        pages = f"{seen} store = 'semantic' AND (page != '' OR {asks})"
        newest = f"{seen} learned IS NOT NULL ORDER BY moment DESC LIMIT ?2"
        rows = self._rows(
            "SELECT number, items.id, page, at, origin, length(text), traces.* "  # noqa: S608 - fixed
            "FROM items LEFT JOIN traces "
            "ON traces.id = CASE page WHEN '' THEN items.id ELSE page END "
            f"WHERE number IN ({pages} UNION ALL SELECT * FROM ({newest})) "
            "AND NOT coalesce(archived, 0) ORDER BY items.path, line",
            *(scope, episodes),
        )
        # The facts of a page share its trace.
        rated = {row[6]: row[6:] for row in rows}
        traces = {id_: to_trace(row) for id_, row in rated.items() if id_}
        return [
            port.KnownMemory(n, i, page, at, Origin(by), size, traces.get(rated_by))
            for n, i, page, at, by, size, rated_by, *_ in rows
        ]

    def anything_forgotten(self) -> bool:
        """Whether its human ever asked to forget anything."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM traces WHERE archived) "
            "OR EXISTS (SELECT 1 FROM items WHERE gone != '')"
        )
        return bool(self._rows(query)[0][0])

    # --- candidates ------------------------------------------------------------

    def candidates(
        self, numbers: Iterable[int]
    ) -> dict[int, tuple[str, TraceRow | None]]:
        """Ids and traces of some memories, by their numbers."""
        query = (
            f"SELECT number, items.id, {TRACE_ROW} FROM items LEFT JOIN traces ON "  # noqa: S608 - fixed
            "traces.id = CASE page WHEN '' THEN items.id ELSE page END "
            "WHERE number IN ({})"
        )
        chosen, known = [*map(int, numbers)], self._read_candidates()
        rows = self._among(query, [n for n in chosen if n not in known])
        told = {row[0]: row[2:] for row in rows if row[2]}
        traces = dict(zip(told, to_rows(told.values()), strict=True))
        known |= {row[0]: (row[1], traces.get(row[0])) for row in rows}
        return {number: known[number] for number in chosen if number in known}

    def _read_candidates(self) -> dict[int, tuple[str, TraceRow | None]]:
        """Those that were read since anybody wrote: who asks goes on asking."""
        if self._db.in_transaction:
            return {}
        state = *self._rows("PRAGMA data_version")[0], self._db.total_changes
        if self._candidates[0] != state or len(self._candidates[1]) >= KEPT:
            self._candidates = state, {}
        return self._candidates[1]

    def rows(self, numbers: Iterable[int]) -> dict[int, Located]:
        """All that is kept of some memories, by their numbers."""
        chosen = [int(number) for number in numbers]
        where = f"WHERE items.number IN ({', '.join('?' * len(chosen))})"
        return dict(self._numbered(where, *chosen))

    def number_of(self, id_: str) -> int:
        """The number of a memory; 0 for none."""
        where = "WHERE items.id = ? ORDER BY items.path LIMIT 1"
        return next((number for number, _ in self._numbered(where, id_)), 0)

    def facts_of(self, pages: Iterable[str]) -> dict[int, str]:
        """Whose facts memories are: the ids of some pages, by their facts' numbers."""
        query = "SELECT number, page FROM items WHERE page != '' AND page IN ({})"
        return dict(self._among(query, pages))

    # --- near duplicates, and what shares words --------------------------------

    def alike(self, keys: Sequence[int]) -> list[Located]:
        """Memories that have keys of a sketch in common, those with most first.

        Only the newest of those that share a key are looked at: where very many
        are alike, it must not cost more.
        """
        query = "SELECT item FROM sketches WHERE band = ? ORDER BY item DESC LIMIT ?"
        shared = Counter(
            number for key in keys for (number,) in self._rows(query, key, NEWEST)
        )
        best = [number for number, _ in shared.most_common(CLOSEST)]
        found = self.rows(best)
        return [found[number] for number in best if number in found]

    def differing(self, ids: Sequence[str] = ()) -> list[tuple[str, ...]]:
        """Return the IDs of statements that differ in one value alone, in groups.

        Args:
            ids: Only groups with one of these memories; every group without any.
        """
        query = (
            "SELECT group_concat(id, char(10)) FROM (SELECT band, id FROM sketches "
            "JOIN items ON number = item WHERE band < 0 {} ORDER BY band, number) "
            "GROUP BY band HAVING count(*) BETWEEN 2 AND ?"
        )
        some = (
            "AND band IN (SELECT band FROM sketches WHERE band < 0 AND item IN "
            "(SELECT number FROM items WHERE id IN ({})))"
        )
        where = some.format(", ".join("?" * len(ids))) if ids else ""
        rows = self._rows(query.format(where), *ids, MAX_DIFFERING)
        return list(dict.fromkeys(tuple(said.split("\n")) for (said,) in rows))

    def sharing(
        self, terms_: Iterable[str], scope: str, least: float, limit: int
    ) -> port.Sharing:
        """Memories that share telling words with a text, by BM25's idf.

        Words that stand in very many places lead nowhere, so that it costs the same
        among very many memories. What is for another person alone is not found.
        """
        looked = list(dict.fromkeys(terms_))[:MOST_TERMS]
        places, often, newest = self._places(looked)
        weights = {t: _idf(often[t], newest) for t in looked}
        shared: Counter[int] = Counter()
        for term, numbers in places.items():
            shared.update(dict.fromkeys(numbers, weights[term]))
        # What every memory may have besides: the words that lead nowhere.
        besides = sum(weights[term] for term in looked if term not in places)
        enough = least * sum(weights.values())
        best = [n for n, w in shared.most_common(4 * limit) if w + besides >= enough]
        query = (
            "SELECT number, title, text FROM items WHERE store != 'turns' "
            "AND scope IN ('', ?) AND number IN ({})"
        )
        said = {n: (title, text) for n, title, text in self._among(query, best, scope)}

        def has_line(number: int) -> bool:
            """Whether a line, under the memory's title, has enough of the weight."""
            title, text = said.get(number, ("", ""))
            lines = (stem_set(title) | stem_set(line) for line in text.split("\n"))
            shares = (sum(weights[t] for t in weights.keys() & line) for line in lines)
            return number in said and any(share >= enough for share in shares)

        # Only what may be shown is compared with its file.
        best = list(islice(filter(has_line, best), limit))
        found = self.rows(best)
        return port.Sharing(weights, [found[n] for n in best if n in found])

    def rarity(
        self, terms_: Iterable[str], least: int
    ) -> tuple[dict[str, float], float]:
        """How telling some words are, and one that so many memories have, by idf."""
        looked = list(dict.fromkeys(terms_))
        _, often, newest = self._places(looked)
        return {t: _idf(often[t], newest) for t in looked}, _idf(least, newest)

    def _places(
        self, looked: Sequence[str]
    ) -> tuple[dict[str, set[int]], dict[str, int], int]:
        """Which memories have some words, how often each stands, and the last number.

        Of a word that stands in very many places these are not told.
        """
        places: dict[str, set[int]] = {term: set() for term in looked}
        # What is too new to be posted is read as it is.
        new = self._values("number, text", "posted = 0 AND store != 'turns'")
        for number, text in new:
            for term in stem_set(text) & places.keys():
                places[term].add(number)
        often = {term: len(numbers) for term, numbers in places.items()}
        most = _POSTING.size * MOST_PLACES
        query = (
            f"SELECT term, length(data), CASE WHEN length(data) <= {most} THEN data "  # noqa: S608 - a number
            "END FROM postings WHERE term IN ({})"
        )
        for term, size, data in self._among(query, looked):
            often[term] += size // _POSTING.size
            if data is None:
                places.pop(term, None)
            elif term in places:
                places[term].update(found[0] for found in _POSTING.iter_unpack(data))
        return places, often, self._values("coalesce(max(number), 0)", "1")[0][0]

    # --- names and the graph ---------------------------------------------------

    def entity_names(self) -> dict[str, list[str]]:
        """What every entity is called."""
        rows = self._values("id, names", "store = 'semantic' AND page = ''")
        return {_bare(id_): names.split("\n") for id_, names in rows}

    def names_state(self) -> tuple[int, int]:
        """Another value after any change of what entities are called."""
        # No number comes twice, and what is called otherwise gets another.
        rows = self._rows("SELECT count(*), coalesce(max(item), 0) FROM called")
        return rows[0][0], rows[0][1]

    def people(self, since: int = 0) -> dict[int, str]:
        """The entity of whatever stands on the page of a person, by its number."""
        # Where all are wanted, only the index of their ids is read.
        near = "" if since else "AND id > 'entity:' AND id < 'entity;'"
        where = f"number > ? {near} AND instr(id, 'entity:') = 1"
        rows = self._values("number, id", f"{where} AND instr(id, 'person--')", since)
        return {number: _bare(id_).partition("#")[0] for number, id_ in rows}

    def names_of(self, id_: str) -> list[str]:
        """What one entity is called; nothing where there is none for everybody."""
        rows = self._values("names", "id = 'entity:' || ? AND scope = ''", id_)
        return rows[0][0].split("\n") if rows else []

    def known_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Which of some names entities for everybody go by, and which."""
        query = (
            "SELECT called.name, items.id FROM called JOIN items ON items.number = "
            "called.item WHERE scope = '' AND called.name IN ({}) ORDER BY items.id"
        )
        found: dict[str, list[str]] = {}
        for some in batches(map(_folded, names)):
            for name, id_ in self._among(query, some):
                found.setdefault(name, []).append(_bare(id_))
        return found

    def beginning(self, words: Iterable[str]) -> set[str]:
        """Which of some words any name begins with."""
        query = (
            "SELECT column1 FROM (VALUES {}) WHERE EXISTS (SELECT 1 FROM called "
            "WHERE name >= column1 AND name < column1 || char(1114111))"
        )
        return {
            word
            for some in batches(map(_folded, words))
            for (word,) in self._rows(
                query.format("(?)" + ", (?)" * (len(some) - 1)), *some
            )
        }

    def called(self, name: str) -> list[str]:
        """Which entities go by a name."""
        where = (
            "JOIN called ON items.number = called.item "
            "WHERE called.name = ? ORDER BY items.id"
        )
        found = self._located(where, _folded(name))
        return list(dict.fromkeys(_bare(each.id) for each in found))

    def named_like(self, name: str, most: int = MOST_NAMES) -> dict[str, list[str]]:
        """What entities for everybody are called whose name begins like another.

        Or like a word of it: `Zoe Keller` may be known as `Zoe`, or as `Keller`.
        Looked up by first letters, so it costs the same among very many.
        """
        words = _WORD.findall(folded := _folded(name))[:MOST_WORDS]
        where = (
            "JOIN called ON items.number = called.item WHERE called.name >= ? "
            "AND called.name < ? AND scope = '' ORDER BY called.name LIMIT ?"
        )
        return {
            _bare(each.id): each.names.split("\n")
            for begin in dict.fromkeys(said[:BEGINNING] for said in (folded, *words))
            for each in self._located(where, begin, f"{begin}\U0010ffff", most)
        }

    def beside(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Which entities some others are linked with, in either direction."""
        found: dict[str, set[str]] = {name: set() for name in names}
        for some in batches(found):
            for ends in ("origin, target", "target, origin"):
                at = ends.partition(",")[0]
                query = f"SELECT {ends} FROM edges WHERE {at} IN ({{}})"  # noqa: S608 - fixed
                for one, other in self._among(query, some):
                    found[one].add(other)
        return found

    def edges(
        self, where: str = "ORDER BY edges.origin, relation, target", *values: object
    ) -> list[Edge]:
        """The whole graph or some of it, each relation once, as its files say it."""
        found: list[Edge] = []
        query = "SELECT * FROM edges LEFT JOIN files ON files.path = edges.path"
        rows = self._rows(f"{query} {where}", *values)
        self.attest.look()
        for row in rows:
            file = FileRecord._make(row[7:])
            self.attest.require(row[0], row[:6], 0, row[6], file)
            _, a, relation, b, confidence, first = row[:6]
            day = date.fromisoformat(first) if first else None
            found.append(Edge(a, relation, b, Confidence(confidence), day))
        return joined(found)

    def edges_from(self, name: str, limit: int) -> list[Edge]:
        """Relations that begin at an entity, but for those to what was forgotten."""
        return self._edges_at("origin", "target", name, limit)

    def edges_to(self, name: str, limit: int) -> list[Edge]:
        """Relations that end at an entity, but for those of what was forgotten."""
        return self._edges_at("target", "origin", name, limit)

    def _edges_at(self, at: str, other: str, name: str, limit: int) -> list[Edge]:
        where = (
            f"WHERE edges.{at} = ? AND NOT EXISTS (SELECT 1 FROM traces "  # noqa: S608 - fixed
            f"WHERE id = 'entity:' || {other} AND archived) "
            f"ORDER BY relation, {other} LIMIT ?"
        )
        # Several files may tell of the same one.
        return self.edges(where, name, 2 * limit)[:limit]

    def edge_count(self) -> int:
        """How many relations there are, but for those of what was forgotten."""
        query = (
            "SELECT count(*) FROM (SELECT DISTINCT origin, relation, target FROM edges "
            "WHERE NOT EXISTS (SELECT 1 FROM traces WHERE archived "
            "AND id IN ('entity:' || origin, 'entity:' || target)))"
        )
        return int(self._rows(query)[0][0])

    # --- scores, and what a reflection reads -----------------------------------

    def trace(self, id_: str) -> Trace | None:
        """How often and when a memory was called on; of a fact, its page."""
        rows = self._rows("SELECT * FROM traces WHERE id = ?", page_of(id_))
        return to_trace(rows[0]) if rows else None

    def traces(self, begin: str = "") -> dict[str, Trace]:
        """All of them, or those of ids that begin so, by id."""
        query = "SELECT * FROM traces WHERE id >= ?1 AND id < ?1 || char(1114111)"
        return {row[0]: to_trace(row) for row in self._rows(query, begin)}

    def resurrected(self) -> dict[str, int]:
        """How often context reflections came back, by id."""
        return dict(self._rows("SELECT id, count FROM resurrected ORDER BY id"))

    def waiting(self, place: ReadUpTo, limit: int) -> list[ScoredMemory]:
        """The next episodes behind a place."""
        order, where, values = _unread(place)
        where = f"{where} ORDER BY {order}, items.id"
        return self._scored(where, limit, *values, order=order)

    def perhaps_late(self, place: ReadUpTo, day: str, limit: int) -> list[ScoredMemory]:
        """Episodes before a place that were noted late, on a day or after it.

        What was written down last comes first.
        """
        where = "learned != moment AND learned BETWEEN ? AND ? ORDER BY number DESC"
        # It begins somewhere on earth before it does in UTC.
        begin = micros(datetime.fromisoformat(f"{day}T00:00+14:00"))
        return self._scored(where, limit, begin, place.moment, order="learned")

    def how_many_wait(
        self, place: ReadUpTo, *, private: bool = False
    ) -> tuple[int, str, str]:
        """How many episodes are behind a place, and the first and last day of them."""
        _, where, values = _unread(place)
        query = (
            "SELECT count(DISTINCT items.id), min(items.id), max(items.id) FROM items "  # noqa: S608 - fixed
            "JOIN traces ON traces.id = items.id WHERE learned IS NOT NULL "
            f"AND NOT archived AND {where} AND (scope != '') = ?"
        )
        values = (*values, private)
        count, first, last = self._rows(query, *values)[0]
        return count, (first or "")[8:18], (last or "")[8:18]

    def lively(self, store: Store, limit: int) -> list[ScoredMemory]:
        """Memories of a store that were of use last, and most often; not all."""
        found: dict[str, ScoredMemory] = {}
        for order in ("pinned DESC, last_accessed DESC", "accesses DESC"):
            where = f"traces.store = ? ORDER BY {order}, items.id"
            found |= {each.id: each for each in self._scored(where, limit, store)}
        return [*found.values()]

    def faintest(self, limit: int) -> list[ScoredMemory]:
        """Memories that may fade, and have not been of use for longest."""
        return self._scored(
            "traces.store IN ('episodic', 'semantic', 'procedural') "
            "AND NOT pinned ORDER BY last_accessed, items.id",
            limit,
        )

    def unforgotten(self, store: Store) -> int:
        """How many memories of a store its human did not ask to forget."""
        query = "SELECT count(*) FROM traces WHERE store = ? AND NOT archived"
        return int(self._rows(query, store)[0][0])

    def _scored(
        self, where: str, limit: int, *values: object, order: str = "0"
    ) -> list[ScoredMemory]:
        """Some memories in the order asked for; of two files of a name, the first.

        None of them is for one person alone: what is made of these is for everybody.
        """
        rows = self._rows(
            f"SELECT number, {order}, {order} = moment, traces.* FROM items "  # noqa: S608 - fixed
            "JOIN traces ON traces.id = items.id "
            f"WHERE scope = '' AND NOT archived AND {where} LIMIT ?",
            *(*values, limit),
        )
        known = self.rows(row[0] for row in rows)
        found: dict[str, ScoredMemory] = {}
        for number, at, in_time, *trace in rows:
            told, minute = known[number], at - at % MINUTE if in_time else at
            if told.id not in found or told.path < found[told.id].path:
                said = (told.id, told.path, told.title, told.origin)
                found[told.id] = port.ScoredMemory(*said, to_trace(trace), at, minute)
        return list(found.values())


def _pages(rows: Iterable[Located]) -> Iterator[Located]:
    """Memories, each page with its names and its facts, which come right behind it."""
    held: Located | None = None
    for row in rows:
        if held and row.page == held.id and row.path == held.path:
            held = held._replace(text=f"{held.text}\n{row.text}")
            continue
        if held:
            yield held
        held = row
        if row.store is Store.SEMANTIC and not row.page:
            # An id that a page once had is an address, and no word of it.
            names = (name for name in row.names.split("\n") if "--" not in name)
            held = row._replace(text="\n".join(filter(None, (*names, row.text))))
    if held:
        yield held


def _unread(place: ReadUpTo) -> tuple[str, str, tuple[int, ...]]:
    """Return the order, the condition and its values for what is behind a place."""
    order = "learned" if place.by_noted else "moment"
    where = f"{order} > ? AND moment < ?"
    if place.noted_until is None:
        return order, where, (place.moment, _behind(place.until))
    noted = micros(place.noted_until)
    return (
        order,
        f"{where} AND learned <= ?",
        (place.moment, micros(place.until) + 1, noted),
    )


def _behind(moment: datetime) -> int:
    """A place behind those of all episodes of a moment's minute."""
    return (micros(moment) // MINUTE + 1) * MINUTE


def _bare(id_: str) -> str:
    """An id without its kind."""
    return id_.partition(":")[2]


def _idf(often: int, newest: int) -> float:
    """How telling a word is that stands in so many places."""
    return log(1 + (newest + 1) / (1 + often))


def batches(keys: Iterable[str]) -> Iterator[list[str]]:
    """Keys, each once, as many together as a statement takes easily."""
    left = iter(dict.fromkeys(keys))
    while some := list(islice(left, MOST_KEYS)):
        yield some


def _folded(name: str) -> str:
    """A name as it is looked up; what is no Unicode is found nowhere."""
    return name.casefold().encode("utf-8", "replace").decode()
