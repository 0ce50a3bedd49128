"""Remember: pass the gate, route, plan, commit (docs/design/encoding.md)."""

from __future__ import annotations

import contextlib
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
from reverie.encoding.placement import Desk, Saying, entity_name, plan_all, plan_routed
from reverie.encoding.proposal_draft import FullListError, plan_proposal
from reverie.encoding.route import Filed, NotAFactError, stands_in
from reverie.index import IndexUnavailableError
from reverie.index.near_duplicates import sketch, spoken, told
from reverie.index.schema import BY
from reverie.minds.budget import OutOfTokensError
from reverie.minds.host import HostMustAnswerError
from reverie.minds.mind import MindUnavailableError, UnusableAnswerError
from reverie.model.change import (
    MAIN,
    REMEMBER,
    Approval,
    ChangeSet,
    Edit,
    Remembered,
    Secrets,
)
from reverie.model.ids import ItemId
from reverie.model.items import UNROUTED, Confidence, Episode, EpisodeKind, Source
from reverie.model.origin import FOREIGN, Origin, least, stated
from reverie.model.proposals import Proposal
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault, store_of
from reverie.secrets import pass_words
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import parse_fact_id
from reverie.stores.episodes import parse_day
from reverie.stores.reader import decode
from reverie.stores.text import storable
from reverie.workspace.layout import BOOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie.encoding.gate import Known
    from reverie.encoding.route import Clerk
    from reverie.model.change import Actor, Near
    from reverie.model.items import Entry
    from reverie.model.route import Place, Route
    from reverie.session.session import House

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
