"""Reading the notes of an Obsidian vault."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.importers.documents import markdown_passages
from reverie.importers.walk import modified, text_of
from reverie.markdown import hidden_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.importers.walk import ImportSource, Passage
    from reverie.model.items import Finding


_TAG = re.compile(r"(?<!\S)#(?P<tag>[\w/-]*[^\W\d][\w/-]*)")
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")


def read_obsidian(source: ImportSource) -> Iterator[Passage | Finding]:
    """Read a note; links and embeds stay as they are, comments go."""
    text = without_remarks((yield from text_of(source)))
    for passage in markdown_passages(source, text, modified(source)):
        tags = dict.fromkeys([*passage.tags, *find_tags(passage.text)])
        yield replace(passage, tags=tuple(tags))


def find_tags(text: str) -> list[str]:
    """The `#tags` inside a text, without those in code."""
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    seen = (_masked(line) for n, line in enumerate(lines) if n not in hidden)
    return [found["tag"] for line in seen for found in _TAG.finditer(line)]


def without_remarks(text: str) -> str:
    """A text without its `%%comments%%`; every line stays the line it was.

    One that is never closed stays, so it cannot swallow a note.
    """
    if text.count("%%") < 2:
        return text
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    marks, start = [], 0
    for n, line in enumerate(lines):
        if n not in hidden:
            found = re.finditer("%%", _masked(line))
            marks += [start + match.start() for match in found]
        start += len(line)
    kept, at = [], 0
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        kept += [text[at:opening], "\n" * text.count("\n", opening, closing)]
        at = closing + 2
    return "".join([*kept, text[at:]])


def _masked(line: str) -> str:
    """A line in which code says nothing."""
    if "`" not in line:
        return line
    return _CODE.sub(lambda found: "x" * len(found[0]), line)
