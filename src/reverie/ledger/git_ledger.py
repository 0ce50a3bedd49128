"""The ledger in git, from its founding on: by `GitLedger.commit` things become true.

The steps and their reasons are told in `docs/design/write-path.md`.
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ObjectType, RepositoryInitFlag

from reverie.authority.keyring import NO_ANCHOR, UNSEALED, Newest
from reverie.errors import RefusedError, UnavailableError
from reverie.ledger import ChangedOnDiskError, SuspendedError, projection
from reverie.ledger.audit_log import (
    ACCEPTED,
    CRITICAL_MARK,
    AuditLog,
    accepted_in,
    flat,
    is_foreign,
    parse_entry,
    render_message,
)
from reverie.ledger.projection import DisplacedFiles, Mark, read_mark, write_mark
from reverie.ledger.repository import BrokenLedgerError, Repository, keep_ours, told
from reverie.model.change import (
    ABSENT,
    HUMAN_EDIT,
    INIT,
    MANUAL,
    UNVERIFIED,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogEntry,
    LogLine,
    Receipt,
    UnknownActorError,
    checksum,
    hash_content,
)
from reverie.workspace import files
from reverie.workspace.files import DiskError, NotAPlainFileError, exists, look
from reverie.workspace.layout import (
    GENERATED,
    GIT_DIR,
    STATE_DIR,
    alias_key,
    exclude_rules,
    safe_path,
    tracked,
)
from reverie.workspace.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from reverie.authority.keyring import Anchor, Seal
    from reverie.ledger import Commit, Confine, Rules
    from reverie.ledger.erasure import Scrub
    from reverie.model.views import ErasureReceipt
    from reverie.workspace.files import Folder

TIDY_SECONDS = 600
"""How long to wait for somebody who packs a large history."""

BULK = 500
"""From so many files on, objects go into a pack instead of the redo log."""


class OffMainError(SuspendedError):
    """Git has something else checked out than the ledger's own branch."""

    says = "git has another commit or branch checked out in this folder"
    mend = (
        "`git checkout main` brings the memory back; if git finds no repository, run "
        "`reverie check --repair`. Until then nothing is written, and what the folder "
        "shows is not taken for an edit."
    )


