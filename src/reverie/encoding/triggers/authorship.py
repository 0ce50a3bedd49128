"""Whose words a trigger is about: the user's own sentence, or what they pasted.

Nothing here understands a text. Words are the user's own where a message is one line of
theirs, whatever stands around it as a quotation. In a message of several lines nobody
can tell what was typed from what was pasted, so its words are kept as those of a
stranger; and in the middle of several paragraphs nothing is asked for at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.triggers.veil import VEIL
from reverie.encoding.triggers.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.triggers.sentences import Sentence
    from reverie.model.triggers import Trigger

TYPED = 400
"""Characters; in a longer line only the sentence that opens it is taken for typed."""

LONG = 3_000
EDGE = 1_500
"""Characters: of a longer message, so much at either edge may ask for something."""

PHRASE = 4
"""So many quoted words are a statement; fewer may be a name or a title."""

_SPACE = f" \t\r\n\f\v\x1c\x1d\x1e\x85\u2028\u2029{VEIL}"
_EDGES = f"{_SPACE}.,!?"
_BLANK = Wording(r"\n[^\S\n]*\n\s*")
_TAG = Wording(
    r"</?[a-z][a-z0-9-]{0,20}(?:\s[^<>\n]{0,200})?/?>|&(?:[lg]t|amp|quot|nbsp|#\w{1,6});"
)
_PART = Wording(r"\s*(?:[-+*\u2022\u00b7#|]|\d{1,3}[.)]\s|[uU]ser\s?:|[hH]uman\s?:)")
_ADDRESS = Wording(r"(?:https?://|www\.)[^\s<>]+")


class Authorship:
    """What in a message is its sender's own.

    Args:
        message: What was said.
        said: The same in small letters with straight quotes, each in its place.
        text: The same, veiled.
    """

    def __init__(self, message: str, said: str, text: str) -> None:
        self._message = message
        self._said = said
        self._text = text
        self._paragraphs = [span for span in _paragraphs(text) if _speaks(text, span)]
        lines = [span for span in _lines(message) if _speaks(text, span)]
        self._line = lines[0] if len(lines) == 1 else None

    def commands(self, place: int) -> bool:
        """Whether what stands here may ask for something: at either edge."""
        size = len(self._text)
        if size > LONG and EDGE < place < size - EDGE:
            return False
        edges = (*self._paragraphs[:1], *self._paragraphs[-1:])
        return any(start <= place < end for start, end in edges)

    def is_own(self, trigger: Trigger, sentence: Sentence) -> bool:
        """Whether what a trigger is about are the sender's own words.

        Args:
            trigger: The trigger.
            sentence: The sentence that asks.
        """
        start, end = trigger.content_start, trigger.content_end
        if self._line is None or not self._line[0] <= start <= end <= self._line[1]:
            return False
        typed = self._is_typed(sentence.start, trigger.start, sentence.end)
        return typed and not self._is_quoted(start, end)

    def _is_typed(self, start: int, asks: int, end: int) -> bool:
        """Whether a sentence opens the one line, or ends a short one.

        A line that is part of a page, a table or a list, or goes on behind an address,
        comes from there.
        """
        first, last = self._line or (0, 0)
        opens = not self._text[first:start].strip(_SPACE)
        closes = last - first <= TYPED and not self._text[end:last].strip(_SPACE)
        copied = (
            _PART.match(self._message, first, asks)
            or _TAG.search(self._said, first, last)
            or _ADDRESS.search(self._said, first, asks)
        )
        return (opens or closes) and copied is None

    def _is_quoted(self, start: int, end: int) -> bool:
        """Whether most of some words is a quotation, or a statement among them is."""
        whole = self._said.strip(_EDGES)
        if len(whole) > 2 and whole[0] == whole[-1] and whole[0] in "\"'":
            return True
        # An address is hidden as well, and is nobody's words.
        shown = self._text
        addresses = [found.span() for found in _ADDRESS.finditer(self._said)]
        for one, other in addresses:
            shown = shown[:one] + " " * (other - one) + shown[other:]
        quoted = (
            self._said[n] if shown[n] == VEIL else VEIL for n in range(start, end)
        )
        parts = [part for part in "".join(quoted).split(VEIL) if part.strip()]
        most = max((len(part.split()) for part in parts), default=0)
        return most >= PHRASE or 2 * sum(map(len, parts)) > end - start


def _speaks(text: str, span: tuple[int, int]) -> bool:
    """Whether anything in a stretch is not veiled."""
    return bool(text[slice(*span)].strip(_SPACE))


def _lines(message: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in message.splitlines(keepends=True):
        yield at, at + len(line)
        at += len(line)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for blank in _BLANK.finditer(text):
        yield at, blank.end()
        at = blank.end()
    yield at, len(text)
