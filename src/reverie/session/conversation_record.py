"""The record of conversations: read, planned, and written down from the journal.

What plans reads, and returns the edits that would do it. A window goes on in parts,
of which only those that matter are read.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import dropwhile, groupby, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.dates import at_home
from reverie.errors import FormatError, RefusedError, ReverieError
from reverie.ledger.erasure import ERASED
from reverie.markdown import one_line, tidy
from reverie.model.change import (
    HUMAN_EDIT,
    MAIN,
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    edit_of,
)
from reverie.model.conversation import EDITED, REFLECTION, WindowState
from reverie.model.ids import slug
from reverie.model.items import Role, is_for, scope_of
from reverie.printable import mended
from reverie.session.summary_episodes import plan_episode
from reverie.stores import turns as store
from reverie.stores.reader import decode, faithful_text
from reverie.workspace import layout
from reverie.workspace.files import DiskError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from reverie.config import ConversationConfig
    from reverie.model.change import Edit, LogEntry
    from reverie.model.items import Turn
    from reverie.session.session import Session
    from reverie.stores.turns import Key


class NoNumberLeftError(RefusedError):
    """Somebody gave a turn so large a number that none comes after it."""

    says = "there is no number left for a turn behind those in {}"
    mend = "Give the turn with the largest number a smaller one, by hand."


class TurnsPlan(NamedTuple):
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


class WindowRecord:
    """The files of one conversation: what they say, and edits that would change them.

    Args:
        window: Which conversation.
        read: A file as it stands; None where there is none.
        exists: Whether there is one; asked more often than it is read.
        place: Where a file of a store stands, or would be put.
    """

    def __init__(
        self,
        window: str,
        read: Callable[[str], bytes | None],
        exists: Callable[[str], bool],
        place: Callable[[str, str], str],
    ) -> None:
        self.window, self._read = window, read
        self._exists, self._place = exists, place
        self._paths: dict[int, str] = {}
        self.last = store.last_part(lambda part: exists(self.path(part)))

    # --- reading -------------------------------------------------------------

    def path(self, part: int) -> str:
        """Where a part stands, or would be put."""
        if part not in self._paths:
            name = store.part_name(self.window, part)
            self._paths[part] = self._place(layout.CONVERSATIONS, name)
        return self._paths[part]

    def parts(self) -> list[str]:
        """The paths of its parts, in order."""
        return list(filter(self._exists, map(self.path, range(1, self.last + 1))))

    def turns(self, part: int) -> tuple[Turn, ...]:
        """What one part says."""
        return _turns(*self.opened(part))

    def opened(self, part: int) -> tuple[str, bytes | None]:
        """The path of a part, and its bytes where it exists."""
        return self.path(part), self._read(self.path(part))

    def tail(self, least: int = 0) -> tuple[Turn, ...]:
        """The last turns, those deleted too: whole parts of it.

        Args:
            least: So many that are not deleted, if there are as many; 0 for all.
        """
        told: list[Turn] = []
        count = 0
        for part in range(self.last, 0, -1):
            turns = self.turns(part)
            told[:0] = turns
            count += sum(not store.is_deleted(turn) for turn in turns)
            if 0 < least <= count:
                break
        return _once(told)

    def numbered(self, number: int) -> tuple[Turn, ...]:
        """What was said under a number, also if it was deleted."""
        told = (turn for part in self.holding(number) for turn in _turns(*part))
        return _once(turn for turn in told if turn.number == number)

    def holding(self, number: int) -> Iterator[tuple[str, bytes]]:
        """The parts that may have turns of a number.

        All are looked at: an answer may come late, and people write where they like.
        """
        mark = re.compile(rb"turn:%d(?![0-9])" % number)
        for path in self.parts():
            data = self._read(path)
            if data and mark.search(data):
                yield path, data

    def is_answered(self, number: int) -> bool:
        """Whether there is an answer to a turn, wherever that stands."""
        found = (turn for part in self.holding(number) for turn in _turns(*part))
        return (number, Role.ASSISTANT) in map(store.key, found)

    # --- planning ------------------------------------------------------------

    def plan_turns(self, turns: Sequence[Turn]) -> TurnsPlan:
        """Plan to write turns down below the others, in the order they were said.

        What is there already stays as it is and is not written twice. If somebody else
        took a number meanwhile, that turn and all behind it get later ones.
        """
        said = [_storable(turn) for turn in turns]
        numbers = _Numbers(self, said)
        placed = tuple(map(numbers.place, said))

        def why(count: int) -> str:
            return f"{count} {'turn' if count == 1 else 'turns'} of {self.window}"

        start, newest = store.new_window(self.window), max(1, self.last)
        edits = store.plan_parts(numbers.fresh, newest, self.opened, start, why)
        return TurnsPlan(tuple(edits), placed, numbers.last)

    def plan_delete(
        self, number: int, *, role: Role | None = None, day: str
    ) -> tuple[Edit, ...]:
        """Plan to mark a turn as deleted since a day; no edit if it is already.

        Both sides of it, unless one is named.
        """

        def mark(text: str, path: str, keys: set[Key]) -> str:
            return store.mark_deleted(text, path, keys, day)

        side = f" ({role})" if role else ""
        why = f"deleted turn {number}{side} of {self.window}"
        return self._plan(number, role, mark, why)

    def plan_edit(
        self, number: int, role: Role, text: str, *, day: str
    ) -> tuple[Edit, ...]:
        """Plan to let a turn say something else from a day on; no edit if it does."""

        def change(old: str, path: str, _keys: set[Key]) -> str:
            return store.edit_turn(old, path, number, role, mended(text), day)

        why = f"edited turn {number} ({role}) of {self.window}"
        return self._plan(number, role, change, why)

    def _plan(
        self,
        number: int,
        role: Role | None,
        change: Callable[[str, str, set[Key]], str],
        why: str,
    ) -> tuple[Edit, ...]:
        """Change the files in which a turn stands."""
        edits, there = [], False
        for path, data in self.holding(number):
            text = faithful_text(data, path)
            keys = set(map(store.key, store.parse_turns(text, path)))
            keys = {key for key in keys if key[0] == number and role in {None, key[1]}}
            there = there or bool(keys)
            new = change(text, path, keys) if keys else text
            if new != text:
                edits.append(edit_of(path, data, new, Action.EDIT, why))
        if not there:
            raise store.MissingTurnError(number, role, self.path(1))
        return tuple(edits)


def record_of(session: Session, window: str) -> WindowRecord:
    """The record of a conversation in an open workspace."""
    signature, read = session.folder.signature, session.ledger.read
    return WindowRecord(window, read, lambda path: bool(signature(path)), session.place)


def _turns(path: str, data: bytes | None) -> tuple[Turn, ...]:
    return store.parse_turns(decode(data, path)[0], path) if data else ()


def _once(told: Iterable[Turn]) -> tuple[Turn, ...]:
    """Of turns with one number and role, the first."""
    found: dict[Key, Turn] = {}
    for turn in told:
        found.setdefault(store.key(turn), turn)
    return tuple(found.values())


def _storable(turn: Turn) -> Turn:
    """A turn as it will be read back, whatever is in it."""
    more = tuple((key, mended(one_line(value))) for key, value in turn.more)
    text, speaker = tidy(mended(turn.text)), mended(turn.speaker)
    return replace(turn, text=text, speaker=speaker, more=more)


class _Numbers:
    """Which numbers of a window are taken, and which ones some turns get."""

    def __init__(self, read: WindowRecord, said: Sequence[Turn]) -> None:
        self.fresh: list[Turn] = []
        self._record = read
        self._own: set[Key] = set()
        self._moved, self._by = store.LARGEST + 1, 0
        self._taken: dict[Key, Turn] = {}
        words = {(turn.role, turn.text) for turn in said}
        for part in range(read.last, 0, -1):
            found = read.turns(part)
            self._take(found)
            if not found or (found[0].role, found[0].text) in words:
                # These may have been written already, from an earlier part on.
                continue
            if any(t.role is not Role.ASSISTANT for t in found):
                # Answers may come late; all others have the next number.
                break
        self._numbers = {number for number, _ in self._taken}
        self.last = max(self._numbers, default=0)

    def _take(self, turns: Iterable[Turn]) -> None:
        self._taken |= {store.key(turn): turn for turn in turns}

    def place(self, turn: Turn) -> Turn:
        """A turn with the number that it has or gets."""
        second = turn.at.replace(microsecond=0) if turn.at else None
        number = turn.number + (self._by if turn.number >= self._moved else 0)
        there = self._look(number, turn.role)
        known = (
            there is not None
            and (number, turn.role) not in self._own
            and (
                there.text == turn.text
                or (bool(there.field(EDITED)) and there.at == second)
            )
        )
        if not known and (there is not None or not self._free(number, turn.role)):
            # Written before under another number, or one that somebody took.
            number = self._written_as(turn, second) or self.last + 1
            if number > store.LARGEST:
                raise NoNumberLeftError(self._record.path(max(1, self._record.last)))
            self._by = number - turn.number
            self._moved = min(self._moved, turn.number)
            known = (number, turn.role) in self._taken
        placed, self.last = replace(turn, number=number), max(self.last, number)
        self._own.add((number, turn.role))
        self._numbers.add(number)
        if not known:
            self._taken[number, turn.role] = placed
            self.fresh.append(placed)
        return placed

    def _free(self, number: int, role: Role) -> bool:
        """Whether a number can be read back, and no prompt joins a stranger's pair."""
        if number > min(store.LARGEST, self.last + store.LEAP):
            return False
        taken = ((number, other) in self._taken.keys() - self._own for other in Role)
        return role is not Role.SYSTEM or not any(taken)

    def _written_as(self, turn: Turn, second: datetime | None) -> int:
        """The other number under which a turn was written before; 0 if it was not."""
        said = turn.role, turn.text, second
        later = (t for key, t in self._taken.items() if key not in self._own)
        found = (
            t.number
            for t in later
            if t.number > turn.number and (t.role, t.text, t.at) == said
        )
        return min(found, default=0) if second else 0

    def _look(self, number: int, role: Role) -> Turn | None:
        """What has a number, wherever that stands."""
        if number < self.last and number not in self._numbers:
            self._numbers.add(number)
            for part in self._record.holding(number):
                self._take(t for t in _turns(*part) if t.number == number)
        return self._taken.get((number, role))


