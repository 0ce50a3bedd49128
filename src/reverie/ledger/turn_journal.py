"""The files of the journal: opened once, and locked while they are used.

Lines only ever come at the end of a file. Settling renames a new one into its place,
so what is known of an open file holds as long as its name still leads there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.ledger.redo_log import sync_folder
from reverie.ledger.turn_lines import (
    HEAD,
    as_kept,
    number_turns,
    parse_head,
    parse_turns,
    render_head,
    render_turns,
)
from reverie.model.conversation import WindowState
from reverie.model.items import Role
from reverie.workspace.files import (
    HUGE,
    SMALL,
    DiskError,
    NotAPlainFileError,
    open_state,
    write_all,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from reverie.model.conversation import Utterance
    from reverie.model.items import Turn

MOST_OPEN = 64
"""How many files are kept open; then the one not used for longest is closed."""

_PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_READ = os.O_RDONLY | _PLAIN
WRITE = os.O_RDWR | os.O_CREAT | _PLAIN
_NO_FILE = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO}


class WindowNameError(RefusedError):
    """The name of a window cannot be that of a file."""

    def __init__(self, window: str) -> None:
        super().__init__(
            f"{window!r} cannot be the name of a window",
            hint="Take letters, digits and dashes.",
        )


@dataclass(slots=True)
class JournalFile:
    """An open file, and what is known of it.

    Attributes:
        window: Whose it is.
        path: Where it was opened.
        descriptor: The open file; while it is open, no other gets its inode.
        writable: Whether it was opened for writing.
        inode: Device and inode.
        size: How long it was when it was locked.
        read: Where the last whole line ends that was read; 0 before the first.
        generation: How often it was replaced.
        begun: The state that its first line tells; None if that cannot be read.
        state: The state after all its turns.
        turns: How many there are.
        answered: The numbers of those from the assistant.
    """

    window: str
    path: str
    descriptor: int
    writable: bool
    inode: tuple[int, int]
    size: int = 0
    read: int = 0
    generation: int = 0
    begun: WindowState | None = None
    state: WindowState | None = None
    turns: int = 0
    answered: set[int] = field(default_factory=set)

    def read_on(self) -> list[Turn]:
        """Take notice of what was added; returns the turns of it."""
        if self.size == self.read:
            return []
        if self.size < self.read:
            return self.read_again()
        start = self.read
        found: list[Turn] = []
        data = _read_between(self.descriptor, start, self.size)
        if not start:
            self.generation, self.begun = parse_head(data)
            self.state = self.begun
            self.read = 0 if self.begun is None else data.find(b"\n") + 1
        for turns, end in parse_turns(data, self.window):
            found += turns
            if self.state is not None:
                self.state = reduce(WindowState.after, turns, self.state)
            self._count(turns, start + end)
        return found

    def read_again(self) -> list[Turn]:
        """Read all of it; returns its turns."""
        self.read = self.generation = self.turns = 0
        self.begun = self.state = None
        self.answered.clear()
        return self.read_on()

    def add(self, turns: Sequence[Turn], state: WindowState) -> None:
        """Write turns behind the last whole line, and wait for the disk.

        Args:
            turns: The turns.
            state: The state after them.
        """
        line = render_turns(turns)
        if self.size > self.read:
            os.ftruncate(self.descriptor, self.read)
        try:
            os.lseek(self.descriptor, self.read, os.SEEK_SET)
            write_all(self.descriptor, line)
            os.fsync(self.descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(self.descriptor, self.read)
            raise
        self.state = state
        self._count(turns, self.read + len(line))

    def _count(self, turns: Sequence[Turn], end: int) -> None:
        """Take turns as those that are in the file up to `end`."""
        self.read = end
        self.turns += len(turns)
        self.answered.update(t.number for t in turns if t.role is Role.ASSISTANT)


class OpenFiles:
    """The files of one folder, a file a window; one thread uses them at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.guard = threading.RLock()
        self._process = os.getpid()
        self._held: dict[str, JournalFile] = {}

    def path(self, window: str) -> str:
        """Where the file of a window is, or would be."""
        return f"{self.folder}/{window}"

    def names(self, below: str = "") -> list[str]:
        """The plain files of the folder, or of one below it, that a window can have."""
        with self.guard, telling("look into", "all windows"):
            require_no_link(self.folder)
            require_no_link(self.folder / below)
            try:
                with os.scandir(self.folder / below) as found:
                    plain = [e.name for e in found if e.is_file(follow_symlinks=False)]
            except FileNotFoundError:
                return []
            return [name for name in plain if _is_name(name)]

    @contextmanager
    def reading(self, window: str) -> Iterator[JournalFile | None]:
        """The file of a window while nobody writes to it; None if there is none."""
        require_name(window)
        with self.guard, telling("read", window):
            held: JournalFile | None = None
            with suppress(FileNotFoundError):
                held = self._lock(window, fcntl.LOCK_SH)
            if held is None:
                yield None
                return
            with self._locked(held):
                yield held

    @contextmanager
    def writing(self, window: str) -> Iterator[JournalFile]:
        """The file of a window for us alone; made if there is none."""
        require_name(window)
        with self.guard, telling("write", window):
            held = self._lock(window, fcntl.LOCK_EX)
            with self._locked(held):
                yield held

    def replace(self, held: JournalFile, data: bytes, then: Callable[[], None]) -> None:
        """Put a new file in place of one that is locked.

        Args:
            held: The old file.
            data: What the new one holds.
            then: Done before anybody else gets to the new file.
        """
        aside = f"{self.folder}/.{held.window}.new"
        with suppress(FileNotFoundError):
            os.unlink(aside)
        descriptor = os.open(aside, WRITE | os.O_EXCL, 0o600)
        try:
            # Before it has its name, so that nobody is quicker.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            write_all(descriptor, data)
            os.fsync(descriptor)
            os.rename(aside, held.path)
            sync_folder(self.folder)
            then()
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                os.unlink(aside)
            raise
        self._drop(held.window)
        self._keep(held.window, descriptor, writable=True)

    def close(self) -> None:
        """Let go of all of them; the next call opens them again."""
        with self.guard:
            for window in tuple(self._held):
                self._drop(window)

    @contextmanager
    def _locked(self, held: JournalFile) -> Iterator[None]:
        """Take notice of what others wrote, and let go of the lock at the end."""
        try:
            held.read_on()
            yield
        except BaseException:
            # What we know of it may not be so; who comes next reads it again.
            self._drop(held.window)
            raise
        fcntl.flock(self._held[held.window].descriptor, fcntl.LOCK_UN)

    def _lock(self, window: str, kind: int) -> JournalFile:
        """Lock the file that a name leads to at that moment."""
        if self._process != os.getpid():
            self.close()  # a lock is shared with the parent while they are open
            self._process = os.getpid()
        writable = kind == fcntl.LOCK_EX
        while True:
            held = self._held.pop(window, None)
            if held and held.writable < writable:
                os.close(held.descriptor)
                held = None
            if held:
                self._held[window] = held
            else:
                held = self._open(window, writable=writable)
            fcntl.flock(held.descriptor, kind)
            with suppress(FileNotFoundError):
                status = os.lstat(held.path)
                if held.inode == (status.st_dev, status.st_ino):
                    held.size = status.st_size
                    return held
            self._drop(window)

    def _open(self, window: str, *, writable: bool) -> JournalFile:
        require_no_link(self.folder)
        if writable and not os.path.isdir(self.folder):
            with suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
            sync_folder(self.folder.parent)
        flags = WRITE if writable else _READ
        descriptor = open_state(self.path(window), flags, HUGE)
        return self._keep(window, descriptor, writable=writable)

    def _keep(self, window: str, descriptor: int, *, writable: bool) -> JournalFile:
        """Keep a file open; one too many, and the one not used for longest goes."""
        status = os.fstat(descriptor)
        if len(self._held) >= MOST_OPEN:
            self._drop(next(iter(self._held)))
        inode = (status.st_dev, status.st_ino)
        held = JournalFile(window, self.path(window), descriptor, writable, inode)
        self._held[window] = held
        return held

    def _drop(self, window: str) -> None:
        held = self._held.pop(window, None)
        if held:
            os.close(held.descriptor)


