"""The session of a window: what its agent was told in it, and has in its sight.

Core memory is told once, and stays the same bytes while the session lasts. None of what
is kept of it is a memory: without it a session begins anew.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.authority.keyring import KeyringError
from reverie.conversation.used import Given  # noqa: TC001 - kept values are read by their types
from reverie.errors import UnavailableError
from reverie.model.ids import Kind
from reverie.model.items import scope_name
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from reverie.session.session import Session

MOST_BROUGHT = 500
"""So many ids of what was brought back are remembered."""

MOST_KEPT = 500
"""So many numbers of turns that stay in sight behind gaps are remembered."""

_CLAIM = 3
"""A summary may take so many times as long as one answer of the model."""


class Log(Struct, frozen=True):
    """What the log of a session tells of; never its words.

    Attributes:
        ids: Of what it told so far, in its order.
        newest: The number of the newest memory when it began; 0 before.
        person: Whom it is told to.
        budget: Tokens that it had the last time.
        left_out: Of its ids, those that had no room then.
        to_come: Of its ids, facts that did not hold yet, and were told as such.
    """

    ids: tuple[str, ...] = ()
    newest: int = 0
    person: str = ""
    budget: int = 0
    left_out: tuple[str, ...] = ()
    to_come: tuple[str, ...] = ()


class Sitting(Struct, frozen=True):
    """The session of one window.

    Attributes:
        began: When it began, in UTC.
        active: When the agent was last told something, in UTC.
        core: Core memory as it was told at the beginning.
        told: Core memory as the agent knows it by now, with the changes told since.
        brought: Ids of what was brought back in it, the newest last.
        first: The number of the first turn that the agent has in its sight; 0 where
            nothing was told yet.
        owed: Whether the user came back before a context reflection was written.
        claimed: Since when one is being written; None if none is.
        kept: Numbers before `first` that stay in its sight as well.
        asked: When one was last started by a call; None if none was.
        given: What it was given for the last message, as far as that fades.
        answers: The number of the last turn by then; what comes next is the reply.
        log: What it was told to be known.
        given_up: The number of the last turn when no usable summary was given; a
            summary is not due before a later one.
        requests: Numbers of the user's turns that ask to remember something, each with
            the newest commit by then.
    """

    began: datetime
    active: datetime
    core: str = ""
    told: str = ""
    brought: tuple[str, ...] = ()
    first: int = 0
    owed: bool = False
    claimed: datetime | None = None
    kept: tuple[int, ...] = ()
    asked: datetime | None = None
    given: tuple[Given, ...] = ()
    answers: int = 0
    log: Log = Log()
    given_up: int = 0
    requests: tuple[tuple[int, str], ...] = ()

    def with_brought(self, ids: Iterable[str]) -> Sitting:
        """The same, with more that was brought back."""
        fresh = [id_ for id_ in ids if id_ not in self.brought]
        return replace(self, brought=(*self.brought, *fresh)[-MOST_BROUGHT:])

    def logged(self, person: str) -> frozenset[str]:
        """Ids of the facts and episodes that a person's agent was told at the start.

        What was told with nobody named, was told to everybody.
        """
        if self.log.person not in {"", scope_name(person)}:
            return frozenset()
        told = frozenset(self.log.ids).difference(self.log.left_out)
        episode = f"{Kind.EPISODE}:"
        return frozenset(id_ for id_ in told if "#" in id_ or id_.startswith(episode))

    def after(self, known: Sitting | None) -> Sitting:
        """The same, with what others have noted meanwhile."""
        if known is None:
            return self
        brought = known.brought if known.began == self.began else self.brought
        noted = replace(
            self, owed=known.owed, claimed=known.claimed, given_up=known.given_up
        )
        more = {"asked": known.asked, "requests": known.requests}
        return replace(noted, brought=brought, **more)

    def unless(self, known: Sitting | None) -> Sitting:
        """The session that goes on; this one, if none has begun."""
        return known if known is not None and known.first else self.after(known)

    def without(self, gone: Collection[int]) -> Sitting:
        """The same, with turns out of the agent's sight that can come back by that."""
        first = max(gone, default=0) + 1
        seen = (*self.kept, *range(max(self.first, first - MOST_KEPT), first))
        kept = tuple(number for number in seen if number not in gone)
        return replace(self, first=max(self.first, first), kept=kept[-MOST_KEPT:])


class Sittings:
    """The sessions of an open workspace's windows.

    Args:
        session: The workspace's parts.
        keeps: Whether they are written down; else this process alone knows of them.
    """

    def __init__(self, session: Session, *, keeps: bool = True) -> None:
        seconds = session.config.ledger.lock_seconds
        self._session = session
        self._drawer = Drawer(session.state_folder, "windows", seconds, session.mark)
        self._unwritten: dict[str, Sitting] = {}
        self._keeps = keeps

    def load(self, window: str) -> Sitting | None:
        """The session of a window; None if there is none that can be read."""
        if window in self._unwritten:
            return self._unwritten[window]
        with suppress(msgspec.MsgspecError):
            try:
                data = self._drawer.read(f"{window}.json")
                return msgspec.json.decode(data or b"", type=Sitting)
            except (AlteredStateError, KeyringError) as error:
                self._session.note(f"{error}; its session begins anew")
        return None

    def change(
        self, window: str, changed: Callable[[Sitting | None], Sitting | None]
    ) -> None:
        """Change what is kept of a window, while nobody else does.

        Where nothing can be written, that is told once, and this process goes on with
        what it would have written: none of it is a memory.

        Args:
            window: Which one.
            changed: What is to be kept, from what is; None for the same.
        """
        if not self._keeps:
            if sitting := changed(self.load(window)):
                self._unwritten[window] = sitting
            return
        try:
            with self._drawer.alone("telling"):
                known = self.load(window)
                sitting = changed(known)
                if sitting is not None and sitting != known:
                    self._drawer.put(f"{window}.json", msgspec.json.encode(sitting))
        except UnavailableError as error:
            if sitting := changed(self.load(window)):
                self._unwritten[window] = sitting
            told = f"{error}; what an agent was told is not kept for the next process"
            self._session.note(told)

    def give_up(self, window: str, number: int) -> None:
        """Note that no summary was written; none is due before a later turn."""
        now = self._session.clock()

        def given_up(known: Sitting | None) -> Sitting:
            return replace(known or Sitting(now, now), given_up=number, owed=False)

        self.change(window, given_up)

    def forget(self) -> None:
        """Let go of all of them; something that was told is to be erased."""
        for name in self._drawer.names(".json"):
            self._drawer.remove(name)

    def claims(self, window: str) -> bool:
        """Whether somebody is writing a context reflection of it this moment.

        Who began one long ago has died; a clock that was set back locks nothing.
        """
        known, now = self.load(window), self._session.clock()
        lasts = timedelta(seconds=_CLAIM * self._session.config.mind.timeout_seconds)
        claimed = known.claimed if known else None
        return claimed is not None and timedelta() <= now - claimed < lasts

    def claim(self, window: str) -> bool:
        """Take a window to write its context reflection, unless somebody has it."""
        now = self._session.clock()
        with self._drawer.alone("summarising"):
            if self.claims(window):
                return False
            sitting = replace(self.load(window) or Sitting(now, now), claimed=now)
            self._drawer.put(f"{window}.json", msgspec.json.encode(sitting))
        return True
