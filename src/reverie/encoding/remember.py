"""Remember: pass the gate, route, plan the edits of a store, commit (design, 4 to 8).

The first half plans how a text is put into the store that was chosen; the second,
`Remembering`, takes a text all the way from the gate to the commit.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.decay import standing
from reverie.encoding.echoes import BootText
from reverie.encoding.gate import (
    ForgottenError,
    OnlyHumansKeepError,
    RestatedError,
    find_known,
    humbled,
    pass_text,
    why_it_waits,
    words_of,
)
from reverie.encoding.near import find_near
from reverie.encoding.proposing import FullListError, plan_proposal
from reverie.encoding.route import (
    ENTITY_NAME,
    Filed,
    NotAFactError,
    Saying,
    called_in,
    entity_name,
    stands_in,
)
from reverie.errors import FormatError, RefusedError
from reverie.index import IndexUnavailableError
from reverie.index.check import core_budgets
from reverie.index.near_duplicates import sketch, spoken, told
from reverie.index.schema import BY
from reverie.markdown import headline
from reverie.minds.budget import OutOfTokensError
from reverie.minds.host import HostMustAnswerError
from reverie.minds.mind import MindUnavailableError, UnusableAnswerError
from reverie.model.change import (
    MAIN,
    REMEMBER,
    Action,
    Approval,
    ChangeSet,
    Edit,
    Remembered,
    Secrets,
    checksum,
)
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import (
    UNROUTED,
    Block,
    Confidence,
    CoreItem,
    Entity,
    Episode,
    EpisodeKind,
    Fact,
    Link,
    Procedure,
    Source,
    VaultNote,
    in_utc,
)
from reverie.model.origin import FOREIGN, SCOPE, Origin, implied, least, named, stated
from reverie.model.proposals import Proposal
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault, store_of
from reverie.secrets.refusal import pass_words
from reverie.session.session import NoSuchMemoryError
from reverie.stores import core, entities, episodes, procedures, vault
from reverie.stores.entities import parse_fact_id
from reverie.stores.episodes import parse_day
from reverie.stores.reading import decode
from reverie.stores.text import storable, storable_name
from reverie.workspace import layout
from reverie.workspace.layout import BOOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from reverie.config import Config
    from reverie.encoding.gate import Known
    from reverie.encoding.route import Clerk
    from reverie.model.change import Actor, Near
    from reverie.model.items import Entry
    from reverie.model.route import Place, Route
    from reverie.session.session import House

FULL_DAY = 256 << 10
"""Bytes from which on a day's log goes on in a further part."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What planning may look at.

    Attributes:
        config: The workspace's parameters.
        now: The moment of the request, in UTC.
        source: Where the text comes from.
        read: A file's bytes as they stand; None where there is none.
        place: Where in a folder a file of some name stands or would be put.
        vividness: How relevant a memory is at the moment, by id.
        said_by: Whose words it is; None where the source says it.
        filed: Whether a text of some file was imported before.
    """

    config: Config
    now: datetime
    source: Source
    read: Callable[[str], bytes | None]
    place: Callable[[str, str], str]
    vividness: Callable[[str], float]
    said_by: Origin | None = None
    filed: Callable[[str, str], bool] = lambda _origin, _text: False

    @property
    def by(self) -> str:
        """Whose words it is, where the source does not say the same."""
        return "" if self.origin is implied(self.source) else self.origin

    @property
    def origin(self) -> Origin:
        """Whose words it is."""
        return self.said_by or implied(self.source)


@dataclass(frozen=True, slots=True)
class Plan:
    """Edits that would store something, and the ids it would have."""

    edits: tuple[Edit, ...]
    ids: tuple[str, ...]


def plan_all(
    steps: Sequence[tuple[str, Place]], desk: Desk, against: Sequence[str] = ()
) -> Plan:
    """Plan to store several texts in one change, each on top of those before it.

    Args:
        steps: What is stored where.
        desk: What planning may look at.
        against: Ids of facts that the first text contradicts; their pages ask.
    """
    edits: dict[str, Edit] = {}
    ids: list[str] = []
    for text, place in steps:
        plan = plan_remember(text, place, _over(edits, desk))
        _put_on_top(edits, plan.edits)
        ids += plan.ids
    if against and ids:
        text, place = steps[0]
        page = ids[0].partition(":")[2]
        new = entities.fact_id(page, text) if isinstance(place, Semantic) else ids[0]
        for fact in against:
            over = _over(edits, desk)
            path = desk.place(layout.ENTITIES, f"{fact.partition('#')[0]}.md")
            old = over.read(path)
            found = entities.parse_entity(_text(old, path), path)
            asks = entities.render_entity(entities.ask_which_holds(found, (fact, new)))
            why = f"asks: {fact} or {new}"
            _put_on_top(edits, [_edit(path, old, asks, Action.EDIT, why)])
    return Plan(tuple(edits.values()), tuple(dict.fromkeys(ids)))


def plan_routed(
    entry: Entry, path: str, steps: Sequence[tuple[str, Place]], desk: Desk
) -> Plan:
    """Plan to move an episode to where it belongs, in one change.

    Args:
        entry: The episode.
        path: The log it stands in.
        steps: What is stored where instead.
        desk: What planning may look at.
    """
    old = desk.read(path)
    log = episodes.remove_entry(episodes.parse_day(_text(old, path), path), entry.id)
    why = f"routed: {headline(entry.text)}"
    edits = {path: _edit(path, old, episodes.render_day(log), Action.EDIT, why)}
    plan = plan_all(steps, _over(dict(edits), desk))
    _put_on_top(edits, plan.edits)
    return Plan(tuple(edits.values()), plan.ids)


def plan_remember(text: str, place: Place, desk: Desk) -> Plan:
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


def _in_episodes(text: str, place: Episodic, desk: Desk) -> Plan:
    at = in_utc(place.at or desk.now).replace(second=0, microsecond=0)
    path, last = _open_part(at, desk)
    old = desk.read(path)
    known = _text(old, path)
    tags = tuple(storable_name(tag) for tag in place.tags)
    by = ((BY, desk.by),) if desk.by else ()
    scope = ((SCOPE, storable_name(place.scope)),) if place.scope.strip() else ()
    more = (*by, *scope, *episodes.noted(at, desk.now))
    episode = Episode(at, place.kind, place.confidence, text, tags, desk.source, more)
    new = episodes.append_episode(known, episode, path, last=last)
    added = episodes.parse_more(new, path, known)
    action = Action.APPEND if old else Action.CREATE
    edit = _edit(path, old, new, action, headline(text))
    return Plan((edit,), (str(added[-1].id),))


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
        last = max(last, episodes.last_number(_text(data, path), f"{at:%H:%M}"))
        part += 1


def _in_graph(text: str, place: Semantic, desk: Desk) -> Plan:
    name, about = entity_name(place), storable_name(place.about)
    by_name = not ENTITY_NAME.fullmatch(about)
    links = _links(place)
    path = desk.place(layout.ENTITIES, f"{name}.md")
    old = desk.read(path)
    if old is not None and by_name:
        known = entities.parse_entity(_text(old, path), path).entity
        if _letters(about) not in map(_letters, (known.label, *known.aliases)):
            # `C`, `C++` and `C#` all come down to the letter, and are three things.
            name = f"{name}-{entities.reference(about.casefold())[:4]}"
            path = desk.place(layout.ENTITIES, f"{name}.md")
            old = desk.read(path)
    today = desk.now.date()
    fact = Fact(text, place.since or today, desk.source, by=desk.by)
    if old is None:
        if place.supersedes:
            raise entities.MissingFactError(place.supersedes, path)
        kind, _, rest = name.partition("--")
        entity = Entity(
            kind,
            rest,
            about if by_name else entities.default_label(rest),
            facts=(fact,),
            links=tuple(Link(label, (target,)) for label, target in links),
            created=today,
            updated=today,
            source=desk.source,
        )
        page = entities.parse_entity(entities.new_entity(entity), path)
        page = _named(page, place)
    else:
        page = entities.parse_entity(_text(old, path), path)
        words = text.split()
        facts = page.entity.facts
        if place.supersedes:
            gone = entities.cited_fact(page, place.supersedes)
            page = entities.supersede_fact(page, gone, fact, on=fact.since or today)
        elif not any(each.current and each.text.split() == words for each in facts):
            page = entities.add_fact(page, fact)
        for label, target in links:
            page = entities.add_link(page, label, target)
        page = _named(page, place)
        if _text(old, path) != entities.render_entity(page):
            page = entities.set_header(page, updated=today)
    action = Action.CREATE if old is None else Action.EDIT
    edit = _edit(path, old, entities.render_entity(page), action, headline(text))
    return Plan(_changed(edit, old), (str(ItemId(Kind.ENTITY, name)),))


def _named(page: entities.EntityPage, place: Semantic) -> entities.EntityPage:
    """A page that keeps another name, and asks whether it is another's."""
    if place.alias:
        page = entities.add_alias(page, storable_name(place.alias))
    for name in place.perhaps:
        question = f"Is this the same as [[{name}]]?"
        if question not in page.entity.questions:
            page = entities.add_question(page, question)
    return page


