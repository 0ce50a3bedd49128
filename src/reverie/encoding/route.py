"""Where something belongs: by its caller, by a mind, or on the page it names (8.2).

A mind is asked once, with the known facts nearest to the text, and its answer is
checked against what it was offered. Without one nothing is understood: the words go to
the page of a known name, to the user's own page where the user speaks of themselves,
or among the episodes. The words that are stored are always the speaker's.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from reverie.encoding import observe
from reverie.encoding.entity_match import match_entity
from reverie.encoding.forget import read_wish
from reverie.encoding.near import MOST_READ, Around, find_near
from reverie.encoding.placement import (
    FIRST,
    Saying,
    entity_name,
    render_saying,
)
from reverie.encoding.proposal_draft import place_within
from reverie.errors import RefusedError
from reverie.index.names import find_named
from reverie.index.text import words
from reverie.index.user import (
    OWNS,
    SPEAKS,
    is_known_id,
    is_user,
    known_as,
    user_name,
    user_page,
)
from reverie.markdown import headline
from reverie.minds.json_answers import ask
from reverie.minds.prompts import forget_question, route_question
from reverie.model import route as model
from reverie.model.change import FORGET, REMEMBER
from reverie.model.ids import Kind, Store, slug
from reverie.model.items import FOREIGN, Block, Confidence, EpisodeKind, Origin
from reverie.secrets import without_secrets
from reverie.stores.ended_links import ENTITY_NAME
from reverie.stores.entities import parse_fact_id
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reverie.index import Index
    from reverie.index.names import Named
    from reverie.minds.mind import Mind, Question
    from reverie.model.proposals import Proposal
    from reverie.model.route import Place
    from reverie.session.session import Minds, Session
    from reverie.workspace.questions import QuestionBox

LONGEST_FACT = 500
"""Characters of what becomes a fact on a page without a mind; more is an episode."""

MOST_NAMED = 12
"""So many known entities are offered to a mind."""

CORE_LABELS = ("Name", "Role", "Timezone")
"""Lines of core memory's template that a mind may fill in with words of a text."""

FEW, MANY = 24, 200
"""Names that a new one is compared with: by hand nobody waits for it, as for a mind."""

_FACT_TOKENS = 60
_LEFT_OUT = 0.25
"""So much of a text may be neither a step nor the trigger; else it is one step."""

_SENTENCE = re.compile(r"[.!?\n][\"')]*\s+|[\u3002\uff01\uff1f]")
_ID = re.compile(rf"#|(?:{'|'.join(Kind)}):\S+$")
_OFFERED = re.compile(r"^(\S+--\S+#[0-9a-f]{6}): ", re.MULTILINE)


def route_unread(
    text: str, named: Sequence[Named], user: str, *, own: bool
) -> model.Route:
    """Where a text belongs that nobody has read: by whom it speaks of first.

    "My sister Nora" is Nora; where several go by a name, nobody knows who is meant.

    Args:
        text: What is to be filed.
        named: The known names in it.
        user: The id of the user's entity.
        own: Whether it is the user who says it.
    """
    plain = text[:MOST_READ].replace("\u2019", "'")
    starts = [0, *(found.end() for found in _SENTENCE.finditer(plain))] if own else []
    speaks = next((at for at in starts if SPEAKS.match(plain, at)), None)
    about = user if any(OWNS.match(plain, at) for at in starts) else ""
    if named and (speaks is None or named[0].at < speaks):
        about = named[0].ids[0] if len(named[0].ids) == 1 else ""
    elif speaks is not None:
        about = user
    summary = headline(text, model.LONGEST_LINE)
    if not about or len(text) > LONGEST_FACT or "\n\n" in text:
        return model.Route(Store.EPISODIC, summary=summary)
    kind, _, rest = about.partition("--")
    name = next((each.name for each in named if each.ids == (about,)), rest)
    return model.Route(
        Store.SEMANTIC, about, (model.EntityMention(name, kind),), summary=summary
    )


# --- what a mind answered ----------------------------------------------------


def _strange(said: str, problem: str) -> ValueError:
    """An answer names what nobody offered, or what is no name."""
    return ValueError(f"{ascii(said)[:60]} {problem}")


