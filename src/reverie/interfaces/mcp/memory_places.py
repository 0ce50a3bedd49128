"""Where a memory goes that an agent gives with its structure (design, 8.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie import (
    Block,
    Confidence,
    Core,
    EpisodeKind,
    Episodic,
    Procedural,
    RefusedError,
    Semantic,
    Vault,
)
from reverie.interfaces.mcp.schema import NewMemory
from reverie.markdown import headline
from reverie.model.ids import slug
from reverie.model.route import LONGEST_LINE, RELATES_TO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.route import Place

_USED = {
    "semantic": "about aliases entities relations tags day since until supersedes "
    "claim",
    "episodic": "tags day kind supersedes claim",
    "procedural": "name when supersedes",
    "vault": "name supersedes",
    "core": "block supersedes",
}
"""The fields of a memory that each store keeps, beside those that all of them keep."""

_ALWAYS = frozenset({"text", "store", "source", "confidence", "contradicts", "quote"})


def find_place(each: NewMemory, text: str) -> Place:
    """Return the place that an agent names for a memory.

    Args:
        each: The memory.
        text: Its text.
    """
    confidence = Confidence(each.confidence)
    if each.store == "semantic":
        about, relations, rest = _graph(each)
        if not about and not each.supersedes:
            raise RefusedError(
                f"a fact needs `about`, and this one has none: {headline(text)}",
                hint="Name it as person--ana, or say that it is episodic.",
            )
        kind, dashes, _ = about.partition("--")
        return Semantic(
            about,
            kind if dashes else "concept",
            since=each.since,
            supersedes=each.supersedes,
            links=(*relations.get(about, ()), *((RELATES_TO, id_) for id_ in rest)),
            on=each.day,
            until=each.until,
            confidence=confidence,
            claim=each.claim,
            also=each.aliases,
            tags=each.tags,
        )
    if each.store == "procedural":
        if not each.name.strip() and not each.supersedes:
            hint = "Such as: how to deploy."
            raise RefusedError("a procedure needs a `name`", hint=hint)
        return Procedural(each.name, each.when, each.supersedes)
    if each.store == "vault":
        return Vault(each.name, each.supersedes)
    if each.store == "core":
        return Core(Block(each.block), supersedes=each.supersedes)
    return Episodic(
        *(EpisodeKind(each.kind), confidence, each.tags, each.day),
        claim=each.claim,
        supersedes=each.supersedes,
    )


def _graph(
    each: NewMemory,
) -> tuple[str, dict[str, list[tuple[str, str]]], list[str]]:
    """Return the graph of a fact.

    Returns:
        The entity that it is about, the relations by the entity that they start from,
        and the entities that it names beside these.
    """
    entities = [
        one if isinstance(one, str) else f"{slug(one.type)}--{slug(one.name)}"
        for one in each.entities
    ]
    entities = [one.strip().removeprefix("entity:") for one in entities]
    about = each.about.strip().removeprefix("entity:")
    if not about and not each.supersedes:
        origins = [r.origin for r in each.relations if r.origin]
        named = [one for one in entities if one in origins] or entities or origins
        about = named[0] if named else ""
    relations: dict[str, list[tuple[str, str]]] = {}
    linked = {about}
    for each_relation in each.relations:
        origin = each_relation.origin.strip().removeprefix("entity:") or about
        target = each_relation.to.removeprefix("entity:")
        relations.setdefault(origin, []).append((each_relation.relation, target))
        linked |= {origin, target}
    return about, relations, [one for one in entities if one not in linked]


def find_further_places(each: NewMemory) -> Iterator[tuple[str, Place]]:
    """Yield what else is stored of a memory: relations of others, a line of core."""
    if each.store == "semantic":
        about, relations, _ = _graph(each)
        for origin, links in relations.items():
            if origin != about:
                kind, dashes, _ = origin.partition("--")
                kind = kind if dashes else "concept"
                yield "", Semantic(origin, kind, links=tuple(links), on=each.day)
    if each.core_update and each.store != "core":
        yield each.summary or headline(each.text, LONGEST_LINE), Core(Block(each.block))


def is_critical(each: NewMemory) -> bool:
    """Return whether a memory is for the Critical Facts, or replaces one of them."""
    replaces = each.supersedes.startswith(f"core:{Block.CRITICAL}/")
    return replaces or Block(each.block) is Block.CRITICAL


def find_unused_fields(each: NewMemory) -> list[str]:
    """Return a warning for each group of fields that are not stored."""
    used = _ALWAYS | frozenset(_USED[each.store].split())
    if each.core_update:
        used |= {"core_update", "block", "summary"}
    if not each.text:
        used |= {"summary"}
    given = (name for name in each.model_fields_set if getattr(each, name, None))
    unused = sorted(set(given) & NewMemory.model_fields.keys() - used)
    unknown = sorted(each.find_unknown())
    notes = (
        [f"Not stored, {each.store} has none: {', '.join(unused)}."] if unused else []
    )
    return notes + ([f"Unknown fields: {', '.join(unknown)}."] if unknown else [])
