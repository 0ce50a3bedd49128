"""What may wait until nobody waits for it: uses, snapshots, digests, packing.

Uses of memories are counted in the index at once, and written down now and then: it
is their journal, counting is no commit, and a kill loses none. They reach
`decay-scores.json` at the end of a session, with a reflection, and once many wait.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.index import IndexUnavailableError, Used
from reverie.ledger.audit_log import due_until, render_digests
from reverie.model.change import AUDIT, Action, Approval, ChangeSet, Edit, checksum
from reverie.model.ids import Kind, page_of
from reverie.model.items import in_utc
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.session.session import Session

MANY = 50
"""So many uses are written down whoever closes the workspace."""

MOST_UNCOUNTED = 1_000
"""So many uses wait at most where the index cannot be written."""

BETWEEN_FADING = 6 * 3600
"""Seconds between two looks at which memories have faded."""

BETWEEN_TIDYING = 60
"""Least seconds between two runs of upkeep in the background."""

REST = 4
"""After a background run, none starts for this many times as long as it took."""

SMALL = 5_000
"""Up to so many files, git's own index is refreshed while closing."""


def fading_id(id_: str) -> str:
    """The id of the memory that fades: of a fact, that of its page."""
    page = page_of(id_)
    return page if page == id_ or ":" in page else f"{Kind.ENTITY}:{page}"


class Uses:
    """What was of use in an open workspace."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._uncounted: list[Used] = []

    def note(self, ids: Iterable[str]) -> None:
        """Count uses that were noticed; nobody waits for it, and it never fails.

        What another process keeps from being counted now is counted with the next.
        """
        session = self._session
        used = dict.fromkeys(map(fading_id, ids))
        if not used or session.ledger.confined:
            return
        now = in_utc(session.clock())
        self._uncounted = [*self._uncounted, *(Used(id_, now) for id_ in used)]
        self._count()

    def _count(self) -> None:
        with suppress(IndexUnavailableError):
            with self._session.index.changing(wait=False):
                self._session.index.count_uses(self._uncounted, reinforced=True)
            self._uncounted = []
        del self._uncounted[:-MOST_UNCOUNTED]

    def write_down(self, least: int = 1) -> None:
        """Write them into the scores, where so many wait; it can wait, if need be."""
        session = self._session
        if session.ledger.confined or not session.ledger.head:
            return
        with suppress(ReverieError):
            if self._uncounted:
                self._count()
            if session.index.uses >= least:
                session.snapshot()


def tidy(session: Session, *, ended: bool = True) -> None:
    """Everything that may wait until nobody waits for it.

    Args:
        session: The workspace's parts.
        ended: Whether a session has ended, so that no use is left unwritten.
    """
    session.require_free()
    moment = session.clock().timestamp()
    if not session.index.resting("fading", moment):
        session.index.note_done("fading", moment, BETWEEN_FADING)
        session.snapshot(fading=True)
    if session.index.snapshot_due:
        session.snapshot()
    if session.index.graph_due:
        session.snapshot(graph=True)
    session.uses.write_down(1 if ended else MANY)
    _digest(session)
    session.ledger.tidy()


def tidy_somehow(session: Session, *, ended: bool) -> None:
    """Do upkeep now if it is quick or the clock was injected, else in the background.

    A background process would write the time of the machine's clock.
    """
    quick = _is_small(session) and not session.ledger.untidy and not session.work_left
    if quick or session.injected_clock:
        tidy(session, ended=ended)
    else:
        _tidy_in_background(session, ended=ended)


def read_changed_files_in_steps(session: Session) -> None:
    """Read all files that changed; others can write between two steps."""
    session.look()
    before = sys.maxsize
    while 0 < session.files_left < before:
        before = session.files_left
        session.look()


def start_upkeep_if_left(session: Session) -> None:
    """Start upkeep in the background while the workspace is open, if work is left."""
    if session.work_left and not session.ledger.confined:
        _tidy_in_background(session, ended=False)


def write_uses_somehow(session: Session) -> None:
    """Write many uses down, while somebody waits only where that is quick."""
    if _is_small(session):
        session.uses.write_down()
    else:
        _tidy_in_background(session, ended=True)


def can_start(session: Session) -> bool:
    """Return whether upkeep of this workspace may run in a background process."""
    return session.upkeep_allowed and not session.injected_clock


def _is_small(session: Session) -> bool:
    return not session.index.more_files(SMALL)


def _tidy_in_background(session: Session, *, ended: bool) -> None:
    if can_start(session) and not session.index.resting("tidy", time.time()):
        from reverie.workspace import background  # noqa: PLC0415 - rarely due

        # Before it starts: one that fails at once is not started again and again.
        session.note_done("tidy", BETWEEN_TIDYING)
        background.start_upkeep(session.folder, ended=ended)


def rest(session: Session, spent: float) -> None:
    """Start no upkeep in the background for some time after it took `spent` seconds."""
    session.note_done("tidy", max(BETWEEN_TIDYING, REST * spent))


def _digest(session: Session) -> None:
    """Move months that are past retention from the log into digests."""
    until = due_until(session.clock(), session.config.audit.retention_days)
    oldest = session.ledger.log.oldest()
    if oldest is None or oldest >= until:
        return
    with session.ledger.exclusively("writing digests"):
        old = session.ledger.read(layout.AUDIT_ARCHIVE)
        text = (old or b"").decode("utf-8", "replace")
        held = session.ledger.log.held()
        entries = [entry for entry in held if entry.at < until]
        if not entries:
            return
        new = text + ("\n" if text else "") + render_digests(entries)
        action = Action.EDIT if old else Action.CREATE
        path, data = layout.AUDIT_ARCHIVE, new.encode()
        edit = Edit(path, data, checksum(old), action, "monthly digests")
        session.commit(ChangeSet((edit,), AUDIT, Approval.AUTO, "audit log retention"))
        session.ledger.tell_again()
