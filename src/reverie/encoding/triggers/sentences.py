"""Where the sentences of a veiled message begin and end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.triggers.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOTS = r".\u2026"
_STOP = Wording(
    rf"(?P<stop>(?<![{_DOTS}])(?:[{_DOTS}]*+[!?][!?{_DOTS}]*+|\.(?![{_DOTS}]))"
    r"[\"')\]]*+(?=[\s\0]|\Z))|\n(?P<blank>\s*+)"
)
_ABBREVIATION = Wording(
    r"(?<![\w.])(?:dr|mr|mrs|ms|prof|st|jr|sr|vs|etc|e\.g|i\.e|eg|approx|inc|ltd|dept"
    r"|fig|nr|[ap]\.m|u\.s|u\.k)\.\Z"
)
_ITEM = Wording(r"[ \t]*(?:[-+\u2022\u00b7#|]|\d{1,3}[.)]|[a-z]\))")
_FULL_LINE = 60  # a longer line without an end was wrapped by a program


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message.

    Attributes:
        start: Where it begins.
        end: Where it ends, its full stop included.
        paragraph: Where the paragraph it stands in begins and ends.
    """

    start: int
    end: int
    paragraph: tuple[int, int]


class Sentences:
    """The sentences of a text, found once."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._paragraphs: list[int] = []
        start = 0
        for end, after, last in _ends(text):
            if not text[start:end].isspace() and start < end:
                self._starts.append(start)
                self._ends.append(end)
            if last:
                self._paragraphs.append(end)
            start = after

    def at(self, place: int) -> Sentence:
        """The sentence that a place is in."""
        return self._sentence(max(bisect_right(self._starts, place) - 1, 0))

    def before(self, sentence: Sentence) -> Sentence | None:
        """The sentence before this one; `None` for the first."""
        number = bisect_left(self._starts, sentence.start) - 1
        return self._sentence(number) if number >= 0 else None

    def _sentence(self, number: int) -> Sentence:
        start, end = self._starts[number], self._ends[number]
        place = bisect_right(self._paragraphs, start)
        first = self._paragraphs[place - 1] if place else 0
        return Sentence(start, end, (first, self._paragraphs[place]))


def _ends(text: str) -> Iterator[tuple[int, int, bool]]:
    """Each end, where the next sentence begins, and whether a paragraph ends."""
    line = 0
    for stop in _STOP.finditer(text):
        blank = stop["blank"]
        if blank is None:
            if not _ABBREVIATION.search(text, max(line, stop.end() - 8), stop.end()):
                yield stop.end(), stop.end(), False
            continue
        if "\n" in blank:
            yield stop.start(), stop.end(), True
        elif not _wrapped(text, line, stop.start()):
            yield stop.start(), stop.end(), False
        line = stop.start() + 1
    yield len(text), len(text) + 1, True


def _wrapped(text: str, line: int, end: int) -> bool:
    """Whether a line only ends because it was full."""
    full = end - line >= _FULL_LINE and (
        text[end - 1].isalnum() or text[end - 1] == ","
    )
    return full and not _ITEM.match(text, end + 1)
