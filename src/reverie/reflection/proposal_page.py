"""`pending-reflection.md`: a proposal as the page that its human reads and edits.

What is told comes first, then one block for each change, then the record. The page
is all there is of a proposal, so it is read again as exactly as it was written.

A heading of ours ends what stands above it wherever it is found, except inside the
fenced text of a change. So `render_pending` puts a backslash before whatever else
could be read as one, and gives all fences of a page one length that nothing inside
them has: a closing fence that went missing is noticed and swallows no change.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from reverie.encoding.text import mended
from reverie.errors import FormatError, RefusedError
from reverie.markdown import (
    escape,
    find_conflicts,
    heading,
    one_line,
    parse_date,
    parse_row,
    render_item,
    render_row,
    split_items,
    tidy,
    unescape,
    visible,
)
from reverie.model import origin
from reverie.model.finding import Finding, Severity
from reverie.model.moments import aware
from reverie.model.origin import Origin
from reverie.model.reflection import (
    INSIGHT_LABELS,
    Expected,
    Insight,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
    SourceRead,
    Trial,
    Verdict,
)
from reverie.reflection.summary import REPLY
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )


ESSAY = "State of Understanding"
CHANGES = "Proposed Changes"
LEFT_OUT = "Left Out"
READ = "What Was Read"
TESTS = "Memory Tests"
BOOKS = "Also Written"
RECORD = "Record"
SECTIONS = (ESSAY, CHANGES, BOOKS, LEFT_OUT, READ, TESTS, RECORD)
"""The headings of ours, in the order they are written."""

RULE = "---"
NOTHING = "Nothing would be changed."
DIFF = "diff"
WHY, CONTEXT = "Why", "Context"
WORDS_OF, AFTER = "Made of words of", "Builds on change"
NOT_FOUND = "not found"

REFUSED = ("What", "Why not")
SOURCES = ("Source", "Read", "Tokens", "Budget", "Left out", "Which")
TRIALS = ("Question", "Answer", "Since", "Set by", "Before", "After", "Outcome")

OUTCOMES = {
    Verdict.LOST: "would be lost",
    Verdict.HARDER: "would be harder to find",
    Verdict.MISSING: "cannot be answered before either",
    Verdict.SAME: "as easy to find as before",
    Verdict.EASIER: "would be easier to find",
}
"""How each verdict reads, the worst first."""

INSIGHT_FIELDS = tuple(INSIGHT_LABELS.values())
"""What the fields of an insight are called, in the order it has them."""

ELEMENT, QUESTION = "Element", "Question"
NUMBER, MADE, PRESENTATION, MILESTONE = "Number", "Made", "Presentation", "Milestone"
GRANTED, USED, INPUT = "Granted tokens", "Used tokens", "Input tokens"
READ_UNTIL = "Read until"

_FOLDED = {name.casefold(): name for name in SECTIONS}


def section_of(line: str) -> str:
    """Which heading of ours a line is; empty if none."""
    return _FOLDED.get((heading(line) or "").casefold(), "")


_WORST_FIRST = tuple(OUTCOMES)


def storable_pending(pending: PendingReflection) -> PendingReflection:
    """The proposal as a page keeps it; what differs from the one given is this.

    Line ends are line feeds. What no person would see (control characters, marks
    that reorder text, halves of characters) is shown as U+FFFD. Texts have no blanks
    at their edges, except those of changes. Targets, elements, the milestone and all
    that goes into a table are one line; empty elements and questions are dropped.
    Moments are in UTC. Memory tests stand worst first.
    """
    return replace(
        pending,
        made=aware(pending.made).astimezone(UTC),
        told=_text(pending.told),
        operations=tuple(map(_storable_operation, pending.operations)),
        insight=Insight(*map(_text, astuple(pending.insight))),
        elements=tuple(filter(None, map(_line, pending.elements))),
        read=tuple(
            replace(each, name=_line(each.name), why=_line(each.why))
            for each in pending.read
        ),
        refused=tuple(
            Refused(_line(each.what), _line(each.why)) for each in pending.refused
        ),
        trials=_worst_first(map(_storable_trial, pending.trials)),
        questions=tuple(filter(None, map(_text, pending.questions))),
        read_until=pending.read_until and aware(pending.read_until).astimezone(UTC),
        milestone=_line(pending.milestone),
        essay=_text(pending.essay),
    )


def _storable_operation(operation: Operation) -> Operation:
    return Operation(
        operation.kind,
        _line(operation.target),
        shown(operation.content),
        _text(operation.reason),
        _text(operation.context),
        operation.origin,
    )


def _storable_trial(trial: Trial) -> Trial:
    asked = trial.expected
    question, answer, source = map(_line, (asked.question, asked.answer, asked.source))
    expected = Expected(question, answer, asked.since, source)
    return replace(trial, expected=expected)


def _worst_first(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    return tuple(sorted(trials, key=lambda each: _WORST_FIRST.index(each.verdict)))


def shown(text: str) -> str:
    """A text as a person sees it, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    # A letter at each end keeps the blanks at the edges.
    return mended(f"x{plain}x")[1:-1]


