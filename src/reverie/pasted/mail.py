"""Find mails and letters."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.pasted.lines import (
    ADDRESS,
    COLONS,
    COMMAS,
    MAX_OWN_CHARACTERS,
    SENTENCE_ENDS,
    MessageLines,
    is_question,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.pasted.lines import Span

MIN_LETTER_CHARACTERS = 300


_NAMED_ADDRESS = re.compile(
    r"[^<>\n]{0,60}<[^\s<>@]{1,64}@[^\s<>@]{1,190}>[^<>]{0,60}$"
)
_FIELD = re.compile(
    rf"[*_]{{0,3}}([^\s*_{COLONS}][^*\n{COLONS}]{{0,30}}?)[*_]{{0,3}}\s?[{COLONS}]"
)
_FORWARDED = re.compile(r"[-_=]{4,}\s*[^-_=\n]{2,80}[-_=]{4,}$")
_SIGNATURE_CHARACTERS = 60


@cache
def _mail_fields() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the names of subject fields, of all fields, and of transport fields."""
    path = Path(__file__).with_name("mail_fields.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    subject, other, transport = (
        frozenset(" ".join(name.split()) for name in table[key].split(","))
        for key in ("subject", "other", "transport")
    )
    return subject, subject | other | transport, transport


def find_mails(message: MessageLines) -> Iterator[Span]:
    """A mail with its header, or a forwarded one, to the end of its text."""
    subject, known, transport = _mail_fields()
    start, names, proven = -1, set[str](), False
    for number, line in enumerate(message.lines):
        found = _FIELD.match(line)
        name = " ".join(found[1].casefold().split()) if found else ""
        if name in known:
            start = number if start < 0 else start
            names.add(name)
            proven = proven or name in subject or bool(ADDRESS.search(line))
            first = _mail_start(message, start)
            if first < start or (proven and len(names) > 1) or name in transport:
                yield first, _mail_end(message, number, first)
                return
        elif start < 0 or (line and not message.indented[number]):
            # A folded field, or a blank line in a copied header, ends no header.
            start, names, proven = -1, set(), False
            if _NAMED_ADDRESS.match(line) and _begins_mail(message, number):
                yield number, _mail_end(message, number, number)
                return


def _mail_start(message: MessageLines, number: int) -> int:
    """Return the line of the mark of a forwarded mail above its header, if any."""
    above = range(max(0, number - 2), number)
    return next((n for n in above if _FORWARDED.match(message.lines[n])), number)


def _begins_mail(message: MessageLines, number: int) -> bool:
    """Return whether a name with an address stands above a text."""
    above = number == 0 or not message.lines[number - 1]
    return above and sum(map(bool, message.lines[number + 1 :])) > 1


def _mail_end(message: MessageLines, header: int, start: int) -> int:
    """Return the line behind a mail, and note its closing paragraph.

    Its end has no mark, so a mail reaches to the end of the message. One question in a
    paragraph of its own behind the sender's name is the user's.

    Args:
        message: The message.
        header: A line of the header.
        start: The first line of the mail.
    """
    blocks = [block for block in message.blocks if block[1] > header]
    if len(blocks) < 3:
        return len(message.lines)
    first, last = blocks[-1]
    line, above = message.lines[first], blocks[-2][1]
    signed = _is_signature(message, blocks[-2])
    if last == first + 1 and signed and is_question(line):
        return first
    signed = signed or _is_signature(message, (above - 1, above))
    introduced = any(message.lines[:start])
    if introduced and signed and last == first + 1 and _may_be_own(line):
        message.closing = first
    return len(message.lines)


def _may_be_own(line: str) -> bool:
    """Return whether a line behind a mail is a short sentence without an address."""
    has_address = ADDRESS.search(line) or "://" in line or "www." in line
    short = len(line) <= MAX_OWN_CHARACTERS and line[-1] in SENTENCE_ENDS
    return short and not has_address


def _is_signature(message: MessageLines, block: Span) -> bool:
    """Return whether a paragraph consists of short lines that end no sentence."""
    lines = message.lines[slice(*block)]
    return len(lines) < 9 and all(
        len(line) <= _SIGNATURE_CHARACTERS and line[-1] not in SENTENCE_ENDS + COLONS
        for line in lines
    )


def find_letters(message: MessageLines) -> Iterator[Span]:
    """A letter without a header: a salutation, a body and a closing with a name."""
    for index, (start, end) in enumerate(message.blocks[:3]):
        line = message.lines[start]
        rest = message.blocks[index + 1 :]
        if (
            end != start + 1
            or len(line) > _SIGNATURE_CHARACTERS
            or line[-1] not in COMMAS
        ):
            continue
        closing = next(
            (
                block
                for block in reversed(rest[1:])
                if _is_signature(message, block) and block[1] - block[0] > 1
            ),
            None,
        )
        # At the start of the message only a closing tells a letter from a greeting.
        last = closing[1] if closing else len(message.lines) if index else start
        complete = bool(index and closing)
        if complete or message.size((start, last)) >= MIN_LETTER_CHARACTERS:
            yield start, _mail_end(message, start, start)
            return