def _letters(name: str) -> str:
    """A name without case, spaces and hyphens."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def _links(place: Semantic) -> list[tuple[str, str]]:
    """The relations that go with a fact, each to one entity's name."""
    links = []
    for label, target in place.links:
        name = storable_name(target).removeprefix("[[").removesuffix("]]")
        if not ENTITY_NAME.fullmatch(name) or set(name) & set("[]|#"):
            what = f"{target!r} is not the name of an entity"
            hint = "Name both its type and its name, such as person--alex."
            raise RefusedError(what, hint=hint)
        links.append((storable_name(label), name))
    return links


def _in_procedures(text: str, place: Procedural, desk: Desk) -> Plan:
    name = slug(storable_name(place.name).removesuffix(".md"))
    path = desk.place(layout.PROCEDURES, f"{name}.md")
    old = desk.read(path)
    # Without the number or dash that a line was typed with.
    lines = (line for line in text.split("\n") if line.strip())
    steps = tuple(re.sub(r"^\s*(\d+[.)]|[-*])\s+", "", line).strip() for line in lines)
    if old is None:
        trigger = f"When asked: {storable_name(place.name)}."
        if place.trigger:
            trigger = storable(place.trigger, desk.config.ledger.text_limit)
        day, source = desk.now.date(), desk.source
        new = procedures.new_procedure(
            Procedure(name, trigger, steps, learned=day, source=source, by=desk.by)
        )
    else:
        page = procedures.parse_procedure(_text(old, path), path)
        for step in steps:
            if step not in page.procedure.steps:
                page = procedures.add_step(page, step)
        new = procedures.render_procedure(page)
    action = Action.CREATE if old is None else Action.EDIT
    edit = _edit(path, old, new, action, headline(text))
    return Plan(_changed(edit, old), (str(ItemId(Kind.PROCEDURE, name)),))