# --- what was said, written down or not ----------------------------------------


def state_of(turns: Iterable[Turn]) -> WindowState:
    """How far a conversation has come with some turns."""
    return reduce(WindowState.after, turns, WindowState())


def due_at(state: WindowState, config: ConversationConfig) -> datetime | None:
    """When a context reflection is due if nobody speaks; None for too little said."""
    if not config.reflections or state.heard is None or state.since < config.messages:
        return None
    try:
        return state.heard + timedelta(minutes=config.idle_minutes)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def due(state: WindowState, now: datetime, config: ConversationConfig) -> bool:
    """Whether a context reflection is due: idle for long enough *and* enough said."""
    at = due_at(state, config)
    if at is None or state.heard is None:
        return False
    # What was heard far in a time to come was heard by a wrong clock: nobody knows
    # when, and nobody shall wait for that time.
    return now >= at or state.heard - now > at - state.heard


def window_named(session: Session, name: str) -> str:
    """The window that its host calls so: two names are two windows.

    What is no file name becomes one with a mark of its own, unless there is a file
    that was begun when it did not.
    """
    called, plain = name.strip(), slug(name)
    if called == plain:
        return plain
    mark = hashlib.sha256(called.encode("utf-8", "replace")).hexdigest()[:8]
    own = slug(f"{plain} {mark}")
    if session.journal.state(own) is None and not record_of(session, own).last:
        data = record_of(session, plain).opened(1)[1]
        if data and store.is_shared(data.decode("utf-8-sig", "replace")):
            return plain
    return own


