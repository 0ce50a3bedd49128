"""`reflection-log.md`: one entry for each reflection (reflection v2, section 2)."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie import markdown as md
from reverie.model.reflection import Choice
from reverie.reflection import records

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from reverie.markdown import Section
    from reverie.reflection.records import Heading

TITLE, ARCHIVE_TITLE = "Reflection Log", "Reflection Archive"
PRUNED_AFTER, FULL_ENTRIES, SUMMARY_LINES = 50, 20, 10
"""The log is pruned after so many; so many stay in full, and as lines."""

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
_ARCHIVED = re.compile(r"(?m)^- (#[0-9]{1,6}[-\u2013, #0-9]*): archived\s*$")
_RANGE = re.compile(r"([0-9]{1,6})(?:[\u2013-]#?([0-9]{1,6}))?")


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
        archived: The numbers of what only the archive holds.
    """

    entries: tuple[ReflectionEntry, ...] = ()
    one_liners: tuple[ReflectionEntry, ...] = ()
    archived: frozenset[int] = frozenset()


# --- one entry ---------------------------------------------------------------


def render_entry(entry: ReflectionEntry) -> str:
    """Write an entry; sections without content are left out, but for the last."""
    lines = [records.render_heading(entry.number, entry.day)]
    for name, texts in (
        ("The Vibe", (entry.vibe,)),
        ("Key Insight", (entry.insight,)),
        ("Self-Awareness", entry.awareness),
    ):
        words = records.rendered(texts)
        lines += [f"### {name}", *words] if words else []
    reason = records.render_words(entry.reason)
    status = records.clean(entry.status) + (f": {reason}" if reason else "")
    operational = (f"- {line}" for line in records.rendered([entry.operational]))
    return "\n".join((*lines, "### Operational", *operational, f"- {status}")) + "\n"


def _parse_entry(head: Heading, part: Section) -> ReflectionEntry:
    told: dict[str, str] = {}
    for name, at in records.split_subs(part.body):
        # What a hand wrote under one name twice belongs together.
        told[name.casefold()] = told.get(name.casefold(), "") + part.body[at]
    pieces = md.split_items(told.get("operational", ""))
    items = [md.one_line(piece.text) for piece in pieces if piece.marker]
    # An entry without a status was approved: reflection v2 logs no other.
    found = _STATUS.fullmatch(items[-1]) if items else None
    noticed = map(records.parse_words, told.get("self-awareness", "").split("\n"))
    return ReflectionEntry(
        head.number,
        head.day,
        found[1] if found else STATUSES[Choice.APPROVE],
        records.parse_words(told.get("the vibe", "")),
        records.parse_words(told.get("key insight", "")),
        tuple(filter(None, noticed)),
        records.parse_words(" ".join(items[:-1] if found else items)),
        records.parse_words(found[2] or "") if found else "",
    )


def _parse_one_liner(head: Heading) -> ReflectionEntry | None:
    if found := _ONE_LINER.fullmatch(head.rest):
        insight = records.parse_words(found[2])
        return ReflectionEntry(head.number, head.day, found[1].strip(), insight=insight)
    return None


def render_one_liner(entry: ReflectionEntry) -> str:
    """Write the one line that stays of an entry."""
    insight = md.headline(
        records.clean(entry.insight), 200
    )  # the archive has it in full
    head, status = (
        records.render_heading(entry.number, entry.day),
        records.clean(entry.status),
    )
    told = f'{status.replace("|", "/")} | Insight: "{records.render_words(insight)}"'
    return f"{head} | {told}\n"


# --- the whole log -----------------------------------------------------------


def parse_log(text: str) -> Log:
    """Read a log, whatever else is in it."""
    found = records.entries_in(text)
    lines = (_parse_one_liner(head) for head, _ in found)
    pairs = _RANGE.findall(" ".join(_ARCHIVED.findall(text)))
    return Log(
        tuple(_parse_entry(head, part) for head, part in found if not head.rest),
        tuple(filter(None, lines)),
        frozenset(n for a, b in pairs for n in range(int(a), int(b or a) + 1)),
    )


def span(numbers: Iterable[int]) -> str:
    """From the lowest to the highest: `#31-40`, or `#31` for a single one."""
    found = sorted(numbers)
    if not found:
        return "none"
    return f"#{found[0]}" + (f"-{found[-1]}" if found[0] < found[-1] else "")


def _spans(numbers: Iterable[int]) -> str:
    """All of them, those in a row as one: `#1-30, #32`."""
    rows = groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])
    return ", ".join(span(number for _, number in row) for _, row in rows)


