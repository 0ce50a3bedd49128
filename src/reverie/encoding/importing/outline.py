"""A Markdown file as the sections under its headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.encoding.importing.days import parse_day
from reverie.markdown import hidden_lines, one_line, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

_MARKS = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_PROSE = re.compile(r" {0,3}[^\s#>|`~<*+=-]")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next heading of any level.

    Attributes:
        path: The headings above it, outermost first, and its own; empty for what
            stands above the first heading.
        level: 1 to 6; 0 above the first heading.
        line: Line number of the heading, counted from 1.
        heading: The heading as it is written.
        body: What stands below it.
        body_line: Line number of the first line of the body.
        day: The day the innermost heading that is a date names.
        bare: Whether nothing stands here but further headings below this one.
    """

    path: tuple[str, ...]
    level: int
    line: int
    heading: str
    body: str
    body_line: int
    day: datetime | None = None
    bare: bool = False

    @property
    def raw(self) -> str:
        """Heading and body."""
        return self.heading + self.body


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    level: int
    words: str


def outline(text: str, first_line: int = 1) -> list[Section]:
    """Cut a Markdown text at its headings; code and comments have none."""
    lines = split_lines(text)
    nothing = _Heading(0, 0, 0, "")
    end = _Heading(len(lines), len(lines), 0, "")
    heads = [nothing, *_headings(lines), end]
    sections: list[Section] = []
    above: list[_Heading] = []
    for head, following in pairwise(heads):
        above = [h for h in above if h.level < head.level] + [head] * bool(head.level)
        path = tuple(h.words for h in above)
        days = (parse_day(words) for words in reversed(path))
        body = "".join(lines[head.end : following.start])
        sections.append(
            Section(
                path,
                head.level,
                first_line + head.start,
                "".join(lines[head.start : head.end]),
                body,
                first_line + head.end,
                next((day for day in days if day), None),
                not body.strip() and (following.level > head.level or not head.level),
            )
        )
    return sections


def _headings(lines: Sequence[str]) -> Iterator[_Heading]:
    hidden = hidden_lines(lines)
    after = 0
    for n, line in enumerate(lines):
        if n in hidden:
            continue
        found = _MARKS.match(line.rstrip("\n"))
        if found:
            after = n + 1
            words = _unclosed(line[found.end() :])
            yield _Heading(n, n + 1, len(found[1]), words)
        elif _underlines(lines, n) and n > after and n - 1 not in hidden:
            after = n + 1
            level = 1 if "=" in line else 2
            yield _Heading(n - 1, n + 1, level, one_line(lines[n - 1]))


def _unclosed(words: str) -> str:
    """The words of a heading without the marks that may end it."""
    words = one_line(words)
    before = words.rstrip("#")
    return before.rstrip() if before.endswith(" ") or not before else words


def _underlines(lines: Sequence[str], n: int) -> bool:
    """Whether a line makes the single line of prose above it a heading."""
    if not n or not _UNDERLINE.match(lines[n].rstrip("\n")):
        return False
    alone = n == 1 or not lines[n - 2].strip()
    return alone and bool(_PROSE.match(lines[n - 1]))