def turns_of(
    session: Session,
    window: str,
    last: int = 0,
    number: int = 0,
    *,
    deleted: bool = False,
    person: str = "",
) -> list[Turn]:
    """What was said in a window, in order, on the clocks of the workspace's zone.

    Args:
        session: The workspace's parts.
        window: Which conversation.
        last: Only so many of the newest; 0 for all.
        number: Only what was said under this number; 0 for all.
        deleted: Whether to give those that were deleted, too.
        person: Who looks; nothing that is for another alone is given.
    """
    waiting, record = session.journal.waiting(window), record_of(session, window)
    if number:
        waiting = tuple(turn for turn in waiting if turn.number == number)
        written = record.numbered(number)
    else:
        written = record.tail(0 if person else last)
    found = [
        turn
        for turn in (*written, *_fresh(written, waiting))
        if (deleted or not store.is_deleted(turn)) and is_for(scope_of(turn), person)
    ]
    found, zone = found[-last:] if last else found, session.zone
    return [replace(t, at=at_home(t.at, zone)) if t.at else t for t in found]


def _fresh(written: Sequence[Turn], waiting: Sequence[Turn]) -> list[Turn]:
    """What waits and is not written down by somebody else this very moment."""
    there = set(map(store.key, written))
    return [turn for turn in waiting if store.key(turn) not in there]


