"""`reflection-log.md`: one entry for each reflection (reflection v2, section 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from reverie.markdown import (
    Section,
    ended,
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
    render_words,
    spaced,
    span,
    split_subs,
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
class ReflectionEntry:
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

    entries: tuple[ReflectionEntry, ...] = ()
    one_liners: tuple[SummaryLine, ...] = ()
    archived: tuple[tuple[int, int], ...] = ()


# --- one entry ---------------------------------------------------------------


def render_entry(entry: ReflectionEntry) -> str:
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


class _LogPart(NamedTuple):
    """A section of the log; `number` is that of an entry or a summary line."""

    section: Section
    role: str
    number: int


def _split(text: str) -> tuple[_LogPart, ...]:
    found = split_sections(text, lambda words: _role(words) != _OTHER)
    parts = ((section, _role(section.heading)) for section in found)
    return tuple(
        _LogPart(s, role, heading_number(s.heading) if role in {_FULL, _LINE} else 0)
        for s, role in parts
    )


def _role(words: str | None) -> str:
    """What a section of the log is for; empty for what a person added."""
    if found := parse_heading(words):
        is_line = _ONE_LINER.fullmatch(found.rest)
        return _LINE if is_line else _OTHER if found.rest else _FULL
    name = (words or "").partition("(")[0].strip().casefold()
    return name if name in {_ARCHIVED, _SUMMARY, _ENTRIES} else _OTHER


def parse_log(text: str) -> Log:
    """Read a log, whatever else is in it."""
    parts = _split(text)
    lines = []
    for part in parts:
        head = parse_heading(part.section.heading) if part.role == _LINE else None
        told = _ONE_LINER.fullmatch(head.rest) if head else None
        if head and told:
            insight = parse_words(told[2])
            lines.append(SummaryLine(head.number, head.day, told[1].strip(), insight))
    entries = (_entry(part.section) for part in parts if part.role == _FULL)
    return Log(tuple(filter(None, entries)), tuple(lines), merged(_ranges(parts)))


def _entry(section: Section) -> ReflectionEntry | None:
    head = parse_heading(section.heading)
    if not head:
        return None
    told: dict[str, str] = {}
    for sub in split_subs(section.body):
        name = (sub.heading or "").casefold()
        told[name] = told.get(name, "") + sub.body
    items = [
        one_line(piece.text)
        for piece in split_items(told.get("operational", ""))
        if piece.marker
    ]
    # An entry without a status was approved: reflection v2 logs no other.
    found = _STATUS.fullmatch(items[-1]) if items else None
    status, reason = (found[1], found[2] or "") if found else ("approved", "")
    awareness = map(parse_words, told.get("self-awareness", "").split("\n"))
    return ReflectionEntry(
        head.number,
        head.day,
        status,
        parse_words(told.get("the vibe", "")),
        parse_words(told.get("key insight", "")),
        tuple(filter(None, awareness)),
        parse_words(" ".join(items[:-1] if found else items)),
        parse_words(reason),
    )


def render_one_liner(line: SummaryLine) -> str:
    """Write the one line that stays of an entry."""
    insight = clean(line.insight)
    if len(insight) > _INSIGHT_LENGTH:
        insight = insight[: _INSIGHT_LENGTH - 1].rstrip() + "…"
    status = clean(line.status).replace("|", "/")
    head = render_heading(line.number, line.day)
    return f'{head} | {status} | Insight: "{render_words(insight)}"\n'


# --- the whole log -----------------------------------------------------------


def append_entry(text: str, entry: ReflectionEntry) -> str:
    """A log with one more entry at its end."""
    start = spaced(text) if text.strip() else f"# {TITLE}\n\n"
    parts = _split(start + newlines_like(start, render_entry(entry)))
    numbers = span(part.number for part in parts if part.role == _FULL)

    def raw(part: _LogPart) -> str:
        if part.role != _ENTRIES:
            return part.section.raw
        first = split_lines(part.section.raw)[0]
        end = first[len(first.rstrip()) :]
        return f"## Full Entries ({numbers}){end}{part.section.body}"

    return "".join(map(raw, parts))


def highest_number(text: str) -> int:
    """The highest number that the log knows of; 0 if it is empty."""
    parts = _split(text)
    numbers = [heading_number(part.section.heading) for part in parts]
    return max([*numbers, *(last for _, last in _ranges(parts))], default=0)


def highest_approved(text: str) -> int:
    """The highest number of a reflection that was not rejected; 0 if there is none."""
    log = parse_log(text)
    told: tuple[ReflectionEntry | SummaryLine, ...] = (*log.entries, *log.one_liners)
    numbers = [each.number for each in told if each.status != STATUSES[Choice.REJECT]]
    return max([*numbers, *(last for _, last in log.archived)], default=0)


def count(text: str) -> int:
    """How many reflections the log has ever known."""
    parts = _split(text)
    seen = {(part.number, part.number) for part in parts if part.number}
    ranges = merged([*_ranges(parts), *seen])
    return sum(last - first + 1 for first, last in ranges)


def prune(text: str, archive_text: str) -> tuple[str, str]:
    """Move old entries to the archive and keep a line of each, then a range.

    Nothing is lost: what leaves the log is in the archive. A log that needs no
    pruning comes back as it is.
    """
    parts = _split(text)
    full = [part for part in parts if part.role == _FULL]
    limit = highest_number(text) - FULL_ENTRIES
    old = [part.section for part in full if part.number <= limit]
    if count(text) <= PRUNED_AFTER or len(full) <= FULL_ENTRIES or not old:
        return text, archive_text
    moved = [section.raw for section in old]
    archive_text = file_entries(archive_text, moved, ARCHIVE_TITLE)
    there = [part.section.raw for part in parts if part.role == _LINE]
    fresh = dict.fromkeys(map(raw_number, there), "")
    for entry in filter(None, map(_entry, old)):
        line = SummaryLine(entry.number, entry.day, entry.status, entry.insight)
        fresh.setdefault(entry.number, render_one_liner(line))
    lined = sorted([*there, *filter(None, fresh.values())], key=raw_number)
    kept, gone = lined[-SUMMARY_LINES:], lined[:-SUMMARY_LINES]
    # The archive also holds those lines it has no entry for, or notes below.
    known = {heading_number(each.heading) for each in entry_sections(archive_text)}
    wanted = [
        raw
        for raw in gone
        if raw_number(raw) not in known or raw.partition("\n")[2].strip()
    ]
    archive_text = file_entries(archive_text, wanted, ARCHIVE_TITLE)
    numbers = [(raw_number(raw),) * 2 for raw in gone]
    ranges = merged([*_ranges(parts), *numbers])
    rest = [part for part in parts if part.section not in old]
    return _laid_out(rest, kept, ranges), archive_text


def _laid_out(
    parts: Sequence[_LogPart], lines: Sequence[str], ranges: Sequence[tuple[int, int]]
) -> str:
    """The log as reflection v2 shows a pruned one; what a person added stays."""
    lead = next((n for n, part in enumerate(parts) if n and part.role), len(parts))
    rest = [part for part in parts[lead:] if part.role in {_FULL, _OTHER}]
    text = "".join(part.section.raw for part in parts[:lead]) or f"# {TITLE}\n"
    told = [f"- {', '.join(map(span, ranges))}: archived"] if ranges else []
    full = span(part.number for part in rest if part.number)
    blocks: tuple[tuple[str, str, Sequence[str]], ...] = (
        ("Archived Reflections (see reflection-archive.md)", _ARCHIVED, told),
        (f"Summary Lines ({span(map(raw_number, lines))})", _SUMMARY, lines),
        (f"Full Entries ({full})", _ENTRIES, ()),
    )
    for name, role, content in blocks:
        typed = "".join(
            line
            for part in parts
            if part.role == role
            for line in split_lines(ended(part.section.body))
            if not parse_ranges(line)
        )
        notes = ended(typed.strip("\r\n"))
        if content or notes or role == _ENTRIES:
            own = "".join(f"{line.rstrip()}\n" for line in content)
            body = own + notes if role == _ARCHIVED else notes + own
            text = spaced(text)
            text += newlines_like(text, f"## {name}\n{body}")
    return spaced(text) + "".join(part.section.raw for part in rest)


def _ranges(parts: Iterable[_LogPart]) -> list[tuple[int, int]]:
    """The numbers of which only the archive knows more."""
    bodies = [part.section.body for part in parts if part.role == _ARCHIVED]
    lines = (line for body in bodies for line in split_lines(body))
    return [pair for line in lines for pair in parse_ranges(line)]


# --- milestones ---------------------------------------------------------------


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
