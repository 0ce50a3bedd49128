"""The whole index as arrays, and its postings: what a question is weighed against.

The arrays are loaded once per process and brought up to date by what changed. Where
each stem stands is kept in the database, in sorted runs of blobs that numpy can read.
A single write posts nothing: the newest few memories are read as they are, and posted
together once there are enough of them. So a write costs the same in a large workspace
as in a small one, and a question reads a handful of blobs per word.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from reverie.index import IndexAlteredError
from reverie.index.lookup import HEARD
from reverie.index.text import heard
from reverie.index.vectors import Cloud
from reverie.model.conversation import PAUSE
from reverie.model.ids import Store
from reverie.stores.turns import standing_from

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from reverie.index.text import IndexPassage

    Rows: TypeAlias = Callable[..., list[tuple[Any, ...]]]
    Floats: TypeAlias = NDArray[np.floating[Any]]
    Ints: TypeAlias = NDArray[np.integer[Any]]
    Bools: TypeAlias = NDArray[np.bool_]
    Bytes: TypeAlias = NDArray[np.int8]

T = TypeVar("T")

FACTOR = 8
"""So many runs of about one size become one."""

SMALLEST = 256
"""Runs up to this size are of one size."""

POSTING = np.dtype([("item", "<u4"), ("part", "u1"), ("stated", "u1"), ("asked", "u1")])
_PACK = struct.Struct("<IBBB").pack


def gather(posted: Mapping[int, Sequence[IndexPassage]]) -> dict[str, bytearray]:
    """The postings of some memories, by stem, in order of their numbers."""
    found: dict[str, bytearray] = defaultdict(bytearray)
    for number in sorted(posted):
        for part, passage in enumerate(posted[number]):
            asked, stated = passage.asked, passage.stated
            for stem in {**stated, **asked} if asked else stated:
                counts = min(stated.get(stem, 0), 255), min(asked.get(stem, 0), 255)
                found[stem] += _PACK(number, part, *counts)
    return found


def post(db: sqlite3.Connection, posted: Mapping[int, Sequence[IndexPassage]]) -> None:
    """Write the postings of some memories as one run, within a transaction.

    Many runs of one size become one, so that questions read few blobs.
    """
    _write_run(db, len(posted), gather(posted))
    while True:
        tiers: dict[int, list[int]] = defaultdict(list)
        for number, size in db.execute("SELECT number, size FROM runs"):
            tiers[(size // SMALLEST).bit_length() // 3].append(number)
        full = next((runs for runs in tiers.values() if len(runs) >= FACTOR), None)
        if full is None:
            return
        _merge(db, full)


def _write_run(db: sqlite3.Connection, size: int, found: Mapping[str, Any]) -> None:
    run = db.execute("INSERT INTO runs (size) VALUES (?)", (size,)).lastrowid
    rows = ((term, run, found[term]) for term in sorted(found) if found[term])
    db.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)


def _merge(db: sqlite3.Connection, runs: list[int]) -> None:
    """Make one run of several, without postings of memories that are gone."""
    marks = ", ".join("?" * len(runs))
    live = [row[0] for row in db.execute("SELECT number FROM items WHERE posted = 1")]
    blobs: dict[str, list[bytes]] = defaultdict(list)
    query = f"SELECT term, data FROM postings WHERE run IN ({marks}) ORDER BY term, run"  # noqa: S608
    for term, data in db.execute(query, runs):
        blobs[term].append(data)
    sizes = f"DELETE FROM runs WHERE number IN ({marks}) RETURNING size"  # noqa: S608
    total = sum(row[0] for row in db.execute(sizes, runs).fetchall())
    db.execute(f"DELETE FROM postings WHERE run IN ({marks})", runs)  # noqa: S608
    known = np.zeros(max(live, default=0) + 1, bool)
    known[live] = True

    def living(data: list[bytes]) -> bytes:
        found = np.frombuffer(b"".join(data), POSTING)
        found = found[found["item"] < len(known)]
        return bytes(found[known[found["item"]]].tobytes())

    _write_run(db, total, {term: living(data) for term, data in blobs.items()})


READ_LAST = 16
"""Of so many stems a view keeps where they stand."""

NEVER = -(1 << 62)
"""The moment of what nobody can date."""

STORES = tuple(Store)
_STORE_NUMBER = {str(store): number for number, store in enumerate(STORES)}
_SHAPE = np.dtype(
    [("stated", "<u2"), ("asked", "<u2")]
    + [(name, "u1") for name in ("own", "asking", "cues", "words")]
)
_FIELDS = ("number", "store", "at", "whole", "place", "speaker", "scope")
_NAMED = {"whole": "company", "speaker": "speaker", "scope": "scope"}
_QUERY = "SELECT number, store, at, company, place, speaker, scope, shape FROM items"

FEW = 4096
"""Up to so many are asked for one by one; of more, everything between them."""


class TermPostings(NamedTuple):
    """Where a stem stands: passages, and how often it is stated and asked there."""

    at: Ints
    stated: Floats
    asked: Floats


class ViewState(NamedTuple):
    """What tells whether a view still shows what the database holds."""

    newest: int
    removals: int
    vectors: int


def now_state(rows: Rows) -> ViewState:
    """What the database holds at the moment."""
    newest = rows("SELECT coalesce(max(number), 0) FROM items")[0][0]
    removals = rows("SELECT coalesce(max(at), 0) FROM removed")[0][0]
    vectors = rows("SELECT value FROM meta WHERE key = 'vectors'")
    return ViewState(newest, removals, int(vectors[0][0]) if vectors else 0)


class View:
    """Arrays over items, and over their passages, in order of item numbers.

    Attributes:
        number: Of each item: the opaque number by which `Index.rows` knows it.
        store: Which of `STORES` it is in.
        at: When it happened, in seconds, or `NEVER`.
        whole: The conversation or day it belongs to; 0 for none.
        place: Its place in that.
        pair: Of a turn: its number, which a question and its answer share.
        company: What it belongs to of that: of a conversation the stretch between two
            pauses, of a day all; 0 for none.
        speaker: Who said it; 0 if nobody knows.
        scope: Whom it is for alone; 0 for everybody.
        named: The numbers that wholes (`company`), speakers and scopes have, by name.
        before, after: Its neighbours in its company; -1 for none.
        rank: Which it is in its company, counted from 0.
        first: Its first passage.
        count: How many passages it has.
        owner: Of each passage: its item.
        stated, asked: How many stems it states and asks.
        own, asking: The shares of its words that are own statements and questions.
        words: How many words it has, telling or not, up to 255.
        cues: What some questions ask for.
    """

    def __init__(self, rows: Rows, model: str) -> None:
        self._rows = rows
        self.model = model
        self.named: dict[str, dict[str, int]] = {
            name: {"": 0} for name in _NAMED.values()
        }
        self.state = ViewState(0, -1, 0)
        self._made_of: dict[str, tuple[object, Any]] = {}
        self.load(now_state(rows))

    def load(self, state: ViewState) -> None:
        """Take in what came, went and moved since."""
        if state[:2] != self.state[:2]:
            self._take_out(state)
            self._append()
            self._arrange()
            self._listen()
        self._load_vectors()
        self.state = state

    def _take_out(self, state: ViewState) -> None:
        """Let go of what went, and read what moved; of all, where nobody knows what."""
        since = self.state.removals
        told = self._rows("SELECT at, item FROM removed WHERE at > ?", since)
        if since < 0 or state.removals - since != sum(
            at <= state.removals for at, _ in told
        ):
            self._columns = {name: np.zeros(0, np.int64) for name in _FIELDS}
            self._shapes, self.count = np.zeros(0, _SHAPE), np.zeros(0, np.int64)
            self._listened: dict[int, Sequence[IndexPassage]] = {}
            self._fresh: dict[str, bytearray] = {}
            self._collected: dict[Hashable, tuple[int, Ints]] = {}
            self.cloud, self.embedded = Cloud(), np.zeros(0, np.bool_)
            # What was erased is in nothing that was made of it.
            self._made_of.clear()
            return
        numbers = {item for _, item in told if self.item(item) >= 0}
        if not numbers:
            return
        where = f"WHERE number IN ({', '.join('?' * len(numbers))})"
        found = self._rows(f"{_QUERY} {where}", *numbers)
        if found:
            columns, _ = self._read_columns(found)
            places = self._where[columns["number"]]
            for name, values in columns.items():
                self._columns[name][places] = values
            # What moved may answer another question, and lost its vectors then.
            passages = spans(self.first[places], self.count[places])
            none = np.zeros((len(passages), self.cloud.width), np.int8)
            self.cloud.put(passages, none)
            self.embedded[places] = False
        gone = [self.item(n) for n in numbers.difference(row[0] for row in found)]
        if gone:
            kept = np.ones(len(self.number), np.bool_)
            kept[gone] = False
            staying = kept[self.owner]
            self._columns = {name: c[kept] for name, c in self._columns.items()}
            self._shapes, self.count = self._shapes[staying], self.count[kept]
            self.cloud.keep(staying)
            self.embedded = self.embedded[kept]

    def _read_columns(
        self, found: Sequence[tuple[Any, ...]]
    ) -> tuple[dict[str, Ints], tuple[bytes, ...]]:
        """Rows as columns of numbers, and their shapes."""
        *told, shapes = zip(*found, strict=True)
        columns = dict(zip(_FIELDS, told, strict=True))
        columns["store"] = tuple(_STORE_NUMBER[name] for name in columns["store"])
        columns["at"] = tuple(NEVER if at is None else at for at in columns["at"])
        for field, name in _NAMED.items():
            known, names = self.named[name], columns[field]
            columns[field] = tuple(known.setdefault(n, len(known)) for n in names)
        return {n: np.array(c, np.int64) for n, c in columns.items()}, shapes

    def _append(self) -> None:
        known = self._columns["number"]
        last = int(known[-1]) if len(known) else 0
        found = self._rows(f"{_QUERY} WHERE number > ? ORDER BY number", last)
        if not found:
            return
        columns, shapes = self._read_columns(found)
        sizes = np.fromiter(map(len, shapes), np.int64, len(found))
        more = np.frombuffer(b"".join(shapes), _SHAPE)
        self._columns = {
            name: np.concatenate([self._columns[name], columns[name]])
            for name in _FIELDS
        }
        self.count = np.concatenate([self.count, sizes // _SHAPE.itemsize])
        self._shapes = np.concatenate([self._shapes, more])
        self.cloud.extend(len(more))
        self.embedded = np.append(self.embedded, np.zeros(len(found), np.bool_))

    def _listen(self) -> None:
        """Listen to what is too new to be posted."""
        waiting = self._rows("SELECT number FROM items WHERE posted = 0")
        numbers = {number for (number,) in waiting}
        if not self._listened.keys() <= numbers:
            self._listened, self._fresh = {}, {}
        query = f"SELECT {HEARD} WHERE posted = 0 AND number > ?"
        last = max(self._listened, default=0)
        new = {n: heard(*said) for n, *said in self._rows(query, last)}
        self._listened |= new
        self._heard = sorted(self._listened)
        for term, found in gather(new).items():
            self._fresh.setdefault(term, bytearray()).extend(found)

    def _arrange(self) -> None:
        shapes = self._shapes
        self.number, self.store, self.at, self.whole, self.place, *more = (
            self._columns[name] for name in _FIELDS
        )
        self.speaker, self.scope = more
        items = self.number
        self.first = (np.cumsum(self.count) - self.count).astype(np.int32)
        self.owner = np.repeat(np.arange(len(items), dtype=np.int32), self.count)
        self.stated = shapes["stated"].astype(np.float32)
        self.asked = shapes["asked"].astype(np.float32)
        self.own = shapes["own"].astype(np.float32) / 255
        self.asking = shapes["asking"].astype(np.float32) / 255
        self.cues = shapes["cues"]
        self.words = shapes["words"].astype(np.float32)
        self._worked_out: dict[str, Any] = {}
        self._read_last: dict[str, TermPostings] = {}
        last = int(self.number[-1]) if len(items) else 0
        self._where = np.full(last + 1, -1, np.int32)
        self._where[self.number] = np.arange(len(items))
        self.pair = self.place // standing_from(1)
        order = np.lexsort((self.place, self.whole))
        together = self.whole[order][1:] == self.whole[order][:-1]
        together &= self.whole[order][1:] > 0
        together &= ~self._silent(order)
        begins = np.concatenate([[True], ~together])[: len(order)]
        self.company = np.zeros(len(order), np.int64)
        self.company[order] = np.cumsum(begins & (self.whole[order] > 0))
        self.company[self.whole == 0] = 0
        self.before = np.full(len(order), -1, np.int32)
        self.after = np.full(len(order), -1, np.int32)
        self.before[order[1:][together]] = order[:-1][together]
        self.after[order[:-1][together]] = order[1:][together]
        starts = np.flatnonzero(begins)
        lengths = np.diff(np.append(starts, len(order)))
        self.rank = np.zeros(len(order), np.int64)
        self.rank[order] = spans(np.zeros(len(starts), np.int64), lengths)

    def _silent(self, order: Ints) -> Bools:
        """Before which items of an order a conversation paused, but for the first.

        A question and its answer share a number, and stay together.
        """
        turns = self.store[order][1:] == STORES.index(Store.TURNS)
        at, number = self.at[order], self.pair[order]
        silent = turns & (at[1:] - at[:-1] >= PAUSE.total_seconds())
        silent &= (at[:-1] > NEVER) & (number[1:] != number[:-1])
        return cast("Bools", silent)

    def standing(self, term: str) -> TermPostings:
        """Where a stem stands, in order of passages."""
        # The stems of a question are asked for more than once.
        if term not in self._read_last:
            if len(self._read_last) >= READ_LAST:
                del self._read_last[next(iter(self._read_last))]
            self._read_last[term] = self._read(term)
        return self._read_last[term]

    def _read(self, term: str) -> TermPostings:
        blobs = self._rows("SELECT data FROM postings WHERE term = ?", term)
        try:
            found = np.frombuffer(b"".join(row[0] for row in blobs), POSTING)
        except (ValueError, TypeError):
            # Bytes that are no postings.
            raise IndexAlteredError from None
        # Another process may have posted what was heard here.
        if self._heard and (found["item"] >= self._heard[0]).any():
            found = found[~np.isin(found["item"], self._heard)]
        if fresh := self._fresh.get(term):
            found = np.concatenate([found, np.frombuffer(fresh, POSTING)])
        # Others may have posted, or said, what came after this view; of what is gone,
        # postings are left.
        if not (known := found["item"] < len(self._where)).all():
            found = found[known]
        columns = (found[name] for name in ("item", "part", "stated", "asked"))
        number, part, stated, asked = map(np.ascontiguousarray, columns)
        item = self._where[number]
        at = self.first[item].astype(np.intp) + part
        good = (item >= 0) & (at < len(self.owner))
        if not good.all():
            at, stated, asked = at[good], stated[good], asked[good]
        if (at[1:] < at[:-1]).any():
            order = np.argsort(at, kind="stable")
            at, stated, asked = at[order], stated[order], asked[order]
        return TermPostings(at, stated.astype(np.float32), asked.astype(np.float32))

    def seen_by(self, scope: str) -> Bools:
        """Which items are for everybody, or for the person of a scope."""
        own = self.named["scope"].get(scope, -1)
        visible: Bools = (self.scope == 0) | (self.scope == own)
        return visible

    def length(self) -> Floats | Ints:
        """How many words each item has, about."""
        return np.bincount(self.owner, self.words, len(self.number))

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What somebody works out once for this state of the view, by name."""
        if name not in self._worked_out:
            self._worked_out[name] = make()
        found: T = self._worked_out[name]
        return found

    def while_same(self, name: str, told: object, make: Callable[[], T]) -> T:
        """What somebody works out of something, until that is told otherwise."""
        if self._made_of.get(name, (None, None))[0] != told:
            self._made_of[name] = told, make()
        found: T = self._made_of[name][1]
        return found

    def collected(self, name: Hashable, more: Callable[[int], Sequence[int]]) -> Ints:
        """Which items somebody looks for, by name; each is asked for only once.

        Args:
            name: What is looked for.
            more: Gives the numbers of those that came after a number.
        """
        last, numbers = self._collected.get(name, (0, np.zeros(0, np.int64)))
        newest = len(self._where) - 1
        if last < newest:
            found = np.array(more(last), np.int64)
            # Others may have added some after this view.
            numbers = np.concatenate([numbers, found[found <= newest]])
        # What went never comes back, not even its number.
        numbers = numbers[numbers <= newest]
        items: Ints = self._where[numbers]
        self._collected[name] = max(last, newest), numbers[items >= 0]
        return items[items >= 0]

    def frequency(self, term: str) -> int:
        """About how many passages have a stem, without reading where."""
        query = "SELECT coalesce(sum(length(data)), 0) FROM postings WHERE term = ?"
        posted = self._rows(query, term)[0][0]
        return (int(posted) + len(self._fresh.get(term, b""))) // POSTING.itemsize

    def _load_vectors(self) -> None:
        """The vectors of what has none yet, as far as there are some."""
        missing = self.number[~self.embedded]
        if not len(missing):
            return
        query = "SELECT item, data FROM vectors WHERE model = ? AND item "
        if len(missing) <= FEW:
            among = f"{query} IN ({', '.join('?' * len(missing))})"
            rows = self._rows(among, self.model, *missing.tolist())
        else:
            ends = int(missing[0]), int(missing[-1])
            rows = self._rows(f"{query} BETWEEN ? AND ?", self.model, *ends)
        numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        inside = (numbers > 0) & (numbers < len(self._where))
        items = self._where[np.where(inside, numbers, 0)]
        sizes = np.fromiter((len(row[1]) for row in rows), np.int64, len(rows))
        width, known = self.cloud.width, np.flatnonzero(items >= 0)
        if not width and len(known):
            width = int(sizes[known[0]] // self.count[items[known[0]]])
        good = (items >= 0) & ~self.embedded[items]
        good &= sizes == width * self.count[items]
        kept = (row[1] for row, fits in zip(rows, good.tolist(), strict=True) if fits)
        data, items = np.frombuffer(b"".join(kept), np.int8), items[good]
        passages = spans(self.first[items], self.count[items])
        self.cloud.put(passages, data.reshape(-1, max(width, 1)))
        self.embedded[items] = True

    def item(self, number: int) -> int:
        """Which item has a number; -1 for none."""
        return int(self._where[number]) if 0 < number < len(self._where) else -1


def spans(first: Ints, count: Ints) -> Ints:
    """The numbers from each first one on, as many as each count says."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    found: Ints = np.arange(total) + np.repeat(first - (ends - count), count)
    return found
