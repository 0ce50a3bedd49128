"""Decide on what sub-agents propose: commit, reject, defer, resolve (003, §13).

A human may decide on everything. The main agent may decide on what sub-agents
proposed, and nothing else; whether one of them did is read from history, where its
handle signed it, never from the page.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from reverie.encoding.forget import archive_in_scores
from reverie.encoding.gate import humbled
from reverie.encoding.near import Around
from reverie.encoding.placement import plan_all
from reverie.encoding.proposal_draft import place_within, told_accepted
from reverie.errors import FormatError, RefusedError, UnavailableError
from reverie.markdown import headline
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.ids import Store
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import FOREIGN, Origin, least, same_person
from reverie.model.proposals import (
    DEFERRED,
    PENDING,
    Agent,
    BadAgentNameError,
    Clash,
    Resolution,
    Waiting,
    ask,
)
from reverie.model.route import Episodic, store_of
from reverie.stores import proposals
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from reverie.encoding.placement import Desk
    from reverie.model.change import LogEntry, Receipt
    from reverie.model.proposals import Proposal
    from reverie.model.route import Place
    from reverie.session.session import House

MOST_AT_ONCE = 20
"""So many commit themselves in one look; nobody waits for more when an agent wakes."""

_MAIN = "bot:main"


class ProposalChangedError(RefusedError):
    """A proposal reads otherwise than the one that was shown."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"proposal #{number} was changed since it was shown",
            hint="Look at it again: `reverie pending`.",
        )


