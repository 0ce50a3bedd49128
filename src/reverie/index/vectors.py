"""Vectors of all passages, and their cosine similarity with a question.

Every vector is seen from the middle of all of them, because a model puts all texts
of one workspace into the same corner. Where there are many, a comparison of signs,
one bit each, chooses the few that are compared in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.floating[Any]]
    Ints: TypeAlias = NDArray[np.integer[Any]]
    Bools: TypeAlias = NDArray[np.bool_]
    Bytes: TypeAlias = NDArray[np.int8]

SCALE = 127.0
FEW = 4096
"""Up to so many passages all are compared in full."""

MIN_VECTORS_OF_MEAN = 16
"""From so many vectors on, their mean is subtracted completely."""

MOST_UNSIGNED = 512
"""Of so many changes at most it is noted what they did, until somebody asks."""

FAR = 60_000
"""Further apart than any two vectors are."""

QUESTION, OPENING = 0.2, 0.05
"""Shares of the question's first passage in the vectors of its answer, and of a
memory's own first passage in those of its others; see docs/design/embedding.md."""

_BLOCK = 8192


def packed(rows: Floats) -> bytes:
    """Vectors of length one as they are kept: a byte a number."""
    kept: bytes = np.rint(rows * SCALE).astype(np.int8).tobytes()
    return kept


def in_company(
    rows: Floats,
    sizes: Mapping[int, int],
    questions: Mapping[int, int],
    known: Mapping[int, bytes],
) -> dict[int, bytes]:
    """The vectors of some memories as they are kept, by number.

    Each has a share of what stands at the beginning of its memory, and of the
    question that it answers, so that "yes, on Friday" is about something.

    Args:
        rows: The vectors of all their passages alone, in their order.
        sizes: How many passages each memory has.
        questions: What each answers; 0 for nothing.
        known: Vectors of questions that are kept already.
    """
    width = rows.shape[1]
    counts = np.fromiter(sizes.values(), np.int64, len(sizes))
    starts = np.cumsum(counts) - counts
    places = dict(zip(sizes, starts.tolist(), strict=True))
    more = {n: data for n, data in known.items() if len(data) >= width}
    places |= {number: len(rows) + at for at, number in enumerate(more)}
    chosen = (places.get(questions.get(number, 0), -1) for number in sizes)
    asked = np.fromiter(chosen, np.int64, len(sizes))
    # As kept, so that it does not matter which of the two was embedded first.
    data = packed(rows) + b"".join(one[:width] for one in more.values())
    kept = np.frombuffer(data + bytes(width), np.int8).reshape(-1, max(width, 1))
    mixed = _mixed(rows, np.repeat(starts, counts), kept[np.repeat(asked, counts)])
    data = packed(mixed)
    return {
        number: data[start * width : (start + count) * width]
        for (number, count), start in zip(sizes.items(), starts.tolist(), strict=True)
    }


def _mixed(rows: Floats, opening: Ints, asked: Bytes) -> Floats:
    """Vectors with their shares of openings and questions, of length one again."""
    later = opening != np.arange(len(rows))
    # What says nothing is not about anything either.
    at = np.flatnonzero((later | asked.any(1)) & rows.any(1))
    shares = (
        OPENING * later[at, None] * rows[opening[at]] + QUESTION / SCALE * asked[at]
    )
    mixed: Floats = rows.copy()
    mixed[at] += shares
    mixed[at] /= np.linalg.norm(mixed[at], axis=1, keepdims=True)
    return mixed


def _bits(signs: Bools) -> NDArray[np.uint64]:
    """A bit for each sign, 64 in a number, a column after the other."""
    rows = np.packbits(np.atleast_2d(signs), axis=1)
    room = -rows.shape[1] % 8
    padded = np.pad(rows, ((0, 0), (0, room))) if room else rows
    return np.asfortranarray(np.ascontiguousarray(padded).view(np.uint64))


