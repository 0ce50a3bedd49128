"""Writing down what was said: from the journal into Markdown and history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from reverie.conversation.record import plan_turns
from reverie.model.change import Actor, Approval, ChangeSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.conversation.record import Plan
    from reverie.ledger import Ledger
    from reverie.ledger.journal import Journal
    from reverie.model.change import Edit, LogEntry, Receipt
    from reverie.workspace.files import Folder

T = TypeVar("T")

MAIN = Actor("bot:main")
"""Who keeps the record of a conversation."""

TRIGGER = "conversation"

PURPOSE = "writing down what was said"


class Rooms(Protocol):
    """The parts of an open workspace that this needs; the house has them."""

    folder: Folder
    ledger: Ledger
    journal: Journal

    def sync(self) -> None:
        """Bring the index to the newest commit."""

    def place(self, folder: str, name: str, /) -> str:
        """Where a file of a store stands, or would be put."""

    def make_room(self, edits: Iterable[Edit], /) -> bool:
        """Split folders that new files would overfill."""

    def commit(self, change: ChangeSet, /) -> Receipt:
        """Make a change and show it in the index."""

    def persist(self, purpose: str, attempt: Callable[[], T], /) -> T:
        """Plan and commit, and again if a person saves meanwhile."""


class Shelf:
    """What planning reads of an open workspace."""

    def __init__(self, house: Rooms) -> None:
        self._house = house

    def read(self, path: str) -> bytes | None:
        """A file as it stands."""
        return self._house.ledger.read(path)

    def exists(self, path: str) -> bool:
        """Whether there is one."""
        return self._house.folder.signature(path) is not None

    def place(self, folder: str, name: str) -> str:
        """Where a file of a store stands, or would be put."""
        return self._house.place(folder, name)


def is_record(entry: LogEntry) -> bool:
    """Whether a change only wrote down what was said."""
    return (entry.actor, entry.trigger) == (MAIN, TRIGGER)


def transcribe(house: Rooms, *, wait: bool) -> int:
    """Commit every turn that waits in the journal; returns how many.

    A crash after the commit leaves them in the journal too; planned again, they are
    known by their numbers and left out.

    Args:
        house: The workspace's parts.
        wait: Whether to wait for another writer.
    """
    with house.ledger.exclusively(PURPOSE, None if wait else 0.0):
        return house.persist(PURPOSE, lambda: _transcribe(house))


def _transcribe(house: Rooms) -> int:
    house.sync()
    counts, plans = _plan(house)
    while house.make_room(edit for plan in plans.values() for edit in plan.edits):
        counts, plans = _plan(house)
    edits = tuple(edit for plan in plans.values() for edit in plan.edits)
    if edits:
        house.commit(ChangeSet(edits, MAIN, Approval.AUTO, TRIGGER))
    for window, plan in plans.items():
        house.journal.settle(window, counts[window], last=plan.last)
    return sum(counts.values())


def _plan(house: Rooms) -> tuple[Mapping[str, int], Mapping[str, Plan]]:
    waiting = {name: house.journal.waiting(name) for name in house.journal.windows()}
    shelf = Shelf(house)
    plans = {name: plan_turns(name, turns, shelf) for name, turns in waiting.items()}
    return {name: len(turns) for name, turns in waiting.items()}, plans
