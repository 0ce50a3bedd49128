"""The parts of an open workspace, kept in step with each other."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

import msgspec
from msgspec.structs import replace

from reverie.authority.authority import Authority, Owner
from reverie.authority.devices import (
    describe_this_device,
    render_devices,
    sign_device,
)
from reverie.authority.keyring import Anchor, Keyring, Seal
from reverie.config import AuditConfig, Config, ConfigError, render_config
from reverie.dates import at_home, home_zone
from reverie.errors import (
    NotFoundError,
    RefusedError,
    ReverieError,
    UnavailableError,
)
from reverie.index import (
    IndexAlteredError,
    IndexDamagedError,
    IndexUnavailableError,
    Used,
)
from reverie.index.attestation import Attest
from reverie.index.lookup import remove_index
from reverie.index.sqlite_index import SqliteIndex
from reverie.index.sync import faded, plan_snapshot
from reverie.index.user import find_known, paths_known
from reverie.ledger import (
    ChangedOnDiskError,
    Rules,
    SuspendedError,
    alerts,
    require_head,
)
from reverie.ledger.git_ledger import GitLedger, prepare
from reverie.ledger.turn_journal import Journal
from reverie.model.change import (
    ABSENT,
    DECAY,
    INIT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    Receipt,
    checksum,
    hash_content,
)
from reverie.model.items import Finding, in_utc
from reverie.model.views import Alert
from reverie.session.due_facts import find_due_pages, plan_due_changes
from reverie.session.identity import FolderIdentity, find_paths
from reverie.session.moved_pages import plan_renames, trace_id, traces_of_pages
from reverie.session.ownership import (
    NOT_PLAIN,
    Confirming,
    OwnerRecord,
    Settings,
    acknowledge_config,
    find_lost_owner,
    replaced,
    told,
)
from reverie.session.upkeep import (
    MANY,
    Uses,
    fading_id,
    tidy_somehow,
    write_uses_somehow,
)
from reverie.stores.reader import starting_files
from reverie.stores.scores import ScoreFile, parse_scores, render_scores
from reverie.workspace import layout
from reverie.workspace.files import DiskError, Folder, Look, NotAPlainFileError, look
from reverie.workspace.layout import alias_key
from reverie.workspace.local_state import Tombstones
from reverie.workspace.lock import NoLockError, WorkspaceBusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from reverie.config import AgentsConfig
    from reverie.decay import Trace
    from reverie.index import Located
    from reverie.ledger import Confine, Ledger
    from reverie.minds.mind import Mind, Talker, Use
    from reverie.model.views import Alert
    from reverie.session.ownership import Doubts
    from reverie.workspace.questions import QuestionBox
    from reverie.workspace.spend_log import Spending

    Progress = Callable[[int, int], None] | None

T = TypeVar("T")

SHARE_FOR_LOOKING = 50
"""One part in so many of a session's time may go into looking for edits."""

MAX_FILES_AT_ONCE, MAX_BYTES_AT_ONCE = 1_000, 1_000_000
"""Changed files, and bytes of them, that are read while somebody waits; the others are
read by the next call or in the background."""

TOO_MANY_CHANGED = (
    "{:,} changed files are not read yet: too many changed at once. "
    "They are read in the background, or with the next commands"
)

NOT_MATCHING = (
    "This folder does not match the known workspace: {}. Core memory, procedures, the "
    "vault and critical files are served as the newest known commit confirmed them, or "
    "as unconfirmed quotations. If this folder is right, the user runs `reverie "
    "workspace accept`."
)
"""What is told of a folder that does not match, where an owner passphrase is set."""

ATTEMPTS = 20
"""How often a change is planned anew on a file that somebody keeps saving."""


@cache
def _require_no_secret(tag: str) -> None:
    """Refuse who signs with a secret; the same few sign again and again."""
    from reverie.model.change import Secrets  # noqa: PLC0415
    from reverie.secrets import pass_words  # noqa: PLC0415 - who writes

    pass_words((tag,), Secrets.REFUSE)