def read_route(
    answer: Mapping[str, object], text: str, offered: Sequence[str], lookup: Index
) -> model.Route:
    """A mind's answer, which fits the schema, as a route that makes sense here.

    Args:
        answer: The answer.
        text: What was to be filed.
        offered: Ids of the facts that it was shown.
        lookup: What entities are called.

    Raises:
        ValueError: It names what was not offered, or what is no name.
    """
    told = model.to_json(model.Route(Store.EPISODIC)) | dict(answer)
    route = msgspec.convert(told, model.Route)
    entities = tuple(dict.fromkeys(map(_mention, route.entities)))
    gone, against = (
        tuple(dict.fromkeys(map(_plain_id, ids)))
        for ids in (route.supersedes, route.contradicts)
    )
    for id_ in (*gone, *against):
        if id_ not in offered:
            raise _strange(id_, "is not the ID of a fact that was offered")
    relations = dict.fromkeys(
        replace(each, origin=_end(each.origin), target=_end(each.target))
        for each in route.relations
    )
    mentioned, said = {each.id for each in entities}, set(words(text))
    for start in (each.origin for each in relations):
        # A relation is stored on the page where it starts, which is made for it.
        named = not said.isdisjoint(words(start.partition("--")[2]))
        if not (named or start in mentioned or lookup.number_of(f"entity:{start}")):
            raise _strange(start, "is no known entity, and the text does not name it")
    chief = _chief(route.store, [each.id for each in entities], [*relations])
    tags = (slug(tag) for tag in route.tags if any(map(str.isalnum, tag)))
    route = replace(
        route,
        about=_entity(route.about or chief, entities, lookup),
        entities=entities,
        relations=tuple(relations),
        supersedes=gone,
        contradicts=tuple(id_ for id_ in against if id_ not in gone),
        tags=tuple(dict.fromkeys(tags))[: model.MOST_TAGS],
        name=_visible(route.name),
        trigger=_visible(route.trigger),
        steps=tuple(map(str.strip, route.steps)),
        summary=_visible(route.summary),
        observations=tuple(
            replace(each, about=_entity(each.about, entities, lookup))
            for each in _noted(route.observations, offered)
        ),
    )
    return _in_own_words(route, text)


def _chief(
    store: Store, entities: Sequence[str], relations: Sequence[model.RelationMention]
) -> str:
    """Return the entity that an answer without `about` is about; empty for none.

    This is the only entity, or for a fact the first one that a relation starts from,
    else the first one.
    """
    if len(entities) == 1 or store is not Store.SEMANTIC:
        return entities[0] if len(entities) == 1 else ""
    origins = [each.origin for each in relations]
    candidates = [each for each in entities if each in origins] or entities or origins
    return candidates[0] if candidates else ""


def _noted(
    told: Sequence[model.Observation], offered: Sequence[str]
) -> tuple[model.Observation, ...]:
    """What a mind noted of a long text; it has no turns."""
    noted = tuple(
        replace(each, turn=0, supersedes=tuple(map(_plain_id, each.supersedes)))
        for each in observe.read_observations(told)
    )
    observe.require_offered(noted, (), offered)
    return noted


def _plain_id(said: str) -> str:
    """An id without what a mind may put around it."""
    return said.strip(" `").removeprefix("entity:")


def _visible(text: str) -> str:
    """One line without characters that nobody can see; joiners inside are fine."""
    if not re.sub("[\u200c\u200d]", "", text).isprintable():
        raise _strange(text, "has characters nobody can see")
    return text.strip()


def _mention(said: model.EntityMention) -> model.EntityMention:
    aliases = tuple(dict.fromkeys(map(_name, said.aliases)))
    return replace(said, name=_name(said.name), aliases=aliases)


def _name(said: str) -> str:
    name = _visible(re.sub(r"[^\S\n]", " ", said))
    path = name.startswith(("/", "\\", "~")) or ".." in re.split(r"[/\\]", name)
    if len(name) > model.LONGEST_NAME or not any(map(str.isalnum, name)) or path:
        raise _strange(name, "is a path or a sign, not a name")
    return name


def _end(said: str) -> str:
    kind, _, rest = said.partition("--")
    if kind not in model.ENTITY_TYPES or not any(map(str.isalnum, rest)):
        raise _strange(said, "is neither a known entity nor TYPE--NAME")
    return f"{kind}--{slug(rest)}"


def _entity(said: str, entities: Sequence[model.EntityMention], lookup: Index) -> str:
    """The entity that an answer says a text is about: known, or named in it."""
    bare = _plain_id(said)
    if not bare or lookup.number_of(f"entity:{bare}"):
        return bare
    if "--" not in bare:
        names = {each.name.casefold(): each.id for each in entities}
        ids = lookup.known_names([bare]).get(bare.casefold(), ())
        bare = ids[0] if len(ids) == 1 else names.get(bare.casefold(), bare)
    return _end(_visible(bare))


