"""The one door for writes: git history, audit log, alerts, rollback, erasure.

`Ledger` is the port (design, section 12); files and git behind it are `GitLedger`,
which who needs its repository still names. Nothing else changes a file that holds
truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from contextlib import AbstractContextManager

    from reverie.model.change import ChangeSet, LogEntry, Receipt


class Ledger(Protocol):
    """The truth of one workspace, all of its history, and the only way to add to it."""

    @property
    def head(self) -> str:
        """The newest commit; empty before the first."""

    @property
    def confined(self) -> bool:
        """Whether only some changes may be made here."""

    def read(self, path: str) -> bytes | None:
        """A file as it stands now; None where there is none."""

    def read_at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit."""

    def files(self, path: str) -> Collection[str]:
        """Names of the files in a folder."""

    def folders(self, path: str) -> Collection[str]:
        """Names of the folders in a folder."""

    def history(self, start: str = "") -> Iterable[LogEntry]:
        """Every change up to a commit, or to the newest, newest first."""

    def entry(self, commit: str) -> LogEntry:
        """One change."""

    def commit(self, change: ChangeSet) -> Receipt:
        """Make a change true, all of it or nothing."""

    def absorb(self, paths: Collection[str]) -> None:
        """Commit, as `manual`, what people did to these files."""

    def exclusively(
        self, purpose: str, seconds: float | None = None
    ) -> AbstractContextManager[None]:
        """Hold the workspace lock; what the last writer left undone is done first."""
