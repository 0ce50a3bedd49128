"""Where a memory goes: places, routes, and the triggers in what was said."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec.json
from msgspec import Struct

from reverie.model.ids import Checked, Store, slug
from reverie.model.items import Block, Confidence, EpisodeKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime


class Episodic(Checked, frozen=True):
    """In the log of a day.

    Attributes:
        kind: What sort of event it was.
        confidence: How sure we are.
        tags: Topics.
        at: When it happened: a moment, or a day of which the hour is not known; None
            means now.
        scope: The person it is for alone; empty for everybody.
        basis: Ids of the turns or pages behind it, with a blank between.
        claim: Who says so, where it is neither the user nor the agent.
        supersedes: The id of the episode that it corrects.
    """

    kind: EpisodeKind = EpisodeKind.EVENT
    confidence: Confidence = Confidence.HIGH
    tags: tuple[str, ...] = ()
    at: datetime | date | None = None
    scope: str = ""
    basis: str = ""
    claim: str = ""
    supersedes: str = ""


class Semantic(Checked, frozen=True):
    """As a fact about an entity.

    Attributes:
        about: The entity's name (`Alex`) or id (`person--alex`); empty where
            `supersedes` is the id of a fact, which says it.
        type: Its type, where the name alone is given.
        since: The day from which the fact holds, which may be a later one; None means
            today.
        supersedes: The fact that no longer holds: its id (`person--alex#3f2a9c`) or
            its words.
        links: Relations that go with it, as `(label, entity id)`.
        alias: Another name that was used for the entity.
        also: Other names that it is said to go by.
        perhaps: Entities that may be the same one; a person has to say.
        on: The day it speaks of, where it speaks of one.
        until: The day it stopped or stops holding, if it does.
        said: The day it was said; None means today.
        basis: Ids of what is behind it, with a blank between.
        confidence: How sure whoever says it is.
        claim: Who says so, where it is neither the user nor the agent.
        tags: Topics.
    """

    about: str = ""
    type: str = "concept"
    since: date | None = None
    supersedes: str = ""
    links: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    perhaps: tuple[str, ...] = ()
    on: date | None = None
    until: date | None = None
    said: date | None = None
    basis: str = ""
    confidence: Confidence = Confidence.HIGH
    claim: str = ""
    also: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Procedural(Checked, frozen=True):
    """As a procedure; the lines of the text become its steps.

    Attributes:
        name: What it is called, such as `how to deploy`.
        trigger: When to do it.
        supersedes: The words of the step that it takes the place of.
    """

    name: str
    trigger: str = ""
    supersedes: str = ""


class Vault(Checked, frozen=True):
    """Among the protected notes.

    Attributes:
        title: Its heading; empty takes the first words of the text.
        supersedes: The id of the note whose text it takes the place of.
    """

    title: str = ""
    supersedes: str = ""


class Core(Checked, frozen=True):
    """In core memory, which is always in the agent's sight.

    Attributes:
        block: Which of the four blocks.
        pinned: Whether no rewrite may take it out.
        supersedes: The id of the line that it takes the place of, pin and all.
    """

    block: Block = Block.CONTEXT
    pinned: bool = False
    supersedes: str = ""


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


ENTITY_TYPES = ("person", "project", "concept", "tool", "place")
"""The types of the design; a user may have words of their own."""

RELATES_TO = "relates-to"
"""The relation of a fact's page to an entity that the fact only names."""

LONGEST_LINE = 200
"""Characters of a text that core memory is told of."""

MOST_TAGS = 5
MOST_OBSERVATIONS = 12
MOST_MENTIONS = 6
MOST_STEPS = 40
LONGEST_NAME = 120
LONGEST_TAG = 40


class EntityMention(Struct, frozen=True):
    """Something a text names: the name as people write it, its type, other names."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name wiki links would use: `TYPE--SLUG`."""
        return f"{self.type}--{slug(self.name)}"


