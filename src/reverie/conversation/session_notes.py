"""What an agent was told in the session of a window, kept between two calls.

Core memory is told once, and stays the same bytes while the session lasts; so what
was told is kept here. None of it is a memory: without it a session begins anew.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError
from reverie.errors import UnavailableError
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from reverie.config import MindConfig
    from reverie.session.session import House

MOST_BROUGHT = 500
"""So many ids of what was brought back are remembered."""

MOST_KEPT = 500
"""So many numbers of turns that stay in sight behind gaps are remembered."""

_CLAIM = 3
"""A summary may take so many times as long as one answer of the model."""


@dataclass(frozen=True, slots=True)
class Sitting:
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
    """

    began: datetime
    active: datetime
    core: str
    told: str
    brought: tuple[str, ...] = ()
    first: int = 0
    owed: bool = False
    claimed: datetime | None = None
    kept: tuple[int, ...] = ()
    asked: datetime | None = None

    @property
    def begun(self) -> bool:
        """Whether the agent was told anything."""
        return self.first > 0

    def with_brought(self, ids: Iterable[str]) -> Sitting:
        """The same, with more that was brought back."""
        fresh = [id_ for id_ in ids if id_ not in self.brought]
        return replace(self, brought=(*self.brought, *fresh)[-MOST_BROUGHT:])

    def after(self, known: Sitting | None) -> Sitting:
        """The same, with what others have noted meanwhile."""
        if known is None:
            return self
        brought = known.brought if known.began == self.began else self.brought
        return replace(
            self,
            brought=brought,
            owed=known.owed,
            claimed=known.claimed,
            asked=known.asked,
        )

    def unless(self, known: Sitting | None) -> Sitting:
        """The session that goes on; this one, if none has begun."""
        return known if known is not None and known.begun else self.after(known)

    def without(self, gone: Collection[int]) -> Sitting:
        """The same, with turns out of the agent's sight that can come back by that."""
        first = max(gone, default=0) + 1
        seen = (*self.kept, *range(max(self.first, first - MOST_KEPT), first))
        kept = tuple(number for number in seen if number not in gone)
        return replace(self, first=max(self.first, first), kept=kept[-MOST_KEPT:])


class Sittings:
    """The sessions of an open workspace's windows."""

    def __init__(self, house: House) -> None:
        seconds = house.config.ledger.lock_seconds
        self._house = house
        self._drawer = Drawer(house.folder, "windows", seconds, house.mark)
        self._known: dict[str, tuple[bytes | None, Sitting | None]] = {}

    def load(self, window: str) -> Sitting | None:
        """The session of a window; None if there is none that can be read."""
        data = self._read(window)
        known = self._known.get(window)
        if known is None or known[0] != data:
            self._known[window] = known = data, _parse(data)
        return known[1]

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
        try:
            with self._drawer.alone("telling"):
                known = self.load(window)
                sitting = changed(known)
                if sitting is not None and sitting != known:
                    self._put(window, sitting)
        except UnavailableError as error:
            self._go_on(window, changed(self.load(window)))
            told = f"{error}; what an agent was told is not kept for the next process"
            self._house.note(told)

    def _go_on(self, window: str, sitting: Sitting | None) -> None:
        if sitting is not None:
            self._known[window] = self._read(window), sitting

    def _read(self, window: str) -> bytes | None:
        """What is kept of a window, as far as it is we who kept it."""
        try:
            return self._drawer.read(f"{window}.json")
        except (AlteredStateError, KeyringError) as error:
            self._house.note(f"{error}; its session begins anew")
            return None

    def _put(self, window: str, sitting: Sitting) -> None:
        self._drawer.put(f"{window}.json", _render(sitting))

    def forget(self) -> None:
        """Let go of all of them; something that was told is to be erased."""
        for name in self._drawer.names(".json"):
            self._drawer.remove(name)

    def claim(self, window: str, now: datetime, lasts: timedelta) -> bool:
        """Take a window to write its context reflection, unless somebody has it.

        Args:
            window: Which one.
            now: The moment.
            lasts: After which a claim is that of somebody who died.
        """
        with self._drawer.alone("summarising"):
            sitting = self.load(window) or Sitting(now, now, "", "")
            if claims(sitting, now, lasts):
                return False
            self._put(window, replace(sitting, claimed=now))
        return True

    def release(self, window: str) -> None:
        """Let go of a window again."""
        self.change(window, lambda known: known and replace(known, claimed=None))


def claim_lasts(config: MindConfig) -> timedelta:
    """How long somebody who writes a context reflection is taken to be alive."""
    return timedelta(seconds=_CLAIM * config.timeout_seconds)


def claims(sitting: Sitting | None, now: datetime, lasts: timedelta) -> bool:
    """Whether somebody is writing a context reflection this moment."""
    if sitting is None or sitting.claimed is None:
        return False
    # A clock that was set back must not lock a window for good.
    return timedelta() <= now - sitting.claimed < lasts


def _render(sitting: Sitting) -> bytes:
    value = {
        "began": sitting.began.isoformat(),
        "active": sitting.active.isoformat(),
        "core": sitting.core,
        "told": sitting.told,
        "brought": list(sitting.brought),
        "first": sitting.first,
        "owed": sitting.owed,
        "claimed": sitting.claimed.isoformat() if sitting.claimed else None,
        "kept": list(sitting.kept),
        "asked": sitting.asked.isoformat() if sitting.asked else None,
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _parse(data: bytes | None) -> Sitting | None:
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        value = json.loads(data or b"")
        return Sitting(
            _moment(value["began"]),
            _moment(value["active"]),
            str(value["core"]),
            str(value["told"]),
            tuple(map(str, value["brought"])),
            int(value["first"]),
            bool(value["owed"]),
            _moment(value["claimed"]) if value["claimed"] else None,
            tuple(map(int, value.get("kept", ()))),
            _moment(value["asked"]) if value.get("asked") else None,
        )
    return None


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
