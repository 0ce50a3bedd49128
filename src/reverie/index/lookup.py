"""Look up memories: candidates by number, near duplicates, names, what waits."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from math import log
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.decay import Trace
from reverie.index import IndexAlteredError, Located
from reverie.index.attestation import FileRecord
from reverie.index.schema import Values, noted
from reverie.index.text import pieces, stem_set
from reverie.model.ids import Store
from reverie.model.items import UNROUTED, Confidence, Edge, Episode
from reverie.model.origin import Origin, least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.index.attestation import Attest
    from reverie.model.items import Entry


BEGINNING, MOST_NAMES = 4, 200
"""Letters in which the names of one thing agree, and names that are looked at."""

MOST_TERMS, MOST_PLACES = 24, 128
"""So many words of a text are looked up; those with more places tell too little."""

NEWEST, CLOSEST = 16, 8
"""Of memories with one key so many are counted, and so many are compared."""


_POSTING = Struct("<IBBB")
"""One place of a word, as `index.view` writes it; reading few needs no numpy."""

_WIDTH = len(Values._fields)
_COLUMNS = ", ".join(f"items.{name}" for name in Values._fields)
_VALUES = (
    f"SELECT items.number, {_COLUMNS}, items.seal, files.* FROM items "  # noqa: S608 - fixed
    "LEFT JOIN files ON files.path = items.path"
)
_TRACED = "JOIN traces ON traces.id = items.id WHERE items.scope = '' AND NOT archived"
"""What is for everybody, and was not forgotten."""


Alike = Values
"""A memory that may say the same as a text."""


class Sharing(NamedTuple):
    """Memories that share words with a text.

    Attributes:
        weights: How telling each word of the text is, by how few memories have it.
        best: Those that share most of that weight first, none of them a turn.
    """

    weights: dict[str, float]
    best: list[Located]


class Words(NamedTuple):
    """What the vectors of a memory are made of.

    Attributes:
        texts: Its passages, with the name of who says them.
        question: The number of the turn that it answers; 0 for none.
    """

    texts: list[str]
    question: int


class ReadUpTo(NamedTuple):
    """How far the episodes were read, in the order in which they were learned of.

    Attributes:
        moment: The place of the last that was read; see `places`.
        until: What happens later than this is not meant.
        by_noted: Whether what was noted later than it happened counts by that.
    """

    moment: int
    until: datetime
    by_noted: bool = True


class ScoredMemory(NamedTuple):
    """A memory and what its score is made of."""

    id: str
    path: str
    title: str
    origin: Origin
    trace: Trace


class WaitingEpisode(NamedTuple):
    """An episode in the order in which they were learned of.

    Attributes:
        id: Its id.
        path: The file it stands in.
        origin: Whose words it is.
        moment: Its place; see `places`.
        minute: What comes together: the minute, or of late ones the moment.
        trace: What its score is made of.
    """

    id: str
    path: str
    origin: Origin
    moment: int
    minute: int
    trace: Trace


class Lookup:
    """Reads rows by their numbers in a view, and what entities are called."""

    def __init__(
        self, rows: Callable[..., list[tuple[Any, ...]]], attest: Attest
    ) -> None:
        self._rows = rows
        self._attest = attest

    def checked(self, where: str, *values: object) -> Iterator[tuple[int, Values]]:
        """Some memories with their numbers, each as it stands in its file.

        Raises:
            IndexAlteredError: One does not stand so in any file.
        """
        rows = self._rows(f"{_VALUES} {where}", *values)
        # History is never behind what was read; rows may be behind it.
        self._attest.look()
        for number, *row in rows:
            told, file = Values._make(row[:_WIDTH]), FileRecord._make(row[_WIDTH + 1 :])
            self._attest.require(told.path, told, told.line, row[_WIDTH], file)
            yield number, told

    def edges(self, where: str, *values: object) -> list[Edge]:
        """Some relations, each once and as it stands in its file."""
        found: dict[Edge, None] = {}
        query = "SELECT * FROM edges LEFT JOIN files ON files.path = edges.path"
        rows = self._rows(f"{query} {where}", *values)
        self._attest.look()
        for row in rows:
            file = FileRecord._make(row[7:])
            self._attest.require(row[0], row[:6], 0, row[6], file)
            _, a, relation, b, confidence, first = row[:6]
            day = date.fromisoformat(first) if first else None
            found[Edge(a, relation, b, Confidence(confidence), day)] = None
        return list(found)

    def candidates(self, numbers: Iterable[int]) -> dict[int, tuple[str, Trace | None]]:
        """Ids and traces of some memories, by their numbers in a view."""
        query = (
            "SELECT number, items.id, traces.* FROM items "
            "LEFT JOIN traces ON traces.id = items.id WHERE number IN ({})"
        )
        rows = self._among(query, numbers)
        return {row[0]: (row[1], to_trace(row[2:]) if row[2] else None) for row in rows}

    def rows(self, numbers: Iterable[int]) -> dict[int, Located]:
        """All that is kept of some memories, by their numbers in a view."""
        return {n: each.located for n, each in self._numbered(numbers).items()}

    def _numbered(self, numbers: Iterable[int]) -> dict[int, Values]:
        chosen = [int(number) for number in numbers]
        marks = ", ".join("?" * len(chosen))
        return dict(self.checked(f"WHERE items.number IN ({marks})", *chosen))

    def number_of(self, id_: str) -> int:
        """The number that a memory has in a view; 0 for none."""
        where = "WHERE items.id = ? ORDER BY items.path LIMIT 1"
        return next((number for number, _ in self.checked(where, id_)), 0)

    # --- what says nearly the same, or shares words ----------------------------

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
        found = self._numbered(best)
        return [found[number] for number in best if number in found]

    def sharing(
        self, terms_: Iterable[str], scope: str, least: float, limit: int
    ) -> Sharing:
        """Memories that share telling words with a text, by BM25's idf.

        Words that stand in very many places lead nowhere, so that it costs the same
        among very many memories. What is for another person alone is not found.

        Args:
            terms_: The stems of the text's telling words.
            scope: The person it is for alone; empty for what everybody may see.
            least: The share of the text's weight that one line of theirs has to have.
            limit: So many at most.
        """
        looked = list(dict.fromkeys(terms_))[:MOST_TERMS]
        places: dict[str, set[int]] = {term: set() for term in looked}
        # What is too new to be posted is read as it is.
        query = "SELECT number, text FROM items WHERE posted = 0 AND store != 'turns'"
        for number, text in self._rows(query):
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
        newest = self._rows("SELECT coalesce(max(number), 0) FROM items")[0][0]
        weights = {t: log(1 + (newest + 1) / (1 + often[t])) for t in looked}
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

        def has_line(title: str, text: str) -> bool:
            """Whether a line, under the memory's title, has enough of the weight."""
            lines = (stem_set(title) | stem_set(line) for line in text.split("\n"))
            shares = (sum(weights[t] for t in weights.keys() & line) for line in lines)
            return any(share >= enough for share in shares)

        # Only what may be shown is compared with its file.
        close = (
            number for number in best if number in said and has_line(*said[number])
        )
        best = list(islice(close, limit))
        found = self._numbered(best)
        return Sharing(weights, [found[n].located for n in best if n in found])

    # --- names and the graph ---------------------------------------------------

    def known_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Which of some names entities go by, and which; by ids without the kind.

        What is for one person alone is not told.
        """
        query = (
            "SELECT called.name, items.id FROM called JOIN items ON items.number = "
            "called.item WHERE scope = '' AND called.name IN ({}) ORDER BY items.id"
        )
        found: dict[str, list[str]] = {}
        for name, id_ in self._among(query, dict.fromkeys(map(_folded, names))):
            found.setdefault(name, []).append(id_.partition(":")[2])
        return found

    def called(self, name: str) -> list[str]:
        """Which entities go by a name, by their ids without the kind."""
        where = (
            "JOIN called ON items.number = called.item "
            "WHERE called.name = ? ORDER BY items.id"
        )
        found = dict.fromkeys(e.id for _, e in self.checked(where, _folded(name)))
        return [id_.partition(":")[2] for id_ in found]

    def named_like(self, name: str, most: int = MOST_NAMES) -> dict[str, list[str]]:
        """What entities are called whose name begins like another, by id.

        Looked up by its first letters, so it costs the same among very many. What is
        for one person alone is not told.
        """
        begin = _folded(name)[:BEGINNING]
        where = (
            "JOIN called ON items.number = called.item WHERE called.name >= ? "
            "AND called.name < ? AND scope = '' ORDER BY called.name LIMIT ?"
        )
        found = self.checked(where, begin, f"{begin}\U0010ffff", most)
        return {e.id.partition(":")[2]: e.names.split("\n") for _, e in found}

    def entity_names(self) -> dict[str, list[str]]:
        """What every entity is called, by its id without the kind."""
        rows = self._rows("SELECT id, names FROM items WHERE store = 'semantic'")
        return {id_.partition(":")[2]: names.split("\n") for id_, names in rows}

    def names_of(self, id_: str) -> list[str]:
        """What one entity is called; nothing where there is none for everybody."""
        query = "SELECT names FROM items WHERE id = 'entity:' || ? AND scope = ''"
        rows = self._rows(query, id_)
        return rows[0][0].split("\n") if rows else []

    def scope_of(self, id_: str) -> str:
        """The person whom a memory is for alone; empty for everybody."""
        rows = self._rows("SELECT scope FROM items WHERE id = ? LIMIT 1", id_)
        return str(rows[0][0]) if rows else ""

    def beside(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Which entities some others are linked with, in either direction."""
        query = (
            "SELECT target FROM edges WHERE origin = ?1 "
            "UNION SELECT origin FROM edges WHERE target = ?1"
        )
        return {name: {row[0] for row in self._rows(query, name)} for name in names}

    def edges_from(self, name: str, limit: int) -> list[Edge]:
        """Relations that begin at an entity, but for those to what was forgotten."""
        where = (
            "WHERE edges.origin = ? AND NOT EXISTS (SELECT 1 FROM traces "
            "WHERE id = 'entity:' || target AND archived) ORDER BY relation, target"
        )
        return self.edges(where, name)[:limit]

    def edge_count(self) -> int:
        """How many relations there are, but for those of what was forgotten."""
        query = (
            "SELECT count(*) FROM (SELECT DISTINCT origin, relation, target FROM edges "
            "WHERE NOT EXISTS (SELECT 1 FROM traces WHERE archived "
            "AND id IN ('entity:' || origin, 'entity:' || target)))"
        )
        return int(self._rows(query)[0][0])

    # --- where they come from, and what is asked of them -----------------------

    def anything_forgotten(self) -> bool:
        """Whether its human ever asked to forget anything."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM traces WHERE archived) "
            "OR EXISTS (SELECT 1 FROM items WHERE gone != '')"
        )
        return bool(self._rows(query)[0][0])

    def origins(self, ids: Iterable[str]) -> dict[str, Origin]:
        """Whose words some memories are, by id; those that exist."""
        found = ((i, list(self.checked("WHERE items.id = ?", i))) for i in ids)
        return {
            i: least(Origin(e.origin) for _, e in rows) for i, rows in found if rows
        }

    def imported(self) -> list[tuple[str, str]]:
        """Origins and texts of all episodes that were imported."""
        query = (
            "SELECT names, text FROM items WHERE store = 'episodic' "
            "AND names NOT IN ('', ?)"
        )
        return [(origin, text) for origin, text in self._rows(query, UNROUTED)]

    def unrouted(self, most: int) -> list[tuple[str, str]]:
        """Ids and files of episodes that wait for a mind, the oldest first."""
        query = (
            "SELECT id, path FROM items WHERE store = 'episodic' AND names = ? "
            "ORDER BY id LIMIT ?"
        )
        return [(id_, path) for id_, path in self._rows(query, UNROUTED, most)]

    def asking(self, begin: str) -> list[tuple[str, str]]:
        """Ids of entities whose pages have a line that begins so, and the line."""
        query = (
            "SELECT id, text FROM items WHERE store = 'semantic' AND instr(text, ?) "
            "AND id NOT IN (SELECT id FROM traces WHERE archived) ORDER BY id"
        )
        rows = self._rows(query, f"\n{begin}")
        return [(i, s) for i, text in rows for s in text.split("\n") if begin in s]

    def own_files(self, folder: str) -> list[str]:
        """The files below a folder that hold something, and nothing imported."""
        # What one file holds comes from one place, so any of it tells.
        query = (
            "SELECT path FROM files WHERE path > ? AND path < ? AND "
            "(SELECT origin FROM items WHERE items.path = files.path LIMIT 1) != ?"
        )
        ends = f"{folder}/", f"{folder}0"  # the character behind a slash
        return [path for (path,) in self._rows(query, *ends, Origin.IMPORT)]

    # --- what a reflection reads -----------------------------------------------

    def waiting(self, place: ReadUpTo, limit: int) -> list[WaitingEpisode]:
        """The next episodes behind a place."""
        order = "learned" if place.by_noted else "moment"
        where = f"AND {order} > ? AND items.id < ? ORDER BY {order}, items.id LIMIT ?"
        return self._waiting(order, where, place.moment, _behind(place.until), limit)

    def perhaps_late(
        self, place: ReadUpTo, day: str, limit: int
    ) -> list[WaitingEpisode]:
        """Episodes before a place that were noted late, on a day or after it.

        What was written down last comes first.
        """
        where = (
            "AND learned != moment AND learned >= ? AND learned <= ? "
            "ORDER BY items.number DESC LIMIT ?"
        )
        begin = micros(datetime.fromisoformat(f"{day}T00:00+00:00"))
        return self._waiting("learned", where, begin, place.moment, limit)

    def _waiting(self, order: str, where: str, *values: object) -> list[WaitingEpisode]:
        late = f"{order}, {order} != moment"
        return [
            WaitingEpisode(*each[:2], each.origin, at, at - at % apart, each.trace)
            for (at, late_), each in self._ranked(late, where, *values)
            for apart in [1 if late_ else 60_000_000]
        ]

    def how_many_wait(
        self, place: ReadUpTo, *, private: bool = False
    ) -> tuple[int, str, str]:
        """How many episodes are behind a place, and the first and last day of them.

        Args:
            place: How far they were read.
            private: Whether to count those for one person alone, not the others.
        """
        order = "learned" if place.by_noted else "moment"
        query = (
            "SELECT count(DISTINCT items.id), min(items.id), max(items.id) FROM items "  # noqa: S608 - fixed
            "JOIN traces ON traces.id = items.id WHERE learned IS NOT NULL "
            f"AND NOT archived AND items.id < ? AND {order} > ? AND (scope != '') = ?"
        )
        values = (_behind(place.until), place.moment, private)
        count, first, last = self._rows(query, *values)[0]
        return count, (first or "")[8:18], (last or "")[8:18]

    def lively(self, store: Store, limit: int) -> list[ScoredMemory]:
        """Memories of a store that were of use last, and most often; not all."""
        found: dict[str, ScoredMemory] = {}
        for order in ("pinned DESC, last_accessed DESC", "accesses DESC"):
            where = f"AND traces.store = ? ORDER BY {order}, items.id LIMIT ?"
            found |= {each.id: each for each in self._scored(where, store, limit)}
        return list(found.values())

    def faintest(self, limit: int) -> list[ScoredMemory]:
        """Memories that may fade, and have not been of use for longest."""
        where = (
            "AND traces.store IN ('episodic', 'semantic', 'procedural') "
            "AND NOT pinned ORDER BY last_accessed, items.id LIMIT ?"
        )
        return self._scored(where, limit)

    def _scored(self, where: str, *values: object) -> list[ScoredMemory]:
        return [each for _, each in self._ranked("0, 0", where, *values)]

    def _ranked(
        self, order: str, where: str, *values: object
    ) -> list[tuple[tuple[int, int], ScoredMemory]]:
        """Some memories in the order asked for, and what that is; each once.

        None of them is for one person alone: what is made of these is for everybody.
        """
        query = f"SELECT items.number, {order}, traces.* FROM items {_TRACED} {where}"  # noqa: S608 - fixed
        rows = self._rows(query, *values)
        known = self._numbered(row[0] for row in rows)
        found: dict[str, tuple[tuple[int, int], ScoredMemory]] = {}
        for number, place, late, *trace in rows:
            told = known[number]
            said = (told.id, told.path, told.title, Origin(told.origin))
            if told.id not in found or told.path < found[told.id][1].path:
                found[told.id] = ((place, late), ScoredMemory(*said, to_trace(trace)))
        return list(found.values())

    def unforgotten(self, store: Store) -> int:
        """How many memories of a store its human did not ask to forget."""
        query = "SELECT count(*) FROM traces WHERE store = ? AND NOT archived"
        return int(self._rows(query, store)[0][0])

    # --- vectors ---------------------------------------------------------------

    def to_embed(self, numbers: Iterable[int]) -> dict[int, Words]:
        """What vectors of some memories are made of, by number."""
        query = (
            "SELECT speaker, text, aside, coalesce(question, 0) FROM items LEFT JOIN "
            "questions ON questions.item = items.number WHERE items.number = ?"
        )
        found = {}
        for number in numbers:
            for speaker, text, aside, question in self._rows(query, number):
                before = f"{speaker}: " if speaker else ""
                texts = [before + piece for piece in pieces(text, aside)]
                found[number] = Words(texts, question)
        return found

    def vectors(self, model: str, numbers: Iterable[int]) -> dict[int, bytes]:
        """The vectors that some memories have of a model, packed, by number."""
        query = "SELECT item, data FROM vectors WHERE model = ? AND item IN ({})"
        return dict(self._among(query, numbers, model))

    def _among(
        self, query: str, keys: Iterable[int | str], *before: object
    ) -> list[tuple[Any, ...]]:
        chosen = [key if isinstance(key, str) else int(key) for key in keys]
        marks = ", ".join("?" * len(chosen))
        return self._rows(query.format(marks), *before, *chosen)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(moment: datetime) -> int:
    """A moment in microseconds, as places among the episodes are told."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(moment: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


