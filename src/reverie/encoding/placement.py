"""Placement: plan the edits by which a text is put into a store (design, 4 to 7).

Everything here plans: it reads, and returns the edits that would do it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from reverie.dates import at_home
from reverie.errors import RefusedError
from reverie.index.located import BY
from reverie.markdown import headline, split_lines
from reverie.model import items
from reverie.model.change import Action, Actor, Edit, Secrets, edit_of
from reverie.model.ids import ItemId, Kind, MissingItemError, slug
from reverie.model.items import FROM, SCOPE, Origin, implied, named
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault
from reverie.printable import storable, storable_name
from reverie.recall.context_block import quote_others
from reverie.stores import core, entities, episodes, procedures, vault
from reverie.stores.check import core_budgets
from reverie.stores.ended_links import ENTITY_NAME, Pages, end_links, page_text
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import tzinfo

    from reverie.config import Config
    from reverie.model.conversation import Quote
    from reverie.model.items import Entry
    from reverie.model.route import Place, Route

    Step = tuple[str, Place]
    _EntityPage = entities.EntityPage


class Saying(Struct, frozen=True):
    """Something to be remembered; it grows on its way through gate and routing.

    Attributes:
        text: What was said.
        place: Where it belongs; None to find out.
        actor: Who acts.
        trigger: What started it.
        origin: Whose words it is.
        secrets: What to do with passwords and keys in it.
        parents: Ids of the memories that it is derived from.
        contradicts: Ids of known facts that its speaker says it contradicts.
        turn: The id of the turn that it was said in, where it was said in one.
        stated_in: ID of the user turn that states the text; empty for none.
        supersedes: IDs of the memories whose place it takes.
        ends: Those of them that stand elsewhere than what is stored.
        also: Further texts and places that are stored in the same change; an empty
            text stands for the text itself. Only where its caller names the place.
        left_out: Parts of its structure that are not stored, each in words.
        steps: What is stored where, the text itself first; empty until it is routed.
        route: How that was found out; None where the caller chose.
        waiting: What of it waits for a human, and where it would go.
        why: Why that waits.
        conversation: The conversation that an agent quotes the user from.
        quote: The user's own sentences that the text quotes; None without a quote.
    """

    text: str
    place: Place | None
    actor: Actor
    trigger: str
    origin: Origin
    secrets: Secrets = Secrets.REFUSE
    parents: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    turn: str = ""
    stated_in: str = ""
    supersedes: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    also: tuple[Step, ...] = ()
    left_out: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    route: Route | None = None
    waiting: tuple[Step, ...] = ()
    why: str = ""
    conversation: str = ""
    quote: Quote | None = None

    @property
    def struck(self) -> tuple[str, ...]:
        """IDs of the episodes that it takes the place of."""
        ids = [p.supersedes for _, p in self.steps if isinstance(p, Episodic)]
        ids += (id_ for id_ in self.ends if not entities.parse_fact_id(id_))
        return tuple(filter(None, ids))

    @property
    def basis(self) -> str:
        """Ids of what is behind it, with a blank between."""
        return " ".join(self.parents) or self.turn


def render_saying(saying: Saying) -> dict[str, str]:
    """What another process needs to go on, once the host agent has answered.

    Only what has no place waits for an answer.
    """
    words = ("text", "actor", "trigger", "origin", "secrets", "turn")
    said = {name: str(getattr(saying, name)) for name in words}
    return said | {name: json.dumps(getattr(saying, name)) for name in _IDS}


_IDS = ("parents", "contradicts", "supersedes")


def parse_saying(told: Mapping[str, str]) -> Saying:
    """Read what `render_saying` wrote."""
    actor, origin = Actor(told["actor"]), named(told["origin"])
    parents, against, gone = (tuple(json.loads(told.get(name, "[]"))) for name in _IDS)
    said = Saying(told["text"], None, actor, told["trigger"], origin)
    secrets, turn = Secrets(told["secrets"]), told.get("turn", "")
    said = replace(said, secrets=secrets, turn=turn)
    return replace(said, parents=parents, contradicts=against, supersedes=gone)


def entity_name(place: Semantic) -> str:
    """The id of the entity that a place speaks of, without its kind."""
    about = storable_name(place.about)
    if ENTITY_NAME.fullmatch(about):
        kind, _, rest = about.partition("--")
        return f"{slug(kind)}--{slug(rest)}"
    return f"{slug(storable_name(place.type))}--{slug(about)}"


def called_in(memory: core.CoreMemory) -> str:
    """The name that core memory says its human has; `user` if it says none."""
    for item in (entry.item for entry in memory.entries):
        if isinstance(item, items.CoreItem) and item.slug == "name" and not item.by:
            return item.text.partition(":")[2].strip() or "user"
    return "user"


FIRST = "first"
"""Stands for the id of the first of several texts, which the others are made of."""

CLAIM = "claim"
"""The field that says whose claim an episode is."""

FULL_DAY = episodes.FULL_DAY
"""Bytes from which on a day's log goes on in a further part."""


