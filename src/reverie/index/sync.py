"""Bring the index from the commit it has seen to the newest one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Protocol, Self

from reverie.decay import Trace, base_relevance
from reverie.index.redaction import appended_shown, read_shown
from reverie.ledger.repository import Repository
from reverie.markdown import parse_date
from reverie.model.change import DECAY, Action, LogEntry, LogLine
from reverie.model.ids import Store
from reverie.model.items import CoreItem, Entity, Episode, Procedure, Turn, VaultNote
from reverie.stores.episodes import NOTED
from reverie.stores.reader import Reading, load_vocabulary, read_file
from reverie.stores.scores import RESURRECTED, parse_scores
from reverie.workspace.layout import (
    CONVERSATIONS,
    CORE,
    ENTITIES,
    EPISODES,
    PROCEDURES,
    RELATIONS,
    SCORES,
    VAULT,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from reverie.config import DecayConfig
    from reverie.index.attestation import Past
    from reverie.index.sqlite_index import SqliteIndex
    from reverie.ledger import Ledger
    from reverie.ledger.git_ledger import GitLedger
    from reverie.model.change import ChangeSet
    from reverie.model.items import Entry, Item
    from reverie.stores.relations import Vocabulary
    from reverie.stores.scores import ScoreFile
    from reverie.workspace.files import Folder, Signature


@dataclass(frozen=True, slots=True)
class KeptWishes:
    """Wishes that hold although an unknown hand took them out of the files.

    Attributes:
        pinned: Ids of memories that stay pinned.
        scores: The commit whose scores count; empty for the newest.
    """

    pinned: frozenset[str] = frozenset()
    scores: str = ""


NOTHING = KeptWishes()


_REMOVING = {Action.DELETE, Action.REVERT}
_MOST = 1 << 40


class Looks(Protocol):
    """What is read of a folder."""

    def signature(self, path: str, /) -> Signature | None:
        """What a file looks like; None where there is none."""

    def read(self, path: str, /) -> bytes | None:
        """What it holds."""


def catch_up(
    index: SqliteIndex,
    ledger: GitLedger,
    folder: Folder,
    decay: DecayConfig,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    kept: KeptWishes = NOTHING,
) -> int:
    """Show in the index what the ledger says; returns how many files changed."""
    head = ledger.head
    if index.seen == head:
        return 0
    with index.changing():
        seen = index.seen
        news, leads_there = _news(ledger, seen, head)
        if not leads_there:
            # History was rewritten by an erasure: nothing here can be trusted.
            index.clear()
            seen = ""
        step = SyncStep(index, ledger, folder, decay, kept)
        changed = step.run(seen, head, news, progress)
    if not leads_there:
        index.scour()
    return changed


def _news(ledger: Ledger, seen: str, head: str) -> tuple[list[LogEntry], bool]:
    """The changes since a commit, oldest first, and whether they lead on from it."""
    found: list[LogEntry] = []
    for entry in ledger.history(head):
        if entry.commit == seen:
            return found[::-1], True
        found.append(entry)
    return found[::-1], not seen


class SyncStep:
    """One transaction's worth of catching up."""

    def __init__(
        self,
        index: SqliteIndex,
        ledger: Past,
        folder: Looks,
        decay: DecayConfig,
        kept: KeptWishes = NOTHING,
    ) -> None:
        self._kept = kept
        self._index = index
        self._ledger = ledger
        self._folder = folder
        self._decay = decay
        self._found: dict[tuple[str, str], Entry] = {}
        self._gone: set[str] = set()
        self._returning: set[str] = set()
        self._born: dict[str, int] = {}

    def run(
        self,
        seen: str,
        head: str,
        entries: list[LogEntry],
        progress: Callable[[int, int], None],
    ) -> int:
        """Show what some changes did, from one commit to another."""
        repository = self._ledger.repository
        changed = repository.diff(seen, head)
        words = load_vocabulary(self._ledger.read_at(head, RELATIONS))
        moved = _moves(changed)
        for old, new in moved.items():
            self._index.move_file(old, new)
        stayed = {*moved, *moved.values()}
        for number, (path, (before, blob)) in enumerate(changed.items(), 1):
            text, since = repository.content(blob), head
            if path not in stayed:
                since = self._read(
                    path, before, repository.content(before), text, words
                )
            elif text is not None:
                reading = read_shown(path, text, words)
                self._index.put_file(path, reading.entries, reading.edges, head)
            read = (since, (text or b"").count(b"\n") + 1)
            looks = self._signature(path, blob)
            self._index.put_signature(path, blob, looks, read)
            progress(number, len(changed))
        if seen and RELATIONS in changed:
            self._turn_edges(head, words)
        self._read_doubles(head, words)
        self._score(entries)
        if SCORES in changed:
            self._take_over_scores(seen, head, entries)
        # The first commit of very many files does not name them one by one.
        named = {line.path: entry.commit for entry in entries for line in entry.lines}
        first = entries[0].commit if entries else ""
        self._index.note_touched({path: named.get(path, first) for path in changed})
        self._index.note_seen(head)
        return len(changed)

    def _read(
        self,
        path: str,
        before: str,
        old: bytes | None,
        new: bytes | None,
        words: Vocabulary,
    ) -> str:
        """Replace what is known of one file; of a log that grew, add what is new.

        Returns:
            The commit at which it was last read as a whole.
        """
        if old and new:
            more = appended_shown(path, old, new)
            since = "" if more is None else self._grows(path, before, more)
            if more is not None and since:
                self._index.add_entries(path, more, since)
                self._found |= {(str(e.id), path): e for e in more}
                return since
        head = self._ledger.head
        reading = Reading() if new is None else read_shown(path, new, words)
        known = self._index.ids_in(path)
        self._gone |= known
        self._index.put_file(path, reading.entries, reading.edges, head)
        self._found |= {(str(e.id), path): e for e in reading.entries}
        broken = bool(old) and not known and read_file(path, old or b"", words).findings
        if broken or (known and path.startswith(f"{EPISODES}/")):
            # Unreadable for a while, by a slip of the hand.
            self._returning |= {str(e.id) for e in reading.entries} - known
        return head

    def _grows(self, path: str, before: str, more: Iterable[Entry]) -> str:
        """The commit at which a file that grew was last read; empty to read it now.

        What changes in a way that its rows would still be good for another text of
        the file is read as a whole.
        """
        known = self._index.standing(path)
        if known is None or known.blob != before:
            return ""
        again = any(self._index.has(str(entry.id), path) for entry in more)
        return "" if again else known.since

    def _turn_edges(self, head: str, words: Vocabulary) -> None:
        """Read every page again, for names of relations that mean something else."""
        for path in self._index.signatures():
            if path.startswith(f"{ENTITIES}/"):
                data = self._ledger.read_at(head, path) or b""
                reading = read_shown(path, data, words)
                self._index.put_file(path, reading.entries, reading.edges, head)
                blob = Repository.blob_hash(data)
                read = (head, data.count(b"\n") + 1)
                looks = self._signature(path, blob)
                self._index.put_signature(path, blob, looks, read)

    def _read_doubles(self, head: str, words: Vocabulary) -> None:
        """Read the other file of a name that two files had, when one of them went."""
        for id_ in self._gone:
            path = self._index.path_of(id_)
            if path and (id_, path) not in self._found:
                data = self._ledger.read_at(head, path) or b""
                for entry in read_file(path, data, words).entries:
                    self._found[str(entry.id), path] = entry

    def _signature(self, path: str, blob: str) -> Signature | None:
        """A file's looks, if it is certain that it holds what we have indexed."""
        before = self._folder.signature(path)
        data = self._folder.read(path) if before else None
        if data is None or Repository.blob_hash(data) != blob:
            return None
        return before if before == self._folder.signature(path) else None

    def _score(self, entries: list[LogEntry]) -> None:
        self._index.drop_traces(self._gone)
        born = self._births(entries)
        told: Mapping[str, Trace] = {}
        if not all(map(self._index.trace, self._returning)):
            # What the scores still say of memories that are readable again.
            told = self._told(self._ledger.head).entries
        fresh = {}
        for (id_, path), found in self._found.items():
            if isinstance(found.item, Turn):
                # The record of a conversation does not fade.
                continue
            if self._index.path_of(id_) == path:
                known = self._index.trace(id_) or told.get(id_)
                number = born.get(id_, born.get(_file_name(path), 0))
                self._born[id_] = number
                fresh[id_] = self._trace(found, known, entries[number].at)
        self._index.put_traces(fresh)
        self._index.note_unsaved(self._index.unsaved + len(fresh))

    def _births(self, entries: list[LogEntry]) -> dict[str, int]:
        """With which entry files, by name, and items of core, by id, came to be.

        A first commit of very many files does not name them one by one.
        """
        born: dict[str, int] = {}
        for number, entry in enumerate(entries):
            for line in entry.lines:
                born.setdefault(_file_name(line.path), number)
            if any(line.action in _REMOVING for line in entry.lines):
                # What a change took away, and did not put elsewhere.
                held, gone = set[str](), set[str]()
                for line in entry.lines:
                    here = self._ledger.repository.blob_id(entry.commit, line.path)
                    (held if here else gone).add(_file_name(line.path))
                for name in gone - held:
                    born.pop(name, None)
        return born | self._core_births(entries)

    def _core_births(self, entries: list[LogEntry]) -> dict[str, int]:
        """One file holds them all, so each is looked for in its earlier versions."""
        born: dict[str, int] = {}
        wanted = {id_ for id_, path in self._found if path == CORE}
        wanted = {id_ for id_ in wanted if not self._index.trace(id_)}
        for number, entry in reversed(list(enumerate(entries)) if wanted else []):
            if wanted and any(line.path == CORE for line in entry.lines):
                data = self._ledger.read_at(entry.commit, CORE) or b""
                reading = read_file(CORE, data, load_vocabulary(None))
                if reading.entries or not reading.findings:
                    wanted &= {str(e.id) for e in reading.entries}
                    born |= dict.fromkeys(wanted, number)
        return born

    def _trace(self, entry: Entry, known: Trace | None, seen: datetime) -> Trace:
        own = own_pin(entry.item)
        if own is False and str(entry.id) in self._kept.pinned:
            own = True
        if known is not None:
            return known if own is None else replace(known, pinned=own)
        created = _created(entry.item, seen)
        item = entry.item
        source = None if isinstance(item, CoreItem | Turn) else item.source
        base = base_relevance(source, self._decay)
        return Trace(
            store=entry.id.store,
            base=base,
            created=created,
            last_accessed=max(created, _noted(entry.item) or created),
            accesses=1,
            pinned=bool(own),
        )

    def _take_over_scores(self, seen: str, head: str, entries: list[LogEntry]) -> None:
        """Apply `decay-scores.json`, unless it only says what came from here."""
        told = [e for e in entries if any(line.path == SCORES for line in e.lines)]
        if seen and all(entry.actor == DECAY for entry in told):
            self._index.note_unsaved(0)
            return
        reverted = any(e.lines[0].action is Action.REVERT for e in entries)
        as_told = reverted or not seen
        last = entries.index(told[-1]) if told else 0
        scores = self._told(head)
        self._index.put_resurrected(_counts(scores.other.get(RESURRECTED)))
        # What came to be after it was last written is another memory of that name.
        said = {i: t for i, t in scores.entries.items() if self._born.get(i, 0) <= last}
        live, fresh = self._index.traces(), {}
        for id_, trace in said.items():
            was = live.get(id_)
            if was is None:
                continue
            if not as_told:
                # Without losing accesses that came after it.
                trace = replace(  # noqa: PLW2901 - the same memory's
                    trace,
                    accesses=max(was.accesses, trace.accesses),
                    last_accessed=max(was.last_accessed, trace.last_accessed),
                )
            # Only of episodes do the scores say what is pinned.
            by_file = trace.store is not Store.EPISODIC
            fresh[id_] = replace(trace, pinned=was.pinned) if by_file else trace
        silent = live.keys() - said.keys()
        if as_told:
            # Without the wishes that only the scores could tell of.
            for id_, was in ((i, live[i]) for i in silent):
                pinned = was.pinned and was.store is not Store.EPISODIC
                fresh[id_] = replace(was, pinned=pinned, archived=False)
        self._index.put_traces(fresh)
        self._index.note_unsaved(len(silent))

    def _told(self, head: str) -> ScoreFile:
        data = self._ledger.read_at(self._kept.scores or head, SCORES) or b""
        return parse_scores(data.decode("utf-8", "replace"), SCORES)


