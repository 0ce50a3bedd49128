"""The lines of a message while its pasted parts are looked for."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Span = tuple[int, int]
    """First line, and the line after the last."""
    Finder = Callable[["MessageLines"], Iterable[Span]]

MAX_OWN_CHARACTERS = 200
"""A line next to a long block is the user's own up to this length."""

COLONS = ":\uff1a"
SENTENCE_ENDS = ".!?\u3002\uff01\uff1f\u061f"
QUESTION_MARKS = "?\uff1f\u061f\u055e"
COMMAS = ",\uff0c\u060c"
CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[.,]\d{1,9})?(?:\s?[AaPp]\.?[Mm]\.?)?"
DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\.?"
ADDRESS = re.compile(r"[^\s<>@\[\]()]{1,64}@[^\s<>@\[\]()]{1,190}\.\w")
JSON_KEY = re.compile(r"\"[^\"\n]{0,200}\"\s*:")


class MessageLines:
    """The lines of a message, and which of them are pasted.

    Attributes:
        closing: The number of a pasted line that is most probably the user's: a short
            paragraph behind the name that ends a mail; -1 for none. Nobody can be
            sure, because mails have no end.
    """

    def __init__(self, text: str) -> None:
        self.raw = text.splitlines(keepends=True)
        self.lines = [line.strip() for line in self.raw]
        self.indented = [line[:1] in " \t" and bool(line.strip()) for line in self.raw]
        self.pasted = bytearray(len(self.raw))
        self.closing = -1
        self.blocks = self._find_blocks()

    def _find_blocks(self) -> list[Span]:
        """Return the runs of lines without a blank line between them."""
        blocks = []
        for filled, numbers in groupby(range(len(self.lines)), self._is_filled):
            if filled:
                first, *others = numbers
                blocks.append((first, (others or [first])[-1] + 1))
        return blocks

    def _is_filled(self, number: int) -> bool:
        return bool(self.lines[number])

    def mark(self, spans: Iterable[Span]) -> None:
        """Mark lines as pasted."""
        for start, end in [*spans]:
            self.pasted[start:end] = b"\1" * (end - start)

    def mark_fences(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Mark the lines that stand in code fences as pasted; return all fences."""
        fences, number, at = [*spans], 0, 0
        for start, end in fences:
            while number < len(self.raw) and at < end:
                line = self.raw[number]
                if at + len(line.rstrip()) > end:
                    break
                inside = at >= start or not line[: start - at].strip()
                self.pasted[number] = inside and bool(line.strip())
                at, number = at + len(line), number + 1
        self.blank_pasted()
        return fences

    def blank_pasted(self) -> None:
        """Hide pasted lines from the finders that follow."""
        if any(self.pasted):
            for number, pasted in enumerate(self.pasted):
                if pasted:
                    self.lines[number], self.indented[number] = "", False
            self.blocks = self._find_blocks()

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield where pasted lines start and end, in characters."""
        at = 0
        for line, pasted in zip(self.raw, self.pasted, strict=True):
            if pasted:
                yield at, at + len(line)
            at += len(line)

    def size(self, span: Span) -> int:
        """Return how many characters some lines have."""
        return sum(map(len, self.lines[slice(*span)]))


def is_question(line: str) -> bool:
    """Return whether a line is one short question and nothing else."""
    body = line.rstrip(" \t)\"'")
    return (
        0 < len(body) <= MAX_OWN_CHARACTERS
        and body[-1] in QUESTION_MARKS
        and not re.search(rf"[{SENTENCE_ENDS}](?:\s|$)", body[:-1])
    )