class Desk(Struct, frozen=True):
    """What planning may look at.

    Attributes:
        config: The workspace's parameters.
        now: The moment of the request, on the clocks of the workspace's zone.
        source: Where the text comes from.
        read: A file's bytes as they stand; None where there is none.
        place: Where in a folder a file of some name stands or would be put.
        vividness: How relevant a memory is at the moment, by id.
        said_by: Whose words it is; None where the source says it.
        zone: The workspace's, whose days those of memories are.
        filed: Whether a text of some file was imported before.
        thinks: Whether a mind will read what is imported.
        quoted: Whether the text quotes sentences that the user typed.
    """

    config: Config
    now: datetime
    source: items.Source
    read: Callable[[str], bytes | None]
    place: Callable[[str, str], str]
    vividness: Callable[[str], float]
    said_by: Origin | None = None
    zone: tzinfo = UTC
    filed: Callable[[str, str], bool] = lambda _origin, _text: False
    thinks: bool = False
    quoted: bool = False

    def home(self, moment: datetime) -> datetime:
        """A moment that a memory can be from, on the clocks of the workspace's zone."""
        return at_home(items.in_utc(moment), self.zone)

    @property
    def pages(self) -> Pages:
        """Where the pages of entities are."""
        return Pages(self.read, self.place, self.home(self.now).date())

    def gist(self, text: str) -> str:
        """Return the first line of a text for the log; that of others in quotes."""
        return quote_others(headline(text), self.origin)

    @property
    def by(self) -> str:
        """Whose words it is, where the source does not say the same."""
        return "" if self.origin is implied(self.source) else self.origin

    @property
    def origin(self) -> Origin:
        """Whose words it is."""
        return self.said_by or implied(self.source)


class PlacementPlan(NamedTuple):
    """Edits that would store something, and the ids it would have."""

    edits: tuple[Edit, ...]
    ids: tuple[str, ...]


def plan_all(
    steps: Sequence[Step], desk: Desk, against: Sequence[str] = ()
) -> PlacementPlan:
    """Plan to store several texts in one change, each on top of those before it.

    Args:
        steps: What is stored where.
        desk: What planning may look at.
        against: Ids of facts that the first text contradicts; their pages ask.
    """
    edits: dict[str, Edit] = {}
    ids: list[str] = []
    for text, place in steps:
        if isinstance(place, Semantic | Episodic) and place.basis == FIRST:
            place = replace(place, basis=ids[0])  # noqa: PLW2901 - the same place
        plan = plan_remember(text, place, desk_over(edits, desk))
        put_on_top(edits, plan.edits)
        ids += plan.ids
    if against and ids:
        new = fact_of(ids, steps[0]) or ids[0]
        for fact, name in ((f, n) for f in against for n in (f, new) if "#" in n):
            # Both pages ask, so that whichever side ends, neither does any more.
            path, old, found = desk_over(edits, desk).pages.find(name.partition("#")[0])
            if found is None:
                continue
            asks = entities.render_entity(entities.ask_which_holds(found, (fact, new)))
            why = f"asks: {fact} or {new}"
            if asks != page_text(old, path):
                put_on_top(edits, [edit_of(path, old, asks, Action.EDIT, why)])
    return PlacementPlan(tuple(edits.values()), tuple(dict.fromkeys(ids)))