def _in_own_words(route: model.Route, text: str) -> model.Route:
    """A route whose steps and trigger are stretches of the text, in their order.

    Where they are not, or leave out too much, the text is one step as a whole.
    """
    at = left = 0
    for step in route.steps:
        found = text.find(step, at) if step else -1
        if found < 0:
            return replace(route, steps=(), trigger="")
        left += _letters(text[at:found])
        at = found + len(step)
    trigger = route.trigger if route.trigger in text else ""
    left += _letters(text[at:]) - _letters(trigger)
    short = route.store is Store.PROCEDURAL and left > _LEFT_OUT * _letters(text)
    return replace(route, steps=() if short else route.steps, trigger=trigger)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


# --- from a route to places --------------------------------------------------


def _observed_steps(observation: model.Observation) -> Iterator[tuple[str, Place]]:
    """Yield where an observation of a text goes, on every page where a fact ends."""
    place, text = observe.place_of(observation, FIRST, ""), observation.text
    gone = list(observation.supersedes)
    if isinstance(place, model.Semantic):
        page = place.about
        gone.sort(key=lambda id_: id_.partition("#")[0] != page)
        if gone and gone[0].startswith(f"{page}#"):
            place = replace(place, supersedes=gone.pop(0))
    yield text, place
    for id_ in gone:
        page = id_.partition("#")[0]
        kind = page.partition("--")[0]
        yield text, model.Semantic(page, kind, supersedes=id_, basis=FIRST)


def places_of(route: model.Route, text: str) -> Iterator[tuple[str, Place]]:
    """What is stored where: the text itself first, then what follows from it.

    A superseded fact is ended on its own page, where the text takes its place. Core
    memory gets the speaker's words, never those a mind made of them.

    Args:
        route: Where a text belongs.
        text: The text.
    """
    gone = list(route.supersedes)
    value = route.steps[0].strip(" .") if route.steps else ""
    filled = route.store is Store.CORE and route.name in CORE_LABELS and value
    line = f"{route.name}: {value}" if filled else headline(text, model.LONGEST_LINE)
    match route.store:
        case Store.PROCEDURAL:
            steps = "\n".join(" ".join(step.split()) for step in route.steps)
            name = route.name or headline(text, 60)
            yield steps or text, model.Procedural(name, route.trigger)
        case Store.VAULT:
            yield text, model.Vault()
        case Store.CORE:
            yield line, model.Core(route.block)
        case _ if route.observations:
            # What a long text tells stands by itself; the text is kept as it is.
            yield text, model.Episodic(EpisodeKind.EVENT, route.confidence, route.tags)
            for each in route.observations:
                yield from _observed_steps(each)
        case _ if gone:
            # Of those that end, the one on the page that it is about is replaced.
            gone.sort(key=lambda id_: id_.partition("#")[0] != route.about)
            first = gone.pop(0)
            yield text, replace(_on_page(route, first), supersedes=first)
        case Store.SEMANTIC if route.about:
            yield text, _on_page(route, route.about)
            yield from ((text, place) for place in _on_other_pages(route))
        case _:
            yield text, model.Episodic(EpisodeKind.FACT, route.confidence, route.tags)
    for id_ in gone:
        page = id_.partition("#")[0]
        yield text, model.Semantic(page, page.partition("--")[0], supersedes=id_)
    if route.core_update and route.store is not Store.CORE:
        yield line, model.Core(route.block)


def _on_page(route: model.Route, id_: str) -> model.Semantic:
    """A fact on a page, with the relations that begin there."""
    page = id_.partition("#")[0]
    links = [(r.relation, r.target) for r in route.relations if r.origin == page]
    if page == route.about:
        linked = {end for r in route.relations for end in (r.origin, r.target)}
        rest = (each.id for each in route.entities if each.id not in {*linked, page})
        links += [(model.RELATES_TO, id_) for id_ in rest]
    name = next((each.name for each in route.entities if each.id == page), page)
    meant = [each for each in route.entities if each.id == page] or route.entities
    also = meant[0].aliases if len(meant) == 1 else ()
    kind = page.partition("--")[0]
    return model.Semantic(name, kind, links=tuple(links), also=also, tags=route.tags)


