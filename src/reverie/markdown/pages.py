"""Pages: a title, comments with fields below it, then sections the format knows.

Edits here change the text where they must and read it again, so that all the rest
stays as it was typed and line numbers stay right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from reverie.markdown.escapes import visible
from reverie.markdown.fields import (
    render_fields,
    split_comment,
    split_fields,
    unescape_field,
)
from reverie.markdown.lines import ended, newlines_like, split_lines
from reverie.markdown.sections import Piece, Section, split_items, split_sections
from reverie.model.finding import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Field:
    """One `Key: value` of a header comment.

    Attributes:
        raw: The value as it stands there, escaped.
        line: Line number counted from 1.
    """

    raw: str
    line: int

    @property
    def value(self) -> str:
        """The value as it is meant."""
        return unescape_field(self.raw)


@dataclass(frozen=True, slots=True)
class Page:
    """A file in its parts; they join to its very text.

    Attributes:
        path: Path inside the workspace.
        order: The headings the format knows, in the order they are written.
        opening: What stands above the first section.
        sections: All sections, also those the format does not know.
        fields: What the header comments say, by lower-case key.
    """

    path: str
    order: tuple[str, ...]
    opening: Section
    sections: tuple[Section, ...]
    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def title(self) -> str | None:
        """The words of the title; None where there is none."""
        return parse_title(self.opening.raw)

    def value(self, key: str) -> str:
        """What a header field says; empty where there is none."""
        found = self.fields.get(key.casefold())
        return found.value if found else ""

    def raw(self, key: str) -> str:
        """What a header field says, still escaped."""
        found = self.fields.get(key.casefold())
        return found.raw if found else ""

    def day(self, key: str) -> date | None:
        """The day a header field names; None where it names none."""
        return parse_date(self.value(key))

    def named(self, heading: str) -> tuple[Section, ...]:
        """The sections of a name; more than one where a person wrote it twice."""
        wanted = _folded(heading)
        return tuple(s for s in self.sections if _folded(s.heading) == wanted)

    def pieces(self, heading: str) -> tuple[Piece, ...]:
        """List items and what stands between them, in the sections of a name."""
        found = (split_items(s.body, s.body_line) for s in self.named(heading))
        return tuple(piece for pieces in found for piece in pieces)

    def items(self, heading: str) -> tuple[Piece, ...]:
        """The list items in the sections of a name; empty ones do not count."""
        return tuple(p for p in self.pieces(heading) if p.marker and p.text)

    def words(self, heading: str) -> str:
        """What a reader sees in the sections of a name."""
        return visible("\n\n".join(s.body for s in self.named(heading)))


def _folded(heading: str | None) -> str:
    return (heading or "").casefold()


def parse_date(text: str) -> date | None:
    """Read `2026-02-02`; None for anything else."""
    if not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def parse_title(text: str) -> str | None:
    """The words of a `# ` line, if that is the first line with anything on it."""
    first = text.lstrip("\ufeff").lstrip().partition("\n")[0]
    return first[2:].strip() if first.startswith("# ") else None


def parse_page(text: str, path: str, order: tuple[str, ...]) -> Page:
    """Read any text as a page whose known headings are these."""
    known = frozenset(map(_folded, order))
    opening, *sections = split_sections(text, lambda words: _folded(words) in known)
    fields: dict[str, Field] = {}
    for line, (key, value) in _header(opening.raw):
        fields.setdefault(key.strip().casefold(), Field(value.strip(), line))
    return Page(path, order, opening, tuple(sections), fields)


def _header(opening: str) -> Iterable[tuple[int, tuple[str, str]]]:
    for number, line in enumerate(split_lines(opening), start=1):
        before, inside = split_comment(line.strip())
        if inside is None or before:
            continue
        for part in split_fields(inside):
            key, colon, value = part.partition(":")
            if colon:
                yield number, (key, value)


def render_page(page: Page) -> str:
    """Give back the text a page was read from."""
    return page.opening.raw + "".join(section.raw for section in page.sections)


def render_header(fields: Iterable[tuple[str, str]]) -> str:
    """Write a header comment; values must be escaped already."""
    return f"<!-- {render_fields(fields)} -->\n"


def with_lines(page: Page, line: int, old: str, new: str) -> Page:
    """A page in which the text that stands at a line is another one."""
    lines = split_lines(render_page(page))
    before, after = lines[: line - 1], lines[line - 1 + len(split_lines(old)) :]
    fresh = newlines_like(page.opening.raw or old, new)
    if not after and not old.endswith("\n"):
        fresh = fresh.removesuffix("\n").removesuffix("\r")
    return parse_page("".join([*before, fresh, *after]), page.path, page.order)


def with_item(page: Page, heading: str, item: str) -> Page:
    """A page with one more list item, below all else in its section."""
    sections = page.named(heading)
    if not sections:
        return _with_section(page, heading, item)
    last = sections[-1]
    lines = split_lines(last.raw)
    end = len(lines)
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    text = ended("".join(lines[:end])) + newlines_like(last.raw, item)
    fresh = replace(last, raw=text + "".join(lines[end:]))
    parts = tuple(fresh if s == last else s for s in page.sections)
    return parse_page(render_page(replace(page, sections=parts)), page.path, page.order)


def _with_section(page: Page, heading: str, body: str) -> Page:
    """A page with a new section, before those that come later in the order."""
    later = {_folded(h) for h in page.order[page.order.index(heading) + 1 :]}
    places = (n for n, s in enumerate(page.sections) if _folded(s.heading) in later)
    place = next(places, len(page.sections))
    before = page.opening.raw + "".join(s.raw for s in page.sections[:place])
    after = "".join(s.raw for s in page.sections[place:])
    start = ended(before)
    if start and split_lines(start)[-1].strip():
        start += newlines_like(start, "\n")
    fresh = newlines_like(start, f"## {heading}\n{body}" + ("\n" if after else ""))
    return parse_page(start + fresh + after, page.path, page.order)


def with_field(page: Page, key: str, value: str, *, beside: str) -> Page:
    """A page whose header says this; a new field goes where `beside` is, or alone.

    The value must be escaped already.
    """
    lines = split_lines(page.opening.raw)
    place = page.fields.get(key.casefold()) or page.fields.get(beside.casefold())
    if place is None:
        return _with_header(page, render_header([(key, value)]))
    old = lines[place.line - 1]
    _, inside = split_comment(old.strip())
    parts = [part.strip() for part in split_fields(inside or "")]
    keys = [part.partition(":")[0].strip().casefold() for part in parts]
    fresh = f"{key}: {value}"
    if key.casefold() in keys:
        parts[keys.index(key.casefold())] = fresh
    else:
        parts.append(fresh)
    return with_lines(page, place.line, old, f"<!-- {' | '.join(parts)} -->\n")


def _with_header(page: Page, header: str) -> Page:
    """A page with one more header comment, below those it has or below its title."""
    lines = split_lines(page.opening.raw)
    at = max((f.line for f in page.fields.values()), default=0)
    lead = ""
    if not at and page.title is not None:
        at = next(n for n, line in enumerate(lines, 1) if line.strip())
        lead = "\n"
    before = ended("".join(lines[:at]))
    fresh = newlines_like(before or page.opening.raw, lead + header)
    rest = "".join(lines[at:]) + "".join(s.raw for s in page.sections)
    return parse_page(before + fresh + rest, page.path, page.order)


def find_days(page: Page, keys: Iterable[str]) -> tuple[Finding, ...]:
    """Header fields that should name a day and do not."""
    found = ((key, page.fields.get(key.casefold())) for key in keys)
    return tuple(
        Finding(
            page.path,
            place.line,
            f"{key} is not a day: {place.value!r}",
            "Write it as YYYY-MM-DD.",
            Severity.WARNING,
        )
        for key, place in found
        if place and place.value and parse_date(place.value) is None
    )