def _in_vault(text: str, place: Vault, desk: Desk) -> Plan:
    title = storable_name(place.title) if place.title else headline(text, 60)
    stem, number = slug(title), 1
    name = stem
    while desk.read(desk.place(layout.VAULT, f"{name}.md")) is not None:
        number += 1
        name = f"{stem}-{number}"
    note = VaultNote(name, title, text, desk.now.date(), desk.source, desk.by)
    path = desk.place(layout.VAULT, f"{name}.md")
    edit = _edit(path, None, vault.new_note(note), Action.CREATE, title)
    return Plan((edit,), (str(ItemId(Kind.VAULT, name)),))


def _in_core(text: str, place: Core, desk: Desk) -> Plan:
    old = desk.read(layout.CORE)
    before = core.parse_core(_text(old, layout.CORE) or core.CORE_TEMPLATE, layout.CORE)
    # An item has no source: without a mark it is its owner's.
    by = "" if desk.origin is Origin.OWNER else desk.origin
    added = core.add_item(before, place.block, text, pinned=place.pinned, by=by)
    known = {entry.id for entry in before.entries}
    fresh = [entry.id for entry in added.entries if entry.id not in known]
    limits = desk.config.core
    fitted, evicted = core.fit(
        added,
        cap=limits.cap_tokens,
        budgets=core_budgets(desk.config),
        relevance=lambda item: desk.vividness(f"core:{item.block}/{item.slug}"),
        keep=frozenset(fresh),
    )
    action = Action.EDIT if old else Action.CREATE
    edits = {
        layout.CORE: _edit(
            layout.CORE, old, core.render_core(fitted), action, headline(text)
        )
    }
    moved: list[str] = []
    for item in evicted:
        plan = move_out(item, fitted, _over(edits, desk))
        _put_on_top(edits, plan.edits)
        moved += plan.ids
    return Plan(tuple(edits.values()), (*map(str, fresh), *moved))