class Cloud:
    """Vectors of one model, a row a passage; rows of zeros are passages without one.

    Passages come and go, and the sums over all vectors are kept, so that this costs
    about as much as what changed.
    """

    def __init__(self, vectors: Bytes | None = None) -> None:
        self._room: Bytes = np.zeros((0, 0), np.int8)
        self._there: Bools = np.zeros(0, np.bool_)
        self._total = np.zeros(0, np.int64)
        self._signs: tuple[Bytes, NDArray[np.uint64]] | None = None
        self._unsigned: list[Ints] = []
        if vectors is not None:
            self.extend(len(vectors))
            self.put(np.arange(len(vectors)), vectors)

    @property
    def vectors(self) -> Bytes:
        """All of them."""
        return self._room[: len(self._there)]

    @property
    def width(self) -> int:
        """How many numbers a vector has; 0 as long as there is none."""
        return int(self._room.shape[1])

    @property
    def filled(self) -> int:
        """How many passages have a vector."""
        return int(np.count_nonzero(self._there))

    @property
    def _middle(self) -> Floats:
        return (self._total / max(self.filled, 1) / SCALE).astype(np.float32)

    def extend(self, count: int) -> None:
        """Add so many passages without a vector."""
        vectors = self.vectors
        self._there = np.concatenate([self._there, np.zeros(count, np.bool_)])
        if len(self._there) > len(self._room):
            self._make_room(len(self._there), self.width)
            self._room[: len(vectors)] = vectors

    def keep(self, which: Bools) -> None:
        """Let go of all passages but some."""
        vectors = self.vectors
        self._total -= vectors[~which].sum(0, dtype=np.int64)
        self._there = self._there[which]
        count = len(self._there)
        self._make_room(count, self.width)
        np.compress(which, vectors, axis=0, out=self._room[:count])
        places = np.cumsum(which) - 1
        staying = (some[which[some]] for some in self._unsigned)
        self._unsigned = [places[some] for some in staying if len(some)]
        if self._signs:
            middle, signs = self._signs
            self._signs = middle, np.asfortranarray(signs[which[: len(signs)]])

    def put(self, passages: Ints, vectors: Bytes) -> None:
        """Give some passages their vectors; rows of zeros take theirs away."""
        if not len(passages):
            return
        if not self.width:
            self._make_room(len(self._there), vectors.shape[1])
            self._total = np.zeros(self.width, np.int64)
        for start in range(0, len(passages), _BLOCK):
            some, new = passages[start : start + _BLOCK], vectors[start:][:_BLOCK]
            self._total += new.sum(0, dtype=np.int64)
            self._total -= self._room[some].sum(0, dtype=np.int64)
            self._room[some] = new
            self._there[some] = new.any(1)
        if self._signs:
            self._unsigned.append(passages)
        if len(self._unsigned) > MOST_UNSIGNED:
            # Nobody asked for long; whoever does begins anew.
            self._signs, self._unsigned = None, []

    def _make_room(self, count: int, width: int) -> None:
        """Rows of zeros, some more than are needed yet."""
        self._room = np.zeros((count + count // 8 + 64, width), np.int8)

    @property
    def signs(self) -> NDArray[np.uint64]:
        """On which side of the middle each vector is, a bit a number."""
        middle = np.rint(self._middle * SCALE).astype(np.int8)
        count, vectors = len(self._there), self.vectors
        if self._signs is None or (self._signs[0] != middle).any():
            blocks = (vectors[n : n + _BLOCK] for n in range(0, count, _BLOCK))
            found = np.concatenate([_bits(block > middle) for block in blocks])
        elif len(self._signs[1]) < count or self._unsigned:
            # The middle moves with every vector, but seldom from one byte to the next.
            known = self._signs[1]
            more = np.arange(len(known), count)
            found = np.zeros((count, known.shape[1]), np.uint64, order="F")
            found[: len(known)] = known
            new = np.concatenate([more, *self._unsigned])
            found[new] = _bits(vectors[new] > middle)
        else:
            return self._signs[1]
        self._signs, self._unsigned = (middle, found), []
        return found

    def seen_from_the_middle(self, question: Floats) -> Floats:
        """A question's vector as this cloud compares it."""
        away = question - self._middle
        return (away / max(float(np.linalg.norm(away)), 1e-6)).astype(np.float32)

    def near(self, question: Floats, count: int) -> Ints:
        """The passages that may be nearest to a question; all, if they are few."""
        if len(self._there) <= FEW:
            return np.arange(len(self._there))
        apart = np.zeros(len(self._there), np.uint16)
        for column, bits in zip(self.signs.T, _bits(question > 0)[0], strict=True):
            apart += np.bitwise_count(column ^ bits)
        apart[~self._there] = FAR
        closest = np.cumsum(np.bincount(apart)[:FAR])
        limit = min(int(np.searchsorted(closest, min(count, self.filled))), FAR - 1)
        return np.flatnonzero(apart <= limit)

    def likeness(self, question: Floats, passages: Ints) -> Floats:
        """How alike some passages are to a question, from -1 to 1; 0 without vector."""
        kept = self.vectors[passages]
        rows = self._seen(kept)
        reach = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return np.where(kept.any(1), rows @ question / np.maximum(reach, 1e-6), 0)

    def between(self, left: int, right: int) -> float:
        """Return the cosine similarity of two passages, from -1 to 1."""
        # The mean of a few vectors is close to each of them, so it counts by degrees.
        mean = self._middle * min(1.0, self.filled / MIN_VECTORS_OF_MEAN)
        rows = self.vectors[[left, right]].astype(np.float32) / SCALE - mean
        reach = np.linalg.norm(rows, axis=1)
        return float(rows[0] @ rows[1] / max(float(reach[0] * reach[1]), 1e-6))

    def _seen(self, kept: Bytes) -> Floats:
        return kept.astype(np.float32) / SCALE - self._middle