def fact_of(ids: Sequence[str], first: Step) -> str:
    """What the first of several texts is cited by, if it is a fact; else nothing."""
    if not ids or not isinstance(first[1], Semantic):
        return ""
    return entities.fact_id(ids[0].partition(":")[2], first[0])


def plan_routed(
    entry: Entry, path: str, steps: Sequence[Step], desk: Desk
) -> PlacementPlan:
    """Plan to move an episode to where it belongs, in one change.

    Args:
        entry: The episode.
        path: The log it stands in.
        steps: What is stored where instead.
        desk: What planning may look at.
    """
    old = desk.read(path)
    why = f"routed: {headline(entry.text)}"
    rest = cut_out(page_text(old, path), [entry])
    edits = {path: edit_of(path, old, rest, Action.EDIT, why)}
    plan = plan_all(steps, desk_over(dict(edits), desk))
    put_on_top(edits, plan.edits)
    return PlacementPlan(tuple(edits.values()), plan.ids)


def plan_remember(text: str, place: Place, desk: Desk) -> PlacementPlan:
    """Plan to store a text where its caller wants it."""
    clean = storable(text, desk.config.ledger.text_limit)
    match place:
        case Episodic():
            return _in_episodes(clean, place, desk)
        case Semantic():
            return _in_graph(clean, place, desk)
        case Procedural():
            return _in_procedures(clean, place, desk)
        case Vault():
            return _in_vault(clean, place, desk)
        case Core():
            return _in_core(clean, place, desk)


def _written(
    id_: ItemId, path: str, old: bytes | None, new: str, why: str
) -> PlacementPlan:
    """A memory that has a file of its own, written or grown; perhaps as it was."""
    action = Action.CREATE if old is None else Action.EDIT
    edit = edit_of(path, old, new, action, headline(why))
    return PlacementPlan(() if edit.content == old else (edit,), (str(id_),))


def _in_episodes(text: str, place: Episodic, desk: Desk) -> PlacementPlan:
    corrects = place.supersedes
    old_item = find_episode(corrects, desk.pages).entry.item if corrects else None
    at, timed = _event_time(place, old_item, desk)
    path, last = _open_part(at, desk)
    old = desk.read(path)
    known = page_text(old, path)
    tags = tuple(storable_name(tag) for tag in place.tags)
    by = ((BY, desk.by),) if desk.by else ()
    told = (SCOPE, place.scope), (FROM, place.basis), (CLAIM, place.claim)
    said = ((key, storable_name(value)) for key, value in told if value.strip())
    unknown = () if timed else (episodes.NO_TIME,)
    back = ((episodes.CORRECTS, corrects),) if corrects else ()
    more = (*by, *said, *unknown, *episodes.noted(at, desk.now), *back)
    episode = items.Episode(
        at, place.kind, place.confidence, text, tags, desk.source, more
    )
    new = episodes.append_episode(known, episode, last=last)
    added = episodes.parse_more(new, path, known)
    action = Action.APPEND if old else Action.CREATE
    edits = {path: edit_of(path, old, new, action, desk.gist(text))}
    if corrects:
        over = desk_over(edits, desk).pages
        put_on_top(edits, [strike_episode(corrects, str(added[-1].id), over)])
    return PlacementPlan(tuple(edits.values()), (str(added[-1].id),))


