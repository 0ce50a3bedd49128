"""Writing down what was said: from the journal into Markdown and history."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeVar

from reverie.errors import FormatError, ReverieError
from reverie.ledger.erasure import ERASED
from reverie.model.change import MAIN, Action, Approval, ChangeSet
from reverie.model.conversation import REFLECTION
from reverie.session.lost import find_lost
from reverie.session.record import parts, plan_turns
from reverie.workspace import layout
from reverie.workspace.files import DiskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie.index.sqlite_index import SqliteIndex
    from reverie.ledger.git_ledger import GitLedger
    from reverie.ledger.turn_journal import Journal
    from reverie.model.change import Edit, LogEntry, Receipt
    from reverie.model.items import Turn
    from reverie.session.record import TurnPlan
    from reverie.workspace.files import Folder

T = TypeVar("T")

TRIGGER = "conversation"

REFLECTED = "context reflection"

PUT_BACK = "conversation, put back"

MOST = 100
"""So many commits at once; what is left is written down the next time."""

PURPOSE = "writing down what was said"


class Rooms(Protocol):
    """The parts of an open workspace that this needs; the house has them."""

    folder: Folder
    ledger: GitLedger
    journal: Journal
    index: SqliteIndex
    warnings: list[str]

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
    """Whether a change only wrote down what was said.

    A context reflection or an import is more than that, and can be taken back like
    any other change. An erasure may have taken the trigger away.
    """
    return (
        entry.actor == MAIN
        and (entry.trigger in {TRIGGER, PUT_BACK} or ERASED in entry.trigger)
        and all(
            line.action in {Action.CREATE, Action.APPEND}
            and line.path.startswith(f"{layout.CONVERSATIONS}/")
            for line in entry.lines
        )
    )


def transcribe(house: Rooms, *, wait: bool) -> int:
    """Commit every turn that waits in the journal; returns how many.

    A crash after the commit leaves them in the journal too; planned again, they are
    known by their numbers and left out.

    Args:
        house: The workspace's parts.
        wait: Whether to wait for another writer.
    """
    done = 0
    with house.ledger.exclusively(PURPOSE, None if wait else 0.0):
        for _ in range(MOST):
            count = house.persist(PURPOSE, lambda: _transcribe(house))
            done += count
            if not count:
                break
    return done


def _transcribe(house: Rooms) -> int:
    """Write down what comes next; returns how many turns of the journal these are."""
    house.sync()
    _put_back(house)
    trigger, runs = _plan(house)
    while house.make_room(edit for run in runs for edit in run.plan.edits):
        trigger, runs = _plan(house)
    edits = tuple(edit for run in runs for edit in run.plan.edits)
    if edits:
        house.commit(ChangeSet(edits, MAIN, Approval.AUTO, trigger))
    for run in runs:
        plan = run.plan
        house.journal.settle(run.window, run.count, last=plan.last, written=plan.turns)
    return sum(run.count for run in runs)


def _put_back(house: Rooms) -> None:
    """Write down again what an editor took away by saving an older text; once."""
    shelf = Shelf(house)
    for window in house.journal.windows():
        with suppress(DiskError, FormatError):  # told where more is to be written
            house.ledger.absorb(parts(window, shelf)[-1:])
            house.sync()
            lost = find_lost(window, shelf, house.ledger, house.index, _talks)
            if lost:
                edits = plan_turns(window, lost, shelf).edits
                house.commit(ChangeSet(edits, MAIN, Approval.AUTO, PUT_BACK))
                numbers = ", ".join(sorted({str(turn.number) for turn in lost}))
                told = (
                    f"a text that was saved lacked what had just been said in {window}"
                )
                _warn(house, f"{told}, and it is put back: turn {numbers}")


def _talks(entry: LogEntry) -> bool:
    return is_record(entry) and entry.trigger == TRIGGER


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns of one window that are written down in one commit."""

    window: str
    count: int
    plan: TurnPlan


def _plan(house: Rooms) -> tuple[str, list[_Run]]:
    """What was said everywhere; where nothing was, the next context reflection."""
    said: list[_Run] = []
    summed_up: list[_Run] = []
    shelf = Shelf(house)
    for window in house.journal.windows():
        try:
            kind, turns = next(groupby(house.journal.waiting(window), _kind), (0, ()))
            run = tuple(turns)
            plan = plan_turns(window, run, shelf)
        except ReverieError as error:
            _warn(house, f"{error}; what was said in {window} is kept until then")
            continue
        (summed_up if kind else said).append(_Run(window, len(run), plan))
    return (TRIGGER, said) if said else (REFLECTED, summed_up[:1])


def _kind(turn: Turn) -> int:
    """The number of a context reflection, each of which has a commit of its own."""
    return turn.number if turn.field(REFLECTION) else 0


def _warn(house: Rooms, text: str) -> None:
    if text not in house.warnings:
        house.warnings.append(text)
