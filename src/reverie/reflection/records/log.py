"""`reflection-log.md`: one entry for each reflection (reflection v2, section 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from reverie.markdown import (
    Section,
    ended,
    hidden_lines,
    newlines_like,
    one_line,
    split_items,
    split_lines,
    split_sections,
)
from reverie.model.reflection import Choice
from reverie.reflection.records.page import (
    clean,
    entry_sections,
    file_entries,
    heading_number,
    merged,
    parse_heading,
    parse_ranges,
    parse_words,
    raw_number,
    render_heading,
    render_ranges,
    render_words,
    size,
    spaced,
    span,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date


TITLE = "Reflection Log"
ARCHIVE_TITLE = "Reflection Archive"
PRUNED_AFTER = 50
"""Reflections after which the log is pruned."""
FULL_ENTRIES = 20
SUMMARY_LINES = 10

STATUSES = {
    Choice.APPROVE: "approved",
    Choice.CHANGE: "approved with changes",
    Choice.PARTIAL: "partially approved",
    Choice.REJECT: "rejected",
}
"""What the log calls each decision."""

_INSIGHT_LENGTH = 200  # of a summary line; the archive has it in full
_STATUS = re.compile(
    "(approved with changes|partially approved|approved|rejected)(?:: (.*))?",
    re.DOTALL,
)
_ONE_LINER = re.compile(r'\| ([^|]*) \| Insight: "(.*)"')
_ARCHIVED, _SUMMARY, _ENTRIES = (
    "archived reflections",
    "summary lines",
    "full entries",
)
_FULL, _LINE, _OTHER = "full", "line", ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One reflection as the log tells it; every text is one line.

    Attributes:
        number: Which reflection.
        day: When it was decided on.
        status: What became of it, one of `STATUSES`.
        vibe: Its emotional texture.
        insight: Its most important realization.
        awareness: What the agent noticed about itself.
        operational: Such as `3 episodes, 2 entities, 1 archived`.
        reason: Why its human decided so.
    """

    number: int
    day: date
    status: str
    vibe: str = ""
    insight: str = ""
    awareness: tuple[str, ...] = ()
    operational: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """What the log still says of a reflection whose entry is in the archive."""

    number: int
    day: date
    status: str
    insight: str


@dataclass(frozen=True, slots=True)
class Log:
    """The log as read.

    Attributes:
        entries: The full entries, in the order written.
        one_liners: The summary lines, in the order written.
        archived: First and last number of what only the archive holds.
    """

    entries: tuple[LogEntry, ...] = ()
    one_liners: tuple[SummaryLine, ...] = ()
    archived: tuple[tuple[int, int], ...] = ()


# --- one entry ---------------------------------------------------------------


def render_entry(entry: LogEntry) -> str:
    """Write an entry; sections without content are left out, but for the last."""
    parts = (
        ("The Vibe", (entry.vibe,)),
        ("Key Insight", (entry.insight,)),
        ("Self-Awareness", entry.awareness),
    )
    lines = [render_heading(entry.number, entry.day)]
    for name, texts in parts:
        words = [line for line in map(render_words, texts) if line]
        lines += [f"### {name}", *words] if words else []
    status = clean(entry.status)
    reason = render_words(entry.reason)
    lines.append("### Operational")
    lines += [f"- {line}" for line in [render_words(entry.operational)] if line]
    lines.append(f"- {status}: {reason}" if reason else f"- {status}")
    return "\n".join(lines) + "\n"


def parse_log(text: str) -> Log:
    """Read a log, whatever else is in it."""
    parts = _split(text)
    entries = (_entry(part) for part in parts if _role(part.heading) == _FULL)
    lines = (_summary_line(part) for part in parts if _role(part.heading) == _LINE)
    return Log(
        tuple(each for each in entries if each),
        tuple(each for each in lines if each),
        merged(_ranges(parts)),
    )


def _split(text: str) -> tuple[Section, ...]:
    return split_sections(text, lambda words: _role(words) != _OTHER)


def _role(words: str | None) -> str:
    """What a section of the log is for; empty for what a person added."""
    found = parse_heading(words)
    if found:
        is_line = _ONE_LINER.fullmatch(found.rest)
        return _LINE if is_line else _OTHER if found.rest else _FULL
    name = (words or "").partition("(")[0].strip().casefold()
    return name if name in {_ARCHIVED, _SUMMARY, _ENTRIES} else _OTHER


