"""History: changes, diff, blame, undo and restore (design, 12.7 and 12.8)."""

from __future__ import annotations

import difflib
import hashlib
import re
from contextlib import suppress
from datetime import UTC
from functools import partial
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.dates import at_home
from reverie.errors import ConflictError, NotFoundError
from reverie.index.located import pins_in
from reverie.ledger import rollback
from reverie.ledger.alerts import HISTORY
from reverie.ledger.audit_log import CRITICAL_MARK
from reverie.model.change import (
    INIT,
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.ids import Store
from reverie.model.items import aware
from reverie.model.views import BlameLine, Undoing
from reverie.printable import printable
from reverie.reflection.proposal_page import laid_by, lays_out_proposal
from reverie.reflection.records import LOGS, without_reflection
from reverie.session.conversation_record import is_record
from reverie.session.viewer import OthersMemoriesError, speaks_of
from reverie.stores.expectations import without_expectations
from reverie.stores.proposals import keep_counting, parse_pending
from reverie.stores.scores import parse_scores
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from reverie.decay import Trace
    from reverie.model.change import Actor, Claim, LogEntry, Receipt
    from reverie.model.views import Alert
    from reverie.session.session import Session
    from reverie.session.viewer import Viewer
    from reverie.stores.scores import ScoreFile

SHOWN, LONGEST = 500, 4_000
"""Lines of an alert's change that are shown, and characters of each."""

WHOLE = 400_000
"""Characters up to which what waits to be confirmed is shown to its end."""

MOST_COMPARED = 200
"""So many files at most are shown line by line before going back."""

_FORGETTING = {Action.ARCHIVE, Action.DECAY, Action.DELETE}


class NotInHistoryError(NotFoundError):
    """No such change, file or reflection is in history, or nothing of it is left."""

    mend = "`reverie history` shows what happened."


class NothingToUndoError(NotInHistoryError):
    """Nothing is left of what was to be undone."""

    says = "nothing to undo: {}"


class OtherwiseByNowError(ConflictError):
    """Going back would do something else than what its human was shown."""

    says = "going back would do something else by now"
    mend = "Look at what it would do now, and decide anew."


def history(
    session: Session,
    viewer: Viewer,
    path: str,
    actor: str,
    since: datetime | None,
    forgotten: str,
    limit: int,
    commit: str = "",
) -> list[LogEntry]:
    """Changes that are for who looks and pass all filters, newest first."""
    if commit:
        one = viewer.entry(session.ledger.entry(resolve(session, viewer, commit)))
        return [one] if one else []
    found = []
    start = aware(since) if since else None
    paths, undone = {path} if path else set(), set[str]()

    def naming(message: str) -> bool:
        signed = not actor or f"\nActor: {actor.rstrip('*:')}" in message
        if not path:
            return signed
        # What makes two pages one, or takes that back, may tell of any.
        return any(map(message.__contains__, (*paths, *_ANY_PATH)))

    for entry in session.ledger.history(naming=naming):
        if start is not None and entry.at < start:
            continue
        told = viewer.entry(entry)
        if told is not None and _passes(told, paths, actor, forgotten.casefold()):
            found.append(told)
            if limit and len(found) == limit:
                break
        if path:
            undone.update(_undone_by(entry))
            # What a page was before, and what went into it, is its history too.
            for joined in () if entry.commit[:10] in undone else _one_page(entry):
                paths |= {*joined} if joined[0] in paths else set()
    return found


def _one_page(entry: LogEntry) -> list[list[str]]:
    """Pages that a change made one, the first of each what they are since then."""
    found: dict[str, list[str]] = {}
    for line in entry.lines:
        joins = line.action is Action.MERGE or line.action is Action.RENAME
        if joins and not line.path.endswith("/*"):
            found.setdefault(line.summary, []).append(line.path)
    return [paths for paths in found.values() if len(paths) > 1]


def diff(session: Session, viewer: Viewer, commit: str) -> str:
    """What a change did, as a unified diff; lines for others are left out."""
    full = resolve(session, viewer, commit)
    return _compared(viewer, viewer.changed(full))


def _compared(
    viewer: Viewer, changed: Mapping[str, tuple[bytes | None, bytes | None]]
) -> str:
    parts: list[str] = []
    for path, (before, after) in changed.items():
        if viewer and not viewer.differ(path, before, after)[0]:
            continue
        old, new = (_ended(viewer.lines(path, data)) for data in (before, after))
        parts += difflib.unified_diff(
            list(old.values()), list(new.values()), f"a/{path}", f"b/{path}"
        )
    return "".join(parts)


def with_changes(session: Session, viewer: Viewer, alert: Alert) -> Alert:
    """An alert with the first lines that its change took out of its file and put in.

    Of a file that waits to be confirmed, all that was done to it since it was, by
    whomever: that is what counts once it is. What cannot be seen is made visible.
    """
    ledger, path = session.ledger, alert.path
    if path == HISTORY or not ledger.has(alert.commit):
        return alert
    if alert.since is None:
        ids = ledger.changed(alert.commit).get(path, ("", ""))
    else:
        good = ledger.content_id(alert.since, path) if alert.since else ""
        ids = good, ledger.content_id(ledger.head, path)
    before, after = (
        [line.rstrip("\n") for line in viewer.lines(path, ledger.content(id_)).values()]
        for id_ in ids
    )
    found = difflib.unified_diff(before, after, n=0, lineterm="")
    marked = [line for line in islice(found, 2, None) if not line.startswith("@@")]
    if alert.since is not None and sum(map(len, marked)) <= WHOLE:
        return replace(alert, changed=tuple(map(printable, marked)))
    told = [printable(line) for line in marked[:SHOWN]]
    long = sum(len(line) > LONGEST for line in told)
    shown = [_beginning(line) for line in told]
    left = len(marked) - len(shown)
    more = (f"… and {left:,} more",) if left else ()
    return replace(alert, changed=(*shown, *more), cut=long + left)


def _beginning(line: str) -> str:
    """A line, or as much of it as is shown, and how much is not."""
    left = len(line) - LONGEST
    return f"{line[:LONGEST]}… and {left:,} more characters" if left > 0 else line


def blame(session: Session, viewer: Viewer, path: str) -> list[BlameLine]:
    """Each line of a file that is for who looks, with the change it came with."""
    ledger = session.ledger
    data = ledger.read_at(ledger.head, layout.safe_path(path))
    lines = _ended(viewer.lines(path, data))
    if data is None or (data and not lines):
        raise NotInHistoryError(f"the ledger has no file {path}")
    written = _written(session, path, ledger.head)
    told: list[BlameLine] = []
    for number, commit in sorted(written.items()):
        if number in lines:
            entry = ledger.entry(commit)
            said = lines[number].rstrip("\n")
            told.append(BlameLine(number, said, commit, str(entry.actor), entry.at))
    return told


def _written(session: Session, path: str, head: str) -> dict[int, str]:
    """The change that each line of a file came with, through merges and renames."""
    ledger, found = session.ledger, dict[int, str]()
    runs = list(ledger.blame(path, head))
    lines = _text(ledger.read_at(head, path)).split("\n")
    for commit in dict.fromkeys(commit for commit, _, _ in runs):
        groups = (g for g in _one_page(ledger.entry(commit)) if g[0] == path)
        others = [other for group in groups for other in group[1:]]
        parent = next(ledger.walk(commit)).parent if others else ""
        before: dict[str, str] = {}
        for other in others:
            if parent and ledger.content_id(parent, other):
                texts = _text(ledger.read_at(parent, other)).split("\n")
                came = _written(session, other, parent)
                before |= {texts[n - 1]: by for n, by in came.items() if texts[n - 1]}
        for by, first, count in runs:
            for number in range(first, first + count) if by == commit else ():
                said = lines[number - 1] if number <= len(lines) else ""
                found[number] = before.get(said, commit)
    return found


def resolve(session: Session, viewer: Viewer, commit: str) -> str:
    """The full id of a change that is in history, for who looks."""
    full = session.ledger.resolve(commit)
    if not full or viewer.entry(session.ledger.entry(full)) is None:
        raise NotInHistoryError(f"there is no change {commit!r}")
    return full


def _passes(entry: LogEntry, paths: set[str], actor: str, forgotten: str) -> bool:
    told = (line.path for line in entry.lines)
    if paths and not any(speaks_of(each, paths) for each in told):
        return False
    tag = str(entry.actor)
    if actor and tag != actor and not tag.startswith(actor.rstrip("*:") + ":"):
        return False
    return not forgotten or any(
        line.action in _FORGETTING
        and forgotten in f"{line.summary}\n{line.path}".casefold()
        for line in entry.lines
    )


def _ended(lines: dict[int, str]) -> dict[int, str]:
    """Lines that all end with a line feed."""
    return {number: line.rstrip("\n") + "\n" for number, line in lines.items()}


_STORES = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
DERIVED = (layout.SCORES, layout.GRAPH_INDEX, layout.AUDIT_ARCHIVE)
"""Files that are made anew after going back, not merged."""

_ANY_PATH = ("/* — ", "[MERGE] ", "[RENAME] ", "took back ")
"""What stands in the message of a change that may be about a file it does not name."""

_MARK = f"^(?:{CRITICAL_MARK})?"
_TOOK_BACK = re.compile(
    rf"{_MARK}took back (?:reflection )?([\w.-]+(?:, [0-9a-f]{{10}})*)"
)
_AS_OF = re.compile(rf"{_MARK}workspace as of \S+ \(commit ([0-9a-f]{{7}})\)")


Former = tuple[dict[str, "Trace"], dict[str, object]]
"""What the scores said before some changes: traces by id, and other keys."""


class Plan(NamedTuple):
    """What going back would write.

    Attributes:
        change: The REVERT change.
        commits: How many changes it takes back.
        traces: What memories' scores become again, by id.
    """

    change: ChangeSet
    commits: int
    traces: Mapping[str, Trace]


class GoingBack:
    """History of one open workspace."""

    def __init__(self, session: Session, viewer: Viewer) -> None:
        self._session = session
        self._viewer = viewer
        self._ledger = session.ledger

    def undo(
        self, commit: str, path: str, session: str, shown: str, actor: Actor
    ) -> Receipt:
        """Take back one change, one file or one reflection; see `Memory.undo`."""

        def attempt() -> Receipt:
            self._session.look()
            return self._make(self._undoing(commit, path, session, actor), shown)

        return self._session.persist("undo", attempt)

    def restore(self, at: datetime, shown: str, actor: Actor) -> Receipt:
        """Bring the whole workspace back to a moment."""

        def attempt() -> Receipt:
            return self._make(self._as_of(at, actor), shown)

        return self._session.persist("restore", attempt)

    def find_undo(self, commit: str, path: str, session: str) -> Undoing:
        """What undoing would do for a human; nothing is changed yet."""
        self._session.look()
        return self._told(self._undoing(commit, path, session, MANUAL))

    def find_restore(self, at: datetime) -> Undoing:
        """What going back to a moment would do for a human; nothing is changed yet."""
        self._session.look()
        return self._told(self._as_of(at, MANUAL))

    def _told(self, plan: Plan) -> Undoing:
        edits = [each for each in plan.change.edits if each.path not in DERIVED]
        compared = {
            edit.path: (self._ledger.read(edit.path), edit.content)
            for edit in edits[:MOST_COMPARED]
        }
        return Undoing(
            plan.change.edits[0].summary,
            plan.commits,
            tuple(edit.path for edit in edits),
            _compared(self._viewer, compared),
            self._wishes_back(plan),
            self._fingerprint(plan),
        )

    def _make(self, plan: Plan, shown: str) -> Receipt:
        """Make the REVERT change, then write derived files anew."""
        if shown and shown != self._fingerprint(plan):
            raise OtherwiseByNowError
        receipt = self._session.commit(plan.change, allowed=True)
        self._session.snapshot()
        return receipt

    def _fingerprint(self, plan: Plan) -> str:
        """What is another one as soon as going back would do something else."""
        found = hashlib.sha256(repr(self._wishes_back(plan)).encode())
        for edit in plan.change.edits:
            if edit.path not in DERIVED:
                new = checksum(edit.content)
                found.update(f"\0{edit.path}\0{edit.base}\0{new}".encode())
        return found.hexdigest()

    def _wishes_back(self, plan: Plan) -> tuple[tuple[str, str], ...]:
        """Memories that are pinned or forgotten again or no longer, and which."""
        then = dict(plan.traces)
        for edit in plan.change.edits:
            if edit.path == layout.SCORES and not then:
                then = dict(_scores(edit.content).entries)
        live = self._session.index.traces() if then else {}
        told = []
        for id_ in sorted(live) if then else ():
            if self._viewer.sees_id(id_):
                # Of what was not known yet, nothing was wished.
                was = _wishes(then[id_]) if id_ in then else (False, False)
                now = _wishes(live[id_])
                pairs = zip(("pinned", "forgotten"), now, was, strict=True)
                told += [
                    (id_, f"{word} again" if old else f"no longer {word}")
                    for word, new, old in pairs
                    if new != old
                ]
        return tuple(told)

    def _undoing(self, commit: str, path: str, session: str, actor: Actor) -> Plan:
        if path:
            return self._undo_file(path, commit, actor)
        if session:
            return self._undo_session(session, actor)
        return self._undo_change(commit, actor)

    def _undo_change(self, commit: str, actor: Actor) -> Plan:
        """Take back one change, or the newest that is not undone."""
        if commit:
            return self._undo_one(resolve(self._session, self._viewer, commit), actor)
        for entry in self._standing():
            if is_record(entry) or not self._viewer.whole(entry):
                # What was said is no change that anybody would think of.
                continue
            with suppress(NotInHistoryError):
                return self._undo_one(entry.commit, actor)
        what = "nothing was changed yet, or all of it is undone"
        raise NothingToUndoError(what)

    def _undo_one(self, full: str, actor: Actor) -> Plan:
        entry = self._ledger.entry(full)
        if entry.actor == INIT:
            what = "that was Reverie itself, making room"
            raise NothingToUndoError(what)
        if not self._viewer.whole(entry):
            what = "going back"
            raise OthersMemoriesError(what)
        why = f"took back {full[:10]}: {entry.lines[0].summary}"
        return self._undo([full], actor, why, f"reverie undo {full[:10]}")

    def _undo_session(self, session: str, actor: Actor) -> Plan:
        """Take back the decision on a reflection, so that its proposal waits again.

        Without a decision, or if a later proposal was laid out, take back all of the
        reflection: tokens, proposal and decision. What is undone already is ignored.
        """
        entries = [
            entry
            for entry in self._standing()
            if entry.signed.session == session and self._viewer.entry(entry)
        ]
        if not entries:
            known = any(e.signed.session == session for e in self._ledger.history())
            what = f"there is no reflection session {session!r}"
            what = f"all of reflection {session} is taken back" if known else what
            raise NothingToUndoError(what)
        commits, why = [e.commit for e in entries], f"took back reflection {session}"
        decision = [
            e.commit for e in takewhile(lambda e: not lays_out_proposal(e), entries)
        ]
        newest = laid_by(self._ledger) == session
        if newest and 0 < len(decision) < len(commits):
            commits, short = decision, ", ".join(commit[:10] for commit in decision)
            why = f"took back {short}: decision on reflection {session}"
        return self._undo(commits, actor, why, f"reverie undo --session {session}")

    def _undo_file(self, path: str, commit: str, actor: Actor) -> Plan:
        """Bring one file back to an earlier version."""
        layout.safe_path(path)
        now = self._ledger.read(path)
        if now and not self._viewer.lines(path, now):
            raise NotInHistoryError(f"the ledger has no file {path}")
        target = (
            resolve(self._session, self._viewer, commit)
            if commit
            else self._version_before(path)
        )
        new = self._ledger.read_at(target, path)
        if now == new:
            raise NothingToUndoError(f"{path} is already what it was then")
        later = self._since(target)
        wrote = [e for e in later if path in self._ledger.changed(e.commit)]
        self._require_undecided(wrote, actor)
        why = f"user reverted to commit {target[:7]}"
        trigger = f"reverie undo --file {path}"
        return self._plan({path: new}, actor, why, trigger, len(wrote))

    def _as_of(self, at: datetime, actor: Actor) -> Plan:
        """Bring the whole workspace back to a moment."""
        ledger = self._ledger
        moment = at_home(aware(at), self._session.zone)
        target = rollback.commit_at(ledger, moment)
        contents = {
            path: ledger.content(then)
            for path, (_, then) in ledger.changed(target, ledger.head).items()
            if path != layout.AUDIT_ARCHIVE and layout.tracked(path)
        }
        if not contents:
            raise NothingToUndoError(f"all is what it was at {moment:%Y-%m-%d %H:%M}")
        later = list(self._since(target))
        self._require_undecided(later, actor)
        utc = moment.astimezone(UTC)
        why = f"workspace as of {utc:%Y-%m-%dT%H:%MZ} (commit {target[:7]})"
        return self._plan(contents, actor, why, "reverie undo --to", len(later))

    def _undo(self, commits: list[str], actor: Actor, why: str, trigger: str) -> Plan:
        """Take back what some changes wrote, and nothing that others did.

        Of a decision alone, its proposal waits again and keeps the tokens that it was
        given before; unless another one was laid out since, for only one can wait.
        """
        self._require_undecided(map(self._ledger.entry, commits), actor)
        head = self._ledger.head
        sessions = [self._ledger.entry(c).signed.session for c in commits]
        found = map(re.compile(r"r-([0-9]{1,9})").fullmatch, sessions)
        numbers = {int(match[1]) for match in found if match}
        contents = rollback.contents_without(
            self._ledger,
            commits,
            self._moved(commits, head),
            DERIVED,
            partial(_resolved, numbers),
        )
        if layout.REFLECTION_LOG in contents:
            # Later reflections may have moved some of it into an archive.
            for path in set(LOGS) - {layout.REWARD_LOG} - contents.keys():
                now = self._ledger.read(path)
                contents[path] = _resolved(numbers, path, None, None, now) or now
        if numbers and laid_by(self._ledger) not in sessions:
            contents.pop(layout.PENDING_REFLECTION, None)
        contents = {
            path: data
            for path, data in contents.items()
            if layout.tracked(path) and data != self._ledger.read_at(head, path)
        }
        former = self._former(commits)
        return self._plan(contents, actor, why, trigger, len(commits), former)

    def _plan(
        self,
        contents: Mapping[str, bytes | None],
        actor: Actor,
        why: str,
        trigger: str,
        commits: int,
        former: Former = ({}, {}),
    ) -> Plan:
        """The REVERT change by which files hold something else."""
        session, (traces, _) = self._session, former
        self._viewer.require_own(contents, traces, "going back")
        if not actor.human:
            self._require_harmless(contents, traces, actor)
        edits = [
            Edit(path, data, checksum(session.ledger.read(path)), Action.REVERT, why)
            for path, data in self._counting_on(contents).items()
        ]
        if any(former):
            edits += [
                replace(edit, action=Action.REVERT, summary=why)
                for edit in session.plan_snapshot(*former)
                if edit.path == layout.SCORES
            ]
        if not edits:
            what = "that change left nothing to take back"
            raise NothingToUndoError(what)
        change = ChangeSet(tuple(edits), actor, Approval.NONE, trigger)
        return Plan(change, commits, traces)

    def _counting_on(
        self, contents: Mapping[str, bytes | None]
    ) -> Mapping[str, bytes | None]:
        """What files shall hold, where no proposal's number is given a second time."""
        if layout.PENDING not in contents:
            return contents
        now = _text(self._ledger.read(layout.PENDING))
        last = parse_pending(now, layout.PENDING).next_number - 1
        then = _text(contents[layout.PENDING])
        kept = keep_counting(then, layout.PENDING, last)
        return contents if kept == then else {**contents, layout.PENDING: _data(kept)}

    def _since(self, target: str) -> Iterator[LogEntry]:
        """What was changed after a commit, newest first."""
        history = self._ledger.history()
        return takewhile(lambda entry: entry.commit != target, history)

    def _require_undecided(self, entries: Iterable[LogEntry], actor: Actor) -> None:
        """Refuse an agent to undo a change by a human, or one that a human decided.

        A change that cannot be verified here, as with another state directory, is taken
        for what it claims to be.
        """
        for entry in () if actor.human else entries:
            if any(map(_is_decision, (entry, entry.claim))):
                raise OnlyHumansError(actor)

    def _require_harmless(
        self,
        contents: Mapping[str, bytes | None],
        scores: Mapping[str, Trace],
        actor: Actor,
    ) -> None:
        """Refuse what only a human may take back: pins, and what steers the agent."""
        live = self._session.index.traces()
        unpins = any(
            id_ in live and live[id_].pinned and not trace.pinned
            for id_, trace in scores.items()
        )
        for path, data in contents.items():
            now = self._ledger.read(path) or b""
            # Taking a waiting reflection back would reject it.
            waits = path == layout.PENDING_REFLECTION
            guarded = waits or layout.steers(path) or self._ledger.critical(path)
            unpins = unpins or guarded or bool(pins_in(path, now) - pins_in(path, data))
        if unpins:
            raise OnlyHumansError(actor)

    def _former(self, commits: Iterable[str]) -> Former:
        """What these commits wrote into the scores, as it was before.

        Of memories that is what somebody wanted: pins and archivings. A key beside
        them goes back only while it still says what the commit wrote.
        """
        traces: dict[str, Trace] = {}
        keys: dict[str, object] = {}
        # There are as many scores as memories; most changes leave them alone.
        wrote = [c for c in commits if layout.SCORES in self._ledger.changed(c)]
        if not wrote:
            return traces, keys
        live = self._session.index.traces()
        now = self._ledger.read_at(self._ledger.head, layout.SCORES)
        other = dict(_scores(now).other)
        for commit in wrote:
            ids = self._ledger.changed(commit).get(layout.SCORES, ("", ""))
            before, after = (_scores(self._ledger.content(id_)) for id_ in ids)
            for id_ in after.entries.keys() & live.keys():
                old, new = (_wishes(s.entries.get(id_)) for s in (before, after))
                if old != new:
                    pinned, archived = old
                    traces[id_] = replace(live[id_], pinned=pinned, archived=archived)
            for path in chain.from_iterable(_one_page(self._ledger.entry(commit))):
                # What two pages had together, each has again.
                id_ = f"entity:{path.rpartition('/')[2].removesuffix('.md')}"
                if alone := before.entries.get(id_):
                    traces[id_] = _apart(alone, after.entries.get(id_), live.get(id_))
            for key in before.other.keys() | after.other.keys():
                was, became = before.other.get(key), after.other.get(key)
                if was != became == other.get(key):
                    keys[key] = other[key] = was
        return traces, keys

    def _moved(self, commits: Iterable[str], head: str) -> dict[str, str]:
        """Where files are now that stood elsewhere when they were changed."""
        moved = {}
        for commit in commits:
            for path in self._ledger.changed(commit):
                if not self._ledger.content_id(head, path) and path.count("/") > 1:
                    folder, _, name = path.rpartition("/")
                    # It may have stood in a shard of its store.
                    begins = (s for s in _STORES if f"{folder}/".startswith(f"{s}/"))
                    store = next(begins, folder)
                    stands = self._session.index.paths_named(store, name)
                    now = next(iter(stands), path)
                    moved[path] = now if self._ledger.content_id(head, now) else path
        return moved

    def _standing(self) -> Iterator[LogEntry]:
        """Changes of somebody's that are neither REVERTs nor undone, newest first."""
        undone: set[str] = set()
        until = ""
        for entry in self._ledger.history():
            if until and entry.commit != until:
                continue
            until = ""
            if not undone.isdisjoint({entry.commit[:10], entry.signed.session}):
                continue
            first = entry.lines[0]
            if first.action is Action.REVERT:
                undone.update(_undone_by(entry))
                # An erasure gives commits new names; then this finds none.
                until = self._ledger.resolve(*_AS_OF.findall(first.summary) or [""])
            elif first.action is not Action.ALERT and (
                not entry.actor.tag.startswith("system:")
            ):
                yield entry

    def _version_before(self, path: str) -> str:
        for commit in self._ledger.walk():
            if commit.parent and path in self._ledger.changed(commit.id):
                return commit.parent
        if self._ledger.read(path) is None:
            raise NotInHistoryError(f"the ledger has no file {path}")
        what = f"{path} was never changed since the workspace began"
        raise NothingToUndoError(what)


def _resolved(
    numbers: set[int],
    path: str,
    before: bytes | None,
    after: bytes | None,
    now: bytes | None,
) -> bytes | None:
    """A file of many reflections without one of them; None for any other file."""
    if len(numbers) != 1 or now is None:
        return None
    if path in LOGS:
        return _data(without_reflection(_text(now), *numbers))
    if path == layout.PENDING_REFLECTION:
        # Corrected by hand in between; there was nothing on it before.
        return before or b""
    if path == layout.EXPECTATIONS:
        return _data(without_expectations(*map(_text, (before, after, now))))
    return None


def _is_decision(change: LogEntry | Claim | None) -> bool:
    """Return whether a human made, approved or rejected a change."""
    if change is None:
        return False
    rejected = bool(change.actor.session) and change.approval is Approval.NONE
    return change.actor.human or change.approval is Approval.APPROVED or rejected


def _undone_by(entry: LogEntry) -> list[str]:
    """Return the short commits, or the session, that a REVERT change takes back."""
    found = _TOOK_BACK.findall(entry.lines[0].summary)
    return [name for names in found for name in names.split(", ")]


def _scores(data: bytes | None) -> ScoreFile:
    return parse_scores((data or b"").decode("utf-8", "replace"), layout.SCORES)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _apart(was: Trace, became: Trace | None, live: Trace | None) -> Trace:
    """The score of a page before another joined it, with its uses since then."""
    if became is None or live is None:
        return was
    used = max(0, live.accesses - became.accesses)
    since = live.last_accessed != became.last_accessed
    last = live.last_accessed if since else was.last_accessed
    return replace(was, accesses=was.accesses + used, last_accessed=last)


def _wishes(trace: Trace | None) -> tuple[bool, bool]:
    """What its human wanted of a memory: pinned, archived."""
    if trace is None:
        return False, False
    return trace.pinned and trace.store is not Store.VAULT, trace.archived