def _text(text: str) -> str:
    return tidy(shown(text))


def _line(text: str) -> str:
    return one_line(shown(text))


T = TypeVar("T")

_OPENING = re.compile(r"(`{3,})([^`]*)")
_FIELD = re.compile(r"\*\*([A-Za-z ]+)\*\*:")
_BELOW_HEADER = re.compile(r"[|\-: \t]+")


@dataclass(frozen=True, slots=True)
class Row:
    """A line, or a whole fenced text.

    Attributes:
        line: Line number counted from 1.
        text: What it says, a fenced text without its fences.
        info: What a fence calls its text; None for a line.
        closed: Whether a fence ends where it should.
    """

    line: int
    text: str
    info: str | None = None
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of ours and what stands below it; the first part has no name."""

    name: str
    line: int
    rows: list[Row] = field(default_factory=list)


def split_parts(text: str) -> Iterator[Part]:
    """Cut a page at our headings; only in the changes a fence can hide one."""
    part = Part("", 1)
    lines = iter(enumerate(text.split("\n"), start=1))
    for number, line in lines:
        opening = _OPENING.fullmatch(line) if part.name == CHANGES else None
        if name := section_of(line):
            yield part
            part = Part(name, number)
        elif opening:
            part.rows.append(_fenced(number, opening, lines))
        else:
            part.rows.append(Row(number, line))
    yield part


def _fenced(
    start: int, opening: re.Match[str], lines: Iterator[tuple[int, str]]
) -> Row:
    """What stands in a fence, down to where it is closed."""
    size, info = len(opening[1]), opening[2].strip()
    inside: list[str] = []
    closed = True
    for _, line in lines:
        mark = line.rstrip()
        if len(mark) >= size and not mark.strip("`"):
            return Row(start, "\n".join(inside), info, closed)
        # We never write one inside another: the end of this one has gone missing.
        found = _OPENING.fullmatch(line)
        closed = closed and not (found and len(found[1]) >= size)
        inside.append(line)
    return Row(start, "\n".join(inside), info, closed=False)


def diffs_on(page: str) -> dict[int, str]:
    """What each change of a page would do to files, by its number."""
    found: dict[int, str] = {}
    number = 0
    for part in split_parts(page.removeprefix("\ufeff").replace("\r\n", "\n")):
        for each in part.rows if part.name == CHANGES else ():
            if each.info is None and each.text.startswith("### "):
                number += 1
            elif each.info == DIFF:
                found[number] = each.text
    return found


def told_in(part: Part) -> str:
    """What a part tells, without the rule below it."""
    lines = [row.text for row in part.rows]
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[-1].strip() == RULE:
        lines.pop()
    return visible("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines of the form `- **Name**: value`.

    Attributes:
        values: Line and value by lower-case name.
        stray: Lines of all that is none, or stands there again.
    """

    values: Mapping[str, Sequence[tuple[int, str]]]
    stray: Sequence[int]

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a name."""
        found = self.values.get(name.casefold(), ())
        return tuple(value for _, value in found if value)

    def text(self, name: str) -> str:
        """The value of a name; empty where there is none."""
        return next(iter(self.texts(name)), "")

    def line(self, name: str) -> int:
        """Where a name stands; 0 where it does not."""
        return next((line for line, _ in self.values.get(name.casefold(), ())), 0)


def read_fields(
    rows: Sequence[Row], once: Collection[str], often: Collection[str] = ()
) -> Fields:
    """The fields among some lines: names that stand there once, and often."""
    single, several = {n.casefold() for n in once}, {n.casefold() for n in often}
    values: dict[str, list[tuple[int, str]]] = {}
    stray: list[int] = []
    body = "\n".join(row.text for row in rows)
    for piece in split_items(body, rows[0].line if rows else 1):
        named = _FIELD.match(piece.text) if piece.marker else None
        name = named[1].casefold() if named else ""
        if named and (name in several or name in single - values.keys()):
            value = piece.line, visible(piece.text[named.end() :])
            values.setdefault(name, []).append(value)
        elif visible(piece.raw) not in {"", REPLY}:
            blanks = piece.raw[: len(piece.raw) - len(piece.raw.lstrip())]
            stray.append(piece.line + blanks.count("\n"))
    return Fields(values, stray)


def read_table(
    part: Part,
    path: str,
    header: Sequence[str],
    read: Callable[[Sequence[str]], T | None],
) -> Iterator[T | Finding]:
    """What the rows of a part's table say; what is no row is only for the eye."""
    table = [row for row in part.rows if row.text.startswith("|")]
    if table and not _headed(table, header):
        mend = f"Put it back: {render_row(header).strip()}, and a row of dashes."
        yield Finding(path, table[0].line, "the table has lost its first rows", mend)
        return
    for row in table[2:]:
        cells = parse_row(row.text)
        value = read(cells) if len(cells) == len(header) else None
        if value is None:
            mend = "Write it as the other rows are, or delete it."
            yield Finding(path, row.line, "this row cannot be read", mend)
        else:
            yield value


