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
from reverie.model.items import Finding, Severity, aware
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
from reverie.stores.text import mended
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

T = TypeVar("T")

ESSAY, CHANGES, RECORD = "State of Understanding", "Proposed Changes", "Record"
BOOKS, LEFT_OUT = "Also Written", "Left Out"
READ, TESTS = "What Was Read", "Memory Tests"
SECTIONS = (ESSAY, CHANGES, BOOKS, LEFT_OUT, READ, TESTS, RECORD)
"""The headings of ours, in the order they are written."""

_FOLDED = {name.casefold(): name for name in SECTIONS}
_RULE = "---"
_NOTHING = "Nothing would be changed."
_DIFF = "diff"
_WHY, _CONTEXT = "Why", "Context"
_WORDS_OF, _AFTER = "Made of words of", "Builds on change"
_NOT_FOUND = "not found"
_REFUSED = ("What", "Why not")
_SOURCES = ("Source", "Read", "Tokens", "Budget", "Left out", "Which")
_TRIALS = ("Question", "Answer", "Since", "Set by", "Before", "After", "Outcome")
_OUTCOMES = {
    Verdict.LOST: "would be lost",
    Verdict.HARDER: "would be harder to find",
    Verdict.MISSING: "cannot be answered before either",
    Verdict.SAME: "as easy to find as before",
    Verdict.EASIER: "would be easier to find",
}
"""How each verdict reads, the worst first."""
_WORST_FIRST = tuple(_OUTCOMES)

_INSIGHT = tuple(INSIGHT_LABELS.values())
_NUMBER, _MADE, _PRESENTATION = "Number", "Made", "Presentation"
_MILESTONE, _ELEMENT, _QUESTION = "Milestone", "Element", "Question"
_GRANTED, _USED, _INPUT = "Granted tokens", "Used tokens", "Input tokens"
_READ_UNTIL = "Read until"
_ONCE = (
    *(_NUMBER, _MADE, _PRESENTATION, _MILESTONE, *_INSIGHT),
    *(_GRANTED, _USED, _INPUT, _READ_UNTIL),
)

_BLOCK = re.compile(r"###(?!#)")
_CHANGE = re.compile(r"###\s+([0-9]{1,9})[.)]\s+([A-Za-z]+)(?:\s(.*))?")
_OPENING = re.compile(r"(`{3,})([^`]*)")
_FIELD = re.compile(r"\*\*([A-Za-z ]+)\*\*:")
_BELOW_HEADER = re.compile(r"[|\-: \t]+")
_RELAXED = re.compile(r"\\##(?!\S)")
_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class BrokenPendingError(FormatError):
    """The page of a proposal was edited so that it can no longer be read."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        super().__init__(first.path, first.line, first.what + more, hint=first.mend)
        self.findings = tuple(findings)


def _section_of(line: str) -> str:
    """Which heading of ours a line is; empty if none."""
    return _FOLDED.get((heading(line) or "").casefold(), "")


# --- what a page can keep --------------------------------------------------------


def storable_pending(pending: PendingReflection) -> PendingReflection:
    """The proposal as a page keeps it; what differs from the one given is this.

    Line ends are line feeds. What no person would see (control characters, marks
    that reorder text, halves of characters) is shown as U+FFFD. Texts have no blanks
    at their edges, except those of changes. Targets, elements, the milestone and all
    that goes into a table are one line; empty elements and questions are dropped.
    Moments are in UTC. Memory tests stand worst first.
    """
    trials = [
        replace(
            trial,
            expected=Expected(
                _line(trial.expected.question),
                _line(trial.expected.answer),
                trial.expected.since,
                _line(trial.expected.source),
            ),
        )
        for trial in pending.trials
    ]
    return replace(
        pending,
        made=aware(pending.made).astimezone(UTC),
        told=_text(pending.told),
        operations=tuple(
            replace(
                each,
                target=_line(each.target),
                content=shown(each.content),
                reason=_text(each.reason),
                context=_text(each.context),
            )
            for each in pending.operations
        ),
        insight=Insight(*map(_text, astuple(pending.insight))),
        elements=tuple(filter(None, map(_line, pending.elements))),
        read=tuple(
            replace(each, name=_line(each.name), why=_line(each.why))
            for each in pending.read
        ),
        refused=tuple(Refused(_line(e.what), _line(e.why)) for e in pending.refused),
        trials=tuple(sorted(trials, key=lambda t: _WORST_FIRST.index(t.verdict))),
        questions=tuple(filter(None, map(_text, pending.questions))),
        read_until=pending.read_until and aware(pending.read_until).astimezone(UTC),
        milestone=_line(pending.milestone),
        essay=_text(pending.essay),
    )


def shown(text: str) -> str:
    """A text as a person sees it, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    # A letter at each end keeps the blanks at the edges.
    return mended(f"x{plain}x")[1:-1]