class GitLedger:
    """The history of one workspace in git, and the only way to add to it.

    Args:
        folder: The workspace.
        rules: What it needs to know of the configuration.
        clock: Where the time comes from.
        confine: Looks at every change before it is made, and may refuse it.
        seal: What shows that a change was made here.
        anchor: Where the newest change is noted outside of the workspace.
    """

    def __init__(
        self,
        folder: Folder,
        rules: Rules,
        clock: Callable[[], datetime],
        confine: Confine | None = None,
        seal: Seal = UNSEALED,
        anchor: Anchor = NO_ANCHOR,
    ) -> None:
        self._folder = folder
        self._confine = confine
        self.rules = rules
        self._clock = clock
        self._anchor = anchor
        self._first_id = ""
        git_dir = folder.root / GIT_DIR
        self.repository = Repository(git_dir, seal)
        # Who takes a change back asks for it several times.
        self._made = lru_cache(1)(self._compared)
        self.notes = list(self.repository.taken_out)
        self.log = AuditLog(folder.root, self, sealing=bool(seal))
        self._shelf = DisplacedFiles(folder, self.repository)
        self._lock_path = git_dir / "reverie.lock"
        self._mark_path = git_dir / "projected"
        self._erasing_path = git_dir / "erasing"
        if self.repository.redo.suspect:
            # Before anything is read: objects may have been lost.
            purpose = "mending after a power cut"
            seconds = rules.lock_seconds
            with exclusive(self._lock_path, seconds=seconds, purpose=purpose):
                self.repository.mend()
        self._thread = threading.RLock()
        self._held = False
        self._trusted: tuple[str, str, frozenset[str]] = ("", "", frozenset())

    # --- what is there -----------------------------------------------------------

    @property
    def head(self) -> str:
        """The newest commit; empty before the first."""
        return self.repository.head

    @property
    def confined(self) -> bool:
        """Whether only some changes may be made here."""
        return self._confine is not None

    def critical(self, path: str) -> bool:
        """Whether a change to this file must be shown to the human."""
        return alias_key(path) in self.rules.critical_files

    def _fits(self, path: str, data: bytes | None) -> bool:
        """Whether a file is small enough to be kept."""
        return len(data or b"") <= self.rules.file_limit or path in GENERATED

    def read(self, path: str) -> bytes | None:
        """A file as it stands in the folder now."""
        return self._folder.read(path)

    def read_at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit."""
        return self.repository.read(commit, path)

    def files(self, path: str) -> Collection[str]:
        """Names of the files in a folder of HEAD."""
        return self.repository.names(self.head, path, ObjectType.BLOB)

    def folders(self, path: str) -> Collection[str]:
        """Names of the folders in a folder of HEAD."""
        return self.repository.names(self.head, path, ObjectType.TREE)

    def content_id(self, commit: str, path: str) -> str:
        """The id of a file's content at a commit."""
        return self.repository.blob_id(commit, path)

    def content(self, content_id: str) -> bytes | None:
        """The bytes behind a content id."""
        return self.repository.content(content_id)

    def changed(
        self, commit: str, since: str | None = None
    ) -> Mapping[str, tuple[str, str]]:
        """The files that a commit changed, or that differ since another one."""
        if since is None:
            return self._made(commit)
        return self.repository.diff(since, commit)

    def _compared(self, commit: str) -> Mapping[str, tuple[str, str]]:
        return self.repository.diff(self.repository.commit(commit).parent, commit)

    def has(self, commit: str) -> bool:
        """Whether a commit of this id is here."""
        return self.repository.has(commit)

    def contains(self, commit: str) -> bool:
        """Return whether history leads from a commit to the newest one."""
        return self.repository.leads_to(commit, self.head)

    def workspace_id(self) -> str:
        """Return the workspace ID in the first commit."""
        return self.repository.workspace_id(self.head)

    def resolve(self, start: str) -> str:
        """The full id of a commit in history."""
        # Git may still know what an erasure dropped, or a branch of its human's.
        full = self.repository.resolve(start)
        return full if self.repository.leads_to(full, self.head) else ""

    def walk(self, start: str = "") -> Iterator[Commit]:
        """Every commit up to one, or to the newest, newest first."""
        return self.repository.walk(start or self.head)

    def history(
        self, start: str = "", *, naming: Callable[[str], bool] = lambda _: True
    ) -> Iterable[LogEntry]:
        """Every change, or those whose message reads so, newest first."""
        head = self.head
        accepted = self._accepted(head)[0] if start not in {"", head} else ""
        return self.log.told(start or head, accepted, naming=naming)

    def entry(self, commit: str) -> LogEntry:
        """One change."""
        raw = self.repository.commit(commit)
        verified = raw.sealed or commit in self._accepted(self.head)[1]
        return self.log.entry(raw, verified=verified)

    def _accepted(self, head: str) -> tuple[str, frozenset[str]]:
        """The newest commit that its human accepted, and those that this covers."""
        if self._trusted[0] != head:
            found: list[str] = []
            newest = ""
            for commit in self.repository.walk(head):
                if newest and (found or commit.id == newest):
                    found.append(commit.id)
                elif not newest and commit.sealed and ACCEPTED in commit.message:
                    newest = accepted_in(parse_entry(commit))
            self._trusted = (head, newest, frozenset(found))
        return self._trusted[1:]

    def count(self) -> int:
        """How many commits there are."""
        return self.repository.count(self.head)

    def blame(self, path: str, at: str = "") -> Iterator[tuple[str, int, int]]:
        """For each run of a file's lines its commit, its first line, how many."""
        return self.repository.blame(at or self.head, path)

    # --- one writer --------------------------------------------------------------

    @contextmanager
    def exclusively(self, purpose: str, seconds: float | None = None) -> Iterator[None]:
        """Hold the workspace lock; what the last writer left undone is done first."""
        with self._thread:
            if self._held:
                yield
                return
            seconds = self.rules.lock_seconds if seconds is None else seconds
            with exclusive(self._lock_path, seconds=seconds, purpose=purpose):
                self._held = True
                try:
                    self._mend()
                    yield
                except OSError as error:
                    what = "the workspace cannot be written to"
                    raise DiskError(what, error) from error
                finally:
                    self._held = False

    @contextmanager
    def _keeping_objects(self, purpose: str) -> Iterator[None]:
        """Keep others from moving or dropping git's objects meanwhile.

        Packing takes long, so it does not hold the workspace lock; but it must not
        run while an erasure drops what it is packing.
        """
        path = self._lock_path.with_name("objects.lock")
        with exclusive(path, seconds=TIDY_SECONDS, purpose=purpose):
            yield

    def commit(self, change: ChangeSet) -> Receipt:
        """Make a change true, all of it or nothing."""
        if change.actor == UNVERIFIED:
            raise UnknownActorError(str(change.actor))
        for edit in change.edits:
            if not tracked(safe_path(edit.path)):
                what = f"{edit.path} is not a file of the memory"
                hint = (
                    "The ledger keeps Markdown in the workspace's root, its "
                    "configuration, and everything below memory/."
                )
                raise RefusedError(what, hint=hint)
            if not self._fits(edit.path, edit.content):
                size, most = len(edit.content or b""), self.rules.file_limit
                what = f"{edit.path} would be {size:,} bytes; the ledger keeps {most:,}"
                hint = "Split it, or raise ledger.file_limit in reverie.toml."
                raise RefusedError(what, hint=hint)
        with self.exclusively(str(change.actor)):
            current = self._absorb([edit.path for edit in change.edits])
            for edit in change.edits:
                if edit.base != checksum(current[edit.path]):
                    raise ChangedOnDiskError(edit.path)
            self._require_allowed(change, current)
            return self._make_true(change, current)

    def begin(self, starting: Mapping[str, str], workspace_id: str = "") -> None:
        """Make the first commit: files that exist are taken as they are.

        Args:
            starting: Files that a new workspace has, with their texts.
            workspace_id: ID of the new workspace.
        """
        self._require_allowed(None, {})
        with self.exclusively("beginning"):
            limit = self.rules.file_limit
            change = plan_first(self._folder, starting, file_limit=limit)
            current = {edit.path: self._folder.read(edit.path) for edit in change.edits}
            self._first_id = workspace_id
            self._make_true(change, current)

    def absorb(self, paths: Collection[str]) -> dict[str, str]:
        """Commit, as `manual`, what people did to these files."""
        unreadable, plain = {}, []
        with self.exclusively("looking for edits"):
            for path in paths:
                try:
                    self._folder.read(path)
                    plain.append(path)
                except NotAPlainFileError:
                    pass  # a link is left to its owner
                except DiskError as error:
                    unreadable[path] = str(error)
            self._absorb(plain)
        return unreadable

    def tell_again(self) -> None:
        """Write `audit.log` from the commits."""
        with self.exclusively("rebuilding the audit log"):
            self._tell_again()

    def _tell_again(self) -> None:
        write_mark(self._mark_path, Mark(self.head, self.log.rebuild()))

    # --- what may wait, and erasure ----------------------------------------------

    @property
    def untidy(self) -> bool:
        """Whether there is much to pack."""
        return self.repository.many_loose

    def tidy(self) -> None:
        """Pack loose objects, refresh git's own index, empty the redo log."""
        with self._keeping_objects("tidying"):
            if self.repository.many_loose:
                from reverie.ledger import packs  # noqa: PLC0415 - rarely due

                packs.pack_loose(self.repository)
            self.repository.refresh_index()
        with self.exclusively("tidying"):
            self.repository.redo.settle()

    @contextmanager
    def erasing(self) -> Iterator[None]:
        """Hold both locks; in this order: who packs has only the first of them."""
        from reverie.ledger.erasure import require_single_ref  # noqa: PLC0415

        with self._keeping_objects("erasing"), self.exclusively("erasing"):
            require_single_ref(self.repository)
            yield

    def erase(
        self,
        scrub: Scrub,
        record: ChangeSet,
        progress: Callable[[int, int], None],
        workspace_id: str = "",
    ) -> ErasureReceipt:
        """Write history again without something, and drop the old one for good."""
        from reverie.ledger import erasure  # noqa: PLC0415 - rarely used

        self._require_allowed(None, {})
        at, replace = self._clock(), self._replace_history
        return erasure.erase(
            *(self.repository, scrub, record, at, progress, replace), workspace_id
        )

    def find_bytes(self, needles: Iterable[bytes], *folders: Path) -> list[str]:
        """Return where some bytes are found: in any file or git object.

        Args:
            needles: The bytes.
            folders: Folders to search besides the workspace.
        """
        from reverie.ledger import erasure  # noqa: PLC0415 - rarely used

        roots = (self._folder.root, *folders)
        return erasure.find_bytes(roots, self.repository, needles)

    def _replace_history(self, old: str, new: str) -> None:
        """Make a rewritten history the true one."""
        before = self.repository.diff(old, new)
        for path, (blob, _) in before.items():
            data = self._folder.read(path) if tracked(path) else None
            if tracked(path) and hash_content(data) != blob:
                raise ChangedOnDiskError(path)
        self.repository.move_head(old, new)
        self._anchor_anew(old, new)
        self._show_diff(before)
        self._shelf.clear()
        self._tell_again()

    def lost(self, *, of_copy: bool = False) -> list[Newest]:
        """Commits that the keyring knows, and that history does not lead up to."""
        head, leads_to = self.head, self.repository.leads_to
        known = self._anchor.recorded() if of_copy else self._anchor.known()
        return [n for n in known if not leads_to(n.commit, head)]

    def accept_lost(self) -> None:
        """Know the history that stands for the true one; its human has agreed."""
        newest = Newest(self.head, self.repository.commit(self.head).at)
        self._anchor.move(newest, lambda _: True, sync=True)

    def _anchor_anew(self, old: str, new: str) -> None:
        """Know the newest change by its new name, once history was written anew."""

        def given_up(known: str) -> bool:
            if known == old or self.repository.leads_to(known, new):
                return True
            # Of the old history some may be dropped already; then it was done before.
            with suppress(BrokenLedgerError):
                return self.repository.leads_to(known, old)
            return False

        newest = Newest(new, self.repository.commit(new).at)
        self._anchor.move(newest, given_up, sync=True)

    def _require_allowed(
        self, change: ChangeSet | None, current: Mapping[str, bytes | None]
    ) -> None:
        if self._confine is not None:
            self._confine(change, current)

    def _mend(self) -> None:
        """Finish what a killed writer left, and take in late edits."""
        head, mark = self.head, read_mark(self._mark_path)
        if not head:
            return
        if not self.repository.on_main:
            raise OffMainError
        self.repository.mend()
        if mark.commit != head:
            self._catch_up(mark, head)
        elif mark.log != self.log.stamp():
            # A copy of the workspace has other times, and says the same.
            if self.log.verify():
                self.notes.append("audit.log had been altered; it was written again")
            self._tell_again()
        if erasing := self._erasing():
            from reverie.ledger import erasure  # noqa: PLC0415 - one was killed

            # Only now: the files were shown by what is about to be dropped.
            old, new = erasing
            if new == self.head:
                self._anchor_anew(old, new)
            self._shelf.clear()
            erasure.finish(self.repository)
        self._take_in_late_edits()

    def _erasing(self) -> tuple[str, str] | None:
        """The old and the new newest commit of an erasure that was killed."""
        if not exists(self._erasing_path):
            return None
        from reverie.ledger import erasure  # noqa: PLC0415 - one was killed

        return erasure.pending(self.repository)

    def _catch_up(self, mark: Mark, head: str) -> None:
        """Show what was recorded and not shown; take in what git did by itself."""
        known = mark.commit if self.repository.has(mark.commit) else ""
        # With no usable mark only the newest commit can be half shown.
        known = known or self.repository.commit(head).parent
        # An erasure that was killed moved history on purpose.
        foreign = set() if self._erasing() else self._foreign_paths(known, head)
        changed = self.repository.diff(known, head)
        self._show_diff({p: ids for p, ids in changed.items() if p not in foreign})
        self._tell_again()
        if foreign:
            self._absorb(sorted(filter(tracked, foreign)))

    def _foreign_paths(self, known: str, head: str) -> set[str]:
        """Files that a person's own git command changed in history.

        The folder is not made to follow: it may hold what that command did not know
        of. Where the two differ, the folder counts, as a person's edit does.
        """
        if known and not self.repository.leads_to(known, head):
            kept = f"{known[:10]} is kept as {self.repository.rescue(known)}"
            self.notes.append(f"history was moved by a git command; {kept}")
            return set(self.repository.diff(known, head))
        foreign: set[str] = set()
        # What a ledger wrote before there were seals may be half shown.
        sealing = bool(known) and self.repository.commit(known).sealed
        for commit in self.repository.between(known, head):
            if is_foreign(commit) or (sealing and not commit.sealed):
                foreign |= self.repository.diff(commit.parent, commit.id).keys()
        return foreign

    def _show_diff(self, changed: Mapping[str, tuple[str, str]]) -> None:
        content, shown = self.repository.content, filter(tracked, changed)
        texts = {p: (content(changed[p][0]), content(changed[p][1])) for p in shown}
        projection.show_all(self._folder, texts)

    def _take_in_late_edits(self) -> None:
        for path, with_theirs in self._shelf.late_edits():
            current = self._absorb([path])[path]
            projection.show(self._folder, path, current, with_theirs(current))
            self._absorb([path])

    def _absorb(self, paths: Collection[str]) -> dict[str, bytes | None]:
        """Commit people's edits to these files; return what the files hold."""
        current = {path: self._folder.read(path) for path in paths}
        head = self.head
        edited = {
            path: data
            for path, data in current.items()
            if self.repository.blob_id(head, path) != hash_content(data)
            and tracked(path)
            and self._fits(path, data)
        }
        if edited:
            entry = self._record(edited, self._manual(head, edited))
            self._note_shown(entry)
        return current

    def _manual(self, head: str, edited: Mapping[str, bytes | None]) -> ChangeSet:
        before = {path: self.repository.read(head, path) for path in edited}
        gone = {before[path]: path for path, data in edited.items() if data is None}
        lines = []
        for path, data in edited.items():
            origin = gone.get(data) if data and before[path] is None else None
            if origin:
                lines.append(LogLine(Action.RENAME, path, f"moved from {origin}"))
            elif data is not None or before[path] not in edited.values():
                lines.append(_told_of_edit(path, before[path], data))
        return ChangeSet((), MANUAL, Approval.NONE, HUMAN_EDIT, tuple(lines))

    def _record(
        self, wanted: Mapping[str, bytes | None], change: ChangeSet
    ) -> LogEntry:
        """Write objects, commit and ref. When this returns, the change is true."""
        head = self.head
        blobs = {
            path: "" if data is None else self.repository.write_blob(data)
            for path, data in wanted.items()
        }
        tree = self.repository.write_tree(head, blobs)
        if len(blobs) >= BULK:
            from reverie.ledger import packs  # noqa: PLC0415 - rarely so many

            packs.pack_loose(self.repository)
            self.repository.redo.drop()
        lines = change.told or tuple(
            LogLine(edit.action, edit.path, edit.summary) for edit in change.edits
        )
        shown = {path for path in wanted if head and self.critical(path)}
        shown -= change.own
        untold = sorted(shown - {line.path for line in lines})
        lines += tuple(LogLine(Action.EDIT, path, change.trigger) for path in untold)
        message = render_message(
            [_marked(line, shown) for line in lines],
            *(change.actor, change.approval, change.trigger),
            critical=bool(shown),
        )
        author, at = str(change.actor), self._clock()
        first_id = "" if head else self._first_id
        commit = self.repository.write_commit(
            *(tree, head, message, author, at), workspace_id=first_id
        )
        self.repository.move_head(head, commit)
        leads_to = self.repository.leads_to
        self._anchor.move(Newest(commit, at), lambda known: leads_to(known, head))
        return parse_entry(self.repository.commit(commit), verified=True)

    def _make_true(
        self, change: ChangeSet, current: Mapping[str, bytes | None]
    ) -> Receipt:
        """Record a change on files as they are, then show it in the folder."""
        wanted = {edit.path: edit.content for edit in change.edits}
        entry = self._record(wanted, change)
        try:
            changes = {path: (current[path], data) for path, data in wanted.items()}
            projection.show_all(self._folder, changes)
            self._note_shown(entry)
            self._take_in_late_edits()
        except (OSError, UnavailableError, RefusedError) as error:
            what = (
                f"the change is recorded (commit {entry.commit[:10]}), but the files "
                f"could not all be written: {error}"
            )
            hint = (
                "Do not repeat it. Mend the cause (space, permissions); the next "
                "command brings the files up to date."
            )
            raise UnavailableError(what, hint=hint) from error
        return Receipt(entry.commit, entry.at, entry.lines, change.actor)

    def _note_shown(self, entry: LogEntry) -> None:
        if read_mark(self._mark_path).log != self.log.stamp():
            self._tell_again()
        else:
            write_mark(self._mark_path, Mark(entry.commit, self.log.append(entry)))


