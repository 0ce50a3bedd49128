"""What every index keeps of a memory: its row, whose words it is, and for whom."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.index import Located
from reverie.markdown import (
    headline,
    one_line,
    parse_date,
    parse_fields,
    unescape_field,
)
from reverie.model import items
from reverie.model.conversation import REFLECTION
from reverie.model.ids import page_of
from reverie.model.items import Origin
from reverie.stores.episodes import CORRECTS, DONE, NOTED
from reverie.stores.turns import split_turn, standing
from reverie.workspace.layout import CORE

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from reverie.model.items import Entry
    from reverie.stores.reader import Reading
    from reverie.stores.relations import Vocabulary

BY = "by"
"""The field that says whose words an episode is."""

HEADER = 20
"""Lines at the top of a page in which its fields are looked for."""

DAY, APART = 24 * 60, 100
"""Minutes of a day; microseconds between places of two offsets from UTC."""

_SPEAKERS = {
    items.Role.USER: Origin.OWNER,
    items.Role.ASSISTANT: Origin.AGENT,
    items.Role.SYSTEM: Origin.SYSTEM,
}


def located(entry: items.Entry, path: str) -> Located:
    """What is kept of a memory that stands in a file."""
    item, aside, names, gone = entry.item, "", "", ""
    company, place, speaker, page, basis = "", 0, "", "", ""
    at: datetime | None = None
    title, text = entry.title, entry.text
    match item:
        case items.Turn():
            words = split_turn(item)
            # Like what holds no longer, pasted text is found, and is nobody's word.
            text, aside = words
            title = headline(words.own or words.pasted) or title
            at, names, speaker = item.at, item.field(REFLECTION), item.speaker
            # A window goes on in parts, whose lines begin anew.
            company, place = f"window {item.window}", standing(item)
        case items.Episode():
            at, company, place = item.at, f"day {path.rpartition('/')[2]}", entry.line
            waits = items.UNROUTED if items.UNROUTED in item.tags else ""
            unread = [items.UNFILED] if items.UNFILED in item.tags else []
            # What it corrects is told as past through it.
            behind = _field(item, "origin") or _field(item, CORRECTS)
            names = waits or "\n".join([*unread, behind])
            basis = _field(item, items.FROM)
        case items.Entity():
            at = _noon(item.updated or item.created)
            names = "\n".join((item.label, *item.aliases))
            aside = "\n".join(item.past)
            lost = ((f.forgotten, one_line(f.text)) for f in item.facts if f.forgotten)
            gone = "\n".join(f"{day} {text}" for day, text in lost)
        case items.Statement():
            fact, aside = item.fact, "\n".join(item.replaced)
            at = _noon(fact.on or fact.said or fact.since)
            page, basis = page_of(str(entry.id)), fact.basis
            days = (fact.since, item.due, fact.ends)
            names = " ".join(str(day or "") for day in days).rstrip()
        case items.Procedure():
            at = _noon(item.last_used or item.learned)
        case items.VaultNote():
            at = _noon(item.created)
            aside = "" if item.title in entry.text else item.title
        case items.Note():
            at, company, place = item.at, f"note {path}", entry.line
            aside = "" if item.title in entry.text else item.title
        case items.CoreItem():
            pass
    if isinstance(item, items.Episode) and (done := _field(item, DONE)):
        text = f"{text}\n(done: {done})"
    said = (str(entry.id), entry.id.store, path, entry.line, title, text)
    when = int(at.timestamp()) if at else None
    who = (scope(entry), origin(entry), gone)
    told = Located(*said, aside, names, when, *who, company, place, speaker, page)
    return told._replace(basis=basis) if basis else told


def fact_days(row: Located) -> tuple[date | None, date | None]:
    """Return since when a fact holds, and the later day on which it ends."""
    if not row.page:
        return None, None
    since, _, rest = row.names.partition(" ")
    return parse_date(since), parse_date(rest.partition(" ")[2])


_SCOPED = re.compile(rf"(?i)\|\s*{items.SCOPE}:((?:\\.|[^|\n›\\])*)")  # noqa: RUF001 - the mark is meant


def scope(entry: items.Entry) -> str:
    """The person that a memory is for alone; empty for everybody."""
    if isinstance(entry.item, items.Turn | items.Episode):
        return items.scope_name(items.scope_of(entry.item))
    if isinstance(entry.item, items.Statement):
        return items.scope_name(entry.item.scope)
    if isinstance(entry.item, items.Note):
        # The heading of an episode or a turn may be broken; whom it is for is not.
        heads = f"{entry.item.title}\n{entry.raw.partition(chr(10))[0]}"
        found = _SCOPED.search(heads)
        return items.scope_name(unescape_field(found[1])) if found else ""
    return items.scope_name(_header_field(entry.raw, items.SCOPE))


def origin(entry: items.Entry) -> Origin:
    """Whose words a memory is; what mixes several has the least trusted one."""
    match entry.item:
        case items.Turn(role=role, imported=imported) as turn:
            if imported:
                return Origin.IMPORT
            return _SPEAKERS[role] if split_turn(turn).own else Origin.PASTED
        case items.Episode() as item:
            by, source = _field(item, BY), item.source
        case items.Entity(facts=facts, source=source):
            found = [items.stated(f.by, f.source) for f in facts if f.current]
            page = _header_field(entry.raw, BY)
            has_text = entry.item.summary or entry.item.questions or entry.item.past
            found += [items.named(page)] if page and (has_text or not found) else []
            return items.least(found) if found else items.implied(source)
        case items.Statement(fact=fact, by=page):
            # The page says it only where the fact does not.
            says = fact.by or fact.source or not page
            return items.stated(fact.by, fact.source) if says else items.named(page)
        case items.Procedure() | items.VaultNote() as item:
            by, source = item.by, item.source
        case items.Note(source=source):
            by = ""
        case items.CoreItem(by=by):
            source = None
    return items.named(by) if by else items.implied(source)


_MARKS = re.compile(r"^\s*(?:\d+[.)]|[-*+])\s|\[\[|\]\]")


def statement(line: str) -> str:
    """A line as it is compared with others: without the marks of lists and links."""
    return _MARKS.sub("", line).strip()


def own_pin(item: items.Item) -> bool | None:
    """Whether the file itself says that the memory is pinned; None if it cannot."""
    if isinstance(item, items.Episode | items.Note | items.Turn | items.Statement):
        return None
    return isinstance(item, items.VaultNote) or item.pinned


def noted(item: items.Item) -> datetime | None:
    """The day on which something of the past was written down, where it says so."""
    if not isinstance(item, items.Episode):
        return None
    day = parse_date(_field(item, NOTED))
    return datetime.combine(day, time(), item.at.tzinfo) if day else None


def places(entry: items.Entry) -> tuple[int | None, int | None]:
    """The places of an episode by when it happened and by when it was learned of.

    Those of one minute are one microsecond apart, further where they were written at
    other offsets from UTC. Of what was told late only the day is known: such stand in
    that day's first minutes, in the order of their hours. What a reflection moved into
    the log is nothing to be learned.
    """
    if not isinstance(entry.item, items.Episode):
        return None, None
    at, nth = entry.item.at, int(entry.id.name.partition("~")[2] or 1) - 1
    away = (at.utcoffset() or timedelta()) // timedelta(minutes=1) % DAY
    minute = micros(at)
    place = minute + away * APART + nth
    told = noted(entry.item)
    if entry.item.source is items.Source.REFLECTION:
        return place, None
    if told is None or told.date() <= at.date():
        return place, place
    return place, micros(told) + minute // 3_600_000_000 * 1000 + min(nth, 999)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(moment: datetime) -> int:
    """A moment in microseconds, as places among the episodes are told."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(moment: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