def find_left_out(route: model.Route) -> tuple[str, ...]:
    """Return the relations and entities of a route that no page stores, in words."""
    if route.store is Store.SEMANTIC and route.about:
        return ()
    relations = (f"{r.origin} {r.relation} {r.target}" for r in route.relations)
    named = {route.about, *(e.about for e in route.observations)}
    entities = (e.id for e in route.entities if e.id not in named)
    why = f"only a fact has relations, and this is stored as {route.store}"
    return tuple(f"{each} ({why})" for each in (*relations, *entities))


def _on_other_pages(route: model.Route) -> Iterator[model.Semantic]:
    """Yield a fact for each other page that a relation starts from."""
    mentioned = {each.id for each in route.entities}
    for page in dict.fromkeys(each.origin for each in route.relations):
        if page != route.about:
            place = _on_page(route, page)
            yield place if page in mentioned else replace(place, also=())


def add_basis(saying: Saying) -> Saying:
    """Return a draft that says what it was made of, or which turn told it."""
    steps = []
    for text, to in saying.steps:
        if isinstance(to, model.Semantic | model.Episodic):
            to = replace(to, basis=to.basis or saying.basis)  # noqa: PLW2901 - the same
        steps.append((text, to))
    return replace(saying, steps=tuple(steps))


class NotAFactError(RefusedError):
    """Only a fact on a page can be over, or be asked about there."""

    says = "{!r} is not the id of a fact"
    mend = "{1} takes the id of a fact, such as person--alex#3f2a9c."


def _may_mean(word: str, names: Iterable[str]) -> bool:
    """Whether a word may be somebody's name: a part of it, or, as in German, more."""
    return any(
        word in name.casefold().split()
        or (len(name) > 3 and word.startswith(name.casefold()))
        for name in names
    )


def _listed(told: Mapping[str, str]) -> str:
    """Names or facts by id, one a line, without secrets."""
    return without_secrets("\n".join(f"{id_}: {said}" for id_, said in told.items()))


