"""Where a memory goes and what it names: the answer of routing (design, 8.2).

A route says in which store something belongs, whom it is about and which known facts
it ends. It never names a file: where a thing stands on disk is decided by code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec.json

from reverie.model.ids import Store, slug
from reverie.model.items import Block, Confidence

if TYPE_CHECKING:
    from collections.abc import Mapping

ENTITY_TYPES = ("person", "project", "concept", "tool", "place")
"""The types of the design; a user may have words of their own."""

MOST_TAGS = 5
MOST_MENTIONS = 6
MOST_STEPS = 40
LONGEST_NAME = 120
LONGEST_TAG = 40


@dataclass(frozen=True, slots=True)
class EntityMention:
    """Something a text names: the name as people write it, and its type."""

    name: str
    type: str

    @property
    def id(self) -> str:
        """The name wiki links would use: `TYPE--SLUG`."""
        return f"{self.type}--{slug(self.name)}"


@dataclass(frozen=True, slots=True)
class RelationMention:
    """Something a text says of two things, each as `TYPE--SLUG`."""

    origin: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True)
class Route:
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
_MENTION = _record(name=_line(LONGEST_NAME), type=_one_of(list(ENTITY_TYPES)))
_RELATION = _record(**{"from": _END, "relation": _VERB, "to": _END})

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
)
_SEED = ("store", "entities", "relations", "tags", "confidence", "core_update")

ROUTE_SCHEMA: Mapping[str, object] = _FIELDS | {"required": [*_SEED, "summary"]}
"""What a mind is asked to answer with, as a JSON schema.

What the design asks for has to be there; whatever else is left out is empty.
"""


def to_json(route: Route) -> dict[str, object]:
    """A route as a mind writes it."""
    told: dict[str, object] = msgspec.json.decode(msgspec.json.encode(route))
    return told | {
        "relations": [
            {"from": r.origin, "relation": r.relation, "to": r.target}
            for r in route.relations
        ]
    }
