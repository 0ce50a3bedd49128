"""What a reply used of the memories that were given for a message.

It goes by words alone: those of a memory that tell something and did not stand in the
message. Whoever repeats them has them from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.index.text import stem_set
from reverie.session.upkeep import fading_id

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from reverie.index import Index
    from reverie.model.views import Hit

FEW, HALF = 2, 0.5
"""A reply has words that together are as telling as one that only so many memories
have, or so much of what a memory says beyond the message."""


class Given(Struct, frozen=True):
    """A memory that an agent was given, and the stems by which it would be told."""

    id: str
    words: tuple[str, ...]


def given_for(
    message: str, hits: Iterable[Hit], told: Collection[str]
) -> tuple[Given, ...]:
    """What fades among some hits that were told for a message."""
    asked = stem_set(message)
    found = (
        Given(fading_id(hit.id), tuple(sorted(stem_set(hit.passage) - asked)))
        for hit in hits
        if hit.status and hit.id in told
    )
    return tuple(each for each in found if each.words)


def used_in(reply: str, given: Iterable[Given], index: Index) -> list[str]:
    """Ids of the memories whose telling words stand in a reply, by BM25's idf."""
    said = stem_set(reply)
    shared = [(each, said.intersection(each.words)) for each in given]
    shared = [(each, words) for each, words in shared if words]
    if not shared:
        return []
    stems = (word for each, _ in shared for word in each.words)
    weights, enough = index.rarity(stems, FEW)
    return [
        each.id
        for each, words in shared
        if sum(weights[word] for word in words)
        >= min(enough, HALF * sum(weights[word] for word in each.words))
    ]
