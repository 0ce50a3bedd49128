"""Day logs: one file a day, one entry an event, only ever appended (design, 5)."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.errors import RefusedError
from reverie.model import items
from reverie.model.ids import ItemId, Kind, MissingItemError
from reverie.model.items import (
    EARLIEST,
    FOREIGN,
    LATEST,
    Confidence,
    Entry,
    Episode,
    EpisodeKind,
    Finding,
    Source,
    stated,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


EXPECTED = "expected '## HH:MM | kind | confidence:LEVEL | tags:[…]'"

NOTED = "noted"
"""The field that says on which day something of the past was written down."""

DONE = "done"
"""The field of an entry whose plan is done, with the day."""

CORRECTED, CORRECTED_BY, CORRECTS = "corrected", "corrected-by", "corrects"
"""The fields of an entry that was corrected, on which day and by which other one, and
of the one that did it."""

NO_TIME = ("time", "unknown")
"""The field of an entry of which only the day is known; its heading says noon."""

_OURS = {
    "confidence": re.compile("|".join(Confidence)),
    "tags": re.compile(r"\[.*\]"),
    "source": re.compile("|".join(Source)),
    "n": re.compile(r"[1-9][0-9]{0,5}"),
    "offset": re.compile(r"[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]"),
}
"""The fields of a heading, and what they may say; all else is kept as it is."""

_GIVEN = re.compile(r"\| n:([1-9][0-9]{0,5})(?= \||\r?$)")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})")


FULL_DAY = 256 << 10
"""Bytes from which on a day's log goes on in a further part."""


class DayLog(Struct, frozen=True):
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
    parts: tuple[md.Section, ...]
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def form_lines(self) -> set[int]:
        """The line of a title that only says the day."""
        top = md.split_lines(self.parts[0].raw)
        first = next(
            (n for n, line in enumerate(top, 1) if line.strip("\ufeff \r\n")), 0
        )
        title = md.parse_title(self.parts[0].raw) or ""
        own = self.day is not None and title in {
            self.day.isoformat(),
            new_day(self.day)[2:].strip(),
        }
        return {first} if own else set()


def day_name(day: date, part: int = 1) -> str:
    """The file name of a day; a day with very much to tell goes on in parts."""
    return f"{day.isoformat()}.md" if part == 1 else f"{day.isoformat()}~{part}.md"


def day_of(path: str) -> date | None:
    """The day that a file name says."""
    stem = md.stem(path)
    return md.parse_date(stem.partition("~")[0])


def noted(at: datetime, now: datetime) -> tuple[tuple[str, str], ...]:
    """The field for an episode that is written down later than it happened."""
    minute = now.replace(second=0, microsecond=0)
    return ((NOTED, now.date().isoformat()),) if at < minute else ()


def new_day(day: date) -> str:
    """The text of a day's file before anything happened."""
    return f"# {day.isoformat()} — Episode Log\n"


def parse_day(text: str, path: str) -> DayLog:
    """Read a day's file, whatever is in it."""
    day = day_of(path)
    parts = md.split_sections(text, lambda words: not _problem(words))
    findings = [*_find_title(parts[0], day, path), *md.find_conflicts(text, path)]
    for part in parts[1:]:
        problem = _problem(part.heading or "")
        if problem:
            mild = items.Severity.WARNING
            findings.append(Finding(path, part.line, *problem, mild))
    entries = _entries(parts[1:], day, Counter()) if day else ()
    return DayLog(path, day, parts, entries, tuple(sorted(findings)))


def _find_title(opening: md.Section, day: date | None, path: str) -> Iterator[Finding]:
    title = md.parse_title(opening.raw) or ""
    if day is None:
        mend = "Rename it to the day it tells of, or move it elsewhere."
        what = "the file name is not a day (YYYY-MM-DD.md): it is read as notes"
        yield Finding(path, 0, what, mend, items.Severity.WARNING)
    elif md.parse_date(title[:10]) != day:
        what = f"the title does not say {day.isoformat()}, the day of the file"
        mend = f"Write '{new_day(day).strip()}' as the first line."
        yield Finding(path, 1, what, mend, items.Severity.WARNING)


def parse_more(text: str, path: str, known: str) -> tuple[Entry, ...]:
    """Read only the entries that were appended to a text read before.

    Args:
        text: The whole text of a day's file.
        path: Path inside the workspace.
        known: What it began with before; must end where an entry can begin.
    """
    day, above = day_of(path), known.count("\n")
    parts = md.split_sections(text[len(known) :], lambda words: not _problem(words))[1:]
    if day is None:
        return ()
    moved = tuple(replace(part, line=part.line + above) for part in parts)
    minutes = {part.heading[:5] for part in parts if part.heading}
    seen = {f"{day.isoformat()}:{each}": last_number(known, each) for each in minutes}
    return _entries(moved, day, Counter(seen))


