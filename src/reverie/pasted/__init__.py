"""Find the pasted parts of a message by their structure.

A user turn can hold text of others: mail, logs, code, data, chats, web pages. This
module looks at layout and standard formats only, never at what a sentence means, so it
works in any language. All other text is the user's own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.pasted import containers, formats, mail, texts
from reverie.pasted.lines import MessageLines

if TYPE_CHECKING:
    from reverie.pasted.lines import Finder

_CONTAINERS: tuple[Finder, ...] = (
    containers.find_quoted_lines,
    containers.find_ruled_text,
)
_FORMATS: tuple[Finder, ...] = (
    mail.find_mails,
    formats.find_logs,
    formats.find_traces,
    formats.find_terminals,
    formats.find_json,
    formats.find_markup,
    formats.find_tables,
    formats.find_diffs,
    formats.find_code,
    texts.find_chats,
)
_TEXTS: tuple[Finder, ...] = (
    mail.find_letters,
    texts.find_wrapped,
    texts.find_long_blocks,
)
"""Kinds of running text; they are looked for only where no format was found."""


_MARKS = re.compile(r"[^\w\s.,;:!?'()/\-]|\A\s*\d")
"""One line without any of these is no quotation, log, data or code."""


class Part(Struct, frozen=True):
    """A stretch of a message.

    Attributes:
        text: The characters as they stand in the message.
        pasted: Whether they are text of others; else the user's own.
    """

    text: str
    pasted: bool


def split_pasted(text: str) -> tuple[Part, ...]:
    r"""Split a message into the user's own parts and pasted parts.

    The texts of the parts join to the message. Parts alternate, and none is empty.

    Example:
        >>> [part.pasted for part in split_pasted("Look:\n> buy now\nSpam?")]
        [False, True, False]
    """
    parts: list[Part] = []
    done = 0
    for start, end in find_pasted(text):
        if text[done:start]:
            parts.append(Part(text[done:start], pasted=False))
        parts.append(Part(text[start:end], pasted=True))
        done = end
    if text[done:]:
        parts.append(Part(text[done:], pasted=False))
    return tuple(parts)


@lru_cache(maxsize=64)
def find_pasted_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of the lines, counted from 1, that are wholly pasted.

    Lines end at a line feed. A blank line is pasted if both lines around it are. The
    user's probable last words behind a mail are not pasted here, because this decides
    only how a turn is shown and searched: for `find_pasted` they give no orders.
    """
    parts, closing = _find_spans(text)
    spans = iter([(start, min(end, closing)) for start, end in parts])
    lines = text.split("\n")
    span = next(spans, None)
    found: list[int] = []
    blank: list[int] = []
    start = 0
    for number, line in enumerate(lines, 1):
        end = start + len(line)
        while span and span[1] < end - (len(line) - len(line.rstrip())):
            span = next(spans, None)
        first = start + len(line) - len(line.lstrip())
        if not line.strip():
            blank += [number] if found and [*found, *blank][-1] == number - 1 else []
        elif span and span[0] <= first:
            found += [*blank, number]
            blank = []
        else:
            blank = []
        start = end + 1
    return tuple(found)


def own_text(text: str) -> str:
    """Return a message without its pasted parts."""
    return "".join(part.text for part in split_pasted(text) if not part.pasted)


def find_pasted(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the pasted parts of a message start and end, in characters."""
    return _find_spans(text)[0]


def _find_spans(text: str) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return where pasted parts are, and where the probable last words begin."""
    if "\n" not in text and not _MARKS.search(text):
        return (), len(text)
    message = MessageLines(text)
    fences = message.mark_fences(containers.find_fences(text))
    for find in _CONTAINERS:
        message.mark(find(message))
        message.blank_pasted()
    # One finder does not look inside of what another one found.
    message.mark(span for find in _FORMATS for span in find(message))
    # Pages have markup in them, so they are looked for in any case.
    message.mark(texts.find_pages(message))
    for find in _TEXTS:
        if not any(message.pasted):
            message.mark(find(message))
    spans = sorted((*fences, *message.spans(), *containers.find_in_lines(message)))
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    above = message.raw[: message.closing] if message.closing >= 0 else message.raw
    return tuple(joined), sum(map(len, above))
