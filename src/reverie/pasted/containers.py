"""Find what marks enclose: fences, quoted lines, separators, quotation marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.pasted.lines import ADDRESS, COLONS, JSON_KEY, MessageLines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.pasted.lines import Span

MIN_QUOTED_CHARACTERS = 80
MIN_QUOTED_WIDE_CHARACTERS = 30
"""A quotation in a line is pasted from this length on; wide scripts need less."""

MIN_TAGGED_WORDS = 3
"""Text between two tags in a line is pasted if it has so many words."""


_FENCE = re.compile(r"(`{3,}|(?:(?<=\n)|\A)~{3,})")
_QUOTED = re.compile(r">(?:\s|>|[^\W\d_]|[-*#\"'(\[]|$)")
_OPENING_TAG = re.compile(r"<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,200})?>")
_RULE = re.compile(r"([-=*_~#+]{3,}|\"{3}|'{3}|<{3,}|>{3,})$")


def find_fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where code fences start and end; an open one reaches to the end."""
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        if opened is None:
            opened = found
        elif found[1] == opened[1]:
            yield opened.start(1), found.end(1)
            opened = None
    if opened and (opened.start() == 0 or text[opened.start(1) - 1] == "\n"):
        yield opened.start(1), len(text)


def find_quoted_lines(message: MessageLines) -> Iterator[Span]:
    """Lines behind `>`, with the line that names their sender."""
    quoted = [bool(_QUOTED.match(line)) for line in message.lines]
    for number, line in enumerate(message.lines):
        follows = any(quoted[number + 1 : number + 3])
        if quoted[number] or (follows and line.endswith(":") and ADDRESS.search(line)):
            yield number, number + 1


def find_ruled_text(message: MessageLines) -> Iterator[Span]:
    """Text between two equal separator lines; what stands around it is the user's."""
    opened: dict[str, int] = {}
    for number, line in enumerate(message.lines):
        found = _RULE.match(line)
        if not found:
            continue
        start = opened.pop(line, None)
        if start is not None and number > start + 1:
            yield start, number + 1
        elif start is None and (line[0] in "\"'<>" or is_introduced(message, number)):
            opened = {line: number}


def is_introduced(message: MessageLines, number: int) -> bool:
    """Return whether the text above a line ends with a colon, or there is none."""
    above = next(filter(None, reversed(message.lines[max(0, number - 2) : number])), "")
    return above[-1:] in COLONS


_PAIRS = (
    ("“", "”"),
    ("«", "»"),
    ("„", "“"),
    ("„", "”"),
    ("「", "」"),
    ("『", "』"),
    ("\u201a", "\u2018"),
    ("»", "«"),
    ("”", "”"),
    ('"', '"'),
)
_WIDE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def find_in_lines(message: MessageLines) -> Iterator[tuple[int, int]]:
    """Yield long quotations, JSON and tagged text inside the user's own lines."""
    at = 0
    for line, pasted in zip(message.raw, message.pasted, strict=True):
        if not pasted:
            found = (*_quotations(line), *_inline_json(line), *_tagged_text(line))
            for start, end in found:
                yield at + start, at + end
        at += len(line)


def _quotations(line: str) -> Iterator[tuple[int, int]]:
    """Yield the long quotations of a line, with their marks."""
    for opening, closing in _PAIRS:
        start = line.find(opening)
        while start >= 0:
            end = line.find(closing, start + 1)
            if end < 0:
                break
            said = line[start + 1 : end]
            wide = bool(_WIDE.search(said))
            if len(said) >= (
                MIN_QUOTED_WIDE_CHARACTERS if wide else MIN_QUOTED_CHARACTERS
            ):
                yield start, end + 1
            start = line.find(opening, end + 1)


def _tagged_text(line: str) -> Iterator[tuple[int, int]]:
    """Yield where several words stand between a tag and the one that closes it."""
    done, unclosed = 0, set[str]()
    for tag in _OPENING_TAG.finditer(line):
        name = tag[1]
        if tag.start() < done or name in unclosed:
            continue
        end = line.find(f"</{name}>", tag.end())
        if end < 0:
            unclosed.add(name)
        elif len(line[tag.end() : end].split()) >= MIN_TAGGED_WORDS:
            done = end + len(name) + 3
            yield tag.start(), done


def _inline_json(line: str) -> Iterator[tuple[int, int]]:
    start, end = line.find('{"'), line.rfind("}")
    if 0 <= start < end and JSON_KEY.match(line, start + 1):
        yield start, end + 1
