"""What is known near where proposals would go, asked once while none of it changes."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.index import IndexUnavailableError
from reverie.index.words import terms
from reverie.memory.conflicts import nearby
from reverie.model.ids import Store
from reverie.model.place import Episodic, store_of
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.index import Index
    from reverie.memory.house import House
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal

MOST_KEPT = 4_000
"""So many answers are kept; more proposals never wait."""

MOST_EPISODES = 20
"""So many episodes a proposal is compared with: those that share its rarest words."""

_MOST_TERMS, _NEWEST = 12, 200
"""So many words of a text are looked up, and of each so many of the newest places."""

_MOST_READ = 2_000
"""So many characters of a text decide what is looked up."""

Key = tuple[str, Store, tuple[str, ...], str]
Told = tuple[tuple[str, str], ...]


class Surroundings:
    """Tells what is known near a proposal's place: ids, and what they say.

    Finding out where a text belongs takes long, and hundreds may wait whenever an
    agent wakes. The answer holds until core memory, an entity or an episode changes.

    Args:
        house: The workspace's parts.
        place_of: Where a proposal is to go.
    """

    def __init__(self, house: House, place_of: Callable[[Proposal], Place]) -> None:
        self._house = house
        self._place_of = place_of
        self._head = ""
        self._places: dict[Key, Place] = {}
        self._told: dict[Key, Told] = {}
        self._heard: dict[Key, Told] = {}
        self._episodes: Episodes | None = None

    def __call__(self, proposal: Proposal) -> Told:
        """What is known near where a proposal would go, and where else."""
        key = _key(proposal)
        if key not in self._told:
            found = nearby(self.place(proposal), self._house)
            self._told[key] = tuple((id_, said) for id_, _, said in found)
        if key not in self._heard:
            self._heard[key] = self._remembered(proposal)
        return self._told[key] + self._heard[key]

    def place(self, proposal: Proposal) -> Place:
        """Where a proposal would go; of what is not for the graph, any other place."""
        if proposal.store is not Store.SEMANTIC:
            # Only an entity has a page of its own to look at.
            return Episodic()
        key = _key(proposal)
        if key not in self._places:
            if len(self._places) >= MOST_KEPT:
                self._forget_pages()
            self._places[key] = self._place_of(proposal)
        return self._places[key]

    def lands(self, proposal: Proposal) -> Store:
        """The store that a proposal would really go to."""
        if proposal.scope:
            return Store.EPISODIC
        if proposal.store is not Store.SEMANTIC:
            return proposal.store
        return store_of(self.place(proposal))

    def _remembered(self, proposal: Proposal) -> Told:
        if self._episodes is None:
            self._episodes = Episodes(self._house.index)
        with suppress(IndexUnavailableError):
            return self._episodes.near(proposal.content, proposal.scope)
        return ()

    def refresh(self) -> None:
        """Let go of what may be otherwise by now; called before asking."""
        head = self._house.ledger.head
        if head == self._head:
            return
        changed = self._changed(head) if self._head else [layout.CORE, layout.EPISODES]
        if any(map(_tells, changed)):
            self._forget_pages()
        if any(map(_happened, changed)):
            self._heard.clear()
        self._episodes = None
        self._head = head

    def _forget_pages(self) -> None:
        self._places.clear()
        self._told.clear()
        self._heard.clear()

    def _changed(self, head: str) -> list[str]:
        return list(self._house.ledger.repository.diff(self._head, head))


def _key(proposal: Proposal) -> Key:
    return proposal.content, proposal.store, proposal.entities, proposal.scope


def _tells(path: str) -> bool:
    return path == layout.CORE or path.startswith(f"{layout.ENTITIES}/")


def _happened(path: str) -> bool:
    # What is forgotten on request stays in its file, and is marked in the scores.
    return path.startswith(layout.EPISODES) or path == layout.SCORES


class Episodes:
    """Finds episodes that share telling words with a text.

    Words are looked up, and no more than a few places of each, so that it costs the
    same among very many; of two texts with a word in common it is looked up once.

    Args:
        index: Where words stand.
    """

    def __init__(self, index: Index) -> None:
        from reverie.index.view import STORES  # noqa: PLC0415 - needs numpy

        self._index = index
        self._episodic = STORES.index(Store.EPISODIC)
        self._places: dict[str, tuple[int, ...]] = {}
        self._said: dict[int, tuple[str, str]] = {}

    def near(self, text: str, scope: str = "") -> Told:
        """Ids and texts of the episodes that are most likely about the same.

        Args:
            text: What is compared with them.
            scope: The person it is for alone; what is for another is not told.
        """
        weights: dict[int, float] = defaultdict(float)
        view = self._index.view()
        allowed = {0, view.scopes.get(scope, 0)}
        looked = dict.fromkeys(terms(text[:_MOST_READ]))
        rare = sorted(filter(self._where, looked), key=lambda t: len(self._where(t)))
        for term in rare[:_MOST_TERMS]:
            places = self._where(term)
            for item in places:
                weights[item] += 1 / len(places)
        best = sorted(weights, key=lambda item: (-weights[item], -item))
        meant = [item for item in best if int(view.scope[item]) in allowed]
        return self._texts([int(view.number[i]) for i in meant[:MOST_EPISODES]])

    def _where(self, term: str) -> tuple[int, ...]:
        """The newest episodes that have a word, as items of the view."""
        if term not in self._places:
            view = self._index.view()
            items = view.owner[view.standing(term).at]
            items = items[view.store[items] == self._episodic]
            self._places[term] = tuple(dict.fromkeys(items[-_NEWEST:].tolist()))
        return self._places[term]

    def _texts(self, numbers: list[int]) -> Told:
        """What some episodes say, but for those that were forgotten."""
        fresh = [number for number in numbers if number not in self._said]
        if fresh:
            traces = self._index.lookup.candidates(fresh)
            for number, row in self._index.lookup.rows(fresh).items():
                _, trace = traces.get(number, ("", None))
                gone = trace is not None and trace.archived
                self._said[number] = (row.id, "" if gone else row.text)
        return tuple(self._said[n] for n in numbers if self._said.get(n, ("", ""))[1])
