"""The whole index as arrays: what a question is weighed against.

Loaded once per process and brought up to date by what is new; only postings stay in
the database, and are read for the words of a question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reverie.index import IndexAlteredError, postings
from reverie.index.schema import heard
from reverie.index.vectors import Cloud
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Rows = Callable[..., list[tuple[Any, ...]]]

    from reverie.index.vectors import Bools, Bytes, Floats, Ints


NEVER = -(1 << 62)
"""The moment of what nobody can date."""

STORES = tuple(Store)
_STORE_NUMBER = {str(store): number for number, store in enumerate(STORES)}
_SHAPE = np.dtype(
    [
        ("stated", "<u2"),
        ("asked", "<u2"),
        ("own", "u1"),
        ("asking", "u1"),
        ("cues", "u1"),
        ("words", "u1"),
    ]
)
_ITEM = np.dtype(
    [
        ("number", "<i8"),
        ("store", "<i8"),
        ("at", "<i8"),
        ("company", "<i8"),
        ("place", "<i8"),
        ("speaker", "<i8"),
        ("scope", "<i8"),
    ]
)
_QUERY = (
    "SELECT number, store, at, company, place, speaker, scope, shape "
    "FROM items WHERE number > ? ORDER BY number"
)


class TermPostings(NamedTuple):
    """Where a stem stands: passages, and how often it is stated and asked there."""

    at: Ints
    stated: Floats
    asked: Floats


@dataclass(frozen=True, slots=True)
class ViewState:
    """What tells whether a view still shows what the database holds."""

    newest: int
    removals: int
    vectors: int


class View:
    """Arrays over items, and over their passages, in order of item numbers.

    Attributes:
        number: Of each item: its number in the database.
        store: Which of `STORES` it is in.
        at: When it happened, in seconds, or `NEVER`.
        company: The conversation or day it belongs to; 0 for none.
        place: Its place in that.
        speaker: Who said it; 0 if nobody knows.
        scope: Whom it is for alone; 0 for everybody.
        first: Its first passage.
        count: How many passages it has.
        owner: Of each passage: its item.
        stated, asked: How many stems it states and asks.
        own, asking: The shares of its words that are own statements and questions.
        words: How many words it has, telling or not, up to 255.
        cues: What some questions ask for.
        prepared: What searches worked out for this state, by name.
    """

    prepared: dict[str, Any]

    def __init__(self, rows: Rows, model: str) -> None:
        self._rows = rows
        self.model = model
        self.scopes: dict[str, int] = {}
        self._items = np.zeros(0, _ITEM)
        self._shapes = np.zeros(0, _SHAPE)
        self._counts: Ints = np.zeros(0, np.int64)
        self._fresh: dict[str, bytearray] = {}
        self._heard: list[int] = []
        self.vectors: Bytes = np.zeros((0, 0), np.int8)
        self.embedded: Bools = np.zeros(0, bool)
        self.state = ViewState(0, 0, 0)
        self.load(now_state(rows))

    def load(self, state: ViewState) -> None:
        """Take in what came since; all of it if something went away."""
        if state.removals != self.state.removals:
            self._items, self._shapes = self._items[:0], self._shapes[:0]
            self._counts = self._counts[:0]
            self.vectors, self.embedded = self.vectors[:0], self.embedded[:0]
        last = int(self._items["number"][-1]) if len(self._items) else 0
        found = self._rows(_QUERY, last)
        self._append(found)
        self._arrange()
        self._hear()
        self._load_vectors()
        self.state = state

    def _append(self, found: Sequence[tuple[Any, ...]]) -> None:
        if not found:
            return
        number, store, at, company, place, speaker, scope, shapes = zip(
            *found, strict=True
        )
        table = np.zeros(len(found), _ITEM)
        table["number"], table["company"], table["place"] = number, company, place
        table["speaker"] = speaker
        table["store"] = [_STORE_NUMBER[name] for name in store]
        table["at"] = [NEVER if moment is None else moment for moment in at]
        known = self.scopes
        table["scope"] = [
            known.setdefault(name, len(known) + 1) if name else 0 for name in scope
        ]
        sizes = np.fromiter(map(len, shapes), np.int64, len(shapes))
        more = np.frombuffer(b"".join(shapes), _SHAPE)
        self._items = np.concatenate([self._items, table])
        self._counts = np.concatenate([self._counts, sizes // _SHAPE.itemsize])
        self._shapes = np.concatenate([self._shapes, more])

    def _arrange(self) -> None:
        items, shapes = self._items, self._shapes
        self.number = items["number"]
        self.store = items["store"]
        self.at = items["at"]
        self.company = items["company"]
        self.place = items["place"]
        self.speaker = items["speaker"]
        self.scope = items["scope"]
        self.count = self._counts
        self.first = (np.cumsum(self._counts) - self._counts).astype(np.int32)
        self.owner = np.repeat(np.arange(len(items), dtype=np.int32), self._counts)
        self.stated = shapes["stated"].astype(np.float32)
        self.asked = shapes["asked"].astype(np.float32)
        self.own = shapes["own"].astype(np.float32) / 255
        self.asking = shapes["asking"].astype(np.float32) / 255
        self.cues = shapes["cues"]
        self.words = shapes["words"].astype(np.float32)
        self.prepared = {}
        self._cloud: Cloud | None = None
        last = int(self.number[-1]) if len(items) else 0
        self._where = np.full(last + 1, -1, np.int32)
        self._where[self.number] = np.arange(len(items))
        self._neighbours()

    def _neighbours(self) -> None:
        """Which items come before and after each in its company; -1 for none.

        And which it is in its company, counted from 0.
        """
        order = np.lexsort((self.place, self.company))
        together = self.company[order][1:] == self.company[order][:-1]
        together &= self.company[order][1:] > 0
        self.before = np.full(len(order), -1, np.int32)
        self.after = np.full(len(order), -1, np.int32)
        self.before[order[1:][together]] = order[:-1][together]
        self.after[order[:-1][together]] = order[1:][together]
        starts = np.flatnonzero(np.concatenate([[True], ~together]))[: len(order)]
        lengths = np.diff(np.append(starts, len(order)))
        self.rank = np.zeros(len(order), np.int64)
        self.rank[order] = spans(np.zeros(len(starts), np.int64), lengths)

    def _hear(self) -> None:
        """Listen to what is too new to be posted."""
        query = "SELECT number, text, aside FROM items WHERE posted = 0"
        found = {
            number: heard(text, aside) for number, text, aside in self._rows(query)
        }
        self._heard = sorted(found)
        self._fresh = postings.gather(found)

    def standing(self, term: str) -> TermPostings:
        """Where a stem stands, in order of passages."""
        try:
            found = postings.read(self._rows, term)
        except (ValueError, TypeError):
            # Bytes that are no postings.
            raise IndexAlteredError from None
        if self._heard and len(found):
            # Another process may have posted what was heard here.
            late = found["item"] >= self._heard[0]
            if late.any():
                found = found[~(late & np.isin(found["item"], self._heard))]
        if fresh := self._fresh.get(term):
            more = np.frombuffer(fresh, postings.POSTING)
            found = np.concatenate([found, more])
        number = found["item"].astype(np.int32)
        if len(number) and int(number.max()) >= len(self._where):
            # Another process has posted what came after this view.
            known = number < len(self._where)
            found, number = found[known], number[known]
        item = self._where[number]
        if len(item) and int(item.min()) < 0:
            found, item = found[item >= 0], item[item >= 0]
        at = self.first[item] + found["part"]
        if len(at) and int(at.max()) >= len(self.owner):
            found, at = found[at < len(self.owner)], at[at < len(self.owner)]
        if (at[1:] < at[:-1]).any():
            order = np.argsort(at, kind="stable")
            at, found = at[order], found[order]
        return TermPostings(
            at, found["stated"].astype(np.float32), found["asked"].astype(np.float32)
        )

    def frequency(self, term: str) -> int:
        """About how many passages have a stem, without reading where."""
        query = "SELECT coalesce(sum(length(data)), 0) FROM postings WHERE term = ?"
        posted = self._rows(query, term)[0][0]
        fresh = len(self._fresh.get(term, b""))
        return (int(posted) + fresh) // postings.POSTING.itemsize

    def knows(self, term: str) -> bool:
        """Whether a stem stands anywhere."""
        return self.frequency(term) > 0

    def _load_vectors(self) -> None:
        """The vectors of all passages; rows of zeros where there are none yet."""
        query = "SELECT item, data FROM vectors WHERE model = ? AND item > ? ORDER BY 1"
        missing = np.flatnonzero(~self.embedded)
        done = int(missing[0]) if len(missing) else len(self.embedded)
        last = int(self.number[done - 1]) if done else 0
        found = self._rows(query, self.model, last)
        found = [row for row in found if row[0] < len(self._where)]
        items = self._where[
            np.fromiter((row[0] for row in found), np.int64, len(found))
        ]
        sizes = np.fromiter((len(row[1]) for row in found), np.int64, len(found))
        width = self.vectors.shape[1]
        if not width and len(known := np.flatnonzero(items >= 0)):
            width = int(sizes[known[0]] // self.count[items[known[0]]])
        vectors = np.zeros((len(self.owner), width), np.int8)
        if self.vectors.shape[1]:
            vectors[: len(self.vectors)] = self.vectors
        embedded = np.zeros(len(self.number), bool)
        embedded[: len(self.embedded)] = self.embedded
        fits = (items >= 0) & (sizes == width * self.count[items])
        kept = zip(found, fits.tolist(), strict=True)
        data = b"".join([row[1] for row, good in kept if good])
        items = items[fits]
        embedded[items] = True
        vectors[spans(self.first[items], self.count[items])] = np.frombuffer(
            data, np.int8
        ).reshape(-1, max(width, 1))
        self.vectors, self.embedded = vectors, embedded
        self._cloud = None

    def item(self, number: int) -> int:
        """Which item has a number; -1 for none."""
        return int(self._where[number]) if 0 < number < len(self._where) else -1

    @property
    def cloud(self) -> Cloud:
        """The vectors, ready to be compared."""
        if self._cloud is None:
            self._cloud = Cloud(self.vectors)
        return self._cloud

    def speakers(self) -> Mapping[int, str]:
        """The names of those who speak, by number."""
        query = "SELECT number, name FROM labels WHERE kind = 'speaker'"
        return dict(self._rows(query))


def now_state(rows: Rows) -> ViewState:
    """What the database holds at the moment."""
    newest = rows("SELECT coalesce(max(number), 0) FROM items")[0][0]
    query = "SELECT key, value FROM meta WHERE key IN ('removals', 'vectors')"
    told: dict[str, str] = dict(rows(query))
    return ViewState(newest, int(told.get("removals", 0)), int(told.get("vectors", 0)))


def spans(first: Ints, count: Ints) -> Ints:
    """The numbers from each first one on, as many as each count says."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    found: Ints = np.arange(total) + np.repeat(first - (ends - count), count)
    return found
