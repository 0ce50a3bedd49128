"""Where a memory goes and what it names: the answer of routing (design, 8.2).

A route says in which store something belongs and which things it speaks of. It never
names a file: where a thing stands on disk is decided by code, from slugs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.ids import Store, slug
from reverie.model.items import Confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    T = TypeVar("T")

ENTITY_TYPES = ("person", "project", "concept", "tool", "place")
"""The types of the design; a user may have words of their own."""

MOST_TAGS = 5
MOST_MENTIONS = 10
LONGEST_NAME = 120
LONGEST_END = 100
LONGEST_TAG = 40
LONGEST_WORD = 30
LONGEST_SUMMARY = 300

_STORES = tuple(store for store in Store if store is not Store.TURNS)
_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_JOINERS = re.compile("[\u200c\u200d]")
_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


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
        entities: What it names.
        relations: What it says of them.
        tags: Two to five topics; fewer where a text has no more.
        confidence: How sure it is that this is worth storing, and there.
        core_update: Whether core memory should hear of it as well.
        summary: One sentence.
    """

    store: Store
    entities: tuple[EntityMention, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LOW
    core_update: bool = False
    summary: str = ""


class RouteError(RefusedError):
    """An answer that is no route; says which field is wrong and how."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(
            f"the route's {field} {problem}",
            hint="Give exactly the fields of the design, section 8.2.",
        )
        self.field = field
        self.problem = problem


def _line(longest: int, pattern: str = "") -> dict[str, object]:
    schema = {"type": "string", "minLength": 1, "maxLength": longest}
    return schema | ({"pattern": pattern} if pattern else {})


def _list(item: object, most: int, least: int = 0) -> dict[str, object]:
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def _record(**fields: object) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(fields),
        "properties": fields,
    }


# What a mind is asked for is narrower than what is read: a small one rambles as
# long as it may. Servers that force a pattern forget the length beside it, and read
# few escapes.
_TYPE_SCHEMA = {"type": "string", "enum": list(ENTITY_TYPES)}
_WORD_SCHEMA = _line(LONGEST_WORD, "^[a-z][a-z-]{1,18}[a-z]$")
_END_SCHEMA = _line(
    LONGEST_END, rf'^({"|".join(ENTITY_TYPES)})--[^\x00-\x20"/\\.]{{1,40}}$'
)
_FEWER_MENTIONS = 6

ROUTE_SCHEMA: Mapping[str, object] = _record(
    store={"type": "string", "enum": [store.value for store in _STORES]},
    entities=_list(_record(name=_line(60), type=_TYPE_SCHEMA), _FEWER_MENTIONS),
    relations=_list(
        _record(**{"from": _END_SCHEMA, "relation": _WORD_SCHEMA, "to": _END_SCHEMA}),
        _FEWER_MENTIONS,
    ),
    tags=_list(_line(LONGEST_TAG), MOST_TAGS, least=2),
    confidence={"type": "string", "enum": [word.value for word in Confidence]},
    core_update={"type": "boolean"},
    summary=_line(LONGEST_SUMMARY),
)
"""What a mind is asked to answer with, as a JSON schema."""


def to_json(route: Route) -> dict[str, object]:
    """The very structure of the design, for JSON."""
    return {
        "store": route.store.value,
        "entities": [{"name": e.name, "type": e.type} for e in route.entities],
        "relations": [
            {"from": r.origin, "relation": r.relation, "to": r.target}
            for r in route.relations
        ],
        "tags": list(route.tags),
        "confidence": route.confidence.value,
        "core_update": route.core_update,
        "summary": route.summary,
    }


def parse_route(value: object) -> Route:
    """Read what a mind or an agent answered.

    Tags are mended: small letters, hyphens for blanks, each once, the first five; none
    at all is fine. Blanks of other widths become plain ones, those at the edges go,
    and what is said twice counts once. All else must be as the schema says.

    Raises:
        RouteError: Something is missing, too long, too much, of a wrong type or not
            in the schema.
    """
    fields = _fields(value, "answer", tuple(to_json(Route(Store.CORE))))
    return Route(
        Store(_one_of(fields["store"], "store", _STORES)),
        _each(fields["entities"], "entities", _entity),
        _each(fields["relations"], "relations", _relation),
        tuple(filter(None, _each(fields["tags"], "tags", _tag)))[:MOST_TAGS],
        Confidence(_one_of(fields["confidence"], "confidence", tuple(Confidence))),
        _flag(fields["core_update"], "core_update"),
        _text(fields["summary"], "summary", LONGEST_SUMMARY),
    )


def _fields(value: object, where: str, names: tuple[str, ...]) -> dict[str, object]:
    """An object with exactly these keys."""
    if not isinstance(value, dict):
        raise RouteError(where, "is not an object")
    for key in value:
        if key not in names:
            raise RouteError(where, f"has an unknown field {str(key)[:40]!r}")
    for name in names:
        if name not in value:
            raise RouteError(where, f"lacks the field {name!r}")
    return value


def _one_of(value: object, where: str, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise RouteError(where, f"is none of {', '.join(allowed)}")
    return value


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise RouteError(where, "is not true or false")
    return value


def _each(value: object, where: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
    """A list of things, each once."""
    if not isinstance(value, list):
        raise RouteError(where, "is not a list")
    if len(value) > MOST_MENTIONS:
        raise RouteError(where, f"has more than {MOST_MENTIONS} items")
    found = (read(item, f"{where}[{n}]") for n, item in enumerate(value))
    return tuple(dict.fromkeys(found))


def _entity(value: object, where: str) -> EntityMention:
    fields = _fields(value, where, ("name", "type"))
    name = _name(fields["name"], f"{where}.name")
    return EntityMention(name, _word(fields["type"], f"{where}.type"))


def is_visible(text: str) -> bool:
    """Whether a text is one line without characters that nobody can see.

    Joiners inside of words and emoji are fine: some scripts need them.
    """
    return _JOINERS.sub("", text).isprintable()


def is_name(text: str) -> bool:
    """Whether a text can be the name of an entity: a short visible line, no path."""
    fits = 0 < len(text) <= LONGEST_NAME and is_visible(text) and text == text.strip()
    parts = text.replace("\\", "/").split("/")
    path = text.startswith(("/", "\\", "~")) or ".." in parts
    return fits and not path and any(map(str.isalnum, text))


def _name(value: object, where: str) -> str:
    name = _text(value, where, LONGEST_NAME)
    if not is_name(name):
        raise RouteError(where, "is a path or a sign, not a name")
    return name


def _relation(value: object, where: str) -> RelationMention:
    fields = _fields(value, where, ("from", "relation", "to"))
    return RelationMention(
        _end(fields["from"], f"{where}.from"),
        _word(fields["relation"], f"{where}.relation"),
        _end(fields["to"], f"{where}.to"),
    )


def _end(value: object, where: str) -> str:
    """A name of an entity: slugs on both sides, so that it can be no path."""
    name = _text(value, where, LONGEST_END)
    kind, dashes, rest = name.partition("--")
    if not dashes or not _WORD.fullmatch(kind) or not rest or slug(rest) != rest:
        raise RouteError(where, "is not TYPE--SLUG, such as person--alex")
    return name


def _word(value: object, where: str) -> str:
    word = _text(value, where, LONGEST_WORD)
    if not _WORD.fullmatch(word):
        raise RouteError(where, "is not a word in small letters, such as used-by")
    return word


def _tag(value: object, where: str) -> str:
    """A topic; empty where it has neither a letter nor a digit."""
    text = _text(value, where, LONGEST_TAG)
    tag = slug(text) if any(map(str.isalnum, text)) else ""
    if len(tag) > LONGEST_TAG:
        raise RouteError(where, f"is longer than {LONGEST_TAG} characters")
    return tag


def _text(value: object, where: str, longest: int) -> str:
    """One visible line."""
    if not isinstance(value, str):
        raise RouteError(where, "is not a text")
    text = _BLANKS.sub(" ", value).strip(" ")
    if not text:
        raise RouteError(where, "is empty")
    if len(text) > longest:
        raise RouteError(where, f"is longer than {longest} characters")
    if not is_visible(text):
        raise RouteError(where, "has line breaks or characters nobody can see")
    return text
