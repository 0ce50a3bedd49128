"""Static models: each piece of text has a row in a table, a text is their mean."""

from __future__ import annotations

import json
import math
import mmap
import re
from dataclasses import dataclass
from heapq import heappop, heappush
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding import (
    DamagedModelError,
    UnreadableModelError,
    find_said,
    package_folder,
    read_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from reverie.embedding import Embedder


_AT_ONCE = 4096  # rows of one text that are in memory at the same time


@dataclass(frozen=True, slots=True)
class VectorTable:
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
        self, name: str, table: VectorTable, numbers: Callable[[str], Sequence[int]]
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


_TYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
    "I8": np.int8,
}
_PREFIX = 8


def load_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Map each array of the file; its pages are read when they are used.

    Raises:
        UnreadableModelError: There is no such file, or it may not be read.
        DamagedModelError: It is cut off, or is something else.
    """
    data = _mapped(path)
    start = _PREFIX + int.from_bytes(data[:_PREFIX], "little")
    if len(data) < _PREFIX or start > len(data):
        raise DamagedModelError(path, "cut off, or no safetensors file")
    try:
        header = json.loads(data[_PREFIX:start])
        header.pop("__metadata__", None)
        return {
            name: _tensor(data, start, entry, path) for name, entry in header.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedModelError(path, "its header does not read") from error


def _mapped(path: Path) -> mmap.mmap | bytes:
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise UnreadableModelError(path, error) from error


def _tensor(
    data: mmap.mmap | bytes, start: int, entry: Mapping[str, Any], path: Path
) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    shape = tuple(int(size) for size in entry["shape"])
    kind = _TYPES.get(entry["dtype"])
    if kind is None:
        raise DamagedModelError(path, f"numbers of type {entry['dtype']} are not read")
    count = math.prod(shape)
    if not 0 <= begin <= end or end - begin != count * np.dtype(kind).itemsize:
        raise DamagedModelError(path, "its header contradicts itself")
    if start + end > len(data):
        raise DamagedModelError(path, "cut off")
    flat: NDArray[Any] = np.frombuffer(data, kind, count, start + begin)
    return flat.reshape(shape)


_DECODER = JSONDecoder()
_BLANK = "▁"
_WORD = re.compile(r"\n|▁+[^▁\n]*|[^▁\n]+")
_LATE = 1 << 32
_REMEMBERED = 50_000
_LONGEST_REMEMBERED = 48

Vocabulary = dict[str, int]


def load_vocabulary(path: Path) -> Vocabulary:
    """Read the pieces and their numbers from a `tokenizer.json`.

    Only that part of the file is read as JSON: the list of merges after it is
    longer and says nothing new.
    """
    data = read_file(path)
    start = data.find(b'"vocab"')
    try:
        text = data[start : data.find(b'"merges"', start)].decode("utf-8")
        vocabulary: Vocabulary = _DECODER.raw_decode(text, text.index("{"))[0]
    except ValueError as error:
        raise DamagedModelError(path, "cut off, or no vocabulary") from error
    if any(f"<0x{byte:02X}>" not in vocabulary for byte in range(256)):
        raise DamagedModelError(path, "its vocabulary lacks some bytes")
    return vocabulary


class Pieces:
    """Cuts texts into piece numbers, and remembers the words it has seen."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._seen: dict[str, list[int]] = {}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's pieces, which are the rows of their vectors."""
        seen = self._seen
        numbers: list[int] = []
        for word in _WORD.findall(_BLANK + text.replace(" ", _BLANK)):
            known = seen.get(word)
            numbers += self._cut(word) if known is None else known
        return numbers

    def _cut(self, word: str) -> list[int]:
        pieces = _joined(word, self._vocabulary)
        numbers = [number for piece in pieces for number in self._spelled(piece)]
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[word] = numbers
        return numbers

    def _spelled(self, piece: str) -> list[int]:
        """The number of a piece, or those of its bytes where it has none."""
        number = self._vocabulary.get(piece)
        if number is not None:
            return [number]
        # Half of a surrogate pair has no bytes; it gets that of a question mark.
        spelling = piece.encode("utf-8", "replace")
        return [self._vocabulary[f"<0x{byte:02X}>"] for byte in spelling]


def _joined(word: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Join neighbouring characters into pieces, the best pair first."""
    ends = list(range(1, len(word) + 1))  # of the piece that begins at each place
    starts = list(range(-1, len(word)))  # of the piece that ends at each place
    pairs: list[tuple[int, int, int, int]] = []

    def offer(start: int, middle: int, end: int) -> None:
        rank = vocabulary.get(word[start:end])
        if rank is not None:
            late = _LATE if word[end - 1] == _BLANK else 0
            heappush(pairs, (rank + late, start, middle, end))

    for at in ends[:-1]:
        offer(at - 1, at, at + 1)
    while pairs:
        _, start, middle, end = heappop(pairs)
        if ends[start] != middle or ends[middle] != end:
            continue  # one of the two has been joined with somebody else
        ends[start], ends[middle], starts[end] = end, 0, start
        if end < len(word):
            offer(start, end, ends[end])
        if start:
            offer(starts[start], start, end)
    return _spans(word, ends)


def _spans(word: str, ends: list[int]) -> Iterator[str]:
    at = 0
    while at < len(word):
        yield word[at : ends[at]]
        at = ends[at]


_PACKAGE = "wordllama"
_MODEL = "wordllama-l2-supercat-256"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"


def open_static(folder: Path | None = None) -> Embedder:
    """Open the built-in model.

    Args:
        folder: The package's folder; the installed one where it is not given.
    """
    folder = folder or package_folder(_PACKAGE)
    weights = folder / _WEIGHTS
    table = load_tensors(weights).get("embedding.weight")
    if table is None or table.ndim != 2:
        raise DamagedModelError(weights, "it holds no table of vectors")
    vocabulary = load_vocabulary(folder / _VOCABULARY)
    if max(vocabulary.values()) >= len(table):
        raise DamagedModelError(weights, "it has fewer rows than the vocabulary")
    name = f"{_MODEL}/{_version(folder)}"
    return TableEmbedder(name, VectorTable(table), Pieces(vocabulary).numbers)


def _version(folder: Path) -> str:
    """The package's version, read off the folder that pip puts beside it.

    `importlib.metadata` knows it too, and takes longer than embedding a question.
    A later `.post` release carries the same files.
    """
    for beside in sorted(folder.parent.glob(f"{_PACKAGE}-*.dist-info")):
        found = re.match(r"-(\d+(?:\.\d+)*)", beside.name.removeprefix(_PACKAGE))
        if found:
            return found[1]
    return "0"
