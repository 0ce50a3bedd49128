"""The journal: turns that were said and are not in history yet.

A window has one file below `.audit/said`. Its first line tells how far the conversation
had come when the file was begun. Every further one holds the turns that were said
together, as JSON with a checksum before it, so a text may hold whatever it likes: none
of it ends a line. Lines only ever come at the end. Settling renames a new file into the
place of the old one, so a lock counts as long as its file's name still leads there.
"""

from __future__ import annotations

import fcntl
import os
import threading
import zlib
from contextlib import contextmanager, suppress
from datetime import datetime  # noqa: TC003 - msgspec reads it
from functools import reduce
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.model.conversation import REFLECTION, WindowState
from reverie.model.items import SCOPE, Role, Turn, in_utc, scope_of
from reverie.workspace import files

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from pathlib import Path

HEAD = 256
"""Bytes of the first line: a file of any other size has more than that."""

MARKS = ".waiting"
"""Where windows with turns that wait are marked, below the folder of the files."""

_WRITE = os.O_RDWR | os.O_CREAT


class WindowNameError(RefusedError):
    """The name of a window cannot be that of a file."""

    says = "{!r} cannot be the name of a window"
    mend = "Take letters, digits and dashes."


# --- numbers ---------------------------------------------------------------------


def number_turns(
    window: str,
    said: Iterable[Turn],
    state: WindowState,
    answered: Collection[int],
) -> tuple[Turn, ...]:
    """Turns with their numbers, equal to what will be read back.

    An answer to a turn that has one already, or that there is not, gets a new number.
    One that does not say whom it is for is for whom the turn before it is.

    Args:
        window: Which conversation.
        said: What was said, in order; each with the number of the turn that it
            answers, or 0 for the one that waits.
        state: How far the conversation has come.
        answered: Numbers that are known to have an answer.
    """
    turns: list[Turn] = []
    taken = set(answered)
    for each in said:
        named, number = each.number, state.number_for(each)
        answers = each.role is Role.ASSISTANT
        if answers:
            known = 0 < number < state.last or (number == state.last and state.open)
            if number in taken or (named and not known):
                number = state.last + 1
            taken.add(number)
        fields = tuple((_sound(key), _sound(value)) for key, value in each.more)
        at = in_utc(each.at).replace(microsecond=0) if each.at else None
        if answers and not (named or scope_of(each) or each.field(REFLECTION)):
            # For nobody else than what it answers, or goes on from.
            fields += ((SCOPE, state.scope),) if state.scope else ()
        text, speaker = _sound(each.text), _sound(each.speaker)
        turn = Turn(window, number, each.role, text, at, speaker, fields)
        turns.append(turn)
        state = state.after(turn)
    return tuple(turns)


