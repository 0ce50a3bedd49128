"""Day logs: one file a day, one entry an event, only ever appended (design, 5)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import (
    Section,
    ended,
    escape,
    escape_field,
    find_conflicts,
    headline,
    newlines_like,
    parse_date,
    parse_title,
    quoted,
    split_fields,
    split_lines,
    split_sections,
    unescape_field,
    unquoted,
    visible,
)
from reverie.markdown import heading as heading_of
from reverie.model.ids import ItemId, Kind, MissingItemError
from reverie.model.items import (
    Confidence,
    Entry,
    Episode,
    EpisodeKind,
    Finding,
    Severity,
    Source,
)
from reverie.model.origin import FOREIGN, stated

if TYPE_CHECKING:
    from collections.abc import Iterable


EXPECTED = "expected '## HH:MM | kind | confidence:LEVEL | tags:[…]'"

NOTED = "noted"
"""The field that says on which day something of the past was written down."""

_NUMBER = re.compile(r"n:([1-9][0-9]{0,5})")
_GIVEN = re.compile(r"\| n:([1-9][0-9]{0,5})(?= \||\r?$)")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})")


class WrongDayError(RefusedError):
    """An episode of one day was to be written into the log of another."""

    def __init__(self, at: datetime, path: str) -> None:
        super().__init__(
            f"an episode of {at:%Y-%m-%d} (UTC) does not belong into {path}",
            hint=f"Write it into {day_name(at.date())}.",
        )


@dataclass(frozen=True, slots=True)
class DayLog:
    """The file of one day.

    Attributes:
        path: Path inside the workspace.
        day: The day its file name says; None where it says none.
        parts: All sections, the readable and the unreadable.
        entries: The episodes, in the order written.
        findings: What is wrong in it.
    """

    path: str
    day: date | None
    parts: tuple[Section, ...]
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def day_name(day: date, part: int = 1) -> str:
    """The file name of a day; a day with very much to tell goes on in parts."""
    return f"{day.isoformat()}.md" if part == 1 else f"{day.isoformat()}~{part}.md"


def day_of(path: str) -> date | None:
    """The day that a file name says."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    return parse_date(stem.partition("~")[0])


def noted(at: datetime, now: datetime) -> tuple[tuple[str, str], ...]:
    """The field for an episode of another day than the one it is written on."""
    day = now.astimezone(UTC).date()
    return ((NOTED, day.isoformat()),) if at.astimezone(UTC).date() < day else ()


def new_day(day: date) -> str:
    """The text of a day's file before anything happened."""
    return f"# {day.isoformat()} — Episode Log\n"


def parse_day(text: str, path: str) -> DayLog:
    """Read a day's file, whatever is in it."""
    day = day_of(path)
    parts = split_sections(text, lambda words: not _problem(words))
    findings = [*_title_findings(parts[0], day, path), *find_conflicts(text, path)]
    for part in parts[1:]:
        problem = _problem(part.heading or "")
        if problem:
            findings.append(Finding(path, part.line, *problem))
    entries = _entries(parts[1:], day, Counter()) if day else ()
    return DayLog(path, day, parts, entries, tuple(sorted(findings)))


def render_day(log: DayLog) -> str:
    """Give back the text a log was read from."""
    return "".join(part.raw for part in log.parts)


def _title_findings(opening: Section, day: date | None, path: str) -> list[Finding]:
    if day is None:
        mend = "Rename it to the day it tells of, or move it elsewhere."
        return [Finding(path, 0, "the file name is not a day (YYYY-MM-DD.md)", mend)]
    title = parse_title(opening.raw)
    mend = f"Write '{new_day(day).strip()}' as the first line."
    if title is None:
        return [Finding(path, 1, "the title is missing", mend, Severity.WARNING)]
    if parse_date(title[:10]) == day:
        return []
    lines = split_lines(opening.raw)
    line = next(n for n, line in enumerate(lines, 1) if line.strip("\ufeff \t\r\n"))
    what = f"the title does not say {day.isoformat()}, the day of the file"
    return [Finding(path, line, what, mend, Severity.WARNING)]


