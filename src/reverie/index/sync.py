"""Bring the index from the commit it has seen to the newest one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from reverie.decay import Trace, base_relevance, standing
from reverie.errors import UnavailableError
from reverie.index import Used
from reverie.index.located import (
    appended_shown,
    noted,
    own_pin,
    read_served,
    statement,
)
from reverie.index.names import find_each
from reverie.model import items
from reverie.model.change import (
    DECAY,
    Action,
    Edit,
    LogEntry,
    LogLine,
    checksum,
    hash_content,
)
from reverie.model.ids import Kind, Store
from reverie.stores import scores
from reverie.stores.reader import SPLIT_FILE, load_vocabulary, read_file
from reverie.stores.relations import GraphRow, render_graph_index
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from reverie.config import DecayConfig
    from reverie.index import Index
    from reverie.index.attestation import Past
    from reverie.ledger import Ledger
    from reverie.model.change import ChangeSet
    from reverie.stores.reader import Reading
    from reverie.stores.relations import Vocabulary
    from reverie.workspace.files import Folder, Signature

    Changed = dict[str, tuple[str, str]]
    Contents = Callable[[str, tuple[str, str]], Iterable[bytes | None]]
    Versions = Callable[[str], tuple[bytes, ...]]


_PAGES = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")
"""Where files of one memory stand that is told more and more."""

_CALM = frozenset({Action.REVERT, Action.MERGE, Action.RENAME})
"""What is done to pages by which they say nothing new."""

_CONFIRMED = "confirmed"
"""Name of the fold that says which confirmed versions the index shows."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def catch_up(
    index: Index,
    ledger: Ledger,
    folder: Folder,
    decay: DecayConfig,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    confirmed: Mapping[str, str] | None = None,
    versions: Versions = lambda _: (),
    note: Callable[[str], None] = lambda _text: None,
) -> int:
    """Show in the index what the ledger says; returns how many files changed.

    A file with more memories than the index holds is passed to `note`.

    Args:
        index: What is brought up to date.
        ledger: History.
        folder: Where the files are.
        decay: How relevant what is new starts out.
        progress: Told how many files are done, and how many there are.
        confirmed: Files with an edit that waits for the owner, each with the commit
            of its last confirmed version.
        versions: Returns the confirmed version of such a file; empty for others.
        note: Told what was left out.
    """
    head, waiting = ledger.head, dict(confirmed or {})
    if index.seen == head and not _differing(index, waiting):
        return 0
    with index.changing():
        seen = index.seen
        again = _differing(index, waiting) if seen else {*waiting}
        if seen == head and not again:
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
            seen, again = "", {*waiting}
        changed = dict(ledger.changed(head, seen))
        known = versions if waiting else lambda _: ()
        step = SyncStep(index, ledger, head, decay, folder, known)
        read: Contents = lambda _path, blobs: map(ledger.content, blobs)  # noqa: E731 - typed
        step.run(news[::-1] or [ledger.entry(head)], changed, read, progress, again)
        if again:
            index.put_fold(_CONFIRMED, msgspec.json.encode(waiting), b"")
        for found in step.limited:
            note(f"{found.path}: {found.what}. {found.mend}")
    if erased:
        index.scour()
    return len(changed)


def _differing(index: Index, waiting: Mapping[str, str]) -> set[str]:
    """Return the files that the index shows with another confirmed version."""
    data, _ = index.fold(_CONFIRMED)
    known: dict[str, str] = {}
    with suppress(msgspec.MsgspecError):
        known = msgspec.json.decode(data or b"{}", type=dict[str, str])
    paths = known.keys() | waiting.keys()
    return {path for path in paths if known.get(path) != waiting.get(path)}


