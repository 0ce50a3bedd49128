"""Cutting a text that is too long for one turn."""

from __future__ import annotations

_ENDS = (("\n\n",), ("\n",), (". ", "! ", "? ", "。"), (" ", "\t"))
"""Where to cut, the best first: behind a paragraph, a line, a sentence, a word."""


def cut(text: str, most: int) -> list[str]:
    """A text in pieces, none of them longer than so many characters, none empty.

    Only a word that is longer than half a piece may be cut in two.
    """
    pieces = []
    start = 0
    while start < len(text):
        end = _end(text, start, most) if len(text) - start > most else len(text)
        pieces.append(text[start:end].strip())
        start = end
    return [piece for piece in pieces if piece]


def _end(text: str, start: int, most: int) -> int:
    """Where a piece ends that begins somewhere; in its second half."""
    half, end = start + most // 2, start + most
    for marks in _ENDS:
        found = max(text.rfind(mark, half, end) + len(mark) for mark in marks)
        if found > half:
            return found
    return end