def _read_between(descriptor: int, start: int, end: int) -> bytes:
    chunks = []
    while start < end and (chunk := os.pread(descriptor, end - start, start)):
        chunks.append(chunk)
        start += len(chunk)
    return b"".join(chunks)


def _is_name(window: str) -> bool:
    return window.isprintable() and window[:1] not in {"", "."} and "/" not in window


def require_name(window: str) -> None:
    """Refuse a name that would lead elsewhere, or to a file of our own."""
    if not _is_name(window):
        raise WindowNameError(window)


def require_no_link(folder: Path) -> None:
    """Refuse a link that stands for a folder of ours."""
    if os.path.islink(folder):
        raise NotAPlainFileError(str(folder), "a link")


@contextmanager
def telling(what: str, window: str) -> Iterator[None]:
    """Tell in our words what the operating system refuses."""
    try:
        yield
    except OSError as error:
        place = f"the journal of {window}"
        if error.errno in _NO_FILE:
            what = "or is behind, a link, folder or device"
            raise NotAPlainFileError(place, what) from error
        what = f"cannot {what} {place}"
        raise DiskError(what, error) from error


MARKS = ".waiting"
"""Where the marks are, below the folder of the files."""


class _History:
    """What history tells of a window, as far as it had to be asked."""

    def __init__(
        self,
        said: Sequence[Utterance],
        known: Callable[[], WindowState],
        answered: Callable[[int], bool],
    ) -> None:
        self.answered: set[int] = set()
        self._known, self._has_answer = known, answered
        self._named = {u.answers for u in said if u.role is Role.ASSISTANT} - {0}
        self._state: WindowState | None = None
        self._unsure: set[int] = set()
        self._seen = self._asked = -1

    def base(self, held: JournalFile) -> WindowState | None:
        """The state with which a file begins; None if something has to be asked."""
        begun = held.begun or self._state
        self._seen = held.generation
        if begun is None:
            return None
        earlier = {n for n in self._named if 0 < n <= begun.last}
        self._unsure = earlier - held.answered - {begun.waiting}
        # What was answered in the journal may have gone to history meanwhile.
        return None if self._unsure and self._asked != self._seen else begun

    def ask(self) -> None:
        """Ask what the file that was just seen does not tell."""
        if self._unsure:
            self.answered = set(filter(self._has_answer, self._unsure))
            self._asked = self._seen
        else:
            self._state = self._known()


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
        self._files = OpenFiles(git_dir / "said")
        self._marks = git_dir / "said" / MARKS
        self._handed: dict[str, int] = {}
        self._unmarked: set[str] | None = None

    def append(
        self,
        window: str,
        said: Sequence[Utterance],
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
            said: What was said, in order.
            known: Tells how far history has come.
            answered: Tells whether a turn in history has an answer there.
        """
        self._confine()
        require_name(window)
        if not said:
            return ()
        history = _History(said, known, answered)
        while (turns := self._try_append(window, said, history)) is None:
            history.ask()
        return turns

    def state(self, window: str) -> WindowState | None:
        """How far a conversation has come; None if the journal does not know."""
        with self._files.reading(window) as held:
            return held.state if held else None

    def waiting(self, window: str) -> tuple[Turn, ...]:
        """The turns that are not settled, in order."""
        with self._files.reading(window) as held:
            if held is None:
                return ()
            self._handed[window] = held.generation
            return tuple(held.read_again())

    def windows(self) -> list[str]:
        """The windows with turns that wait, by name."""
        with self._files.guard:
            if self._unmarked is None:
                self._unmarked = {n for n in self.known() if self._has_lines(n)}
            shown = self._unmarked.union(self._files.names(MARKS))
            found = [name for name in sorted(shown) if self._waits(name)]
            self._unmarked.intersection_update(found)
            return found

    def known(self) -> list[str]:
        """Every window that has a file, by name."""
        return sorted(self._files.names())

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
        require_name(window)
        if not os.path.lexists(self._files.path(window)):
            return
        with self._files.writing(window) as held:
            turns, generation = held.read_again(), held.generation
            handed = self._handed.get(window, generation)
            count = max(0, count) if handed == generation else 0
            done, rest, state = turns[:count], turns[count:], held.begun
            if state is not None:
                found = done if written is None else written[: len(done)]
                state, rest = _settled(state, (done, found), rest, last)
            if done or state != held.begun:
                self._replace(held, state, rest)
                self._handed[window] = generation + 1

    def close(self) -> None:
        """Let go of open files; the next call opens them again."""
        self._files.close()

    def _try_append(
        self, window: str, said: Sequence[Utterance], history: _History
    ) -> tuple[Turn, ...] | None:
        """Append; None if history has to tell more, and was not asked yet."""
        with self._files.writing(window) as held:
            base = history.base(held)
            if base is None:
                return None
            answered = held.answered | history.answered
            if held.state is not None:
                turns, state = number_turns(window, said, held.state, answered)
                self._mark(held)
                held.add(turns, state)
                return turns
            base, earlier = as_kept(base), held.read_again()
            state = reduce(WindowState.after, earlier, base)
            turns, _ = number_turns(window, said, state, answered)
            self._mark(held)
            self._replace(held, base, [*earlier, *turns])
            return turns

    def _replace(
        self, held: JournalFile, state: WindowState | None, turns: Sequence[Turn]
    ) -> None:
        """Begin a file anew, with turns that wait."""
        head = render_head(held.generation + 1, state)
        data = b"".join([head, *(render_turns([turn]) for turn in turns)])

        def unmark() -> None:
            if not turns:
                with suppress(FileNotFoundError):
                    os.unlink(self._marks / held.window)

        self._files.replace(held, data, then=unmark)

    def _mark(self, held: JournalFile) -> None:
        """Show that a window has turns that wait, before the first of them is there."""
        if held.turns:
            return
        mark = self._marks / held.window
        require_no_link(self._marks)
        try:
            descriptor = open_state(mark, WRITE, SMALL)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(self._marks, 0o700)
            descriptor = open_state(mark, WRITE, SMALL)
        os.close(descriptor)

    def _waits(self, window: str) -> bool:
        try:
            with self._files.reading(window) as held:
                return held is not None and held.turns > 0
        except NotAPlainFileError:
            return False  # none of ours

    def _has_lines(self, window: str) -> bool:
        try:
            return os.lstat(self._files.path(window)).st_size != HEAD
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
        still = state.open and state.last == last
        state = replace(state, last=last, open=still)
    if not moved:
        return state, rest
    further = state.last - before.last

    def number(old: int) -> int:
        return moved.get(old, old + further if old > before.last else old)

    return state, [replace(turn, number=number(turn.number)) for turn in rest]
