"""`evolution.md` in its parts: our sections, the entries, and what a person added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.markdown import Piece, ended, split_items, split_lines, split_sections
from reverie.reflection.record.headings import heading_number, is_entry, spaced
from reverie.reflection.record.wording import folded, parse_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TITLE = "Philosophical Evolution"
OVERVIEW = "Overview"
THREADS = "Active Threads"
PATTERNS = "Confirmed Patterns"
ASSUMPTIONS = "Revised Assumptions"
QUESTIONS = "Open Questions"
RECENT = "Recent Reflections"
LISTS = (THREADS, PATTERNS, ASSUMPTIONS, QUESTIONS)
SECTIONS = (OVERVIEW, *LISTS, RECENT)
ENTRY = "entry"
OTHER = ""
_NAMES = {name.casefold(): name for name in SECTIONS}
_ORDER = (*SECTIONS, ENTRY)


@dataclass(frozen=True, slots=True)
class Part:
    """One section.

    Attributes:
        name: One of `SECTIONS`, `ENTRY`, or `OTHER` for what a person added.
        head: Its heading line as it stands there; empty above the first one.
        pieces: What stands below, cut into list items where the section is a list.
        number: Of an entry, which reflection it is of.
    """

    name: str
    head: str
    pieces: tuple[Piece, ...]
    number: int = 0

    @property
    def raw(self) -> str:
        """Its very text."""
        return self.head + "".join(piece.raw for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class EvolutionPage:
    """The file in its parts; they join to its very text.

    Attributes:
        parts: All sections; the first is what stands above them.
        newline: How lines end in this file.
    """

    parts: tuple[Part, ...]
    newline: str = "\n"

    @property
    def text(self) -> str:
        """The text of the file."""
        return "".join(part.raw for part in self.parts)

    def named(self, name: str) -> tuple[Part, ...]:
        """The sections of a name; more than one where a person wrote it twice."""
        return tuple(part for part in self.parts if part.name == name)

    def items(self, name: str) -> tuple[Piece, ...]:
        """The list items of a section."""
        found = (part.pieces for part in self.named(name))
        return tuple(piece for pieces in found for piece in pieces if piece.marker)


def parse_evolution(text: str) -> EvolutionPage:
    """Read the file, whatever is in it."""
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    sections = split_sections(text or f"# {TITLE}\n", lambda words: bool(_name(words)))
    parts = []
    for section in sections:
        name = _name(section.heading or "")
        number = heading_number(section.heading) if name == ENTRY else 0
        head = "" if section.heading is None else split_lines(section.raw)[0]
        body = section.raw[len(head) :]
        is_list = name in LISTS or name == OVERVIEW
        pieces = split_items(body) if is_list else (Piece(0, body),)
        parts.append(Part(name, head, pieces, number))
    return EvolutionPage(tuple(parts), newline)


def _name(words: str) -> str:
    return ENTRY if is_entry(words) else _NAMES.get(words.casefold(), OTHER)


def words_of(piece: Piece) -> str:
    """What a list item says."""
    return parse_words(piece.text)


def with_body(page: EvolutionPage, name: str, body: str) -> EvolutionPage:
    """A page whose first section of a name has this body."""
    page = with_section(page, name)
    first = page.named(name)[0]
    fresh = replace(first, pieces=split_items(_native(page, body)))
    return _replaced(page, {id(first): fresh})


def with_item(page: EvolutionPage, name: str, line: str) -> EvolutionPage:
    """A page with one more item, below the others; the line must be escaped already."""
    marker = "1. " if name == THREADS else "- "
    fresh = Piece(0, _native(page, f"{marker}{line}\n"), marker)
    return _below(with_section(page, name), name, [fresh])


def moved_last(
    page: EvolutionPage, name: str, moved: Callable[[Piece], bool]
) -> EvolutionPage:
    """A page with some items of a list below the others of it."""
    found = [replace(p, raw=ended(p.raw)) for p in page.items(name) if moved(p)]
    return _below(without(page, name, moved), name, found) if found else page


def _below(page: EvolutionPage, name: str, fresh: Sequence[Piece]) -> EvolutionPage:
    last = page.named(name)[-1]
    end = len(last.pieces)
    while end and not last.pieces[end - 1].raw.strip():
        end -= 1
    before = [replace(piece, raw=ended(piece.raw)) for piece in last.pieces[:end]]
    pieces = (*before, *fresh, *last.pieces[end:])
    part = replace(last, head=ended(last.head), pieces=pieces)
    return numbered(_replaced(page, {id(last): part}))


def without(
    page: EvolutionPage, name: str, gone: Callable[[Piece], bool]
) -> EvolutionPage:
    """A page without some pieces of the sections of a name."""
    fresh = {
        id(part): replace(part, pieces=_joined(p for p in part.pieces if not gone(p)))
        for part in page.named(name)
    }
    return numbered(_replaced(page, fresh))


def squeezed(page: EvolutionPage) -> EvolutionPage:
    """A page without more than one blank line in a row between its items."""
    fresh = {
        id(part): replace(part, pieces=tuple(_squeezed(page, p) for p in part.pieces))
        for name in (OVERVIEW, *LISTS, RECENT)
        for part in page.named(name)
    }
    return _replaced(page, fresh)


def _squeezed(page: EvolutionPage, piece: Piece) -> Piece:
    blank = piece.raw and not piece.raw.strip()
    return replace(piece, raw=page.newline) if blank else piece


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces without blank lines that only an item between them had kept apart."""
    kept: list[Piece] = []
    for piece in pieces:
        blank = not piece.raw.strip()
        if not (blank and kept and not kept[-1].raw.strip()):
            kept.append(piece)
    return tuple(kept)