def conversations(
    session: Session, person: str = "", only: Collection[str] | None = None
) -> dict[str, tuple[str, list[Turn]]]:
    """Title and turns of windows, deleted ones too, as far as for a person.

    Args:
        session: The workspace's parts.
        person: Who looks; nothing that is for another alone is given.
        only: Which windows; None for every one.
    """
    found: dict[str, list[Turn]] = defaultdict(list)
    titles: dict[str, str] = defaultdict(str)
    if only is None:
        all_paths: Iterable[str] = session.index.signatures()
    else:
        all_paths = (each for name in only for each in record_of(session, name).parts())
    paths = ((store.window_of(path), len(path), path) for path in all_paths)
    for name, _, path in sorted(paths):
        if path.startswith(f"{layout.CONVERSATIONS}/") and path.endswith(".md"):
            text = (session.ledger.read(path) or b"").decode("utf-8-sig", "replace")
            found[name] += store.parse_turns(text, path)
            titles[name] = titles[name] or store.title_of(text)
    for name in session.journal.known():
        if only is None or name in only:
            found[name] += _fresh(found[name], session.journal.waiting(name))
    return {
        name: (titles[name], [t for t in turns if is_for(scope_of(t), person)])
        for name, turns in found.items()
    }


def newest_windows(session: Session) -> list[str]:
    """Every window by name, that in which something was said last first.

    No conversation is read for it.
    """
    said: dict[str, float] = {}
    for path, at in session.index.latest(layout.CONVERSATIONS).items():
        name = store.window_of(path)
        said[name] = max(said.get(name, 0), at or 0)
    for name in session.journal.windows():
        waiting = (t.at.timestamp() for t in session.journal.waiting(name) if t.at)
        said[name] = max([said.get(name, 0), *waiting])
    return sorted(said, key=lambda name: (-said[name], name))


def talked_in(session: Session) -> list[str]:
    """The windows in which somebody talked here, by name; not those only imported."""
    written = session.index.own_files(layout.CONVERSATIONS)
    return sorted({*session.journal.known(), *map(store.window_of, written)})


# --- from the journal into Markdown and history --------------------------------

TRIGGER = "conversation"
REFLECTED = "context reflection"
PUT_BACK = "conversation, put back"
PURPOSE = "writing down what was said"

MOST = 100
"""So many commits at once; what is left is written down the next time."""

FAR = 1_000
"""So many changes back is looked for what an older text lacks."""


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


def transcribe(session: Session, *, wait: bool) -> None:
    """Commit every turn that waits in the journal.

    A crash after the commit leaves them in the journal too; planned again, they are
    known by their numbers and left out.

    Args:
        session: The workspace's parts.
        wait: Whether to wait for another writer.
    """
    with session.ledger.exclusively(PURPOSE, None if wait else 0.0):
        for _ in range(MOST):
            if not session.persist(PURPOSE, lambda: _transcribe(session)):
                break