def _headed(table: Sequence[Row], header: Sequence[str]) -> bool:
    first, *rest = table
    below = rest[0].text if rest else "|"
    return parse_row(first.text) == tuple(header) and bool(
        _BELOW_HEADER.fullmatch(below)
    )


_RELAXED = re.compile(r"\\##(?!\S)")


def render_pending(
    pending: PendingReflection,
    diffs: Mapping[int, str],
    after: Mapping[int, Sequence[int]] | None = None,
) -> str:
    """Write the page of a proposal.

    Args:
        pending: The proposal; see `storable_pending` for what is kept of it.
        diffs: What each change would do, by its number; only for the eye.
        after: The numbers of the changes without which one cannot be made.
    """
    kept = storable_pending(pending)
    seen = {number: shown(diff).strip("\n") for number, diff in diffs.items()}
    fence = _fence([*(each.content for each in kept.operations), *seen.values()])
    changes = [
        _render_change(
            number, each, seen.get(number, ""), fence, (after or {}).get(number, ())
        )
        for number, each in enumerate(kept.operations, start=1)
    ]
    parts = [
        _escape_told(kept.told),
        *_section(ESSAY, _escape_told(kept.essay), rule=True),
        *_section(CHANGES, *(changes or [NOTHING]), rule=True),
        *_section(BOOKS, _books(kept)),
        *_section(LEFT_OUT, _table(REFUSED, map(_refused_row, kept.refused))),
        *_section(READ, _table(SOURCES, map(_source_row, kept.read))),
        *_section(TESTS, _tally(kept.trials), _trials(kept.trials)),
        *_section(RECORD, _render_record(kept)),
        REPLY,
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(name: str, *bodies: str, rule: bool = False) -> tuple[str, ...]:
    """A heading and what stands below it; nothing where there is nothing to say."""
    if not any(bodies):
        return ()
    return (
        RULE if rule else "",
        f"## {name}",
        *(body.rstrip("\n") for body in bodies),
    )


def _fence(texts: Iterable[str]) -> str:
    """A fence longer than any row of its marks in these texts."""
    runs = (len(run) for text in texts for run in re.findall("`+", text))
    return "`" * max(3, max(runs, default=0) + 1)


def _escape_told(text: str) -> str:
    """What is told keeps its own headings; only ours are escaped."""
    lines = escape(text).split("\n")
    return "\n".join(
        line[1:] if _RELAXED.match(line) and not section_of(line[1:]) else line
        for line in lines
    )


def _render_change(
    number: int, operation: Operation, diff: str, fence: str, after: Sequence[int]
) -> str:
    title = f"### {number}. {operation.kind} {escape(operation.target, fences=False)}"
    said = [
        (WHY, operation.reason),
        (CONTEXT, operation.context),
        (WORDS_OF, "" if operation.origin is Origin.AGENT else operation.origin),
        (AFTER, ", ".join(map(str, after))),
    ]
    parts = [
        title.rstrip(),
        _render_fields(said).rstrip("\n"),
        f"{fence}markdown\n{operation.content}\n{fence}",
        f"{fence}{DIFF}\n{diff}\n{fence}" if diff else "",
    ]
    return "\n\n".join(filter(None, parts))


_LOG = (
    "an entry of its number, day, decision and counts; what changes you approve say of "
    "insight and self-awareness, and nothing of those you do not"
)


def _books(kept: PendingReflection) -> str:
    """Which files are written besides: records of the decision itself."""
    day = kept.made.date().isoformat()
    lines = [
        "Besides the changes you approve, only records of the decision are written:",
        "",
        f"- {layout.PENDING_REFLECTION}: emptied",
        f"- {layout.REFLECTION_LOG}: {_LOG}",
        f"- {layout.SCORES}: when it was, what it cost, fingerprints of what was not "
        "accepted",
        f"- {layout.REFLECTIONS}/ (such as {day}.md, if you approve anything): what is "
        "told above, and your decision",
        f"- {layout.EXPECTATIONS} (if you correct a fact): the question it answers",
        f"- {layout.GRAPH_INDEX}: made anew from the pages",
    ]
    return "\n".join(lines)


def _render_fields(fields: Iterable[tuple[str, str]]) -> str:
    # Behind its name a value opens no fence, and below it none is needed.
    return "".join(
        render_item(f"**{key}**: {escape(value, fences=False)}")
        for key, value in fields
        if value
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(map(render_row, rows))
    return render_row(header) + f"{'| --- ' * len(header)}|\n" + body if body else ""


def _refused_row(each: Refused) -> Sequence[str]:
    return each.what, each.why


def _source_row(each: SourceRead) -> Sequence[str]:
    counts = each.read, each.tokens, each.budget, each.left_out
    return each.name, *(f"{count:,}" for count in counts), each.why


def _trials(trials: Iterable[Trial]) -> str:
    return _table(TRIALS, map(_trial_row, trials))


def _trial_row(trial: Trial) -> Sequence[str]:
    asked = trial.expected
    since = asked.since.isoformat() if asked.since else ""
    ranks = (f"{rank:,}" if rank else NOT_FOUND for rank in (trial.before, trial.after))
    outcome = OUTCOMES[trial.verdict]
    return asked.question, asked.answer, since, asked.source, *ranks, outcome


def _tally(trials: Sequence[Trial]) -> str:
    if not trials:
        return ""
    counts = Counter(trial.verdict for trial in trials)
    lost, harder = counts[Verdict.LOST], counts[Verdict.HARDER]
    rest = len(trials) - lost - harder
    return f"Would be lost: {lost}. Harder to find: {harder}. No worse: {rest}."


def _render_record(kept: PendingReflection) -> str:
    return _render_fields(
        [
            (NUMBER, str(kept.number)),
            (MADE, _stamp(kept.made)),
            (PRESENTATION, kept.presentation),
            (MILESTONE, kept.milestone),
            *zip(INSIGHT_FIELDS, astuple(kept.insight), strict=True),
            *((ELEMENT, each) for each in kept.elements),
            *((QUESTION, each) for each in kept.questions),
            (GRANTED, f"{kept.grant:,}"),
            (USED, f"{kept.used:,}"),
            (INPUT, f"{kept.input_tokens:,}"),
            (READ_UNTIL, _stamp(kept.read_until) if kept.read_until else ""),
        ]
    )


def _stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


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
        named.get(name, Part(name, last)) for name in SECTIONS
    )
    entry = _record(record, path, found)
    pending = PendingReflection(
        entry.value(NUMBER, _count, 0),
        entry.value(MADE, _moment, _UNKNOWN),
        entry.value(PRESENTATION, _presentation, Presentation.SUMMARY),
        told_in(told),
        _sound(_changes(changes, path), found),
        Insight(*map(entry.fields.text, INSIGHT_FIELDS)),
        entry.fields.texts(ELEMENT),
        _sound(read_table(read, path, SOURCES, _source), found),
        _sound(read_table(refused, path, REFUSED, _refused), found),
        _sound(read_table(trials, path, TRIALS, _trial), found),
        entry.fields.texts(QUESTION),
        entry.value(GRANTED, _count, 0),
        entry.value(USED, _count, 0),
        entry.value(INPUT, _count, 0),
        entry.maybe(READ_UNTIL, _moment),
        entry.fields.text(MILESTONE),
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
    for name in (CHANGES, RECORD):
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
        if row.info is not None or row.text.strip() not in {"", NOTHING}:
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
    texts = [row for row in fenced if row.info != DIFF]
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
    names = (WHY, CONTEXT, WORDS_OF, AFTER)
    return read_fields(rows[: _first_fence(rows)], names)


def _operation(named: re.Match[str], rows: Sequence[Row]) -> Operation:
    said = _said(rows)
    content = next(row.text for row in rows if row.info not in {None, DIFF})
    return Operation(
        OperationKind(named[2].upper()),
        unescape((named[3] or "").strip()),
        content,
        said.text(WHY),
        said.text(CONTEXT),
        origin.named(said.text(WORDS_OF) or Origin.AGENT),
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
        *(NUMBER, MADE, PRESENTATION, MILESTONE),
        *INSIGHT_FIELDS,
        *(GRANTED, USED, INPUT, READ_UNTIL),
    )
    fields = read_fields(part.rows, once, (ELEMENT, QUESTION))
    for line in fields.stray:
        what = "this line of the record is not read"
        mend = "Write it as '- **Name**: value', or delete it."
        found.append(Finding(path, line, what, mend, Severity.WARNING))
    return _Record(path, part.line, fields, found)


def _count(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if re.fullmatch("[0-9]{1,18}", digits) else None


def _rank(text: str) -> int | None:
    return 0 if text == NOT_FOUND else _count(text)


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
