"""`pending-reflection.md`: a proposal as the page that its human reads and edits.

What is told comes first, then one block for each change, then the record: the whole
proposal as JSON, but for the texts of the changes. Read again are the record, and of
each block its heading and its one fenced text, so that a human may correct a change or
take it out; all else is for the eye.

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
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import astuple, replace

from reverie import markdown as md
from reverie.errors import FormatError
from reverie.model.change import Action
from reverie.model.items import Finding, Origin, Severity, aware, least
from reverie.model.reflection import (
    Operation,
    OperationKind,
    PendingReflection,
    Trial,
    Verdict,
)
from reverie.printable import mended
from reverie.reflection.presentation import REPLY
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reverie.ledger import Ledger
    from reverie.model.change import LogEntry

ESSAY, CHANGES, RECORD = "State of Understanding", "Proposed Changes", "Record"
BOOKS, LEFT_OUT = "Also Written", "Left Out"
READ, TESTS = "What Was Read", "Memory Tests"
SECTIONS = (ESSAY, CHANGES, BOOKS, LEFT_OUT, READ, TESTS, RECORD)
"""The headings of ours, in the order they are written."""

_RECORDED = "What the page was made with; it is read again, so leave it as it is."
_FOLDED = {name.casefold(): name for name in SECTIONS}
_RULE, _NOTHING, _DIFF = "---", "Nothing would be changed.", "diff"
_REFUSED = ("What", "Why not")
_SOURCES = ("Source", "Read", "Tokens", "Budget", "Left out", "Which")
_TRIALS = ("Question", "Answer", "Before", "After", "Outcome")
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
_JSON = re.compile(r"^(`{3,})json\n(.*)\n\1[ \t]*$", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"#([0-9]{1,9}) ")
_RELAXED = re.compile(r"\\##(?!\S)")
_SAID = ("Why", "Context", "Made of words of", "Builds on change")
_NOTED = (*(f"- **{name}**:" for name in _SAID), "  ")
"""How the lines begin that are said of a change above its text."""


class BrokenPendingError(FormatError):
    """The page of a proposal was edited so that it can no longer be read."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        super().__init__(first.path, first.line, first.what + more, hint=first.mend)
        self.findings = tuple(findings)


def _section_of(line: str) -> str:
    """Which heading of ours a line is; empty if none."""
    return _FOLDED.get((md.heading(line) or "").casefold(), "")


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
    return md.one_line(text) if name in _ONE_LINE else md.tidy(text)


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
    # What is told may have fences of its own, which are none of the page's.
    fenced += [kept.told, kept.essay]
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
    bare = tuple(replace(each, content="") for each in kept.operations)
    data = msgspec.json.encode(replace(kept, operations=bare))
    record = msgspec.json.format(data).decode()
    parts = [
        _escape_told(kept.told),
        *_section(ESSAY, _escape_told(kept.essay), rule=True),
        *_section(CHANGES, *(changes or [_NOTHING]), rule=True),
        *_section(BOOKS, _books(kept)),
        *_section(LEFT_OUT, _table(_REFUSED, map(astuple, kept.refused))),
        *_section(READ, _table(_SOURCES, sources)),
        *_section(TESTS, *_trials(kept.trials)),
        *_section(RECORD, _RECORDED, f"{fence}json\n{record}\n{fence}"),
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
        for line in md.escape(text).split("\n")
    )


def _render_change(
    number: int, operation: Operation, diff: str, fence: str, after: Sequence[int]
) -> str:
    title = (
        f"### {number}. {operation.kind} {md.escape(operation.target, fences=False)}"
    )
    whose = "" if operation.origin is Origin.AGENT else operation.made_of
    builds_on = ", ".join(map(str, after))
    said = zip(
        _SAID, (operation.reason, operation.context, whose, builds_on), strict=True
    )
    # Behind its name a value opens no fence, and below it none is needed.
    noted = "".join(
        md.render_item(f"**{key}**: {md.escape(value, fences=False)}")
        for key, value in said
        if value
    )
    parts = [
        title.rstrip(),
        noted.rstrip("\n"),
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
        layout.SCORES: "when it was, what it cost, fingerprints of what you reject by "
        "its number",
        f"{layout.REFLECTIONS}/ (such as {kept.made.date().isoformat()}.md, if you "
        "approve anything)": "what is told above, and your decision, with what you "
        "left out",
        f"{layout.EXPECTATIONS} (if you correct a fact)": "the question it answers",
        layout.GRAPH_INDEX: "made anew from the pages",
    }
    lead = "Besides the changes you approve, only records of the decision are written:"
    rest = "A change that you leave out changes no memory: it stays open, and is "
    rest += "proposed again. `reject N` refuses it for good."
    if any(one.kind is OperationKind.MERGE for one in kept.operations):
        rest += " `reject N` of a MERGE also notes on both pages that they are not the "
        rest += "same; rejecting the complete reflection notes nothing about them."
    listed = (f"- {path}: {what}" for path, what in files.items())
    return "\n".join([lead, "", *listed, "", rest])


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(map(md.render_row, rows))
    return md.render_row(header) + f"{'| --- ' * len(header)}|\n" + body if body else ""