def _entry(part: Section) -> LogEntry | None:
    found = parse_heading(part.heading)
    if not found:
        return None
    told = _below(part.body)
    operational, status, reason = _operational(told.get("operational", ""))
    return LogEntry(
        found.number,
        found.day,
        status,
        parse_words(told.get("the vibe", "")),
        parse_words(told.get("key insight", "")),
        tuple(
            filter(None, map(parse_words, told.get("self-awareness", "").split("\n")))
        ),
        operational,
        reason,
    )


def _below(body: str) -> dict[str, str]:
    """What stands below each level-three heading, by its lower-case words."""
    told: dict[str, list[str]] = {}
    name = ""
    lines = split_lines(body)
    hidden = hidden_lines(lines)
    for n, line in enumerate(lines):
        if n not in hidden and line.startswith("### "):
            name = line[4:].strip().casefold()
        else:
            told.setdefault(name, []).append(line)
    return {key: "".join(lines) for key, lines in told.items()}


def _operational(body: str) -> tuple[str, str, str]:
    """What was done, what became of it, and why.

    An entry without a status was approved: reflection v2 logs no other.
    """
    items = [one_line(piece.text) for piece in split_items(body) if piece.marker]
    found = _STATUS.fullmatch(items[-1]) if items else None
    if found:
        items.pop()
    status, reason = (found[1], found[2] or "") if found else ("approved", "")
    return parse_words(" ".join(items)), status, parse_words(reason)


def _summary_line(part: Section) -> SummaryLine | None:
    found = parse_heading(part.heading)
    told = _ONE_LINER.fullmatch(found.rest) if found else None
    if not found or not told:
        return None
    return SummaryLine(found.number, found.day, told[1].strip(), parse_words(told[2]))


def render_one_liner(line: SummaryLine) -> str:
    """Write the one line that stays of an entry."""
    insight = clean(line.insight)
    if len(insight) > _INSIGHT_LENGTH:
        insight = insight[: _INSIGHT_LENGTH - 1].rstrip() + "…"
    status = clean(line.status).replace("|", "/")
    head = render_heading(line.number, line.day)
    return f'{head} | {status} | Insight: "{render_words(insight)}"\n'


# --- the whole log -----------------------------------------------------------


def append_entry(text: str, entry: LogEntry) -> str:
    """A log with one more entry at its end."""
    start = spaced(text) if text.strip() else f"# {TITLE}\n\n"
    whole = start + newlines_like(start, render_entry(entry))
    parts = _split(whole)
    numbers = [_number(part) for part in parts if _role(part.heading) == _FULL]
    return "".join(
        _renamed(part, f"Full Entries ({span(numbers)})")
        if _role(part.heading) == _ENTRIES
        else part.raw
        for part in parts
    )


def highest_number(text: str) -> int:
    """The highest number that the log knows of; 0 if it is empty."""
    parts = _split(text)
    numbers = [heading_number(part.heading) for part in parts]
    return max([*numbers, *(last for _, last in _ranges(parts))], default=0)


def highest_approved(text: str) -> int:
    """The highest number of a reflection that was not rejected; 0 if there is none."""
    log = parse_log(text)
    told = [(each.number, each.status) for each in log.entries]
    told += [(each.number, each.status) for each in log.one_liners]
    ranges = [last for _, last in log.archived]
    return max(
        [n for n, status in told if status != STATUSES[Choice.REJECT]] + ranges,
        default=0,
    )


def count(text: str) -> int:
    """How many reflections the log has ever known."""
    parts = _split(text)
    seen = {(n, n) for part in parts if (n := _number(part))}
    return size(merged([*_ranges(parts), *seen]))


def _number(part: Section) -> int:
    """The number of an entry or summary line; 0 for any other section."""
    known = _role(part.heading) in {_FULL, _LINE}
    return heading_number(part.heading) if known else 0


def prune(text: str, archive_text: str) -> tuple[str, str]:
    """Move old entries to the archive and keep a line of each, then a range.

    Nothing is lost: what leaves the log is in the archive. A log that needs no
    pruning comes back as it is.
    """
    parts = _split(text)
    full = [part for part in parts if _role(part.heading) == _FULL]
    limit = highest_number(text) - FULL_ENTRIES
    old = [part for part in full if _number(part) <= limit]
    if count(text) <= PRUNED_AFTER or len(full) <= FULL_ENTRIES or not old:
        return text, archive_text
    moved = [part.raw for part in old]
    archive_text = file_entries(archive_text, moved, ARCHIVE_TITLE)
    lines = _lines(parts, old)
    kept, gone = lines[-SUMMARY_LINES:], lines[:-SUMMARY_LINES]
    archive_text = _with_lines(archive_text, gone)
    numbers = [(raw_number(raw),) * 2 for raw in gone]
    ranges = merged([*_ranges(parts), *numbers])
    gone_from = {part.line for part in old}
    rest = [part for part in parts if part.line not in gone_from]
    return _laid_out(rest, kept, ranges), archive_text


