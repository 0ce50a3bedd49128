"""How a sentence is labelled: where it belongs and what it names.

A row of the lists beside this one says what a person would want. Conventions where
two people could differ: a named living being is a `person`, an organisation is a
`concept`, `my` things are facts about the owner, an undated state is a fact, a
happening an event, and every end of a relation is an entity.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.encoding.routing import Known
from reverie.model.ids import Store
from reverie.model.items import EpisodeKind

KNOWN = Known(
    names={
        "alex": "person--alex",
        "alex moreau": "person--alex",
        "atlas": "project--atlas",
        "moltbot": "project--moltbot",
        "postgres": "tool--postgres",
        "postgresql": "tool--postgres",
        "harbour café": "place--harbour-cafe",
        "night train": "project--night-train",
    }
)
"""What the workspace of the lists knows already; its owner has no name yet."""

OWNER = "person--user"


@dataclass(frozen=True, slots=True)
class Label:
    """A sentence and what should become of it.

    Attributes:
        text: The sentence.
        store: Where it belongs.
        kind: What sort of episode; empty where that does not matter.
        about: The entity whose page it goes on, or the block of core memory.
        entities: What it names, as `TYPE--SLUG`.
        relations: What it says of them, as `origin relation target`.
        core: Whether core memory should hear of it.
        name: What the procedure is called.
        unsure: Whether an honest reader would not be sure.
    """

    text: str
    store: Store
    kind: str = ""
    about: str = ""
    entities: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    core: bool = False
    name: str = ""
    unsure: bool = False


def fact(
    text: str, about: str, *relations: str, also: str = "", core: bool = False
) -> Label:
    """Knowledge about something."""
    ends = {end for row in relations for end in (row.split()[0], row.split()[2])}
    named = frozenset({about, *also.split(), *ends})
    return Label(
        text,
        Store.SEMANTIC,
        about=about,
        entities=named,
        relations=frozenset(relations),
        core=core,
    )


def likes(text: str, what: str = "", *, core: bool = False) -> Label:
    """Something the owner prefers; `-` in front for what they avoid."""
    if not what:
        return fact(text, OWNER, core=core)
    verb = "avoids" if what.startswith("-") else "prefers"
    return fact(text, OWNER, f"{OWNER} {verb} concept--{what.lstrip('-')}", core=core)


def episode(kind: EpisodeKind, text: str, entities: str = "") -> Label:
    """Something that happened, is to be done, was decided or felt."""
    return Label(text, Store.EPISODIC, kind.value, entities=frozenset(entities.split()))


def event(text: str, entities: str = "") -> Label:
    """Something that happened."""
    return episode(EpisodeKind.EVENT, text, entities)


def task(text: str, entities: str = "") -> Label:
    """Something to be done."""
    return episode(EpisodeKind.TASK, text, entities)


def decision(text: str, entities: str = "") -> Label:
    """Something that was settled."""
    return episode(EpisodeKind.DECISION, text, entities)


def feeling(text: str, entities: str = "") -> Label:
    """How somebody is."""
    return episode(EpisodeKind.EMOTION, text, entities)


def correction(text: str, entities: str = "") -> Label:
    """Something said before is put right."""
    return episode(EpisodeKind.CORRECTION, text, entities)


def howto(text: str, name: str, entities: str = "") -> Label:
    """A way of doing something."""
    named = frozenset(entities.split())
    return Label(text, Store.PROCEDURAL, entities=named, name=name)


def core(text: str, block: str, entities: str = OWNER) -> Label:
    """What must always be in sight."""
    named = frozenset(entities.split())
    return Label(text, Store.CORE, about=block, entities=named, core=True)


def vault(text: str, entities: str = "") -> Label:
    """What its human wants kept for good."""
    return Label(text, Store.VAULT, entities=frozenset(entities.split()))


def unsure(text: str) -> Label:
    """What nobody can file with confidence."""
    return Label(text, Store.EPISODIC, unsure=True)