class FoundEpisode(NamedTuple):
    """An episode in its log."""

    path: str
    data: bytes | None
    entry: items.Entry


def find_episode(id_: str, pages: Pages) -> FoundEpisode:
    """Return an episode and the log it stands in.

    Raises:
        MissingItemError: No log of its day has it.
    """
    day = date.fromisoformat(ItemId.parse(id_).name[:10])
    part = 1
    while True:
        path = pages.place(layout.EPISODES, episodes.day_name(day, part))
        data = pages.read(path)
        for entry in episodes.parse_day(page_text(data, path), path).entries:
            if str(entry.id) == id_:
                return FoundEpisode(path, data, entry)
        if data is None:
            raise MissingItemError(id_, path)
        part += 1


def _event_time(
    place: Episodic, old: items.Item | None, desk: Desk
) -> tuple[datetime, bool]:
    """Return when an episode happened, to the minute, and whether the hour is known.

    An entry of a day without an hour is filed at noon. One of today was recorded now,
    and one that keeps the moment of what it corrects keeps its day as well, wherever
    the clocks of the workspace have moved since.
    """
    at = place.at
    if at is not None and not isinstance(at, datetime):
        if at != desk.home(desk.now).date():
            return desk.home(datetime.combine(at, time(12), desk.zone)), False
        at = None
    if isinstance(old, items.Episode) and at == old.at:
        return old.at, old.timed
    moment = desk.home(at or desk.now)
    return moment.replace(second=0, microsecond=0), True


def strike_episode(id_: str, by: str, pages: Pages) -> Edit:
    """The edit by which an episode is struck out in its log.

    Args:
        id_: The episode.
        by: What says what is true instead.
        pages: Where files are.
    """
    path, old, _ = find_episode(id_, pages)
    new = episodes.strike_out(page_text(old, path), path, id_, pages.today, by)
    return edit_of(path, old, new, Action.EDIT, f"corrected by {by}")


def finish_episode(id_: str, day: date, pages: Pages) -> Edit:
    """Return the edit that marks the plan of an episode as done.

    Args:
        id_: The episode.
        day: The day it was done.
        pages: Where files are.
    """
    path, old, _ = find_episode(id_, pages)
    new = episodes.mark_done(page_text(old, path), path, id_, day)
    return edit_of(path, old, new, Action.EDIT, f"done on {day}: {id_}")


def _open_part(at: datetime, desk: Desk) -> tuple[str, int]:
    """The part of a day's log that still takes entries.

    Returns:
        Its path, and the highest number that entries of that minute have before it.
    """
    part, last = 1, 0
    while True:
        path = desk.place(layout.EPISODES, episodes.day_name(at.date(), part))
        data = desk.read(path)
        if data is None or len(data) < FULL_DAY:
            return path, last
        last = max(last, episodes.last_number(page_text(data, path), f"{at:%H:%M}"))
        part += 1


