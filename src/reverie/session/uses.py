"""Uses of memories: counted in the index at once, written down now and then.

The index is the journal of them: counting is no commit, and a kill loses none. They
reach `decay-scores.json` at the end of a session, with a reflection, and once
many wait.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from reverie.errors import ReverieError
from reverie.index import IndexUnavailableError, Used
from reverie.model.ids import Kind, page_of
from reverie.model.items import in_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from reverie.index import Index
    from reverie.ledger import Ledger

MANY = 50
"""So many uses are written down whoever closes the workspace."""

MOST_UNCOUNTED = 1_000
"""So many uses wait at most where the index cannot be written."""


def fading_id(id_: str) -> str:
    """The id of the memory that fades: of a fact, that of its page."""
    page = page_of(id_)
    return page if page == id_ or ":" in page else f"{Kind.ENTITY}:{page}"


class Counted(Protocol):
    """A workspace whose memories are of use: a session."""

    @property
    def index(self) -> Index:
        """Where they are counted."""

    @property
    def ledger(self) -> Ledger:
        """Who may be kept from writing."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """Where the time comes from."""

    def snapshot(self) -> object:
        """Write the scores down."""


class Uses:
    """What was of use in an open workspace."""

    def __init__(self, session: Counted) -> None:
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
                self._session.index.count_uses(self._uncounted)
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
