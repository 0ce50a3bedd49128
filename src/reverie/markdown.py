"""Markdown as plain text: sections, lists, comments and tables, nothing lost."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.model.items import Finding, Severity, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reverie.model.items import Entry


_FENCE = re.compile(r" *(`{3,}|~{3,})(.*)")
_CONFLICT = re.compile(r"(?:<{7}|>{7})(?!\S)")


def split_lines(text: str) -> list[str]:
    """Cut a text after each line feed; the lines join to the text again."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def tidy(text: str) -> str:
    """A text without blanks at its edges and with plain line ends."""
    return "\n".join(line.rstrip("\r") for line in text.split("\n")).strip()


def one_line(text: str) -> str:
    """A text with every run of white space made one blank."""
    return " ".join(text.split())


def headline(text: str, length: int = 80) -> str:
    """The first line of a text, cut to fit where a short name is shown."""
    first = one_line(text.partition("\n")[0])
    return first if len(first) <= length else f"{first[: length - 1].rstrip()}…"


def newlines_like(sample: str, text: str) -> str:
    """Give a new text the line ends of the file it goes into."""
    windows = sample.partition("\n")[0].endswith("\r")
    return re.sub(r"(?<!\r)\n", "\r\n", text) if windows else text


def ended(text: str) -> str:
    """A text whose last line is closed; an empty one stays empty."""
    if not text or text.endswith("\n"):
        return text
    return text + newlines_like(text, "\n")


def hidden_lines(lines: Sequence[str]) -> frozenset[int]:
    """Which lines, counted from 0, a fence or comment above them encloses.

    One that is never closed encloses nothing, so it cannot swallow a file.
    """
    # Most lines open nothing, which is seen at a glance.
    may = [line for line in lines if "```" in line or "~~~" in line or "<!--" in line]
    if not any(map(_opening, may)):
        return frozenset()
    spans = enclosures(lines)
    return frozenset(n for start, end in spans for n in range(start + 1, end + 1))


def _opening(line: str) -> str:
    """The least mark that closes what this line opens; nothing if it opens none."""
    fence = _FENCE.match(line)
    if fence and not (fence[1][0] == "`" and "`" in fence[2]):
        return fence[1]
    start = line.rfind("<!--")
    return "-->" if start >= 0 and "-->" not in line[start:] else ""


def _closing(line: str) -> str:
    """The mark by which this line could close something; nothing if it could not."""
    mark = line.strip(" \t\r\n")
    if mark[:3] in {"```", "~~~"} and not mark.strip(mark[0]):
        return mark
    # A line with a whole comment of its own does not end one from above.
    end = line.find("-->")
    return "-->" if end >= 0 and "<!--" not in line[:end] else ""


