"""What is known near where proposals would go, asked once while none of it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.memory.conflicts import nearby
from reverie.model.ids import Store
from reverie.model.place import Episodic
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.memory.house import House
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal

MOST_KEPT = 4_000
"""So many answers are kept; more proposals never wait."""

Key = tuple[str, Store, tuple[str, ...]]


class Surroundings:
    """Tells what is known near a proposal's place: ids, and what they say.

    Finding out where a text belongs takes long, and hundreds may wait whenever an
    agent wakes. The answer holds until core memory or an entity changes.

    Args:
        house: The workspace's parts.
        place_of: Where a proposal is to go.
    """

    def __init__(self, house: House, place_of: Callable[[Proposal], Place]) -> None:
        self._house = house
        self._place_of = place_of
        self._head = ""
        self._told: dict[Key, tuple[tuple[str, str], ...]] = {}

    def __call__(self, proposal: Proposal) -> tuple[tuple[str, str], ...]:
        """What is known near where a proposal would go."""
        key = proposal.content, proposal.store, proposal.entities
        if key not in self._told:
            if len(self._told) >= MOST_KEPT:
                self._told.clear()
            found = nearby(self._place(proposal), self._house)
            self._told[key] = tuple((id_, said) for id_, _, said in found)
        return self._told[key]

    def refresh(self) -> None:
        """Let go of what may be otherwise by now; called before asking."""
        head = self._house.ledger.head
        if head == self._head:
            return
        if not self._head or any(map(_tells, self._changed(head))):
            self._told.clear()
        self._head = head

    def _changed(self, head: str) -> list[str]:
        return list(self._house.ledger.repository.diff(self._head, head))

    def _place(self, proposal: Proposal) -> Place:
        if proposal.store is not Store.SEMANTIC:
            # Only an entity has a page of its own to look at.
            return Episodic()
        return self._place_of(proposal)


def _tells(path: str) -> bool:
    return path == layout.CORE or path.startswith(f"{layout.ENTITIES}/")
