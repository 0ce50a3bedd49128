"""Find chats, copied pages and long running text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.pasted.lines import (
    CLOCK,
    COLONS,
    DAY,
    MAX_OWN_CHARACTERS,
    SENTENCE_ENDS,
    MessageLines,
    is_question,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.pasted.lines import Span

MIN_INTRODUCED_CHARACTERS = 800
MIN_BLOCK_CHARACTERS = 2_000
"""A long block is pasted from this length on: after a colon, or without one."""

MAX_NAME_CHARACTERS = 40


_STAMP = rf"(?:{DAY},?\s+)?(?:\w{{1,12}}\s)?{CLOCK}"
_SAID_AT = re.compile(
    rf"(?:\[{_STAMP}(?:,?\s*{DAY})?\]|{DAY},?\s+{CLOCK}|{CLOCK})"
    rf"\s*[-\u2013\u2014|]?\s*[^\s\d{COLONS}]"
    rf"[^\n{COLONS}]{{0,{MAX_NAME_CHARACTERS}}}[{COLONS}]\s"
)
_SPEAKER_AT = re.compile(
    rf"[^\W\d][^\n:]{{0,{MAX_NAME_CHARACTERS}}}"
    rf"(?:\s{{2,}}|\s[\u2013\u2014|•·]\s|,?\s[\[(])[^\n]{{0,24}}?{CLOCK}[\])]?$"
    rf"|\[[^\]\n]{{0,24}}?{CLOCK}\]\s[^\W\d][^\n:.!?]{{0,{MAX_NAME_CHARACTERS}}}:?$"
)
_SPEAKER = re.compile(
    rf"[*_]{{0,2}}@?([^\W\d][^*\n{COLONS}]{{0,{MAX_NAME_CHARACTERS}}}?)"
    rf"[*_]{{0,2}}\s?[{COLONS}][*_]{{0,2}}(?:\s|$)"
)
_BULLET = re.compile(r"[•·▪►‣◦●○■□★☆✓✔→»\u203a\u276f\u2043]\s?\S")
_LINK = re.compile(r"\]\(\S{1,300}|https?://\S|www\.\w")
_PAGE_SIGN = re.compile(r"[©®™]|\s[\u203a»|•·]\s\S[^\n]{0,40}\s[\u203a»|•·]\s")
_STARS = re.compile(r"[★☆⭐]{3}")
_MARKS = r">|\u203a»•·/"
_PATH = re.compile(
    rf"[^{_MARKS}]{{1,50}}\s(?P<mark>[{_MARKS}])\s[^{_MARKS}]{{1,50}}"
    rf"(?:\s(?P=mark)\s[^{_MARKS}]{{1,50}}){{1,8}}\Z"
)
"""Short items with one mark between them: where a page stands, or its menu."""

_SITE = re.compile(r"\s[-\u2013\u2014|]\s\S|\w\.[a-z]{2,}\b")
"""A title that names its site behind a mark, or its address."""

MIN_PAGE_LINES = 5
MIN_TEXT_LINE = 80
MAX_TITLE_CHARACTERS = 100
MAX_OPENING_CHARACTERS = 600
"""One line above a page whose first lines show where it stands."""


def find_chats(message: MessageLines) -> Iterator[Span]:
    """Transcripts: speakers with times, or the same speakers again and again."""
    lines = message.lines
    said = [n for n, line in enumerate(lines) if _SAID_AT.match(line)]
    headed = [
        n
        for n, line in enumerate(lines[:-1])
        if _SPEAKER_AT.match(line[:120]) and lines[n + 1] and len(line) < 120
    ]
    for found in (said, headed):
        if len(found) > 1:
            yield found[0], _block_end(message, found[-1])
    names = [
        " ".join(match[1].casefold().split()) if (match := _SPEAKER.match(line)) else ""
        for line in lines
    ]
    counts = Counter(name for name in names if name and len(name.split()) < 5)
    again = {name for name, count in counts.items() if count > 1}
    spoken = [n for n, name in enumerate(names) if name in counts]
    if len(counts) > 1 and again and len(spoken) > 2:
        alternate = sum(names[one] != names[two] for one, two in pairwise(spoken))
        if sum(counts[name] for name in again) * 2 > len(spoken) and alternate > 1:
            repeated = [n for n in spoken if names[n] in again]
            first = next(n for n in spoken if n >= repeated[0] or n + 2 >= repeated[0])
            yield first, _block_end(message, spoken[-1])


def _block_end(message: MessageLines, number: int) -> int:
    """Return the line behind the block that a line stands in."""
    while number < len(message.lines) and message.lines[number]:
        number += 1
    return number


def find_pages(message: MessageLines) -> Iterator[Span]:
    """A copied page: menus, links, bullets and signs next to longer text."""
    if (
        2 * sum(message.pasted) > len(message.lines)
        or len(message.lines) < MIN_PAGE_LINES
    ):
        return
    body = _page_body(message)
    all_lines = [n for n in range(*body) if message.lines[n]]
    lines = [message.lines[n] for n in all_lines if not message.pasted[n]]
    if len(all_lines) < MIN_PAGE_LINES or len(lines) * 2 < len(all_lines):
        return
    signs = (
        sum(bool(_LINK.search(line)) for line in lines) > 2,
        sum(bool(_BULLET.match(line)) for line in lines) > 2,
        any(_PAGE_SIGN.search(line) for line in lines),
        max(map(len, lines)) > 300
        and sum(len(line) < 60 and line[-1].isalnum() for line in lines) > 2,
        any((found := _STARS.search(line)) and found.start() for line in lines),
        bool(titles := _find_page_titles(lines)),
        any(map(_SITE.search, titles)),
    )
    if sum(signs) > 1:
        yield body


def _find_page_titles(lines: list[str]) -> list[str]:
    """Return the titles next to a path at the top of a page with longer text below."""
    number = next((n for n, line in enumerate(lines[:3]) if _PATH.match(line)), -1)
    if number < 0 or max(map(len, lines[number + 1 :]), default=0) < MIN_TEXT_LINE:
        return []
    around = lines[max(0, number - 1) : number] + lines[number + 1 : number + 2]
    return [
        line
        for line in around
        if len(line) <= MAX_TITLE_CHARACTERS and line[-1] not in SENTENCE_ENDS + COLONS
    ]


def _page_body(message: MessageLines) -> Span:
    """Return the lines of a page: all but what the user wrote around it."""
    start, end = _without_own_edges(message)
    blocks = message.blocks
    if len(blocks) > 1 and start == 0 and blocks[0][1] == blocks[0][0] + 1:
        head = message.lines[blocks[1][0] : blocks[1][0] + 3]
        short = len(message.lines[blocks[0][0]]) <= MAX_OPENING_CHARACTERS
        if short and any(map(_PATH.match, head)):
            start = blocks[1][0]
    elif start == 0 and _leads_to_text(message):
        start = 1
    return start, end


def _leads_to_text(message: MessageLines) -> bool:
    """Return whether the first line is a question, or ends with a colon."""
    line = message.lines[0] if message.lines else ""
    return bool(line) and (line[-1] in COLONS or is_question(line))


def find_wrapped(message: MessageLines) -> Iterator[Span]:
    """Prose with line ends at a fixed width, as in mails and documents."""
    found = []
    for start, end in message.blocks:
        widths = [len(line.rstrip()) for line in message.raw[start : end - 1]]
        wrapped = len(widths) > 2 and min(widths) >= 55 and max(widths) <= 100
        ends = sum(line[-1:] in ".!?:;" for line in message.lines[start : end - 1])
        if wrapped and ends * 2 < len(widths):
            found.append((start, end))
    if sum(end - start for start, end in found) > 7:
        yield from found


def find_long_blocks(message: MessageLines) -> Iterator[Span]:
    """A long text of several paragraphs next to a short message of the user."""
    body = start, end = _without_own_edges(message)
    blocks = [block for block in message.blocks if start <= block[0] < end]
    size = message.size(body)
    if len(blocks) == len(message.blocks) or not blocks:
        return
    prose = size > 100 * sum(map(bool, message.lines[start:end]))
    introduced = start > 0 and message.lines[message.blocks[0][0]][-1] in COLONS
    introduced = introduced and len(blocks) > 1 and size >= MIN_INTRODUCED_CHARACTERS
    if prose and (introduced or (len(blocks) > 2 and size >= MIN_BLOCK_CHARACTERS)):
        yield body


def _without_own_edges(message: MessageLines) -> Span:
    """Return the lines between a short first paragraph and a closing question."""
    blocks = message.blocks
    if len(blocks) < 2:
        return 0, len(message.lines)
    (first, behind), (start, end) = blocks[0], blocks[-1]
    opens = behind == first + 1 and len(message.lines[first]) <= MAX_OWN_CHARACTERS
    closes = end == start + 1 and is_question(message.lines[start])
    return (blocks[1][0] if opens else 0), (start if closes else len(message.lines))
