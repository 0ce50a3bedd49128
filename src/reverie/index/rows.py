"""What the index keeps of a memory besides its words: when, with whom, what shape."""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, NamedTuple

from reverie.model.items import CoreItem, Entity, Episode, Procedure, Turn, VaultNote

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from reverie.index.passages import Passage
    from reverie.model.items import Entry, Item, Role

SHAPE = struct.Struct("<HHBBBB")
"""Of a passage: stems stated and asked, shares of own and asking, cues, words."""

_SCOPE = re.compile(r"<!--[^>]*?\bScope:\s*([^|>]+?)\s*(?:\||-->)")
_TURN_ORDER = {"system": 0, "user": 1, "assistant": 2}


class Company(NamedTuple):
    """Which memories belong together, and in what order: a conversation, a day."""

    name: str
    place: int
    speaker: str


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
        case Turn(window=window, number=number, role=role, speaker=speaker):
            return Company(f"window {window}", _place(number, role), speaker)
        case Episode():
            return Company(f"day {path}", entry.line, "")
        case _:
            return Company("", 0, "")


def _place(number: int, role: Role) -> int:
    return number * 4 + _TURN_ORDER[role]


def scope(entry: Entry) -> str:
    """The person that a memory is for alone; empty for everybody."""
    match entry.item:
        case Turn(more=more) | Episode(more=more):
            return next((value for key, value in more if key == "scope"), "")
        case _:
            found = _SCOPE.search(entry.raw)
            return found[1].strip() if found else ""


def aside(entry: Entry) -> str:
    """What a search should find too, although the text does not say it now."""
    match entry.item:
        case Entity(facts=facts):
            return "\n".join(f.text for f in facts if not f.current)
        case VaultNote(title=title) if title not in entry.text:
            return title
        case _:
            return ""


def names(entry: Entry) -> str:
    """What an entity is called, one name a line; nothing for what is no entity."""
    match entry.item:
        case Entity(label=label, aliases=aliases):
            return "\n".join((label, *aliases))
        case _:
            return ""


def searchable(text: str, aside: str) -> str:
    """The whole text that a search looks at."""
    return f"{text}\n{aside}" if aside else text