def places(entry: Entry) -> tuple[int | None, int | None]:
    """The places of an episode by when it happened and by when it was learned of.

    Those of one minute are one microsecond apart. Of what was told late only the day
    is known: such stand in that day's first minutes, in the order of their hours.
    """
    if not isinstance(entry.item, Episode):
        return None, None
    text, _, number = entry.id.name.partition("~")
    happened = datetime.fromisoformat(f"{text[:10]}T{text[11:]}+00:00")
    minute, nth = micros(happened), int(number or 1) - 1
    told = noted(entry.item) or happened
    if told.date() <= happened.date():
        return minute + nth, minute + nth
    return minute + nth, micros(told) + minute // 3_600_000_000 * 1000 + min(nth, 999)


def _behind(moment: datetime) -> str:
    """An id behind those of all episodes of a moment's minute: ids sort as they do."""
    return f"episode:{moment.astimezone(UTC).isoformat()[:16].replace('T', ':')}~~"


def _folded(name: str) -> str:
    """A name as it is looked up; what is no Unicode is found nowhere."""
    return name.casefold().encode("utf-8", "replace").decode()


def to_trace(row: Sequence[Any]) -> Trace:
    """A row of `traces` as the value it stands for."""
    _, store, base, created, last, accesses, pinned, archived = row
    try:
        return Trace(
            *(Store(store), float(base), _to_time(created), _to_time(last)),
            *(int(accesses), bool(pinned), bool(archived)),
        )
    except (ValueError, TypeError, OverflowError):
        raise IndexAlteredError from None


def _to_time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