class Clerk:
    """Files texts.

    Args:
        session: The workspace's parts.
        minds: Who thinks.
    """

    def __init__(self, session: Session, minds: Minds) -> None:
        self._session = session
        self._minds = minds

    def file(self, saying: Saying) -> Saying:
        """Say where something belongs: its caller knows, a mind, or whom it names."""
        text, origin, lookup = saying.text, saying.origin, self._session.index
        if saying.place is not None:
            steps = (("", saying.place), *saying.also)
            typed = ((said or text, self._typed(place)) for said, place in steps)
            return replace(saying, steps=tuple(typed))
        named, page = find_named(text[:MOST_READ], lookup), ""
        mind = self._minds.open("remember", render_saying(saying))
        if mind is None:
            # Who passes on what the user asked for passes on their "I".
            own = origin is Origin.OWNER or saying.actor == REMEMBER
            own = own and origin not in FOREIGN
            route = route_unread(text, named, self.user(), own=own)
            if own:
                # The user asked for it, which is what high confidence means (8.2).
                route = replace(route, confidence=Confidence.HIGH)
            if route.about:
                # Whom it is about is called as their page does.
                known = lookup.names_of(route.about)
                page = route.about if known else ""
                name = known[0] if known else user_name(lookup) or "user"
                mention = model.EntityMention(name, route.about.partition("--")[0])
                route = replace(route, entities=(mention,))
        else:
            route = self._ask(mind, saying, named)
        if origin in FOREIGN and route.supersedes:
            # What strangers say takes the place of nothing; that it would is told.
            against = (*route.contradicts, *route.supersedes)
            route = replace(route, supersedes=(), contradicts=against)
        (said, place), *others = places_of(route, text)
        if page and isinstance(place, model.Semantic):
            place = self._called(replace(place, about=page))
        else:
            place = self._apart(self.settled(place))
        others = [(text, self.settled(to)) for text, to in others]
        left_out = (*saying.left_out, *find_left_out(route))
        steps = ((said, place), *others)
        return replace(saying, steps=steps, route=route, left_out=left_out)

    def _ask(self, mind: Mind, saying: Saying, named: Sequence[Named]) -> model.Route:
        """Let a mind say where something belongs.

        The host agent may answer later: what it was offered is what it is held to.
        """
        held = self._box(saying).held("route") if self.asks_the_host else None
        asked = held or self._question(saying.text, named)

        def check(value: Mapping[str, object]) -> model.Route:
            here = [i for i in _OFFERED.findall(asked.text) if self.around.cited(i)]
            return read_route(value, saying.text, here, self._session.index)

        is_id = partial(is_known_id, self._session.index)
        return ask(mind, asked, check, is_id=is_id)

    def _question(self, text: str, named: Sequence[Named]) -> Question:
        """What a mind is told: the user, entities and facts near to a text.

        Secrets that are kept here by hand are nobody else's.
        """
        entities, facts = self.offered(text, named)
        who, what = _listed(entities), _listed(facts)
        today = f"{self._session.clock():%A, %Y-%m-%d}"
        return route_question(without_secrets(text), self.user(), who, what, today)

    def offered(
        self, text: str, named: Sequence[Named]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """What a mind is offered for a text: entities and facts near to it, by id.

        Args:
            text: What it is asked about.
            named: The known names in it.

        Returns:
            What the entities are called, and the words of the facts.
        """
        lookup, user = self._session.index, self.user()
        pages = [id_ for each in named for id_ in each.ids]
        alike: dict[str, list[str]] = {}
        for word in dict.fromkeys(re.findall(r"[^\W_]{4,}", text[:MOST_READ].lower())):
            if len(alike) < MOST_NAMED:
                alike |= lookup.named_like(word, 3)
                pages += [i for i, names in alike.items() if _may_mean(word, names)]
        near = find_near(text, (*pages, user), self.around, offered=True)
        ids = dict.fromkeys([*pages, *(each.page for each in near), user])
        known = {id_: names for id_ in ids if (names := lookup.names_of(id_))} | alike
        entities = [(id_, ", ".join(names)) for id_, names in known.items()]
        facts = {
            each.id: clip_to_tokens(" ".join(each.text.split()), _FACT_TOKENS)
            for each in near
        }
        return dict(entities[:MOST_NAMED]), facts

    @property
    def around(self) -> Around:
        """What looking around may look at."""
        return Around(self._session)

    def user(self) -> str:
        """The id of the human's own page, which may not be there yet."""
        return user_page(self._session.index)

    def pages(self, text: str, place: Place) -> tuple[str, ...]:
        """The entities whose pages a text is about, as far as code can tell."""
        if isinstance(place, model.Semantic):
            return (known_as(self._session.index, entity_name(place)),)
        named = find_named(text[:MOST_READ], self._session.index)
        return tuple(each.ids[0] for each in named if len(each.ids) == 1)

    def _typed(self, place: Place) -> Place:
        """A place whose entity is known, where nobody said it or its type.

        The id of a fact says on which page it stands.
        """
        if not isinstance(place, model.Semantic):
            return place
        cited, named = parse_fact_id(place.supersedes), place.about.strip()
        kind, dashes, _ = named.partition("--")
        if dashes and place.type not in {slug(kind), model.Semantic().type}:
            what = f"{named} is not of the type {place.type!r}"
            raise RefusedError(what, hint="Leave out the type: the ID says it.")
        if (
            place.supersedes
            and not cited
            and (_ID.match(place.supersedes) or not named)
        ):
            raise NotAFactError(place.supersedes, "--supersedes")
        if cited and not named:
            return replace(place, about=cited[0], type=cited[0].partition("--")[0])
        lookup, untyped = self._session.index, place.type == model.Semantic().type
        if is_user(lookup, named) and (untyped or place.type == "person"):
            return self._called(replace(place, about=user_page(lookup), type="person"))
        called = lookup.called(place.about) if untyped else []
        if len(called) == 1:
            return replace(place, about=called[0])
        return self.settled(place, FEW)

    def _moved(self, place: model.Semantic) -> model.Semantic:
        """A place on the page of now, where it was merged or renamed since."""
        asked = entity_name(place)
        now = known_as(self._session.index, asked)
        return place if now == asked else replace(place, about=now)

    def _called(self, place: model.Semantic) -> model.Semantic:
        """A place on the user's page, which keeps the name that core memory knows."""
        lookup, own = self._session.index, user_name(self._session.index)
        known = (name.casefold() for name in lookup.names_of(place.about))
        if not own or not is_user(lookup, place.about) or own.casefold() in known:
            return place
        return replace(place, alias=own)

    def settled(self, place: Place, most: int = MANY) -> Place:
        """A place whose entity is one that is known, where it clearly is.

        Who gives the id of a page means no other: what it may be is asked there.

        Args:
            place: Where something belongs.
            most: So many names that begin alike are compared.
        """
        if not isinstance(place, model.Semantic):
            return place
        # Nobody is held off meanwhile, so what is read here may change under our hands.
        return self._session.answered(lambda: self._settled(place, most))

    def _settled(self, place: model.Semantic, most: int) -> model.Semantic:
        lookup, asked = self._session.index, entity_name(place)
        if place.type == "person" and is_user(lookup, place.about):
            return self._called(replace(place, about=user_page(lookup)))
        by_id = ENTITY_NAME.fullmatch(place.about.strip())
        if lookup.path_of(f"entity:{asked}") and (
            by_id or asked in lookup.called(place.about)
        ):
            return place
        if (moved := self._moved(place)) is not place:
            return moved
        kind, name = asked.partition("--")[0], place.about.rpartition("--")[2]
        same, perhaps = match_entity(name, kind, lookup.named_like(name, most))
        if by_id:
            same, perhaps = "", (same,) if same else perhaps
        # Nobody is reminded of what was forgotten.
        traces = ((id_, lookup.trace(f"entity:{id_}")) for id_ in perhaps)
        there = (id_ for id_, trace in traces if not (trace and trace.archived))
        perhaps = tuple(dict.fromkeys((*place.perhaps, *there)))
        alias = place.about if same else place.alias
        return replace(place, about=same or place.about, alias=alias, perhaps=perhaps)

    def _apart(self, place: Place) -> Place:
        """A place that takes no other's name: whether both are one, a person says."""
        if not isinstance(place, model.Semantic) or not place.also:
            return place
        lookup, page = (
            self._session.index,
            known_as(self._session.index, entity_name(place)),
        )
        others = {n: [i for i in lookup.called(n) if i != page] for n in place.also}
        also = tuple(name for name in place.also if not others[name])
        ids = (id_ for name in place.also for id_ in others[name])
        perhaps = tuple(dict.fromkeys((*place.perhaps, *ids)))
        return replace(place, also=also, perhaps=perhaps)

    def wish(self, said: str) -> tuple[str, bool]:
        """What somebody wants forgotten, and whether for good.

        A mind may find the words; only the explicit ones are for good. Nobody waits
        for the host agent with it.
        """
        words, permanent = read_wish(said, self._session.config.triggers)
        saying = Saying(said, None, FORGET, "", Origin.OWNER)
        thinks = self._minds.kind in {"api", "given"}
        mind = self._minds.open("remember", render_saying(saying)) if thinks else None
        if mind is None:
            return words, permanent
        question = forget_question(without_secrets(said))
        target = ask(mind, question, lambda value: str(value["target"]).strip())
        return target or words, permanent

    @property
    def asks_the_host(self) -> bool:
        """Whether it is the host agent who says where something belongs."""
        return self._minds.kind == "host"

    def finish(self, saying: Saying) -> None:
        """Let go of what the host agent was asked for something that is stored."""
        if self.asks_the_host:
            self._box(saying).finish()

    def _box(self, saying: Saying) -> QuestionBox:
        return self._minds.box("remember", render_saying(saying))

    def place_of(self, proposal: Proposal) -> Place:
        """Where a proposal is to go: its store, and there what it names.

        As a fact it goes to the page of what it replaces, is about or names, linked
        with others; what is about nothing known is an episode.
        """
        wanted: Place = model.Episodic(EpisodeKind.FACT, proposal.confidence)
        match proposal.store:
            case Store.SEMANTIC:
                cited, entities = parse_fact_id(proposal.supersedes), proposal.entities
                if not entities and not cited:
                    named = find_named(
                        proposal.content[:MOST_READ], self._session.index
                    )
                    entities = tuple(n.ids[0] for n in named[:1] if len(n.ids) == 1)
                if about := cited[0] if cited else next(iter(entities), ""):
                    links = tuple((model.RELATES_TO, e) for e in entities if e != about)
                    wanted = model.Semantic(
                        about,
                        supersedes=proposal.supersedes,
                        links=links,
                        said=proposal.at.date() if proposal.at else None,
                        basis=proposal.basis or proposal.kept,
                        confidence=proposal.confidence,
                    )
            case Store.PROCEDURAL:
                name = proposal.name or headline(proposal.content, 60)
                wanted = model.Procedural(name, proposal.when, proposal.supersedes)
            case Store.VAULT:
                wanted = model.Vault(proposal.name, proposal.supersedes)
            case Store.CORE:
                known = proposal.block in frozenset(Block)
                block = Block(proposal.block) if known else Block.CONTEXT
                wanted = model.Core(block, supersedes=proposal.supersedes)
            case _:
                pass
        return place_within(proposal, wanted)
