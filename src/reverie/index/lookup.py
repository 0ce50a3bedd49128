"""Look up memories: candidates by number, near duplicates, names, what waits."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from math import log
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.decay import Trace
from reverie.index import IndexAlteredError, Located
from reverie.index.attestation import to_standing
from reverie.index.schema import QUESTION, Values, pieces
from reverie.index.text import stem_set, terms
from reverie.model.ids import Store
from reverie.model.items import UNROUTED, Confidence, Edge
from reverie.model.origin import Origin, least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.index.attestation import Attest


BEGINNING, MOST_NAMES = 4, 200
"""Letters in which the names of one thing agree, and names that are looked at."""

MOST_TERMS, MOST_PLACES = 24, 128
"""So many words of a text are looked up; those with more places tell too little."""

NEWEST, CLOSEST = 16, 8
"""Of memories with one key so many are counted, and so many are compared."""


_POSTING = Struct("<IBBB")
"""One place of a word, as `index.postings` writes it; reading few needs no numpy."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = 60_000_000
_LAST_HOUR = 24 * 365 * 500
_PREFIX, _BEHIND = "episode:", "~~"
"""Ids of episodes sort as their moments do; this comes behind all of a minute."""

_HOUR = "substr(id, 9, 13)"
_NUMBER = "CASE instr(id, '~') WHEN 0 THEN 0 ELSE substr(id, 26) - 1 END"
"""Which of its minute an episode is, counted from 0."""

_PAST = f"id > ? OR (id > ? AND {_NUMBER} > ?)"
"""Whether an episode happened after a moment."""

_TOLD = "substr(last_accessed, 1, 10)"
"""The day on which something was noted that was not called on since."""

_LATE = f"(accesses < 2 AND {_TOLD} > substr(id, 9, 10))"
_LIVE = "store = 'episodic' AND NOT archived"
_PRIVATE = (
    "EXISTS (SELECT 1 FROM items WHERE items.id = traces.id AND items.scope != '')"
)
"""Whether a memory is for one person alone."""

FILE = (
    "files.blob, files.size, files.modified, files.changed, files.inode, "
    "files.since, files.lines, files.seal"
)
"""What vouches for the rows of a file."""

_WIDTH = len(Values._fields)
_VALUES = (
    "SELECT items.number, items.id, store, items.path, line, title, text, aside, "  # noqa: S608 - fixed
    "names, at, scope, origin, gone, coalesce(company.name, ''), place, "
    f"coalesce(speaker.name, ''), items.seal, {FILE} FROM items "
    "LEFT JOIN labels AS company ON company.number = items.company "
    "LEFT JOIN labels AS speaker ON speaker.number = items.speaker "
    "LEFT JOIN files ON files.path = items.path"
)
_EDGES = (
    "SELECT edges.path, edges.origin, relation, target, confidence, first_seen, "  # noqa: S608 - fixed
    f"edges.seal, {FILE} FROM edges LEFT JOIN files ON files.path = edges.path"
)

_ORDER = f"{_TOLD}, {_HOUR}, min({_NUMBER}, 999)"


