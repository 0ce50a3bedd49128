"""Markdown and plain text: front matter, sections under headings, pieces, dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.dates import find_spans
from reverie.errors import RefusedError
from reverie.importers.walk import Passage, Provenance, modified, parse_moment, text_of
from reverie.markdown import hidden_lines, one_line, split_lines
from reverie.model.items import EARLIEST, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.importers.walk import ImportSource
    from reverie.model.items import Finding


_BETWEEN = " › "  # noqa: RUF001 - the mark is meant


def read_markdown(source: ImportSource) -> Iterator[Passage | Finding]:
    """Read a Markdown file section by section."""
    text = yield from text_of(source)
    yield from markdown_passages(source, text, modified(source))


def markdown_passages(
    source: ImportSource, text: str, changed: datetime | None
) -> Iterator[Passage]:
    """The passages of a Markdown text.

    Their date is the one the file names at its top, else the one in its name, else
    the one of a heading above them, else the day the file was changed.
    """
    front = parse_front_matter(text)
    body = "".join(split_lines(text)[front.lines :])
    fixed = front.at or day_in_name(source.name)
    title = front.title or stem(source.name)
    for piece in find_pieces(outline(body, front.lines + 1)):
        yield Passage(
            Provenance(source.kind, source.name, piece.line),
            titled(title, piece.path),
            piece.text,
            fixed or piece.day or changed,
            front.tags,
        )


def read_text(source: ImportSource) -> Iterator[Passage | Finding]:
    """Read a plain text some paragraphs at a time."""
    text = yield from text_of(source)
    at = day_in_name(source.name) or modified(source)
    for line, words in cut(text):
        origin = Provenance(source.kind, source.name, line)
        yield Passage(origin, stem(source.name), words, at)


def stem(name: str) -> str:
    """A file's name without folders and ending."""
    return PurePosixPath(name).stem


def titled(title: str, path: Iterable[str]) -> str:
    """A document's title and the headings down to some place in it."""
    words = [word for word in path if word]
    if words and words[0].casefold() == title.casefold():
        words = words[1:]
    return _BETWEEN.join([title, *words])