def move_out(item: CoreItem, memory: core.CoreMemory, desk: Desk) -> Plan:
    """Store what had to leave core memory where it belongs.

    What is going on right now becomes an episode; what is known of the person
    becomes a fact about them. It stays the words of whom it was.
    """
    desk = replace(desk, said_by=named(item.by) if item.by else Origin.OWNER)
    if item.block is Block.CONTEXT:
        place = Episodic(EpisodeKind.EVENT, Confidence.HIGH, ("core-memory",))
        return _in_episodes(item.text, place, desk)
    return _in_graph(item.text, Semantic(called_in(memory), "person"), desk)


def _over(edits: dict[str, Edit], desk: Desk) -> Desk:
    """A desk on which some edits are already done."""

    def read(path: str) -> bytes | None:
        return edits[path].content if path in edits else desk.read(path)

    return replace(desk, read=read)


def _put_on_top(edits: dict[str, Edit], more: Iterable[Edit]) -> None:
    """Add edits to some; two of one file become one."""
    for edit in more:
        first = edits.get(edit.path)
        edits[edit.path] = replace(first, content=edit.content) if first else edit


def _edit(path: str, old: bytes | None, new: str, action: Action, why: str) -> Edit:
    bom = b"\xef\xbb\xbf" if (old or b"").startswith(b"\xef\xbb\xbf") else b""
    return Edit(path, bom + new.encode(), checksum(old), action, why)


def _changed(edit: Edit, old: bytes | None) -> tuple[Edit, ...]:
    return () if edit.content == old else (edit,)


def _text(data: bytes | None, path: str) -> str:
    text, findings = decode(data or b"", path)
    for found in findings:
        raise FormatError(path, found.line, found.what, hint=found.mend)
    return text


_HAPPENINGS = frozenset({EpisodeKind.EVENT, EpisodeKind.TASK, EpisodeKind.EMOTION})
"""What can happen again on another day, in the same words."""

LIST_FULL = "the list of proposals is full, so decide on some first"

_BREATH = 600
"""Seconds in which the same words tell of the same event."""

_A_DAY = 86_400.0

MOST_ROUTED = 3
"""So much of what waits for a mind is filed with whatever is remembered next."""