def _transcribe(session: Session) -> bool:
    """Write down what comes next; whether there was anything."""
    session.sync()
    for window in session.journal.windows():
        with suppress(DiskError, FormatError):  # told where more is to be written
            _put_back(session, window)
    trigger, plans = _next(session)
    while session.make_room(edit for _, plan in plans for edit in plan.edits):
        trigger, plans = _next(session)
    if edits := tuple(edit for _, plan in plans for edit in plan.edits):
        session.commit(ChangeSet(edits, MAIN, Approval.AUTO, trigger))
    for window, (_, turns, last) in plans:
        session.journal.settle(window, len(turns), last=last, written=turns)
    return bool(plans)


def _next(session: Session) -> tuple[str, list[tuple[str, TurnsPlan]]]:
    """What was said everywhere; where nothing was, the next context reflection.

    Each of those has a commit of its own.
    """
    said: list[tuple[str, TurnsPlan]] = []
    summed_up: list[tuple[str, TurnsPlan]] = []
    for window in session.journal.windows():
        try:
            waiting = groupby(session.journal.waiting(window), _reflection)
            number, turns = next(waiting, (0, iter(())))
            plan = record_of(session, window).plan_turns(tuple(turns))
        except ReverieError as error:
            session.note(f"{error}; what was said in {window} is kept until then")
            continue
        if plan.turns:
            (summed_up if number else said).append((window, plan))
    if said:
        return TRIGGER, said
    return REFLECTED, [_with_episode(session, *each) for each in summed_up[:1]]


def _with_episode(
    session: Session, window: str, plan: TurnsPlan
) -> tuple[str, TurnsPlan]:
    """Plan the episode of a summary in the same commit, unless that was made before."""
    if not plan.edits:
        return window, plan
    number = min(turn.number for turn in plan.turns)
    earlier = record_of(session, window).tail()
    ends = (t.number for t in earlier if t.field(REFLECTION) and t.number < number)
    episode = plan_episode(session, plan.turns, max(ends, default=0) + 1)
    return window, plan._replace(edits=(*plan.edits, *episode))


def _reflection(turn: Turn) -> int:
    return turn.number if turn.field(REFLECTION) else 0


def _put_back(session: Session, window: str) -> None:
    """Write down again, once, what an editor took away by saving an older text.

    That lacks all that our newest changes have added. What a person takes out on
    purpose is part of one, or older than what is there: that stays out.
    """
    ledger, newest = session.ledger, record_of(session, window).parts()[-1:]
    ledger.absorb(newest)
    session.sync()
    saved = session.index.touched(newest[0]) if newest else ""
    if not saved or not _by_hand(ledger.entry(saved)):
        return
    (path,) = newest
    there = set(map(store.key, record_of(session, window).tail()))
    recent = islice(ledger.history(saved), FAR)
    touching = (e for e in recent if any(line.path == path for line in e.lines))
    lost: list[Turn] = []
    for entry in takewhile(_said, dropwhile(_by_hand, touching)):
        before, after = (
            {store.key(t): t for t in _turns(path, ledger.content(id_))}
            for id_ in ledger.changed(entry.commit).get(path, ("", ""))
        )
        added = after.keys() - before.keys()
        if added & there:
            break
        lost[:0] = [turn for key, turn in after.items() if key in added]
    if lost:
        edits = record_of(session, window).plan_turns(lost).edits
        session.commit(ChangeSet(edits, MAIN, Approval.AUTO, PUT_BACK))
        numbers = ", ".join(sorted({str(turn.number) for turn in lost}))
        told = f"a text that was saved lacked what had just been said in {window}"
        session.note(f"{told}, and it is put back: turn {numbers}")


def _by_hand(entry: LogEntry) -> bool:
    return (entry.actor, entry.trigger) == (MANUAL, HUMAN_EDIT)


def _said(entry: LogEntry) -> bool:
    return is_record(entry) and entry.trigger == TRIGGER
