"""A static model: each piece of text has a row in a table, a text is their mean.

The mean is scaled to length one in the end, so the rows are only added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding.places import DamagedModelError
from reverie.embedding.texts import find_said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_AT_ONCE = 4096  # rows of one text that are in memory at the same time


@dataclass(frozen=True, slots=True)
class Table:
    """The vectors of pieces.

    Attributes:
        vectors: One row each.
        mapping: The row of each piece, where several pieces share one.
        weights: What each piece counts, where they do not count alike.
    """

    vectors: NDArray[Any]
    mapping: NDArray[Any] | None = None
    weights: NDArray[Any] | None = None

    @property
    def pieces(self) -> int:
        """How many pieces it knows; their numbers are below this."""
        rows = self.vectors if self.mapping is None else self.mapping
        return len(rows) if self.weights is None else min(len(rows), len(self.weights))

    def total(self, numbers: Sequence[int]) -> NDArray[np.float32]:
        """The sum of the vectors of some pieces, each as often as it is named."""
        rows = numbers if self.mapping is None else self.mapping.take(numbers)
        taken = self.vectors.take(rows, axis=0).astype(np.float32)
        if self.weights is not None:
            taken *= self.weights.take(numbers)[:, None]
        total: NDArray[np.float32] = taken.sum(axis=0)
        return total


class TableEmbedder:
    """Adds up the vectors of a text's pieces."""

    def __init__(
        self, name: str, table: Table, numbers: Callable[[str], Sequence[int]]
    ) -> None:
        self._name = name
        self._table = table
        self._numbers = numbers

    @property
    def name(self) -> str:
        """The model and its version."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        return int(self._table.vectors.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row in find_said(texts):
            numbers = self._numbers(texts[row])
            for at in range(0, len(numbers), _AT_ONCE):
                rows[row] += self._table.total(numbers[at : at + _AT_ONCE])
        return unit_rows(rows, self._name)


def unit_rows(rows: NDArray[Any], name: str) -> NDArray[np.float32]:
    """Scale each row to length one; rows of zeros stay as they are."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all():
        raise DamagedModelError(name, "its vectors are not finite")
    scaled: NDArray[Any] = wide / np.where(lengths, lengths, 1.0)
    return scaled.astype(np.float32)