class Remembering:
    """Stores what passes the gate.

    Args:
        house: The workspace's parts.
        desk: What planning may look at, for an actor and an origin.
        clerk: Who finds out where something belongs.
    """

    def __init__(
        self, house: House, desk: Callable[[Actor, Origin], Desk], clerk: Clerk
    ) -> None:
        self._house = house
        self._desk = desk
        self._clerk = clerk
        self._boot: tuple[object, BootText] | None = None

    def remember(self, saying: Saying) -> Remembered:
        """Store something, or say why not; nothing is written before all is known."""
        if saying.secrets is Secrets.KEEP and not saying.actor.human:
            raise OnlyHumansKeepError
        if saying.place is not None:
            pass_words(words_of(saying.place), saying.secrets)
        passed = pass_text(saying.text, saying.secrets, _about(saying.place))
        trigger = pass_text(saying.trigger, saying.secrets).text
        text = storable(passed.text, self._house.config.ledger.text_limit)
        name = self._boot_text().restated(text)
        if name:
            raise RestatedError(name)
        origin = self._inherited(saying)
        saying = replace(saying, text=text, trigger=trigger, origin=origin)
        try:
            filed, away = self._clerk.file(saying), ""
        except (MindUnavailableError, OutOfTokensError) as error:
            # What its human wants kept is not lost because a server is down.
            filed, away = _unrouted(saying), str(error)
        if saying.place is None:
            # What a mind calls it passes as well.
            for _, place in filed.steps:
                pass_words(words_of(place), saying.secrets)
        done = self._house.persist("remember", lambda: self._store(saying, filed))
        self._clerk.finish(saying)
        if away:
            self._note_unrouted(rest=0)
        elif filed.route is not None:
            self.route_waiting()
        return replace(done, redacted=passed.redacted, unrouted=away)

    def keep_unrouted(self, saying: Saying, why: str) -> Remembered:
        """Keep something of which nobody said in time where it belongs."""
        filed = _unrouted(saying)
        done = self._house.persist("remember", lambda: self._store(saying, filed))
        self._note_unrouted(rest=0)
        return replace(done, unrouted=why)

    def _note_unrouted(self, *, rest: float) -> None:
        """Say for how long nobody need look for what waits for a mind."""
        now = self._house.clock().timestamp()
        with contextlib.suppress(IndexUnavailableError):
            self._house.index.note_done(UNROUTED, now, rest)

    def route_waiting(self) -> int:
        """File what was kept while no mind could say where it belongs; how many.

        A few at a time, the oldest first, while the mind answers. Whoever wrote such an
        entry, it steers nothing: what belongs into core memory, a procedure or the
        vault waits for its human.
        """
        house = self._house
        if self._clerk.asks_the_host:
            # It was asked, and gave no answer.
            return 0
        house.sync()
        done = 0
        try:
            if house.index.resting(UNROUTED, house.clock().timestamp()):
                return 0
            waiting = house.index.lookup.unrouted(MOST_ROUTED)
        except IndexUnavailableError:
            return 0
        for id_, path in waiting:
            try:
                done += self._route(id_, path)
            except UnusableAnswerError:
                continue
            except (MindUnavailableError, OutOfTokensError, HostMustAnswerError):
                break
        if done < MOST_ROUTED:
            self._note_unrouted(rest=_BREATH if done < len(waiting) else _A_DAY)
        return done

    def _route(self, id_: str, path: str) -> bool:
        """File one episode that waits; False if it is gone."""
        entry = _entry(self._house.ledger.read(path), path, id_)
        if entry is None or not isinstance(entry.item, Episode):
            return False
        episode = entry.item
        actor = REMEMBER if episode.source is Source.USER_EXPLICIT else MAIN
        by = next((value for key, value in episode.more if key == BY), "")
        origin = stated(by, episode.source or "")
        # A tag is no proof of who wrote it.
        saying = Saying(
            entry.text, None, actor, "routed later", least((origin, Origin.AGENT))
        )
        filed = self._clerk.file(saying)
        kept = _kept(saying, filed)
        steps = tuple(
            (
                text,
                replace(place, at=episode.at) if isinstance(place, Episodic) else place,
            )
            for text, place in kept.steps
        )

        def move() -> bool:
            self._house.sync()
            there = _entry(self._house.ledger.read(path), path, id_)
            if there is None or there.text != entry.text:
                return False
            desk = self._desk(actor, origin)
            plan = plan_routed(there, path, steps, desk)
            edits, number = self._propose(saying, filed, kept, plan.ids)
            approval = Approval.PENDING if number else Approval.AUTO
            change = ChangeSet((*plan.edits, *edits), actor, approval, saying.trigger)
            self._house.commit(change)
            return True

        return self._house.persist("remember", move)

    def _boot_text(self) -> BootText:
        """What the agent reads at every start, read again when it changes."""
        folder = self._house.folder
        looks = tuple(folder.signature(name) for name in BOOT_FILES)
        if self._boot is None or self._boot[0] != looks:
            found = {
                name: (folder.read(name) or b"").decode("utf-8", "replace")
                for name, look in zip(BOOT_FILES, looks, strict=True)
                if look and look.size <= folder.largest
            }
            self._boot = looks, BootText(found)
        return self._boot[1]

    def _inherited(self, saying: Saying) -> Origin:
        """Whose words it counts as: never trusted more than what it is made of."""
        if not saying.parents:
            return saying.origin
        parents = [str(ItemId.parse(id_)) for id_ in saying.parents]
        self._house.sync()
        found = self._house.index.lookup.origins(parents)
        for id_ in parents:
            if id_ not in found:
                raise NoSuchMemoryError(id_)
        return least((saying.origin, *found.values()))

    def _store(self, saying: Saying, filed: Filed) -> Remembered:
        house = self._house
        house.look_sometimes()
        house.sync()
        kept = _kept(saying, filed)
        superseded, against = self._judged(saying, filed, kept)
        known = self._find_known(saying, kept, chosen=filed.route is None)
        if known is not None and not against:
            # What says nothing new makes what is known more vivid.
            with contextlib.suppress(IndexUnavailableError):
                house.reinforce([known.id])
            head, now, ids = house.ledger.head, house.clock(), (known.id,)
            how = filed.route
            return Remembered(head, now, (), saying.actor, ids, route=how, known=True)
        near: tuple[Near, ...] = ()
        with contextlib.suppress(IndexUnavailableError):
            scope = kept.place.scope if isinstance(kept.place, Episodic) else ""
            pages = self._clerk.pages(saying.text, kept.place)
            near = find_near(saying.text, pages, self._clerk.around, scope=scope)
        asked = [each.id for each in against if each.page]
        asked = [] if saying.origin in FOREIGN else asked
        plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin), asked)
        while house.make_room(plan.edits):
            plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin), asked)
        edits, number = self._propose(saying, filed, kept, plan.ids)
        full = bool(kept.waiting) and not number
        done = Remembered(
            house.ledger.head,
            house.clock(),
            (),
            saying.actor,
            plan.ids,
            route=filed.route,
            known=not plan.edits,
            waits=number,
            why_it_waits=f"{kept.why}; {LIST_FULL}" if full else kept.why,
            near=tuple(n for n in near if n not in (*superseded, *against)),
            superseded=superseded,
            contradicts=against,
            doubts=filed.doubts,
        )
        edits = (*plan.edits, *edits, *self._brought_back(plan.ids))
        if not plan.edits and not edits:
            return done
        approval = Approval.NONE if saying.actor.human else Approval.AUTO
        approval = Approval.PENDING if number else approval
        change = ChangeSet(edits, saying.actor, approval, saying.trigger)
        receipt = house.commit(change)
        return replace(done, commit=receipt.commit, at=receipt.at, lines=receipt.lines)

    def _judged(
        self, saying: Saying, filed: Filed, kept: Kept
    ) -> tuple[tuple[Near, ...], tuple[Near, ...]]:
        """The facts that somebody said are over, and those that are contradicted."""
        cited = self._clerk.around.cited
        places = [place for _, place in kept.steps if isinstance(place, Semantic)]
        gone = [cited(place.supersedes) for place in places if place.supersedes]
        against = [cited(id_) for id_ in saying.contradicts]
        for id_, found in zip(saying.contradicts, against, strict=True):
            if parse_fact_id(id_) is None:
                # Only a page can ask which of two holds.
                raise NotAFactError(id_, "--contradicts")
            if found is None:
                raise NoSuchMemoryError(id_)
        against += [cited(i) for i in filed.route.contradicts] if filed.route else []
        return tuple(filter(None, gone)), tuple(dict.fromkeys(filter(None, against)))

    def _brought_back(self, ids: Iterable[str]) -> tuple[Edit, ...]:
        """Show again what was forgotten as a whole, and is spoken of again."""
        traces = {id_: self._house.index.trace(id_) for id_ in ids}
        gone = {
            id_: replace(trace, archived=False)
            for id_, trace in traces.items()
            if trace and trace.archived
        }
        return self._house.plan_snapshot(gone) if gone else ()

    def _propose(
        self, saying: Saying, filed: Filed, kept: Kept, ids: tuple[str, ...]
    ) -> tuple[tuple[Edit, ...], int]:
        """Put what waits on the list; the number of the first, 0 for none."""
        found: dict[str, Edit] = {}
        first, read = 0, self._house.ledger.read
        for text, place in kept.waiting:
            proposal = replace(
                propose(saying, filed.route, text, place),
                at=self._house.clock(),
                kept=ids[0] if ids else "",
            )
            try:
                edits, number = plan_proposal(
                    proposal,
                    lambda path: found[path].content if path in found else read(path),
                )
            except FullListError:
                # It is kept as data, and told.
                continue
            first = first or number
            for edit in edits:
                base = found[edit.path].base if edit.path in found else edit.base
                found[edit.path] = replace(edit, base=base)
        return tuple(found.values()), first

    def _find_known(self, saying: Saying, kept: Kept, *, chosen: bool) -> Known | None:
        """A memory that says the very same already.

        Raises:
            ForgottenError: Its human asked to forget it, and it is not them who
                brings it up again.
        """
        house = self._house
        about = kept.place.about if isinstance(kept.place, Semantic) else ""
        text = spoken(about.rpartition("--")[2], kept.steps[0][0])
        try:
            alike = house.index.lookup.alike(sketch(text))
        except IndexUnavailableError:
            return None
        forgotten = ""
        for known in find_known(text, alike):
            trace = house.index.trace(known.id)
            if known.forgotten or (trace and trace.archived):
                forgotten = forgotten or known.forgotten or "request"
            elif (
                known.same
                and _counts(known, kept.place, house, chosen=chosen)
                and not self._outranked(known, saying)
            ):
                return known
        if saying.origin is Origin.OWNER:
            # Only the owner speaks again of what they asked to forget.
            return None
        day = forgotten or house.tombstones.day_of(told(text))
        if not day and about and isinstance(kept.place, Semantic):
            trace = house.index.trace(f"entity:{entity_name(kept.place)}")
            day = "request" if trace and trace.archived else ""
        if day:
            raise ForgottenError("" if day == "request" else day)
        return None

    def _outranked(self, known: Known, saying: Saying) -> bool:
        """Whether its owner says themselves what only strangers had said so far."""
        if saying.origin is not Origin.OWNER:
            return False
        found = self._house.index.lookup.origins((known.id,))
        return found.get(known.id, Origin.OWNER) in FOREIGN

    def forgotten(self, text: str) -> bool:
        """Whether a text is among what was forgotten or erased on request."""
        house = self._house
        if house.tombstones.day_of(told(text)):
            return True
        if not house.index.lookup.anything_forgotten():
            return False
        for known in find_known(text, house.index.lookup.alike(sketch(text))):
            trace = house.index.trace(known.id)
            if known.forgotten or (trace and trace.archived):
                return True
        return False