def parse_more(text: str, path: str, known: str) -> tuple[Entry, ...]:
    """Read only the entries that were appended to a text read before.

    Args:
        text: The whole text of a day's file.
        path: Path inside the workspace.
        known: What it began with before; must end where an entry can begin.
    """
    day = day_of(path)
    more = text[len(known) :]
    parts = split_sections(more, lambda words: not _problem(words))[1:]
    if day is None or not parts:
        return ()
    above = known.count("\n")
    moved = tuple(replace(part, line=part.line + above) for part in parts)
    minutes = {part.heading[:5] for part in parts if part.heading}
    return _entries(moved, day, _counts(known, day, minutes))


def begins(line: str) -> bool:
    """Whether a line of a file begins an entry, whatever stands above it."""
    words = heading_of(line)
    return words is not None and not _problem(words)


def last_number(text: str, minute: str) -> int:
    """The highest number that an entry of some minute has; 0 if there is none."""
    last = 0
    for words in re.findall(rf"^## ({re.escape(minute)}.*)$", text, re.MULTILINE):
        # A number that a broken heading gives is left out too, which does no harm.
        given = _GIVEN.search(words)
        if given:
            last = max(last, int(given[1]))
        elif not _problem(words):
            last += 1
    return last


def _counts(text: str, day: date, minutes: Iterable[str]) -> Counter[str]:
    """The highest numbers that a text has for some minutes."""
    names = {f"{day.isoformat()}:{minute}": minute for minute in minutes}
    return Counter({name: last_number(text, m) for name, m in names.items()})


def _number(heading: str) -> int:
    """The number an entry was given among those of its minute; 0 if none."""
    for part in split_fields(heading):
        if found := _NUMBER.fullmatch(part.strip()):
            return int(found[1])
    return 0


def _entries(
    parts: tuple[Section, ...], day: date, seen: Counter[str]
) -> tuple[Entry, ...]:
    """The episodes in some sections, numbered on from those of the same minute."""
    entries: list[Entry] = []
    taken: set[str] = set()
    for part in parts:
        heading = part.heading or ""
        if _problem(heading):
            continue
        episode = _parse_episode(heading, day)
        foreign = _is_foreign(episode)
        text = visible(unquoted(part.body) if foreign else part.body)
        episode = replace(episode, text=text)
        minute = f"{episode.at:%Y-%m-%d:%H:%M}"
        number = _number(heading) or seen[minute] + 1
        while (name := _name(minute, number)) in taken:
            number += 1
        seen[minute] = max(seen[minute], number)
        taken.add(name)
        title = headline(episode.text) or f"{episode.kind} at {episode.at:%H:%M}"
        item_id = ItemId(Kind.EPISODE, name)
        entries.append(
            Entry(item_id, episode, part.line, episode.text, title, part.raw)
        )
    return tuple(entries)


def _name(minute: str, number: int) -> str:
    return f"{minute}~{number}" if number > 1 else minute


def _problem(heading: str) -> tuple[str, str] | None:
    """What keeps a heading from starting an entry, and how to mend it."""
    parts = [part.strip() for part in split_fields(heading)]
    clock = _TIME.fullmatch(parts[0])
    levels = [p for p in parts[2:] if p.startswith("confidence:")]
    if not clock or not levels:
        return EXPECTED, "Write the heading so, or make it a level-three heading."
    if int(clock[1]) > 23 or int(clock[2]) > 59:
        return f"{parts[0]} is not a time of day", "Write it as HH:MM, in UTC."
    if parts[1] not in EpisodeKind.__members__.values():
        return f"unknown kind {parts[1]!r}", f"Use one of {', '.join(EpisodeKind)}."
    level = levels[0].partition(":")[2].strip()
    if level not in Confidence.__members__.values():
        return f"unknown confidence {level!r}", f"Use one of {', '.join(Confidence)}."
    return None