def begins(line: str) -> bool:
    """Whether a line of a file begins an entry, whatever stands above it."""
    words = md.heading(line)
    return words is not None and not _problem(words)


def last_number(text: str, minute: str) -> int:
    """Return the highest number that an entry of a minute has; 0 if there is none."""
    last, lines = 0, f"\n{text}".split(f"\n## {minute}")[1:]
    for words in (minute + line.partition("\n")[0] for line in lines):
        # A number that a broken heading gives is left out too, which does no harm.
        given = _GIVEN.search(words)
        if given:
            last = max(last, int(given[1]))
        elif not _problem(words):
            last += 1
    return last


def _entries(
    parts: tuple[md.Section, ...], day: date, seen: Counter[str]
) -> tuple[Entry, ...]:
    """The episodes in some sections, numbered on from those of the same minute."""
    entries: dict[str, Entry] = {}
    for part in parts:
        if _problem(part.heading or ""):
            continue
        episode, number = _parse_episode(part, day)
        minute = f"{episode.at:%Y-%m-%d:%H:%M}"
        number = number or seen[minute] + 1
        while (name := f"{minute}~{number}" if number > 1 else minute) in entries:
            number += 1
        seen[minute] = max(seen[minute], number)
        text = episode.text
        title = md.headline(text) or f"{episode.kind} at {episode.at:%H:%M}"
        item_id = ItemId(Kind.EPISODE, name)
        entries[name] = Entry(item_id, episode, part.line, text, title, part.raw)
    return tuple(entries.values())


def _problem(heading: str) -> tuple[str, str] | None:
    """What keeps a heading from starting an entry, and how to mend it."""
    parts = [part.strip() for part in md.split_fields(heading)]
    clock = _TIME.fullmatch(parts[0])
    levels = [p for p in parts[2:] if p.startswith("confidence:")]
    if not clock or not levels:
        mend = "It is read as a note. Write the heading so, and it is an episode."
        return EXPECTED, mend
    if int(clock[1]) > 23 or int(clock[2]) > 59:
        return f"{parts[0]} is not a time of day", "Write it as HH:MM."
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


def _parse_episode(part: md.Section, day: date) -> tuple[Episode, int]:
    """Read an entry that has no `_problem`, and its number in its minute, if given."""
    clock, kind, *rest = (each.strip() for each in md.split_fields(part.heading or ""))
    known: dict[str, str] = {}
    more: list[tuple[str, str]] = []
    for key, _, said in (each.partition(":") for each in rest):
        name, value = key.strip(), said.strip()
        ours = name in _OURS and _OURS[name].fullmatch(value)
        if ours and name not in known:
            known[name] = value
        elif name and not (ours and name == "n"):
            more.append((name, md.unescape_field(value)))
    tags = map(md.unescape_field, md.split_fields(known.get("tags", "")[1:-1], ","))
    episode = Episode(
        _moment(day, clock, known.get("offset", "")),
        EpisodeKind(kind),
        Confidence(known["confidence"]),
        "",
        tuple(filter(None, tags)),
        Source(known["source"]) if "source" in known else None,
        tuple(more),
    )
    text = md.visible(md.unquoted(part.body) if _is_foreign(episode) else part.body)
    if any(key == CORRECTED for key, _ in more):
        text = re.sub(r"\A~~\n?(.*?)\n?~~\Z", r"\1", text, flags=re.DOTALL).strip()
    return replace(episode, text=text), int(known.get("n", 0))


def _moment(day: date, clock: str, offset: str) -> datetime:
    """The moment of an entry, as far from UTC as it says; in UTC if it says nothing."""
    at = datetime.combine(day, time.fromisoformat(clock), UTC)
    if not offset or not EARLIEST <= day.year <= LATEST:
        return at
    hours, minutes = int(offset[1:3]), int(offset[4:])
    away = timedelta(hours=hours, minutes=minutes)
    return at.replace(tzinfo=timezone(-away if offset[0] == "-" else away))


