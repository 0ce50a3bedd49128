"""Entries under `## Reflection #12 — 2026-02-16`, and the archives they move to."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from reverie.markdown import (
    Section,
    ended,
    heading,
    newlines_like,
    parse_date,
    split_lines,
    split_sections,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

_ENTRY = re.compile(
    r"Reflection #([0-9]{1,9}) [\u2014\u2013-] ([0-9]{4}-[0-9]{2}-[0-9]{2})(?!\S)(.*)"
)
_NUMBERED = re.compile(r"Reflection #([0-9]{1,9})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Heading:
    """What the heading of an entry says.

    Attributes:
        number: Which reflection.
        day: Its day.
        rest: What stands behind it; empty over a full entry.
    """

    number: int
    day: date
    rest: str = ""


def render_heading(number: int, day: date) -> str:
    """The heading of an entry, without a line end."""
    return f"## Reflection #{number} — {day.isoformat()}"


def parse_heading(words: str | None) -> Heading | None:
    """Read the words of a heading; None if no entry stands below it."""
    found = _ENTRY.fullmatch(words or "")
    day = parse_date(found[2]) if found else None
    if not found or not day:
        return None
    return Heading(int(found[1]), day, found[3].strip())


def heading_number(words: str | None) -> int:
    """The number a heading names, however the rest of it reads; 0 if none."""
    found = _NUMBERED.match(words or "")
    return int(found[1]) if found else 0


def is_entry(words: str) -> bool:
    """Whether a heading is that of an entry or of its summary line."""
    return parse_heading(words) is not None


def entry_sections(text: str) -> tuple[Section, ...]:
    """The sections of a text that are entries, in their order."""
    found = split_sections(text, is_entry)[1:]
    return tuple(each for each in found if is_entry(each.heading or ""))


def spaced(text: str) -> str:
    """A text below which something new may begin: closed, with a blank line."""
    whole = ended(text)
    if whole and split_lines(whole)[-1].strip():
        whole += newlines_like(whole, "\n")
    return whole


def file_entries(archive: str, entries: Iterable[str], title: str) -> str:
    """An archive that holds these entries, each before the first of a higher number.

    Args:
        archive: The text of the archive; may be empty.
        entries: Whole entries, heading and all. What is there already stays single.
        title: The heading of a new archive.
    """
    opening, *sections = split_sections(archive, is_entry)
    there = {tidy(each.raw) for each in sections}
    fresh = [raw for raw in dict.fromkeys(map(tidy, entries)) if raw not in there]
    if not fresh:
        return archive
    highest = list(accumulate((heading_number(e.heading) for e in sections), max))
    places: dict[int, list[str]] = {}
    for raw in sorted(fresh, key=raw_number):
        places.setdefault(bisect_right(highest, raw_number(raw)), []).append(raw)
    chunks = [opening.raw if archive.strip() else f"# {title}\n\n"]
    for place in range(len(sections) + 1):
        for raw in places.get(place, ()):
            chunks[-1] = spaced(chunks[-1])
            chunks.append(newlines_like(chunks[0], f"{raw}\n"))
        if place < len(sections):
            chunks[-1] = spaced(chunks[-1]) if place in places else chunks[-1]
            chunks.append(sections[place].raw)
    return "".join(chunks)


def raw_number(raw: str) -> int:
    """The number of an entry, by its very text."""
    return heading_number(heading(raw.partition("\n")[0]))