def _counts(told: object) -> dict[str, int]:
    """How often summaries came back, as far as a file typed by anybody tells it."""
    if not isinstance(told, dict):
        return {}
    return {
        id_: count
        for id_, count in told.items()
        if isinstance(count, int) and not isinstance(count, bool) and 0 < count < _MOST
    }


def _moves(changed: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Files that only stand elsewhere, by the name they had and what is in them."""
    gone = {
        (_file_name(path), before): path
        for path, (before, blob) in changed.items()
        if before and not blob and _file_name(path) != path
    }
    return {
        gone[_file_name(path), blob]: path
        for path, (before, blob) in changed.items()
        if blob and not before and (_file_name(path), blob) in gone
    }


def _file_name(path: str) -> str:
    """What a file keeps when its folder is split: its store and its name."""
    stores = (EPISODES, ENTITIES, PROCEDURES, VAULT, CONVERSATIONS)
    store = next((s for s in stores if path.startswith(f"{s}/")), "")
    return f"{store}/{path.rpartition('/')[2]}" if store else path


def own_pin(item: Item) -> bool | None:
    """Whether the file itself says that the memory is pinned; None if it cannot."""
    match item:
        case VaultNote():
            return True
        case Episode() | Turn():
            return None
        case Entity() | Procedure() | CoreItem():
            return item.pinned


def _created(item: Item, seen: datetime) -> datetime:
    match item:
        case Episode():
            return item.at
        case Entity() | VaultNote():
            return _on_day(item.created, seen)
        case Procedure():
            return _on_day(item.learned, seen)
        case CoreItem() | Turn():
            return seen


def _noted(item: Item) -> datetime | None:
    """The day on which something of the past was written down, where it says so."""
    if not isinstance(item, Episode):
        return None
    day = parse_date(next((v for k, v in item.more if k == NOTED), ""))
    return datetime.combine(day, time(), UTC) if day else None


def _on_day(day: date | None, seen: datetime) -> datetime:
    """The moment it was first seen, unless its own date says another day."""
    if day is None or day == seen.date():
        return seen
    return datetime.combine(day, time(), UTC)


IMAGINED = "imagined"
"""The commit that an imagined index shows."""


def imagine(
    index: SqliteIndex,
    change: ChangeSet,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
) -> SqliteIndex:
    """A copy of the index, in memory, that shows a change as if it were committed.

    The index itself is only read. Whoever asks for a copy closes it.

    Args:
        index: What is shown now.
        change: What would be done.
        read: A file's bytes as the index shows them.
        decay: How relevant what is new starts out.
        now: When it would be done.
    """
    before = {edit.path: read(edit.path) for edit in change.edits}
    after = {edit.path: edit.content for edit in change.edits}
    told = change.told or tuple(
        LogLine(edit.action, edit.path, edit.summary) for edit in change.edits
    )
    # A commit knows its time to the second.
    at = now.replace(microsecond=0)
    entry = LogEntry(IMAGINED, at, told, change.actor, change.approval, change.trigger)
    would_be = _WouldBe(before, after, read)
    copy = index.copy(would_be)
    try:
        with copy.changing():
            step = SyncStep(copy, would_be, would_be, decay)
            step.run(copy.seen, IMAGINED, [entry], lambda _done, _all: None)
    except BaseException:
        copy.close()
        raise
    return copy


class _WouldBe:
    """History and folder as they would be; there is only one commit to ask for."""

    head = IMAGINED

    def __init__(
        self,
        before: Mapping[str, bytes | None],
        after: Mapping[str, bytes | None],
        read: Callable[[str], bytes | None],
    ) -> None:
        self._before, self._after, self._now = before, after, read
        held = (*before.values(), *after.values())
        self._content = {_blob(data): data for data in held}

    @property
    def repository(self) -> Self:
        """What holds the files."""
        return self

    def diff(self, _old: str, _new: str, /) -> dict[str, tuple[str, str]]:
        """Content ids before and after of what would change, by path."""
        pairs = {
            path: (_blob(self._before[path]), _blob(self._after[path]))
            for path in sorted(self._after, key=lambda path: path.split("/"))
        }
        return {path: (old, new) for path, (old, new) in pairs.items() if old != new}

    def content(self, blob: str, /) -> bytes | None:
        """The bytes of a content id."""
        return self._content[blob]

    def read_at(self, _commit: str, path: str, /) -> bytes | None:
        """A file as it would be."""
        return self._after[path] if path in self._after else self._now(path)

    def read(self, path: str, /) -> bytes | None:
        """The same."""
        return self.read_at(IMAGINED, path)

    def blob_id(self, commit: str, path: str, /) -> str:
        """The content id that a file would have; empty if it were gone."""
        return _blob(self.read_at(commit, path))

    def signature(self, _path: str, /) -> Signature | None:
        """No file on the disk holds this yet."""
        return None


def _blob(data: bytes | None) -> str:
    return "" if data is None else Repository.blob_hash(data)
