"""Read files that changed on disk, where that is quick, or count them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import UnavailableError
from reverie.index import IndexUnavailableError
from reverie.workspace.files import look
from reverie.workspace.lock import WorkspaceBusyError

if TYPE_CHECKING:
    from reverie.session.session import Session

QUICK_FILES, QUICK_BYTES = 20, 500_000
"""So many changed files, and bytes in them, are read while somebody waits."""


class ChangedFiles(NamedTuple):
    """What came of reading changed files.

    Attributes:
        read: How many were read.
        unread: How many are left: too many, or another process holds the lock.
    """

    read: int = 0
    unread: int = 0


def read_changed_files(session: Session) -> ChangedFiles:
    """Read the files that changed since they were indexed, if there are only a few."""
    changed = _find_changed(session)
    if not changed:
        return ChangedFiles()
    quick = len(changed) <= QUICK_FILES and sum(changed.values()) <= QUICK_BYTES
    if quick:
        with suppress(WorkspaceBusyError, UnavailableError):
            session.look(whole=True)
    left = len(_find_changed(session)) if quick else len(changed)
    return ChangedFiles(len(changed) - left, left)


def _find_changed(session: Session) -> dict[str, int]:
    """Return the size of each file that is new or differs from the index."""
    index, limit = session.index, session.config.ledger.file_limit
    try:
        # Reading them verifies a seal for each file: that is done again only if some
        # file differs from what was read before.
        known = session.while_same("signatures", index.seen, index.signatures)
        found = look(session.folder.root, file_limit=limit).files
        if all(known.get(path) == now for path, now in found.items()):
            return {}
        known = index.signatures()
    except IndexUnavailableError:
        return {}
    changed = {path: now for path, now in found.items() if known.get(path) != now}
    return {path: now.size for path, now in changed.items()}
