"""Documents cut into passages: Markdown, text, Obsidian notes, OpenClaw logs, PDF."""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from functools import cache
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from reverie import markdown as md
from reverie.dates import find_spans
from reverie.errors import RefusedError, UnavailableError
from reverie.importers import walk
from reverie.model.items import EARLIEST, Finding, Severity, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it import MarkdownIt
    from pypdf import PdfReader


TOGETHER = 1_200
"""Characters up to which short sections stay together, and long ones are cut to."""

LONGEST = 2_000
"""Characters up to which one section stays whole."""

_CODE = (
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\1[`~]*[ \t]*$|(`+)(?!`).+?(?<!`)\2(?!`)"
)
_OBSIDIAN = re.compile(rf"{_CODE}|%%.*?%%", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")


def read_document(source: walk.ImportSource) -> Iterator[walk.Passage | Finding]:
    """Read a document passage by passage.

    The date of a passage is the one the file names at its top, else the one in its
    name, else the one of a heading above it, else the day the file was changed.
    """
    text = yield from walk.text_of(source)
    changed, named = walk.modified(source), day_in_name(source.name)
    if source.kind == "text":
        for line, words in cut(text):
            origin = walk.Provenance(source.kind, source.name, line)
            yield walk.Passage(origin, stem(source.name), words, named or changed)
        return
    if source.kind == "obsidian":
        text = without_remarks(text)
    front = parse_front_matter(text)
    fixed, openclaw = front.at or named, source.kind == "openclaw"
    title = "" if openclaw else front.title
    sections = outline("".join(md.split_lines(text)[front.lines :]), front.lines + 1)
    for piece in find_entries(sections) if openclaw else find_pieces(sections):
        at, path, tags = fixed or piece.day or changed, piece.path, front.tags
        if openclaw:
            at = _moment(piece, at)
            said = parse_day(path[0]) if path else None
            # A heading that only says the day the file has anyway.
            path = path[bool(said and fixed and said.date() == fixed.date()) :]
        elif source.kind == "obsidian":
            tags = tuple(dict.fromkeys([*tags, *find_tags(piece.text)]))
        origin = walk.Provenance(source.kind, source.name, piece.line)
        named_as = titled(title or stem(source.name), path)
        yield walk.Passage(origin, named_as, piece.text, at, tags)


def stem(name: str) -> str:
    """A file's name without folders and ending."""
    return PurePosixPath(name).stem


def titled(title: str, path: Iterable[str]) -> str:
    """A document's title and the headings down to some place in it."""
    words = [word for word in path if word]
    if words and words[0].casefold() == title.casefold():
        words = words[1:]
    return " › ".join([title, *words])  # noqa: RUF001 - the mark is meant


def find_tags(text: str) -> list[str]:
    """The `#tags` inside a text, without those in code."""
    return _TAG.findall(_OBSIDIAN.sub("`", text))


def without_remarks(text: str) -> str:
    """A text without its `%%comments%%`; every line stays the line it was."""
    return _OBSIDIAN.sub(
        lambda m: "\n" * m[0].count("\n") if m[0].startswith("%%") else m[0], text
    )


_IN_NAME = re.compile(
    r"(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?:[-_T ](\d\d)[-_.:]?(\d\d))?(?!\d)"
)
_TIME = re.compile(
    r"\W*(\d{1,2}):(\d\d)(?::(\d\d))?(?!\d)(?:\s*([ap])\.?m\b)?", re.IGNORECASE
)
_EPOCH = datetime(EARLIEST, 1, 1, tzinfo=UTC)


def parse_day(text: str) -> datetime | None:
    """The day a text begins with, such as `2026-02-02` or `Mon, 2 February 2026`."""
    head = re.sub(r"^[\W_]+", "", text[:80])
    first = next(iter(find_spans(head, _EPOCH)), None)
    if not first or first.at[0] or not re.search(r"\d{4}", first.text):
        return None
    with suppress(RefusedError):
        whole = first.end - first.start == timedelta(days=1)
        return walk.without_zone(first.start) if whole else None
    return None


def day_in_name(name: str) -> datetime | None:
    """The day in a file's name, such as `2026-02-02-standup.md`, with its time.

    `2026-01-16-1430.md` is from half past two; what is no time is left aside.
    """
    for match in _IN_NAME.finditer(name.rpartition("/")[2]):
        day = (int(match[1]), int(match[3]), int(match[4]))
        for clock in ((int(match[5] or 0), int(match[6] or 0)), (0, 0)):
            with suppress(ValueError, RefusedError):
                return walk.without_zone(datetime(*day, *clock, tzinfo=UTC))
    return None


def parse_time(text: str) -> time | None:
    """The time a text begins with, such as `14:30` or `**2:30 pm** lunch`."""
    match = _TIME.match(text)
    if not match:
        return None
    hour, half = int(match[1]), (match[4] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    hour = hour % 12 + 12 * (half == "p") if half else hour
    with suppress(ValueError):
        return time(hour, int(match[2]), int(match[3] or 0))
    return None


_ITEM = re.compile(r"\s*-\s+(.*)$")
_LISTED = re.compile(r"\"[^\"]*\"|'[^']*'|[^,\"']+")
_FRONT_LINES = 500
"""What is never closed before is no front matter but a rule and a text."""


class FrontMatter(Struct, frozen=True):
    """What a file says about itself.

    Attributes:
        title: Its own title, or nothing.
        tags: Its tags without `#`, each once.
        at: The moment it names as its date or creation.
        lines: How many lines of the file it takes.
        names: All that it may be linked by besides its file's name.
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    lines: int = 0
    names: tuple[str, ...] = ()


def parse_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a file; an empty one where there is none."""
    some = md.split_lines(text[: _FRONT_LINES << 10])[:_FRONT_LINES]
    lines = [line.rstrip() for line in some]
    ends = (n for n, line in enumerate(lines) if n and line in {"---", "..."})
    end = next(ends, 0)
    if not end or lines[0] != "---":
        return FrontMatter()
    fields = _fields(lines[1:end])

    def said(*keys: str) -> list[str]:
        return [value for key in keys for value in fields.get(key, ())]

    tags = re.split(r"[,\s]+", " ".join(said("tags", "tag")))
    dates = said("date", "created", "created_at", "created at", "date created")
    moments = (walk.parse_moment(text) or parse_day(text) for text in dates)
    return FrontMatter(
        title=md.one_line(" ".join(said("title"))),
        tags=tuple(dict.fromkeys(w.lstrip("#") for w in tags if w.strip("#"))),
        at=next(filter(None, moments), None),
        lines=end + 1,
        names=tuple(said("title", "name", "alias", "aliases", "permalink")),
    )


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """Values by key; what is nested deeper than a list is left aside."""
    fields: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        before, colon, after = line.partition(":")
        if (item := _ITEM.match(line)) and key:
            fields[key].append(_unquoted(item[1]))
        elif colon and before[:1].isalpha() and (not after or after[0].isspace()):
            key, value = before.strip().casefold(), after.strip()
            listed = value.startswith("[") and value.endswith("]")
            if listed and not value.startswith("[["):
                values = map(_unquoted, _LISTED.findall(value[1:-1]))
            else:
                values = map(_unquoted, [value])
            fields.setdefault(key, []).extend(filter(None, values))
    return fields


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


class HeadedPart(NamedTuple):
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


@cache
def block_reader() -> MarkdownIt:
    """A reader of the blocks of Markdown, which is loaded when there is some."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - takes a moment

    return MarkdownIt("commonmark").enable("table").disable("inline")


def outline(text: str, first_line: int = 1) -> list[HeadedPart]:
    """Cut a Markdown text at its headings; code and comments have none."""
    lines = md.split_lines(text)
    # A fence or comment that is never closed must not swallow what stands below it.
    never = {start for start, end in md.enclosures(lines) if start == end}
    seen = (f"\\{line}" if n in never else line for n, line in enumerate(lines))
    heads = [(0, 0, 0, "")]
    for token, inside in pairwise(block_reader().parse("".join(seen))):
        place = token.map or (0, 0)
        # Several lines above a rule are rather a paragraph.
        if token.type == "heading_open" and not token.level and place[1] - place[0] < 3:
            words = md.one_line(inside.content)
            heads.append((*place, int(token.tag[1]), words))
    parts: list[HeadedPart] = []
    above: list[tuple[int, str]] = []
    for (start, end, level, words), after in pairwise([*heads, (len(lines), 0, 0, "")]):
        above = [h for h in above if h[0] < level] + [(level, words)] * bool(level)
        path = tuple(said for _, said in above)
        heading, body = "".join(lines[start:end]), "".join(lines[end : after[0]])
        day = next(filter(None, map(parse_day, reversed(path))), None)
        bare = not body.strip() and (after[2] > level or not level)
        stands = (first_line + start, heading, body, first_line + end)
        parts.append(HeadedPart(path, level, *stands, day, bare))
    return parts


class DocumentPiece(NamedTuple):
    """A part of a document: its headings, first line, words, and a heading's day."""

    path: tuple[str, ...]
    line: int
    text: str
    day: datetime | None = None


def find_pieces(sections: Iterable[HeadedPart]) -> list[DocumentPiece]:
    """Join what is short and belongs together, cut what is long."""
    groups: list[list[HeadedPart]] = []
    size = 0
    for section in sections:
        size += len(section.raw)
        # A later section that stands under the same heading as the first one.
        first = groups[-1][0] if groups else section
        above = first.path[:-1]
        beside = section.path[: len(above)] == above and section.day == first.day
        if groups and beside and size <= TOGETHER:
            groups[-1].append(section)
        else:
            groups.append([section])
            size = len(section.raw)
    return [piece for group in groups for piece in _pieces(group)]


def _pieces(group: list[HeadedPart]) -> Iterator[DocumentPiece]:
    # Without empty headings that its title will say, or that end it.
    while group and group[-1].bare:
        group = group[:-1]
    while group and group[0].bare:
        path = group[0].path
        if any(section.path[: len(path)] != path for section in group):
            break
        group = group[1:]
    if len(group) == 1:
        yield from _whole(group[0], group[0].body)
    elif group:
        steps = zip(*(section.path for section in group), strict=False)
        shared = tuple(s[0] for s in takewhile(lambda step: len({*step}) == 1, steps))
        if sum(section.path == shared for section in group) > 1:
            shared = shared[:-1]
        parts = (s.raw if len(s.path) > len(shared) else s.body for s in group)
        text = "\n\n".join(filter(None, map(tidied, parts)))
        yield DocumentPiece(shared, group[0].line, text, group[0].day)


def _whole(first: HeadedPart, body: str) -> Iterator[DocumentPiece]:
    """One section, or its parts where it is long; its heading where it is empty."""
    if len(body) > LONGEST:
        for line, text in cut(body, first.body_line):
            yield DocumentPiece(first.path, line, text, first.day)
    elif text := tidied(body) or (first.path[-1] if first.path else ""):
        yield DocumentPiece(first.path, first.line, text, first.day)


def find_entries(sections: Iterable[HeadedPart]) -> Iterator[DocumentPiece]:
    """The entries of an OpenClaw log.

    An entry is a `##` section with all below it, or a list item that stands under
    no such section.
    """
    groups: list[list[HeadedPart]] = []
    for section in sections:
        if not groups or section.level <= 2:
            groups.append([])
        groups[-1].append(section)
    for first, *deeper in groups:
        body = first.body + "".join(section.raw for section in deeper)
        if first.level == 2:
            yield from _whole(first, body)
            continue
        for item in md.split_items(body, first.body_line):
            short = item.marker and len(item.text) <= LONGEST
            found = [(item.line, item.text)] if short else cut(item.raw, item.line)
            for line, text in found:
                if text:
                    yield DocumentPiece(first.path, line, text, first.day)


_SESSION = re.compile(r"Session:\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)")


def _moment(piece: DocumentPiece, day: datetime | None) -> datetime | None:
    """The day of an entry with its own time."""
    if not day:
        return None
    clock = parse_time(piece.path[-1] if piece.path else "") or parse_time(piece.text)
    if clock:
        return datetime.combine(day.date(), clock, walk.NOWHERE)
    session = _SESSION.match(piece.path[0]) if piece.path else None
    return (walk.parse_moment(f"{session[1]}T{session[2]}") if session else None) or day


def tidied(text: str) -> str:
    """A text without blank lines at its edges; the first line keeps its indent."""
    return text.strip("\n").rstrip() if text.strip() else ""


_PARTS = re.compile(
    rf".{{1,{TOGETHER}}}(?<=\. )|.{{1,{TOGETHER}}}(?:(?<=\s)|$)|.{{1,{TOGETHER}}}",
    re.DOTALL,
)
"""A long line in parts that end at a sentence, a word, or somewhere."""


def cut(text: str, line: int = 1) -> list[tuple[int, str]]:
    """Cut a text at paragraph borders into pieces, each with its line number.

    A paragraph that is too long itself is cut at its lines, a line at its words;
    a code fence is never cut.
    """
    lines = md.split_lines(text)
    hidden = md.hidden_lines(lines)
    after_gap = (n for n in range(len(lines)) if not n or not lines[n - 1].strip())
    starts = [n for n in after_gap if n not in hidden]
    units: list[tuple[int, str]] = []
    for start, end in pairwise([*starts, len(lines)]):
        whole = "".join(lines[start:end])
        if len(whole) <= LONGEST:
            units.append((start, whole))
            continue
        for n in range(start, end):
            if n in hidden:
                units[-1] = (units[-1][0], units[-1][1] + lines[n])
            elif n + 1 in hidden or len(lines[n]) <= LONGEST:
                units.append((n, lines[n]))
            else:
                units += ((n, part) for part in _PARTS.findall(lines[n]))
    pieces: list[tuple[int, str]] = []
    for n, unit in units:
        if pieces and len(pieces[-1][1]) + len(unit) <= TOGETHER:
            pieces[-1] = (pieces[-1][0], pieces[-1][1] + unit)
        elif unit.strip():
            pieces.append((line + n, unit))
    return [(n, tidied(piece)) for n, piece in pieces]


# --- PDF ---------------------------------------------------------------------


_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:-|\u2010)[ \t]*\n[ \t]*(?=[^\W\d_A-Z])")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\n[ \t]*)?")
_BREAK = "\n\f\n"
"""Between two pages."""

_SPOILT = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(AssertionError, RuntimeError, OSError, EOFError, zlib.error, struct.error),
)
"""What pypdf lets through, besides its own errors, when a file is not as it should."""