def _marked(line: LogLine, shown: Collection[str]) -> LogLine:
    """Mark what must be shown to the human, and nothing that only says so."""
    if line.path in shown:
        return LogLine(line.action, line.path, CRITICAL_MARK + line.summary)
    if flat(line.summary).startswith(CRITICAL_MARK.strip()):
        return LogLine(line.action, line.path, f"“{line.summary}”")
    return line


def action_between(old: bytes | None, new: bytes | None) -> Action:
    """What the audit log calls the step from one content to another."""
    if old is None:
        return Action.CREATE
    if new is None:
        return Action.DELETE
    return Action.APPEND if new.startswith(old) else Action.EDIT


def _told_of_edit(path: str, old: bytes | None, new: bytes | None) -> LogLine:
    before, after = (
        Counter(data.removesuffix(b"\n").split(b"\n") if data else ())
        for data in (old, new)
    )
    added = sum((after - before).values())
    removed = sum((before - after).values())
    lines = "line" if added == 1 else "lines"
    summary = f"{HUMAN_EDIT}: {added} {lines} added, {removed} removed"
    return LogLine(action_between(old, new), path, summary)


# --- founding a workspace ----------------------------------------------------


MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


def create_repository(git_dir: Path) -> None:
    """Make an empty ledger beside the files it will keep."""
    with told("cannot create the ledger"):
        # Made bare, or it would put a `.git` beside, over one that is there.
        bare = RepositoryInitFlag.MKDIR | RepositoryInitFlag.BARE
        flags = RepositoryInitFlag.NO_DOTGIT_DIR | bare
        pygit2.init_repository(str(git_dir), flags=flags, initial_head="main")
        keep_ours(git_dir)
    info = git_dir / "info"
    info.mkdir(exist_ok=True)
    (info / "exclude").write_text(exclude_rules(), encoding="utf-8")
    # Bytes are bytes: no filter, no line ending is to be changed by git.
    (info / "attributes").write_text("* -text -filter -ident\n", encoding="utf-8")
    # An outer repository of the user's must not pick up our objects.
    (git_dir / ".gitignore").write_text("*\n", encoding="utf-8")