class Alike(NamedTuple):
    """A memory that may say the same as a text."""

    id: str
    title: str
    text: str
    gone: str
    scope: str
    at: int | None


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
        moment: Of the last that was read, in microseconds; see `Waiting`.
        until: What happens later than this is not meant.
        by_noted: Whether what was noted later than it happened counts by that.
    """

    moment: int
    until: datetime
    by_noted: bool = True


class WaitingEpisode(NamedTuple):
    """An episode in the order in which they were learned of.

    Attributes:
        id: Its id.
        path: The file it stands in.
        origin: Whose words it is.
        moment: When it happened, in microseconds; those of one minute are one apart.
            Of what was noted later than it happened only the day is known: such
            stand in that day's first minutes, in the order in which they happened.
        minute: What comes together: the minute, or of late ones the moment.
        trace: What its score is made of.
    """

    id: str
    path: str
    origin: Origin
    moment: int
    minute: int
    trace: Trace


class ScoredMemory(NamedTuple):
    """A memory and what its score is made of."""

    id: str
    path: str
    title: str
    origin: Origin
    trace: Trace


class Lookup:
    """Reads rows by their numbers in a view, and what entities are called."""

    def __init__(
        self, rows: Callable[..., list[tuple[Any, ...]]], attest: Attest
    ) -> None:
        self._rows = rows
        self._attest = attest
        self._fresh: dict[int, frozenset[str]] = {}
        self._stands: dict[str, set[int]] = {}

    def checked(self, where: str, *values: object) -> Iterator[tuple[int, Values]]:
        """Some memories with their numbers, each as it stands in its file.

        Raises:
            IndexAlteredError: One does not stand so in any file.
        """
        self._attest.look()
        for number, *row in self._rows(f"{_VALUES} {where}", *values):
            told = Values._make(row[:_WIDTH])
            standing = to_standing(tuple(row[_WIDTH + 1 :]))
            self._attest.require(told, row[_WIDTH], standing)
            yield number, told

    def edges(self, where: str, *values: object) -> list[Edge]:
        """Some relations, each once and as it stands in its file."""
        found: dict[Edge, None] = {}
        self._attest.look()
        for path, *row in self._rows(f"{_EDGES} {where}", *values):
            told, seal, standing = tuple(row[:5]), row[5], to_standing(tuple(row[6:]))
            self._attest.require_edge(path, told, seal, standing)
            a, relation, b, confidence, first = told
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
        found = self._numbered(numbers)
        return {number: to_located(each) for number, each in found.items()}

    def _numbered(self, numbers: Iterable[int]) -> dict[int, Values]:
        chosen = [int(number) for number in numbers]
        marks = ", ".join("?" * len(chosen))
        return dict(self.checked(f"WHERE items.number IN ({marks})", *chosen))

    def number_of(self, id_: str) -> int:
        """The number that a memory has in a view; 0 for none."""
        where = "WHERE items.id = ? ORDER BY items.path LIMIT 1"
        return next((number for number, _ in self.checked(where, id_)), 0)

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
        return [
            Alike(each.id, each.title, each.text, each.gone, each.scope, each.at)
            for each in (found[number] for number in best if number in found)
        ]

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
        fresh = self._unposted()
        often = {term: len(fresh.get(term, ())) for term in looked}
        places: dict[str, set[int]] = {term: set() for term in looked}
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
        # What every memory may have besides: the words that lead nowhere.
        enough = least * sum(weights.values())
        besides = sum(weights[term] for term in looked if term not in places)
        for term, numbers in places.items():
            numbers.update(fresh.get(term, ()))
            shared.update(dict.fromkeys(numbers, weights[term]))
        best = [
            number
            for number, weight in shared.most_common(4 * limit)
            if weight + besides >= enough
        ]
        query = (
            "SELECT number, title, text FROM items WHERE store != 'turns' "
            "AND scope IN ('', ?) AND number IN ({})"
        )
        said = {n: (title, text) for n, title, text in self._among(query, best, scope)}
        close = (
            number
            for number in best
            if number in said and _has_line(*said[number], weights, enough)
        )
        # Only what may be shown is compared with its file.
        best = list(islice(close, limit))
        found = self._numbered(best)
        return Sharing(weights, [to_located(found[n]) for n in best if n in found])

    def _unposted(self) -> dict[str, set[int]]:
        """Where the words of what is too new to be posted stand, each read once."""
        rows = self._rows("SELECT number FROM items WHERE posted = 0")
        numbers = {number for (number,) in rows}
        for number in self._fresh.keys() - numbers:
            for term in self._fresh.pop(number):
                self._stands[term].discard(number)
        query = (
            "SELECT number, text FROM items WHERE store != 'turns' AND number IN ({})"
        )
        new = numbers - self._fresh.keys()
        self._fresh.update(dict.fromkeys(new, frozenset[str]()))
        for number, text in self._among(query, new):
            self._fresh[number] = frozenset(terms(text))
            for term in self._fresh[number]:
                self._stands.setdefault(term, set()).add(number)
        return self._stands

    def known_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Which of some names entities go by, and which; by ids without the kind.

        What is for one person alone is not told.
        """
        folded = list(dict.fromkeys(map(_folded, names)))
        marks = ", ".join("?" * len(folded))
        query = (
            "SELECT called.name, items.id FROM called "  # noqa: S608 - marks
            "JOIN items ON items.number = called.item "
            f"WHERE items.scope = '' AND called.name IN ({marks}) ORDER BY items.id"
        )
        found: dict[str, list[str]] = {}
        for name, id_ in self._rows(query, *folded):
            found.setdefault(name, []).append(id_.partition(":")[2])
        return found

    def company(self, name: str) -> int:
        """The number by which memories that belong together are known; -1 for none."""
        query = "SELECT number FROM labels WHERE kind = 'company' AND name = ?"
        found = self._rows(query, name)
        return int(found[0][0]) if found else -1

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

    def entity_names(self) -> dict[str, list[str]]:
        """What every entity is called, by its id without the kind."""
        rows = self._rows("SELECT id, names FROM items WHERE store = 'semantic'")
        return {id_.partition(":")[2]: names.split("\n") for id_, names in rows}

    def called(self, name: str) -> list[str]:
        """Which entities go by a name, by their ids without the kind."""
        where = (
            "JOIN called ON items.number = called.item "
            "WHERE called.name = ? ORDER BY items.id"
        )
        found = dict.fromkeys(e.id for _, e in self.checked(where, _folded(name)))
        return [id_.partition(":")[2] for id_ in found]

    def names_of(self, id_: str) -> list[str]:
        """What one entity is called; nothing where there is none for everybody."""
        query = "SELECT names FROM items WHERE id = 'entity:' || ? AND scope = ''"
        rows = self._rows(query, id_)
        return rows[0][0].split("\n") if rows else []

    def scope_of(self, id_: str) -> str:
        """The person whom a memory is for alone; empty for everybody."""
        rows = self._rows("SELECT scope FROM items WHERE id = ? LIMIT 1", id_)
        return str(rows[0][0]) if rows else ""

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

    def in_time(self, after: str, place: ReadUpTo, limit: int) -> list[WaitingEpisode]:
        """Episodes behind an id, by minute; not those that were noted late."""
        plain = f"AND NOT {_LATE} " if place.by_noted else ""
        # Only the key of the table is walked along, however many there are.
        where = f"id > ? AND id < ? AND NOT archived {plain}ORDER BY id LIMIT ?"
        found = self._standing(where, after, _behind(place.until), limit)
        return [_to_waiting(each, late=False) for each in found]

    def noted_late(self, place: ReadUpTo, limit: int) -> list[WaitingEpisode]:
        """Episodes behind a place that were noted later than they happened."""
        where = (
            f"{_LIVE} AND {_LATE} AND id < ? AND ({_ORDER}) > (?, ?, ?) "
            f"ORDER BY {_ORDER}, id LIMIT ?"
        )
        values = (_behind(place.until), *_late_key(place.moment), limit)
        found = (_to_waiting(e, late=True) for e in self._standing(where, *values))
        return sorted(found, key=lambda each: (each.moment, each.id))

    def how_many_wait(
        self, place: ReadUpTo, *, private: bool = False
    ) -> tuple[int, str, str]:
        """How many episodes are behind a place, and the first and last day of them.

        Args:
            place: How far they were read.
            private: Whether to count those for one person alone, not the others.
        """
        late = _LATE if place.by_noted else "0"
        whose = _PRIVATE if private else f"NOT {_PRIVATE}"
        query = (
            "SELECT count(*), min(id), max(id) FROM traces "  # noqa: S608 - fixed
            f"WHERE {_LIVE} AND id < ? AND CASE WHEN {late} "
            f"THEN ({_ORDER}) > (?, ?, ?) ELSE {_PAST} END AND {whose}"
        )
        key = (*_late_key(place.moment), *_key(place.moment))
        count, first, last = self._rows(query, _behind(place.until), *key)[0]
        return count, (first or "")[8:18], (last or "")[8:18]

    def perhaps_late(
        self, place: ReadUpTo, day: str, limit: int
    ) -> list[WaitingEpisode]:
        """Episodes before a place that may have been noted on a day or after it.

        Only their files can tell. What was written or called on last comes first.
        """
        where = (
            f"{_LIVE} AND last_accessed >= ? AND NOT ({_PAST}) AND "
            f"(accesses > 1 OR ({_LATE} AND ({_ORDER}) <= (?, ?, ?))) "
            "ORDER BY rowid DESC LIMIT ?"
        )
        key = (*_key(place.moment), *_late_key(place.moment))
        found = self._standing(where, day, *key, limit)
        return [_to_waiting(each, late=True) for each in found]

    def lively(self, store: Store, limit: int) -> list[ScoredMemory]:
        """Memories of a store that were of use last, and most often; not all."""
        orders = ("pinned DESC, last_accessed DESC, id", "accesses DESC, id")
        found: dict[str, ScoredMemory] = {}
        for order in orders:
            where = f"store = ? AND NOT archived ORDER BY {order} LIMIT ?"
            found |= {each.id: each for each in self._standing(where, store, limit)}
        return list(found.values())

    def faintest(self, limit: int) -> list[ScoredMemory]:
        """Memories that may fade, and have not been of use for longest."""
        where = (
            "store IN ('episodic', 'semantic', 'procedural') "
            "AND NOT archived AND NOT pinned ORDER BY last_accessed, id LIMIT ?"
        )
        return self._standing(where, limit)

    def _standing(self, where: str, *values: object) -> list[ScoredMemory]:
        """Some memories in the order asked for; of two files of a name, the first.

        None of them is for one person alone: what is made of these is for everybody.
        """
        query = f"SELECT * FROM traces WHERE NOT {_PRIVATE} AND {where}"  # noqa: S608 - fixed
        found = []
        first = "WHERE items.id = ? ORDER BY items.path LIMIT 1"
        for row in self._rows(query, *values):
            for _, each in self.checked(first, row[0]):
                origin, trace = Origin(each.origin), to_trace(row)
                found.append(
                    ScoredMemory(each.id, each.path, each.title, origin, trace)
                )
        return found

    def unforgotten(self, store: Store) -> int:
        """How many memories of a store its human did not ask to forget."""
        query = "SELECT count(*) FROM traces WHERE store = ? AND NOT archived"
        return int(self._rows(query, store)[0][0])

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

    def _among(
        self, query: str, keys: Iterable[int | str], *before: object
    ) -> list[tuple[Any, ...]]:
        chosen = [key if isinstance(key, str) else int(key) for key in keys]
        marks = ", ".join("?" * len(chosen))
        return self._rows(query.format(marks), *before, *chosen)

    def to_embed(self, numbers: Iterable[int]) -> dict[int, Words]:
        """What vectors of some memories are made of, by number."""
        query = (
            "SELECT coalesce(labels.name, ''), text, aside, "  # noqa: S608 - fixed
            f"coalesce({QUESTION}, 0) FROM items "
            "LEFT JOIN labels ON labels.number = speaker WHERE items.number = ?"
        )
        rows_ = ((number, self._rows(query, number)) for number in numbers)
        return {number: _to_words(*found[0]) for number, found in rows_ if found}

    def vectors(self, model: str, numbers: Iterable[int]) -> dict[int, bytes]:
        """The vectors that some memories have of a model, packed, by number."""
        query = "SELECT data FROM vectors WHERE item = ? AND model = ?"
        rows_ = ((number, self._rows(query, number, model)) for number in numbers)
        return {number: found[0][0] for number, found in rows_ if found}


