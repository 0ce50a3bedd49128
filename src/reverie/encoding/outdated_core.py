"""Find the items of core memory for which something newer is known or waits.

An agent acts on core memory, so it must not act on an old line while the new one waits
for the user. Only structure tells that a line is outdated: a pending proposal names it
or differs from it in numbers and dates alone, a fact of the same words was superseded,
or a newer fact has the same words but for numbers and dates. A proposal or fact counts
only if it is newer than the line.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.dates import find_spans
from reverie.encoding.near import Around, find_near
from reverie.errors import FormatError, ReverieError, UnavailableError
from reverie.index import IndexUnavailableError
from reverie.index.user import known_as, user_pages
from reverie.index.value_keys import drop_present
from reverie.markdown import headline
from reverie.model.change import checksum
from reverie.model.ids import Kind, Store
from reverie.model.items import Block, CoreItem, Origin, is_for, stated
from reverie.model.views import NewerText
from reverie.stores.core import parse_core
from reverie.stores.entities import fact_id, parse_entity, reference
from reverie.stores.proposals import load_pending
from reverie.stores.reader import decode, readable_part
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date, datetime

    from reverie.model.items import Entity, Entry, Fact
    from reverie.session.session import Session

MAX_ITEMS = 200
"""Items of core memory that are compared with facts; each costs a search. Twenty times
as many as usually fit into its budget."""

MAX_PAGES = 6
"""Pages that are searched for facts like one line of core memory."""

MAX_WORDS = 240
"""Characters of the user's words that are shown beside a line."""

_PURPOSE = "outdated core"
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_END = " .!\u3002\uff01"


def find_outdated(session: Session, person: str = "") -> Mapping[str, NewerText]:
    """Return what is newer than items of core memory, by the IDs of the items.

    Args:
        session: The open workspace.
        person: Who asks; what is visible to another person only is left out.
    """
    text = decode(session.confirmed(layout.CORE) or b"", layout.CORE)[0]
    entries = parse_core(readable_part(text), layout.CORE).entries[:MAX_ITEMS]
    if not entries:
        return {}
    if person:
        return _find(session, entries, person)
    known = _load(session, text)
    if known is not None:
        found = [entry for entry in entries if entry.line in known.lines]
        return _find(session, found, person) if found else {}
    outdated = _find(session, entries, person)
    lines = tuple(e.line for e in entries if str(e.id) in outdated)
    _save(session, _Checked(session.ledger.head, checksum(text.encode()), lines))
    return outdated


class _Checked(Struct, frozen=True):
    """Which lines of core memory were outdated at a commit.

    Attributes:
        commit: The commit.
        core: The checksum of core memory.
        lines: The first lines of the outdated items.
    """

    commit: str
    core: str
    lines: tuple[int, ...]


def _load(session: Session, text: str) -> _Checked | None:
    """Return what was found before, if nothing changed since that may matter."""
    with suppress(IndexUnavailableError, msgspec.MsgspecError):
        data, mark = session.index.fold(_PURPOSE)
        if not session.seal.good(_PURPOSE.encode(), data, mark):
            return None
        known, head = msgspec.json.decode(data, type=_Checked), session.ledger.head
        if known.core != checksum(text.encode()) or not session.ledger.has(
            known.commit
        ):
            return None
        if known.commit != head:
            changed = session.ledger.changed(head, known.commit)
            if any(map(_matters, changed)):
                return None
            _save(session, replace(known, commit=head))
        return known
    return None


def _save(session: Session, checked: _Checked) -> None:
    """Keep what was found; where it cannot be kept, it is looked for again."""
    data = msgspec.json.encode(checked)
    with suppress(IndexUnavailableError):
        mark = session.seal.mark(_PURPOSE.encode(), data)
        session.index.put_fold(_PURPOSE, data, mark)


def _matters(path: str) -> bool:
    """Return whether a change of a file can make an item outdated."""
    own = path in {layout.CORE, layout.PENDING}
    return own or path.startswith(f"{layout.ENTITIES}/")