def _in_graph(text: str, place: Semantic, desk: Desk) -> PlacementPlan:
    name, about = entity_name(place), storable_name(place.about)
    by_name = not ENTITY_NAME.fullmatch(about)
    links, today = _links(place, desk), desk.now.date()
    path, old, page = desk.pages.find(name)
    if page and by_name and page.entity.name == name:
        called = (page.entity.label, *page.entity.aliases)
        if _letters(about) not in map(_letters, called):
            # `C`, `C++` and `C#` all come down to the letter, and are three things.
            name = f"{name}-{entities.reference(about.casefold())[:4]}"
            path, old, page = desk.pages.find(name)
    elif page:
        # It was merged, renamed, or is the user's, whatever they are called.
        name = page.entity.name
    if place.since and place.until and place.until < place.since:
        what = f"cannot keep a fact that ends on {place.until}, before {place.since}"
        raise RefusedError(what, hint="`until` is on or after `since`.")
    over = place.until if place.until and place.until <= today else None
    fact = items.Fact(
        text,
        place.since or (None if over else today),
        desk.source,
        over,
        ends=None if over else place.until,
        by=desk.by,
        said=place.said or today,
        on=place.on,
        basis=storable_name(place.basis) if place.basis else "",
        confidence=place.confidence,
        claim=storable_name(place.claim) if place.claim else "",
        tags=", ".join(map(storable_name, place.tags)),
    )
    more: tuple[Edit, ...] = ()
    if page is None:
        if place.supersedes:
            raise entities.MissingFactError(place.supersedes, path)
        kind, _, rest = name.partition("--")
        entity = items.Entity(
            *(kind, rest, about if by_name else entities.default_label(rest)),
            facts=(fact,),
            links=tuple(_linked(fact, links, today)),
            created=today,
            updated=today,
            source=desk.source,
        )
        page = entities.parse_entity(entities.new_entity(entity), path)
    else:
        before = page
        said = (each for each in page.entity.facts if each.current)
        known = next((f for f in said if _plain(f.text) == _plain(text)), None)
        if place.supersedes:
            gone = entities.cited_fact(page, place.supersedes)
            page = _superseded(page, gone, fact, today)
        elif known is None:
            page = entities.add_fact(page, fact)
        else:
            page = _told_again(page, known, fact, place)
        for link in _linked(known or fact, links, today):
            page = entities.add_link(page, link)
        page, more = end_links(before, page, desk.pages)
    page = _named(page, place)
    if old is not None and page_text(old, path) != entities.render_entity(page):
        page = entities.set_header(page, updated=today)
    id_ = ItemId(Kind.ENTITY, name)
    plan = _written(id_, path, old, entities.render_entity(page), desk.gist(text))
    return plan._replace(edits=(*plan.edits, *more))


def _told_again(
    page: _EntityPage, known: items.Fact, fact: items.Fact, place: Semantic
) -> _EntityPage:
    """Return a page on which a known fact has what is now said of it besides."""
    given = {
        "since": place.since,
        "on": place.on,
        "claim": fact.claim,
        "ends": fact.ends,
        "tags": fact.tags,
    }
    changes: dict[str, object] = {key: value for key, value in given.items() if value}
    if known.text.split() != fact.text.split():
        changes["text"] = fact.text
    if fact.confidence is items.Confidence.HIGH:
        changes["confidence"] = fact.confidence
    name = entities.reference(known.text)
    page = entities.update_fact(page, name, **changes)
    name = entities.reference(fact.text) if "text" in changes else name
    return entities.end_fact(page, name, until=fact.until) if fact.until else page


def _plain(text: str) -> str:
    """Return a text without its final full stop, in lower case."""
    return " ".join(text.split()).rstrip(".").casefold()


def _superseded(
    page: _EntityPage, gone: str, fact: items.Fact, today: date
) -> _EntityPage:
    """Return a page on which a fact takes the place of another, at once or on its day.

    A plan, which has not begun, is replaced at once.
    """
    day = fact.since or today
    held = {entities.reference(f.text): f for f in page.entity.facts if f.current}
    if day <= today:
        return entities.supersede_fact(page, gone, fact, on=day)
    if gone not in held:
        raise entities.MissingFactError(gone, page.path)
    if entities.is_planned(held[gone], today):
        return entities.supersede_fact(page, gone, fact, on=today)
    return entities.add_fact(page, replace(fact, supersedes=gone))


def _linked(
    fact: items.Fact, links: Iterable[tuple[str, str]], today: date
) -> Iterator[items.Link]:
    """The links that come with a fact; with one that is over there are none."""
    name = entities.short_name(fact.text)
    begins = fact.since if fact.since and fact.since > today else None
    since = None if begins else fact.since
    for label, target in links if fact.current else ():
        sure = fact.confidence
        yield items.Link(label, (target,), since, (name,), sure, begins)


