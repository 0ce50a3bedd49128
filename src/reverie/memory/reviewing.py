"""Deciding on what sub-agents propose: commit, reject, defer, resolve (003, §13.3).

A human may decide on everything. The main agent may decide on what sub-agents
proposed, and nothing else; whether one of them did is read from history, where its
handle signed it, never from the page.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from reverie.agents.clashing import find_clashes
from reverie.agents.reviewing import commits_by_itself, may_commit
from reverie.encoding.claims import contradicts
from reverie.encoding.gate.policy import as_data, humbled
from reverie.encoding.remember import plan_all
from reverie.errors import RefusedError
from reverie.markdown import headline
from reverie.memory.conflicts import nearby
from reverie.memory.forgetting import archive_in_scores
from reverie.model.agents import Agent, BadAgentNameError, Resolution, Waiting
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import Origin
from reverie.model.place import Episodic, store_of
from reverie.model.proposal import ASK, DEFERRED, PENDING
from reverie.stores import proposals
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.encoding.remember import Desk
    from reverie.memory.house import House
    from reverie.model.change import Receipt
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal

LOOKED_THROUGH = 5_000
"""So many changes are looked through for the one that brought a proposal."""

_MAIN = "bot:main"


class ProposalChangedError(RefusedError):
    """A proposal reads otherwise than the one that was shown."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"proposal #{number} was changed since it was shown",
            hint="Look at it again: `reverie pending`.",
        )


