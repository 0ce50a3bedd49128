"""Reading the memory of an OpenClaw workspace: daily logs and `MEMORY.md`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.importers.documents import (
    LONGEST,
    DocumentPiece,
    HeadedPart,
    at_time,
    cut,
    day_in_name,
    outline,
    parse_day,
    parse_front_matter,
    parse_time,
    stem,
    tidied,
    titled,
)
from reverie.importers.walk import Passage, Provenance, modified, parse_moment, text_of
from reverie.markdown import split_items, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from reverie.importers.walk import ImportSource
    from reverie.model.items import Finding


_ENTRY_LEVEL = 2
_SESSION = re.compile(
    r"Session:\s*(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d(?::\d\d)?)"
)


def read_openclaw(source: ImportSource) -> Iterator[Passage | Finding]:
    """Read a memory file entry by entry.

    An entry is a `##` section with all below it, or a list item that stands under
    no such section. It has the day of its file, and its own time where it begins
    with one; times without a zone are read as UTC.
    """
    text = yield from text_of(source)
    front = parse_front_matter(text)
    body = "".join(split_lines(text)[front.lines :])
    fixed = front.at or day_in_name(source.name)
    changed = modified(source)
    for piece in _entries(outline(body, front.lines + 1)):
        day = fixed or piece.day or changed
        yield Passage(
            Provenance(source.kind, source.name, piece.line),
            titled(stem(source.name), _without_day(piece.path, fixed)),
            piece.text,
            _moment(piece, day),
            front.tags,
        )


def _entries(sections: Iterable[HeadedPart]) -> Iterator[DocumentPiece]:
    """The entries of a file; deeper headings belong to the section above them."""
    held: list[HeadedPart] = []
    for section in sections:
        if held and section.level <= _ENTRY_LEVEL:
            yield from _entry(held)
            held = []
        held.append(section)
    if held:
        yield from _entry(held)


def _entry(held: list[HeadedPart]) -> Iterator[DocumentPiece]:
    first = held[0]
    body = first.body + "".join(section.raw for section in held[1:])
    if first.level < _ENTRY_LEVEL:
        yield from _items(first, body)
    elif len(body) > LONGEST:
        for line, text in cut(body, first.body_line):
            yield DocumentPiece(first.path, line, text, first.day)
    elif tidied(body) or first.path[-1]:
        text = tidied(body) or first.path[-1]
        yield DocumentPiece(first.path, first.line, text, first.day)


def _items(section: HeadedPart, body: str) -> Iterator[DocumentPiece]:
    for item in split_items(body, section.body_line):
        if len(item.text) <= LONGEST and item.marker:
            if item.text:
                yield DocumentPiece(section.path, item.line, item.text, section.day)
            continue
        for line, text in cut(item.raw, item.line):
            yield DocumentPiece(section.path, line, text, section.day)


def _moment(piece: DocumentPiece, day: datetime | None) -> datetime | None:
    if not day:
        return None
    heading = piece.path[-1] if piece.path else ""
    clock = parse_time(heading) or parse_time(piece.text)
    if clock:
        return at_time(day, clock)
    session = _SESSION.match(piece.path[0]) if piece.path else None
    began = parse_moment(f"{session['day']}T{session['time']}") if session else None
    return began or day


def _without_day(path: tuple[str, ...], day: datetime | None) -> tuple[str, ...]:
    """The headings without one that only says the day the file has anyway."""
    said = parse_day(path[0]) if path else None
    return path[1:] if said and day and said.date() == day.date() else path