def _unrouted(saying: Saying) -> Filed:
    place = Episodic(EpisodeKind.FACT, Confidence.LOW, (UNROUTED,))
    return Filed(((saying.text, place),))


def _entry(data: bytes | None, path: str, id_: str) -> Entry | None:
    """An episode that waits for a mind, if it still stands there."""
    text = decode(data or b"", path)[0]
    found = (each for each in parse_day(text, path).entries if str(each.id) == id_)
    entry = next(found, None)
    waits = entry and isinstance(entry.item, Episode) and UNROUTED in entry.item.tags
    return entry if waits else None


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored now, what waits for a human, and why."""

    steps: tuple[tuple[str, Place], ...]
    waiting: tuple[tuple[str, Place], ...] = ()
    why: str = ""

    @property
    def place(self) -> Place:
        """Where the text itself goes."""
        return self.steps[0][1]


def _about(place: Place | None) -> str:
    """What a text is said to be about, by who says where it belongs."""
    match place:
        case Vault(title=title):
            return title
        case Semantic(about=about):
            return about.rpartition("--")[2]
        case Procedural(name=name):
            return name
        case _:
            return ""


def _kept(saying: Saying, filed: Filed) -> Kept:
    """Where a text may go: where it belongs, or among the data until a human agrees."""
    if saying.decided:
        return Kept(filed.steps)
    stored: list[tuple[str, Place]] = []
    waiting: list[tuple[str, Place]] = []
    why = ""
    for text, place in filed.steps:
        reason = why_it_waits(store_of(place), saying.origin)
        (waiting if reason else stored).append((text, humbled(place, saying.origin)))
        why = why or reason
    if not stored:
        tags = filed.route.tags if filed.route else ()
        note = Episodic(EpisodeKind.FACT, Confidence.LOW, tags)
        stored.append((saying.text, note))
    return Kept(tuple(stored), tuple(waiting), why)


def propose(saying: Saying, route: Route | None, text: str, place: Place) -> Proposal:
    """What a human is asked to agree to: the very words, and where they would go."""
    proposal = Proposal(
        0,
        str(saying.actor),
        None,
        saying.trigger,
        store_of(place),
        text,
        origin=saying.origin,
        entities=tuple(mention.id for mention in route.entities) if route else (),
        confidence=route.confidence if route else Confidence.MEDIUM,
        core_worthy=isinstance(place, Core) or bool(route and route.core_update),
    )
    match place:
        case Procedural(name=name, trigger=when):
            return replace(proposal, name=name, when=when)
        case Vault(title=title):
            return replace(proposal, name=title)
        case Core(block=block):
            return replace(proposal, block=block)
        case _:
            return proposal


def _counts(known: Known, place: Place, house: House, *, chosen: bool) -> bool:
    """Whether a memory of the same words is the one that is meant.

    It is not where there is more to do in a place than to say something, nor where
    the same words tell of another event.
    """
    match place:
        case Semantic(supersedes=gone, links=links):
            more = bool(gone) or (chosen and bool(links))
        case Core(pinned=pinned):
            more = pinned
        case Episodic(at=at, kind=kind) if known.at is not None:
            apart = abs((at or house.clock()).timestamp() - known.at)
            dated = at is not None or kind in _HAPPENINGS
            more = dated and apart >= (60 if at else _BREATH)
        case _:
            # Two ways of doing things may share a step.
            more = isinstance(place, Procedural)
    id_ = ItemId.parse(known.id)
    same_place = not chosen or (id_.store is store_of(place) and stands_in(place, id_))
    return not more and same_place


_SOURCES = {
    "manual": Source.USER_EXPLICIT,
    "bot:trigger-remember": Source.USER_EXPLICIT,
}


def open_desk(house: House, actor: Actor, origin: Origin | None = None) -> Desk:
    """What planning needs to know of an open workspace, for one actor."""

    def vividness(id_: str) -> float:
        trace = house.index.trace(id_)
        decay, now = house.config.decay, house.clock()
        return standing(trace, now, decay)[0] if trace else 1.0

    source = _SOURCES.get(str(actor), Source.CONVERSATION)
    return Desk(
        house.config,
        house.clock(),
        Source.REFLECTION if actor.session else source,
        house.ledger.read,
        house.place,
        vividness,
        origin,
    )
