"""Remember: pass the gate, route, plan, commit (docs/design/encoding.md)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.decay import standing
from reverie.encoding.gate import (
    BootText,
    ForgottenError,
    Known,
    OnlyHumansKeepError,
    RestatedError,
    find_known,
    humbled,
    pass_text,
    why_it_waits,
    words_of,
)
from reverie.encoding.near import find_near
from reverie.encoding.placement import (
    Desk,
    Saying,
    entity_name,
    plan_all,
    plan_routed,
    put_on_top,
    read_over,
)
from reverie.encoding.proposal_draft import FullListError, plan_proposal
from reverie.encoding.route import Filed, NotAFactError, stands_in
from reverie.index import BY, IndexUnavailableError
from reverie.index.text import sketch, spoken, told
from reverie.minds.mind import (
    HostMustAnswerError,
    MindUnavailableError,
    OutOfTokensError,
    UnusableAnswerError,
)
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

    from reverie.encoding.route import Clerk
    from reverie.model.change import Actor, Near
    from reverie.model.items import Entry
    from reverie.model.route import Place, Route
    from reverie.session.session import Session

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
        session: The workspace's parts.
        desk: What planning may look at, for an actor and an origin.
        clerk: Who finds out where something belongs.
    """

    def __init__(
        self, session: Session, desk: Callable[[Actor, Origin], Desk], clerk: Clerk
    ) -> None:
        self._session = session
        self._desk = desk
        self._clerk = clerk
        self._boot: tuple[object, BootText] | None = None

    def remember(self, saying: Saying) -> Remembered:
        """Store something, or say why not; nothing is written before all is known."""
        if saying.secrets is Secrets.KEEP and not saying.actor.human:
            raise OnlyHumansKeepError
        if saying.place is not None:
            pass_words(words_of(saying.place), saying.secrets)
        limit = self._session.config.ledger.text_limit
        if len(saying.text) > 4 * limit:  # to look for secrets would take seconds
            storable(saying.text, limit)
        passed = pass_text(saying.text, saying.secrets, _about(saying.place))
        text = storable(passed.text, limit)
        if name := self._boot_text().restated(text):
            raise RestatedError(name)
        trigger = pass_text(saying.trigger, saying.secrets).text
        origin = self._inherited(saying)
        saying = replace(saying, text=text, trigger=trigger, origin=origin)
        try:
            filed = self._clerk.file(saying)
        except (MindUnavailableError, OutOfTokensError) as error:
            # What its human wants kept is not lost because a server is down.
            return replace(
                self.keep_unrouted(saying, str(error)), redacted=passed.redacted
            )
        if saying.place is None:
            # What a mind calls it passes as well.
            for _, place in filed.steps:
                pass_words(words_of(place), saying.secrets)
        done = self._session.persist("remember", lambda: self._store(saying, filed))
        self._clerk.finish(saying)
        if filed.route is not None:
            self.route_waiting()
        return replace(done, redacted=passed.redacted)

    def keep_unrouted(self, saying: Saying, why: str) -> Remembered:
        """Keep something of which nobody said in time where it belongs."""
        place = Episodic(EpisodeKind.FACT, Confidence.LOW, (UNROUTED,))
        filed = Filed(((saying.text, place),))
        done = self._session.persist("remember", lambda: self._store(saying, filed))
        self._note_unrouted(rest=0)
        return replace(done, unrouted=why)

    def _note_unrouted(self, *, rest: float) -> None:
        """Say for how long nobody need look for what waits for a mind."""
        now = self._session.clock().timestamp()
        with contextlib.suppress(IndexUnavailableError):
            self._session.index.note_done(UNROUTED, now, rest)

    def route_waiting(self) -> int:
        """File what was kept while no mind could say where it belongs; how many.

        A few at a time, the oldest first, while the mind answers. Whoever wrote such an
        entry, it steers nothing: what belongs into core memory, a procedure or the
        vault waits for its human.
        """
        session = self._session
        if self._clerk.asks_the_host:
            # It was asked, and gave no answer.
            return 0
        session.sync()
        done = 0
        try:
            if session.index.resting(UNROUTED, session.clock().timestamp()):
                return 0
            waiting = session.index.unrouted(MOST_ROUTED)
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
        session = self._session
        entry = _entry(session.ledger.read(path), path, id_)
        if entry is None or not isinstance(entry.item, Episode):
            return False
        episode = entry.item
        actor = REMEMBER if episode.source is Source.USER_EXPLICIT else MAIN
        origin = stated(dict(episode.more).get(BY, ""), episode.source or "")
        # A tag is no proof of who wrote it.
        trust = least((origin, Origin.AGENT))
        saying = Saying(entry.text, None, actor, "routed later", trust)
        filed = self._clerk.file(saying)
        kept = _kept(saying, filed)
        steps = [
            (said, replace(to, at=episode.at) if isinstance(to, Episodic) else to)
            for said, to in kept.steps
        ]

        def move() -> bool:
            session.sync()
            there = _entry(session.ledger.read(path), path, id_)
            if there is None or there.text != entry.text:
                return False
            plan = plan_routed(there, path, steps, self._desk(actor, origin))
            edits, number = self._propose(saying, filed, kept, plan.ids)
            approval = Approval.PENDING if number else Approval.AUTO
            edits = (*plan.edits, *edits)
            session.commit(ChangeSet(edits, actor, approval, saying.trigger))
            return True

        return session.persist("remember", move)

    def _boot_text(self) -> BootText:
        """What the agent reads at every start, read again when it changes."""
        folder = self._session.folder
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
        self._session.sync()
        found = self._session.index.origins(parents)
        for id_ in parents:
            if id_ not in found:
                raise NoSuchMemoryError(id_)
        return least((saying.origin, *found.values()))

    def _store(self, saying: Saying, filed: Filed) -> Remembered:
        session = self._session
        session.look_sometimes()
        session.sync()
        kept = _kept(saying, filed)
        superseded, against = self._judged(saying, filed, kept)
        done = Remembered(
            *(session.ledger.head, session.clock(), (), saying.actor), route=filed.route
        )
        known = self._find_known(saying, kept, chosen=filed.route is None)
        if known is not None and not against:
            # What says nothing new makes what is known more vivid.
            with contextlib.suppress(IndexUnavailableError):
                session.reinforce([known.id])
            return replace(done, ids=(known.id,), known=True)
        near: tuple[Near, ...] = ()
        place = kept.steps[0][1]
        with contextlib.suppress(IndexUnavailableError):
            scope = place.scope if isinstance(place, Episodic) else ""
            pages = self._clerk.pages(saying.text, place)
            near = find_near(saying.text, pages, self._clerk.around, scope=scope)
        asked = [n.id for n in against if n.page and saying.origin not in FOREIGN]
        plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin), asked)
        while session.make_room(plan.edits):
            plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin), asked)
        edits, number = self._propose(saying, filed, kept, plan.ids)
        full = bool(kept.waiting) and not number
        done = replace(
            done,
            ids=plan.ids,
            known=not plan.edits,
            waits=number,
            why_it_waits=f"{kept.why}; {LIST_FULL}" if full else kept.why,
            near=tuple(n for n in near if n not in (*superseded, *against)),
            superseded=superseded,
            contradicts=against,
            doubts=filed.doubts,
        )
        edits = (*plan.edits, *edits, *self._brought_back(plan.ids))
        if not edits:
            return done
        approval = Approval.NONE if saying.actor.human else Approval.AUTO
        approval = Approval.PENDING if number else approval
        change = ChangeSet(edits, saying.actor, approval, saying.trigger)
        receipt = session.commit(change)
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
        traces = {id_: self._session.index.trace(id_) for id_ in ids}
        gone = {
            id_: replace(trace, archived=False)
            for id_, trace in traces.items()
            if trace and trace.archived
        }
        return self._session.plan_snapshot(gone) if gone else ()

    def _propose(
        self, saying: Saying, filed: Filed, kept: Kept, ids: tuple[str, ...]
    ) -> tuple[tuple[Edit, ...], int]:
        """Put what waits on the list; the number of the first, 0 for none."""
        edits: dict[str, Edit] = {}
        first = 0
        for text, place in kept.waiting:
            proposal = propose(saying, filed.route, text, place)
            kept_as = ids[0] if ids else ""
            proposal = replace(proposal, at=self._session.clock(), kept=kept_as)
            # Where the list is full it is kept as data, and told.
            with contextlib.suppress(FullListError):
                more, number = plan_proposal(
                    proposal, read_over(edits, self._session.ledger.read)
                )
                put_on_top(edits, more)
                first = first or number
        return tuple(edits.values()), first

    def _find_known(self, saying: Saying, kept: Kept, *, chosen: bool) -> Known | None:
        """A memory that says the very same already.

        Raises:
            ForgottenError: Its human asked to forget it, and it is not them who
                brings it up again.
        """
        session, (text, place) = self._session, kept.steps[0]
        about = place.about if isinstance(place, Semantic) else ""
        text = spoken(about.rpartition("--")[2], text)
        try:
            alike = session.index.alike(sketch(text))
        except IndexUnavailableError:
            return None
        gone = ""
        for known in find_known(text, alike):
            if day := self._gone(known):
                gone = gone or day
            elif (
                known.same
                and _counts(known, place, session, chosen=chosen)
                and not self._outranked(known, saying)
            ):
                return known
        if saying.origin is Origin.OWNER:
            # Only the owner speaks again of what they asked to forget.
            return None
        gone = gone or session.tombstones.day_of(told(text))
        if not gone and isinstance(place, Semantic) and place.about:
            gone = self._gone(Known(f"entity:{entity_name(place)}", None, same=False))
        if gone:
            raise ForgottenError("" if gone == "request" else gone)
        return None

    def _gone(self, known: Known) -> str:
        """The day on which a memory was forgotten, or that it was; else nothing."""
        trace = self._session.index.trace(known.id)
        return known.forgotten or ("request" if trace and trace.archived else "")

    def _outranked(self, known: Known, saying: Saying) -> bool:
        """Whether its owner says themselves what only strangers had said so far."""
        found = self._session.index.origins((known.id,))
        by = found.get(known.id, Origin.OWNER)
        return saying.origin is Origin.OWNER and by in FOREIGN

    def forgotten(self, text: str) -> bool:
        """Whether a text is among what was forgotten or erased on request."""
        session = self._session
        if session.tombstones.day_of(told(text)):
            return True
        if not session.index.anything_forgotten():
            return False
        alike = session.index.alike(sketch(text))
        return any(map(self._gone, find_known(text, alike)))