class NotYoursError(OnlyHumansError):
    """The main agent wants to decide what only its human may."""

    def __init__(self, number: int, why: str) -> None:
        RefusedError.__init__(
            self,
            f"proposal #{number} is not for an agent to decide on: {why}",
            hint=f"Ask your human: `reverie pending accept {number}` in a terminal.",
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
        self.house = house
        self.desk = desk
        self.place_of = place_of

    def waiting(self) -> tuple[Waiting, ...]:
        """What waits, each with what it is at odds with, and where it would go."""
        found = proposals.load_pending(self.house.ledger.read).proposals
        clashes: dict[int, list[Clash]] = defaultdict(list)
        for clash in find_clashes(found, self._said):
            clashes[clash.number].append(clash)
        return tuple(
            Waiting(one, tuple(clashes[one.number]), self._lands(one)) for one in found
        )

    def _said(self, id_: str) -> str:
        """What a memory, or one fact of it, says to everybody; empty if it is gone."""
        house = self.house
        around = Around(house.index, house.ledger.read, house.place)
        found = around.cited(id_)
        page = f"entity:{found.page}" if found and found.page else id_
        told = around.shown(page) and not house.index.lookup.scope_of(page)
        return found.text if found and told else ""

    def _lands(self, proposal: Proposal) -> Store:
        """The store that a proposal would really go to."""
        if proposal.scope:
            return Store.EPISODIC
        named = proposal.store is not Store.SEMANTIC or proposal.entities
        return proposal.store if named else store_of(self.place_of(proposal))

    def look(self, actor: Actor) -> tuple[Receipt, ...]:
        """Mark what contradicts, and commit what needs no second look.

        Args:
            actor: The main agent, or a human.
        """
        require_reviewer(actor)
        house = self.house
        try:
            if not proposals.load_pending(house.ledger.read).proposals:
                return ()
        except (FormatError, NotAPlainFileError) as error:
            house.note(str(error))
            return ()
        done: list[Receipt] = []
        house.persist("review", lambda: self._look(actor, done))
        return tuple(done)

    def _look(self, actor: Actor, done: list[Receipt]) -> None:
        """Look while nobody else writes: what is found holds until it is settled."""
        marked, waiting = self._mark(actor)
        done += [marked] if marked else []
        for one in self._sure(waiting):
            try:
                place = {one: self.place_of(one)}
                done.append(self.settle(place, (), Actor(_MAIN), told_accepted(one)))
            except (FormatError, UnavailableError, RefusedError) as error:
                # What is wrong with one page keeps nobody from waking.
                self.house.note(f"proposal #{one.number} waits: {error}")

    def _sure(self, waiting: Sequence[Waiting]) -> list[Proposal]:
        """What commits itself: the first of them, those that history vouches for."""
        settings = self.house.agents_now()
        found = [
            each.proposal
            for each in waiting
            if not each.clashes
            and commits_by_itself(
                each.proposal, review=settings.review, trusted=settings.trusted
            )
        ]
        sure = vouched(self.house, found) if found else ()
        return [one for one in found if one.number in sure][:MOST_AT_ONCE]

    def _mark(self, actor: Actor) -> tuple[Receipt | None, tuple[Waiting, ...]]:
        """Mark what contradicts; returns what waits, as it is marked then."""
        house = self.house
        house.sync()
        before = proposals.load_pending(house.ledger.read)
        waiting = self.waiting()
        clashes = {each.proposal.number: at_odds(each) for each in waiting}
        after = proposals.mark_conflicts(before, clashes)
        if proposals.render_pending(after) == proposals.render_pending(before):
            return None, waiting
        told = ", ".join(
            f"#{number} with {' and '.join(others)}"
            for number, others in clashes.items()
            if others
        )
        why = f"conflict: {told}" if told else "no conflict is left"
        edit = self._page(after, Action.EDIT, why)
        approval = Approval.NONE if actor.human else Approval.AUTO
        done = house.commit(ChangeSet((edit,), actor, approval, "review"))
        marked = (
            replace(each, proposal=one)
            for each, one in zip(waiting, after.proposals, strict=True)
        )
        return done, tuple(marked)

    def accept(self, shown: Proposal, place: Place | None, actor: Actor) -> Receipt:
        """Make a proposal a memory, word for word.

        Args:
            shown: As it was shown; one that reads otherwise by now is refused.
            place: Where it shall go, instead of where it was proposed to go.
            actor: A human; or the main agent, for what a sub-agent proposed.
        """
        require_reviewer(actor)
        wanted = place_within(shown, place or self.place_of(shown))
        return self.house.persist("accept", lambda: self._accept(shown, wanted, actor))

    def _accept(self, shown: Proposal, place: Place, actor: Actor) -> Receipt:
        self.house.look()
        found = self._fresh(shown)
        if not actor.human:
            self.require_allowed(found, place)
        return self.settle({found: place}, (), actor, told_by(found, actor))

    def reject(self, number: int, reason: str, actor: Actor) -> Receipt:
        """Take a proposal off the list; history keeps it."""
        require_reviewer(actor)

        def attempt() -> Receipt:
            self.house.sync()
            found = self.find(number)
            self.require_theirs(found, actor)
            return self.settle({}, ((found, reason),), actor, f"reject #{number}")

        return self.house.persist("reject", attempt)

    def defer(self, number: int, actor: Actor) -> Receipt:
        """Leave a proposal for the next reflection."""
        require_reviewer(actor)
        return self.house.persist(
            "defer",
            lambda: self.set_status(
                {number: DEFERRED}, actor, f"deferred proposal #{number}"
            ),
        )

    def settle(
        self,
        accepted: Mapping[Proposal, Place],
        rejected: Sequence[tuple[Proposal, str]],
        actor: Actor,
        why: str,
        texts: Mapping[Proposal, str] | None = None,
    ) -> Receipt:
        """One change: what is accepted is stored, all of it leaves the list."""
        house = self.house
        said = texts or {}
        steps = [
            _step(one, said.get(one, one.content), place_within(one, place), actor)
            for one, place in accepted.items()
        ]
        # A yes lets a stranger's words in; it does not make them anybody else's.
        strangers = [one.origin for one in accepted if one.origin in FOREIGN]
        theirs = least(strangers) if strangers else None
        plan = plan_all(steps, self.desk(actor, theirs))
        while house.make_room(plan.edits):
            plan = plan_all(steps, self.desk(actor, theirs))
        edits = [
            replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
            for edit in plan.edits
        ]
        gone = [*accepted, *(p for p, _ in rejected)]
        rest = self._without(gone)
        told = _rejections(rejected) or why
        edits.append(self._page(rest, Action.REJECT if rejected else Action.EDIT, told))
        edits += archive_in_scores(house, tuple(self._copies(gone)))
        signer, approval = self._signed(accepted, actor, alone=not rejected)
        trigger = why if accepted else listed([p.number for p, _ in rejected])
        change = ChangeSet(tuple(edits), signer, approval, trigger)
        # A human agreed, or `require_allowed` has.
        return replace(house.commit(change, allowed=True), ids=plan.ids)

    def _without(self, gone: Sequence[Proposal]) -> proposals.Pending:
        """The list without some, nor any mark that names them."""
        rest = proposals.load_pending(self.house.ledger.read)
        for one in gone:
            rest = proposals.remove_proposal(rest, one.number)
        return proposals.unmark(rest, [one.number for one in gone])

    def _signed(
        self, accepted: Mapping[Proposal, Place], actor: Actor, *, alone: bool
    ) -> tuple[Actor, Approval]:
        """How history signs it: with the sub-agent's name, where an agent took over.

        One change is one commit, and that has one signature: where others' proposals
        are rejected by it (not `alone`), that is of who decided.
        """
        if actor.human:
            return actor, Approval.APPROVED if accepted else Approval.NONE
        senders = dict.fromkeys(one.sender for one in accepted)
        if len(senders) == 1 and alone:
            return Agent(next(iter(senders))).committed, Approval.AUTO
        return Actor(_MAIN), Approval.AUTO

    def require_allowed(
        self, found: Proposal, place: Place, *, resolved: bool = False
    ) -> None:
        """Refuse the main agent what it may not commit.

        Args:
            found: The proposal as it stands.
            place: Where it would go.
            resolved: Whether what speaks against it is being settled by this.
        """
        settings = self.house.agents_now()
        judged = replace(found, status=PENDING, conflicts=()) if resolved else found
        why = self._not_theirs(found) or may_commit(
            judged, store_of(place), review=settings.review, trusted=settings.trusted
        )
        if not why and not resolved and self._clashes(found):
            why = "it contradicts something, which is to be resolved first"
        if why:
            raise NotYoursError(found.number, why)

    def require_theirs(self, found: Proposal, actor: Actor) -> None:
        """Refuse the main agent what is for a human alone to decide on."""
        why = "" if actor.human else self._not_theirs(found)
        if why:
            raise NotYoursError(found.number, why)

    def _not_theirs(self, found: Proposal) -> str:
        """Why an agent may not decide on a proposal at all; empty if it may."""
        if found.origin is not Origin.SUBAGENT:
            return "no sub-agent proposed it"
        if self.house.agents_now().review == MANUAL:
            return "a human decides on every proposal here"
        if found.number not in vouched(self.house, [found]):
            return "history does not show that its sender wrote it as it stands"
        return ""

    def _clashes(self, found: Proposal) -> bool:
        """Whether something speaks against a proposal, marked or not."""
        there = proposals.load_pending(self.house.ledger.read).proposals
        clashes = find_clashes(there, self._said)
        return any(clash.number == found.number for clash in clashes)

    def set_status(
        self, statuses: Mapping[int, str], actor: Actor, why: str
    ) -> Receipt:
        """Say in the list what becomes of some proposals."""
        house = self.house
        house.sync()
        pending = proposals.load_pending(house.ledger.read)
        for number, status in statuses.items():
            self.require_theirs(proposals.find_proposal(pending, number), actor)
            pending = proposals.set_status(pending, number, status)
        edit = self._page(pending, Action.EDIT, why)
        approval = Approval.NONE if actor.human else Approval.AUTO
        return house.commit(ChangeSet((edit,), actor, approval, why))

    def _page(self, pending: proposals.Pending, action: Action, why: str) -> Edit:
        data = proposals.render_pending(pending).encode()
        base = checksum(self.house.ledger.read(layout.PENDING))
        return Edit(layout.PENDING, data, base, action, why)

    def find(self, number: int) -> Proposal:
        """One of what waits."""
        pending = proposals.load_pending(self.house.ledger.read)
        return proposals.find_proposal(pending, number)

    def _fresh(self, shown: Proposal) -> Proposal:
        found = self.find(shown.number)
        if found != shown:
            raise ProposalChangedError(shown.number)
        return found

    def _copies(self, done: Iterable[Proposal]) -> Iterable[str]:
        """The copies that were kept meanwhile, which are not needed any more."""
        for one in done:
            if one.kept.startswith("episode:") and self.house.find(one.kept):
                yield one.kept


def _step(one: Proposal, text: str, place: Place, actor: Actor) -> tuple[str, Place]:
    """A text and where it goes; what an agent takes over from another is data."""
    if actor.human or one.origin is not Origin.SUBAGENT:
        return text, place
    if store_of(place) is Store.PROCEDURAL:
        # Their sender is trusted with steps.
        return text, place
    return text, humbled(place, one.origin)


def told_by(one: Proposal, actor: Actor, *, alone: bool = True) -> str:
    """How history tells that somebody accepted a proposal, and whose it was."""
    named = one.origin is Origin.SUBAGENT and (actor.human or not alone)
    return told_accepted(one, one.sender if named else "")


def at_odds(waiting: Waiting) -> tuple[str, ...]:
    """What speaks against a proposal, as the list names it."""
    named = (f"#{c.other}" if c.other else c.known for c in waiting.clashes)
    return tuple(dict.fromkeys(named))


def require_reviewer(actor: Actor) -> None:
    """Refuse everybody but a human and the main agent."""
    if not actor.human and actor.tag != _MAIN:
        raise OnlyHumansError(actor)


def _rejections(rejected: Sequence[tuple[Proposal, str]]) -> str:
    return "; ".join(
        f"rejected proposal #{one.number} — {reason or headline(one.content)}"
        for one, reason in rejected
    )


def listed(numbers: Iterable[int]) -> str:
    """Several numbers, as history tells them."""
    return " and ".join(f"#{number}" for number in numbers)


# --- contradictions: three ways out (§13.6) ------------------------------------

LOOSELY = Episodic(EpisodeKind.FACT, Confidence.LOW, ("conflict",))
"""Where what cannot all be true is kept."""


class NoClashError(RefusedError):
    """Proposals were to be resolved that are not at odds."""

    def __init__(self, numbers: Sequence[int]) -> None:
        said = ", ".join(f"#{number}" for number in numbers)
        super().__init__(
            f"nobody said that {said} contradicts anything that is known",
            hint="`reverie pending accept` and `reject` decide on it; name two "
            "proposals of which not both can hold.",
        )


class NotAmongThemError(RefusedError):
    """The proposal that is to stay is none of those in question."""

    def __init__(self, keep: int) -> None:
        super().__init__(
            f"#{keep} is none of the proposals to resolve",
            hint="Name one of them with --keep.",
        )


def resolve(
    review: Review, numbers: Sequence[int], how: Resolution, keep: int, actor: Actor
) -> Receipt:
    """Settle proposals that contradict each other, or what is known.

    Args:
        review: Who decides on what waits.
        numbers: Which ones.
        how: One of the three ways.
        keep: Which one is right, for `Resolution.KEEP`; 0 for none of them.
        actor: A human, or the main agent.
    """
    require_reviewer(actor)
    distinct = tuple(dict.fromkeys(numbers))

    def attempt() -> Receipt:
        review.house.look()
        chosen = [review.find(number) for number in distinct]
        waiting = {each.proposal.number: each for each in review.waiting()}
        clashing = [waiting[number] for number in distinct]
        _require_clash(clashing)
        if how is Resolution.ASK:
            return _ask(review, clashing, actor)
        if how is Resolution.BOTH:
            return _keep_both(review, clashing, actor)
        return _keep_one(review, chosen, keep, actor)

    return review.house.persist("resolve", attempt)


def _require_clash(chosen: Sequence[Waiting]) -> None:
    numbers = [each.proposal.number for each in chosen]
    # Who names several says that they cannot all hold.
    if len(chosen) == 1 and not any(clash.known for clash in chosen[0].clashes):
        raise NoClashError(numbers)


def _ask(review: Review, chosen: Sequence[Waiting], actor: Actor) -> Receipt:
    """Mark them so that the user hears of it."""
    numbers = [each.proposal.number for each in chosen]
    named = {
        number: ask(
            tuple(
                dict.fromkeys(
                    [*(f"#{n}" for n in numbers if n != number), *at_odds(each)]
                )
            )
        )
        for number, each in zip(numbers, chosen, strict=True)
    }
    why = f"conflict of {listed(named)}: the user is asked"
    return review.set_status(named, actor, why)


def _keep_one(
    review: Review, chosen: Sequence[Proposal], keep: int, actor: Actor
) -> Receipt:
    for one in chosen:
        review.require_theirs(one, actor)
    kept = [one for one in chosen if one.number == keep]
    if keep and not kept:
        raise NotAmongThemError(keep)
    places = {one: review.place_of(one) for one in kept}
    if not actor.human:
        for one, place in places.items():
            review.require_allowed(one, place, resolved=True)
    reason = f"#{keep} holds" if keep else "what is known holds"
    gone = tuple((one, reason) for one in chosen if one.number != keep)
    why = f"conflict of {listed(one.number for one in chosen)}: "
    why += told_by(kept[0], actor, alone=not gone) if kept else reason
    return review.settle(places, gone, actor, why)


def _keep_both(review: Review, chosen: Sequence[Waiting], actor: Actor) -> Receipt:
    """Store all with low confidence, each naming the others it contradicts."""
    if not actor.human:
        for each in chosen:
            review.require_allowed(each.proposal, LOOSELY, resolved=True)
    desk = review.desk(actor, Origin.SUBAGENT)
    contents = [(each.proposal.content, LOOSELY) for each in chosen]
    ids = [plan_all(contents[: n + 1], desk).ids[-1] for n in range(len(contents))]
    texts = {}
    for each, own in zip(chosen, ids, strict=True):
        known = [clash.known for clash in each.clashes if clash.known]
        others = dict.fromkeys([*(id_ for id_ in ids if id_ != own), *known])
        texts[each.proposal] = (
            f"{each.proposal.content}\n\nContradicts {', '.join(others)}."
        )
    why = f"conflict of {listed(each.proposal.number for each in chosen)}: "
    places = dict.fromkeys(texts, LOOSELY)
    return review.settle(places, (), actor, f"{why}both are kept", texts)


# --- who may commit which proposal (§13.3, §13.4) ------------------------------

AUTO = "auto"
BATCH = "batch"
MANUAL = "manual"

DATA = (Store.EPISODIC, Store.SEMANTIC)
"""Stores that hold what is known; what the others hold is obeyed, or protected."""


def may_commit(
    proposal: Proposal,
    store: Store,
    *,
    review: str,
    trusted: Collection[str],
) -> str:
    """Why the main agent may not commit a proposal to a store; empty if it may.

    A human may commit everything, so nobody asks for them.

    Args:
        proposal: What is proposed.
        store: Where it would go, which need not be where it was proposed to go.
        review: Who decides, as configured.
        trusted: Names of the sub-agents whose sure proposals need no second look.
    """
    reasons = (
        (proposal.origin is not Origin.SUBAGENT, "no sub-agent proposed it"),
        (review == MANUAL, "a human decides on every proposal here"),
        (proposal.disputed, "it contradicts something, which is to be resolved first"),
        (not _open_to(proposal, store, trusted), f"{store} memory needs a human"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _open_to(proposal: Proposal, store: Store, trusted: Collection[str]) -> bool:
    if store is Store.PROCEDURAL:
        return proposal.sender in trusted
    return store in DATA


def commits_by_itself(
    proposal: Proposal, *, review: str, trusted: Collection[str]
) -> bool:
    """Whether a proposal is committed without a second look.

    That is, where this is configured, a sure one of a trusted sub-agent that nothing
    speaks against and nobody put off.
    """
    refused = may_commit(proposal, proposal.store, review=review, trusted=trusted)
    return (
        review == AUTO
        and not refused
        and proposal.sender in trusted
        and proposal.store in DATA
        and proposal.confidence is Confidence.HIGH
        and proposal.status == PENDING
    )


# --- whether a sub-agent's own handle proposed it ------------------------------

LOOKED_THROUGH = 5_000
"""So many changes are looked through for those that brought some proposals."""


def vouched(house: House, found: Iterable[Proposal]) -> frozenset[int]:
    """Numbers of the proposals that their senders wrote as they stand.

    Args:
        house: The workspace's parts.
        found: Proposals as they stand on the list.
    """
    wanted = {(actor, one.number): one for one in found if (actor := _actor(one))}
    sure = set()
    for entry in islice(house.ledger.history(), LOOKED_THROUGH):
        if not wanted:
            break
        for number in _brought(entry):
            one = wanted.pop((entry.actor, number), None)
            if one is not None and _wrote(house, entry.commit, one):
                sure.add(number)
    return frozenset(sure)


def _actor(proposal: Proposal) -> Actor | None:
    try:
        return Agent(proposal.sender).actor
    except BadAgentNameError:
        return None


def _brought(entry: LogEntry) -> Iterable[int]:
    """Numbers of the proposals that a change put on the list."""
    for line in entry.lines:
        start, _, rest = line.summary.partition("#")
        number = rest.partition(":")[0]
        listed = line.action is Action.PROPOSE and line.path == layout.PENDING
        if listed and start == "proposal " and number.isascii() and number.isdigit():
            yield int(number)


def _wrote(house: House, commit: str, proposal: Proposal) -> bool:
    data = house.ledger.read_at(commit, layout.PENDING) or b""
    text = data.decode("utf-8", "replace")
    # It was put at the end then; reading all of a long list takes longer.
    end = text[max(0, text.rfind(f"\n## Proposal #{proposal.number}")) :]
    then = parse_pending(end, layout.PENDING).proposals
    return any(_same(one, proposal) for one in then)


def _same(then: Proposal, now: Proposal) -> bool:
    """Whether a proposal says what it said, whatever it was marked with since."""
    return replace(then, status="", conflicts=()) == replace(
        now, status="", conflicts=()
    )


# --- which proposals cannot all hold (§13.6) -----------------------------------

MOST_CLASHES = 20
"""So many contradictions are told of one proposal."""

SAID = "somebody said so"
REPLACES = "both replace the same fact"


def find_clashes(
    proposals: Sequence[Proposal], known: Callable[[str], str]
) -> tuple[Clash, ...]:
    """What proposals are at odds with; of two that clash, both are told.

    But one that is for a person alone is named to nobody else.

    Args:
        proposals: What waits.
        known: What the memory, or the fact, of an id says; empty if it is gone.
    """
    there = {one.number: one for one in proposals}
    found: dict[int, dict[tuple[int, str], Clash]] = defaultdict(dict)

    def add(one: Proposal, other: Proposal, why: str) -> None:
        for a, b in ((one, other), (other, one)):
            if not b.scope or same_person(a.scope, b.scope):
                clash = Clash(a.number, b.number, "", b.content, why)
                found[a.number].setdefault((b.number, ""), clash)

    replaced: dict[str, list[Proposal]] = defaultdict(list)
    for one in proposals:
        for named in dict.fromkeys((*one.contradicts, *one.conflicts)):
            other = there.get(int(named[1:])) if named[1:].isdecimal() else None
            if other is not None and other is not one:
                add(one, other, SAID)
            elif not named.startswith("#") and (said := known(named)):
                clash = Clash(one.number, 0, named, said, SAID)
                found[one.number].setdefault((0, named), clash)
        for other in replaced[one.supersedes] if one.supersedes else ():
            if other.content != one.content:
                add(one, other, REPLACES)
        replaced[one.supersedes].append(one)
    return tuple(
        clash
        for number in there
        for _, clash in sorted(found[number].items())[:MOST_CLASHES]
    )
