"""Remembering: through the gate, planned, committed (docs/design/encoding.md)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.agents.proposing import FullListError, plan_proposal
from reverie.encoding.gate.echoes import BootText, sounds_like_a_system_prompt
from reverie.encoding.gate.known import ForgottenError, find_known
from reverie.encoding.gate.passing import (
    OnlyHumansKeepError,
    RestatedError,
    pass_text,
    pass_words,
    words_of,
)
from reverie.encoding.gate.policy import as_data, humbled, why_it_waits
from reverie.encoding.remember import entity_name, plan_all
from reverie.encoding.text import storable
from reverie.index import IndexUnavailableError
from reverie.index.sketches import sketch, spoken, told
from reverie.memory.conflicts import find_conflicts
from reverie.memory.filing import stands_in
from reverie.memory.house import NoSuchMemoryError
from reverie.model.change import Approval, ChangeSet
from reverie.model.ids import ItemId
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import Origin, least
from reverie.model.place import Core, Episodic, Procedural, Semantic, Vault, store_of
from reverie.model.proposal import Proposal
from reverie.model.remembered import Remembered, Secrets
from reverie.workspace.layout import BOOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie.encoding.gate.known import Known
    from reverie.encoding.remember import Desk
    from reverie.memory.filing import Clerk, Filed
    from reverie.memory.house import House
    from reverie.memory.saying import Saying
    from reverie.model.change import Actor, Edit
    from reverie.model.place import Place
    from reverie.model.route import Route

_HAPPENINGS = frozenset({EpisodeKind.EVENT, EpisodeKind.TASK, EpisodeKind.EMOTION})
"""What can happen again on another day, in the same words."""

LIST_FULL = "the list of proposals is full, so decide on some first"

_BREATH = 600
"""Seconds in which the same words tell of the same event."""


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
        self._require_news(text, saying.origin)
        origin = self._inherited(saying)
        saying = replace(saying, text=text, trigger=trigger, origin=origin)
        filed = self._clerk.file(saying)
        if saying.place is None:
            # What a mind calls it passes as well.
            for _, place in filed.steps:
                pass_words(words_of(place), saying.secrets)
        done = self._house.persist("remember", lambda: self._store(saying, filed))
        self._clerk.finish(saying)
        return replace(done, redacted=passed.redacted)

    def _require_news(self, text: str, origin: Origin) -> None:
        name = self._boot_text().restated(text)
        if (
            not name
            and origin is not Origin.OWNER
            and sounds_like_a_system_prompt(text)
        ):
            name = "a system prompt"
        if name:
            raise RestatedError(name)

    def _boot_text(self) -> BootText:
        """What the agent reads at every start, read again when it changes."""
        folder = self._house.folder
        looks = tuple(folder.signature(name) for name in BOOT_FILES)
        if self._boot is None or self._boot[0] != looks:
            found = {
                name: (folder.read(name) or b"").decode("utf-8", "replace")
                for name, look in zip(BOOT_FILES, looks, strict=True)
                if look
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
        known = self._find_known(saying, kept, chosen=filed.route is None)
        if known is not None:
            return self._keep_alive(saying, filed, known)
        plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin))
        while house.make_room(plan.edits):
            plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin))
        edits, number = self._propose(saying, filed, kept, plan.ids)
        full = (
            " (and the list of proposals is full)"
            if kept.waiting and not number
            else ""
        )
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
            conflicts=find_conflicts(saying.text, kept.place, house),
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

        def standing(path: str) -> bytes | None:
            return found[path].content if path in found else read(path)

        for text, place in kept.waiting:
            proposal = propose(saying, filed.route, text, place)
            proposal = replace(
                proposal, at=self._house.clock(), kept=ids[0] if ids else ""
            )
            try:
                edits, number = plan_proposal(proposal, standing)
            except FullListError:
                # It is kept as data, and told.
                continue
            first = first or number
            found |= {
                edit.path: replace(edit, base=found[edit.path].base)
                if edit.path in found
                else edit
                for edit in edits
            }
        return tuple(found.values()), first

    def _keep_alive(self, saying: Saying, filed: Filed, known: Known) -> Remembered:
        """What says nothing new makes what is known more vivid."""
        house = self._house
        with contextlib.suppress(IndexUnavailableError):
            house.reinforce([known.id])
        return Remembered(
            house.ledger.head,
            house.clock(),
            (),
            saying.actor,
            (known.id,),
            route=filed.route,
            known=True,
        )

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
            elif known.same and _counts(known, kept.place, house, chosen=chosen):
                return known
        forgotten = forgotten or house.tombstones.day_of(told(text))
        if saying.origin is not Origin.OWNER:
            self._require_not_forgotten(forgotten, about, kept.place)
        return None

    def _require_not_forgotten(self, day: str, about: str, place: Place) -> None:
        """Only the owner speaks again of what they asked to forget."""
        if about and isinstance(place, Semantic):
            trace = self._house.index.trace(f"entity:{entity_name(place)}")
            day = day or ("request" if trace and trace.archived else "")
        if day:
            raise ForgottenError("" if day == "request" else day)

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
    stored = [as_data(text, place, saying.origin) for text, place in stored]
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
    """Whether a memory of the same words is the one that is meant."""
    id_ = ItemId.parse(known.id)
    if _does_more(place, chosen=chosen) or _happened_apart(known, place, house):
        return False
    if not chosen:
        return True
    return id_.store is store_of(place) and stands_in(place, id_)


def _does_more(place: Place, *, chosen: bool) -> bool:
    """Whether there is more to do in a place than to say something."""
    match place:
        case Semantic(supersedes=gone, links=links):
            return chosen and bool(gone or links)
        case Core(pinned=pinned):
            return pinned
        case _:
            # Two ways of doing things may share a step.
            return isinstance(place, Procedural)


def _happened_apart(known: Known, place: Place, house: House) -> bool:
    """Whether the same words tell of another event."""
    if not isinstance(place, Episodic) or known.at is None:
        return False
    moment = place.at or house.clock()
    most = 60 if place.at else _BREATH
    dated = place.kind in _HAPPENINGS or place.at is not None
    return dated and abs(moment.timestamp() - known.at) >= most
