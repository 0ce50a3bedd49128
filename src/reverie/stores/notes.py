"""Notes: whatever stands in a Markdown file and follows no store's format.

They are read where they stand, and nothing in the file is changed for it. A list item
is a note of its own; prose goes by paragraphs that belong together, with the heading
right above them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import UTC, date, datetime, time
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie import markdown as md
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import Entry, Note, Source
from reverie.workspace.layout import (
    BOOT_FILES,
    INSTRUCTIONS_BEGIN,
    INSTRUCTIONS_END,
    NOTEBOOKS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

ENOUGH = 600
"""Characters from which on a passage ends where its paragraph does,"""

LONGEST = 2_000
"""or its line."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\r?\n?\Z")
_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_DATED = re.compile(r"(?i)(?:date|created)\s*:\s*['\"]?(\d{4}-\d\d-\d\d)")
_CLOCK = re.compile(r"\W*([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_FRONT_LINES = 500


class Passage(NamedTuple):
    """A part of a file: its first line, its very text, its words, the headings above.

    Those headings are not part of it; only the one that stands right above prose is.
    """

    line: int
    raw: str
    text: str
    headings: tuple[str, ...] = ()


def parse_notes(text: str, path: str, known: Collection[int] = ()) -> tuple[Entry, ...]:
    """What a file says outside of some lines, those of another format in it."""
    lines = md.split_lines(text)
    taken = {*known, *_instructions(lines)}
    front = front_matter(lines)
    fields = filter(None, map(_DATED.match, lines[:front]))
    said = _DAY.search(path.rpartition("/")[2]) or next(fields, None)
    day = md.parse_date(said[said.lastindex or 0]) if said else None
    stem = path.removeprefix("memory/").removesuffix(".md")
    called = stem.rpartition("/")[2].casefold()
    # What an agent writes into a notebook of its own is known to be its words.
    own_hand = path.startswith(f"{NOTEBOOKS}/")
    source = Source.CONVERSATION if own_hand else Source.IMPORT
    seen: Counter[str] = Counter()
    entries = []
    for passage in _outside(lines, taken, front):
        digest = hashlib.sha256(passage.text.encode("utf-8", "replace")).hexdigest()
        name = f"{note_name(path)}#{digest[:8]}"
        seen[name] += 1
        number = f"~{seen[name]}" if seen[name] > 1 else ""
        own = (said for said in passage.headings if said.casefold() != called)
        title = " › ".join((stem, *own))  # noqa: RUF001 - the mark is meant
        if passage.line <= front:
            # What it says of itself is found by its own words alone.
            title = ""
        at = _moment(day, (passage.text, *reversed(passage.headings))) if day else None
        note = Note(passage.text, title, at, source)
        id_ = ItemId(Kind.NOTE, name + number)
        shown = md.headline(title if passage.headings else passage.text)
        entries.append(Entry(id_, note, passage.line, note.text, shown, passage.raw))
    return tuple(entries)


def note_name(path: str) -> str:
    """What the notes of a file have in front of their hash: `soul`, `ideas-garden`."""
    return slug(path.removeprefix("memory/").removesuffix(".md"))


BOOT_NOTES = tuple(f"note:{note_name(name)}#" for name in BOOT_FILES)
"""How the ids of notes begin that stand in what an agent reads at every start."""


def _moment(day: date, said: Sequence[str]) -> datetime:
    """The hour that a note or a heading above it begins with, else noon."""
    clock = next(filter(None, map(_CLOCK.match, said)), None)
    hour = time(int(clock[1]), int(clock[2])) if clock else time(12)
    return datetime.combine(day, hour, UTC)


def _instructions(lines: Sequence[str]) -> range:
    """The lines of the section that Reverie writes for agents, counted from 1."""
    marks = [line.strip() for line in lines]
    if INSTRUCTIONS_BEGIN not in marks or INSTRUCTIONS_END not in marks:
        return range(0)
    begin, end = marks.index(INSTRUCTIONS_BEGIN), marks.index(INSTRUCTIONS_END)
    return range(begin + 1, end + 2)


def front_matter(lines: Sequence[str]) -> int:
    """How many lines a file's front matter takes; 0 where it has none."""
    if not lines or lines[0].strip("\ufeff \r\n") != "---":
        return 0
    some = enumerate(lines[1:_FRONT_LINES], 2)
    return next((n for n, line in some if line.rstrip() in {"---", "..."}), 0)


def _outside(
    lines: Sequence[str], taken: Collection[int], front: int
) -> Iterator[Passage]:
    """The passages of all stretches of lines that are not taken."""
    if front and not any(n in taken for n in range(1, front + 1)):
        words = md.visible("".join(lines[1 : front - 1]))
        if _says(words):
            yield Passage(1, "".join(lines[:front]), words)
        taken = {*taken, *range(1, front + 1)}
    edges = [0, *sorted(n for n in taken if 0 < n <= len(lines)), len(lines) + 1]
    for before, after in pairwise(edges):
        if after - before > 1:
            yield from passages(lines[before : after - 1], before + 1)


def passages(lines: Sequence[str], line: int = 1) -> Iterator[Passage]:
    """Cut some lines at their headings, list items and paragraphs.

    Args:
        lines: What is cut; every word that a reader sees is in some passage, or in a
            heading above one.
        line: The number of the first of them.
    """
    hidden = md.hidden_lines(lines)
    heads = [
        (n, len(found[1]), md.visible(found[2] or ""))
        for n, each in enumerate(lines)
        if n not in hidden and (found := _HEADING.match(each))
    ]
    above: list[tuple[int, str]] = []
    for (start, level, words), (end, deeper, _) in pairwise(
        [(-1, 0, ""), *heads, (len(lines), 0, "")]
    ):
        outer = [head for head in above if head[0] < level]
        above = [*outer, (level, words)] if level else []
        path = tuple(said for _, said in above if said)
        body = "".join(lines[start + 1 : end])
        head, told = lines[start] if level else "", deeper > level
        for piece in md.split_items(body, line + start + 1):
            if piece.marker and _says(text := md.visible(piece.text)):
                yield Passage(piece.line, piece.raw, text, path)
                told = True
                continue
            at = piece.line
            for raw in _paragraphs(piece.raw):
                if _says(text := md.visible(raw)):
                    if head and at == line + start + 1:
                        # Prose right below a heading is read with it.
                        text = f"{words}\n{text}".strip()
                        inner = tuple(said for _, said in outer if said)
                        yield Passage(at - 1, head + raw, text, inner)
                    else:
                        yield Passage(at, raw, text, path)
                    told = True
                at += raw.count("\n")
        if head and not told and _says(words):
            yield Passage(line + start, head, words, tuple(s for _, s in outer if s))


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs that belong together; of very long ones, lines."""
    lines = md.split_lines(text)
    hidden = md.hidden_lines(lines)
    start = size = 0
    for n, each in enumerate(lines):
        size += len(each)
        gap = size > ENOUGH and not each.strip()
        if (gap or size > LONGEST) and n + 1 not in hidden:
            yield "".join(lines[start : n + 1])
            start, size = n + 1, 0
    if start < len(lines):
        yield "".join(lines[start:])