class SyncStep:
    """One transaction's worth of catching up.

    Args:
        index: What is brought up to date.
        past: Where files are read.
        head: Up to which commit; others may go on writing meanwhile.
        decay: How relevant what is new starts out.
        folder: Where they stand; None where they do not yet.
        versions: Returns the confirmed version of a file with an edit that waits for
            the owner; empty for others.
    """

    def __init__(
        self,
        index: Index,
        past: Past,
        head: str,
        decay: DecayConfig,
        folder: Folder | None = None,
        versions: Versions = lambda _: (),
    ) -> None:
        self._index, self._past, self._head, self._decay = index, past, head, decay
        self._folder, self._versions = folder, versions
        self._found: dict[tuple[str, str], items.Entry] = {}
        self._gone: set[str] = set()
        self._returning: set[str] = set()
        self._came: list[items.Entry] = []
        self._uses: dict[str, Used] = {}
        self.limited: list[items.Finding] = []

    def run(
        self,
        entries: Sequence[LogEntry],
        changed: Changed,
        contents: Contents,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        again: Iterable[str] = (),
    ) -> None:
        """Show what some changes did to files.

        Args:
            entries: The changes, the oldest first.
            changed: Content ids of the files before and after.
            contents: What a file held, and holds.
            progress: Told how many files are done, and how many there are.
            again: Other files to be read again as they are.
        """
        index, seen, head = self._index, self._index.seen, self._head
        # A commit of others may have names that no file of ours is given.
        changed = {p: ids for p, ids in changed.items() if layout.is_safe(p)}
        words = load_vocabulary(self._past.read_at(head, layout.RELATIONS))
        # The first commit of very many files does not name them one by one.
        named = dict.fromkeys(changed, entries[0].commit if entries else "")
        named |= {line.path: entry.commit for entry in entries for line in entry.lines}
        if seen and layout.RELATIONS in changed:
            # Names of relations mean something else: every page is read again.
            every = {f.path: (f.blob, f.blob) for f in index.files()}
            pages = f"{layout.ENTITIES}/"
            changed = {p: b for p, b in every.items() if p.startswith(pages)} | changed
        for gone, new in (moved := _moves(changed)).items():
            index.move_file(gone, new)
        blob = self._past.content_id
        changed = {p: (blob(head, p),) * 2 for p in again} | changed
        calm = [any(ln.action in _CALM for ln in e.lines) for e in entries]
        same = {*moved.values()} if seen and not all(calm) else {*changed}
        self._notice(entries, same)
        # First what is confirmed, so that nothing that waits takes its ID.
        ordered = sorted(changed.items(), key=lambda each: self._rank(each[0]))
        for number, (path, blobs) in enumerate(ordered, 1):
            old, text = contents(path, blobs)
            since = self._read(path, blobs[0], old, text, words) or head
            lines = (text or b"").count(b"\n") + 1
            looks = self._signature(path, text)
            touched = named.get(path, "")
            index.put_signature(path, blobs[1], looks, (since, lines), touched)
            progress(number, len(changed))
        self._score(entries)
        if any(path.startswith(f"{layout.ENTITIES}/") for path in changed):
            index.note_graph(stale=True)
        elif layout.GRAPH_INDEX in changed:
            index.note_graph(stale=any(entry.actor != DECAY for entry in entries))
        self._notice_named()
        index.count_uses(self._uses.values())
        if layout.SCORES in changed:
            self._take_over_scores(seen, entries)
        index.note_seen(head)

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
            self._came += more
            return file.since
        elsewhere = partial(self._stands_elsewhere, path)
        reading = read_served(path, new, self._versions(path), words, elsewhere)
        if path not in self._as_before and new != old:
            self._came += (e for e in reading.entries if str(e.id) not in known)
            self._notice_added(path, reading)
        self.limited += (f for f in reading.findings if f.mend == SPLIT_FILE)
        self._gone |= known
        self._index.put_file(path, reading.entries, reading.edges, self._head)
        self._found |= {(str(e.id), path): e for e in reading.entries}
        broken = bool(old) and not known and read_file(path, old or b"", words).findings
        if broken or (known and path.startswith(f"{layout.EPISODES}/")):
            # Unreadable for a while, by a slip of the hand.
            self._returning |= {str(e.id) for e in reading.entries} - known
        return ""

    def _rank(self, path: str) -> int:
        """Return 0 for a file that does not wait, 2 if nothing of it is confirmed."""
        versions = self._versions(path)
        return 1 + (not any(versions)) if versions else 0

    def _stands_elsewhere(self, path: str, id_: str) -> bool:
        """Return whether another file has a memory of this ID."""
        known = self._index.path_of(id_) not in {"", path}
        return known or any(i == id_ and p != path for i, p in self._found)

    # --- uses: what is referred to (docs/design/years.md) ----------------------

    def _notice(self, entries: Sequence[LogEntry], as_before: set[str]) -> None:
        """Get ready to notice uses, but for files that only stand elsewhere now.

        What is taken back, joined or renamed was not referred to either.
        """
        lines = [(entry.at, line) for entry in entries for line in entry.lines]
        calm = [e for e in entries if any(ln.action in _CALM for ln in e.lines)]
        back = {line.path for entry in calm for line in entry.lines}
        self._as_before = as_before | back
        self._when = {line.path: at for at, line in lines}
        if not entries:
            raise UnavailableError(
                "the history of this workspace is not there any more",
                hint="`reverie check --repair` restores what is left of it in .audit.",
            )
        self._now = entries[-1].at

    def _use(self, name: str, at: datetime) -> None:
        known = self._uses.get(name)
        latest, times = (max(known.at, at), known.times) if known else (at, 0)
        self._uses[name] = Used(name, latest, times + 1)

    def _notice_added(self, path: str, reading: Reading) -> None:
        """Count a use of a page that says more, and of those that it links to anew."""
        if not path.startswith(_PAGES):
            return
        at, linked = self._when.get(path, self._now), self._index.links_in(path)
        new = [
            edge
            for edge in reading.edges
            if (edge.origin, edge.relation, edge.target) not in linked
        ]
        known, own = self._index.lines_in(path), set[str]()
        for entry in reading.entries:
            if isinstance(entry.item, items.Statement):
                continue
            own.add(entry.id.name)
            said = map(statement, _statements(entry.item))
            if known and (new or not known.issuperset(said)):
                self._use(str(entry.id), at)
        for name in {end for edge in new for end in (edge.origin, edge.target)} - own:
            self._use(f"{Kind.ENTITY}:{name}", at)

    def _notice_named(self) -> None:
        """Count a use of every entity that a new episode or turn names."""
        came = [
            (min(entry.item.at or _LONG_AGO, self._now), entry.text)
            for entry in self._came
            if isinstance(entry.item, items.Episode | items.Turn)
        ]
        found = find_each([text for _, text in came], self._index)
        for (at, _), named in zip(came, found, strict=True):
            for name in {id_ for each in named for id_ in each.ids}:
                self._use(f"{Kind.ENTITY}:{name}", at)

    def _signature(self, path: str, text: bytes | None) -> Signature | None:
        """A file's looks, if it is certain that it holds what we have indexed."""
        folder = self._folder
        if folder is None or (before := folder.signature(path)) is None:
            return None
        same = folder.read(path) == text and before == folder.signature(path)
        return before if same else None

    def _score(self, entries: Sequence[LogEntry]) -> None:
        """Give every memory that came a trace; drop those of what went."""
        # When files came to be; core, which holds many memories, when it last changed.
        born: dict[str, datetime] = {}
        for entry in entries:
            for line in entry.lines:
                if line.action is Action.DELETE or line.path == layout.CORE:
                    born.pop(_name(line.path), None)
                if line.action is not Action.DELETE:
                    born.setdefault(_name(line.path), entry.at)
        self._index.drop_traces(self._gone)
        told: Mapping[str, Trace] = {}
        if not all(map(self._index.trace, self._returning)):
            # What the scores still say of memories that are readable again.
            told = self._told().entries
            self._came = [e for e in self._came if str(e.id) not in told]
        fresh = {}
        for (id_, path), found in self._found.items():
            # The record of a conversation does not fade; of facts, their page does.
            bare = isinstance(found.item, items.Turn | items.Statement)
            if not bare and self._index.path_of(id_) == path:
                known = self._index.trace(id_) or told.get(id_)
                came = born.get(_name(path), entries[0].at)
                fresh[id_] = self._trace(found, known, came)
        self._index.put_traces(fresh)

    def _trace(self, entry: items.Entry, known: Trace | None, seen: datetime) -> Trace:
        item, day, own = entry.item, _own_day(entry.item), own_pin(entry.item)
        if known is not None:
            return known if own is None else replace(known, pinned=own)
        created = seen
        if isinstance(item, items.Episode):
            created = item.at
        elif isinstance(item, items.Note) and item.at:
            created = min(item.at, seen)
        elif day and day not in (_earliest(seen), seen.date(), _latest(seen)):
            created = datetime.combine(day, time(), UTC)
        source = None
        if not isinstance(item, items.CoreItem | items.Turn | items.Statement):
            source = item.source
        return Trace(
            store=entry.id.store,
            base=base_relevance(source, self._decay),
            created=created,
            last_accessed=max(
                *(created, noted(item) or created),
                *(_told_use(item, seen), _spoken_of(item, self._now)),
            ),
            accesses=getattr(item, "accesses", 0) or 1,
            pinned=bool(own),
        )

    def _take_over_scores(self, seen: str, entries: Sequence[LogEntry]) -> None:
        """Apply `decay-scores.json`, unless it only says what came from here."""
        about = [e for e in entries if any(ln.path == layout.SCORES for ln in e.lines)]
        if seen and all(entry.actor == DECAY for entry in about):
            self._index.note_unsaved(0)
            return
        as_told = not seen or any(e.lines[0].action is Action.REVERT for e in entries)
        told = self._told()
        # How often summaries came back, as far as a file typed by anybody tells it.
        counts = told.other.get(scores.RESURRECTED)
        numbers = counts.items() if isinstance(counts, dict) else ()
        good = {i: n for i, n in numbers if type(n) is int and 0 < n < 1 << 40}
        self._index.put_resurrected(good)
        live, fresh, uses = self._index.traces(), {}, 0
        found = {id_: entry.item for (id_, _), entry in self._found.items()}
        for id_, was in live.items():
            trace, item = told.entries.get(id_), found.get(id_)
            day = _own_day(item) if item else None
            # What says that it is younger is another memory of that name.
            if trace is None or (day and day > _latest(trace.created)):
                if as_told:
                    # Without the wishes that only the scores could tell of.
                    pinned = was.pinned and was.store is not Store.EPISODIC
                    fresh[id_] = replace(was, pinned=pinned, archived=False)
                continue
            if not as_told:
                # Without losing uses that came after it.
                uses += was.accesses > trace.accesses
                latest = max(was.last_accessed, trace.last_accessed)
                trace = replace(
                    trace,
                    accesses=max(was.accesses, trace.accesses),
                    last_accessed=latest,
                )
            elif not seen:
                latest = max(_spoken_of(item, self._now), trace.last_accessed)
                trace = replace(trace, last_accessed=latest)
            # Only of episodes do the scores say what is pinned.
            by_file = trace.store is not Store.EPISODIC
            fresh[id_] = replace(trace, pinned=was.pinned) if by_file else trace
        self._index.put_traces(fresh)
        self._index.note_unsaved(len(live.keys() - told.entries.keys()), uses)

    def _told(self) -> scores.ScoreFile:
        confirmed = self._versions(layout.SCORES)
        data = self._past.read_at(self._head, layout.SCORES) or b""
        data = confirmed[0] if confirmed else data
        return scores.parse_scores(data.decode("utf-8", "replace"), layout.SCORES)


