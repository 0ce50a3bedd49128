"""Bring the index from the commit it has seen to the newest one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from reverie.decay import Trace, base_relevance, standing
from reverie.index.attestation import appended_shown, read_shown
from reverie.index.schema import noted
from reverie.model.change import (
    DECAY,
    Action,
    Edit,
    LogEntry,
    LogLine,
    checksum,
    hash_content,
)
from reverie.model.ids import Store
from reverie.model.items import CoreItem, Entity, Episode, Procedure, Turn, VaultNote
from reverie.stores.reader import Reading, load_vocabulary, read_file
from reverie.stores.relations import GraphRow, render_graph_index
from reverie.stores.scores import (
    RESURRECTED,
    ScoreFile,
    parse_scores,
    parse_statuses,
    render_scores,
)
from reverie.workspace.files import NotAPlainFileError
from reverie.workspace.layout import (
    CORE,
    ENTITIES,
    EPISODES,
    GRAPH_INDEX,
    RELATIONS,
    SCORES,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.config import DecayConfig
    from reverie.index.attestation import Past
    from reverie.index.sqlite_index import SqliteIndex
    from reverie.ledger import Ledger
    from reverie.model.change import ChangeSet
    from reverie.model.items import Entry, Item
    from reverie.stores.relations import Vocabulary
    from reverie.workspace.files import Folder, Signature


class KeptWishes(Struct, frozen=True):
    """Wishes that hold although an unknown hand took them out of the files.

    Attributes:
        pinned: Ids of memories that stay pinned.
        scores: The commit whose scores count; empty for the newest.
    """

    pinned: frozenset[str] = frozenset()
    scores: str = ""


NOTHING = KeptWishes()

_MOST = 1 << 40


class Looks(Protocol):
    """What is read of a folder."""

    def signature(self, path: str, /) -> Signature | None:
        """What a file looks like; None where there is none."""

    def read(self, path: str, /) -> bytes | None:
        """What it holds."""


def catch_up(
    index: SqliteIndex,
    ledger: Ledger,
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
        if seen == head:
            # Another process was faster.
            return 0
        news, erased = [], bool(seen)
        for entry in ledger.history(head):
            if entry.commit == seen:
                erased = False
                break
            news.append(entry)
        if erased:
            # History was rewritten: nothing here can be trusted.
            index.clear()
        step = SyncStep(index, ledger, folder, decay, kept)
        changed = step.run(head, news[::-1], progress)
    if erased:
        index.scour()
    return changed


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

    def run(
        self,
        head: str,
        entries: Sequence[LogEntry],
        progress: Callable[[int, int], None],
    ) -> int:
        """Show what some changes did, up to a commit."""
        seen, ledger = self._index.seen, self._ledger
        changed = dict(ledger.changed(head, seen))
        words = load_vocabulary(self._ledger.read_at(head, RELATIONS))
        # The first commit of very many files does not name them one by one.
        named = dict.fromkeys(changed, entries[0] if entries else None)
        named |= {line.path: entry for entry in entries for line in entry.lines}
        if seen and RELATIONS in changed:
            # Names of relations mean something else: every page is read again.
            pages = (
                p for p in self._index.signatures() if p.startswith(f"{ENTITIES}/")
            )
            blobs = {path: ledger.content_id(head, path) for path in pages}
            changed = {path: (blob, blob) for path, blob in blobs.items()} | changed
        for gone, new in _moves(changed).items():
            self._index.move_file(gone, new)
        for number, (path, (before, blob)) in enumerate(changed.items(), 1):
            old, text = ledger.content(before), ledger.content(blob)
            read = self._read(path, before, old, text, words) or head
            touched = named.get(path)
            self._index.put_signature(
                path,
                blob,
                self._signature(path, text),
                (read, (text or b"").count(b"\n") + 1),
                touched.commit if touched else "",
            )
            progress(number, len(changed))
        self._score(entries)
        if SCORES in changed:
            self._take_over_scores(seen, head, entries)
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
            The commit at which it was last read as a whole; empty for now.
        """
        known = self._index.ids_in(path)
        more = appended_shown(path, old, new) if old and new else None
        file = self._index.standing(path)
        # What changes in a way that its rows would still be good for another text of
        # the file is read as a whole.
        again = known.intersection(str(e.id) for e in more or ())
        if more is not None and file and file.blob == before and not again:
            self._index.add_entries(path, more, file.since)
            self._found |= {(str(e.id), path): e for e in more}
            return file.since
        reading = Reading() if new is None else read_shown(path, new, words)
        self._gone |= known
        head = self._ledger.head
        self._index.put_file(path, reading.entries, reading.edges, head)
        self._found |= {(str(e.id), path): e for e in reading.entries}
        broken = bool(old) and not known and read_file(path, old or b"", words).findings
        if broken or (known and path.startswith(f"{EPISODES}/")):
            # Unreadable for a while, by a slip of the hand.
            self._returning |= {str(e.id) for e in reading.entries} - known
        return ""

    def _signature(self, path: str, text: bytes | None) -> Signature | None:
        """A file's looks, if it is certain that it holds what we have indexed."""
        before = self._folder.signature(path)
        data = self._folder.read(path) if before else None
        if data is None or data != text:
            return None
        return before if before == self._folder.signature(path) else None

    def _score(self, entries: Sequence[LogEntry]) -> None:
        """Give every memory that came a trace; drop those of what went."""
        # When files came to be; core, which holds many memories, when it last changed.
        born: dict[str, datetime] = {}
        for entry in entries:
            for line in entry.lines:
                if line.action is Action.DELETE or line.path == CORE:
                    born.pop(_name(line.path), None)
                if line.action is not Action.DELETE:
                    born.setdefault(_name(line.path), entry.at)
        self._index.drop_traces(self._gone)
        told: Mapping[str, Trace] = {}
        if not all(map(self._index.trace, self._returning)):
            # What the scores still say of memories that are readable again.
            told = self._told(self._ledger.head).entries
        fresh = {}
        for (id_, path), found in self._found.items():
            # The record of a conversation does not fade.
            if not isinstance(found.item, Turn) and self._index.path_of(id_) == path:
                known = self._index.trace(id_) or told.get(id_)
                came = born.get(_name(path), entries[0].at)
                fresh[id_] = self._trace(found, known, came)
        self._index.put_traces(fresh)
        self._index.note_unsaved(self._index.unsaved + len(fresh))

    def _trace(self, entry: Entry, known: Trace | None, seen: datetime) -> Trace:
        own = own_pin(entry.item)
        if own is False and str(entry.id) in self._kept.pinned:
            own = True
        if known is not None:
            return known if own is None else replace(known, pinned=own)
        item, day = entry.item, _own_day(entry.item)
        created = seen
        if isinstance(item, Episode):
            created = item.at
        elif day and day != seen.date():
            created = datetime.combine(day, time(), UTC)
        source = None if isinstance(item, CoreItem | Turn) else item.source
        return Trace(
            store=entry.id.store,
            base=base_relevance(source, self._decay),
            created=created,
            last_accessed=max(created, noted(item) or created),
            pinned=bool(own),
        )

    def _take_over_scores(
        self, seen: str, head: str, entries: Sequence[LogEntry]
    ) -> None:
        """Apply `decay-scores.json`, unless it only says what came from here."""
        told = [e for e in entries if any(line.path == SCORES for line in e.lines)]
        if seen and all(entry.actor == DECAY for entry in told):
            self._index.note_unsaved(0)
            return
        as_told = not seen or any(e.lines[0].action is Action.REVERT for e in entries)
        scores = self._told(head)
        self._index.put_resurrected(_counts(scores.other.get(RESURRECTED)))
        live, fresh = self._index.traces(), {}
        days = {id_: _own_day(entry.item) for (id_, _), entry in self._found.items()}
        for id_, was in live.items():
            trace, day = scores.entries.get(id_), days.get(id_)
            # What says that it is younger is another memory of that name.
            if trace is None or (day and day > trace.created.date()):
                if as_told:
                    # Without the wishes that only the scores could tell of.
                    pinned = was.pinned and was.store is not Store.EPISODIC
                    fresh[id_] = replace(was, pinned=pinned, archived=False)
                continue
            if not as_told:
                # Without losing accesses that came after it.
                trace = replace(
                    trace,
                    accesses=max(was.accesses, trace.accesses),
                    last_accessed=max(was.last_accessed, trace.last_accessed),
                )
            # Only of episodes do the scores say what is pinned.
            by_file = trace.store is not Store.EPISODIC
            fresh[id_] = replace(trace, pinned=was.pinned) if by_file else trace
        self._index.put_traces(fresh)
        self._index.note_unsaved(len(live.keys() - scores.entries.keys()))

    def _told(self, head: str) -> ScoreFile:
        data = self._ledger.read_at(self._kept.scores or head, SCORES) or b""
        return parse_scores(data.decode("utf-8", "replace"), SCORES)


