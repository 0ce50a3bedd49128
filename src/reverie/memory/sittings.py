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

from reverie.workspace.drawers import Drawer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.memory.house import House

MOST_BROUGHT = 500
"""So many ids of what was brought back are remembered."""


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
    """

    began: datetime
    active: datetime
    core: str
    told: str
    brought: tuple[str, ...] = ()
    first: int = 0
    owed: bool = False
    claimed: datetime | None = None

    @property
    def begun(self) -> bool:
        """Whether the agent was told anything."""
        return self.first > 0

    def with_brought(self, ids: Iterable[str]) -> Sitting:
        """The same, with more that was brought back."""
        fresh = [id_ for id_ in ids if id_ not in self.brought]
        return replace(self, brought=(*self.brought, *fresh)[-MOST_BROUGHT:])


class Sittings:
    """The sessions of an open workspace's windows."""

    def __init__(self, house: House) -> None:
        seconds = house.config.ledger.lock_seconds
        self._drawer = Drawer(house.folder, "windows", seconds)
        self._known: dict[str, tuple[bytes | None, Sitting | None]] = {}

    def load(self, window: str) -> Sitting | None:
        """The session of a window; None if there is none that can be read."""
        data = self._drawer.read(f"{window}.json")
        known = self._known.get(window)
        if known is None or known[0] != data:
            self._known[window] = known = data, _parse(data)
        return known[1]

    def save(self, window: str, sitting: Sitting) -> None:
        """Keep the session of a window; who claims it meanwhile keeps the claim."""
        with self._drawer.alone("telling"):
            known = self.load(window)
            claimed = known.claimed if known else None
            self._put(window, replace(sitting, claimed=claimed))

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
        with self._drawer.alone("summarising"):
            sitting = self.load(window)
            if sitting is not None:
                self._put(window, replace(sitting, claimed=None))


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
        )
    return None


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
