"""What was said and is not in history yet: a file a window, `.audit/said/WINDOW`.

A turn is durable in the time of one synced append. Whoever appends or settles has the
file for itself, whoever reads shares it, so nobody sees a line that may yet be cut off.

What a killed writer left unfinished fails its checksum: no reader sees it, and the
next writer cuts it off. A line that the disk spoiled later, between others, is stepped
over: the turns behind it stay. It goes with the next settling, for nobody can read it.
A spoiled first line costs no more than asking history again.

`.waiting` holds an empty file for each window with turns that wait, so that asking
costs nothing while none do. These marks are not synced: every journal looks through
all the files once, and after that only for marks.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from reverie.ledger.held import WRITE, OpenFiles, require_name, require_no_link
from reverie.ledger.said import HEAD, as_kept, number_turns, render_head, render_turns
from reverie.model.conversation import WindowState
from reverie.model.items import Role
from reverie.workspace.files import NotAPlainFileError
from reverie.workspace.state_files import SMALL, open_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reverie.ledger.held import Held
    from reverie.model.conversation import Utterance
    from reverie.model.items import Turn

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

    def base(self, held: Held) -> WindowState | None:
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
        self, held: Held, state: WindowState | None, turns: Sequence[Turn]
    ) -> None:
        """Begin a file anew, with turns that wait."""
        head = render_head(held.generation + 1, state)
        data = b"".join([head, *(render_turns([turn]) for turn in turns)])

        def unmark() -> None:
            if not turns:
                with suppress(FileNotFoundError):
                    os.unlink(self._marks / held.window)

        self._files.replace(held, data, then=unmark)

    def _mark(self, held: Held) -> None:
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