def _lines(parts: Sequence[Section], old: Sequence[Section]) -> list[str]:
    """The summary lines there are and those of old entries, by number."""
    there = [part.raw for part in parts if _role(part.heading) == _LINE]
    known = set(map(raw_number, there))
    fresh = []
    for part in old:
        entry = _entry(part)
        if entry and entry.number not in known:
            known.add(entry.number)
            line = SummaryLine(entry.number, entry.day, entry.status, entry.insight)
            fresh.append(render_one_liner(line))
    return sorted([*there, *fresh], key=raw_number)


def _with_lines(archive: str, gone: Iterable[str]) -> str:
    """An archive that also holds those lines it has no entry for, or notes below."""
    known = {heading_number(each.heading) for each in entry_sections(archive)}
    wanted = (
        raw
        for raw in gone
        if raw_number(raw) not in known or raw.partition("\n")[2].strip()
    )
    return file_entries(archive, wanted, ARCHIVE_TITLE)


def _laid_out(
    parts: Sequence[Section], lines: Sequence[str], ranges: Sequence[tuple[int, int]]
) -> str:
    """The log as reflection v2 shows a pruned one; what a person added stays."""
    roles = [_role(part.heading) for part in parts]
    lead = next((n for n, role in enumerate(roles) if n and role), len(parts))
    rest = [
        part
        for part, role in zip(parts[lead:], roles[lead:], strict=True)
        if role in {_FULL, _OTHER}
    ]
    text = "".join(part.raw for part in parts[:lead]) or f"# {TITLE}\n"
    told = [f"- {render_ranges(ranges)}: archived"] if ranges else []
    blocks = (
        ("Archived Reflections (see reflection-archive.md)", _ARCHIVED, told),
        (f"Summary Lines ({span(map(raw_number, lines))})", _SUMMARY, lines),
        (f"Full Entries ({span(filter(None, map(_number, rest)))})", _ENTRIES, ()),
    )
    for name, role, content in blocks:
        notes = _notes(parts, role)
        if content or notes or role == _ENTRIES:
            own = "".join(f"{line.rstrip()}\n" for line in content)
            body = own + notes if role == _ARCHIVED else notes + own
            text = spaced(text)
            text += newlines_like(text, f"## {name}\n{body}")
    return spaced(text) + "".join(part.raw for part in rest)


def _notes(parts: Sequence[Section], role: str) -> str:
    """What a person typed below one of our headings."""
    bodies = [part.body for part in parts if _role(part.heading) == role]
    lines = [line for body in bodies for line in split_lines(ended(body))]
    notes = "".join(line for line in lines if not parse_ranges(line))
    return ended(notes.strip("\r\n"))


def _renamed(part: Section, name: str) -> str:
    first = split_lines(part.raw)[0]
    return f"## {name}{first[len(first.rstrip()) :]}{part.body}"


def _ranges(parts: Iterable[Section]) -> list[tuple[int, int]]:
    """The numbers of which only the archive knows more."""
    bodies = [part.body for part in parts if _role(part.heading) == _ARCHIVED]
    lines = (line for body in bodies for line in split_lines(body))
    return [pair for line in lines for pair in parse_ranges(line)]


@dataclass(frozen=True, slots=True)
class Milestone:
    """A reflection that is asked for more than the others.

    Attributes:
        number: The count of reflections it stands for.
        title: What it is called.
        task: What it is asked to do.
    """

    number: int
    title: str
    task: str

    def __str__(self) -> str:
        return f"#{self.number} — {self.title}"


_ALL = (
    Milestone(
        10,
        "First evolution summary",
        "Say which patterns show by now, and what each of them rests on.",
    ),
    Milestone(
        25,
        "Review of the threads",
        "Go through the threads of the evolution: close what is settled, join what "
        "belongs together.",
    ),
    Milestone(
        50,
        "Major synthesis",
        "Say what has changed at the root since the first reflection, and what has "
        "not.",
    ),
    Milestone(
        100,
        "Deep retrospective",
        "Write a “state of understanding” essay: what is known, how it came to be "
        "known, what stays open.",
    ),
)

MILESTONES: Mapping[int, Milestone] = MappingProxyType({m.number: m for m in _ALL})


def milestone_due(number: int, approved: int) -> Milestone | None:
    """The milestone that a reflection is; None for most.

    One that was declined or rejected does not count: the next one takes its place.

    Args:
        number: Which reflection it is.
        approved: The highest number among those that were approved.
    """
    due = [m for m in _ALL if approved < m.number <= number]
    return due[-1] if due else None