def without_parts(page: EvolutionPage, gone: Callable[[Part], bool]) -> EvolutionPage:
    """A page without some of its sections."""
    return replace(page, parts=tuple(part for part in page.parts if not gone(part)))


def with_entry(page: EvolutionPage, number: int, raw: str) -> EvolutionPage:
    """A page with one more entry, below the others."""
    page = with_section(page, RECENT)
    ours = [n for n, part in enumerate(page.parts) if part.name in {RECENT, ENTRY}]
    head, *body = split_lines(_native(page, raw))
    fresh = Part(ENTRY, head, (Piece(0, "".join(body)),), number)
    return _inserted(page, ours[-1] + 1, fresh)


def with_section(page: EvolutionPage, name: str) -> EvolutionPage:
    """A page that has a section, before those that come later in the order."""
    if page.named(name):
        return page
    later = _ORDER[_ORDER.index(name) + 1 :]
    places = (n for n, part in enumerate(page.parts) if part.name in later)
    place = next(places, len(page.parts))
    head = _native(page, f"## {name}\n")
    return _inserted(page, place, Part(name, head, ()))


def _inserted(page: EvolutionPage, place: int, fresh: Part) -> EvolutionPage:
    """A page with one more part at a place, a blank line before and after it."""
    before, after = page.parts[:place], page.parts[place:]
    last = before[-1]
    gap = spaced(last.raw)[len(last.raw) :] if last.raw else ""
    last = replace(last, pieces=(*last.pieces, Piece(0, gap))) if gap else last
    if after and fresh.raw.strip():
        fresh = replace(fresh, pieces=(*fresh.pieces, Piece(0, page.newline)))
    return replace(page, parts=(*before[:-1], last, fresh, *after))


def numbered(page: EvolutionPage) -> EvolutionPage:
    """A page whose threads are counted from 1."""
    count = 0
    fresh = {}
    for part in page.named(THREADS):
        pieces = []
        for piece in part.pieces:
            if piece.marker:
                count += 1
                marker = f"{count}. "
                raw = marker + piece.raw[len(piece.marker) :]
                pieces.append(Piece(piece.line, raw, marker))
            else:
                pieces.append(piece)
        fresh[id(part)] = replace(part, pieces=tuple(pieces))
    return _replaced(page, fresh)


def same_words(words: str) -> Callable[[Piece], bool]:
    """Whether an item says the same, but for case and punctuation."""
    wanted = folded(words)
    return lambda piece: bool(piece.marker) and folded(words_of(piece)) == wanted


def _replaced(page: EvolutionPage, fresh: dict[int, Part]) -> EvolutionPage:
    """A page with other parts in place of some, which are told apart by identity."""
    return replace(page, parts=tuple(fresh.get(id(p), p) for p in page.parts))


def _native(page: EvolutionPage, text: str) -> str:
    return text.replace("\n", page.newline)