class NoSuchMemoryError(NotFoundError):
    """No memory has this id."""

    says = "there is no memory {}"
    mend = (
        "`reverie show` lists what there is; "
        "`reverie history` tells whether it was there once."
    )


class ClosedError(RefusedError):
    """A workspace was used after it was closed."""

    says = "{} was closed, and cannot be asked or changed through this handle"
    mend = "Open it again: `Memory.open(path)`."


class _Closed:
    """Stands where a part of an open workspace was."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __getattr__(self, name: str) -> NoReturn:
        raise ClosedError(self._root)


class Session:
    """Folder, configuration, ledger and index of one workspace.

    Args:
        root: Its folder.
        clock: Where the time comes from, in UTC.
        environ: Where overrides of the configuration, and `TZ`, come from.
        confine: Refuses what may not be committed here, for who may not write.
        authority: Who may do what only a human may; nobody by default.
    """

    def __init__(
        self,
        root: Path,
        clock: Callable[[], datetime],
        environ: Mapping[str, str],
        confine: Confine | None = None,
        authority: Authority | None = None,
    ) -> None:
        require_head(root)
        self.root = root
        self.closed = False
        self.now, self._environ = clock, environ
        self._confine = confine
        self.authority = authority or Authority()
        self.warnings: list[str] = []
        self._made: dict[str, tuple[object, object]] = {}
        self.committed: deque[str] = deque(maxlen=64)
        self.work_left, self.upkeep_allowed = False, True
        self.files_left = 0
        self.injected_clock = False
        self._watch, self._glancing = alerts.Watch(), False
        self._shown: Doubts | None = None
        with contextlib.ExitStack() as stack:
            try:
                self.folder = Folder(root)
                self.root = self.folder.root
                stack.callback(self.folder.close)
                self.folder.largest = Config().ledger.file_limit
                self.keyring = Keyring.of({**os.environ, **environ}, root)
                self.seal = Seal.of(self.keyring, self.warnings.append)
                anchor = Anchor(self.keyring if self.seal else None)
                rules = _rules(Config())
                self.ledger: Ledger = GitLedger(
                    self.folder, rules, clock, confine, self.seal, anchor
                )
                variables = {**os.environ, **environ}
                paths = find_paths(root, variables)
                known = (self.keyring, self.ledger, anchor, self.root)
                self.identity = FolderIdentity(*known, paths)
                self.warnings += filter(None, [self.identity.identify(self.seal)])
                self.settings = Settings(
                    self.folder, self.ledger, environ, self.keyring
                )
                self._configure()
                self.owner = Owner(
                    self.keyring,
                    OwnerRecord(self.ledger, self.keyring),
                    partial(find_lost_owner, self.ledger),
                    lambda: bool(self.identity.describe_lock()),
                )
                self.authority.owner = self.owner
                self.authority.describe_lock = self.identity.describe_lock
                self.confirming = Confirming(self.ledger, self.owner, self.keyring)
                self.doubts = self.confirming.doubts
                self.confirmed = self.confirming.confirmed
                if (why := self.identity.describe_lock()) and self.owner.closed:
                    self.note(NOT_MATCHING.format(why))
                self.journal = Journal(root / layout.GIT_DIR, self.require_free)
                self.index = self._open_index()
            except OSError as error:
                what = f"cannot open {root}"
                raise DiskError(what, error) from error
            stack.pop_all()

    def clock(self) -> datetime:
        """The moment, as the clocks of the workspace's time zone show it."""
        return at_home(self.now(), self.zone)

    def while_same(self, name: str, told: object, make: Callable[[], T]) -> T:
        """What somebody works out of something, until that is told otherwise."""
        if told is None or self._made.get(name, (None,))[0] != told:
            self._made[name] = told, make()
        return cast("T", self._made[name][1])

    @cached_property
    def uses(self) -> Uses:
        """What was of use since it was opened."""
        return Uses(self)

    @cached_property
    def tombstones(self) -> Tombstones:
        """What was erased or forgotten on request, not to be learned again."""
        key = self.seal.mark(b"tombstones 1", self.identity.id.encode("ascii"))
        found = Tombstones(self.state_folder, key)
        if found.problem:
            self.note(found.problem)
        return found

    @property
    def first_commit(self) -> str:
        """The first commit, which names a workspace wherever it is copied to."""
        if not self._watch.root:
            self.alerts()
        return self._watch.root

    @property
    def state_folder(self) -> Path:
        """Folder of the state files of this device."""
        return self.identity.state_folder

    def accept_identity(self) -> None:
        """Take this folder and its history for the workspace; the user confirmed it."""
        self.identity.accept()
        self.confirming.forget()
        begins = NOT_MATCHING.partition("{")[0]
        self.warnings = [each for each in self.warnings if not each.startswith(begins)]

    def mark(self, data: bytes) -> bytes:
        """Return the seal of a state file of this workspace; empty without a key."""
        return self.seal.mark(b"state 2 " + self.identity.id.encode("ascii"), data)

    def render_device_list(self) -> str:
        """Return the device list of a workspace of this device; empty without a key."""
        if not self.seal:
            return ""
        key, added = self.keyring.seal_key(), self.clock().date().isoformat()
        device = describe_this_device(key, added)
        row = sign_device(device, self.identity.id, key)
        return render_devices((row,))

    def _configure(self) -> None:
        """Take the configuration as it acts now."""
        self._config_inputs = self.settings.read_inputs()
        found = self.settings.load(self.note)
        self.config, self.waiting = found.config, found.waiting
        environ = {**os.environ, **self._environ}
        self.zone = home_zone(self.config.workspace.timezone, environ)
        self.folder.largest = self.config.ledger.file_limit
        self.ledger.rules = _rules(self.config)
        self.warnings += told(found)

    def acknowledge_config(self) -> None:
        """Let `reverie.toml` act as it is in history: its human has seen it."""
        data = self.ledger.read_at(self.ledger.head, layout.CONFIG) or b""
        try:
            acknowledge_config(self.keyring, data.decode("utf-8", "replace"))
        except ConfigError as error:
            self.note(f"{error}; it is not acknowledged")
            return
        self._reload_config()

    def _reload_config(self) -> None:
        """Load the configuration again, without the warnings of the old one."""
        self.warnings = [t for t in self.warnings if not t.startswith(layout.CONFIG)]
        self._configure()

    def _refresh_config(self) -> None:
        """Load the configuration again if it was edited or acknowledged elsewhere."""
        self.require_open()
        if self.settings.read_inputs() == self._config_inputs:
            return
        try:
            self._reload_config()
        except ConfigError as error:
            self.note(f"{error}; the settings from before stay in effect")

    def agents_now(self) -> AgentsConfig:
        """Who decides on proposals, and who is trusted, at this moment."""
        return self.settings.load(self.note).config.agents

    def close(self, *, tidy: bool = True, ends: bool = True) -> None:
        """Close the workspace: snapshots where due, git's own index, packing.

        Args:
            tidy: Whether to do what can wait.
            ends: Whether that ends a session; a single command is none.
        """
        if self.closed:
            return
        try:
            self.write_down()
            tidy &= self.upkeep_allowed and not self.ledger.confined
            if tidy and self.ledger.head:
                # What can wait is no reason to fail, not even on a full disk.
                with contextlib.suppress(UnavailableError):
                    tidy_somehow(self, ended=ends)
        finally:
            self.warnings += self.ledger.notes
            self.index.close()
            self.folder.close()
            self.closed = True
            for part in ("folder", "ledger", "journal", "index"):
                setattr(self, part, _Closed(self.root))

    def require_open(self) -> None:
        """Refuse who was closed."""
        if self.closed:
            raise ClosedError(self.root)

    @property
    def told(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        gone = (f"{path}: {NOT_PLAIN}" for path in replaced(self))
        left = (TOO_MANY_CHANGED.format(n) for n in [self.files_left] if n)
        notes = () if self.closed else self.ledger.notes
        return (*self.warnings, *left, *gone, *notes)

    @staticmethod
    def prepare(root: Path) -> None:
        """Make a folder one that can be opened; does nothing twice."""
        prepare(root)

    def begin(self) -> None:
        """Found the workspace: what every one has, where it is not there yet."""
        starting = {
            layout.CONFIG: render_config(),
            **starting_files(),
            layout.SCORES: render_scores(ScoreFile(), self.clock(), self.config.decay),
        }
        if device_list := self.render_device_list():
            starting[layout.DEVICES] = device_list
        with self.ledger.exclusively("reverie init"):
            for name in layout.FOLDERS:
                self.folder.make_folder(name)
            if not self.ledger.head:
                self.ledger.begin(starting, self.identity.id)
                self.identity.identify(self.seal)
            self.look()
            # What somebody removed is put back.
            absent = tuple(
                Edit(path, text.encode(), ABSENT, Action.CREATE, "new workspace")
                for path, text in starting.items()
                if self.ledger.read(path) is None
            )
            if absent:
                self.commit(ChangeSet(absent, INIT, Approval.AUTO, "reverie init"))

    def write_down(self, *, wait: bool = True) -> None:
        """Commit the turns that were said and are only in the journal yet.

        They are durable there, so whatever keeps us from it is no failure.

        Args:
            wait: Whether to wait for another writer; who only asks does not.
        """
        if self.ledger.confined or not self.journal.windows():
            return
        from reverie.session.conversation_record import transcribe  # noqa: PLC0415 - who talks

        try:
            transcribe(self, wait=wait)
        except WorkspaceBusyError:
            # Whoever asks next writes it down.
            return
        except ReverieError as error:
            self.note(f"{error}; what was said is kept, and written down later")

    def sync(self, progress: Progress = None) -> None:
        """Bring the index to the newest commit; a damaged one is made anew.

        A write is never refused because of the index: what cannot be done now is
        done when the workspace is next opened.
        """
        try:
            try:
                self._catch_up(progress)
            except IndexDamagedError as error:
                self._make_index_anew(error, progress)
        except IndexUnavailableError as error:
            self.note(str(error))

    def _make_index_anew(
        self, error: IndexDamagedError, progress: Progress = None
    ) -> None:
        """Replace a damaged index, which holds nothing that is not elsewhere.

        One that only lags behind is brought up to date; where none can be written,
        one is made in memory.
        """
        altered = isinstance(error, IndexAlteredError)
        if altered and self.index.seen != self.ledger.head:
            with contextlib.suppress(IndexUnavailableError):
                self._catch_up(progress)
                return
        self.note(f"{error}; it was made anew")
        try:
            self.index.close()
            remove_index(self.index.path)
            self.index = SqliteIndex(self.index.path, self.index.attest)
            self._catch_up(progress)
        except (IndexUnavailableError, OSError):
            if not altered:
                raise
            self.index = SqliteIndex(Path(":memory:"), self.index.attest)
            self._catch_up(progress)

    def answered(self, answer: Callable[[], T]) -> T:
        """An answer out of the index, and again if that had to be made anew.

        Where others write so much that it never keeps up, they wait for the answer.
        """
        for _ in range(2):
            try:
                return answer()
            except IndexDamagedError as error:
                self._make_index_anew(error)
        unlocked = contextlib.suppress(NoLockError, WorkspaceBusyError)
        with unlocked, self.ledger.exclusively("answering"):
            self.sync()
            return answer()
        return answer()

    def find(self, id_: str) -> Located | None:
        """One memory as it stands in its file, also by an id it had; None for none."""
        return self.answered(lambda: find_known(self.index, id_))

    @contextlib.contextmanager
    def glance(self) -> Iterator[None]:
        """Answer what is asked inside as of one look, if a look is due at all."""
        self._glancing, before = True, self._glancing
        try:
            self._refresh_config()
            self.look_sometimes()
            # What was said since is not to be looked for, only written down.
            self.write_down(wait=False)
            yield
        finally:
            self._glancing = before

    def look(self, *, whole: bool = False) -> Look:
        """Notice what people changed anywhere, and commit it as `manual`.

        Where nothing can be written, nothing is taken in, but everything is shown.

        Args:
            whole: Whether what it saw is wanted, also of who only glances. Then all
                changed files are read, however many there are.
        """
        return Look() if self._glancing and not whole else self._look(whole=whole)

    def _look(self, *, whole: bool = False) -> Look:
        self._refresh_config()
        started = time.monotonic()
        seen = look(self.folder.root, file_limit=self.config.ledger.file_limit)
        try:
            with self.ledger.exclusively("looking for edits"):
                self._take_in(seen, whole=whole)
                self.write_down()
        except (NoLockError, SuspendedError) as error:
            self.note(f"{error}; edits by hand are not taken in")
            self.sync()
        spent = time.monotonic() - started
        # Where files are left, the next call goes on.
        rest = 0 if self.files_left else max(1.0, spent * SHARE_FOR_LOOKING)
        self.note_done("look", rest)
        return seen

    def note_done(self, chore: str, rest: float) -> None:
        """Let a chore rest for some seconds."""
        with contextlib.suppress(IndexUnavailableError):
            self.index.note_done(chore, time.time(), rest)

    def _take_in(self, seen: Look, *, whole: bool) -> None:
        """Commit what people changed; all of it, or as many files as are quick."""
        self.sync()
        known = self.index.signatures()
        paths = {p for p, found in seen.files.items() if known.get(p) != found}
        there = self.ledger.changed(self.ledger.head, "")
        # A commit of others may have names that the ledger gives no file.
        paths |= set(filter(layout.tracked, there.keys() - seen.files.keys()))
        changed, paths = paths, paths if whole else _first_files(paths, seen)
        self.files_left = len(changed) - len(paths)
        self.work_left |= bool(self.files_left)
        before = traces_of_pages(self.index, paths - seen.files.keys())
        # A page that somebody renamed keeps its score, even if this is cut short.
        self.write_down_scores({trace_id(path): before[path] for path in before})
        for path, error in self.ledger.absorb(sorted(paths)).items():
            paths.discard(path)
            seen.files.pop(path, None)
            mend = "Check its permissions; until then it is left as it is."
            seen.findings.append(Finding(path, 0, error, mend))
        self.sync()
        for change in chain(plan_renames(self, before), plan_due_changes(self)):
            self.commit(change)
        self._note_unchanged(paths)

    def note(self, text: str) -> None:
        """Tell something that is amiss and was worked around, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def look_sometimes(self) -> None:
        """Look, unless the last look was recent for what it costs."""
        with contextlib.suppress(IndexUnavailableError):
            if not self.index.resting("look", time.time()) or find_due_pages(self):
                self._look()

    def commit(self, change: ChangeSet, *, allowed: bool = False) -> Receipt:
        """Make a change and show it in the index.

        Args:
            change: What to do.
            allowed: Whether who plans it has made sure that its actor may change what
                steers the agent: core memory, procedures, the vault, critical files.

        Raises:
            SecretFoundError: Whoever acts signs with a secret.
        """
        _require_no_secret(change.actor.tag)
        critical = self.ledger.critical
        steers = not change.actor.tag.startswith("system:") and any(
            layout.steers(e.path) or critical(e.path) for e in change.edits
        )
        self.authority.require(change, not allowed and steers)
        from reverie.secrets import without_secrets  # noqa: PLC0415 - for who writes

        # History tells nothing secret; what is in the files is there.
        edits = tuple(
            replace(edit, summary=without_secrets(edit.summary))
            for edit in change.edits
        )
        # IDs of sentences stay as they are: they say which were used.
        trigger = " ".join((without_secrets(change.trigger), *change.sentences))
        change = replace(change, edits=edits, trigger=trigger)
        with self.ledger.exclusively(str(change.actor)):
            receipt = self.ledger.commit(change)
            self.committed.append(receipt.commit)
            self.sync()
        return receipt

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """What its human should look at, oldest first, as history tells it.

        Args:
            everything: Also what was looked at.
        """
        if not self._watch.commit:
            data, mark = b"", b""
            with contextlib.suppress(IndexUnavailableError):
                data, mark = self.index.fold("alerts")
            if self.seal.good(alerts.PURPOSE, data, mark):
                self._watch = msgspec.json.decode(data, type=alerts.Watch)
        if self._watch.commit != self.ledger.head:
            self._watch = alerts.advanced(self.ledger, self._watch, self._watched)
            data = msgspec.json.encode(self._watch)
            # Where it cannot be kept, it is folded again.
            with contextlib.suppress(IndexUnavailableError):
                mark = self.seal.mark(alerts.PURPOSE, data)
                self.index.put_fold("alerts", data, mark)
        found = self._watch.alerts(everything=everything)
        return [*found, *alerts.moved(self.ledger)]

    def _watched(self, path: str) -> bool:
        """Whether a change to a file that is not ours must be looked at.

        The usual files always: else a change could switch off the alert on another.
        """
        usual = map(alias_key, AuditConfig().critical_files)
        return self.ledger.critical(path) or alias_key(path) in usual

    def reinforce(self, ids: Iterable[str]) -> int:
        """Count one more use of some memories; returns how many were counted."""
        self.require_free()
        now, used = in_utc(self.clock()), dict.fromkeys(map(fading_id, ids))
        with self.index.changing():
            for id_ in used:
                if self.index.trace(id_) is None and self.index.find(id_) is None:
                    raise NoSuchMemoryError(id_)
            uses = [Used(id_, now) for id_ in used]
            return self.index.count_uses(uses, reinforced=True)

    def require_free(self) -> None:
        """Refuse who may not write."""
        if self._confine is not None:
            self._confine(None, {})

    def persist(self, purpose: str, attempt: Callable[[], T]) -> T:
        """Plan and commit, and again on the new text if a person saves meanwhile."""
        for left in reversed(range(ATTEMPTS)):
            try:
                with self.ledger.exclusively(purpose):
                    before, done = self.ledger.head, attempt()
                    # Who only asks does not pay for it.
                    changed = self.ledger.head != before and not self.ledger.confined
                    with contextlib.suppress(UnavailableError):
                        if changed and self.index.are_uses_due(MANY):
                            write_uses_somehow(self)
                    return done
            except ChangedOnDiskError:
                if not left:
                    raise
        raise AssertionError

    def place(self, folder: str, name: str) -> str:
        """Where a file of a store stands, of an entity under its id now; or would be.

        A person may keep it in a folder of their own; its name is what counts.
        """
        stands = paths_known(self.index, folder, name)
        if stands and self.folder.signature(stands[0]) is None:
            self.look()  # A person may have renamed it just now.
            stands = paths_known(self.index, folder, name)
        if not stands and (kind := layout.ONE_A_FILE.get(folder)):
            # One whose file has an odd name goes by another.
            there = self.index.path_of(f"{kind}:{name.removesuffix('.md')}")
            stands = [there] if there else []
        return stands[0] if stands else layout.place(self.ledger, folder, name)

    def make_room(self, edits: Iterable[Edit]) -> bool:
        """Split folders that new files would overfill; True if any was split."""
        limit = self.config.ledger.shard_limit
        moves: dict[str, str] = {}
        for edit in edits:
            if edit.base == ABSENT:
                moves |= layout.moves(self.ledger, edit.path, limit)
        if not moves:
            return False
        self.commit(_plan_moves(moves, self.ledger.read))
        return True

    def write_down_scores(self, traces: Mapping[str, Trace | None]) -> None:
        """Let history know some scores before they change, so that it can tell."""
        if not traces:
            return
        data = self.ledger.read(layout.SCORES) or b""
        known = parse_scores(data.decode("utf-8", "replace"), layout.SCORES).entries
        if any(trace and known.get(id_) != trace for id_, trace in traces.items()):
            self.snapshot()

    def snapshot(self, *, fading: bool = False, graph: bool = False) -> Receipt | None:
        """Write the scores and the graph's index down, if they say anything new.

        Planned without the lock, because that takes long where there is much; if
        somebody else was faster, it is left for the next time.

        Args:
            fading: Only where memories changed their status, which is told.
            graph: Only the graph's index.
        """
        self.sync()
        if self.index.seen != self.ledger.head:
            # An index that lags behind must not write down what was.
            return None
        lines: tuple[LogLine, ...] = ()
        if fading:
            told = self.ledger.read(layout.SCORES)
            lines = faded(self.index, told, self.config.decay, self.clock())
        edits = self.plan_snapshot() if lines or not fading else ()
        if graph:
            edits = tuple(edit for edit in edits if edit.path == layout.GRAPH_INDEX)
            with self.index.changing():
                self.index.note_graph(stale=False)
        if not edits:
            return None
        why = "time passed" if fading else "snapshot"
        try:
            return self.commit(ChangeSet(edits, DECAY, Approval.AUTO, why, lines))
        except ChangedOnDiskError:
            return None

    def plan_snapshot(
        self,
        changes: Mapping[str, Trace] | None = None,
        other: Mapping[str, object] | None = None,
        pages: Iterable[Edit] = (),
    ) -> tuple[Edit, ...]:
        """Edits that would write the live tables down; see `index.snapshot`."""
        self.sync()
        if self.index.seen != self.ledger.head:
            # Nothing can be written down from an index that lags behind.
            what = "the index could not be brought up to date"
            hint = "Mend the cause (space, permissions), then `reverie rebuild`."
            raise UnavailableError(what, hint=hint)
        decay, now = self.config.decay, self.clock()
        read = self.ledger.read
        return plan_snapshot(self.index, read, decay, now, changes, other, pages)

    def rebuild_index(self, progress: Progress = None) -> None:
        """Make the index anew, leaving no byte of the old one.

        Vectors come back where the words are the same: some cost money.
        """
        # Uses that are not written down yet are lost with it.
        self.require_free()
        with self.ledger.exclusively("rebuilding the index"), self.index.emptied():
            self.sync(progress)

    def _catch_up(self, progress: Progress) -> None:
        doubts = self.doubts()
        if self.index.seen == self.ledger.head and self._shown is doubts:
            return
        from reverie.index.sync import catch_up  # noqa: PLC0415 - who only asks reads no file

        more = (progress,) if progress else ()
        decay = self.config.decay
        confirmed = {path: doubt.good for path, doubt in doubts.items()}
        versions = self.confirming.versions
        parts = self.index, self.ledger, self.folder, decay, *more
        catch_up(*parts, confirmed=confirmed, versions=versions, note=self.note)
        self._shown = doubts

    def _note_unchanged(self, paths: Collection[str]) -> None:
        """Remember the looks of files that were touched but say the same."""
        if not paths:
            return
        head, known = self.ledger.head, self.index.signatures()
        with self.index.changing():
            for path in paths:
                seen, data = self.folder.signature(path), None
                # What cannot be read is left alone.
                with contextlib.suppress(NotAPlainFileError, OSError):
                    data = self.folder.read(path) if seen else None
                blob = self.ledger.content_id(head, path)
                same = data is not None and hash_content(data) == blob
                if same and seen == self.folder.signature(path) != known.get(path):
                    self.index.put_signature(path, blob, seen)

    def _open_index(self) -> SqliteIndex:
        """The index; made anew if damaged, in memory where nothing can be written."""
        path = self.folder.state("index.db")
        attest = Attest(self.seal, self.ledger, self.confirming.versions)
        try:
            return SqliteIndex(path, attest)
        except IndexUnavailableError as error:
            if isinstance(error, IndexDamagedError) or path.is_dir():
                self.warnings.append(f"{error}; it was made anew")
                remove_index(path)
                return SqliteIndex(path, attest)
            self.warnings.append(f"{error}; working without it")
            return SqliteIndex(Path(":memory:"), attest)


class Minds:
    """Opens a mind for each operation: given, configured, or the host agent.

    Args:
        session: The workspace's parts.
        environ: Holds the key of a model server.
        given: Who thinks, instead of whom the configuration names.
    """

    def __init__(
        self, session: Session, environ: Mapping[str, str], given: Mind | None = None
    ) -> None:
        self._session, self._environ, self.given = session, environ, given

    @property
    def kind(self) -> str:
        """Who thinks: `given` for one that was passed in, else as configured."""
        return "given" if self.given is not None else self._session.config.mind.kind

    def open(
        self, verb: str, arguments: Mapping[str, str], *, tokens: int | None = None
    ) -> Mind | None:
        """Get ready to think for one operation; None where rules are to decide.

        Args:
            verb: The operation that the host agent is asked for.
            arguments: What is needed to run it again.
            tokens: The most it may take, where that is not what is configured.
        """
        if self.given is not None or self.kind == "rules":
            return self.given
        from reverie.minds import open_mind  # noqa: PLC0415 - who thinks

        config = self._session.config.mind
        if tokens is not None:
            config = replace(config, operation_tokens=tokens)
        box = self.box(verb, arguments)
        return open_mind(config, self._environ, self.purse(), box)

    def talker(self) -> Talker | None:
        """A model to talk with; None where none is configured."""
        from reverie.minds import open_talker  # noqa: PLC0415 - for who talks

        return open_talker(self._session.config.mind, self._environ, self.purse())

    def note(self, use: Use) -> None:
        """Write down what the host agent's own thinking took."""
        self.purse().note(use)

    def purse(self) -> Spending:
        """What the minds of this workspace spend from."""
        from reverie.workspace.spend_log import Spending  # noqa: PLC0415 - who thinks

        session = self._session
        seconds = session.config.ledger.lock_seconds
        return Spending(
            session.state_folder,
            session.clock,
            lock_seconds=seconds,
            keyring=session.keyring,
        )

    def box(self, verb: str, arguments: Mapping[str, str]) -> QuestionBox:
        """Where the host agent finds the questions of one operation."""
        from reverie.workspace.questions import QuestionBox  # noqa: PLC0415

        session = self._session
        seconds = session.config.ledger.lock_seconds
        return QuestionBox(
            session.state_folder, session.clock, verb, arguments, lock_seconds=seconds
        )


def _rules(config: Config) -> Rules:
    """What the ledger has to know; a change to the configuration is always critical."""
    audit = config.audit
    watched = audit.critical_files if audit.critical_alerts else ()
    return Rules(
        config.ledger.lock_seconds,
        config.ledger.file_limit,
        frozenset(map(alias_key, (*watched, layout.CONFIG))),
    )


def _first_files(paths: set[str], seen: Look) -> set[str]:
    """Return as many changed files as are read at once, and at least one.

    Those that are gone come last: a page that was moved is found in its new place
    before it goes from the old one, and keeps its score.
    """
    first, size = set[str](), 0
    for path in sorted(paths, key=lambda path: (path not in seen.files, path)):
        size += seen.files[path].size if path in seen.files else 0
        if first and (size > MAX_BYTES_AT_ONCE or len(first) >= MAX_FILES_AT_ONCE):
            break
        first.add(path)
    return first


def _plan_moves(
    moves: Mapping[str, str], read: Callable[[str], bytes | None]
) -> ChangeSet:
    edits = []
    for old, new in moves.items():
        data = read(old) or b""
        edits.append(Edit(old, None, checksum(data), Action.RENAME, f"moved to {new}"))
        edits.append(Edit(new, data, ABSENT, Action.RENAME, f"moved from {old}"))
    folder = next(iter(moves)).rpartition("/")[0]
    told = LogLine(
        Action.RENAME, f"{folder}/*", f"{len(moves)} files moved into smaller folders"
    )
    return ChangeSet(tuple(edits), INIT, Approval.AUTO, "folder is full", (told,))
