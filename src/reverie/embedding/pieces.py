"""Text cut into the pieces of a SentencePiece vocabulary, without its library.

In such a vocabulary a blank is written `▁` and can only begin a piece, so words
are cut one by one and remembered. A line end is in no piece but its own byte.
Neighbours are joined in the order of the joined piece's number; runs of blanks,
which were added to the vocabulary by hand, come last. The result is that of the
`tokenizers` library, which takes six times as long to be ready.
"""

from __future__ import annotations

import re
from heapq import heappop, heappush
from json import JSONDecoder
from typing import TYPE_CHECKING

from reverie.embedding.places import DamagedModelError, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