class RelationMention(Struct, frozen=True, rename={"origin": "from", "target": "to"}):
    """Something a text says of two things, each as `TYPE--SLUG`."""

    origin: str
    relation: str
    target: str


class Observation(Struct, frozen=True):
    """A single statement that a mind noted of what was said; it stands by itself.

    Attributes:
        text: The statement, with exact names and numbers.
        about: The entity that it is about, as `TYPE--SLUG`; empty for an event.
        day: The day it speaks of, as `YYYY-MM-DD`; empty where it speaks of none.
        claim: Who says so, where it is neither the user nor the agent.
        supersedes: Ids of known facts that no longer hold because of it.
        turn: The number of the turn that it comes from; 0 if that is not known.
        source: The id or citation of what it comes from, in place of a number.
        confidence: How sure the mind is.
    """

    text: str
    about: str = ""
    day: str = ""
    claim: str = ""
    supersedes: tuple[str, ...] = ()
    turn: int = 0
    source: str = ""
    confidence: Confidence = Confidence.MEDIUM


class Route(Struct, frozen=True):
    """Where a memory goes, and what it names.

    Attributes:
        store: Where it belongs.
        about: The entity it is chiefly about, as `TYPE--SLUG`; empty for none.
        entities: What it names.
        relations: What it says of them.
        supersedes: Ids of the known facts that no longer hold.
        contradicts: Ids of the known facts that it cannot hold together with.
        tags: Up to five topics.
        confidence: How sure it is that this is worth storing, and there.
        core_update: Whether core memory should hear of it as well.
        block: Which block of core memory that would be.
        name: What a procedure is called; for core memory the line that it fills in.
        trigger: When to do it, for a procedure.
        steps: Stretches of the text in their order: the steps of a procedure, or the
            value of a line of core memory.
        summary: One sentence.
        observations: What a long text tells, statement by statement.
    """

    store: Store
    about: str = ""
    entities: tuple[EntityMention, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LOW
    core_update: bool = False
    block: Block = Block.CONTEXT
    name: str = ""
    trigger: str = ""
    steps: tuple[str, ...] = ()
    summary: str = ""
    observations: tuple[Observation, ...] = ()


def _line(longest: int, pattern: str = "", least: int = 1) -> dict[str, object]:
    schema = {"type": "string", "minLength": least, "maxLength": longest}
    return schema | ({"pattern": pattern} if pattern else {})


def _list(item: object, most: int) -> dict[str, object]:
    return {"type": "array", "items": item, "maxItems": most}


def _one_of(words: object) -> dict[str, object]:
    return {"type": "string", "enum": words}


def _record(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


# Servers that force a pattern forget the length beside it, and read few escapes.
_END = _line(100, rf'^({"|".join(ENTITY_TYPES)})--[^\x00-\x20"/\\.]{{1,40}}$')
_VERB = _line(30, "^[a-z][a-z-]{1,28}[a-z]$")
_MENTION = _record(
    name=_line(LONGEST_NAME),
    type=_one_of(list(ENTITY_TYPES)),
    aliases=_list(_line(LONGEST_NAME), MOST_MENTIONS),
) | {"required": ["name", "type"]}
_RELATION = _record(**{"from": _END, "relation": _VERB, "to": _END})

_OBSERVATION = _record(
    text=_line(500),
    about=_line(160, least=0),
    day=_line(10, r"^(\d{4}-\d\d-\d\d)?$", least=0),
    claim=_line(LONGEST_NAME, least=0),
    supersedes=_list(_line(180), MOST_MENTIONS),
    turn={"type": "integer"},
    confidence=_one_of([word.value for word in Confidence]),
) | {"required": ["text"]}

OBSERVATIONS: Mapping[str, object] = _list(_OBSERVATION, MOST_OBSERVATIONS)
"""Observations as a mind is asked for them, as a JSON schema."""

_FIELDS = _record(
    store=_one_of([store.value for store in Store if store is not Store.TURNS]),
    about=_line(160, least=0),
    entities=_list(_MENTION, MOST_MENTIONS),
    relations=_list(_RELATION, MOST_MENTIONS),
    supersedes=_list(_line(180), MOST_MENTIONS),
    contradicts=_list(_line(180), MOST_MENTIONS),
    tags=_list(_line(LONGEST_TAG), MOST_TAGS),
    confidence=_one_of([word.value for word in Confidence]),
    core_update={"type": "boolean"},
    block=_one_of([block.value for block in Block]),
    name=_line(LONGEST_NAME, least=0),
    trigger=_line(300, least=0),
    steps=_list(_line(2_000), MOST_STEPS),
    summary=_line(300, least=0),
    observations=OBSERVATIONS,
)
_SEED = ("store", "entities", "relations", "tags", "confidence", "core_update")

ROUTE_SCHEMA: Mapping[str, object] = _FIELDS | {"required": [*_SEED, "summary"]}
"""What a mind is asked to answer with, as a JSON schema.

What the design asks for has to be there; whatever else is left out is empty.
"""


_NUMBER: dict[str, object] = {"type": "integer"}
_STATEMENT = _record(
    piece=_NUMBER,
    words=_line(2_000),
    about=_line(160),
    name=_line(LONGEST_NAME, least=0),
    relations=_list(_RELATION, MOST_MENTIONS),
)
_TOPIC = _record(first=_NUMBER, last=_NUMBER, summary=_line(300))

FILE_SCHEMA: Mapping[str, object] = _record(
    facts=_list(_STATEMENT, 60), topics=_list(_TOPIC, 12)
)
"""What a mind answers that files imported pieces."""


def to_json(route: Route) -> dict[str, object]:
    """A route as a mind writes it."""
    told: dict[str, object] = msgspec.json.decode(msgspec.json.encode(route))
    return told


class TriggerKind(StrEnum):
    """What is asked for.

    `WITHHOLD` asks that what is said be kept out of memory ("off the record").
    `DISMISS` is a shrug ("never mind"): it is seen, and touches no memory.
    `REFLECT_SOFT` is a farewell: a chance to ask whether to reflect. `SELF_IMAGE` asks
    for the picture the agent has of itself, not for a reflection.
    """

    REMEMBER = "remember"
    WITHHOLD = "withhold"
    FORGET = "forget"
    DISMISS = "dismiss"
    REFLECT = "reflect-immediate"
    REFLECT_SOFT = "reflect-soft"
    SELF_IMAGE = "self-image"
    SEARCH = "search"


class Target(StrEnum):
    """What a trigger is about.

    `CONVERSATION` is what was just said, or "previous instructions": forgetting it
    never touches a memory.
    """

    MEMORY = "memory"
    CONVERSATION = "conversation"


class Trigger(Struct, frozen=True):
    """Words of a message that ask something of memory.

    Attributes:
        kind: What they ask for.
        phrase: The words that ask, in small letters without accents, such as "don't
            forget"; `…` stands where what they are about is in their midst.
        start: Where the wording begins in the message.
        end: Where it ends.
        content: What is to be remembered, forgotten, found or reflected on: exactly
            `message[content_start:content_end]`, which has no phrase in it, no
            closing full stop and no "please". Empty where only "that" is named.
        content_start: Where the content begins; it may stand before the wording.
        content_end: Where it ends.
        target: What it is about.
        permanent: Whether it says in so many words that it is for ever: to keep in the
            vault, or to leave nothing of.
        own: Whether the content is the user's own sentence, and nothing that they
            quoted or may have pasted.
        sentence: Where the sentence stands that the wording opens and whose whole rest
            is the content; `(0, 0)` for any other wording.
    """

    kind: TriggerKind
    phrase: str
    start: int
    end: int
    content: str
    content_start: int
    content_end: int
    target: Target = Target.MEMORY
    permanent: bool = False
    own: bool = True
    sentence: tuple[int, int] = (0, 0)