def annotate_core(text: str, outdated: Mapping[str, NewerText]) -> str:
    """Return the text of core memory with a line below each outdated item."""
    if not outdated:
        return text
    lines = text.split("\n")
    notes: dict[int, str] = {}
    for entry in parse_core(text, layout.CORE).entries:
        if newer := outdated.get(str(entry.id)):
            last = entry.line + len(entry.raw.rstrip("\n").split("\n")) - 1
            notes[last] = f"- {render_outdated(entry.text, newer)}"
    found = (
        [line, notes[n]] if n in notes else [line] for n, line in enumerate(lines, 1)
    )
    return "\n".join(line for pair in found for line in pair)


def render_outdated(text: str, newer: NewerText) -> str:
    """Return a line that says that an item is outdated, and what is newer."""
    if newer.claimed:
        return f"CHANGE PENDING: {render_newer(newer)}"
    said = render_newer(newer).removeprefix("Outdated. ")
    return f"OUTDATED: “{headline(text, MAX_WORDS)}”. {said}"


def render_newer(newer: NewerText) -> str:
    """Return what is newer than an item, where it comes from, and the user's words."""
    if newer.claimed:
        return (
            f"The {newer.origin} proposes to change this (#{newer.pending}, the user "
            f"has not decided): “{headline(newer.text, MAX_WORDS)}”. Ask the user "
            "before you rely on either."
        )
    source = f"{newer.id}" if newer.id else ""
    if newer.pending:
        source = f"proposal #{newer.pending} by the {newer.origin}, not approved yet"
    elif newer.origin is not Origin.OWNER:
        source += f", words of the {newer.origin}"
    day = f", {newer.at:%Y-%m-%d}" if newer.at else ""
    said = f" The user said: “{newer.words}”" if newer.words else ""
    return (
        f"Outdated. Newer ({source}{day}): “{headline(newer.text, MAX_WORDS)}”.{said}"
    )


def _find(
    session: Session, entries: Sequence[Entry], person: str
) -> dict[str, NewerText]:
    found: dict[str, NewerText] = {}
    lines = _LineTimes(session)
    with suppress(ReverieError):
        found |= _pending(session, entries, lines, person)
    for entry in entries:
        if str(entry.id) not in found:
            with suppress(ReverieError):
                newer = next(_newer_facts(session, entry, lines, person), None)
                found |= {str(entry.id): newer} if newer else {}
    return found


def _pending(
    session: Session, entries: Sequence[Entry], lines: _LineTimes, person: str
) -> Iterator[tuple[str, NewerText]]:
    """Yield the items that a pending proposal replaces, and what it says."""
    now = session.clock()
    for one in load_pending(session.ledger.read).proposals:
        if not is_for(one.scope, person) or (one.scope and not person):
            continue
        named = [one.supersedes, *one.contradicts]
        meant = [entry for entry in entries if str(entry.id) in named]
        if not meant and (one.store is Store.CORE or one.core_worthy):
            meant = [e for e in entries if _same_but_values(e.text, one.content, now)]
        ids = [str(entry.id) for entry in meant if not lines.is_older(one.at, entry)]
        words = _user_words(session, one.basis, person)
        guarded = {str(entry.id) for entry in entries if _is_guarded(entry)}
        at = one.at.date() if one.at else None
        for id_ in ids:
            # Words of an agent alone do not make these outdated.
            claimed = not words and one.origin is not Origin.OWNER and id_ in guarded
            proposed = (one.content, "", one.origin, at, words, one.number)
            yield id_, NewerText(*proposed, claimed)


def _is_guarded(entry: Entry) -> bool:
    """Return whether an item is pinned, or one of the Critical Facts."""
    item = entry.item
    return isinstance(item, CoreItem) and (item.pinned or item.block is Block.CRITICAL)


def _newer_facts(
    session: Session, entry: Entry, lines: _LineTimes, person: str
) -> Iterator[NewerText]:
    """Yield the facts that are newer than an item and take its place."""
    assert isinstance(entry.item, CoreItem)  # noqa: S101 - core memory has no others
    around, now = Around(session), session.clock()
    near = find_near(entry.text, (), around, scope=person, offered=True)
    pages = [*user_pages(session.index), *(each.page for each in near if each.page)]
    for page in [*dict.fromkeys(pages)][:MAX_PAGES]:
        for entity, path in _entity(session, page, person):
            for fact in _successors(entity, entry.text, now):
                if lines.is_later(fact, path, entry):
                    words = _user_words(session, fact.basis, person)
                    origin = stated(fact.by, fact.source)
                    id_ = fact_id(page, fact.text)
                    day = fact.said or fact.since
                    yield NewerText(fact.text, id_, origin, day, words)


