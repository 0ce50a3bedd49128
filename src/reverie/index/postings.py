"""Where each stem stands: postings in sorted runs, as blobs that numpy can read.

A single write posts nothing: the newest few memories are read as they are, and
posted together once there are enough of them. So a write costs the same in a large
workspace as in a small one, and a question reads a handful of blobs per word.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from reverie.index.text import IndexPassage

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
            asked = passage.asked
            for stem, count in passage.stated.items():
                also = asked.get(stem, 0) if asked else 0
                found[stem] += _PACK(number, part, _byte(count), _byte(also))
            for stem, count in asked.items():
                if stem not in passage.stated:
                    found[stem] += _PACK(number, part, 0, _byte(count))
    return found


def _byte(count: int) -> int:
    return count if count < 256 else 255


def post(db: sqlite3.Connection, posted: Mapping[int, Sequence[IndexPassage]]) -> None:
    """Write the postings of some memories as one run, within a transaction."""
    run = _new_run(db, len(posted))
    found = gather(posted)
    rows = ((stem, run, found[stem]) for stem in sorted(found))
    db.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)
    merge(db)


def merge(db: sqlite3.Connection) -> None:
    """Make one run of many small ones, so that questions read few blobs."""
    while True:
        tiers: dict[int, list[int]] = defaultdict(list)
        for number, size in db.execute("SELECT number, size FROM runs"):
            tiers[(size // SMALLEST).bit_length() // 3].append(number)
        full = next((runs for runs in tiers.values() if len(runs) >= FACTOR), None)
        if full is None:
            return
        _merge(db, full)


def _merge(db: sqlite3.Connection, runs: list[int]) -> None:
    marks = ", ".join("?" * len(runs))
    live = {row[0] for row in db.execute("SELECT number FROM items WHERE posted = 1")}
    known = np.fromiter(live, np.uint32, len(live))
    known.sort()
    blobs: dict[str, list[bytes]] = defaultdict(list)
    query = f"SELECT term, data FROM postings WHERE run IN ({marks}) ORDER BY term, run"  # noqa: S608
    for term, data in db.execute(query, runs):
        blobs[term].append(data)
    sizes = db.execute(f"SELECT sum(size) FROM runs WHERE number IN ({marks})", runs)  # noqa: S608
    total = int(sizes.fetchone()[0])
    db.execute(f"DELETE FROM postings WHERE run IN ({marks})", runs)  # noqa: S608
    db.execute(f"DELETE FROM runs WHERE number IN ({marks})", runs)  # noqa: S608
    run = _new_run(db, total)
    rows = ((term, run, _living(data, known)) for term, data in blobs.items())
    db.executemany(
        "INSERT INTO postings VALUES (?, ?, ?)", (row for row in rows if row[2])
    )


def _living(data: Sequence[bytes], known: NDArray[np.uint32]) -> bytes:
    """Postings without those of memories that are gone."""
    found = np.frombuffer(b"".join(data), POSTING)
    at = np.searchsorted(known, found["item"])
    at[at == len(known)] = 0
    alive = known[at] == found["item"] if len(known) else np.zeros(len(found), bool)
    return (found if alive.all() else found[alive]).tobytes()


def read(rows: Callable[..., list[tuple[Any, ...]]], term: str) -> NDArray[Any]:
    """All postings of a stem, also of memories that are gone."""
    found = rows("SELECT data FROM postings WHERE term = ?", term)
    return np.frombuffer(b"".join(row[0] for row in found), POSTING)


def _new_run(db: sqlite3.Connection, size: int) -> int:
    made = db.execute("INSERT INTO runs (size) VALUES (?)", (size,))
    assert made.lastrowid is not None  # noqa: S101 - an INSERT always has one
    return made.lastrowid