def _field(item: items.Episode, name: str) -> str:
    return next((value for key, value in item.more if key == name), "")


def _noon(day: date | None) -> datetime | None:
    return datetime.combine(day, time(12), UTC) if day else None


def _header_field(raw: str, name: str) -> str:
    """A field in the comments at the top of a page."""
    for line in raw.split("\n", HEADER)[:HEADER]:
        comment = line.strip()
        if comment.startswith("<!--") and comment.endswith("-->"):
            fields = parse_fields(comment[4:-3])
            found = next((v for k, v in fields if k.casefold() == name), "")
            if found:
                return found
    return ""


# --- a file as the index shows it ----------------------------------------------


def read_shown(path: str, data: bytes, vocabulary: Vocabulary) -> Reading:
    """Read a file as the index may show it, with `[redacted: …]` for its secrets.

    What goes through Reverie has passed the gate; what an editor saved has not. The
    file stays as it is; whatever is recalled, told or embedded has no secret in it.
    """
    from reverie.secrets import find_secrets, pieces_of, screened  # noqa: PLC0415
    from reverie.stores.reader import (  # noqa: PLC0415 - not for who recalls
        read_file,
        readable_part,
        within_limit,
    )

    reading = within_limit(path, read_file(path, data, vocabulary))
    text = readable_part(_outside(path, data))
    if not (reading.entries or reading.edges) or not find_secrets(text):
        return reading
    pieces = pieces_of(text)
    entries, edges = screened(reading.entries, pieces), screened(reading.edges, pieces)
    return replace(reading, entries=entries, edges=edges)


