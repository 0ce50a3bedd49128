"""Where a caller wants something remembered: one value per store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.ids import Store
from reverie.model.items import Block, Confidence, EpisodeKind

if TYPE_CHECKING:
    from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Episodic:
    """In the log of a day.

    Attributes:
        kind: What sort of event it was.
        confidence: How sure we are.
        tags: Topics.
        at: When it happened; None means now.
        scope: The person it is for alone; empty for everybody.
    """

    kind: EpisodeKind = EpisodeKind.EVENT
    confidence: Confidence = Confidence.HIGH
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Semantic:
    """As a fact about an entity.

    Attributes:
        about: The entity's name (`Alex`) or id (`person--alex`); empty where
            `supersedes` is the id of a fact, which says it.
        type: Its type, where the name alone is given.
        since: The day from which the fact holds; None means today.
        supersedes: The fact that no longer holds: its id (`person--alex#3f2a9c`) or
            its words.
        links: Relations that go with it, as `(label, entity id)`.
        alias: Another name that was used for the entity.
        perhaps: Entities that may be the same one; a person has to say.
    """

    about: str = ""
    type: str = "concept"
    since: date | None = None
    supersedes: str = ""
    links: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    perhaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Procedural:
    """As a way of doing something; each line of the text is a step.

    Attributes:
        name: What it is called, such as `how to deploy`.
        trigger: When to do it.
    """

    name: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Vault:
    """Among the protected notes.

    Attributes:
        title: Its heading; empty takes the first words of the text.
    """

    title: str = ""


@dataclass(frozen=True, slots=True)
class Core:
    """In core memory, which is always in the agent's sight.

    Attributes:
        block: Which of the four blocks.
        pinned: Whether no rewrite may take it out.
    """

    block: Block = Block.CONTEXT
    pinned: bool = False


Place = Episodic | Semantic | Procedural | Vault | Core

_STORES = {
    Episodic: Store.EPISODIC,
    Semantic: Store.SEMANTIC,
    Procedural: Store.PROCEDURAL,
    Vault: Store.VAULT,
    Core: Store.CORE,
}


def store_of(place: Place) -> Store:
    """The store that a place is in."""
    return _STORES[type(place)]