def prepare(root: Path) -> None:
    """Make the folder and the ledger's git directory; does nothing twice."""
    if root.exists() and not root.is_dir():
        what = f"{root} is not a folder"
        hint = "Give the folder your agent lives in, or a new name."
        raise RefusedError(what, hint=hint)
    try:
        root.mkdir(parents=True, exist_ok=True)
        git_dir, state = root / GIT_DIR, root / STATE_DIR
        # Nothing of ours may be a link: writing to it would write elsewhere.
        for path in (git_dir, state, root / ".git"):
            if path.is_symlink():
                raise files.NotAPlainFileError(path.name, "a link")
        made = (git_dir / "HEAD").exists() and (git_dir / "info/attributes").exists()
        if not made:
            create_repository(git_dir)
        git_dir.chmod(0o700)
        state.mkdir(mode=0o700, exist_ok=True)
        files.write_replacing(state / ".gitignore", b"*\n")
        here = root.resolve()
        if not any((folder / ".git").exists() for folder in (here, *here.parents)):
            # Plain `git log` and `git blame` work in the folder.
            files.write_replacing(root / ".git", f"gitdir: {GIT_DIR}\n".encode())
            # `git clean -fdx` spares a folder that looks like a repository of its own.
            files.write_replacing(git_dir / ".git", b"gitdir: .\n")
    except OSError as error:
        what = f"cannot make {root} a workspace"
        raise files.DiskError(what, error) from error


def plan_first(
    folder: Folder, starting: Mapping[str, str], *, file_limit: int
) -> ChangeSet:
    """Plan the first commit: what is there as it is, what is missing added."""
    found = {
        path: folder.read(path) or b""
        for path in look(folder.root, file_limit=file_limit).files
    }
    edits = [
        Edit(path, text.encode(), ABSENT, Action.CREATE, "new workspace")
        for path, text in starting.items()
        if path not in found
    ]
    edits += [
        Edit(path, data, checksum(data), Action.CREATE, "adopted as it was")
        for path, data in sorted(found.items())
    ]
    lines: tuple[LogLine, ...] = ()
    if len(edits) > MOST_LINES:
        # A line per folder: history is for people, who do not read 100,000 lines.
        folders = Counter(edit.path.rpartition("/")[0] for edit in edits)
        lines = tuple(
            LogLine(Action.CREATE, f"{folder}/*" if folder else "*", f"{count} files")
            for folder, count in sorted(folders.items())
        )
    return ChangeSet(tuple(edits), INIT, Approval.AUTO, "reverie init", lines)