def _entry(data: bytes | None, path: str, id_: str) -> Entry | None:
    """An episode that waits for a mind, if it still stands there."""
    text = decode(data or b"", path)[0]
    found = (each for each in parse_day(text, path).entries if str(each.id) == id_)
    entry = next(found, None)
    waits = entry and isinstance(entry.item, Episode) and UNROUTED in entry.item.tags
    return entry if waits else None


class Kept(NamedTuple):
    """What is stored now, what waits for a human, and why."""

    steps: tuple[tuple[str, Place], ...]
    waiting: tuple[tuple[str, Place], ...] = ()
    why: str = ""


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
        *(0, str(saying.actor), None, saying.trigger, store_of(place), text),
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


def _counts(known: Known, place: Place, session: Session, *, chosen: bool) -> bool:
    """Whether a memory of the same words is the one that is meant.

    It is not where there is more to do in a place than to say something, nor where
    the same words tell of another event.
    """
    more = isinstance(place, Procedural)  # two ways of doing things may share a step
    match place:
        case Semantic(supersedes=gone, links=links):
            more = bool(gone) or (chosen and bool(links))
        case Core(pinned=pinned):
            more = pinned
        case Episodic(at=at, kind=kind) if known.at is not None:
            apart = abs((at or session.clock()).timestamp() - known.at)
            dated = at is not None or kind in _HAPPENINGS
            more = dated and apart >= (60 if at else _BREATH)
    id_ = ItemId.parse(known.id)
    same_place = not chosen or (id_.store is store_of(place) and stands_in(place, id_))
    return not more and same_place


def open_desk(session: Session, actor: Actor, origin: Origin | None = None) -> Desk:
    """What planning needs to know of an open workspace, for one actor."""

    def vividness(id_: str) -> float:
        trace = session.index.trace(id_)
        decay, now = session.config.decay, session.clock()
        return standing(trace, now, decay)[0] if trace else 1.0

    explicit = str(actor) in {"manual", "bot:trigger-remember"}
    source = Source.USER_EXPLICIT if explicit else Source.CONVERSATION
    source = Source.REFLECTION if actor.session else source
    read, place, now = session.ledger.read, session.place, session.clock()
    return Desk(session.config, now, source, read, place, vividness, origin)
