"""What the rules got wrong in a labelled sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.encoding.routing.labels import KNOWN

from reverie.encoding.remember import entity_name
from reverie.encoding.routing import entity_id, file_by_rules
from reverie.model.items import Confidence
from reverie.model.place import Core, Episodic, Procedural, Semantic

if TYPE_CHECKING:
    from tests.encoding.routing.labels import Label

    from reverie.encoding.routing import Filing


def named_in(filing: Filing) -> set[str]:
    """The entities of a route, as `TYPE--SLUG`."""
    return {entity_id(mention, KNOWN) for mention in filing.route.entities}


def related_in(filing: Filing) -> set[str]:
    """The relations of a route, as `origin relation target`."""
    return {f"{r.origin} {r.relation} {r.target}" for r in filing.route.relations}


def about_of(filing: Filing) -> str:
    """What the place is about: an entity, a block, the kind or name of the memory."""
    match filing.place:
        case Semantic() as place:
            return entity_name(place)
        case Core(block):
            return block.value
        case Episodic(kind):
            return kind.value
        case Procedural(name):
            return name
        case _:
            return ""


def faults(label: Label) -> dict[str, str]:
    """For each aspect that is wrong what was found instead; empty where all is well."""
    filing = file_by_rules(label.text, KNOWN)
    route = filing.route
    unsure = route.confidence is Confidence.LOW
    about = about_of(filing)
    wanted = label.kind or label.about or label.name
    found = {}
    if route.store is not label.store or unsure is not label.unsure:
        found["store"] = f"{route.store} {route.confidence} {about}"
    elif wanted and about != wanted:
        found["about"] = about
    if label.unsure:
        return found
    if named_in(filing) != label.entities:
        found["entities"] = " ".join(sorted(named_in(filing)))
    if related_in(filing) != label.relations:
        found["relations"] = ", ".join(sorted(related_in(filing))) or "none"
    if route.core_update is not label.core:
        found["core"] = str(route.core_update)
    return found