def _moves(changed: Changed) -> dict[str, str]:
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


def _earliest(moment: datetime) -> date:
    """The day that it is somewhere on earth at a moment, where it is earliest."""
    return (moment - timedelta(hours=12)).date()


def _latest(moment: datetime) -> date:
    """The day that it is somewhere on earth at a moment, where it is latest."""
    return (moment + timedelta(hours=14)).date()


def _told_use(item: items.Item, seen: datetime) -> datetime:
    """When a memory was last of use, as far as its file tells; no day to come.

    Whoever wrote or brought a note was just busy with it.
    """
    match item:
        case items.Note():
            return seen
        case items.Entity(updated=date() as day):
            pass
        case items.Procedure(last_used=date() as day):
            pass
        case _:
            return _LONG_AGO
    return min(datetime.combine(day, time(), UTC), seen)


def _statements(item: items.Item) -> Iterator[str]:
    """The lines of what a page says in single statements that hold."""
    if isinstance(item, items.Entity):
        said: Iterable[str] = (fact.text for fact in item.facts if fact.current)
    elif isinstance(item, items.Procedure):
        said = (*item.steps, *item.notes)
    else:
        said = ()
    return (line for text in said for line in text.split("\n"))


def _spoken_of(item: items.Item | None, now: datetime) -> datetime:
    """When something was last told of an entity, as far as its facts say it."""
    facts = item.facts if isinstance(item, items.Entity) else ()
    days = [fact.since for fact in facts if fact.current and fact.since]
    last = max((day for day in days if day <= now.date()), default=None)
    return datetime.combine(last, time(), UTC) if last else _LONG_AGO


