"""The one door for writes: history, audit log, alerts, rollback, erasure.

`Ledger` is the port (design, section 12): all that the rooms above may ask of truth
and its history, and the only way to add to it. Files and git behind it are
`GitLedger`, which the session opens and nobody else names. A change is known by an id
that only means something to its ledger; a content by `model.change.hash_content`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from reverie.errors import ConflictError, NotFoundError, UnavailableError
from reverie.model.change import ChangeSet
from reverie.workspace.layout import GIT_DIR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from reverie.authority.keyring import Newest
    from reverie.ledger.audit_log import AuditLog
    from reverie.ledger.erasure import Scrub
    from reverie.model.change import LogEntry, Receipt
    from reverie.model.views import ErasureReceipt


class ChangedOnDiskError(ConflictError):
    """A file is no longer what it was when the change was planned."""

    says = "{} changed while this was being prepared"
    mend = "Nothing was written. Read it again, then repeat the change."


class SuspendedError(UnavailableError):
    """Nothing is written for now, and what the folder shows is no edit."""


class Rules(NamedTuple):
    """What the ledger needs to know of the configuration."""

    lock_seconds: float
    file_limit: int
    critical_files: frozenset[str]


Confine = Callable[[ChangeSet | None, Mapping[str, bytes | None]], None]
"""Raises for a change, on files as they are, that may not be made; None for others."""


class Commit(NamedTuple):
    """A change as it is kept; `sealed` if this user's ledger made it."""

    id: str
    parent: str
    message: str
    at: datetime
    sealed: bool = False


class Ledger(Protocol):
    """The truth of one workspace, all of its history, and the only way to add to it.

    Attributes:
        rules: What it needs to know of the configuration.
        notes: What was amiss and has been worked around, in words.
        log: The audit log, which it writes from the changes.
    """

    rules: Rules
    notes: list[str]
    log: AuditLog

    @property
    def head(self) -> str:
        """The newest change; empty before the first."""

    @property
    def confined(self) -> bool:
        """Whether only some changes may be made here."""

    def critical(self, path: str) -> bool:
        """Whether a change to this file must be shown to the human."""

    # --- files

    def read(self, path: str) -> bytes | None:
        """A file as it stands now; None where there is none."""

    def read_at(self, commit: str, path: str) -> bytes | None:
        """A file as it was after a change; None where there was none."""

    def files(self, path: str) -> Collection[str]:
        """Names of the files in a folder, after the newest change."""

    def folders(self, path: str) -> Collection[str]:
        """Names of the folders in a folder, after the newest change."""

    def content_id(self, commit: str, path: str) -> str:
        """What a file's content was known by after a change; empty for no file."""

    def content(self, content_id: str) -> bytes | None:
        """The bytes that are known by an id; None for the empty one."""

    def changed(
        self, commit: str, since: str | None = None
    ) -> Mapping[str, tuple[str, str]]:
        """The files that a change made different: content ids before and after.

        Args:
            commit: The change.
            since: Compare with what was after another one, or with nothing if empty.
        """

    # --- history

    def has(self, commit: str) -> bool:
        """Whether a change of this id is here, in history or dropped from it."""

    def contains(self, commit: str) -> bool:
        """Return whether history leads from a commit to the newest one."""

    def workspace_id(self) -> str:
        """Return the workspace ID in the first commit."""

    def resolve(self, start: str) -> str:
        """The full id of a change in history, by the start of it; empty for none."""

    def walk(self, start: str = "") -> Iterator[Commit]:
        """Every change up to one, or to the newest, newest first, as it is kept."""

    def history(
        self, start: str = "", *, naming: Callable[[str], bool] = lambda _: True
    ) -> Iterable[LogEntry]:
        """The same, as it is told.

        Args:
            start: The first; the newest by default.
            naming: Whether a message may be of interest; a change that is ours and
                has another one is left out, unread.
        """

    def entry(self, commit: str) -> LogEntry:
        """One change, as it is told."""

    def count(self) -> int:
        """How many changes there are."""

    def blame(self, path: str, at: str = "") -> Iterable[tuple[str, int, int]]:
        """For each run of a file's lines: its change, its first line, how many.

        Args:
            path: The file.
            at: The commit at which it is looked at; the newest by default.
        """

    # --- writing

    def exclusively(
        self, purpose: str, seconds: float | None = None
    ) -> AbstractContextManager[None]:
        """Hold the workspace lock; what the last writer left undone is done first.

        Args:
            purpose: What for, told to whoever has to wait for us.
            seconds: How long to wait, where that is not what is configured.
        """

    def begin(self, starting: Mapping[str, str], workspace_id: str = "") -> None:
        """Make the first change: what is there as it is, what is missing added.

        Args:
            starting: Files that a new workspace has, with their texts.
            workspace_id: ID of the new workspace.
        """

    def commit(self, change: ChangeSet) -> Receipt:
        """Make a change true, all of it or nothing; durable when this returns.

        Raises:
            ChangedOnDiskError: A file is not what the change was planned on.
            RefusedError: A path is not one the ledger keeps, or a file too large.
            UnavailableError: The machine did not let us; it says what was done.
        """

    def absorb(self, paths: Collection[str]) -> Mapping[str, str]:
        """Commit, as `manual`, what people did to these files.

        Returns:
            Those that cannot be read, and why; links are left to their owner.
        """

    def tell_again(self) -> None:
        """Write the audit log from the changes."""

    # --- a history that was exchanged

    def lost(self, *, of_copy: bool = False) -> list[Newest]:
        """Return the newest known commits that history does not lead up to.

        Args:
            of_copy: Whether a copy is compared with its original as well.
        """

    def accept_lost(self) -> None:
        """Know the history that stands for the true one; its human has agreed."""

    # --- erasure, and what may wait

    def erasing(self) -> AbstractContextManager[None]:
        """Hold all that an erasure needs, for what comes before and after it.

        Raises:
            RefusedError: Something of its human's would keep the old history.
        """

    def erase(
        self,
        scrub: Scrub,
        record: ChangeSet,
        progress: Callable[[int, int], None],
        workspace_id: str = "",
    ) -> ErasureReceipt:
        """Write history again without something, and drop the old one for good.

        Args:
            scrub: How to take it out.
            record: Says that it was erased, and not what; it becomes the newest change.
            progress: Told how far it is, and of how much.
            workspace_id: New ID for the workspace; without one, it keeps its own.
        """

    def find_bytes(self, needles: Iterable[bytes], *folders: Path) -> list[str]:
        """Return where some bytes are found: in any file or git object.

        Args:
            needles: The bytes.
            folders: Folders to search besides the workspace.
        """

    @property
    def untidy(self) -> bool:
        """Whether tidying would take long."""

    def tidy(self) -> None:
        """Do what makes reading cheaper, and may wait until nobody waits for it."""


class NotAWorkspaceError(NotFoundError):
    """There is no workspace where one was looked for."""

    says = "{} is not a Reverie workspace"
    mend = "`reverie init` makes it one, or adopts what is there."


class HeadGoneError(UnavailableError):
    """The history of a workspace is there, but not the file that git begins with."""

    says = "cannot open the history of {}: .audit/HEAD is gone"
    mend = "`reverie check --repair` repairs it."


def require_head(root: Path) -> None:
    """Refuse a folder that is no workspace, or whose history lost its first file."""
    git_dir = root / GIT_DIR
    if not os.path.lexists(git_dir / "HEAD"):
        if (git_dir / "objects").is_dir():
            raise HeadGoneError(root)
        raise NotAWorkspaceError(root)
