"""`reflection-log.md`: one entry for each reflection (reflection v2, section 2)."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import (
    ended,
    headline,
    newlines_like,
    one_line,
    split_items,
    split_lines,
    split_sections,
)
from reverie.model.reflection import Choice
from reverie.reflection.records.page import (
    clean,
    entries_in,
    merged,
    parse_heading,
    parse_ranges,
    parse_words,
    render_heading,
    render_ranges,
    render_words,
    rendered,
    spaced,
    span,
    split_subs,
    with_entries,
    with_entry,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from reverie.markdown import Section
    from reverie.reflection.records.page import Heading

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

_STATUS = re.compile(
    "(approved with changes|partially approved|approved|rejected)(?:: (.*))?",
    re.DOTALL,
)
_ONE_LINER = re.compile(r'\| ([^|]*) \| Insight: "(.*)"')
_OURS = re.compile(
    r"(?:archived reflections|summary lines|full entries)\s*(?:\(.*)?", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?m)^## Reflection #([0-9]{1,9})(?![0-9])")


class ReflectionEntry(Struct, frozen=True):
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


class Log(Struct, frozen=True):
    """The log as read.

    Attributes:
        entries: The full entries, in the order written.
        one_liners: What summary lines say of entries that are in the archive.
        archived: First and last number of what only the archive holds.
    """

    entries: tuple[ReflectionEntry, ...] = ()
    one_liners: tuple[ReflectionEntry, ...] = ()
    archived: tuple[tuple[int, int], ...] = ()


# --- one entry ---------------------------------------------------------------


def render_entry(entry: ReflectionEntry) -> str:
    """Write an entry; sections without content are left out, but for the last."""
    lines = [render_heading(entry.number, entry.day)]
    for name, texts in (
        ("The Vibe", (entry.vibe,)),
        ("Key Insight", (entry.insight,)),
        ("Self-Awareness", entry.awareness),
    ):
        words = rendered(texts)
        lines += [f"### {name}", *words] if words else []
    reason = render_words(entry.reason)
    status = clean(entry.status) + (f": {reason}" if reason else "")
    operational = (f"- {line}" for line in rendered([entry.operational]))
    return "\n".join((*lines, "### Operational", *operational, f"- {status}")) + "\n"


def _parse_entry(head: Heading, part: Section) -> ReflectionEntry:
    told: dict[str, str] = {}
    for name, place in split_subs(part.body):
        told[name.casefold()] = told.get(name.casefold(), "") + part.body[place]
    pieces = split_items(told.get("operational", ""))
    items = [one_line(piece.text) for piece in pieces if piece.marker]
    # An entry without a status was approved: reflection v2 logs no other.
    found = _STATUS.fullmatch(items[-1]) if items else None
    return ReflectionEntry(
        head.number,
        head.day,
        found[1] if found else STATUSES[Choice.APPROVE],
        parse_words(told.get("the vibe", "")),
        parse_words(told.get("key insight", "")),
        tuple(
            filter(None, map(parse_words, told.get("self-awareness", "").split("\n")))
        ),
        parse_words(" ".join(items[:-1] if found else items)),
        parse_words(found[2] or "") if found else "",
    )


def _parse_one_liner(head: Heading) -> ReflectionEntry | None:
    found = _ONE_LINER.fullmatch(head.rest)
    if not found:
        return None
    insight = parse_words(found[2])
    return ReflectionEntry(head.number, head.day, found[1].strip(), insight=insight)


def render_one_liner(entry: ReflectionEntry) -> str:
    """Write the one line that stays of an entry."""
    insight = headline(clean(entry.insight), 200)  # the archive has it in full
    head, status = render_heading(entry.number, entry.day), clean(entry.status)
    told = f'{status.replace("|", "/")} | Insight: "{render_words(insight)}"'
    return f"{head} | {told}\n"


# --- the whole log -----------------------------------------------------------


def parse_log(text: str) -> Log:
    """Read a log, whatever else is in it."""
    found = entries_in(text)
    lines = (_parse_one_liner(head) for head, _ in found)
    pairs = (pair for line in text.split("\n") for pair in parse_ranges(line))
    return Log(
        tuple(_parse_entry(head, part) for head, part in found if not head.rest),
        tuple(filter(None, lines)),
        merged(pairs),
    )


def append_entry(text: str, entry: ReflectionEntry) -> str:
    """A log with one more entry at its end."""
    whole = with_entry(text, TITLE, render_entry(entry))
    numbers = span(head.number for head, _ in entries_in(whole) if not head.rest)
    return re.sub(
        r"(?m)^## Full Entries \(.*\)", f"## Full Entries ({numbers})", whole, count=1
    )


def highest_number(text: str) -> int:
    """The highest number that the log knows of; 0 if it is empty."""
    ranges = (last for _, last in parse_log(text).archived)
    return max([*map(int, _NUMBERED.findall(text)), *ranges], default=0)


def highest_approved(text: str) -> int:
    """The highest number of a reflection that was not rejected; 0 if there is none."""
    log = parse_log(text)
    told = (*log.entries, *log.one_liners)
    numbers = [each.number for each in told if each.status != STATUSES[Choice.REJECT]]
    return max([*numbers, *(last for _, last in log.archived)], default=0)


def count(text: str) -> int:
    """How many reflections the log has ever known."""
    log = parse_log(text)
    seen = ((each.number, each.number) for each in (*log.entries, *log.one_liners))
    return sum(last - first + 1 for first, last in merged([*log.archived, *seen]))


def prune(text: str, archive_text: str) -> tuple[str, str]:
    """Move old entries to the archive and keep a line of each, then a range.

    Nothing is lost: what leaves the log is in the archive, and what a person added
    stays. A log that needs no pruning comes back as it is.
    """
    found = entries_in(text)
    full = [(head, part) for head, part in found if not head.rest]
    limit = highest_number(text) - FULL_ENTRIES
    old = [(head, part) for head, part in full if head.number <= limit]
    if count(text) <= PRUNED_AFTER or len(full) <= FULL_ENTRIES or not old:
        return text, archive_text
    moved = [part.raw for _, part in old]
    archive_text = with_entries(archive_text, moved, ARCHIVE_TITLE)
    lines = {
        head.number: render_one_liner(_parse_entry(head, part)) for head, part in old
    }
    lined = {head.number: part.raw for head, part in found if _parse_one_liner(head)}
    lines = dict(sorted((lines | lined).items()))
    gone = list(lines)[:-SUMMARY_LINES]
    # The archive also holds those lines it has no entry for, or notes below.
    known = {head.number for head, _ in entries_in(archive_text)}
    bare = (n for n in gone if n in known and not lines[n].partition("\n")[2].strip())
    kept = set(gone) - set(bare)
    archive_text = with_entries(
        archive_text, [lines[number] for number in sorted(kept)], ARCHIVE_TITLE
    )
    ranges = merged([*parse_log(text).archived, *((n, n) for n in gone)])
    moved += lined.values()
    opening, *parts = split_sections(text, lambda words: bool(parse_heading(words)))
    ours = [part for part in parts if _OURS.fullmatch(part.heading or "")]
    notes = "".join(
        line
        for part in ours
        for line in split_lines(ended(part.body))
        if line.strip() and not parse_ranges(line)
    )
    summary = "".join(f"{raw.rstrip()}\n" for n, raw in lines.items() if n not in gone)
    numbers = span(head.number for head, _ in full if head.number > limit)
    block = (
        "## Archived Reflections (see reflection-archive.md)\n"
        f"{render_ranges(ranges)}{notes}\n"
        f"## Summary Lines ({span(n for n in lines if n not in gone)})\n{summary}\n"
        f"## Full Entries ({numbers})\n\n"
    )
    rest = [p.raw for p in parts if p not in ours and p.raw not in moved]
    start = spaced(opening.raw) or f"# {TITLE}\n\n"
    return start + newlines_like(start, block) + "".join(rest), archive_text


# --- milestones ---------------------------------------------------------------


class Milestone(Struct, frozen=True):
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