def _own_day(item: items.Item) -> date | None:
    """The day on which a memory came to be, where it says so itself."""
    if isinstance(item, items.Episode):
        return item.at.date()
    if isinstance(item, items.Note):
        return item.at.date() if item.at else None
    if isinstance(item, items.Procedure):
        return item.learned
    if isinstance(item, items.CoreItem | items.Turn | items.Statement):
        return None
    return item.created


# --- an index as it would be --------------------------------------------------


class _WouldBe:
    """History as it would be after a change; there is only one commit to ask for."""

    head = "imagined"

    def __init__(self, change: ChangeSet, read: Callable[[str], bytes | None]) -> None:
        self._after = {edit.path: edit.content for edit in change.edits}
        self._before = read

    def read_at(self, _commit: str, path: str, /) -> bytes | None:
        """A file as it would be."""
        return self._after[path] if path in self._after else self._before(path)

    def content_id(self, commit: str, path: str, /) -> str:
        """The content id that a file would have; empty if it were gone."""
        return hash_content(self.read_at(commit, path))


def imagine(
    index: Index,
    change: ChangeSet,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
) -> Index:
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
    past = _WouldBe(change, read)
    # A commit knows its time to the second.
    at = now.replace(microsecond=0)
    why = (change.actor, change.approval, change.trigger)
    paths = sorted({e.path for e in change.edits}, key=lambda path: path.split("/"))
    both = {p: (hash_content(read(p)), past.content_id("", p)) for p in paths}
    changed = {path: (old, new) for path, (old, new) in both.items() if old != new}
    copy = index.copy(past)
    with copy.changing():
        SyncStep(copy, past, past.head, decay).run(
            [LogEntry(past.head, at, told, *why)],
            changed,
            lambda path, _blobs: (read(path), past.read_at("", path)),
        )
    return copy