def _entity(session: Session, page: str, person: str) -> Iterator[tuple[Entity, str]]:
    """Yield the entity of a page that reads and is visible, and its path."""
    id_ = f"{Kind.ENTITY}:{known_as(session.index, page)}"
    if session.index.scope_of(id_) not in {"", person}:
        return
    path = session.index.path_of(id_)
    if path and Around(session).shown(id_):
        with suppress(NotAPlainFileError, UnavailableError, FormatError):
            text = decode(session.ledger.read(path) or b"", path)[0]
            yield parse_entity(text, path).entity, path


def _successors(entity: Entity, text: str, now: datetime) -> Iterator[Fact]:
    """Yield the current facts of a page that take the place of a text."""
    by_reference = {reference(fact.text): fact for fact in entity.facts}
    same = [fact for fact in entity.facts if _plain(fact.text) == _plain(text)]
    for old in same:
        fact: Fact | None = old
        for _ in entity.facts:
            if fact is None or fact.current:
                break
            fact = by_reference.get(fact.superseded_by)
        if fact is not None and fact.current and fact is not old:
            yield fact
    for fact in entity.facts:
        alike = fact.current and fact not in same
        if alike and _same_but_values(fact.text, text, now):
            yield fact


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(_END)


def _same_but_values(one: str, other: str, now: datetime) -> bool:
    """Return whether two sentences differ in numbers and dates alone."""
    words, others = set(one.casefold().split()), set(other.casefold().split())
    fewest = min(len(words), len(others))
    if fewest > 3 and 2 * len(words & others) < fewest:
        return False  # Reading dates takes longer.
    same, there = _plain(one) == _plain(other), now.replace(hour=0, minute=0, second=0)
    day = there.replace(microsecond=0)
    return not same and _masked(one, day) == _masked(other, day)


@lru_cache(maxsize=1_024)
def _masked(text: str, now: datetime) -> str:
    """Return a sentence without the values of its numbers and dates."""
    text, masked, done = drop_present(text), list[str](), 0
    for span in find_spans(text, now):
        masked += [text[done : span.at[0]], "#"]
        done = span.at[1]
    rest = "".join((*masked, text[done:]))
    return _plain(_NUMBER.sub("#", rest))


def _user_words(session: Session, basis: str, person: str) -> str:
    """Return what the user said in the first turn that something is made of."""
    for id_ in basis.split():
        if id_.startswith(f"{Kind.TURN}:"):
            found = session.index.find(id_)
            seen = found is not None and found.scope in {"", person}
            if found is not None and seen and found.origin is Origin.OWNER:
                return headline(found.text, MAX_WORDS)
    return ""


class _LineTimes:
    """When lines of files were last changed, looked up once for each file.

    Args:
        session: The open workspace.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runs: dict[str, list[tuple[str, int, int]]] = {}

    def is_later(self, fact: Fact, path: str, entry: Entry) -> bool:
        """Return whether a fact was stored after a line of core memory was written."""
        written = self._time(layout.CORE, entry.line)
        day: date | None = fact.said or fact.since
        # A fact that holds from a later day on may have been stored before the line.
        if written is None or day is None or day < written.date():
            return False
        text = decode(self._session.ledger.read(path) or b"", path)[0]
        lines = (
            number
            for number, line in enumerate(text.split("\n"), 1)
            if fact.text and fact.text in line
        )
        stored = self._time(path, next(lines, 0))
        return stored is not None and stored > written

    def is_older(self, at: datetime | None, entry: Entry) -> bool:
        """Return whether a time lies before a line of core memory was written."""
        written = self._time(layout.CORE, entry.line) if at else None
        return at is not None and written is not None and at < written

    def _time(self, path: str, line: int) -> datetime | None:
        ledger = self._session.ledger
        if path not in self._runs:
            self._runs[path] = [*ledger.blame(path)]
        for commit, first, count in self._runs[path]:
            if first <= line < first + count:
                return self._session_time(ledger.entry(commit).at)
        return None

    def _session_time(self, at: datetime) -> datetime:
        return at.astimezone(self._session.zone)