def _is_foreign(episode: Episode) -> bool:
    """Whether an episode is somebody else's words, which stand there as a quotation."""
    by = next((value for key, value in episode.more if key == "by"), "")
    return stated(by, episode.source or "") in FOREIGN


def _parse_episode(heading: str, day: date) -> Episode:
    """Read the heading of an entry; it has no `_problem`."""
    clock, kind, *rest = (part.strip() for part in split_fields(heading))
    at = datetime.combine(day, time(int(clock[:2]), int(clock[3:])), UTC)
    episode = Episode(at, EpisodeKind(kind), Confidence.HIGH, "")
    pairs = [part.partition(":") for part in rest]
    fields = [(key.strip(), value.strip()) for key, _, value in pairs]
    level = next(value for key, value in fields if key == "confidence")
    fields.remove(("confidence", level))
    tags = next((v for k, v in fields if k == "tags" and _bracketed(v)), None)
    if tags is not None:
        fields.remove(("tags", tags))
    source = next((v for k, v in fields if k == "source" and v in _SOURCES), None)
    if source is not None:
        fields.remove(("source", source))
    fields = [f for f in fields if not _NUMBER.fullmatch(":".join(f))]
    return replace(
        episode,
        confidence=Confidence(level),
        tags=_parse_tags(tags or "[]"),
        source=Source(source) if source else None,
        more=tuple((key, unescape_field(value)) for key, value in fields if key),
    )


_SOURCES = frozenset(Source)


def _bracketed(value: str) -> bool:
    return value.startswith("[") and value.endswith("]")


def _parse_tags(value: str) -> tuple[str, ...]:
    tags = (unescape_field(tag) for tag in split_fields(value[1:-1], ","))
    return tuple(tag for tag in tags if tag)


def render_episode(episode: Episode, number: int = 1) -> str:
    """Write one entry; white space at the edges of its text is dropped.

    Its time is written in UTC, to the minute. From the second entry of a minute on
    its number is written too, so that its id outlives the removal of an earlier one.
    """
    tags = ", ".join(escape_field(tag, ",]") for tag in episode.tags)
    fields = [
        f"{episode.at.astimezone(UTC):%H:%M}",
        episode.kind,
        f"confidence:{episode.confidence}",
        f"tags:[{tags}]",
    ]
    if episode.source:
        fields.append(f"source:{episode.source}")
    if number > 1:
        fields.append(f"n:{number}")
    fields += [f"{key}:{escape_field(value)}" for key, value in episode.more]
    text = escape(episode.text)
    if text and _is_foreign(episode):
        text = quoted(text)
    return f"## {' | '.join(fields)}\n" + (f"{text}\n" if text else "")


def append_episode(text: str, episode: Episode, path: str, *, last: int = 0) -> str:
    """A day's text with one more entry below all others; the rest stays as it was.

    The text is not read but for entries of the same minute: what it costs hardly
    grows with what the day has seen.

    Args:
        text: The day's text so far.
        episode: What happened.
        path: Path inside the workspace.
        last: The highest number of that minute in earlier parts of the day.
    """
    at = episode.at.astimezone(UTC)
    if at.date() != day_of(path):
        raise WrongDayError(at, path)
    number = max(last, last_number(text, f"{at:%H:%M}")) + 1
    return append_entries(text, at.date(), [render_episode(episode, number)])


def append_entries(text: str, day: date, entries: Iterable[str]) -> str:
    """A day's text with entries, rendered and numbered already, below all others."""
    text = ended(text)
    if not text.strip():
        text += new_day(day)
    if not text.endswith(("\n\n", "\n\r\n")):
        text += newlines_like(text, "\n")
    return text + newlines_like(text, "\n".join(entries))


def remove_entry(log: DayLog, item_id: ItemId) -> DayLog:
    """A log without an entry, as if it had never been written."""
    lines = {entry.line for entry in log.entries if entry.id == item_id}
    if not lines:
        raise MissingItemError(item_id, log.path)
    kept = (
        part.raw for part in log.parts if part.line not in lines or part.heading is None
    )
    return parse_day("".join(kept), log.path)