def _trials(trials: Sequence[Trial]) -> tuple[str, ...]:
    if not trials:
        return ()
    counts = Counter(trial.verdict for trial in trials)
    lost, harder = counts[Verdict.LOST], counts[Verdict.HARDER]
    rest = len(trials) - lost - harder
    rows = []
    for each in trials:
        ranks = (f"{n:,}" if n else "not found" for n in (each.before, each.after))
        asked = each.expected.question, each.expected.answer
        rows.append((*asked, *ranks, _OUTCOMES[each.verdict]))
    tally = f"Would be lost: {lost}. Harder to find: {harder}. No worse: {rest}."
    return tally, _table(_TRIALS, rows)


def without_record(page: str) -> str:
    """Return a page as a person reads it: without the JSON that is read again."""
    plain = _plain(page)
    start = plain.rfind(f"\n## {RECORD}\n")
    found = _JSON.search(plain, start) if start >= 0 else None
    if not found:
        return page
    return f"{plain[:start].rstrip()}\n\n{plain[found.end() :].lstrip()}"


# --- parse -----------------------------------------------------------------------


class ChangeBlock(Struct):
    """The block of one change: its heading, its line and its fenced texts.

    Attributes:
        line: Line number counted from 1.
        title: The heading.
        texts: What is fenced, each with its line and what the fence calls it.
        problem: A line that cannot be read, and why; nothing if all can.
    """

    line: int
    title: str
    texts: list[tuple[int, str, str]] = field(default_factory=list)
    problem: tuple[int, str] | None = None


def _blocks(page: str, fence: str) -> Iterator[ChangeBlock]:
    """The changes of a page, one after the other; first what belongs to none."""
    lines = enumerate(page.split("\n"), start=1)
    next((None for _, line in lines if _section_of(line) == CHANGES), None)
    block = ChangeBlock(0, "")
    for number, line in lines:
        mark = line.rstrip()
        if mark.startswith(fence):
            inside: list[str] = []
            for _, text in lines:
                if text.rstrip().startswith(fence):
                    closed = text.rstrip() == fence
                    break
                inside.append(text)
            else:
                closed = False
            block.texts.append((number, mark.strip("` "), "\n".join(inside)))
            if not closed:
                what = "the fence that is opened here is not closed, or has another "
                block.problem = block.problem or (number, f"{what}inside")
        elif _section_of(line):
            break
        elif _BLOCK.match(line):
            yield block
            block = ChangeBlock(number, line)
        elif line.strip() and not (
            line.startswith(_NOTED) if block.line else mark == _NOTHING
        ):
            what = "this line is no part of the change"
            block.problem = block.problem or (number, what)
    yield block


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def diffs_on(page: str) -> dict[int, str]:
    """What each change of a page would do to files, by its number."""
    plain = _plain(page)
    record = _JSON.search(plain, plain.rfind(f"\n## {RECORD}"))
    blocks = list(_blocks(plain, record[1]))[1:] if record else []
    return {
        number: text
        for number, block in enumerate(blocks, start=1)
        for _, info, text in block.texts
        if info == _DIFF
    }