def _counts(told: object) -> dict[str, int]:
    """How often summaries came back, as far as a file typed by anybody tells it."""
    found = told.items() if isinstance(told, dict) else ()
    return {i: n for i, n in found if type(n) is int and 0 < n < _MOST}


def _moves(changed: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Files that only stand elsewhere, by the name they had and what is in them."""
    gone = {(_name(path), old): path for path, (old, new) in changed.items() if not new}
    return {
        gone.pop(key): path
        for path, (old, new) in changed.items()
        if not old and (key := (_name(path), new)) in gone
    }


def _name(path: str) -> str:
    """What a file keeps when its folder is split: its store and its own name."""
    return "/".join((*path.split("/")[:2], path.rpartition("/")[2]))


def own_pin(item: Item) -> bool | None:
    """Whether the file itself says that the memory is pinned; None if it cannot."""
    match item:
        case VaultNote():
            return True
        case Episode() | Turn():
            return None
        case Entity() | Procedure() | CoreItem():
            return item.pinned


def _own_day(item: Item) -> date | None:
    """The day on which a memory came to be, where it says so itself."""
    match item:
        case Episode():
            return item.at.date()
        case Entity() | VaultNote():
            return item.created
        case Procedure():
            return item.learned
        case CoreItem() | Turn():
            return None


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
    told = change.told or tuple(
        LogLine(edit.action, edit.path, edit.summary) for edit in change.edits
    )
    # A commit knows its time to the second.
    at = now.replace(microsecond=0)
    entry = LogEntry(IMAGINED, at, told, change.actor, change.approval, change.trigger)
    would_be = _WouldBe(change, read)
    copy = index.copy(would_be)
    with copy.changing():
        step = SyncStep(copy, would_be, would_be, decay)
        step.run(IMAGINED, [entry], lambda _done, _all: None)
    return copy


class _WouldBe:
    """History and folder as they would be; there is only one commit to ask for."""

    head = IMAGINED

    def __init__(self, change: ChangeSet, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._after = {edit.path: edit.content for edit in change.edits}
        self._content: dict[str, bytes | None] = {"": None}

    def changed(self, _commit: str, _since: str, /) -> dict[str, tuple[str, str]]:
        """Content ids before and after of what would change, by path."""
        paths = sorted(self._after, key=lambda path: path.split("/"))
        pairs = {p: (self._blob(self._read(p)), self.content_id("", p)) for p in paths}
        return {path: (old, new) for path, (old, new) in pairs.items() if old != new}

    def content(self, blob: str, /) -> bytes | None:
        """The bytes of a content id."""
        return self._content[blob]

    def read(self, path: str, /) -> bytes | None:
        """A file as it would be."""
        return self._after[path] if path in self._after else self._read(path)

    def read_at(self, _commit: str, path: str, /) -> bytes | None:
        """The same."""
        return self.read(path)

    def content_id(self, _commit: str, path: str, /) -> str:
        """The content id that a file would have; empty if it were gone."""
        return self._blob(self.read(path))

    def _blob(self, data: bytes | None) -> str:
        blob = hash_content(data)
        self._content[blob] = data
        return blob

    def signature(self, _path: str, /) -> Signature | None:
        """No file on the disk holds this yet."""
        return None


# --- the snapshot of scores --------------------------------------------------


FEWEST = 5
"""Changes worth a snapshot in a small workspace."""

MOST_TOLD = 200
"""So many status changes are told one by one."""

SHARE = 10
"""In a large one, one in so many memories must have changed."""


def due(index: SqliteIndex) -> bool:
    """Whether enough has changed since the last snapshot to pay for a new one."""
    unsaved = index.unsaved
    return unsaved >= FEWEST and unsaved * SHARE >= sum(index.counts().values())


def faded(
    index: SqliteIndex, told: bytes | None, decay: DecayConfig, now: datetime
) -> tuple[LogLine, ...]:
    """What time did to memories since the scores were written: one line each.

    Only the first `MOST_TOLD` are named; very many may fade at once.
    """
    known = parse_statuses((told or b"").decode("utf-8", "replace"), SCORES)
    lines = []
    for id_, trace in sorted(index.traces().items()):
        was, now_is = known.get(id_), standing(trace, now, decay)[1]
        if was is not None and was is not now_is:
            lines.append(LogLine(Action.DECAY, SCORES, f"{id_}: {was} to {now_is}"))
    if len(lines) > MOST_TOLD:
        rest = f"and {len(lines) - MOST_TOLD:,} more"
        lines[MOST_TOLD:] = [LogLine(Action.DECAY, SCORES, rest)]
    return tuple(lines)


def plan_snapshot(
    index: SqliteIndex,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
    changes: Mapping[str, Trace] | None = None,
    other: Mapping[str, object] | None = None,
) -> tuple[Edit, ...]:
    """Plan to write both files, where they would say anything new.

    Args:
        index: The live tables.
        read: A file's bytes as they stand.
        decay: Rates and weights.
        now: The moment to score for.
        changes: Traces that shall differ from the live ones.
        other: Keys of the scores besides the entries that shall say something else;
            those that shall be None are taken out.
    """
    changes, edits = changes or {}, []
    for path, what in ((SCORES, "scores"), (GRAPH_INDEX, "graph")):
        # Where a link or folder stands, its human has to mend it first.
        with suppress(NotAPlainFileError):
            old = read(path)
            if path == SCORES:
                new = _scores(index, changes, other or {}, old, decay, now)
            else:
                traces = {**index.traces(), **changes}
                rows = _rows(index, traces, decay, now)
                new = render_graph_index(rows, index.edges())
            if new is not None and old != new.encode():
                action = Action.CREATE if old is None else Action.EDIT
                why = f"snapshot of the {what}"
                edits.append(Edit(path, new.encode(), checksum(old), action, why))
    return tuple(edits)


def _scores(
    index: SqliteIndex,
    changes: Mapping[str, Trace],
    other: Mapping[str, object],
    old: bytes | None,
    decay: DecayConfig,
    now: datetime,
) -> str | None:
    """The scores as text; None if its human has to mend them, or nothing is new."""
    text = (old or b"").decode("utf-8", "replace")
    known = parse_scores(text, SCORES) if old else ScoreFile()
    if known.findings:
        return None
    traces = {
        id_: _kept_wishes(trace, known.entries[id_]) if id_ in known.entries else trace
        for id_, trace in index.traces().items()
    }
    traces |= changes
    # How often context reflections came back.
    counts = index.resurrected()
    if counts and counts != known.other.get(RESURRECTED):
        other = {**other, RESURRECTED: counts}
    if old and known.entries == traces and not other:
        was = parse_statuses(text, SCORES)
        if all(
            was.get(id_) in {None, standing(trace, now, decay)[1]}
            for id_, trace in traces.items()
        ):
            return None
    said = {k: v for k, v in {**known.other, **other}.items() if v is not None}
    return render_scores(replace(known, entries=traces, other=said), now, decay)


def _kept_wishes(live: Trace, told: Trace) -> Trace:
    """A live trace with what somebody wanted of the memory as history has it.

    The live table lies where anybody can write, and must not unpin or archive.
    """
    # Only of episodes do the scores say what is pinned; of others their files do.
    pinned = live.pinned or (told.pinned and told.store is Store.EPISODIC)
    # What was made later is another memory of that name.
    archived = told.archived if told.created == live.created else live.archived
    if (pinned, archived) == (live.pinned, live.archived):
        return live
    return replace(live, pinned=pinned, archived=archived)


def _rows(
    index: SqliteIndex, traces: Mapping[str, Trace], decay: DecayConfig, now: datetime
) -> Iterator[GraphRow]:
    for item in index.items(Store.SEMANTIC):
        trace = traces.get(item.id)
        if trace is None or trace.archived:
            continue
        name = item.id.partition(":")[2]
        score, _ = standing(trace, now, decay)
        file = item.path.removeprefix("memory/graph/")
        yield GraphRow(
            name, name.partition("--")[0], item.title, file, score, trace.pinned
        )