def enclosures(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line of all that is opened; the same line if never closed."""
    closing = [_closing(line) for line in lines]
    # What nothing below closes is not looked for again: a million of them stay linear.
    never: dict[str, str] = {}
    at = 0
    while at < len(lines):
        start, mark = at, _opening(lines[at])
        if mark and not mark.startswith(never.get(mark[0], "\n")):
            below = range(at + 1, len(lines))
            at = next((n for n in below if closing[n].startswith(mark)), at)
            if at == start:
                never[mark[0]] = mark
        if mark:
            yield start, at
        at += 1


def find_conflicts(text: str, path: str) -> tuple[Finding, ...]:
    """Marks that an unfinished merge left behind."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return ()
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    return tuple(
        Finding(path, n + 1, "merge conflict mark", "Keep one side, remove the marks.")
        for n, line in enumerate(lines)
        if n not in hidden and _CONFLICT.match(line)
    )


_STRUCTURE = re.compile(r"( *)(\\*)(?:```|~~~)|\\*(?:##(?!\S)|<{7}|>{7})")
_ESCAPED = re.compile(
    r"^( *)\\(?=\\*(?:```|~~~))|^\\(?=\\*(?:##(?!\S)|<{7}|>{7}))", re.MULTILINE
)


def escape(text: str, *, item: bool = False, fences: bool = True) -> str:
    """Write a text so that nothing in it reads as structure.

    Args:
        text: Any text; white space at its edges is dropped.
        item: Whether it goes into a list item, whose first line opens no fence.
        fences: Whether closed code fences may stay fences.
    """
    lines = re.sub(r"<(\\*)!--", r"<\\\1!--", tidy(text)).split("\n")
    skip = int(item) if fences else len(lines)
    spans = enclosures(lines[skip:])
    loose = {*range(skip), *(start + skip for start, end in spans if start == end)}
    for n, line in enumerate(lines):
        found = _STRUCTURE.match(line)
        if found and (found[1] is None or found[2] or n in loose):
            at = found.end(1) if found[1] else 0
            lines[n] = f"{line[:at]}\\{line[at:]}"
    return "\n".join(lines)


def unescape(text: str) -> str:
    """Read what `escape` wrote."""
    return re.sub(r"<\\(\\*)!--", r"<\1!--", _ESCAPED.sub(r"\1", text))


def quoted(text: str) -> str:
    """A text as a quotation: a mark in front of every line."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def unquoted(text: str) -> str:
    """Read what `quoted` wrote; what is not marked on every line stays as it is."""
    lines = without_comments(text).split("\n")
    if not all(line.startswith(">") for line in lines if line.strip()):
        return text
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)


def without_comments(text: str) -> str:
    """A text without its HTML comments; one that is never closed stays."""
    # Below the last end nothing is looked for: a million open ones stay linear.
    end = text.rfind("-->") + 3
    closed = re.sub(r"<!(?=--).*?-->", "", text[:end], flags=re.DOTALL)
    return closed + text[end:] if end > 2 else text


def visible(text: str) -> str:
    """What a reader sees of a written text: no comments, no escapes."""
    return unescape(tidy(without_comments(text)))


def escape_field(text: str, also: str = "") -> str:
    r"""Write a value so that it stays one field: `|` becomes `\|`, and so on."""
    line = re.sub(f"[\\\\|{re.escape(also)}]", r"\\\g<0>", one_line(text))
    return line.replace("-->", r"--\>").replace("<!--", r"<\!--")


def unescape_field(text: str) -> str:
    """Read what `escape_field` wrote."""
    return re.sub(r"\\([\\|,\]>!])", r"\1", text.strip())


def split_fields(text: str, separator: str = "|") -> list[str]:
    """Cut at each separator that has no backslash; the fields stay escaped."""
    fields, start = [], 0
    for found in re.finditer(rf"\\.|{re.escape(separator)}", text, re.DOTALL):
        if found[0] == separator:
            fields.append(text[start : found.start()])
            start = found.end()
    return [*fields, text[start:]]


@lru_cache(maxsize=4_096)
def parse_fields(text: str) -> tuple[tuple[str, str], ...]:
    """Read `Key: value | Key: value`."""
    pairs = (field.partition(":") for field in split_fields(text))
    return tuple((key.strip(), unescape_field(value)) for key, _, value in pairs)


def render_fields(fields: Iterable[tuple[str, object]]) -> str:
    """Write `Key: value | Key: value`, without fields that say nothing.

    A day is written as it is read, and a list with commas.
    """
    said = []
    for key, value in fields:
        if isinstance(value, date):
            said.append(f"{key}: {value.isoformat()}")
        elif isinstance(value, tuple) and value:
            names = ", ".join(escape_field(name, ",") for name in value)
            said.append(f"{key}: {names}")
        elif value:
            said.append(f"{key}: {escape_field(str(value))}")
    return " | ".join(said)


def split_comment(text: str) -> tuple[str, str | None]:
    """Take the comment off the end of a text: what is before it, what is inside."""
    start = text.rfind("<!--")
    inside = text[start + 4 : -3]
    whole = start >= 0 and len(text) >= start + 7 and text.endswith("-->")
    if not whole or "-->" in inside:
        return text, None
    return text[:start].rstrip(), inside.strip()


def parse_row(line: str) -> tuple[str, ...]:
    """The cells of a table row; none if the line is no row."""
    cells = split_fields(line.strip())
    if len(cells) < 3 or cells[0].strip() or cells[-1].strip():
        return ()
    return tuple(unescape_field(cell) for cell in cells[1:-1])


def render_row(cells: Iterable[str]) -> str:
    """Write a table row."""
    return f"| {' | '.join(escape_field(cell) for cell in cells)} |\n"


_HEADING = re.compile(r"##(?!\S)")
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")


class Section(Struct, frozen=True):
    """A level-two heading and what stands below it.

    Attributes:
        heading: Its words; None for what stands above the first heading.
        line: Line number counted from 1.
        raw: The very text, heading line and all.
    """

    heading: str | None
    line: int
    raw: str

    @property
    def body(self) -> str:
        """What stands below the heading line."""
        return self.raw if self.heading is None else self.raw.partition("\n")[2]

    @property
    def body_line(self) -> int:
        """Line number of the first line of the body."""
        return self.line if self.heading is None else self.line + 1


def heading(line: str) -> str | None:
    """The words of a level-two heading; None if the line is none."""
    return line[2:].strip() if _HEADING.match(line) else None


def split_sections(text: str, known: Callable[[str], bool]) -> tuple[Section, ...]:
    """Cut a text at its level-two headings; the first part is above them all.

    A heading that is `known` always counts; any other only outside code fences
    and comments.
    """
    lines = split_lines(text)
    heads = {
        n: words for n, line in enumerate(lines) if (words := heading(line)) is not None
    }
    sure = [n for n, words in heads.items() if known(words)]
    cuts = set(heads)
    for start, end in pairwise([0, *sure, len(lines)]):
        cuts -= {start + n for n in hidden_lines(lines[start:end])}
    cuts |= set(sure)
    bounds = [*sorted(cuts), len(lines)]
    opening = Section(None, 1, "".join(lines[: bounds[0]]))
    return opening, *(
        Section(heads[start], start + 1, "".join(lines[start:end]))
        for start, end in pairwise(bounds)
    )


class Piece(Struct, frozen=True):
    """A list item with its continuation lines, or what stands between items.

    Attributes:
        line: Line number counted from 1.
        raw: The very text.
        marker: `- `, `1. ` or the like; empty for what is no list item.
    """

    line: int
    raw: str
    marker: str = ""

    @property
    def text(self) -> str:
        """The words without marker and indentation, still escaped."""
        width = len(self.marker)
        if "\n" not in self.raw[:-1]:
            return self.raw[width:].strip()
        lines = "\n".join(line.rstrip("\r") for line in self.raw.split("\n"))
        return re.sub(rf"\n(?:\t| {{0,{width}}})", "\n", lines[width:]).strip()


def split_items(body: str, line: int = 1) -> tuple[Piece, ...]:
    """Cut a section's body into list items and the text between them."""
    lines = split_lines(body)
    hidden = hidden_lines(lines)
    # Where each piece begins, and its marker; blank lines end an item's piece.
    starts: list[tuple[int, str]] = []
    blank = -1
    for n, text in enumerate(lines):
        marker = starts[-1][1] if starts else ""
        if n in hidden or (marker and text.startswith(("  ", "\t")) and text.strip()):
            blank = -1
            continue
        if marker and not text.strip():
            blank = n if blank < 0 else blank
            continue
        found = _MARKER.match(text.rstrip("\r\n"))
        if blank >= 0:
            starts.append((blank, ""))
            blank = -1
        if found or marker or not starts:
            starts.append((n, found[0] if found else ""))
    if blank >= 0:
        starts.append((blank, ""))
    return tuple(
        Piece(line + n, "".join(lines[n:end]), marker)
        for (n, marker), (end, _) in pairwise([*starts, (len(lines), "")])
    )


def render_item(text: str, marker: str = "- ") -> str:
    """Write an escaped text as a list item; `Piece.text` reads it back."""
    first, *rest = text.split("\n")
    indent = " " * len(marker)
    lines = [marker + first, *(indent + line if line else "" for line in rest)]
    return "\n".join(lines) + "\n"


def bullet(text: str, marker: str = "- ") -> str:
    """Write any text as a list item."""
    return render_item(escape(text, item=True), marker)


class Field(Struct, frozen=True):
    """One `Key: value` of a header comment: escaped as it stands there, its line."""

    raw: str
    line: int

    @property
    def value(self) -> str:
        """The value as it is meant."""
        return unescape_field(self.raw)


def stem(path: str) -> str:
    """The name of a file, without its folder and ending."""
    return path.rpartition("/")[2].removesuffix(".md")


class Page(Struct, frozen=True):
    """A file in its parts.

    Attributes:
        path: Path inside the workspace.
        order: The headings the format knows, in the order they are written.
        text: The file as it is written.
        opening: What stands above the first section.
        sections: All sections, also those the format does not know.
        fields: What the header comments say, by lower-case key.
    """

    path: str
    order: tuple[str, ...]
    text: str
    opening: Section
    sections: tuple[Section, ...]
    fields: Mapping[str, Field]

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        return stem(self.path)

    @property
    def title(self) -> str | None:
        """The words of the title; None where there is none."""
        return parse_title(self.opening.raw)

    def value(self, key: str) -> str:
        """What a header field says; empty where there is none."""
        found = self.fields.get(key.casefold())
        return found.value if found else ""

    def day(self, key: str) -> date | None:
        """The day a header field names; None where it names none."""
        return parse_date(self.value(key))

    @property
    def source(self) -> Source | None:
        """How the page came about, if its header says that."""
        said = self.value("Source")
        return Source(said) if said in frozenset(Source) else None

    @property
    def pinned(self) -> bool:
        """Whether its header says that it is pinned."""
        return self.value("Pinned").casefold() == "yes"

    @property
    def accesses(self) -> int:
        """How often its header says that it was of use; 0 where it does not."""
        said = self.value("Access count")
        return int(said) if re.fullmatch("[0-9]{1,12}", said) else 0

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

    def texts(self, heading: str) -> tuple[str, ...]:
        """What a reader sees of the list items in the sections of a name."""
        return tuple(visible(piece.text) for piece in self.items(heading))

    def words(self, heading: str) -> str:
        """What a reader sees in the sections of a name."""
        return visible("\n\n".join(s.body for s in self.named(heading)))

    @property
    def loose(self) -> tuple[str, ...]:
        """What a reader sees above the sections and in headings of a person's own.

        A title that is only the name of the file says nothing.
        """
        known = {_folded(name) for name in self.order}
        own = (
            s.heading or "" for s in self.sections if _folded(s.heading) not in known
        )
        title = self.title or ""
        named = title.removesuffix(".md") == self.stem
        said = self.opening.raw.lstrip("\ufeff \r\n")
        top = visible(said.partition("\n")[2] if title else said)
        return tuple(filter(None, ("" if named else title, top, *map(visible, own))))

    def warning(self, line: int, what: str, mend: str) -> Finding:
        """Something in the page that should be looked at."""
        return Finding(self.path, line, what, mend, Severity.WARNING)


class StorePage(Struct, frozen=True):
    """A page, read as what a store keeps in such a file.

    Attributes:
        page: Its text in parts.
        entries: The memories in it, in the order written.
        findings: What is wrong in it.
    """

    page: Page
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def path(self) -> str:
        """Path inside the workspace."""
        return self.page.path


def _folded(heading: str | None) -> str:
    return (heading or "").casefold()


def parse_date(text: str) -> date | None:
    """Read `2026-02-02`; None for anything else."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        with suppress(ValueError):
            return date.fromisoformat(text)
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
    for number, line in enumerate(split_lines(opening.raw), start=1):
        before, inside = split_comment(line.strip())
        for part in split_fields("" if before else inside or ""):
            key, colon, value = part.partition(":")
            if colon:
                found = Field(value.strip(), number)
                fields.setdefault(key.strip().casefold(), found)
    return Page(path, order, text, opening, tuple(sections), fields)


def render_page(page: Page) -> str:
    """Give back the text a page was read from."""
    return page.text


def new_page(
    title: str,
    fields: Mapping[str, object],
    bodies: Mapping[str, str | Iterable[str]],
    always: Sequence[str] = (),
) -> str:
    """Write a page.

    Args:
        title: Its title.
        fields: What its header says; what says nothing is left out.
        bodies: By heading a text, or list items that are rendered already. Sections
            that are empty are left out.
        always: Headings that stand there all the same.
    """
    pin = {key: value for key, value in fields.items() if key == "Pinned"}
    own = {key: value for key, value in fields.items() if key not in pin}
    said = (render_fields(each.items()) for each in (own, pin) if each)
    headers = "".join(f"<!-- {each} -->\n" for each in said)
    sections = []
    for name, body in bodies.items():
        text = ended(escape(body) if isinstance(body, str) else "".join(body))
        if text or name in always:
            sections.append(f"## {name}\n{text}")
    return f"# {title}\n\n{headers}\n" + "\n".join(sections)


_LABEL = re.compile(r"\*\*([A-Za-z -]+)(?:\*\*:|:\*\*)(?:\s+|$)")


def label(piece: Piece) -> tuple[str, str]:
    """Read `- **Name**: value`: the name in small letters, the value as it stands."""
    found = _LABEL.match(piece.text) if piece.marker else None
    return (found[1].casefold(), piece.text[found.end() :]) if found else ("", "")


def _spliced(page: Page, at: int, count: int, new: str) -> Page:
    """A page with a new text in the place of some lines, counted from 0."""
    lines = split_lines(page.text)
    after = "".join(lines[at + count :])
    fresh = newlines_like(page.text, new)
    if count and not after and not page.text.endswith("\n"):
        fresh = fresh.removesuffix("\n").removesuffix("\r")
    before = "".join(lines[:at])
    text = (ended(before) if fresh else before) + fresh + after
    return parse_page(text, page.path, page.order)


def with_lines(page: Page, line: int, old: str, new: str) -> Page:
    """A page in which the text that stands at a line is another one."""
    return _spliced(page, line - 1, len(split_lines(old)), new)


def with_item(page: Page, heading: str, item: str) -> Page:
    """A page with one more list item, below all else in its section.

    A section that is missing is made, before those that come later in the order.
    """
    lines = split_lines(page.text)
    if sections := page.named(heading):
        last = sections[-1]
        end = last.line - 1 + len(split_lines(last.raw))
        while end > last.line and not lines[end - 1].strip():
            end -= 1
        return _spliced(page, end, 0, item)
    later = {_folded(h) for h in page.order[page.order.index(heading) + 1 :]}
    places = (s.line - 1 for s in page.sections if _folded(s.heading) in later)
    at = next(places, len(lines))
    lead = "\n" if at and lines[at - 1].strip() else ""
    end_of = "\n" if at < len(lines) else ""
    return _spliced(page, at, 0, f"{lead}## {heading}\n{item}{end_of}")


def with_field(page: Page, key: str, value: str, *, beside: str) -> Page:
    """A page whose header says this; a new field goes where `beside` is, or alone.

    The value must be escaped already.
    """
    lines = split_lines(page.text)
    place = page.fields.get(key.casefold()) or page.fields.get(beside.casefold())
    fresh = f"{key}: {value}"
    if place is None:
        # A header of its own, below those there are or below the title.
        at = max((f.line for f in page.fields.values()), default=0)
        lead = ""
        if not at and page.title is not None:
            at = next(n for n, line in enumerate(lines, 1) if line.strip("\ufeff \r\n"))
            lead = "\n"
        return _spliced(page, at, 0, f"{lead}<!-- {fresh} -->\n")
    _, inside = split_comment(lines[place.line - 1].strip())
    parts = [part.strip() for part in split_fields(inside or "")]
    keys = [part.partition(":")[0].strip().casefold() for part in parts]
    if key.casefold() in keys:
        parts[keys.index(key.casefold())] = fresh
    else:
        parts.append(fresh)
    return _spliced(page, place.line - 1, 1, f"<!-- {' | '.join(parts)} -->\n")


def with_pin(page: Page, *, pinned: bool) -> Page:
    """A page whose header says whether it is pinned."""
    said = "yes" if pinned else "no"
    return with_field(page, "Pinned", said, beside="Decay score")


def is_name(stem: str) -> bool:
    """Whether a memory can be called by the name of its file."""
    return bool(stem) and not any(mark.isspace() for mark in stem)


def read_as(page: Page, name: str) -> Finding:
    """Say by which name the memory in a file of an odd name goes."""
    mend = f"It is read as {name}. Rename it to {name}.md, and it goes by its name."
    return page.warning(0, "the file name cannot be the name of a memory", mend)


def find_in_page(page: Page, days: Iterable[str]) -> Iterator[Finding]:
    """Marks of a merge, and header fields that should name a day and do not."""
    yield from find_conflicts(page.text, page.path)
    for key in days:
        place = page.fields.get(key.casefold())
        if place and place.value and parse_date(place.value) is None:
            what = f"{key} is not a day: {place.value!r}"
            yield page.warning(place.line, what, "Write it as YYYY-MM-DD.")