def to_located(each: Values) -> Located:
    """A row of `items` as the memory it stands for."""
    return Located(
        each.id,
        Store(each.store),
        each.path,
        each.line,
        each.title,
        each.text,
        each.aside,
        Origin(each.origin),
        each.speaker,
    )


def first_of(moment: int) -> str:
    """The id of the first episode of a moment's minute."""
    return f"{_PREFIX}{_text(moment)}"


def _behind(moment: datetime) -> str:
    """An id behind those of all episodes of a moment's minute."""
    return f"{first_of(micros(moment))}{_BEHIND}"


def _text(moment: int) -> str:
    """A minute as ids write it."""
    return from_micros(moment).isoformat()[:16].replace("T", ":")


def _key(moment: int) -> tuple[str, str, int]:
    """A moment as its minute's last and first id, and the number."""
    return f"{first_of(moment)}{_BEHIND}", first_of(moment), moment % _MINUTE


def _late_key(moment: int) -> tuple[str, str, int]:
    """A moment as day of noting, hour of happening and number."""
    day, rest = divmod(moment, 24 * 60 * _MINUTE)
    hour, number = divmod(rest, 1000)
    told = _text(day * 24 * 60 * _MINUTE)[:10]
    # Later in the day there is nothing of this kind.
    return told, _text(min(hour, _LAST_HOUR) * 60 * _MINUTE)[:13], number