def append_entry(text: str, entry: ReflectionEntry) -> str:
    """A log with one more entry at its end."""
    whole = records.with_entry(text, TITLE, render_entry(entry))
    numbers = span(
        head.number for head, _ in records.entries_in(whole) if not head.rest
    )
    return re.sub(
        r"(?m)^## Full Entries \(.*\)", f"## Full Entries ({numbers})", whole, count=1
    )


def highest_number(text: str) -> int:
    """The highest number that the log knows of; 0 if it is empty."""
    numbers = map(int, _NUMBERED.findall(text))
    return max([*numbers, *parse_log(text).archived], default=0)


def highest_approved(text: str) -> int:
    """The highest number of a reflection that was not rejected; 0 if there is none."""
    log = parse_log(text)
    told = (*log.entries, *log.one_liners)
    numbers = [each.number for each in told if each.status != STATUSES[Choice.REJECT]]
    return max([*numbers, *log.archived], default=0)


def count(text: str) -> int:
    """How many reflections the log has ever known."""
    log = parse_log(text)
    told = {each.number for each in (*log.entries, *log.one_liners)}
    return len(log.archived | told)


def prune(text: str, archive: str) -> tuple[str, str]:
    """Move old entries to the archive and keep a line of each, then a range.

    Nothing is lost: what leaves the log is in the archive, and what a person added
    stays. A log that needs no pruning comes back as it is.
    """
    found, archived = records.entries_in(text), parse_log(text).archived
    full = [head.number for head, _ in found if not head.rest]
    limit = highest_number(text) - FULL_ENTRIES
    old = [(h, part) for h, part in found if not h.rest and h.number <= limit]
    if count(text) <= PRUNED_AFTER or len(full) <= FULL_ENTRIES or not old:
        return text, archive
    lined = {head.number: part.raw for head, part in found if _parse_one_liner(head)}
    moved = [*(part.raw for _, part in old), *lined.values()]
    fresh = {head.number: render_one_liner(_parse_entry(head, p)) for head, p in old}
    lines = dict(sorted((fresh | lined).items()))
    gone, kept = list(lines)[:-SUMMARY_LINES], list(lines)[-SUMMARY_LINES:]
    archive = records.with_entries(
        archive, (part.raw for _, part in old), ARCHIVE_TITLE
    )
    # The archive also holds those lines it has no entry for, or notes below.
    known = {head.number for head, _ in records.entries_in(archive)}
    noted = (n for n in gone if n not in known or "\n" in lines[n].strip())
    archive = records.with_entries(archive, (lines[n] for n in noted), ARCHIVE_TITLE)
    opening, *parts = md.split_sections(text, records.is_entry)
    ours = [part for part in parts if _OURS.fullmatch(part.heading or "")]
    typed = (line for part in ours for line in md.split_lines(md.ended(part.body)))
    notes = (line for line in typed if line.strip() and not _ARCHIVED.match(line))
    numbers = archived.union(gone)
    told = f"- {_spans(numbers)}: archived\n" if numbers else ""
    summary = "".join(f"{lines[n].rstrip()}\n" for n in kept)
    block = (
        f"## Archived Reflections (see reflection-archive.md)\n{told}{''.join(notes)}\n"
        f"## Summary Lines ({span(kept)})\n{summary}\n"
        f"## Full Entries ({span(number for number in full if number > limit)})\n\n"
    )
    rest = [p.raw for p in parts if p not in ours and p.raw not in moved]
    start = records.spaced(opening.raw) or f"# {TITLE}\n\n"
    return start + md.newlines_like(start, block) + "".join(rest), archive


# --- milestones ---------------------------------------------------------------


class Milestone(Struct, frozen=True):
    """A reflection that is asked for more than the others: which, what and how."""

    number: int
    title: str
    task: str

    def __str__(self) -> str:
        return f"#{self.number} — {self.title}"


_TASKS = {
    (10, "First evolution summary"): "Say which patterns show by now, and what each of "
    "them rests on.",
    (25, "Review of the threads"): "Go through the threads of the evolution: close "
    "what is settled, join what belongs together.",
    (50, "Major synthesis"): "Say what has changed at the root since the first "
    "reflection, and what has not.",
    (100, "Deep retrospective"): "Write a “state of understanding” essay: what is "
    "known, how it came to be known, what stays open.",
}
MILESTONES = {key[0]: Milestone(*key, task) for key, task in _TASKS.items()}


def milestone_due(number: int, approved: int) -> Milestone | None:
    """The milestone that a reflection is; None for most.

    One that was declined or rejected does not count: the next one takes its place.

    Args:
        number: Which reflection it is.
        approved: The highest number among those that were approved.
    """
    due = [m for n, m in MILESTONES.items() if approved < n <= number]
    return due[-1] if due else None
