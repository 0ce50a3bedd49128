"""What the index keeps of a memory besides its words: when, with whom, what shape."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.passages import MOST, cut, listen
from reverie.markdown import one_line, parse_fields
from reverie.model.conversation import REFLECTION
from reverie.model.items import (
    UNROUTED,
    CoreItem,
    Entity,
    Episode,
    Procedure,
    Role,
    Source,
    Turn,
    VaultNote,
)
from reverie.model.origin import (
    SCOPE,
    Origin,
    implied,
    least,
    named,
    scope_name,
    scope_of,
)
from reverie.stores.turns import standing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from reverie.index.passages import Passage
    from reverie.model.items import Edge, Entry, Item

SHAPE = struct.Struct("<HHBBBB")
"""Of a passage: stems stated and asked, shares of own and asking, cues, words."""

BY = "by"
"""The field that says whose words an episode is."""

_SOURCES = frozenset(Source)
_SPEAKERS = {
    Role.USER: Origin.OWNER,
    Role.ASSISTANT: Origin.AGENT,
    Role.SYSTEM: Origin.SYSTEM,
}

HEADER = 20
"""Lines at the top of a page in which its fields are looked for."""


class Company(NamedTuple):
    """Which memories belong together, and in what order: a conversation, a day."""

    name: str
    place: int
    speaker: str


class Values(NamedTuple):
    """All of a memory that an answer can show, as it is kept."""

    id: str
    store: str
    path: str
    line: int
    title: str
    text: str
    aside: str
    names: str
    at: int | None
    scope: str
    origin: str
    gone: str
    company: str
    place: int
    speaker: str


def values(entry: Entry, path: str) -> Values:
    """What is kept of a memory."""
    among = company(entry, path)
    return Values(
        str(entry.id),
        str(entry.id.store),
        path,
        entry.line,
        entry.title,
        entry.text,
        aside(entry),
        names(entry),
        moment(entry.item),
        scope(entry),
        str(origin(entry)),
        gone(entry),
        among.name,
        among.place,
        among.speaker,
    )


def edge_values(edge: Edge) -> tuple[str, ...]:
    """What is kept of a relation."""
    first = edge.first_seen.isoformat() if edge.first_seen else ""
    return (edge.origin, edge.relation, edge.target, str(edge.confidence), first)


def shape(found: Iterable[Passage]) -> bytes:
    """The measures of some passages, packed."""
    return b"".join(
        SHAPE.pack(
            min(sum(p.stated.values()), 65535),
            min(sum(p.asked.values()), 65535),
            _share(p.own, p.words),
            _share(p.asking, p.words),
            p.cues,
            min(p.words, 255),
        )
        for p in found
    )


def _share(part: int, whole: int) -> int:
    return round(255 * part / whole) if whole else 0


def moment(item: Item) -> int | None:
    """When it happened or was last written, in seconds; None if nobody knows."""
    match item:
        case Episode() | Turn():
            at = item.at
        case Entity():
            at = _noon(item.updated or item.created)
        case Procedure():
            at = _noon(item.last_used or item.learned)
        case VaultNote():
            at = _noon(item.created)
        case CoreItem():
            at = None
    return int(at.timestamp()) if at else None


def _noon(day: date | None) -> datetime | None:
    return datetime.combine(day, time(12), UTC) if day else None


def company(entry: Entry, path: str) -> Company:
    """What a memory stands among."""
    match entry.item:
        case Turn(window=window, speaker=speaker) as turn:
            # A window goes on in parts, whose lines begin anew.
            return Company(f"window {window}", standing(turn), speaker)
        case Episode():
            return Company(f"day {path.rpartition('/')[2]}", entry.line, "")
        case _:
            return Company("", 0, "")


def scope(entry: Entry) -> str:
    """The person that a memory is for alone; empty for everybody."""
    match entry.item:
        case Turn() | Episode() as item:
            return scope_name(scope_of(item))
        case _:
            return scope_name(_header_field(entry.raw, SCOPE))


def origin(entry: Entry) -> Origin:
    """Whose words a memory is; what mixes several has the least trusted one."""
    match entry.item:
        case Turn(role=role, imported=imported):
            return Origin.IMPORT if imported else _SPEAKERS[role]
        case Episode(more=more, source=source):
            said = next((value for key, value in more if key == BY), "")
            return _named(said, source)
        case Entity(facts=facts, source=source):
            found = [_named(f.by, _source(f.source)) for f in facts if f.current]
            page = _header_field(entry.raw, BY)
            found += [named(page)] if page else []
            return least(found) if found else implied(source)
        case Procedure(by=by, source=source) | VaultNote(by=by, source=source):
            return _named(by, source)
        case CoreItem(by=by):
            return _named(by, None)


def _named(said: str, source: Source | None) -> Origin:
    return named(said) if said else implied(source)


def _source(said: str) -> Source | None:
    return Source(said) if said in _SOURCES else None


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


def aside(entry: Entry) -> str:
    """What a search should find too, although the text does not say it now."""
    match entry.item:
        case Entity(facts=facts):
            gone = (f.text for f in facts if not f.current and not f.forgotten)
            return "\n".join(gone)
        case VaultNote(title=title) if title not in entry.text:
            return title
        case _:
            return ""


def gone(entry: Entry) -> str:
    """What its human asked to forget: the day and the words, a fact a line."""
    match entry.item:
        case Entity(facts=facts):
            lost = ((f.forgotten, one_line(f.text)) for f in facts if f.forgotten)
            return "\n".join(f"{day} {text}" for day, text in lost)
        case _:
            return ""


def names(entry: Entry) -> str:
    """What an entity is called, one name a line; what an import came from.

    Of a context reflection, what started it; of what waits for a mind, that it does.
    """
    match entry.item:
        case Entity(label=label, aliases=aliases):
            return "\n".join((label, *aliases))
        case Episode(tags=tags) if UNROUTED in tags:
            return UNROUTED
        case Episode(more=more):
            return next((value for key, value in more if key == "origin"), "")
        case Turn() as turn:
            return turn.field(REFLECTION)
        case _:
            return ""


def pieces(text: str, aside: str) -> list[str]:
    """The texts of a memory's passages; what is aside comes in passages of its own."""
    beside = cut(aside, MOST // 2) if aside else []
    return cut(text, MOST - len(beside)) + beside


def heard(text: str, aside: str) -> list[Passage]:
    """The passages of a memory, listened to."""
    return [listen(piece) for piece in pieces(text, aside)]
