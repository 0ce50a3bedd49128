"""What the workspace knows already, for routing: names, and who its human is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from reverie.model.ids import slug
from reverie.model.route import EntityMention

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Known:
    """What the workspace knows already.

    Attributes:
        names: For each label and alias, case-folded, the entity: `TYPE--SLUG`.
        owner: The name of the human, or `user` where core memory has none.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    owner: str = "user"


class Thing(NamedTuple):
    """Something a text speaks of.

    Attributes:
        name: Its name as said.
        type: What sort of thing it is.
        id: Its page: `TYPE--SLUG`.
        known: Whether the workspace knows it.
    """

    name: str
    type: str
    id: str
    known: bool = False

    @property
    def mention(self) -> EntityMention:
        """As a route tells it."""
        return EntityMention(self.name, self.type)


def thing(name: str, kind: str) -> Thing:
    """Something nobody has a page of yet."""
    return Thing(name, kind, f"{kind}--{slug(name)}")


def known_thing(name: str, id_: str) -> Thing:
    """Something that has a page."""
    return Thing(name, id_.partition("--")[0], id_, known=True)


def owner(known: Known) -> Thing:
    """The human."""
    id_ = known.names.get(known.owner.casefold(), "")
    if id_.startswith("person--"):
        return known_thing(known.owner, id_)
    return thing(known.owner, "person")


def entity_id(mention: EntityMention, known: Known) -> str:
    """The page a mention means: that of a known name, else its own."""
    if mention.name == known.owner and mention.type == "person":
        return owner(known).id
    id_ = known.names.get(mention.name.casefold(), "")
    return id_ if id_.partition("--")[0] == mention.type else mention.id
