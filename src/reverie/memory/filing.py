"""Finding out where something belongs: by its caller, a mind or rules (design, 8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.agents.scoping import place_within
from reverie.encoding.forget import read_wish
from reverie.encoding.remember import entity_name, owner_name
from reverie.encoding.routing import Known, filing_of, route_by_rules, steps_of
from reverie.encoding.routing.core_lines import core_line
from reverie.encoding.sameness import Doubtful, Register, Same, same_entity
from reverie.memory.saying import Saying, render_saying
from reverie.minds.questions import forget_question, route_question
from reverie.minds.thinking import ask
from reverie.model.change import FORGET
from reverie.model.ids import Store
from reverie.model.items import Block
from reverie.model.origin import Origin
from reverie.model.place import Core, Procedural, Semantic, Vault
from reverie.model.route import Route, RouteError, parse_route
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from reverie.index.lookup import Lookup
    from reverie.memory.house import House
    from reverie.memory.minding import Minds
    from reverie.minds.mind import Mind
    from reverie.model.ids import ItemId
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal


_BLOCKS = frozenset(Block)
_RELATES = "relates-to"


@dataclass(frozen=True, slots=True)
class Filed:
    """Where something belongs.

    Attributes:
        steps: What is stored where, the text itself first.
        route: How that was found out; None where the caller chose.
    """

    steps: tuple[tuple[str, Place], ...]
    route: Route | None = None

    @property
    def place(self) -> Place:
        """Where the text itself belongs."""
        return self.steps[0][1]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Entities that may be the same as the one it is about."""
        return self.place.perhaps if isinstance(self.place, Semantic) else ()


def stands_in(place: Place, id_: ItemId) -> bool:
    """Whether a memory of the same store stands where a caller wants one to stand."""
    match place:
        case Semantic():
            return id_.name == entity_name(place)
        case Core(block=block):
            return id_.name.startswith(f"{block}/")
        case _:
            return True


class Clerk:
    """Files texts.

    Args:
        house: The workspace's parts.
        minds: Who thinks.
    """

    def __init__(self, house: House, minds: Minds) -> None:
        self._house = house
        self._minds = minds

    def file(self, saying: Saying) -> Filed:
        """Where something belongs."""
        text, place = saying.text, saying.place
        if place is not None:
            return Filed(((text, self._typed(place)),))
        known = self.known()
        mind = self._mind(saying)
        if mind is None:
            route = route_by_rules(text, known)
        else:
            # What is kept on this disk by hand is still nobody else's to see.
            route = ask(mind, route_question(without_secrets(text)), _route)
        steps = tuple(_steps(text, route, known))
        (said, place), *others = steps
        return Filed(((said, self._settled(place)), *others), route)

    def _typed(self, place: Place) -> Place:
        """A place whose entity is the one of that name, where nobody said its type."""
        if not isinstance(place, Semantic) or place.type != Semantic("").type:
            return place
        called = self._house.index.lookup.called(place.about)
        return replace(place, about=called[0]) if len(called) == 1 else place

    def _settled(self, place: Place) -> Place:
        """A place whose entity is one that is known, where it clearly is."""
        if not isinstance(place, Semantic):
            return place
        named = self._house.index.lookup.named_like(place.about.rpartition("--")[2])
        known = {id_: (id_.partition("--")[0], names) for id_, names in named.items()}
        if place.about in known:
            return place
        match same_entity(place.about, place.type, Register(known)):
            case Same(id=id_):
                return replace(place, about=id_, alias=place.about)
            case Doubtful(ids=ids):
                return replace(place, perhaps=ids)
            case None:
                return place

    def wish(self, said: str) -> tuple[str, bool]:
        """What somebody wants forgotten, and whether for good.

        A mind may find the words; only the explicit ones are for good. Nobody waits
        for the host agent with it: rules do.
        """
        words, permanent = read_wish(said, self._house.config.triggers)
        if self._minds.kind not in {"api", "given"}:
            return words, permanent
        mind = self._mind(Saying(said, None, FORGET, "", Origin.OWNER))
        if mind is None:
            return words, permanent
        target = ask(mind, forget_question(without_secrets(said)), _target)
        return target or words, permanent

    @property
    def asks_the_host(self) -> bool:
        """Whether it is the host agent who says where something belongs."""
        return self._minds.kind == "host"

    def finish(self, saying: Saying) -> None:
        """Let go of what the host agent was asked for something that is stored."""
        if self.asks_the_host:
            self._minds.box("remember", render_saying(saying)).finish()

    def place_of(self, proposal: Proposal) -> Place:
        """Where a proposal is to go: its store, and by rules whatever that asks for."""
        return place_within(proposal, self._wanted(proposal))

    def _wanted(self, proposal: Proposal) -> Place:
        known = self.known()
        route = replace(route_by_rules(proposal.content, known), store=proposal.store)
        place = filing_of(route, proposal.content, known).place
        if proposal.store is Store.SEMANTIC and proposal.origin is Origin.SUBAGENT:
            return _named(place, proposal.entities)
        match place:
            case Procedural() as place if proposal.name:
                return Procedural(proposal.name, proposal.when or place.trigger)
            case Vault():
                return Vault(proposal.name)
            case Core() if proposal.block in _BLOCKS:
                return Core(Block(proposal.block))
            case place:
                return place

    def known(self) -> Known:
        """What entities are called, and who the human is."""
        names = Names(self._house.index.lookup)
        return Known(names, owner_name(self._house.ledger.read))

    def _mind(self, saying: Saying) -> Mind | None:
        return self._minds.open("remember", render_saying(saying))


def _named(place: Place, entities: Sequence[str]) -> Place:
    """A place on the page of what a sub-agent says its proposal is about.

    The page is linked with whatever else it is about.
    """
    if not entities:
        return place
    told = entity_name(place) if isinstance(place, Semantic) else ""
    if not isinstance(place, Semantic) or told not in entities:
        place, told = Semantic(entities[0]), entities[0]
    linked = {told, *(target for _, target in place.links)}
    links = ((_RELATES, name) for name in entities if name not in linked)
    return replace(place, links=(*place.links, *links))


def _route(value: object) -> Route:
    try:
        return parse_route(value)
    except RouteError as error:
        raise ValueError(str(error)) from error


def _steps(text: str, route: Route, known: Known) -> Iterator[tuple[str, Place]]:
    """The text where it belongs, and a line of it in core memory where that is due."""
    filing = filing_of(route, text, known)
    match filing.place:
        case Procedural() as place:
            yield steps_of(text), place
        case Core() as place:
            yield core_line(text), place
        case place:
            yield text, place
    if filing.core is not None:
        # Core memory gets the speaker's words, never those a mind made of them.
        yield core_line(text), filing.core


def _target(value: Mapping[str, object]) -> str:
    return str(value["target"]).strip()


class Names(Mapping[str, str]):
    """What entities are called, looked up one by one."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def __getitem__(self, name: str) -> str:
        found = self._lookup.called(name)
        if not found:
            raise KeyError(name)
        return found[0]

    def __iter__(self) -> Iterator[str]:
        for names in self._lookup.entity_names().values():
            yield from (name.casefold() for name in names)

    def __len__(self) -> int:
        return sum(map(len, self._lookup.entity_names().values()))

    def __bool__(self) -> bool:
        # Counting them all would cost more than looking one up.
        return True