def render_episode(episode: Episode, number: int = 1) -> str:
    """Write one entry; white space at the edges of its text is dropped.

    Its time is written to the minute, with how far it is from UTC if it is. From the
    second entry of a minute on its number is written too, so that its id outlives the
    removal of an earlier one.
    """
    tags = ", ".join(md.escape_field(tag, ",]") for tag in episode.tags)
    fields = [
        f"{episode.at:%H:%M}",
        episode.kind,
        f"confidence:{episode.confidence}",
        f"tags:[{tags}]",
    ]
    if episode.source:
        fields.append(f"source:{episode.source}")
    if episode.at.utcoffset():
        fields.append(f"offset:{episode.at.isoformat()[-6:]}")
    if number > 1:
        fields.append(f"n:{number}")
    fields += [f"{key}:{md.escape_field(value)}" for key, value in episode.more]
    text = md.escape(episode.text)
    if text and _is_foreign(episode):
        text = md.quoted(text)
    return f"## {' | '.join(fields)}\n" + (f"{text}\n" if text else "")


def append_episode(text: str, episode: Episode, *, last: int = 0) -> str:
    """A day's text with one more entry below all others; the rest stays as it was.

    The text is not read but for entries of the same minute: what it costs hardly
    grows with what the day has seen.

    Args:
        text: The day's text so far.
        episode: What happened.
        last: The highest number of that minute in earlier parts of the day.
    """
    at = episode.at
    number = max(last, last_number(text, f"{at:%H:%M}")) + 1
    return append_entries(text, at.date(), [render_episode(episode, number)])


def append_entries(text: str, day: date, entries: Iterable[str]) -> str:
    """A day's text with entries, rendered and numbered already, below all others."""
    text = md.ended(text)
    if not text.strip():
        text += new_day(day)
    if not text.endswith(("\n\n", "\n\r\n")):
        text += md.newlines_like(text, "\n")
    return text + md.newlines_like(text, "\n".join(entries))


class CorrectedAlreadyError(RefusedError):
    """An entry was corrected before."""

    says = "{} was corrected already, by {}"
    mend = "Correct that one."


class DoneAlreadyError(RefusedError):
    """The plan of an entry was marked as done before."""

    says = "{} was done already, on {}"


def mark_done(text: str, path: str, name: str, day: date) -> str:
    """Return a day's text in which the plan of an entry is marked as done.

    Args:
        text: The day's text.
        path: Path inside the workspace.
        name: The ID of the entry.
        day: The day it was done.

    Raises:
        MissingItemError: It has no such entry.
        CorrectedAlreadyError: The entry was corrected before.
        DoneAlreadyError: The entry was marked before.
    """
    entry = next((e for e in parse_day(text, path).entries if str(e.id) == name), None)
    if entry is None or not isinstance(entry.item, Episode):
        raise MissingItemError(name, path)
    fields = dict(entry.item.more)
    if other := fields.get(CORRECTED_BY):
        raise CorrectedAlreadyError(name, other)
    if earlier := fields.get(DONE):
        raise DoneAlreadyError(name, earlier)
    lines = md.split_lines(text)
    head = lines[entry.line - 1]
    lines[entry.line - 1] = (
        f"{head.rstrip()} | {DONE}:{day.isoformat()}{head[len(head.rstrip()) :]}"
    )
    return "".join(lines)


def strike_out(text: str, path: str, name: str, day: date, by: str) -> str:
    """A day's text in which an entry is struck out; the rest stays as it was.

    Args:
        text: The day's text.
        path: Path inside the workspace.
        name: The id of the entry.
        day: The day it was corrected.
        by: The id of the entry that says what is true.

    Raises:
        MissingItemError: It has no such entry.
        CorrectedAlreadyError: It was corrected before.
    """
    entry = next((e for e in parse_day(text, path).entries if str(e.id) == name), None)
    if entry is None or not isinstance(entry.item, Episode):
        raise MissingItemError(name, path)
    if other := dict(entry.item.more).get(CORRECTED_BY):
        raise CorrectedAlreadyError(name, other)
    head, _, body = entry.raw.partition("\n")
    said = body.strip()
    mark = "> " if _is_foreign(entry.item) else ""
    bare = said.removeprefix(mark)
    # Signs at the beginning of a line mean something; they stay at the beginning.
    plain = bare[:1].isalnum() and "\n" not in bare and not bare.endswith("~")
    apart = "" if plain else f"\n{mark}"
    struck = f"{mark}~~{apart}{bare}{apart}~~" if bare else ""
    fields = f" | {CORRECTED}:{day.isoformat()} | {CORRECTED_BY}:{md.escape_field(by)}"
    end = body[len(body.rstrip()) :]
    fresh = f"{head.rstrip()}{fields}\n{struck}{end}"
    lines = md.split_lines(text)
    count = len(md.split_lines(entry.raw))
    before, after = lines[: entry.line - 1], lines[entry.line - 1 + count :]
    return "".join((*before, md.newlines_like(text, fresh), *after))
