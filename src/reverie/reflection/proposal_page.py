"""`pending-reflection.md`: a proposal as the page that its human reads and edits.

What is told comes first, then one block for each change, then the record. Changes and
record are read again as exactly as they were written; the tables are for the eye.

A heading of ours ends what stands above it wherever it is found, except inside the
fenced text of a change. So `render_pending` puts a backslash before whatever else
could be read as one, and gives all fences of a page one length that nothing inside
them has: a closing fence that went missing is noticed and swallows no change.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import astuple, replace

from reverie.errors import FormatError
from reverie.markdown import (
    escape,
    find_conflicts,
    heading,
    one_line,
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
    Operation,
    OperationKind,
    PendingReflection,
    Trial,
    Verdict,
)
from reverie.reflection.summary import REPLY
from reverie.stores.text import mended
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ESSAY, CHANGES, RECORD = "State of Understanding", "Proposed Changes", "Record"
BOOKS, LEFT_OUT = "Also Written", "Left Out"
READ, TESTS = "What Was Read", "Memory Tests"
SECTIONS = (ESSAY, CHANGES, BOOKS, LEFT_OUT, READ, TESTS, RECORD)
"""The headings of ours, in the order they are written."""

_RECORDED = "What the page was made with; it is read again, so leave it as it is."
_FOLDED = {name.casefold(): name for name in SECTIONS}
_RULE, _NOTHING, _DIFF = "---", "Nothing would be changed.", "diff"
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

_ONE_LINE = frozenset(
    {"target", "elements", "milestone", "name", "what", "why"}
    | {"question", "answer", "source"}
)

_BLOCK = re.compile(r"###(?!#)")
_CHANGE = re.compile(r"###\s+([0-9]{1,9})[.)]\s+([A-Za-z]+)(?:\s(.*))?")
_OPENING = re.compile(r"(`{3,})([^`]*)")
_FIELD = re.compile(r"\*\*([A-Za-z ]+)\*\*:")
_RELAXED = re.compile(r"\\##(?!\S)")


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
    order = tuple(_OUTCOMES)
    trials = sorted(pending.trials, key=lambda trial: order.index(trial.verdict))
    kept: PendingReflection = _kept(replace(pending, trials=tuple(trials)))
    return kept


def _kept(value: Any, name: str = "") -> Any:  # noqa: ANN401 - whatever a proposal has
    """A value, and all in it, as a page keeps it."""
    if isinstance(value, datetime):
        return aware(value).astimezone(UTC)
    if isinstance(value, tuple):
        return tuple(each for one in value if (each := _kept(one, name)) != "")
    if isinstance(value, Struct):
        fields = value.__struct_fields__
        parts = {each: _kept(getattr(value, each), each) for each in fields}
        return replace(value, **parts)
    if not isinstance(value, str) or isinstance(value, Enum):
        return value
    text = shown(value)
    if name == "content":
        return text
    return one_line(text) if name in _ONE_LINE else tidy(text)


def shown(text: str) -> str:
    """A text as a person sees it, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    # A letter at each end keeps the blanks at the edges.
    return mended(f"x{plain}x")[1:-1]


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
        (e.name, *map("{:,}".format, (e.read, e.tokens, e.budget, e.left_out)), e.why)
        for e in kept.read
    )
    parts = [
        _escape_told(kept.told),
        *_section(ESSAY, _escape_told(kept.essay), rule=True),
        *_section(CHANGES, *(changes or [_NOTHING]), rule=True),
        *_section(BOOKS, _books(kept)),
        *_section(LEFT_OUT, _table(_REFUSED, map(astuple, kept.refused))),
        *_section(READ, _table(_SOURCES, sources)),
        *_section(TESTS, *_trials(kept.trials)),
        *_section(RECORD, _RECORDED, f"{fence}json\n{_record(kept)}\n{fence}"),
        REPLY,
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _record(kept: PendingReflection) -> str:
    """All that a page must know and nobody edits, as JSON."""
    rest = replace(kept, told="", operations=(), essay="")
    return msgspec.json.format(msgspec.json.encode(rest)).decode()


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
    files = {
        layout.PENDING_REFLECTION: "emptied",
        layout.REFLECTION_LOG: "an entry of its number, day, decision and counts; what "
        "changes you approve say of insight and self-awareness, and nothing of those "
        "you do not",
        layout.SCORES: "when it was, what it cost, fingerprints of what was not "
        "accepted",
        f"{layout.REFLECTIONS}/ (such as {kept.made.date().isoformat()}.md, if you "
        "approve anything)": "what is told above, and your decision",
        f"{layout.EXPECTATIONS} (if you correct a fact)": "the question it answers",
        layout.GRAPH_INDEX: "made anew from the pages",
    }
    lead = "Besides the changes you approve, only records of the decision are written:"
    return "\n".join([lead, "", *(f"- {path}: {what}" for path, what in files.items())])


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


# --- split into sections and fenced texts ------------------------------------------


class PageRow(Struct, frozen=True):
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


class PagePart(Struct, frozen=True):
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
    pending, found = _parsed(text, path)
    errors = [each for each in found if each.severity is Severity.ERROR]
    if errors:
        raise BrokenPendingError(errors)
    return pending


def findings(text: str, path: str) -> tuple[Finding, ...]:
    """What is wrong on the page, or worth a look."""
    return _parsed(text, path)[1]


@lru_cache(maxsize=8)
def _parsed(
    text: str, path: str
) -> tuple[PendingReflection | None, tuple[Finding, ...]]:
    """What a page proposes, and what is wrong on it; it is looked at often."""
    reader = _Reader(path)
    pending = reader.page(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    return pending, tuple(sorted(reader.found))


class _Reader(Struct):
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
        self.found += find_conflicts(text, self.path)
        told, *parts = split_parts(text)
        if not parts:
            words = visible(text)
            if words and ("\n" in words or not words.startswith("# ")):
                what = "there is text here, but no proposal that could be decided on"
                mend = "Put the page back as it was, or empty it."
                self.find(1, what, mend, Severity.WARNING)
            return None
        by_name: dict[str, PagePart] = {}
        for part in parts:
            if part.name in by_name:
                what = f"the section {part.name!r} stands here a second time"
                self.find(part.line, what, "Keep one of them.")
            # Of two of a name the longer one tells more about what else is wrong.
            known = by_name.get(part.name, part)
            by_name[part.name] = max(known, part, key=lambda each: len(each.rows))
        last = text.count("\n") + 1
        for name in {CHANGES, RECORD} - by_name.keys():
            mend = f"Put the line '## {name}' back, with what stood below it."
            self.find(last, f"the section {name!r} is missing", mend)
        essay, changes, record = (
            by_name.get(name, PagePart(name, last)) for name in (ESSAY, CHANGES, RECORD)
        )
        pending, done = self._record(record), tuple(self._changes(changes))
        return pending and replace(
            pending, told=told.told, essay=essay.told, operations=done
        )

    def _record(self, part: PagePart) -> PendingReflection | None:
        rows = [row.text for row in part.rows]
        fences = [n for n, row in enumerate(rows) if row.startswith("```")]
        data = "\n".join(rows[fences[0] + 1 : fences[-1]]) if fences else ""
        try:
            return msgspec.json.decode(data, type=PendingReflection)
        except msgspec.MsgspecError as error:
            mend = "Put it back as it was; `reverie history` has it."
            self.find(part.line, f"the record cannot be read: {error}", mend)
            return None

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
            line, what, said, text = _content(title, rows)
            if what:
                self.find(line, what, "Mend it, or delete the whole change.")
                continue
            yield Operation(
                OperationKind(found[2].upper()),
                unescape((found[3] or "").strip()),
                text,
                said.get(_WHY, ""),
                said.get(_CONTEXT, ""),
                origin.named(said.get(_WORDS_OF, "") or Origin.AGENT),
            )


def _content(
    title: PageRow, rows: Sequence[PageRow]
) -> tuple[int, str, dict[str, str], str]:
    """What a block says above its one fenced text, and the text.

    Returns:
        A line and what is wrong there, or nothing; then the fields, and the text.
    """
    for row in rows:
        if not row.closed:
            what = "the fence that is opened here is not closed, or has another inside"
            return row.line, what, {}, ""
    texts = [row for row in rows if row.info not in {None, _DIFF}]
    if len(texts) != 1:
        line = texts[1].line if texts else title.line
        what = f"a change has one fenced text, this one has {len(texts)}"
        return line, what, {}, ""
    first = next(n for n, row in enumerate(rows) if row.info is not None)
    names = (_WHY, _CONTEXT, _WORDS_OF, _AFTER)
    told, stray = _read_fields(rows[:first], names)
    below = (row for row in rows[first:] if row.info is None)
    stray += (row.line for row in below if row.text.strip())
    what = "this line is no part of the change" if stray else ""
    return stray[0] if stray else 0, what, told, texts[0].text


def _read_fields(
    rows: Sequence[PageRow], names: Sequence[str]
) -> tuple[dict[str, str], list[int]]:
    """The fields `- **Name**: value` among some lines.

    Returns:
        Their values, and the lines of all that is none, or stands there again.
    """
    known = {name.casefold(): name for name in names}
    values: dict[str, str] = {}
    stray: list[int] = []
    body = "\n".join(row.text for row in rows)
    for piece in split_items(body, rows[0].line if rows else 1):
        found = _FIELD.match(piece.text) if piece.marker else None
        name = known.pop(found[1].casefold(), "") if found else ""
        if found and name:
            values[name] = visible(piece.text[found.end() :])
        elif visible(piece.raw):
            blanks = piece.raw[: len(piece.raw) - len(piece.raw.lstrip())]
            stray.append(piece.line + blanks.count("\n"))
    return values, stray
