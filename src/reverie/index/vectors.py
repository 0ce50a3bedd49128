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
    """Vectors of one model, a row a passage; rows of zeros are passages without one."""

    def __init__(self, vectors: Bytes) -> None:
        self._vectors = vectors
        self.width = vectors.shape[1]
        total = np.zeros(self.width, np.int64)
        there = np.zeros(len(vectors), bool)
        for number, block in enumerate(self._blocks()):
            total += block.sum(0, dtype=np.int64)
            there[number * _BLOCK : number * _BLOCK + len(block)] = block.any(1)
        self.filled = filled = int(there.sum())
        self._empty = np.flatnonzero(~there)
        self._middle = (total / max(filled, 1) / SCALE).astype(np.float32)
        self._signs: NDArray[np.uint64] | None = None

    def _blocks(self) -> list[Bytes]:
        return [
            self._vectors[n : n + _BLOCK] for n in range(0, len(self._vectors), _BLOCK)
        ]

    @property
    def signs(self) -> NDArray[np.uint64]:
        """On which side of the middle each vector is, a bit a number."""
        if self._signs is None:
            middle = np.rint(self._middle * SCALE).astype(np.int8)
            packed = [_bits(block > middle) for block in self._blocks()]
            self._signs = np.concatenate(packed)
        return self._signs

    def seen_from_the_middle(self, question: Floats) -> Floats:
        """A question's vector as this cloud compares it."""
        away = question - self._middle
        return (away / max(float(np.linalg.norm(away)), 1e-6)).astype(np.float32)

    def near(self, question: Floats, count: int) -> Ints:
        """The passages that may be nearest to a question; all, if they are few."""
        if len(self._vectors) <= FEW:
            return np.arange(len(self._vectors))
        apart = np.zeros(len(self._vectors), np.uint16)
        for column, bits in zip(self.signs.T, _bits(question > 0)[0], strict=True):
            apart += np.bitwise_count(column ^ bits)
        apart[self._empty] = FAR
        closest = np.cumsum(np.bincount(apart)[:FAR])
        limit = min(int(np.searchsorted(closest, min(count, self.filled))), FAR - 1)
        return np.flatnonzero(apart <= limit)

    def likeness(self, question: Floats, passages: Ints) -> Floats:
        """How alike some passages are to a question, from -1 to 1; 0 without vector."""
        kept = self._vectors[passages]
        rows = self._seen(kept)
        reach = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return np.where(kept.any(1), rows @ question / np.maximum(reach, 1e-6), 0)

    def between(self, left: int, right: int) -> float:
        """How alike two passages are."""
        rows = self._seen(self._vectors[[left, right]])
        reach = np.linalg.norm(rows, axis=1)
        return float(rows[0] @ rows[1] / max(float(reach[0] * reach[1]), 1e-6))

    def _seen(self, kept: Bytes) -> Floats:
        return kept.astype(np.float32) / SCALE - self._middle