def _named(page: _EntityPage, place: Semantic) -> _EntityPage:
    """A page that keeps another name, and asks whether it is another's."""
    for name in filter(None, (place.alias, *place.also)):
        page = entities.add_alias(page, storable_name(name))
    for name in place.perhaps:
        question = f"{entities.SAME_AS} [[{name}]]?"
        asked = question in page.entity.questions
        if not asked and name not in entities.kept_apart(page):
            page = entities.add_question(page, question)
    return page


def _letters(name: str) -> str:
    """A name without case, spaces and hyphens, however its accents are typed."""
    return unicodedata.normalize("NFC", re.sub(r"[\s_-]+", "", name).casefold())


def _links(place: Semantic, desk: Desk) -> list[tuple[str, str]]:
    """The relations that go with a fact, each to one entity's id as it is now."""
    links = []
    for label, target in place.links:
        name = storable_name(target).removeprefix("[[").removesuffix("]]")
        if not ENTITY_NAME.fullmatch(name) or set(name) & set("[]|#"):
            what = f"{target!r} is not the name of an entity"
            hint = "Name both its type and its name, such as person--alex."
            raise RefusedError(what, hint=hint)
        path = desk.place(layout.ENTITIES, f"{name}.md")
        now = path.rpartition("/")[2].removesuffix(".md")
        links.append((storable_name(label), now))
    return links


def _in_procedures(text: str, place: Procedural, desk: Desk) -> PlacementPlan:
    name = slug(storable_name(place.name).removesuffix(".md"))
    path = desk.place(layout.PROCEDURES, f"{name}.md")
    old = desk.read(path)
    steps = procedures.split_steps(text)
    trigger = place.trigger and storable(place.trigger, desk.config.ledger.text_limit)
    if old is None:
        trigger = trigger or f"When asked: {storable_name(place.name)}."
        day, source = desk.now.date(), desk.source
        new = procedures.new_procedure(
            items.Procedure(
                name, trigger, steps, learned=day, source=source, by=desk.by
            )
        )
    else:
        page = procedures.parse_procedure(page_text(old, path), path)
        if place.supersedes and place.supersedes != f"{Kind.PROCEDURE}:{name}":
            page = procedures.replace_step(page, place.supersedes, " ".join(steps))
        else:
            page = procedures.replace_steps(page, steps)
        if trigger:
            page = procedures.add_trigger(page, trigger)
        new = procedures.render_procedure(page)
    return _written(ItemId(Kind.PROCEDURE, name), path, old, new, desk.gist(text))


def _in_vault(text: str, place: Vault, desk: Desk) -> PlacementPlan:
    if place.supersedes and place.title:
        what = f"cannot give {place.supersedes} another title with its new text"
        raise RefusedError(what, hint="Leave out the title, or write a new note.")
    if place.supersedes:
        id_ = ItemId.parse(place.supersedes)
        path = desk.place(layout.VAULT, f"{id_.name}.md")
        old = desk.read(path)
        new = vault.replace_text(page_text(old, path), path, text)
        return _written(id_, path, old, new, desk.gist(text))
    title = storable_name(place.title) if place.title else headline(text, 60)
    stem, number = slug(title), 1
    name = stem
    while desk.read(desk.place(layout.VAULT, f"{name}.md")) is not None:
        number += 1
        name = f"{stem}-{number}"
    note = items.VaultNote(name, title, text, desk.now.date(), desk.source, desk.by)
    path = desk.place(layout.VAULT, f"{name}.md")
    return _written(
        ItemId(Kind.VAULT, name), path, None, vault.new_note(note), desk.gist(title)
    )