def _to_waiting(each: ScoredMemory, *, late: bool) -> WaitingEpisode:
    text, _, number = each.id.removeprefix(_PREFIX).partition("~")
    minute = micros(datetime.fromisoformat(f"{text[:10]}T{text[11:]}+00:00"))
    moment = minute + int(number or 1) - 1
    if late:
        told = each.trace.last_accessed.date()
        start = micros(datetime.combine(told, time(), UTC))
        hours = minute // (60 * _MINUTE)
        moment = minute = start + hours * 1000 + min(moment - minute, 999)
    return WaitingEpisode(each.id, each.path, each.origin, moment, minute, each.trace)


def micros(moment: datetime) -> int:
    """A moment in microseconds, as places are told."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(moment: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


def _to_words(speaker: str, text: str, aside: str, question: int) -> Words:
    before = f"{speaker}: " if speaker else ""
    return Words([before + piece for piece in pieces(text, aside)], question)


def _has_line(title: str, text: str, weights: dict[str, float], least: float) -> bool:
    """Whether a line of a memory, under its title, has enough of a text's weight."""
    asked = weights.keys()
    title_has = stem_set(title) & asked
    lines = (title_has | (stem_set(line) & asked) for line in text.split("\n"))
    return any(sum(weights[term] for term in line) >= least for line in lines)


def _folded(name: str) -> str:
    """A name as it is looked up; what is no Unicode is found nowhere."""
    return name.casefold().encode("utf-8", "replace").decode()


def to_trace(row: tuple[Any, ...]) -> Trace:
    """A row of `traces` as the value it stands for."""
    _, store, base, created, last, accesses, pinned, archived = row
    try:
        return Trace(
            store=Store(store),
            base=float(base),
            created=to_time(created),
            last_accessed=to_time(last),
            accesses=int(accesses),
            pinned=bool(pinned),
            archived=bool(archived),
        )
    except (ValueError, TypeError, OverflowError):
        raise IndexAlteredError from None


def to_time(text: str) -> datetime:
    """A moment as the tables hold it."""
    return datetime.fromisoformat(text).astimezone(UTC)
