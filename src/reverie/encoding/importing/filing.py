"""Where imported things go: conversations to the record, documents to the day logs.

Planned against what is there, so that importing twice changes nothing, and an import
that was cut off goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.encoding.importing.found import Conversation, Passage
from reverie.encoding.text import mended
from reverie.markdown import headline, one_line
from reverie.model.change import Action, Edit, checksum
from reverie.model.ids import slug
from reverie.model.items import Confidence, Episode, EpisodeKind, Role, Source, Turn
from reverie.model.moments import in_utc
from reverie.stores import episodic, turns
from reverie.stores.reading import decode
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from reverie.encoding.importing.found import Found, Origin, Said
    from reverie.encoding.remember import Desk

FULL = 256 << 10
"""Bytes from which on a day's log goes on in a further part."""


@dataclass(slots=True)
class Filing:
    """What a batch of imported things comes to.

    Attributes:
        edits: What would file them.
        added: How many memories that adds.
        known: How many were there already.
    """

    edits: list[Edit] = field(default_factory=list)
    added: int = 0
    known: int = 0


def file_away(found: Iterable[Found], desk: Desk) -> Filing:
    """Plan to file some imported things, without those that are filed already."""
    filing = Filing()
    days: dict[date, list[Passage]] = defaultdict(list)
    for thing in found:
        match thing:
            case Conversation():
                _file_conversation(thing, desk, filing)
            case Passage():
                at = in_utc(thing.at or desk.now)
                days[at.date()].append(replace(thing, at=at))
    for passages in days.values():
        _file_day(passages, desk, filing)
    return filing


def window_name(origin: Origin) -> str:
    """The window of an imported conversation; the same on every run."""
    return slug(f"{origin.kind}-{origin.name}")


def _file_conversation(found: Conversation, desk: Desk, filing: Filing) -> None:
    window = window_name(found.origin)
    path = desk.place(layout.CONVERSATIONS, f"{window}.md")
    old = desk.read(path)
    text = decode(old, path)[0] if old else ""
    there = [e.item for e in turns.parse_window(text, path).entries]
    known = [turn for turn in there if isinstance(turn, Turn)]
    fresh = _fresh_turns(found.turns, known, window, desk.config.ledger.text_limit)
    filing.known += len(found.turns) - len(fresh)
    if not fresh:
        return
    filing.added += len(fresh)
    title = mended(one_line(found.title))
    origin = f"{found.origin.kind}:{one_line(found.origin.name)}"
    start = text or turns.new_window(window, title, origin)
    new = turns.append_turns(start, fresh).encode()
    action = Action.APPEND if old else Action.CREATE
    why = f"imported: {headline(title or window)}"
    filing.edits.append(Edit(path, new, checksum(old), action, why))


def _fresh_turns(
    said: Iterable[Said], known: list[Turn], window: str, limit: int
) -> list[Turn]:
    """The turns that are not in the file, numbered on from those that are."""
    there = Counter((turn.role, _print(turn.text)) for turn in known)
    number = max((turn.number for turn in known), default=0)
    taken = {turn.role for turn in known if turn.number == number}
    fresh: list[Turn] = []
    for thing in said:
        role = Role(thing.role)
        text = mended(thing.text)
        if there[role, _print(text)] > 0:
            there[role, _print(text)] -= 1
            continue
        for piece in _pieces(text, limit):
            if role in taken or not number:
                number, taken = number + 1, set()
            taken.add(role)
            at = in_utc(thing.at) if thing.at else None
            speaker = mended(one_line(thing.speaker))
            fresh.append(Turn(window, number, role, piece, at, speaker))
    return fresh


def _print(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def _pieces(text: str, limit: int) -> Iterator[str]:
    """A text that is too long for one memory, cut where a paragraph ends."""
    while len(text) > limit // 4:
        at = text.rfind("\n\n", limit // 8, limit // 4)
        at = at if at > 0 else limit // 4
        yield text[:at].strip()
        text = text[at:]
    yield text.strip()


def _file_day(found: list[Passage], desk: Desk, filing: Filing) -> None:
    """Add a day's passages to its log, part by part."""
    limit = desk.config.ledger.text_limit
    day = in_utc(found[0].at or desk.now).date()
    log = _Day(day, desk)
    for passage in found:
        for piece in _pieces(mended(passage.text), limit):
            episode = _episode(replace(passage, text=piece), desk)
            if log.holds(episode):
                filing.known += 1
            else:
                log.add(episode)
                filing.added += 1
    filing.edits += log.edits()


def _episode(found: Passage, desk: Desk) -> Episode:
    at = in_utc(found.at or desk.now).replace(second=0, microsecond=0)
    title = mended(one_line(found.title))
    text = found.text
    if title and not text.startswith(title):
        text = f"{title}\n{text}"
    origin = f"{found.origin.kind}:{one_line(found.origin.name)}"
    if found.origin.line:
        origin = f"{origin}:{found.origin.line}"
    tags = tuple(mended(one_line(tag)) for tag in found.tags)
    more = (("origin", origin),)
    kind, sure = EpisodeKind.FACT, Confidence.MEDIUM
    return Episode(at, kind, sure, text, tags, Source.IMPORT, more)


_ORIGIN = re.compile(r":\d+$")


class _Day:
    """The parts of a day's log, and what they will say."""

    def __init__(self, day: date, desk: Desk) -> None:
        self._day, self._desk = day, desk
        self._old: dict[str, bytes | None] = {}
        self._new: dict[str, list[str]] = {}
        self._size = 0
        self._last: Counter[str] = Counter()
        self._there: set[tuple[str, str]] = set()
        self._part = 0
        while self._open():
            pass

    def _open(self) -> bool:
        """Go on to the next part; whether that was full already."""
        self._part += 1
        name = episodic.day_name(self._day, self._part)
        self._path = self._desk.place(layout.EPISODES, name)
        old = self._desk.read(self._path)
        self._old[self._path] = old
        text = decode(old, self._path)[0] if old else ""
        for entry in episodic.parse_day(text, self._path).entries:
            if isinstance(entry.item, Episode):
                self._there.add(_mark(entry.item))
                minute = f"{entry.item.at:%H:%M}"
                number = int(str(entry.id).partition("~")[2] or 1)
                self._last[minute] = max(self._last[minute], number)
        self._size = len(old or b"")
        return self._size >= FULL

    def holds(self, episode: Episode) -> bool:
        """Whether it was filed before."""
        return _mark(episode) in self._there

    def add(self, episode: Episode) -> None:
        """Write an episode below the others."""
        if self._size >= FULL:
            while self._open():
                pass
        self._there.add(_mark(episode))
        minute = f"{episode.at:%H:%M}"
        self._last[minute] += 1
        entry = episodic.render_episode(episode, self._last[minute])
        self._new.setdefault(self._path, []).append(entry)
        self._size += len(entry.encode())

    def edits(self) -> Iterator[Edit]:
        """What would write it all."""
        for path, entries in self._new.items():
            old = self._old[path]
            text = decode(old, path)[0] if old else ""
            new = episodic.append_entries(text, self._day, entries).encode()
            action = Action.APPEND if old else Action.CREATE
            why = f"imported {len(entries)} passages"
            yield Edit(path, new, checksum(old), action, why)


def _mark(episode: Episode) -> tuple[str, str]:
    """By which an imported passage is known again, also when lines have moved."""
    origin = next((value for key, value in episode.more if key == "origin"), "")
    return _ORIGIN.sub("", origin), _print(episode.text)
