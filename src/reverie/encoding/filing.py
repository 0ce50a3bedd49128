"""Finding out where something belongs: by its caller, a mind or its names (8.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.entity_match import Doubtful, Register, Same, same_entity
from reverie.encoding.forget import read_wish
from reverie.encoding.near import MOST_READ, Around, find_near
from reverie.encoding.remember import entity_name, owner_name
from reverie.encoding.route import (
    MOST_NAMED,
    Named,
    Offer,
    find_named,
    places_of,
    read_route,
    route_unread,
)
from reverie.encoding.saying import Saying, render_saying
from reverie.encoding.scoping import place_within
from reverie.errors import RefusedError
from reverie.markdown import headline
from reverie.minds.json_answers import ask
from reverie.minds.prompts import forget_question
from reverie.model.change import FORGET, REMEMBER
from reverie.model.ids import Kind, Store, slug
from reverie.model.items import Block, EpisodeKind
from reverie.model.origin import FOREIGN, Origin
from reverie.model.route import (
    Core,
    EntityMention,
    Episodic,
    Procedural,
    Semantic,
    Vault,
)
from reverie.secrets import without_secrets
from reverie.stores.entities import parse_fact_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.minds.mind import Mind
    from reverie.model.ids import ItemId
    from reverie.model.proposals import Proposal
    from reverie.model.route import Place, Route
    from reverie.session.minding import Minds
    from reverie.session.session import House


_BLOCKS = frozenset(Block)
_RELATES = "relates-to"
_ID = re.compile(rf"#|(?:{'|'.join(Kind)}):\S+$")
_OFFERED = re.compile(r"^(\S+--\S+#[0-9a-f]{6}): ", re.MULTILINE)


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


class NotAFactError(RefusedError):
    """Only a fact on a page can be over, or be asked about there."""

    def __init__(self, said: str, option: str) -> None:
        hint = f"{option} takes the id of a fact, such as person--alex#3f2a9c."
        super().__init__(f"{said!r} is not the id of a fact", hint=hint)


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
        named = find_named(text, self._house.index.lookup)
        mind = self._mind(saying)
        if mind is None:
            # Who passes on what the user asked for passes on their "I".
            own = saying.origin not in FOREIGN and (
                saying.origin is Origin.OWNER or saying.actor == REMEMBER
            )
            route = self._labelled(route_unread(text, named, self.user(), own=own))
        else:
            route = self._ask(mind, saying, named)
        if saying.origin in FOREIGN and route.supersedes:
            # What strangers say takes the place of nothing; that it would is told.
            against = (*route.contradicts, *route.supersedes)
            route = replace(route, supersedes=(), contradicts=against)
        (said, place), *others = places_of(route, text)
        return Filed(((said, self._settled(place)), *others), route)

    def _labelled(self, route: Route) -> Route:
        """A route that calls whom it is about as their page does."""
        if not route.about:
            return route
        known = self._house.index.lookup.names_of(route.about)
        name = known[0] if known else owner_name(self._house.ledger.read)
        mention = EntityMention(name, route.about.partition("--")[0])
        return replace(route, entities=(mention,))

    def _ask(self, mind: Mind, saying: Saying, named: Sequence[Named]) -> Route:
        """Let a mind say where something belongs.

        The host agent may answer later: what it was offered is what it is held to.
        """
        lookup, text = self._house.index.lookup, saying.text
        question = None
        if self.asks_the_host:
            question = self._minds.box("remember", render_saying(saying)).held("route")
        if question is None:
            question = self._offer(text, named).question(text)

        def check(value: Mapping[str, object]) -> Route:
            offered = _OFFERED.findall(question.text)
            here = [id_ for id_ in offered if self.around.cited(id_)]
            return read_route(value, text, here, lookup)

        return ask(mind, question, check)

    def _offer(self, text: str, named: Sequence[Named]) -> Offer:
        """What a mind is told: the user, entities and facts near to a text."""
        lookup, user = self._house.index.lookup, self.user()
        pages = [id_ for each in named for id_ in each.ids]
        alike: dict[str, list[str]] = {}
        for word in dict.fromkeys(
            re.findall(r"[^\W_]{4,}", text[:MOST_READ].casefold())
        ):
            if len(alike) < MOST_NAMED:
                alike |= lookup.named_like(word, 3)
                # A name may be the beginning of a longer word, as in German.
                pages += [i for i, names in alike.items() if _begins(word, names)]
        known = find_near(text, (*pages, user), self.around, offered=True)
        near = dict.fromkeys([*pages, *(each.page for each in known), user])
        entities = {id_: names for id_ in near if (names := lookup.names_of(id_))}
        entities = dict(list({**entities, **alike}.items())[:MOST_NAMED])
        return Offer(user, entities, known)

    @property
    def around(self) -> Around:
        """What looking around may look at."""
        house = self._house
        return Around(house.index, house.ledger.read, house.place)

    def user(self) -> str:
        """The id of the human's own page, which may not be there yet."""
        name = owner_name(self._house.ledger.read)
        called = self._house.index.lookup.called(name)
        known = (id_ for id_ in called if id_.startswith("person--"))
        return next(known, f"person--{slug(name)}")

    def pages(self, text: str, place: Place) -> tuple[str, ...]:
        """The entities whose pages a text is about, as far as code can tell."""
        if isinstance(place, Semantic):
            return (entity_name(place),)
        named = find_named(text, self._house.index.lookup)
        return tuple(each.ids[0] for each in named if len(each.ids) == 1)

    def _typed(self, place: Place) -> Place:
        """A place whose entity is known, where nobody said it or its type.

        The id of a fact says on which page it stands.
        """
        if not isinstance(place, Semantic):
            return place
        cited = parse_fact_id(place.supersedes)
        named = not _ID.match(place.supersedes) and place.about.strip()
        if place.supersedes and not cited and not named:
            raise NotAFactError(place.supersedes, "--supersedes")
        if cited and not place.about.strip():
            return replace(place, about=cited[0], type=cited[0].partition("--")[0])
        if place.type != Semantic().type:
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
        for the host agent with it.
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
        """Where a proposal is to go: its store, and there what it names."""
        return place_within(proposal, self._wanted(proposal))

    def _wanted(self, proposal: Proposal) -> Place:
        match proposal.store:
            case Store.SEMANTIC:
                return self._page_for(proposal)
            case Store.PROCEDURAL:
                name = proposal.name or headline(proposal.content, 60)
                return Procedural(name, proposal.when)
            case Store.VAULT:
                return Vault(proposal.name)
            case Store.CORE:
                block = proposal.block
                return Core(Block(block) if block in _BLOCKS else Block.CONTEXT)
            case _:
                return Episodic(EpisodeKind.FACT, proposal.confidence)

    def _page_for(self, proposal: Proposal) -> Place:
        """The page of what a proposal replaces, is about or names; linked with others.

        What is about nothing known is an episode.
        """
        cited = parse_fact_id(proposal.supersedes)
        entities = proposal.entities
        if not entities and not cited:
            named = find_named(proposal.content, self._house.index.lookup)
            entities = tuple(each.ids[0] for each in named[:1] if len(each.ids) == 1)
        about = cited[0] if cited else next(iter(entities), "")
        if not about:
            return Episodic(EpisodeKind.FACT, proposal.confidence)
        links = tuple((_RELATES, name) for name in entities if name != about)
        return Semantic(about, supersedes=proposal.supersedes, links=links)

    def _mind(self, saying: Saying) -> Mind | None:
        return self._minds.open("remember", render_saying(saying))


def _begins(word: str, names: Sequence[str]) -> bool:
    return any(len(name) > 3 and word.startswith(name.casefold()) for name in names)


def _target(value: Mapping[str, object]) -> str:
    return str(value["target"]).strip()
