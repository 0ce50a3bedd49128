"""Reading the page of a proposal, as written or as a person left it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from reverie.errors import FormatError, RefusedError
from reverie.markdown import find_conflicts, parse_date, unescape, visible
from reverie.model import origin
from reverie.model.items import Finding, Severity, aware
from reverie.model.origin import Origin
from reverie.model.reflection import (
    Expected,
    Insight,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
    SourceRead,
    Trial,
)
from reverie.reflection.pending import form
from reverie.reflection.pending.splitting import (
    Fields,
    Part,
    Row,
    read_fields,
    read_table,
    split_parts,
    told_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")

_BLOCK = re.compile(r"###(?!#)")
_CHANGE = re.compile(r"###\s+([0-9]{1,9})[.)]\s+([A-Za-z]+)(?:\s(.*))?")
_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class BrokenPendingError(FormatError):
    """The page of a proposal was edited so that it can no longer be read."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        super().__init__(first.path, first.line, first.what + more, hint=first.mend)
        self.findings = tuple(findings)


def parse_pending(text: str, path: str) -> PendingReflection | None:
    """Read the page; None where no proposal waits on it.

    Changes are numbered by their place on the page, whatever numbers they carry.

    Raises:
        BrokenPendingError: Something on it cannot be read.
    """
    pending, found = _read(text, path)
    errors = [each for each in found if each.severity is Severity.ERROR]
    if errors:
        raise BrokenPendingError(errors)
    return pending


def findings(text: str, path: str) -> tuple[Finding, ...]:
    """What is wrong on the page, or worth a look."""
    return _read(text, path)[1]


def _read(text: str, path: str) -> tuple[PendingReflection | None, tuple[Finding, ...]]:
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found = list(find_conflicts(plain, path))
    told, *parts = split_parts(plain)
    if not parts:
        return None, (*found, *_find_loose(plain, path))
    last = plain.count("\n") + 1
    found += _find_sections(parts, path, last)
    # Of two of a name the longer one tells more about what else is wrong.
    named = {part.name: part for part in sorted(parts, key=lambda part: len(part.rows))}
    essay, changes, _, refused, read, trials, record = (
        named.get(name, Part(name, last)) for name in form.SECTIONS
    )
    entry = _record(record, path, found)
    pending = PendingReflection(
        entry.value(form.NUMBER, _count, 0),
        entry.value(form.MADE, _moment, _UNKNOWN),
        entry.value(form.PRESENTATION, _presentation, Presentation.SUMMARY),
        told_in(told),
        _sound(_changes(changes, path), found),
        Insight(*map(entry.fields.text, form.INSIGHT_FIELDS)),
        entry.fields.texts(form.ELEMENT),
        _sound(read_table(read, path, form.SOURCES, _source), found),
        _sound(read_table(refused, path, form.REFUSED, _refused), found),
        _sound(read_table(trials, path, form.TRIALS, _trial), found),
        entry.fields.texts(form.QUESTION),
        entry.value(form.GRANTED, _count, 0),
        entry.value(form.USED, _count, 0),
        entry.value(form.INPUT, _count, 0),
        entry.maybe(form.READ_UNTIL, _moment),
        entry.fields.text(form.MILESTONE),
        told_in(essay),
    )
    return pending, tuple(sorted(found))


def _find_loose(text: str, path: str) -> Iterator[Finding]:
    """Words on a page that holds no proposal."""
    words = visible(text)
    if words and ("\n" in words or not words.startswith("# ")):
        what = "there is text here, but no proposal that could be decided on"
        mend = "Put the page back as it was, or empty it."
        yield Finding(path, 1, what, mend, Severity.WARNING)


def _find_sections(parts: Sequence[Part], path: str, last: int) -> Iterator[Finding]:
    seen = set()
    for part in parts:
        if part.name in seen:
            what = f"the section {part.name!r} stands here a second time"
            yield Finding(path, part.line, what, "Keep one of them.")
        seen.add(part.name)
    for name in (form.CHANGES, form.RECORD):
        if name not in seen:
            mend = f"Put the line '## {name}' back, with what stood below it."
            yield Finding(path, last, f"the section {name!r} is missing", mend)


def _sound(read: Iterable[T | Finding], found: list[Finding]) -> tuple[T, ...]:
    """What could be read; the rest is added to what was found."""
    sound: list[T] = []
    for each in read:
        if isinstance(each, Finding):
            found.append(each)
        else:
            sound.append(each)
    return tuple(sound)


# --- changes -------------------------------------------------------------------