def _text(text: str) -> str:
    return tidy(shown(text))


def _line(text: str) -> str:
    return one_line(shown(text))


# --- render ----------------------------------------------------------------------


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
    fenced = [*(each.content for each in kept.operations), *seen.values()]
    runs = (len(run) for text in fenced for run in re.findall("`+", text))
    fence = "`" * max(3, max(runs, default=0) + 1)
    changes = [
        _render_change(
            number, each, seen.get(number, ""), fence, (after or {}).get(number, ())
        )
        for number, each in enumerate(kept.operations, start=1)
    ]
    sources = (
        (
            each.name,
            *(f"{n:,}" for n in (each.read, each.tokens, each.budget, each.left_out)),
            each.why,
        )
        for each in kept.read
    )
    parts = [
        _escape_told(kept.told),
        *_section(ESSAY, _escape_told(kept.essay), rule=True),
        *_section(CHANGES, *(changes or [_NOTHING]), rule=True),
        *_section(BOOKS, _books(kept)),
        *_section(LEFT_OUT, _table(_REFUSED, map(astuple, kept.refused))),
        *_section(READ, _table(_SOURCES, sources)),
        *_section(TESTS, *_trials(kept.trials)),
        *_section(RECORD, _render_record(kept)),
        REPLY,
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(name: str, *bodies: str, rule: bool = False) -> tuple[str, ...]:
    """A heading and what stands below it; nothing where there is nothing to say."""
    if not any(bodies):
        return ()
    said = (body.rstrip("\n") for body in bodies)
    return (_RULE if rule else "", f"## {name}", *said)


def _escape_told(text: str) -> str:
    """What is told keeps its own headings; only ours are escaped."""
    return "\n".join(
        line[1:] if _RELAXED.match(line) and not _section_of(line[1:]) else line
        for line in escape(text).split("\n")
    )


def _render_change(
    number: int, operation: Operation, diff: str, fence: str, after: Sequence[int]
) -> str:
    title = f"### {number}. {operation.kind} {escape(operation.target, fences=False)}"
    said = [
        (_WHY, operation.reason),
        (_CONTEXT, operation.context),
        (_WORDS_OF, "" if operation.origin is Origin.AGENT else operation.origin),
        (_AFTER, ", ".join(map(str, after))),
    ]
    parts = [
        title.rstrip(),
        _render_fields(said).rstrip("\n"),
        f"{fence}markdown\n{operation.content}\n{fence}",
        f"{fence}{_DIFF}\n{diff}\n{fence}" if diff else "",
    ]
    return "\n\n".join(filter(None, parts))


def _books(kept: PendingReflection) -> str:
    """Which files are written besides: records of the decision itself."""
    return (
        "Besides the changes you approve, only records of the decision are written:\n\n"
        f"- {layout.PENDING_REFLECTION}: emptied\n"
        f"- {layout.REFLECTION_LOG}: an entry of its number, day, decision and counts; "
        "what changes you approve say of insight and self-awareness, and nothing of "
        "those you do not\n"
        f"- {layout.SCORES}: when it was, what it cost, fingerprints of what was not "
        "accepted\n"
        f"- {layout.REFLECTIONS}/ (such as {kept.made.date().isoformat()}.md, if you "
        "approve anything): what is told above, and your decision\n"
        f"- {layout.EXPECTATIONS} (if you correct a fact): the question it answers\n"
        f"- {layout.GRAPH_INDEX}: made anew from the pages"
    )


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


def _trials(trials: Sequence[Trial]) -> tuple[str, ...]:
    if not trials:
        return ()
    counts = Counter(trial.verdict for trial in trials)
    lost, harder = counts[Verdict.LOST], counts[Verdict.HARDER]
    rest = len(trials) - lost - harder
    rows = (
        (
            each.expected.question,
            each.expected.answer,
            each.expected.since.isoformat() if each.expected.since else "",
            each.expected.source,
            *(
                f"{rank:,}" if rank else _NOT_FOUND
                for rank in (each.before, each.after)
            ),
            _OUTCOMES[each.verdict],
        )
        for each in trials
    )
    tally = f"Would be lost: {lost}. Harder to find: {harder}. No worse: {rest}."
    return tally, _table(_TRIALS, rows)


def _render_record(kept: PendingReflection) -> str:
    def stamp(moment: datetime | None) -> str:
        return moment.isoformat().replace("+00:00", "Z") if moment else ""

    return _render_fields(
        [
            (_NUMBER, str(kept.number)),
            (_MADE, stamp(kept.made)),
            (_PRESENTATION, kept.presentation),
            (_MILESTONE, kept.milestone),
            *zip(_INSIGHT, astuple(kept.insight), strict=True),
            *((_ELEMENT, each) for each in kept.elements),
            *((_QUESTION, each) for each in kept.questions),
            (_GRANTED, f"{kept.grant:,}"),
            (_USED, f"{kept.used:,}"),
            (_INPUT, f"{kept.input_tokens:,}"),
            (_READ_UNTIL, stamp(kept.read_until)),
        ]
    )


# --- split into sections and fenced texts ------------------------------------------


@dataclass(frozen=True, slots=True)
class PageRow:
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
class PagePart:
    """A heading of ours and what stands below it; the first part has no name."""

    name: str
    line: int
    rows: list[PageRow] = field(default_factory=list)

    @property
    def told(self) -> str:
        """What it tells, without the rule below it."""
        text = "\n".join(row.text for row in self.rows).rstrip()
        above, _, last = text.rpartition("\n")
        return visible(above if last.strip() == _RULE else text)


def split_parts(page: str) -> Iterator[PagePart]:
    """Cut a page at our headings; only in the changes a fence can hide one."""
    part = PagePart("", 1)
    plain = page.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = iter(enumerate(plain.split("\n"), start=1))
    for number, line in lines:
        opening = _OPENING.fullmatch(line) if part.name == CHANGES else None
        if name := _section_of(line):
            yield part
            part = PagePart(name, number)
        elif opening:
            part.rows.append(_fenced(number, opening, lines))
        else:
            part.rows.append(PageRow(number, line))
    yield part


def _fenced(
    start: int, opening: re.Match[str], lines: Iterator[tuple[int, str]]
) -> PageRow:
    """What stands in a fence, down to where it is closed."""
    size, info = len(opening[1]), opening[2].strip()
    inside: list[str] = []
    closed = True
    for _, line in lines:
        mark = line.rstrip()
        if len(mark) >= size and not mark.strip("`"):
            return PageRow(start, "\n".join(inside), info, closed)
        # We never write one inside another: the end of this one has gone missing.
        found = _OPENING.fullmatch(line)
        closed = closed and not (found and len(found[1]) >= size)
        inside.append(line)
    return PageRow(start, "\n".join(inside), info, closed=False)


def diffs_on(page: str) -> dict[int, str]:
    """What each change of a page would do to files, by its number."""
    found: dict[int, str] = {}
    number = 0
    for part in split_parts(page):
        for each in part.rows if part.name == CHANGES else ():
            if each.info is None and each.text.startswith("### "):
                number += 1
            elif each.info == _DIFF:
                found[number] = each.text
    return found


# --- parse -----------------------------------------------------------------------


def parse_pending(text: str, path: str) -> PendingReflection | None:
    """Read the page; None where no proposal waits on it.

    Changes are numbered by their place on the page, whatever numbers they carry.

    Raises:
        BrokenPendingError: Something on it cannot be read.
    """
    reader = _Reader(path)
    pending = reader.page(text)
    errors = [each for each in sorted(reader.found) if each.severity is Severity.ERROR]
    if errors:
        raise BrokenPendingError(errors)
    return pending


def findings(text: str, path: str) -> tuple[Finding, ...]:
    """What is wrong on the page, or worth a look."""
    reader = _Reader(path)
    reader.page(text)
    return tuple(sorted(reader.found))


@dataclass(slots=True)
class _Fields:
    """Lines of the form `- **Name**: value`.

    Attributes:
        values: Line and value by lower-case name.
        stray: Lines of all that is none, or stands there again.
    """

    values: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    stray: list[int] = field(default_factory=list)

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a name."""
        return tuple(v for _, v in self.values.get(name.casefold(), ()) if v)

    def text(self, name: str) -> str:
        """The value of a name; empty where there is none."""
        return next(iter(self.texts(name)), "")


def _read_fields(
    rows: Sequence[PageRow], once: Sequence[str], often: Sequence[str] = ()
) -> _Fields:
    """The fields among some lines: names that stand there once, and often."""
    single, several = {n.casefold() for n in once}, {n.casefold() for n in often}
    fields = _Fields()
    body = "\n".join(row.text for row in rows)
    for piece in split_items(body, rows[0].line if rows else 1):
        found = _FIELD.match(piece.text) if piece.marker else None
        name = found[1].casefold() if found else ""
        if found and (name in several or name in single - fields.values.keys()):
            value = piece.line, visible(piece.text[found.end() :])
            fields.values.setdefault(name, []).append(value)
        elif visible(piece.raw) not in {"", REPLY}:
            blanks = piece.raw[: len(piece.raw) - len(piece.raw.lstrip())]
            fields.stray.append(piece.line + blanks.count("\n"))
    return fields


@dataclass(slots=True)
class _Reader:
    """Reads a page; what cannot be read is added to what was found."""

    path: str
    found: list[Finding] = field(default_factory=list)

    def find(
        self, line: int, what: str, mend: str = "", severity: Severity = Severity.ERROR
    ) -> None:
        """Note what is wrong on a line."""
        self.found.append(Finding(self.path, line, what, mend, severity))

    def page(self, text: str) -> PendingReflection | None:
        """Read a whole page."""
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.found += find_conflicts(plain, self.path)
        told, *parts = split_parts(plain)
        if not parts:
            words = visible(plain)
            if words and ("\n" in words or not words.startswith("# ")):
                what = "there is text here, but no proposal that could be decided on"
                mend = "Put the page back as it was, or empty it."
                self.find(1, what, mend, Severity.WARNING)
            return None
        last = plain.count("\n") + 1
        self._find_sections(parts, last)
        # Of two of a name the longer one tells more about what else is wrong.
        by_name = {p.name: p for p in sorted(parts, key=lambda part: len(part.rows))}
        essay, changes, _, refused, read, trials, record = (
            by_name.get(name, PagePart(name, last)) for name in SECTIONS
        )
        fields = _read_fields(record.rows, _ONCE, (_ELEMENT, _QUESTION))
        for line in fields.stray:
            mend = "Write it as '- **Name**: value', or delete it."
            what = "this line of the record is not read"
            self.find(line, what, mend, Severity.WARNING)

        def value(name: str, parse: Callable[[str], T | None], default: T) -> T:
            said = parse(fields.text(name))
            if said is not None:
                return said
            (line, _), *_ = fields.values.get(name.casefold()) or [(record.line, "")]
            what = f"the record does not say {name!r} in a form that can be read"
            self.find(line, what, f"Write it as '- **{name}**: …', as it was before.")
            return default

        return PendingReflection(
            value(_NUMBER, _count, 0),
            value(_MADE, _moment, _UNKNOWN),
            value(_PRESENTATION, _presentation, Presentation.SUMMARY),
            told.told,
            tuple(self._changes(changes)),
            Insight(*map(fields.text, _INSIGHT)),
            fields.texts(_ELEMENT),
            tuple(self._table(read, _SOURCES, _source)),
            tuple(self._table(refused, _REFUSED, lambda cells: Refused(*cells))),
            tuple(self._table(trials, _TRIALS, _trial)),
            fields.texts(_QUESTION),
            value(_GRANTED, _count, 0),
            value(_USED, _count, 0),
            value(_INPUT, _count, 0),
            value(_READ_UNTIL, _moment, None) if fields.text(_READ_UNTIL) else None,
            fields.text(_MILESTONE),
            essay.told,
        )

    def _find_sections(self, parts: Sequence[PagePart], last: int) -> None:
        seen = set()
        for part in parts:
            if part.name in seen:
                what = f"the section {part.name!r} stands here a second time"
                self.find(part.line, what, "Keep one of them.")
            seen.add(part.name)
        for name in (CHANGES, RECORD):
            if name not in seen:
                mend = f"Put the line '## {name}' back, with what stood below it."
                self.find(last, f"the section {name!r} is missing", mend)

    def _changes(self, part: PagePart) -> Iterator[Operation]:
        blocks: list[list[PageRow]] = [[]]
        for row in part.rows:
            if row.info is None and _BLOCK.match(row.text):
                blocks.append([])
            blocks[-1].append(row)
        for row in blocks[0]:
            if row.info is not None or row.text.strip() not in {"", _NOTHING}:
                mend = "Give it a heading such as '### 1. FLAG', or delete it."
                self.find(row.line, "this belongs to no change", mend)
                break
        for place, (title, *rows) in enumerate(blocks[1:], start=1):
            found = _CHANGE.fullmatch(title.text)
            if found is None or found[2].upper() not in set(OperationKind):
                kinds = ", ".join(OperationKind)
                mend = f"Write '### 1. KIND target'; a kind is {kinds}."
                self.find(title.line, "this heading names no change", mend)
                continue
            if int(found[1]) != place:
                now = f"this is change {place} now, although {found[1]} is written here"
                self.find(title.line, now, severity=Severity.NOTE)
            if content := self._content(title, rows):
                said, text = content
                yield Operation(
                    OperationKind(found[2].upper()),
                    unescape((found[3] or "").strip()),
                    text,
                    said.text(_WHY),
                    said.text(_CONTEXT),
                    origin.named(said.text(_WORDS_OF) or Origin.AGENT),
                )

    def _content(
        self, title: PageRow, rows: Sequence[PageRow]
    ) -> tuple[_Fields, str] | None:
        """What a block says above its one fenced text, and the text."""
        for row in rows:
            if not row.closed:
                what = (
                    "the fence that is opened here is not closed, or has another inside"
                )
                mend = "Close it, or make it longer than every row of ` inside it."
                self.find(row.line, what, mend)
                return None
        texts = [row for row in rows if row.info not in {None, _DIFF}]
        if len(texts) != 1:
            line = texts[1].line if texts else title.line
            what = f"a change has one fenced text, this one has {len(texts)}"
            self.find(line, what, "Mend it, or delete the whole change.")
            return None
        first = next(n for n, row in enumerate(rows) if row.info is not None)
        said = _read_fields(rows[:first], (_WHY, _CONTEXT, _WORDS_OF, _AFTER))
        below = (row for row in rows[first:] if row.info is None)
        stray = [*said.stray, *(row.line for row in below if row.text.strip())]
        if stray:
            mend = "Put it into the fenced text, or delete it."
            self.find(stray[0], "this line is no part of the change", mend)
            return None
        return said, texts[0].text

    def _table(
        self,
        part: PagePart,
        header: Sequence[str],
        read: Callable[[Sequence[str]], T | None],
    ) -> Iterator[T]:
        """What the rows of a part's table say; what is no row is only for the eye."""
        table = [row for row in part.rows if row.text.startswith("|")]
        if table and not (
            parse_row(table[0].text) == tuple(header)
            and (len(table) == 1 or _BELOW_HEADER.fullmatch(table[1].text))
        ):
            mend = f"Put it back: {render_row(header).strip()}, and a row of dashes."
            self.find(table[0].line, "the table has lost its first rows", mend)
            return
        for row in table[2:]:
            cells = parse_row(row.text)
            value = read(cells) if len(cells) == len(header) else None
            if value is None:
                mend = "Write it as the other rows are, or delete it."
                self.find(row.line, "this row cannot be read", mend)
            else:
                yield value


def _count(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if re.fullmatch("[0-9]{1,18}", digits) else None


def _moment(text: str) -> datetime | None:
    try:
        return aware(datetime.fromisoformat(text)).astimezone(UTC)
    except (ValueError, OverflowError, RefusedError):
        return None


def _presentation(text: str) -> Presentation | None:
    return Presentation(text) if text in set(Presentation) else None


def _source(cells: Sequence[str]) -> SourceRead | None:
    read, tokens, budget, left_out = map(_count, cells[1:5])
    if read is None or tokens is None or budget is None or left_out is None:
        return None
    return SourceRead(cells[0], read, tokens, budget, left_out, cells[5])


def _trial(cells: Sequence[str]) -> Trial | None:
    question, answer, since, source, *ranks = cells[:6]
    day = parse_date(since)
    before, after = (0 if each == _NOT_FOUND else _count(each) for each in ranks)
    if before is None or after is None or (since and day is None):
        return None
    return Trial(Expected(question, answer, day, source), before, after)
