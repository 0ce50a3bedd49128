"""The record of conversations: read, planned, and written down from the journal.

What plans reads, and returns the edits that would do it. A window goes on in parts,
of which only those that matter are read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from itertools import dropwhile, groupby, islice, takewhile
from typing import TYPE_CHECKING, Protocol, TypeVar

from reverie.errors import FormatError, RefusedError, ReverieError
from reverie.ledger.audit_log import HUMAN_EDIT
from reverie.ledger.erasure import ERASED
from reverie.markdown import one_line, tidy
from reverie.model.change import (
    MAIN,
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    Edit,
    checksum,
)
from reverie.model.conversation import DELETED, EDITED, REFLECTION, WindowState
from reverie.model.items import Role
from reverie.stores import turns
from reverie.stores import turns as store
from reverie.stores.reader import decode
from reverie.stores.text import mended
from reverie.stores.turns import parse_turns
from reverie.workspace import layout
from reverie.workspace.files import DiskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.index.sqlite_index import SqliteIndex
    from reverie.ledger import Ledger
    from reverie.ledger.git_ledger import GitLedger
    from reverie.ledger.turn_journal import Journal
    from reverie.model.change import LogEntry, Receipt
    from reverie.model.items import Turn
    from reverie.stores.turns import Key
    from reverie.workspace.files import Folder

_BOM = b"\xef\xbb\xbf"


class NoNumberLeftError(RefusedError):
    """Somebody gave a turn so large a number that none comes after it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"there is no number left for a turn behind those in {path}",
            hint="Give the turn with the largest number a smaller one, by hand.",
        )


class RecordFiles(Protocol):
    """What is read of a workspace."""

    def read(self, path: str, /) -> bytes | None:
        """A file as it stands; None where there is none."""

    def exists(self, path: str, /) -> bool:
        """Whether there is one; asked more often than it is read."""

    def place(self, folder: str, name: str, /) -> str:
        """Where a file of a store stands, or would be put."""


@dataclass(frozen=True, slots=True)
class TurnsPlan:
    """Edits that would write some turns down.

    Attributes:
        edits: One for each part that gets any.
        turns: All of them as they are numbered in the end, also those that were
            written before.
        last: The highest number that the window has then.
    """

    edits: tuple[Edit, ...]
    turns: tuple[Turn, ...]
    last: int


class _Parts:
    """The parts of a window, each read once."""

    def __init__(self, window: str, shelf: RecordFiles) -> None:
        self._window, self._shelf = window, shelf
        self._paths: dict[int, str] = {}
        self._data: dict[int, bytes | None] = {}
        self._turns: dict[int, tuple[Turn, ...]] = {}
        self.last = store.last_part(self.there)

    def there(self, part: int) -> bool:
        return self._shelf.exists(self.path(part))

    def path(self, part: int) -> str:
        if part not in self._paths:
            name = store.part_name(self._window, part)
            self._paths[part] = self._shelf.place(layout.CONVERSATIONS, name)
        return self._paths[part]

    def opened(self, part: int) -> tuple[str, bytes | None]:
        path = self.path(part)
        if part not in self._data:
            self._data[part] = self._shelf.read(path)
        return path, self._data[part]

    def turns(self, part: int) -> tuple[Turn, ...]:
        if part not in self._turns:
            path, data = self.opened(part)
            text = decode(data, path)[0] if data else ""
            self._turns[part] = store.parse_turns(text, path)
        return self._turns[part]

    def top(self, part: int) -> int:
        """The highest number of a part; of one before it, if it has no turns."""
        while part > 0:
            found = self.turns(part)
            if found:
                return max(turn.number for turn in found)
            part -= 1
        return 0


def parts(window: str, shelf: RecordFiles) -> list[str]:
    """The paths of a window's parts, in order."""
    found = _Parts(window, shelf)
    return [found.path(n) for n in range(1, found.last + 1) if found.there(n)]


def load_window(window: str, shelf: RecordFiles) -> tuple[Turn, ...]:
    """All turns in the order written, those deleted too."""
    found = _Parts(window, shelf)
    return _once(t for n in range(1, found.last + 1) for t in found.turns(n))