def _changes(part: Part, path: str) -> Iterator[Operation | Finding]:
    blocks: list[list[Row]] = [[]]
    for row in part.rows:
        if row.info is None and _BLOCK.match(row.text):
            blocks.append([])
        blocks[-1].append(row)
    for row in blocks[0]:
        if row.info is not None or row.text.strip() not in {"", form.NOTHING}:
            mend = "Give it a heading such as '### 1. FLAG', or delete it."
            yield Finding(path, row.line, "this belongs to no change", mend)
            break
    for place, (title, *rows) in enumerate(blocks[1:], start=1):
        named = _CHANGE.fullmatch(title.text)
        if named is None or named[2].upper() not in set(OperationKind):
            mend = f"Write '### 1. KIND target'; a kind is {', '.join(OperationKind)}."
            yield Finding(path, title.line, "this heading names no change", mend)
            continue
        if int(named[1]) != place:
            what = f"this is change {place} now, although {named[1]} is written here"
            yield Finding(path, title.line, what, severity=Severity.NOTE)
        problem = _problem(title, rows, path)
        yield problem or _operation(named, rows)


def _problem(title: Row, rows: Sequence[Row], path: str) -> Finding | None:
    """What keeps a block from being read."""
    fenced = [row for row in rows if row.info is not None]
    for row in fenced:
        if not row.closed:
            what = "the fence that is opened here is not closed, or has another inside"
            mend = "Close it, or make it longer than every row of ` inside it."
            return Finding(path, row.line, what, mend)
    texts = [row for row in fenced if row.info != form.DIFF]
    if len(texts) != 1:
        line = texts[1].line if texts else title.line
        what = f"a change has one fenced text, this one has {len(texts)}"
        return Finding(path, line, what, "Mend it, or delete the whole change.")
    below = (row for row in rows[_first_fence(rows) :] if row.info is None)
    stray = [*_said(rows).stray, *(row.line for row in below if row.text.strip())]
    if stray:
        mend = "Put it into the fenced text, or delete it."
        return Finding(path, stray[0], "this line is no part of the change", mend)
    return None


def _first_fence(rows: Sequence[Row]) -> int:
    return next(n for n, row in enumerate(rows) if row.info is not None)


def _said(rows: Sequence[Row]) -> Fields:
    """What a block says above its text."""
    names = (form.WHY, form.CONTEXT, form.WORDS_OF, form.AFTER)
    return read_fields(rows[: _first_fence(rows)], names)


def _operation(named: re.Match[str], rows: Sequence[Row]) -> Operation:
    said = _said(rows)
    content = next(row.text for row in rows if row.info not in {None, form.DIFF})
    return Operation(
        OperationKind(named[2].upper()),
        unescape((named[3] or "").strip()),
        content,
        said.text(form.WHY),
        said.text(form.CONTEXT),
        origin.named(said.text(form.WORDS_OF) or Origin.AGENT),
    )


# --- the record ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Record:
    """The fields of the record; what cannot be read is added to what was found."""

    path: str
    line: int
    fields: Fields
    found: list[Finding]

    def value(self, name: str, read: Callable[[str], T | None], default: T) -> T:
        """What a field says; it must be there."""
        value = read(self.fields.text(name))
        if value is None:
            line = self.fields.line(name) or self.line
            what = f"the record does not say {name!r} in a form that can be read"
            mend = f"Write it as '- **{name}**: …', as it was before."
            self.found.append(Finding(self.path, line, what, mend))
            return default
        return value

    def maybe(self, name: str, read: Callable[[str], T | None]) -> T | None:
        """What a field says that need not be there."""
        return self.value(name, read, None) if self.fields.text(name) else None


def _record(part: Part, path: str, found: list[Finding]) -> _Record:
    once = (
        *(form.NUMBER, form.MADE, form.PRESENTATION, form.MILESTONE),
        *form.INSIGHT_FIELDS,
        *(form.GRANTED, form.USED, form.INPUT, form.READ_UNTIL),
    )
    fields = read_fields(part.rows, once, (form.ELEMENT, form.QUESTION))
    for line in fields.stray:
        what = "this line of the record is not read"
        mend = "Write it as '- **Name**: value', or delete it."
        found.append(Finding(path, line, what, mend, Severity.WARNING))
    return _Record(path, part.line, fields, found)


def _count(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if re.fullmatch("[0-9]{1,18}", digits) else None


def _rank(text: str) -> int | None:
    return 0 if text == form.NOT_FOUND else _count(text)


def _moment(text: str) -> datetime | None:
    try:
        return aware(datetime.fromisoformat(text)).astimezone(UTC)
    except (ValueError, OverflowError, RefusedError):
        return None


def _presentation(text: str) -> Presentation | None:
    return Presentation(text) if text in set(Presentation) else None


# --- rows of tables ------------------------------------------------------------


def _refused(cells: Sequence[str]) -> Refused:
    return Refused(*cells)


def _source(cells: Sequence[str]) -> SourceRead | None:
    name, *counts, why = cells
    read, tokens, budget, left_out = map(_count, counts)
    if read is None or tokens is None or budget is None or left_out is None:
        return None
    return SourceRead(name, read, tokens, budget, left_out, why)


def _trial(cells: Sequence[str]) -> Trial | None:
    question, answer, since, source, *ranks = cells[:6]
    day = parse_date(since)
    before, after = map(_rank, ranks)
    if before is None or after is None or (since and day is None):
        return None
    return Trial(Expected(question, answer, day, source), before, after)