def make_room(
    text: str, place: Core, desk: Desk
) -> tuple[core.CoreMemory, tuple[items.CoreItem, ...], list[ItemId]]:
    """Core memory with one more line, what has to leave for it, and the line's id."""
    old = desk.read(layout.CORE)
    before = core.parse_core(
        page_text(old, layout.CORE) or core.CORE_TEMPLATE, layout.CORE
    )
    # An item has no source: without a mark it is its owner's.
    by = "" if desk.origin is Origin.OWNER else str(desk.origin)
    by = items.USER_QUOTED if desk.quoted else by
    if place.supersedes:
        gone, pin, keep = ItemId.parse(place.supersedes), place.pinned, not desk.quoted
        added = core.replace_item(
            before, gone, text, by=by, pinned=pin, keep_label=keep
        )
    else:
        added = core.add_item(before, place.block, text, pinned=place.pinned, by=by)
    # A corrected line stays where it was, and often keeps its ID.
    ids = {entry.id for entry in before.entries}
    lines = {e.line for e in before.entries if str(e.id) == place.supersedes}
    fresh = [
        entry.id
        for entry in added.entries
        if (entry.line in lines if lines else entry.id not in ids)
    ]
    limits = desk.config.core
    fitted, evicted = core.fit(
        added,
        cap=limits.cap_tokens,
        budgets=core_budgets(desk.config),
        relevance=lambda item: desk.vividness(f"core:{item.block}/{item.slug}"),
        keep=frozenset(fresh),
    )
    return fitted, evicted, fresh


def _in_core(text: str, place: Core, desk: Desk) -> PlacementPlan:
    old = desk.read(layout.CORE)
    fitted, evicted, fresh = make_room(text, place, desk)
    action = Action.EDIT if old else Action.CREATE
    edits = {
        layout.CORE: edit_of(
            layout.CORE, old, core.render_core(fitted), action, desk.gist(text)
        )
    }
    moved: list[str] = []
    for item in evicted:
        plan = move_out(item, fitted, desk_over(edits, desk))
        put_on_top(edits, plan.edits)
        moved += plan.ids
    return PlacementPlan(tuple(edits.values()), (*map(str, fresh), *moved))


def move_out(
    item: items.CoreItem, memory: core.CoreMemory, desk: Desk
) -> PlacementPlan:
    """Store what had to leave core memory where it belongs.

    What is going on right now becomes an episode, and so does what an agent wrote: it
    is made of memories that are kept where they are, of whomever they tell. What the
    person said of themselves becomes a fact about them. It stays the words of whom it
    was.
    """
    desk = replace(desk, said_by=named(item.by) if item.by else Origin.OWNER)
    if item.by or item.block is items.Block.CONTEXT:
        place = Episodic(
            items.EpisodeKind.EVENT, items.Confidence.HIGH, ("core-memory",)
        )
        return _in_episodes(item.text, place, desk)
    return _in_graph(item.text, Semantic(called_in(memory), "person"), desk)


def read_over(
    edits: Mapping[str, Edit], read: Callable[[str], bytes | None]
) -> Callable[[str], bytes | None]:
    """Files as they would be with some edits done."""
    return lambda path: edits[path].content if path in edits else read(path)


def desk_over(edits: Mapping[str, Edit], desk: Desk) -> Desk:
    """A desk on which some edits are already done."""
    return replace(desk, read=read_over(edits, desk.read))


def put_on_top(edits: dict[str, Edit], more: Iterable[Edit]) -> None:
    """Add edits to some; two of one file become one."""
    for edit in more:
        first = edits.get(edit.path)
        edits[edit.path] = replace(first, content=edit.content) if first else edit


class Lines(Protocol):
    """Whatever stands in a file, from a line on."""

    @property
    def line(self) -> int:
        """Its first line, counted from 1."""

    @property
    def raw(self) -> str:
        """The very text of its lines."""


def cut_out(text: str, pieces: Iterable[Lines]) -> str:
    """A text without some pieces, each with the lines that it takes."""
    gone = {
        line
        for piece in pieces
        for line in range(piece.line, piece.line + len(split_lines(piece.raw)))
    }
    lines = enumerate(split_lines(text), 1)
    return "".join(line for number, line in lines if number not in gone)