def _sound(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


# --- lines -----------------------------------------------------------------------


class _Turn(msgspec.Struct):
    turn: int
    role: Role
    at: datetime | None
    speaker: str
    more: tuple[tuple[str, str], ...]
    text: str


class _Head(msgspec.Struct):
    generation: int
    state: WindowState | None


def render_head(generation: int, state: WindowState | None) -> bytes:
    """The first line of a file.

    Args:
        generation: Tells this file from those that were in its place.
        state: How far the conversation has come; None if only history knows.
    """
    return _line(msgspec.json.encode(_Head(generation, state)).ljust(HEAD - 10))


def render_turns(turns: Sequence[Turn]) -> bytes:
    """A line with turns that were said together."""
    return _line(
        msgspec.json.encode(
            [_Turn(t.number, t.role, t.at, t.speaker, t.more, t.text) for t in turns]
        )
    )


def parse_head(data: bytes) -> tuple[int, WindowState | None]:
    """What the first line of a file says; no state if it cannot be read."""
    head = _told(data[: max(0, data.find(b"\n"))], _Head) or _Head(0, None)
    return head.generation, head.state


def parse_turns(data: bytes, window: str) -> Iterator[tuple[list[Turn], int]]:
    """The turns of each line that is whole, and where the line ends.

    A line that was spoiled is stepped over; what has no end is not a line yet.
    """
    start = 0
    while (end := data.find(b"\n", start) + 1) > 0:
        told = _told(data[start : end - 1], list[_Turn])
        if told is not None:
            said = ((t.turn, t.role, t.text, t.at, t.speaker, t.more) for t in told)
            yield [Turn(window, *each) for each in said], end
        start = end


def _line(payload: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(payload), payload)


def _told(line: bytes, kind: Any) -> Any:  # noqa: ANN401 - of that kind
    """What a line says; None if it does not read as it was written."""
    checksum, _, payload = line.partition(b" ")
    if checksum == b"%08x" % zlib.crc32(payload):
        with suppress(msgspec.MsgspecError, RecursionError):
            return msgspec.json.decode(payload, type=kind)
    return None


# --- files -----------------------------------------------------------------------


class JournalFile(Struct):
    """What a locked file holds, kept so that only what was added is read again.

    Attributes:
        descriptor: The open file.
        inode: Device and inode.
        head: How it begins; its generation and checksum are there.
        size: Its length.
        end: Where its last whole line ends.
        generation: How often it was replaced.
        begun: The state that its first line tells; None if that cannot be read.
        state: The state after all its turns.
        turns: All its turns.
        answered: The numbers of those from the assistant.
    """

    descriptor: int
    inode: tuple[int, int]
    head: bytes
    size: int = 0
    end: int = 0
    generation: int = 0
    begun: WindowState | None = None
    state: WindowState | None = None
    turns: list[Turn] = []
    answered: set[int] = set()

    @classmethod
    def read(
        cls, descriptor: int, window: str, known: JournalFile | None
    ) -> JournalFile:
        """Read a file: all of it, or what was added since it was last read.

        A file is only added to; one in its place has another generation.
        """
        status = os.fstat(descriptor)
        inode, head = (status.st_dev, status.st_ino), os.pread(descriptor, HEAD, 0)
        held = cls(descriptor, inode, head)
        if known and (known.inode, known.head) == (inode, head) and known.begun:
            held = known if status.st_size >= known.end else held
        held.descriptor, held.size, start = descriptor, status.st_size, held.end
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(start)
            data = file.read()
        if not start:
            held.generation, held.begun = parse_head(data)
            held.state = held.begun
            held.end = 0 if held.begun is None else data.find(b"\n") + 1
        for found, after in parse_turns(data, window):
            held.take(found, start + after)
        return held

    def take(self, turns: Sequence[Turn], end: int) -> None:
        """Note turns that stand in the file up to `end`."""
        self.end = end
        self.turns += turns
        self.answered.update(t.number for t in turns if t.role is Role.ASSISTANT)
        if self.state is not None:
            self.state = reduce(WindowState.after, turns, self.state)

    def add(self, turns: Sequence[Turn]) -> None:
        """Write turns behind the last whole line, and wait for the disk."""
        line = render_turns(turns)
        if self.size > self.end:
            os.ftruncate(self.descriptor, self.end)
        try:
            os.lseek(self.descriptor, self.end, os.SEEK_SET)
            files.write_all(self.descriptor, line)
            os.fsync(self.descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(self.descriptor, self.end)
            raise
        self.take(turns, self.end + len(line))


MOST_KNOWN = 64
"""Of so many windows it is kept what was read; then the one known longest goes."""


class Journal:
    """Turns that were said and are not in history yet; for any number of threads.

    Args:
        git_dir: The ledger's folder; the journal's is below it, made when needed.
        confine: Raises for who may only read it.
    """

    def __init__(
        self, git_dir: Path, confine: Callable[[], None] = lambda: None
    ) -> None:
        self._confine = confine
        self._folder = git_dir / "said"
        self._marks = self._folder / MARKS
        self._guard = threading.RLock()
        self._known: dict[str, JournalFile] = {}
        self._handed: dict[str, int] = {}
        self._unmarked: set[str] | None = None

    def append(
        self,
        window: str,
        said: Sequence[Turn],
        known: Callable[[], WindowState],
        answered: Callable[[int], bool] = lambda _number: False,
    ) -> tuple[Turn, ...]:
        """Give turns their numbers and keep them; durable when this returns.

        All of them are kept, or none. An answer to a turn that has one already, or
        that there is not, gets a number of its own.

        History is asked only where the journal does not know, and never while a file
        is locked.

        Args:
            window: Which conversation.
            said: What was said, in order; see `number_turns`.
            known: Tells how far history has come.
            answered: Tells whether a turn in history has an answer there.
        """
        self._confine()
        _require_name(window)
        named = {turn.number for turn in said if turn.role is Role.ASSISTANT} - {0}
        state: WindowState | None = None
        taken, asked = set[int](), -1
        while said:
            with self._locked(window, fcntl.LOCK_EX) as held:
                begun, unsure = held.begun or state, set[int]()
                if begun is not None:
                    earlier = {n for n in named if 0 < n <= begun.last}
                    unsure = earlier - held.answered - {begun.waiting}
                    # What was answered in the journal may have gone to history since.
                    if not unsure or asked == held.generation:
                        return self._add(window, held, begun, said, taken)
            if begun is None:
                state = known()
            else:
                taken, asked = set(filter(answered, unsure)), held.generation
        return ()

    def _add(
        self,
        window: str,
        held: JournalFile,
        begun: WindowState,
        said: Sequence[Turn],
        taken: set[int],
    ) -> tuple[Turn, ...]:
        state = held.state or reduce(WindowState.after, held.turns, begun)
        turns = number_turns(window, said, state, held.answered | taken)
        if not held.turns:
            self._mark(window)
        if held.begun is None:
            self._replace(window, held.generation, begun, [*held.turns, *turns])
        else:
            held.add(turns)
        return turns

    def state(self, window: str) -> WindowState | None:
        """How far a conversation has come; None if the journal does not know."""
        with self._reading(window) as held:
            return held.state if held else None

    def waiting(self, window: str) -> tuple[Turn, ...]:
        """The turns that are not settled, in order."""
        with self._reading(window) as held:
            if held is None:
                return ()
            self._handed[window] = held.generation
            return tuple(held.turns)

    def windows(self) -> list[str]:
        """The windows with turns that wait, by name."""
        with self._guard:
            if self._unmarked is None:
                # A power cut may have taken marks, and left what they are for.
                self._unmarked = {n for n in self.known() if self._has_lines(n)}
            shown = self._unmarked.union(self._names(MARKS))
            found = [name for name in sorted(shown) if self._waits(name)]
            self._unmarked.intersection_update(found)
            return found

    def known(self) -> list[str]:
        """Every window that has a file, by name."""
        return sorted(self._names())

    def settle(
        self,
        window: str,
        count: int,
        *,
        last: int = 0,
        written: Sequence[Turn] | None = None,
    ) -> None:
        """Drop turns that are in history now; what came later stays.

        From `waiting` to here the caller keeps others from settling. If one did so
        nevertheless, nothing is dropped: what is in both places is known by its
        number, and what is in neither is lost.

        Args:
            window: Which conversation.
            count: How many of those that wait, the oldest first.
            last: A number that history has given away; new ones are larger.
            written: These turns as history has them. Where some have got another
                number there, what came later follows them.
        """
        self._confine()
        _require_name(window)
        if not os.path.lexists(self._folder / window):
            return
        with self._locked(window, fcntl.LOCK_EX) as held:
            handed = self._handed.get(window, held.generation)
            count = max(0, count) if handed == held.generation else 0
            done, rest, state = held.turns[:count], held.turns[count:], held.begun
            if state is not None:
                found = done if written is None else written[: len(done)]
                state, rest = _settled(state, (done, found), rest, last)
            if done or state != held.begun:
                self._replace(window, held.generation, state, rest)
                self._handed[window] = held.generation + 1

    def rewrite(
        self, window: str, texts: Mapping[tuple[int, Role], str]
    ) -> dict[tuple[int, Role], str]:
        """Give turns that wait other texts; no byte of the old ones stays.

        Args:
            window: Which conversation.
            texts: The new texts by number and role.

        Returns:
            The texts of the turns that do not wait here.
        """
        self._confine()
        with self._locked(window, fcntl.LOCK_EX) as held:
            there = {(turn.number, turn.role) for turn in held.turns}
            if there & set(texts):
                turns = [
                    replace(turn, text=texts.get((turn.number, turn.role), turn.text))
                    for turn in held.turns
                ]
                self._replace(window, held.generation, held.begun, turns)
            return {key: text for key, text in texts.items() if key not in there}

    def drop(self, window: str) -> None:
        """Forget a window by its name; turns of it that wait are kept, and it too."""
        self._confine()
        with self._locked(window, fcntl.LOCK_EX) as held:
            if not held.turns:
                for path in (self._marks / window, self._folder / window):
                    path.unlink(missing_ok=True)
                self._known.pop(window, None)
                files.sync(self._folder)

    def _names(self, below: str = "") -> list[str]:
        """The plain files of the folder, or of one below it, that a window can have."""
        with self._guard, _telling("all windows"):
            _require_no_link(self._folder)
            _require_no_link(self._folder / below)
            with suppress(FileNotFoundError), os.scandir(self._folder / below) as found:
                plain = [e.name for e in found if e.is_file(follow_symlinks=False)]
                return [name for name in plain if _is_name(name)]
            return []

    @contextmanager
    def _reading(self, window: str) -> Iterator[JournalFile | None]:
        """The file of a window while nobody writes to it; None if there is none."""
        _require_name(window)
        if os.path.lexists(self._folder / window):
            with suppress(FileNotFoundError), self._locked(window) as held:
                yield held
                return
        yield None

    @contextmanager
    def _locked(self, window: str, kind: int = fcntl.LOCK_SH) -> Iterator[JournalFile]:
        """The file that a name leads to, locked; made if it is to be written."""
        path, writes = self._folder / window, kind == fcntl.LOCK_EX
        with self._guard, _telling(window):
            _require_no_link(self._folder)
            if writes and not os.path.isdir(self._folder):
                with suppress(FileExistsError):
                    os.mkdir(self._folder, 0o700)
                files.sync(self._folder.parent)
            while True:
                flags = _WRITE if writes else os.O_RDONLY
                with files.open_state(path, flags, files.HUGE) as descriptor:
                    fcntl.flock(descriptor, kind)
                    try:
                        there = os.lstat(path)
                    except FileNotFoundError:
                        continue
                    if os.path.samestat(os.fstat(descriptor), there):
                        known = self._known.pop(window, None)
                        held = JournalFile.read(descriptor, window, known)
                        if len(self._known) >= MOST_KNOWN:
                            del self._known[next(iter(self._known))]
                        self._known[window] = held
                        yield held
                        return

    def _replace(
        self,
        window: str,
        generation: int,
        state: WindowState | None,
        turns: Sequence[Turn],
    ) -> None:
        """Put a new file, with turns that wait, in place of one that is locked."""
        aside = f"{self._folder}/.{window}.new"
        with suppress(FileNotFoundError):
            os.unlink(aside)
        try:
            with files.open_state(aside, _WRITE | os.O_EXCL, files.SMALL) as descriptor:
                # Before it has its name, so that nobody is quicker.
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                head = render_head(generation + 1, state)
                files.write_all(
                    descriptor, head + b"".join(render_turns([t]) for t in turns)
                )
                os.fsync(descriptor)
                os.rename(aside, self._folder / window)
                files.sync(self._folder)
                if not turns:
                    with suppress(FileNotFoundError):
                        os.unlink(self._marks / window)
        except BaseException:
            with suppress(OSError):
                os.unlink(aside)
            raise

    def _mark(self, window: str) -> None:
        """Show that a window has turns that wait, before the first of them is there."""
        _require_no_link(self._marks)
        with suppress(FileExistsError):
            os.mkdir(self._marks, 0o700)
        with files.open_state(self._marks / window, _WRITE, files.SMALL):
            pass

    def _waits(self, window: str) -> bool:
        try:
            with self._reading(window) as held:
                return held is not None and bool(held.turns)
        except files.NotAPlainFileError:
            return False  # none of ours

    def _has_lines(self, window: str) -> bool:
        try:
            return os.lstat(self._folder / window).st_size != HEAD
        except OSError:
            return True  # who reads it will be told


def _settled(
    begun: WindowState,
    written: tuple[Sequence[Turn], Sequence[Turn]],
    rest: list[Turn],
    last: int,
) -> tuple[WindowState, list[Turn]]:
    """The state once turns are in history, and what was said later.

    Args:
        begun: The state before them.
        written: The turns as they were said, and as history has them.
        rest: What was said later, on what they were said to be.
        last: A number that history has given away.
    """
    before, state = (reduce(WindowState.after, turns, begun) for turns in written)
    pairs = ((old.number, new.number) for old, new in zip(*written, strict=True))
    moved = {old: new for old, new in pairs if old != new}
    if state.last < last or (moved and last):
        state = replace(state, last=last, open=state.open and state.last == last)
    if moved:
        further = state.last - before.last
        later = {t.number: t.number + further for t in rest if t.number > before.last}
        numbers = later | moved
        rest = [replace(t, number=numbers.get(t.number, t.number)) for t in rest]
    return state, rest


def _is_name(window: str) -> bool:
    return window.isprintable() and window[:1] not in {"", "."} and "/" not in window


def _require_name(window: str) -> None:
    """Refuse a name that would lead elsewhere, or to a file of our own."""
    if not _is_name(window):
        raise WindowNameError(window)


def _require_no_link(folder: Path) -> None:
    """Refuse a link that stands for a folder of ours."""
    if os.path.islink(folder):
        raise files.NotAPlainFileError(str(folder), "a link")


@contextmanager
def _telling(window: str) -> Iterator[None]:
    """Tell in our words what the operating system refuses."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise files.refusal(f"the journal of {window}", error) from error