_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>\d{4})(?P<gap>[-_.]?)(?P<month>\d\d)(?P=gap)(?P<day>\d\d)"
    r"(?:[-_T ](?P<hour>\d\d)[-_.:]?(?P<minute>\d\d))?(?!\d)"
)
_TIME = re.compile(
    r"[^\w]*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?!\d)"
    r"(?:\s*(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_HEADING = 80
"""So many characters of a text are looked at for the day it begins with."""

_BULLETS = re.compile(r"^[\W_]+")
_YEAR = re.compile(r"\d{4}")
_EPOCH = datetime(EARLIEST, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


def parse_day(text: str) -> datetime | None:
    """The day a text begins with, such as `2026-02-02` or `Mon, 2 February 2026`."""
    head = _BULLETS.sub("", text[:_HEADING])
    first = next(iter(find_spans(head, _EPOCH)), None)
    if not first or first.at[0] or not _YEAR.search(first.text):
        return None
    try:
        return in_utc(first.start) if first.end - first.start == _DAY else None
    except RefusedError:
        return None


def day_in_name(name: str) -> datetime | None:
    """The day in a file's name, such as `2026-02-02-standup.md`, with its time.

    `2026-01-16-1430.md` is from half past two; what is no time is left aside.
    """
    for match in _IN_NAME.finditer(name.rpartition("/")[2]):
        day = _midnight(match)
        if day:
            clock = _clock(match["hour"], match["minute"])
            return at_time(day, clock) if clock else day
    return None


def parse_time(text: str) -> time | None:
    """The time a text begins with, such as `14:30` or `**2:30 pm** lunch`."""
    match = _TIME.match(text)
    if not match:
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return _clock(str(hour), match["minute"], match["second"])


def at_time(day: datetime, clock: time) -> datetime:
    """That time on that day."""
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(
        hours=clock.hour, minutes=clock.minute, seconds=clock.second
    )


def _clock(
    hour: str | None, minute: str | None, second: str | None = None
) -> time | None:
    if hour is None or minute is None:
        return None
    try:
        return time(int(hour), int(minute), int(second or 0))
    except ValueError:
        return None


def _midnight(match: re.Match[str]) -> datetime | None:
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    try:
        return in_utc(datetime(year, month, day, tzinfo=UTC))
    except (ValueError, RefusedError):
        return None


_ITEM = re.compile(r"\s*-\s+(?P<value>.*)$")
_LISTED = re.compile(r"\"[^\"]*\"|'[^']*'|[^,\"']+")
_DATES = ("date", "created", "created_at", "created at", "date created")
_NAMES = ("title", "name", "alias", "aliases", "permalink")
_LONGEST = 500
"""Lines; what is never closed before is no front matter but a rule and a text."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
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
    lines = [line.rstrip() for line in split_lines(text[: _LONGEST << 10])[:_LONGEST]]
    if not lines or lines[0] != "---":
        return FrontMatter()
    end = next((n for n, line in enumerate(lines) if n and line in {"---", "..."}), 0)
    if not end:
        return FrontMatter()
    fields = _fields(lines[1:end])
    listed = " ".join([*fields.get("tags", ()), *fields.get("tag", ())])
    tags = re.split(r"[,\s]+", listed)
    said = (" ".join(fields.get(key, ())) for key in _DATES)
    dates = (parse_moment(text) or parse_day(text) for text in said)
    return FrontMatter(
        title=one_line(" ".join(fields.get("title", ()))),
        tags=tuple(dict.fromkeys(w.lstrip("#") for w in tags if w.strip("#"))),
        at=next((at for at in dates if at), None),
        lines=end + 1,
        names=tuple(value for key in _NAMES for value in fields.get(key, ())),
    )


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """Values by key; what is nested deeper than a list is left aside."""
    fields: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        item = _ITEM.match(line)
        before, colon, after = line.partition(":")
        if item and key:
            fields[key].append(_unquoted(item["value"]))
        elif colon and before[:1].isalpha() and (not after or after[0].isspace()):
            key = before.strip().casefold()
            fields.setdefault(key, []).extend(_values(after))
    return fields


def _values(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        parts = map(_unquoted, _LISTED.findall(text[1:-1]))
        return [part for part in parts if part]
    return [_unquoted(text)] if text else []


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


_MARKS = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_PROSE = re.compile(r" {0,3}[^\s#>|`~<*+=-]")


@dataclass(frozen=True, slots=True)
class HeadedPart:
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


def outline(text: str, first_line: int = 1) -> list[HeadedPart]:
    """Cut a Markdown text at its headings; code and comments have none."""
    lines = split_lines(text)
    nothing = _Heading(0, 0, 0, "")
    end = _Heading(len(lines), len(lines), 0, "")
    heads = [nothing, *_headings(lines), end]
    sections: list[HeadedPart] = []
    above: list[_Heading] = []
    for head, following in pairwise(heads):
        above = [h for h in above if h.level < head.level] + [head] * bool(head.level)
        path = tuple(h.words for h in above)
        days = (parse_day(words) for words in reversed(path))
        body = "".join(lines[head.end : following.start])
        sections.append(
            HeadedPart(
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


TOGETHER = 1_200
"""Characters up to which short sections stay together, and long ones are cut to."""

LONGEST = 2_000
"""Characters up to which one section stays whole."""


@dataclass(frozen=True, slots=True)
class DocumentPiece:
    """A part of a document.

    Attributes:
        path: The headings it stands under, outermost first.
        line: Line number of its first line, counted from 1.
        text: Its words, never empty.
        day: The day a heading gives it.
    """

    path: tuple[str, ...]
    line: int
    text: str
    day: datetime | None = None


def find_pieces(sections: Iterable[HeadedPart]) -> list[DocumentPiece]:
    """Join what is short and belongs together, cut what is long."""
    return [piece for group in _groups(sections) for piece in _pieces(group)]


def _groups(sections: Iterable[HeadedPart]) -> Iterator[list[HeadedPart]]:
    group: list[HeadedPart] = []
    size = 0
    for section in sections:
        size += len(section.raw)
        # A later section that stands under the same heading as the first one.
        above = group[0].path[:-1] if group else ()
        beside = section.path[: len(above)] == above
        same = beside and bool(group) and section.day == group[0].day
        if group and not (size <= TOGETHER and same):
            yield group
            group, size = [], len(section.raw)
        group.append(section)
    if group:
        yield group


def _pieces(group: list[HeadedPart]) -> Iterator[DocumentPiece]:
    # Without empty headings that its title will say, or that end it.
    while group and group[-1].bare:
        group = group[:-1]
    while group and group[0].bare and _above_all(group):
        group = group[1:]
    if not group:
        return
    first = group[0]
    if len(group) > 1:
        yield _joined(group)
    elif len(first.body) > LONGEST:
        for line, text in cut(first.body, first.body_line):
            yield DocumentPiece(first.path, line, text, first.day)
    else:
        text = tidied(first.body) or first.path[-1]
        if text:
            yield DocumentPiece(first.path, first.line, text, first.day)


def _above_all(group: list[HeadedPart]) -> bool:
    path = group[0].path
    return all(section.path[: len(path)] == path for section in group)


def _joined(group: list[HeadedPart]) -> DocumentPiece:
    steps = zip(*(section.path for section in group), strict=False)
    shared = tuple(step[0] for step in takewhile(lambda s: len(set(s)) == 1, steps))
    if sum(section.path == shared for section in group) > 1:
        shared = shared[:-1]
    parts = (s.raw if len(s.path) > len(shared) else s.body for s in group)
    text = "\n\n".join(filter(None, map(tidied, parts)))
    return DocumentPiece(shared, group[0].line, text, group[0].day)


def tidied(text: str) -> str:
    """A text without blank lines at its edges; the first line keeps its indent."""
    return text.strip("\n").rstrip() if text.strip() else ""


def cut(text: str, line: int = 1) -> list[tuple[int, str]]:
    """Cut a text at paragraph borders into pieces, each with its line number.

    A paragraph that is too long itself is cut at its lines, a line at its words;
    a code fence is never cut.
    """
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    starts = [
        n
        for n in range(len(lines))
        if n not in hidden and (n == 0 or not lines[n - 1].strip())
    ]
    units = []
    for start, end in pairwise([*starts, len(lines)]):
        units += _units(lines, start, end, hidden)
    return [(line + n, piece) for n, piece in _packed(units) if piece]


def _units(
    lines: Sequence[str], start: int, end: int, hidden: frozenset[int]
) -> list[tuple[int, str]]:
    """A paragraph, or its parts where it is too long."""
    whole = "".join(lines[start:end])
    if len(whole) <= LONGEST:
        return [(start, whole)]
    units: list[tuple[int, str]] = []
    for n in range(start, end):
        if n in hidden and units:
            units[-1] = (units[-1][0], units[-1][1] + lines[n])
        else:
            units.append((n, lines[n]))
    solid = {n for n, _ in units if n + 1 in hidden}
    return [
        (n, part)
        for n, text in units
        for part in ([text] if n in solid else _by_words(text))
    ]


def _by_words(text: str) -> Iterator[str]:
    """One long line in parts that end at a sentence, a word, or somewhere."""
    at = 0
    while len(text) - at > LONGEST:
        stop = at + TOGETHER
        ends = (text.rfind(mark, at, stop) + len(mark) for mark in (". ", " "))
        end = next((n for n in ends if n > at + 1), stop)
        yield text[at:end]
        at = end
    yield text[at:]


def _packed(units: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    start, held, size = 0, [""], 0
    for n, text in units:
        if size and size + len(text) > TOGETHER:
            yield start, tidied("".join(held))
            held, size = [], 0
        if not size and not text.strip():
            continue
        if not size:
            start = n
        held.append(text)
        size += len(text)
    yield start, tidied("".join(held))
