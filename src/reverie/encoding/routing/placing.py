"""From a route to a place: what the stores need beyond the design's structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.routing.cues import kind_of, rule_block
from reverie.encoding.routing.known import entity_id
from reverie.encoding.routing.procedures import recipe_in
from reverie.encoding.routing.reading import read
from reverie.encoding.routing.selfhood import also_core, identity_block
from reverie.markdown import headline
from reverie.model.ids import Store
from reverie.model.items import Block, EpisodeKind
from reverie.model.place import Core, Episodic, Procedural, Semantic, Vault

if TYPE_CHECKING:
    from reverie.encoding.routing.known import Known
    from reverie.model.place import Place
    from reverie.model.route import RelationMention, Route

_INVERSES = {
    "uses": "used-by",
    "used-by": "uses",
    "part-of": "contains",
    "contains": "part-of",
    "preceded-by": "followed-by",
    "followed-by": "preceded-by",
    "develops": "developed-by",
    "depends-on": "dependency-of",
    "supersedes": "superseded-by",
}


@dataclass(frozen=True, slots=True)
class Filing:
    """Where something goes.

    Attributes:
        route: What routing said.
        place: Where it is stored.
        core: Where in core memory it is told as well; None is nowhere.
    """

    route: Route
    place: Place
    core: Core | None = None


def filing_of(route: Route, text: str, known: Known) -> Filing:
    """Where a text goes whose route is known, whoever found it."""
    place = place_of(route, text, known)
    heard = route.core_update and not isinstance(place, Core)
    core = Core(_block(text)) if heard else None
    return Filing(route, place, core)


def place_of(route: Route, text: str, known: Known) -> Place:
    """The place a route means."""
    match route.store:
        case Store.SEMANTIC if _about(route, known):
            return _semantic(route, known)
        case Store.PROCEDURAL:
            return _procedural(text)
        case Store.VAULT:
            return Vault()
        case Store.CORE:
            return Core(_block(text))
        case _:
            return Episodic(_kind(route, text), route.confidence, route.tags)


def _procedural(text: str) -> Procedural:
    recipe = recipe_in(text)
    if recipe:
        return Procedural(recipe.name, recipe.trigger)
    return Procedural(headline(text, 60))


def _kind(route: Route, text: str) -> EpisodeKind:
    return kind_of(read(text)) if route.store is Store.EPISODIC else EpisodeKind.FACT


def _about(route: Route, known: Known) -> str:
    """The entity a route is about.

    That is the first it names, unless something is only said of another: the example of
    the design names what is used, and is about the project that uses it.
    """
    named = [entity_id(mention, known) for mention in route.entities[:1]]
    origins = [relation.origin for relation in route.relations]
    targets = {relation.target for relation in route.relations}
    if named and (named[0] in origins or named[0] not in targets):
        return named[0]
    return next(iter(origins), "")


def _semantic(route: Route, known: Known) -> Semantic:
    about = _about(route, known)
    links = tuple(link for r in route.relations if (link := _link(r, about)))
    for mention in route.entities:
        fresh = known.names.get(mention.name.casefold()) != about
        if fresh and entity_id(mention, known) == about == mention.id:
            return Semantic(mention.name, mention.type, links=links)
    return Semantic(about, about.partition("--")[0], links=links)


def _link(relation: RelationMention, about: str) -> tuple[str, str] | None:
    """A relation as the page of one of its ends tells it."""
    if relation.origin == about:
        return relation.relation, relation.target
    inverse = _INVERSES.get(relation.relation)
    return (inverse, relation.origin) if relation.target == about and inverse else None


def _block(text: str) -> Block:
    for sentence in read(text):
        block = (
            rule_block(sentence)
            or identity_block(sentence)
            or also_core(sentence, own=True)
        )
        if block:
            return block
    return Block.CONTEXT