class NotYoursError(RefusedError):
    """The main agent wants to decide what only its human may."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(
            f"proposal #{number} is not for an agent to commit: {why}",
            hint=f"Ask your human: `reverie accept {number}` in a terminal.",
        )


class NoClashError(RefusedError):
    """Proposals were to be resolved that are not at odds."""

    def __init__(self, numbers: Sequence[int]) -> None:
        said = ", ".join(f"#{number}" for number in numbers)
        super().__init__(
            f"{said} does not contradict anything that is known"
            if len(numbers) == 1
            else f"{said} do not contradict each other",
            hint="`reverie pending` tells which do; `reverie accept` and "
            "`reverie reject` decide on the others.",
        )


class NotAmongThemError(RefusedError):
    """The proposal that is to stay is none of those in question."""

    def __init__(self, keep: int) -> None:
        super().__init__(
            f"#{keep} is none of the proposals to resolve",
            hint="Name one of them with --keep.",
        )


class Review:
    """Decides on what waits.

    Args:
        house: The workspace's parts.
        desk: What planning may look at, for an actor and an origin.
        place_of: Where a proposal is to go.
    """

    def __init__(
        self,
        house: House,
        desk: Callable[[Actor, Origin | None], Desk],
        place_of: Callable[[Proposal], Place],
    ) -> None:
        self._house = house
        self._desk = desk
        self._place_of = place_of

    def waiting(self) -> tuple[Waiting, ...]:
        """What waits, each with what it is at odds with, found this moment."""
        found = proposals.load_pending(self._house.ledger.read).proposals
        clashes = find_clashes(found, self._known, contradicts)
        return tuple(
            Waiting(one, tuple(c for c in clashes if c.number == one.number))
            for one in found
        )

    def _known(self, proposal: Proposal) -> Iterable[tuple[str, str]]:
        """What is known near where a proposal would go: ids and what they say."""
        place = self._place_of(proposal)
        return ((id_, said) for id_, _, said in nearby(place, self._house))

    def look(self, actor: Actor) -> tuple[Receipt, ...]:
        """Mark what contradicts, and commit what needs no second look.

        Args:
            actor: The main agent, or a human.
        """
        _require_reviewer(actor)
        house = self._house
        if not proposals.load_pending(house.ledger.read).proposals:
            return ()
        marked = house.persist("review", lambda: self._mark(actor))
        done = [marked] if marked else []
        settings = house.config.agents
        if settings.review == "auto":
            for each in self.waiting():
                sure = commits_by_itself(
                    each.proposal, review=settings.review, trusted=settings.trusted
                )
                if sure and not each.clashes and self._vouched(each.proposal):
                    with suppress(RefusedError):
                        done.append(self.accept(each.proposal, None, Actor(_MAIN)))
        return tuple(done)

    def _mark(self, actor: Actor) -> Receipt | None:
        house = self._house
        house.sync()
        before = proposals.load_pending(house.ledger.read)
        clashes = {
            each.proposal.number: tuple(
                dict.fromkeys(
                    f"#{c.other}" if c.other else c.known for c in each.clashes
                )
            )
            for each in self.waiting()
        }
        after = proposals.mark_conflicts(before, clashes)
        if proposals.render_pending(after) == proposals.render_pending(before):
            return None
        told = ", ".join(
            f"#{number} with {' and '.join(others)}"
            for number, others in clashes.items()
            if others
        )
        why = f"conflict: {told}" if told else "no conflict is left"
        edit = self._page(after, Action.EDIT, why)
        approval = Approval.NONE if actor.human else Approval.AUTO
        return house.commit(ChangeSet((edit,), actor, approval, "review"))

    def accept(self, shown: Proposal, place: Place | None, actor: Actor) -> Receipt:
        """Make a proposal a memory, word for word.

        Args:
            shown: As it was shown; one that reads otherwise by now is refused.
            place: Where it shall go, instead of where it was proposed to go.
            actor: A human; or the main agent, for what a sub-agent proposed.
        """
        _require_reviewer(actor)
        wanted = place or self._place_of(shown)
        return self._house.persist("accept", lambda: self._accept(shown, wanted, actor))

    def _accept(self, shown: Proposal, place: Place, actor: Actor) -> Receipt:
        self._house.look()
        found = self._fresh(shown)
        if not actor.human:
            self._require_allowed(found, place)
        why = f"accepted proposal #{found.number}"
        return self._settle({found: place}, (), actor, why)

    def reject(self, number: int, reason: str, actor: Actor) -> Receipt:
        """Take a proposal off the list; history keeps it."""
        _require_reviewer(actor)

        def attempt() -> Receipt:
            self._house.sync()
            found = self._find(number)
            return self._settle({}, ((found, reason),), actor, f"reject #{number}")

        return self._house.persist("reject", attempt)

    def defer(self, number: int, actor: Actor) -> Receipt:
        """Leave a proposal for the next reflection."""
        _require_reviewer(actor)
        return self._house.persist(
            "defer",
            lambda: self._set_status(
                (number,), lambda _: DEFERRED, actor, f"deferred proposal #{number}"
            ),
        )

    def resolve(
        self, numbers: Sequence[int], how: Resolution, keep: int, actor: Actor
    ) -> Receipt:
        """Settle proposals that contradict each other, or what is known.

        Args:
            numbers: Which ones.
            how: One of the three ways.
            keep: Which one is right, for `Resolution.KEEP`; 0 for none of them.
            actor: A human, or the main agent.
        """
        _require_reviewer(actor)
        return self._house.persist(
            "resolve", lambda: self._resolve(tuple(numbers), how, keep, actor)
        )

    def _resolve(
        self, numbers: tuple[int, ...], how: Resolution, keep: int, actor: Actor
    ) -> Receipt:
        self._house.look()
        chosen = [self._find(number) for number in dict.fromkeys(numbers)]
        self._require_clash(numbers)
        if how is Resolution.ASK:
            others = {n: [f"#{m}" for m in numbers if m != n] for n in numbers}
            names = {n: ", ".join(others[n]) or "what is known" for n in numbers}
            return self._set_status(
                numbers,
                lambda n: f"{ASK} — see {names[n]}",
                actor,
                f"conflict of {_listed(numbers)}: the user is asked",
            )
        if how is Resolution.BOTH:
            return self._keep_both(chosen, actor)
        return self._keep_one(chosen, keep, actor)

    def _keep_one(self, chosen: Sequence[Proposal], keep: int, actor: Actor) -> Receipt:
        kept = [one for one in chosen if one.number == keep]
        if keep and not kept:
            raise NotAmongThemError(keep)
        places = {one: self._place_of(one) for one in kept}
        if not actor.human:
            for one, place in places.items():
                calm = replace(one, status=PENDING, conflicts=())
                self._require_allowed(one, place, judged=calm)
        reason = f"#{keep} holds" if keep else "what is known holds"
        gone = tuple((one, reason) for one in chosen if one.number != keep)
        listed = _listed([one.number for one in chosen])
        why = f"conflict of {listed}: accepted proposal #{keep}"
        return self._settle(places, gone, actor, why if keep else f"conflict: {reason}")

    def _keep_both(self, chosen: Sequence[Proposal], actor: Actor) -> Receipt:
        """Store all with low confidence, each naming the others it contradicts."""
        place = Episodic(EpisodeKind.FACT, Confidence.LOW, ("conflict",))
        if not actor.human:
            for one in chosen:
                calm = replace(one, status=PENDING, conflicts=())
                self._require_allowed(one, place, judged=calm)
        known = {
            each.proposal.number: [c.known for c in each.clashes if c.known]
            for each in self.waiting()
        }
        desk = self._desk(actor, Origin.SUBAGENT)
        ids = [
            plan_all([(p.content, place) for p in chosen[: n + 1]], desk).ids[-1]
            for n in range(len(chosen))
        ]
        texts = {}
        for one, own in zip(chosen, ids, strict=True):
            others = [*(id_ for id_ in ids if id_ != own), *known.get(one.number, ())]
            texts[one] = f"{one.content}\n\nContradicts {', '.join(others)}."
        why = f"conflict of {_listed([p.number for p in chosen])}: both are kept"
        return self._settle(dict.fromkeys(chosen, place), (), actor, why, texts)

    def _settle(
        self,
        accepted: Mapping[Proposal, Place],
        rejected: Sequence[tuple[Proposal, str]],
        actor: Actor,
        why: str,
        texts: Mapping[Proposal, str] | None = None,
    ) -> Receipt:
        """One change: what is accepted is stored, all of it leaves the list."""
        house = self._house
        said = texts or {}
        steps = [
            as_data(said.get(one, one.content), humbled(place, one.origin), one.origin)
            if one.origin is Origin.SUBAGENT and not actor.human
            else (said.get(one, one.content), place)
            for one, place in accepted.items()
        ]
        theirs = next((o.origin for o in accepted if o.origin is Origin.SUBAGENT), None)
        origin = None if actor.human and not texts else theirs
        plan = plan_all(steps, self._desk(actor, origin))
        while house.make_room(plan.edits):
            plan = plan_all(steps, self._desk(actor, origin))
        edits = [
            replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
            for edit in plan.edits
        ]
        rest = proposals.load_pending(house.ledger.read)
        for one in (*accepted, *(p for p, _ in rejected)):
            rest = proposals.remove_proposal(rest, one.number)
        told = _rejections(rejected) or why
        action = Action.REJECT if rejected and not accepted else Action.EDIT
        edits.append(self._page(rest, action, told))
        gone = [*accepted, *(p for p, _ in rejected)]
        edits += archive_in_scores(house, tuple(self._copies(gone)))
        signer, approval = self._signed(accepted, actor)
        trigger = why if accepted else _listed([p.number for p, _ in rejected])
        change = ChangeSet(tuple(edits), signer, approval, trigger)
        return replace(house.commit(change), ids=plan.ids)

    def _signed(
        self, accepted: Mapping[Proposal, Place], actor: Actor
    ) -> tuple[Actor, Approval]:
        """How history signs it: with the sub-agent's name, where an agent took over."""
        if actor.human:
            return actor, Approval.APPROVED if accepted else Approval.NONE
        senders = dict.fromkeys(one.sender for one in accepted)
        if len(senders) == 1:
            return Agent(next(iter(senders))).committed, Approval.AUTO
        return Actor(_MAIN), Approval.AUTO

    def _require_allowed(
        self, found: Proposal, place: Place, judged: Proposal | None = None
    ) -> None:
        settings = self._house.config.agents
        why = may_commit(
            judged or found,
            store_of(place),
            review=settings.review,
            trusted=settings.trusted,
            human=False,
        )
        if not why and not self._vouched(found):
            why = "history does not show that its sender wrote it as it stands"
        if why:
            raise NotYoursError(found.number, why)

    def _vouched(self, proposal: Proposal) -> bool:
        """Whether its sender's own handle put it on the list just so."""
        house = self._house
        try:
            actor = Agent(proposal.sender).actor
        except BadAgentNameError:
            return False
        start = f"proposal #{proposal.number}:"
        for entry in islice(house.ledger.history(), LOOKED_THROUGH):
            if entry.actor == actor and any(
                line.action is Action.PROPOSE and line.summary.startswith(start)
                for line in entry.lines
            ):
                data = house.ledger.read_at(entry.commit, layout.PENDING) or b""
                text = data.decode("utf-8", "replace")
                then = proposals.parse_pending(text, layout.PENDING)
                return any(_same(one, proposal) for one in then.proposals)
        return False

    def _require_clash(self, numbers: tuple[int, ...]) -> None:
        found = {each.proposal.number: each for each in self.waiting()}
        for number in numbers:
            others = set(numbers) - {number}
            clashes = found[number].clashes
            if not any(c.other in others or (c.known and not others) for c in clashes):
                raise NoClashError(numbers)

    def _set_status(
        self,
        numbers: Sequence[int],
        status: Callable[[int], str],
        actor: Actor,
        why: str,
    ) -> Receipt:
        house = self._house
        house.sync()
        pending = proposals.load_pending(house.ledger.read)
        for number in numbers:
            pending = proposals.set_status(pending, number, status(number))
        edit = self._page(pending, Action.EDIT, why)
        approval = Approval.NONE if actor.human else Approval.AUTO
        return house.commit(ChangeSet((edit,), actor, approval, why))

    def _page(self, pending: proposals.Pending, action: Action, why: str) -> Edit:
        data = proposals.render_pending(pending).encode()
        base = checksum(self._house.ledger.read(layout.PENDING))
        return Edit(layout.PENDING, data, base, action, why)

    def _find(self, number: int) -> Proposal:
        pending = proposals.load_pending(self._house.ledger.read)
        return proposals.find_proposal(pending, number)

    def _fresh(self, shown: Proposal) -> Proposal:
        found = self._find(shown.number)
        if found != shown:
            raise ProposalChangedError(shown.number)
        return found

    def _copies(self, done: Iterable[Proposal]) -> Iterable[str]:
        """The copies that were kept meanwhile, which are not needed any more."""
        for one in done:
            if one.kept.startswith("episode:") and self._house.index.find(one.kept):
                yield one.kept


def _require_reviewer(actor: Actor) -> None:
    """Refuse everybody but a human and the main agent."""
    if not actor.human and actor.tag != _MAIN:
        raise OnlyHumansError(actor)


def _same(then: Proposal, now: Proposal) -> bool:
    """Whether a proposal says what it said, whatever it was marked with since."""
    return replace(then, status="", conflicts=()) == replace(
        now, status="", conflicts=()
    )


def _rejections(rejected: Sequence[tuple[Proposal, str]]) -> str:
    return "; ".join(
        f"rejected proposal #{one.number} — {reason or headline(one.content)}"
        for one, reason in rejected
    )


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(f"#{number}" for number in numbers)