def blocked_on(page: str) -> dict[int, str]:
    """Return why changes of a page cannot be applied any more, by their number."""
    plain = _plain(page)
    record = _JSON.search(plain, plain.rfind(f"\n## {RECORD}"))
    try:
        kept = msgspec.json.decode(record[2] if record else "", type=PendingReflection)
    except msgspec.MsgspecError:
        return {}
    found = ((_NUMBERED.match(each.what), each.why) for each in kept.refused)
    return {int(number[1]): why for number, why in found if number}


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
    plain = _plain(text)
    found = list(md.find_conflicts(plain, path))
    record = _JSON.search(plain, plain.rfind(f"\n## {RECORD}"))
    fence = record[1] if record else "```"
    lines: dict[str, int] = {}
    inside = False
    for number, line in enumerate(plain.split("\n"), 1):
        inside ^= line.rstrip().startswith(fence)
        name = "" if inside else _section_of(line)
        if name and lines.setdefault(name, number) != number:
            what = f"the section {name!r} stands here a second time"
            found.append(Finding(path, number, what, "Put what is below it in one."))
    if not lines:
        words = md.visible(plain)
        if words and ("\n" in words or not words.startswith("# ")):
            what = "there is text here, but no proposal that could be decided on"
            mend = "Put the page back as it was, or empty it."
            found.append(Finding(path, 1, what, mend, Severity.WARNING))
        return None, tuple(found)
    last = plain.count("\n") + 1
    for name in {CHANGES, RECORD} - lines.keys():
        mend = f"Put the line '## {name}' back, with what stood below it."
        found.append(Finding(path, last, f"the section {name!r} is missing", mend))
    try:
        kept = msgspec.json.decode(record[2] if record else "", type=PendingReflection)
    except msgspec.MsgspecError as error:
        mend = "Put it back as it was; `reverie history` has it."
        what = f"the record cannot be read: {error}"
        found.append(Finding(path, lines.get(RECORD, last), what, mend))
        return None, tuple(sorted(found))
    loose, *blocks = _blocks(plain, record[1] if record else "```")
    if loose.problem or loose.texts:
        at = loose.problem[0] if loose.problem else loose.texts[0][0]
        mend = "Give it a heading such as '### 1. FLAG', or delete it."
        found.append(Finding(path, at, "this belongs to no change", mend))
    operations = []
    for place, block in enumerate(blocks, start=1):
        read = _operation(block, kept.operations)
        if isinstance(read, Operation):
            operations.append(read)
        else:
            found.append(Finding(path, *read))
        written = _CHANGE.fullmatch(block.title)
        if written and int(written[1]) != place:
            now = f"this is change {place} now, although {written[1]} is written here"
            found.append(Finding(path, block.line, now, "", Severity.NOTE))
    return replace(kept, operations=tuple(operations)), tuple(sorted(found))


def _operation(
    block: ChangeBlock, laid: Sequence[Operation]
) -> Operation | tuple[int, str, str]:
    """The change of a block; or a line, what is wrong there and how to mend it.

    Why it is proposed, and whose words it is made of, the record says; of what was
    added by hand nobody can tell.
    """
    found = _CHANGE.fullmatch(block.title)
    if found is None or found[2].upper() not in set(OperationKind):
        mend = f"Write '### 1. KIND target'; a kind is {', '.join(OperationKind)}."
        return block.line, "this heading names no change", mend
    texts = [(line, text) for line, info, text in block.texts if info != _DIFF]
    problem = block.problem
    if len(texts) != 1 and not problem:
        what = f"a change has one fenced text, this one has {len(texts)}"
        problem = (texts[1][0] if texts else block.line), what
    if problem:
        return *problem, "Mend it, or delete the whole change."
    number = int(found[1])
    added = Operation(OperationKind.FLAG, "", "", origin=least(Origin))
    return replace(
        laid[number - 1] if 0 < number <= len(laid) else added,
        kind=OperationKind(found[2].upper()),
        target=md.unescape((found[3] or "").strip()),
        content=texts[0][1],
    )


def laid_page(ledger: Ledger) -> str:
    """The page of the newest proposal as it was laid out; empty if there is none."""
    return next(laid_pages(ledger), "")


def laid_pages(ledger: Ledger, limit: int | None = None) -> Iterator[str]:
    """Yield the pages of proposals as they were laid out, the newest first.

    Args:
        ledger: The history.
        limit: How many changes of the page are looked through; all by default.
    """
    for entry in _laid(ledger, limit):
        data = ledger.read_at(entry.commit, layout.PENDING_REFLECTION) or b""
        yield data.decode("utf-8", "replace")


def laid_by(ledger: Ledger) -> str:
    """The session of the newest proposal that was laid out; empty if there is none."""
    return next((entry.actor.session for entry in _laid(ledger)), "")


def _laid(ledger: Ledger, limit: int | None = None) -> Iterator[LogEntry]:
    path = layout.PENDING_REFLECTION
    history = ledger.history(naming=lambda message: path in message)
    yield from filter(lays_out_proposal, islice(history, limit))


def lays_out_proposal(entry: LogEntry) -> bool:
    """Return whether a change wrote the page of a reflection's proposal."""
    first = entry.lines[0]
    proposes = first.action is Action.PROPOSE
    on_page = first.path == layout.PENDING_REFLECTION
    return bool(entry.actor.session) and proposes and on_page