class PdfSupportMissingError(UnavailableError):
    """PDFs cannot be read because `pypdf` is not installed."""

    says = "PDFs cannot be read: pypdf is not installed"
    mend = "pip install 'reverie[pdf]'"


def read_pdf(source: walk.ImportSource) -> Iterator[walk.Passage | Finding]:
    """Read a PDF, one passage a page.

    Raises:
        PdfSupportMissingError: There is no `pypdf`.
    """
    try:
        from pypdf import PdfReader, errors  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise PdfSupportMissingError from error
    # Its remarks on files that are slightly off would go to the terminal.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    spoilt = (errors.PyPdfError, RefusedError, *_SPOILT)
    with walk.opened(source) as stream:
        data = stream.read(walk.size_limit(source.kind))
    try:
        yield from _read(source, PdfReader(io.BytesIO(data)), spoilt)
    except (errors.FileNotDecryptedError, errors.DependencyError):
        what, mend = "is locked with a password", "Save a copy without and import that."
        yield Finding(source.name, 0, what, mend, Severity.WARNING)
    except spoilt as error:
        what = f"cannot be read as a PDF ({type(error).__name__})"
        mend = "Open it and save it as a new PDF, then import that."
        yield Finding(source.name, 0, what, mend)


def _read(
    source: walk.ImportSource, reader: PdfReader, spoilt: tuple[type[Exception], ...]
) -> Iterator[walk.Passage | Finding]:
    at = day_in_name(source.name) or _created(reader, spoilt) or walk.modified(source)
    count, pages = len(reader.pages), dict[int, str]()
    for number in range(1, count + 1):
        try:
            pages[number] = joined(reader.pages[number - 1].extract_text())
        except spoilt as error:
            what = f"page {number} cannot be read ({type(error).__name__})"
            mend = "Leave it; all other pages were read."
            yield Finding(source.name, number, what, mend, Severity.WARNING)
    if not any(pages.values()):
        what = f"has no text on its {count} pages; it may be scanned"
        mend = "Have its text recognised first, for example with ocrmypdf."
        yield Finding(source.name, 0, what, mend, Severity.WARNING)
    # A secret may go on overleaf.
    clean = yield from walk.without_secrets_of(
        source, _BREAK.join(pages.values()), "\f"
    )
    for number, text in zip(pages, clean.split(_BREAK), strict=True):
        if text.strip():
            title = titled(stem(source.name), [f"page {number}"])
            origin = walk.Provenance(source.kind, source.name, number)
            yield walk.Passage(origin, title, text.strip(), at)


def joined(text: str) -> str:
    """A page's text, with words that were cut at the end of a line made whole."""
    return _HYPHEN.sub("", _SOFT_HYPHEN.sub("", walk.plain(text))).strip()


def _created(reader: PdfReader, spoilt: tuple[type[Exception], ...]) -> datetime | None:
    try:
        at = reader.metadata.creation_date if reader.metadata else None
        return in_utc(at) if at and at.tzinfo else None
    except spoilt:
        return None