# --- the snapshot of scores --------------------------------------------------

MOST_TOLD = 200
"""So many status changes are told one by one."""


def faded(
    index: Index, told: bytes | None, decay: DecayConfig, now: datetime
) -> tuple[LogLine, ...]:
    """What time did to memories since the scores were written: one line each.

    One that is not in them had the status of its last use. Only the first `MOST_TOLD`
    are named; very many may fade at once.
    """
    text = (told or b"").decode("utf-8", "replace")
    known = scores.parse_statuses(text, layout.SCORES)
    found = []
    for id_, trace in sorted(index.traces().items()):
        now_is = standing(trace, now, decay)[1]
        was = known.get(id_) or standing(trace, trace.last_accessed, decay)[1]
        if was is not now_is:
            found.append(f"{id_}: {was} to {now_is}")
    if len(found) > MOST_TOLD:
        found[MOST_TOLD:] = [f"and {len(found) - MOST_TOLD:,} more"]
    return tuple(LogLine(Action.DECAY, layout.SCORES, line) for line in found)


def plan_snapshot(
    index: Index,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
    changes: Mapping[str, Trace] | None = None,
    other: Mapping[str, object] | None = None,
    pages: Iterable[Edit] = (),
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
        pages: Edits of the same change; an edge that ends with them is left out.
    """
    ended = ended_edges(index, pages, read)
    changes, edits = changes or {}, []
    for path, what in ((layout.SCORES, "scores"), (layout.GRAPH_INDEX, "graph")):
        # Where a link or folder stands, its human has to mend it first.
        with suppress(NotAPlainFileError):
            old = read(path)
            if path == layout.SCORES:
                new = _scores(index, changes, other or {}, old, decay, now)
            else:
                new = render_graph(index, decay, now, changes, ended)
            if new is not None and old != new.encode():
                action = Action.CREATE if old is None else Action.EDIT
                why = f"snapshot of the {what}"
                edits.append(Edit(path, new.encode(), checksum(old), action, why))
    return tuple(edits)


def ended_edges(
    index: Index, pages: Iterable[Edit], read: Callable[[str], bytes | None]
) -> set[tuple[str, str, str]]:
    """Return the edges that no page states any more once some are edited."""
    edited = [edit for edit in pages if edit.path.startswith(f"{layout.ENTITIES}/")]
    if not edited:
        return set()
    words = load_vocabulary(read(layout.RELATIONS))
    after = {
        edit.path: {
            (edge.origin, edge.relation, edge.target)
            for edge in read_file(edit.path, edit.content or b"", words).edges
        }
        for edit in edited
    }
    lost = {edge for path in after for edge in index.links_in(path) - after[path]}

    def stated(edge: tuple[str, str, str]) -> bool:
        ends = (index.path_of(f"{Kind.ENTITY}:{name}") for name in edge[::2])
        there = (after[p] if p in after else index.links_in(p) for p in ends if p)
        return any(edge in links for links in there)

    return {edge for edge in lost if not stated(edge)}


def render_graph(
    index: Index,
    decay: DecayConfig,
    now: datetime,
    changes: Mapping[str, Trace] | None = None,
    ended: Collection[tuple[str, str, str]] = (),
) -> str:
    """The graph's index as the live tables tell it, without what was forgotten.

    An edge was last accessed when one of its ends was. What is for one person alone is
    not in it: everybody reads it.
    """
    private = index.scopes()
    every = {**index.traces(), **(changes or {})}
    traces = {
        id_: replace(trace, archived=True) if id_ in private else trace
        for id_, trace in every.items()
    }

    def last(edge: items.Edge) -> date | None:
        ends = (traces.get(f"entity:{name}") for name in (edge.origin, edge.target))
        known = [trace for trace in ends if trace]
        if any(trace.archived for trace in known):
            return None
        return max((trace.last_accessed.date() for trace in known), default=None)

    held = (e for e in index.edges() if (e.origin, e.relation, e.target) not in ended)
    dated = ((edge, last(edge)) for edge in held)
    edges = (replace(edge, last_accessed=day) for edge, day in dated if day)
    return render_graph_index(_rows(index, traces, decay, now), edges)


def _scores(
    index: Index,
    changes: Mapping[str, Trace],
    other: Mapping[str, object],
    old: bytes | None,
    decay: DecayConfig,
    now: datetime,
) -> str | None:
    """The scores as text; None if its human has to mend them, or nothing is new."""
    text = (old or b"").decode("utf-8", "replace")
    known = scores.parse_scores(text, layout.SCORES) if old else scores.ScoreFile()
    if known.findings:
        return None
    traces = {
        id_: _kept_wishes(trace, known.entries[id_]) if id_ in known.entries else trace
        for id_, trace in index.traces().items()
    }
    traces |= changes
    # How often context reflections came back.
    counts = index.resurrected()
    if counts and counts != known.other.get(scores.RESURRECTED):
        other = {**other, scores.RESURRECTED: counts}
    if old and known.entries == traces and not other:
        was = scores.parse_statuses(text, layout.SCORES)
        if all(
            was.get(id_) in {None, standing(trace, now, decay)[1]}
            for id_, trace in traces.items()
        ):
            return None
    said = {k: v for k, v in {**known.other, **other}.items() if v is not None}
    return scores.render_scores(replace(known, entries=traces, other=said), now, decay)


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
    index: Index, traces: Mapping[str, Trace], decay: DecayConfig, now: datetime
) -> Iterator[GraphRow]:
    for item in index.items(Store.SEMANTIC):
        trace = traces.get(item.id)
        if trace is not None and not trace.archived:
            name = item.id.partition(":")[2]
            file = item.path.removeprefix("memory/graph/")
            score, _ = standing(trace, now, decay)
            told = (name, name.partition("--")[0], item.title, file)
            yield GraphRow(*told, score, trace.pinned)
