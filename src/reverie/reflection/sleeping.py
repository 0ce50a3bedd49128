"""Where the cycle of an open workspace is kept between two steps."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError, Latest
from reverie.errors import ConflictError
from reverie.reflection.cycle import Cycle, Idle
from reverie.reflection.keeping import parse_cycle, render_cycle
from reverie.reflection.records.log import highest_number
from reverie.reflection.tracking import Tracked, parse_tracked
from reverie.stores.scores import parse_scores
from reverie.workspace import layout
from reverie.workspace.drawers import AlteredStateError, Drawer

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.reflection.cycle import State
    from reverie.session.session import House

_FILE = "cycle.json"
_SESSION = re.compile(r"r-(\d{1,9})")


class MovedOnError(ConflictError):
    """Somebody else took the next step of the same reflection."""

    def __init__(self) -> None:
        super().__init__(
            "the reflection has moved on meanwhile, by another process",
            hint="`reverie reflect status` tells where it stands now.",
        )


class Sleep:
    """The cycle of one workspace, shared by all its processes."""

    def __init__(self, house: House) -> None:
        self._house = house
        seconds = house.config.ledger.lock_seconds
        latest = Latest(house.keyring, house.folder.root) if house.seal else None
        drawer = (house.folder, "reflection", seconds, house.mark, latest)
        self._drawer = Drawer(*drawer)
        self._scores = "", Tracked()

    def load(self) -> Cycle:
        """Where it stands; a file that nobody can read is told, and nothing lost."""
        data, problem = self._read(_FILE)
        cycle, unreadable = (Cycle(Idle(problem)), "") if problem else parse_cycle(data)
        problem = problem or unreadable
        if problem and problem not in self._house.warnings:
            self._house.warnings.append(problem)
        if data is None or problem:
            # The file is gone; what history knows of is not used again.
            return replace(cycle, last_number=self._highest_in_history())
        return cycle

    def move(self, before: Cycle, state: State) -> Cycle:
        """Take one step, unless somebody else took one meanwhile."""
        return self.put(before, replace(before, state=state))

    def put(self, before: Cycle, after: Cycle) -> Cycle:
        """Replace what is kept, unless it is not what it was any more."""
        with self._drawer.alone("reflecting"):
            if self.load() != before:
                raise MovedOnError
            self._drawer.put(_FILE, render_cycle(after))
        return after

    def kept(self, name: str) -> bytes | None:
        """Something else that waits for a decision."""
        data, problem = self._read(f"{name}.json")
        if problem:
            self._house.note(problem)
        return data

    def _read(self, name: str) -> tuple[bytes | None, str]:
        """What a file says, and why it is not believed, if it is not."""
        try:
            return self._drawer.read(name), ""
        except (AlteredStateError, KeyringError) as error:
            return None, f"{error}. {error.hint}"

    def keep(self, name: str, data: bytes | None) -> None:
        """Keep it, or let it go."""
        with self._drawer.alone("reflecting"):
            if data is None:
                self._drawer.remove(f"{name}.json")
            else:
                self._drawer.put(f"{name}.json", data)

    def forget(self) -> None:
        """Let go of all that a cycle on its way has read and thought."""
        # An earlier version kept what it had seen, in the words of episodes.
        for name in ("image", "reward", "seen", "seen-next"):
            self.keep(name, None)
        if self._read(_FILE) == (None, ""):
            return
        with self._drawer.alone("reflecting"):
            cycle = replace(self.load(), state=Idle("a memory was erased meanwhile"))
            self._drawer.put(_FILE, render_cycle(cycle))

    def next_number(self, cycle: Cycle) -> int:
        """A number that no reflection had before."""
        log = self.text(layout.REFLECTION_LOG)
        return 1 + max(cycle.last_number, highest_number(log))

    def text(self, path: str) -> str:
        """What a file says; nothing if it is not there."""
        data = self._house.ledger.read(path) or b""
        # Bytes that are no UTF-8 come back as they were.
        return data.decode("utf-8", "surrogateescape")

    def tracked(self) -> Tracked:
        """Where reflection stands, as the scores tell it."""
        text = self.text(layout.SCORES)
        if text != self._scores[0]:
            found = parse_tracked(parse_scores(text, layout.SCORES).other)
            self._scores = text, found
        return _until_now(self._scores[1], self._house.clock())

    def _highest_in_history(self) -> int:
        sessions = (entry.signed.session for entry in self._house.ledger.history())
        found = (_SESSION.fullmatch(session) for session in sessions)
        return max((int(match[1]) for match in found if match), default=0)


def _until_now(tracked: Tracked, now: datetime) -> Tracked:
    """What is tracked, without moments that have not come: nothing is read by then."""
    latest = now + timedelta(days=1)
    last, until = tracked.last, tracked.read_until
    return replace(
        tracked,
        last=None if last and last > latest else last,
        read_until=None if until and until > latest else until,
    )
