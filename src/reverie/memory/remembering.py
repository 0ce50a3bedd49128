"""Remembering: through the gate, planned, committed (docs/design/encoding.md)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.gate.echoes import BootText, sounds_like_a_system_prompt
from reverie.encoding.gate.known import ForgottenError, find_known
from reverie.encoding.gate.passing import RestatedError, pass_text, pass_words, words_of
from reverie.encoding.gate.policy import as_data, why_it_waits
from reverie.encoding.remember import plan_all
from reverie.encoding.text import storable
from reverie.index import IndexUnavailableError
from reverie.index.sketches import bare, sketch, spoken
from reverie.memory.conflicts import find_conflicts
from reverie.memory.deciding import plan_proposal
from reverie.memory.house import NoSuchMemoryError
from reverie.model.change import Approval, ChangeSet, OnlyHumansError
from reverie.model.ids import ItemId
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import Origin, least
from reverie.model.place import Episodic, Procedural, Semantic, store_of
from reverie.model.proposal import Proposal
from reverie.model.remembered import Remembered, Secrets
from reverie.workspace.layout import BOOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.encoding.gate.known import Known
    from reverie.encoding.remember import Desk
    from reverie.memory.filing import Clerk, Filed
    from reverie.memory.house import House
    from reverie.memory.saying import Saying
    from reverie.model.change import Actor, Edit
    from reverie.model.place import Place

_HAPPENINGS = frozenset({EpisodeKind.EVENT, EpisodeKind.TASK, EpisodeKind.EMOTION})
"""What can happen again on another day, in the same words."""

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
            raise OnlyHumansError(saying.actor)
        passed = pass_text(saying.text, saying.secrets)
        trigger = pass_text(saying.trigger, saying.secrets).text
        text = storable(passed.text, self._house.config.ledger.text_limit)
        if saying.place is not None:
            pass_words(words_of(saying.place), saying.secrets)
        self._require_news(text, saying.origin)
        origin = self._inherited(saying)
        saying = replace(saying, text=text, trigger=trigger, origin=origin)
        filed = self._clerk.file(saying)
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
        known = self._find_known(saying, filed)
        if known is not None:
            return self._keep_alive(saying, filed, known)
        kept = _kept(saying, filed)
        plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin))
        while house.make_room(plan.edits):
            plan = plan_all(kept.steps, self._desk(saying.actor, saying.origin))
        edits, number = self._propose(saying, kept, plan.ids)
        conflicts = find_conflicts(saying.text, filed.place, house)
        done = Remembered(
            house.ledger.head,
            house.clock(),
            (),
            saying.actor,
            plan.ids,
            route=filed.route,
            known=not plan.edits,
            waits=number,
            why_it_waits=kept.why,
            conflicts=conflicts,
            doubts=filed.doubts,
        )
        if not plan.edits and not edits:
            return done
        approval = Approval.NONE if saying.actor.human else Approval.AUTO
        approval = Approval.PENDING if number else approval
        change = ChangeSet(
            (*plan.edits, *edits), saying.actor, approval, saying.trigger
        )
        receipt = house.commit(change)
        return replace(done, commit=receipt.commit, at=receipt.at, lines=receipt.lines)

    def place_of(self, proposal: Proposal) -> Place:
        """Where a proposal is to go."""
        return self._clerk.place_of(proposal)

    def _propose(
        self, saying: Saying, kept: Kept, ids: tuple[str, ...]
    ) -> tuple[tuple[Edit, ...], int]:
        if kept.wanted is None:
            return (), 0
        place = kept.wanted
        proposal = Proposal(
            0,
            str(saying.actor),
            self._house.clock(),
            saying.trigger,
            store_of(place),
            saying.text,
            origin=saying.origin,
            name=place.name if isinstance(place, Procedural) else "",
            kept=ids[0] if ids else "",
        )
        return plan_proposal(proposal, self._house.ledger.read)

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

    def _find_known(self, saying: Saying, filed: Filed) -> Known | None:
        """A memory that says all of it already.

        Raises:
            ForgottenError: Its human asked to forget it, and it is not them who
                brings it up again.
        """
        house, owner = self._house, saying.origin is Origin.OWNER
        about = filed.place.about if isinstance(filed.place, Semantic) else ""
        text = spoken(about.rpartition("--")[2], saying.text)
        day = house.tombstones.day_of(bare(saying.text))
        if day and not owner:
            raise ForgottenError(day)
        try:
            alike = house.index.lookup.alike(sketch(text))
        except IndexUnavailableError:
            return None
        for known in find_known(text, alike):
            trace = house.index.trace(known.id)
            if known.forgotten or (trace and trace.archived):
                if not owner:
                    raise ForgottenError(known.forgotten)
            elif _counts(known, filed, house.clock().timestamp()):
                return known
        return None


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored now, what waits for a human, and why."""

    steps: tuple[tuple[str, Place], ...]
    wanted: Place | None = None
    why: str = ""


def _kept(saying: Saying, filed: Filed) -> Kept:
    """Where a text may go: where it belongs, or among the data until a human agrees."""
    if saying.decided:
        return Kept(filed.steps)
    stored: list[tuple[str, Place]] = []
    waiting, why = None, ""
    for text, place in filed.steps:
        words = (text, *words_of(place))
        reason = why_it_waits(store_of(place), saying.origin, words)
        if not reason:
            stored.append((text, place))
        else:
            waiting, why = waiting or place, why or reason
    if not stored:
        tags = filed.route.tags if filed.route else ()
        note = Episodic(EpisodeKind.FACT, Confidence.LOW, tags)
        stored.append((saying.text, note))
    stored = [as_data(text, place, saying.origin) for text, place in stored]
    return Kept(tuple(stored), waiting, why)


def _counts(known: Known, filed: Filed, now: float) -> bool:
    """Whether a memory of the same words is the one that is meant."""
    id_ = ItemId.parse(known.id)
    place = filed.place
    if isinstance(place, Procedural):
        # Two ways of doing things may share a step.
        return False
    if isinstance(place, Episodic):
        at, most = (place.at.timestamp(), 60) if place.at else (now, _BREATH)
        dated = place.kind in _HAPPENINGS or place.at is not None
        if dated and known.at is not None and abs(at - known.at) >= most:
            return False
    if filed.route is not None:
        return True
    return id_.store is store_of(place) and filed.means(id_)