def tail(window: str, shelf: RecordFiles, least: int) -> tuple[Turn, ...]:
    """The last turns of a window, those deleted too: whole parts of it.

    Args:
        window: Which one.
        shelf: What is read of the workspace.
        least: So many that are not deleted, if there are as many; perhaps more.
    """
    found = _Parts(window, shelf)
    told: list[tuple[Turn, ...]] = []
    count = 0
    for part in range(found.last, 0, -1):
        told.append(found.turns(part))
        count += sum(not turn.field(DELETED) for turn in told[-1])
        if count >= least:
            break
    return _once(turn for turns in reversed(told) for turn in turns)


def _once(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Turns without those whose number one before them has."""
    found: dict[Key, Turn] = {}
    for turn in turns:
        found.setdefault((turn.number, turn.role), turn)
    return tuple(found.values())


def is_answered(window: str, number: int, shelf: RecordFiles) -> bool:
    """Whether the record has an answer to a turn, wherever that stands."""
    return any(
        (turn.number, turn.role) == (number, Role.ASSISTANT)
        for path, data in _holding(window, number, shelf)
        for turn in store.parse_turns(decode(data, path)[0], path)
    )


def state_of(turns: Iterable[Turn]) -> WindowState:
    """How far a conversation has come with some turns."""
    return reduce(WindowState.after, turns, WindowState())


def plan_turns(window: str, turns: Sequence[Turn], shelf: RecordFiles) -> TurnsPlan:
    """Plan to write turns down below the others.

    What is there already stays as it is and is not written twice. If somebody else
    took a number meanwhile, the turn and the rest of its pair get the next free one.

    Args:
        window: Which conversation.
        turns: What was said, in that order.
        shelf: What is read of the workspace.
    """
    found = _Parts(window, shelf)
    said = [_storable(turn) for turn in turns]
    numbers = _Numbers(found, said)
    placed = tuple(map(numbers.place, said))
    start = store.new_window(window)
    newest = max(1, found.last)
    edits = tuple(
        portion.edit(f"{_counted(portion.count)} of {window}")
        for portion in store.portions(numbers.fresh, newest, found.opened, start)
    )
    return TurnsPlan(edits, placed, numbers.last)


def _storable(turn: Turn) -> Turn:
    """A turn as it will be read back, whatever is in it."""
    more = tuple((key, mended(one_line(value))) for key, value in turn.more)
    return replace(
        turn, text=tidy(mended(turn.text)), speaker=mended(turn.speaker), more=more
    )


def _counted(count: int) -> str:
    return f"{count} turns" if count > 1 else "1 turn"


class _Numbers:
    """Which numbers of a window are taken, and which ones some turns get."""

    def __init__(self, parts: _Parts, said: Sequence[Turn]) -> None:
        self.fresh: list[Turn] = []
        self._parts = parts
        self._taken: dict[Key, Turn] = {}
        self._owners: dict[Key, int] = {}
        self._given: dict[int, int] = {}
        self._moved: int | None = None
        self._said = {(turn.role, turn.text) for turn in said}
        self._first = self._read_end(said)
        self._looked: set[int] = set()
        self.last = max((number for number, _ in self._taken), default=0)

    def _read_end(self, said: Sequence[Turn]) -> int:
        """Read the newest parts; returns the first one that was read."""
        words = {(turn.role, turn.text) for turn in said}
        part = self._parts.last + 1
        while part > 1:
            part -= 1
            found = self._parts.turns(part)
            self._take(found)
            if not found or (found[0].role, found[0].text) in words:
                # These may have been written already, from an earlier part on.
                continue
            if any(t.role is not Role.ASSISTANT for t in found):
                # Answers may come late; all others have the next number.
                break
        return part

    def _take(self, turns: Iterable[Turn]) -> None:
        self._taken |= {(turn.number, turn.role): turn for turn in turns}

    def place(self, turn: Turn) -> Turn:
        """A turn with the number that it has or gets."""
        number = self._given.get(turn.number, turn.number)
        there = self._look(number, turn.role)
        if there is None and self._may_have(number, turn) and self._free(number, turn):
            return self._write(turn, number)
        if there is not None and self._is_own(there, turn):
            return self._own(turn, number)
        known = self._written(turn)
        number = known or self.last + 1
        if number > store.LARGEST:
            raise NoNumberLeftError(self._parts.path(max(1, self._parts.last)))
        self._given[turn.number] = number
        self._moved = min(self._moved or turn.number, turn.number)
        return self._own(turn, number) if known else self._write(turn, number)

    def _may_have(self, number: int, turn: Turn) -> bool:
        """Whether a free number leaves turns in the order in which they were said."""
        if number > min(store.LARGEST, self.last + store.LEAP):
            # Nobody would read it back.
            return False
        if self._moved is None or turn.number in self._given:
            return True
        return number < self._moved or number > self.last

    def _free(self, number: int, turn: Turn) -> bool:
        """Whether a prompt would not come into a pair of somebody else's."""
        if turn.role is not Role.SYSTEM:
            return True
        there = (self._taken.get((number, role)) for role in Role)
        keys = ((t.number, t.role, t.text) for t in there if t is not None)
        return all(key[:2] in self._owners or key[1:] in self._said for key in keys)

    def _is_own(self, there: Turn, turn: Turn) -> bool:
        """Whether what has a number is this very turn, written before."""
        owner = self._owners.get((there.number, there.role), turn.number)
        edited = bool(there.field(EDITED)) and there.at == _second(turn)
        return owner == turn.number and (there.text == turn.text or edited)

    def _written(self, turn: Turn) -> int:
        """The other number under which a turn was written before; 0 if it was not."""
        if turn.at is None:
            return 0
        known = (
            number
            for (number, role), other in self._taken.items()
            if number > turn.number and role is turn.role and other.text == turn.text
            if other.at == _second(turn) and (number, role) not in self._owners
        )
        return min(known, default=0)

    def _own(self, turn: Turn, number: int) -> Turn:
        self._owners[number, turn.role] = turn.number
        self.last = max(self.last, number)
        return replace(turn, number=number)

    def _write(self, turn: Turn, number: int) -> Turn:
        fresh = self._own(turn, number)
        self._taken[number, turn.role] = fresh
        self.fresh.append(fresh)
        return fresh

    def _look(self, number: int, role: Role) -> Turn | None:
        """What has a number, in the parts that may hold it."""
        known = any((number, role) in self._taken for role in Role)
        if not known and number < self.last and number not in self._looked:
            self._looked.add(number)
            self._read_early(number)
        return self._taken.get((number, role))

    def _read_early(self, number: int) -> None:
        """Read the part in which a number was given out, and the next one.

        Numbers grow, so the highest of each part leads there; an answer may stand at
        the beginning of the part behind its question.
        """
        low, high = 1, self._first
        while low < high:
            middle = (low + high) // 2
            if self._parts.top(middle) >= number:
                high = middle
            else:
                low = middle + 1
        for part in (low + 1, low):
            if part < self._first:
                self._take(self._parts.turns(part))


def _second(turn: Turn) -> object:
    """When a turn was said, as far as its heading tells it."""
    return turn.at.replace(microsecond=0) if turn.at else None


def plan_delete(
    window: str, number: int, shelf: RecordFiles, *, role: Role | None = None, day: str
) -> tuple[Edit, ...]:
    """Plan to mark a turn as deleted: both sides of it, unless one is named.

    Args:
        window: Which conversation.
        number: Which turn of it.
        shelf: What is read of the workspace.
        role: The side to delete; None for whatever has that number.
        day: Since when it is deleted.

    Returns:
        No edit if all of it is deleted already.
    """
    side = f" ({role})" if role else ""
    edits, there = [], False
    for path, data in _holding(window, number, shelf):
        text = _text(data, path)
        found = store.parse_turns(text, path)
        keys = {(t.number, t.role) for t in found if t.number == number}
        keys = {key for key in keys if role in (None, key[1])}
        there = there or bool(keys)
        new = turns.mark_deleted(text, path, keys, day)
        if new != text:
            why = f"deleted turn {number}{side} of {window}"
            edits.append(_edit(path, data, new, why))
    if not there:
        raise turns.MissingTurnError(number, role, _home(window, shelf))
    return tuple(edits)


def plan_edit(
    window: str, number: int, role: Role, text: str, shelf: RecordFiles, *, day: str
) -> tuple[Edit, ...]:
    """Plan to let a turn say something else.

    Args:
        window: Which conversation.
        number: Which turn of it.
        role: Which side.
        text: What it shall say.
        shelf: What is read of the workspace.
        day: When it is changed.

    Returns:
        No edit if it says that already.
    """
    for path, data in _holding(window, number, shelf):
        old = _text(data, path)
        found = store.parse_turns(old, path)
        if any((turn.number, turn.role) == (number, role) for turn in found):
            new = turns.edit_turn(old, path, number, role, mended(text), day)
            why = f"edited turn {number} ({role}) of {window}"
            return (_edit(path, data, new, why),) if new != old else ()
    raise turns.MissingTurnError(number, role, _home(window, shelf))


def _holding(
    window: str, number: int, shelf: RecordFiles
) -> Iterator[tuple[str, bytes]]:
    """The parts that may have turns of a number.

    All are looked at: an answer may come late, and people write where they like.
    """
    mark = re.compile(rb"turn:%d(?![0-9])" % number)
    for path in parts(window, shelf):
        data = shelf.read(path)
        if data and mark.search(data):
            yield path, data


def _home(window: str, shelf: RecordFiles) -> str:
    return shelf.place(layout.CONVERSATIONS, store.part_name(window))


def _text(data: bytes, path: str) -> str:
    text, findings = decode(data, path)
    for found in findings:
        raise FormatError(path, found.line, found.what, hint=found.mend)
    return text


def _edit(path: str, old: bytes, new: str, why: str) -> Edit:
    bom = _BOM if old.startswith(_BOM) else b""
    return Edit(path, bom + new.encode(), checksum(old), Action.EDIT, why)


# --- turns that an editor took out by saving an older text ---------------------

FAR = 1_000
"""So many changes back is looked for what an older text lacks."""


def find_lost(
    window: str,
    shelf: RecordFiles,
    ledger: GitLedger,
    index: SqliteIndex,
    writes: Callable[[LogEntry], bool],
) -> list[Turn]:
    """What was written down last, and is not in the text that a person saved since.

    An older text lacks all that our newest changes have added. What a person takes
    out on purpose is part of one, or older than what is there: that stays out.

    Args:
        window: Which conversation.
        shelf: What is read of the workspace.
        ledger: Its history.
        index: Up to date; tells which change was the last to a file.
        writes: Whether a change wrote down what was said, for the first time.
    """
    path = next(reversed(parts(window, shelf)), "")
    saved = index.touched(path)
    if not saved or not _by_hand(ledger.entry(saved)):
        return []
    there = {(turn.number, turn.role) for turn in load_window(window, shelf)}
    recent = islice(ledger.history(saved), FAR)
    touching = (e for e in recent if any(line.path == path for line in e.lines))
    lost: list[Turn] = []
    for entry in takewhile(writes, dropwhile(_by_hand, touching)):
        before = _turns(ledger, ledger.repository.commit(entry.commit).parent, path)
        after = _turns(ledger, entry.commit, path)
        added = after.keys() - before.keys()
        if added & there:
            break
        lost[:0] = [turn for key, turn in after.items() if key in added]
    return lost


def _by_hand(entry: LogEntry) -> bool:
    return (entry.actor, entry.trigger) == (MANUAL, HUMAN_EDIT)


def _turns(ledger: Ledger, commit: str, path: str) -> dict[Key, Turn]:
    data = ledger.read_at(commit, path) if commit else None
    found = parse_turns(decode(data or b"", path)[0], path)
    return {(turn.number, turn.role): turn for turn in found}


# --- from the journal into Markdown and history --------------------------------

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
    plan: TurnsPlan


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