def read_served(
    path: str,
    data: bytes | None,
    confirmed: tuple[bytes, ...],
    vocabulary: Vocabulary,
    stands_elsewhere: Callable[[str], bool] = lambda _: False,
) -> Reading:
    """Read a file as the index shows it.

    Args:
        path: The file.
        data: What it holds; None if there is none.
        confirmed: The last version that the owner confirmed, if an edit waits for
            them. A memory of this version is read from it; what only the edit has
            comes behind.
        vocabulary: Names of relations.
        stands_elsewhere: Returns whether another file has a memory of an ID, which an
            edit that waits does not hide.
    """
    from reverie.stores.reader import Reading  # noqa: PLC0415 - not for who recalls

    now = read_shown(path, data, vocabulary) if data is not None else Reading()
    if not confirmed:
        return now
    lines = {entry.id: entry.line for entry in now.entries}
    good = [
        replace(entry, line=lines.get(entry.id, entry.line))
        for entry in (
            read_shown(path, confirmed[0], vocabulary).entries if confirmed[0] else ()
        )
    ]
    known = {entry.id for entry in good}
    more = (
        entry
        for entry in now.entries
        if entry.id not in known and not stands_elsewhere(str(entry.id))
    )
    return replace(now, entries=(*good, *more))


def appended_shown(path: str, old: bytes, new: bytes) -> tuple[Entry, ...] | None:
    """Read what was added to a log as the index may show it; see `read_appended`."""
    from reverie.secrets import find_secrets, pieces_of, screened  # noqa: PLC0415
    from reverie.stores.reader import read_appended  # noqa: PLC0415

    more = read_appended(path, old, new)
    text = _outside(path, new[len(old) :])
    return screened(more, pieces_of(text)) if more and find_secrets(text) else more


_OWN_MARK = re.compile(r"(?i)\bsource: ?user-explicit\b|(?<=\| )turn:\d+")


def _outside(path: str, data: bytes) -> str:
    """A text without our own words: what core memory begins with, "user-explicit".

    Some are words for secrets: every first write of a process would load the rules
    for them, which takes longer than the write.
    """
    from reverie.stores.core import without_template  # noqa: PLC0415 - who writes

    text = _OWN_MARK.sub("", data.decode("utf-8", "replace"))
    return without_template(text) if path == CORE else text


def pins_in(path: str, data: bytes | None) -> frozenset[str]:
    """The memories in a file that the file itself says are pinned."""
    from reverie.stores.reader import load_vocabulary, read_file  # noqa: PLC0415 - rarely used

    reading = read_file(path, data or b"", load_vocabulary(None))
    return frozenset(str(entry.id) for entry in reading.entries if own_pin(entry.item))
