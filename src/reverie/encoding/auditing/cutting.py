"""Cutting a Markdown file into memories: one for each list item and paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.importing.days import parse_day
from reverie.encoding.importing.front_matter import parse_front_matter
from reverie.encoding.importing.outline import outline
from reverie.markdown import headline, hidden_lines, split_lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.encoding.importing.outline import Section

_MARKER = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)"
    r"(?:[ \t]+\[[ xX/-]\](?=[ \t]|$))?[ \t]*"
)
_RULE = re.compile(r"[ \t]*(?:(?:[-*_=~.][ \t]*){3,}|\|[-:| \t]+)$")
_SPOKEN = re.compile(
    r"[ \t>*_-]*(?:user|assistant|human|ai|system|tool|agent|bot)[*_ ]*:",
    re.IGNORECASE,
)
_LINES_OF_A_TALK = 6
_LEAD = 40
"""Characters that tell what a line announces, or the day it is of."""

_DEEPEST = 8
"""So many lists inside lists tell where an item belongs."""

BETWEEN = " / "
"""What stands between the headings of a memory."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of lines that is one memory.

    Attributes:
        first: Its first line, counted from 0.
        end: The line after its last.
        text: Its words, without list mark and comments.
        heading: The headings it stands under.
        day: The day that it or a heading names.
        leads: Whether it only announces what stands below it.
    """

    first: int
    end: int
    text: str
    heading: str
    day: date | None
    leads: bool


def cut_markdown(text: str) -> list[Cut]:
    """The memories of a Markdown text; front matter and headings are none."""
    front = parse_front_matter(text)
    body = "".join(split_lines(text)[front.lines :])
    return [
        cut
        for section in outline(body, front.lines + 1)
        for cut in _of_section(section)
    ]


def is_talk(text: str) -> bool:
    """Whether a text is a transcript: most of its paragraphs say who speaks."""
    lines = [line for line in text.split("\n") if line.strip() and line[0] != "#"]
    spoken = sum(1 for line in lines if _SPOKEN.match(line))
    return spoken >= _LINES_OF_A_TALK and spoken * 3 >= len(lines)


@dataclass(slots=True)
class _Block:
    """Lines that belong together: an item with what continues it, a paragraph."""

    first: int
    end: int
    indent: int = -1
    skip: int = 0


def _of_section(section: Section) -> Iterator[Cut]:
    lines = split_lines(section.body)
    blocks = _blocks(lines)
    above = section.body_line - 1
    over = _Over(section)
    for n, block in enumerate(blocks):
        first, *rest = lines[block.first : block.end]
        text = visible("".join([first[block.skip :], *rest]))
        if not text and block.indent < 0:
            # A comment, or a rule: nothing that a reader sees.
            continue
        below = blocks[n + 1] if n + 1 < len(blocks) else None
        leads = below is not None and _leads(block, below, text)
        day = parse_day(text[:_LEAD]) or section.day
        yield Cut(
            above + block.first,
            above + block.end,
            text,
            over.heading(block),
            day.date() if day else None,
            leads,
        )
        if leads:
            over.put(block, text)


class _Over:
    """What stands above an item: headings, and items or a line that announce it."""

    def __init__(self, section: Section) -> None:
        self._path = section.path
        self._leads: list[tuple[int, str]] = []

    def heading(self, block: _Block) -> str:
        """All that an item stands under."""
        while self._leads and self._leads[-1][0] >= block.indent:
            self._leads.pop()
        near = self._leads[-_DEEPEST:]
        return BETWEEN.join((*self._path, *(words for _, words in near)))

    def put(self, block: _Block, text: str) -> None:
        """Note what announces the next items."""
        self._leads.append((block.indent, headline(text, _LEAD)))


def _leads(block: _Block, below: _Block, text: str) -> bool:
    deeper = below.indent > block.indent >= 0
    return deeper or (text.rstrip("*_ ").endswith(":") and below.indent >= 0)


def _blocks(lines: list[str]) -> list[_Block]:
    hidden = hidden_lines(lines)
    blocks: list[_Block] = []
    is_open = False
    for n, line in enumerate(lines):
        if n in hidden:
            if is_open:
                blocks[-1].end = n + 1
            continue
        if not line.strip() or _RULE.match(line.rstrip("\r\n")):
            if "|" in line and is_open and _is_row(lines[blocks[-1].first]):
                # What stands above the rule of a table are its heads.
                blocks.pop()
            is_open = False
            continue
        found = _MARKER.match(line.rstrip("\r\n"))
        if found:
            blocks.append(_Block(n, n + 1, len(found["indent"]), found.end()))
        elif is_open and not _is_row(line):
            blocks[-1].end = n + 1
        else:
            blocks.append(_Block(n, n + 1))
        is_open = True
    return blocks


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
