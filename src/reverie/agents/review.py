"""Decide on what sub-agents propose: commit, reject, defer, resolve (003, §13).

A human may decide on everything. The main agent may decide on what sub-agents
proposed, and nothing else; whether one of them did is read from history, where its
handle signed it, never from the page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.archiving import archive_in_scores
from reverie.encoding.gate import humbled
from reverie.encoding.near import Around
from reverie.encoding.placement import (
    entity_name,
    fact_of,
    make_room,
    plan_all,
)
from reverie.encoding.possible_conflicts import find_differing
from reverie.encoding.proposal_draft import place_within, told_accepted
from reverie.encoding.removal_proposals import remove_proposed
from reverie.errors import FormatError, RefusedError, ReverieError, UnavailableError
from reverie.index.value_keys import value_keys
from reverie.markdown import headline
from reverie.model import proposals as model
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.ids import Kind, Store
from reverie.model.items import (
    FOREIGN,
    Confidence,
    EpisodeKind,
    Origin,
    Source,
    least,
    same_person,
)
from reverie.model.proposals import PENDING, Resolution
from reverie.model.route import Core, Episodic, Semantic, store_of
from reverie.stores import proposals as listed
from reverie.stores.entities import parse_fact_id
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from reverie.encoding.placement import Desk
    from reverie.model.change import Receipt
    from reverie.model.proposals import Clash, Proposal, Waiting
    from reverie.model.route import Place
    from reverie.session.session import Session

MOST_AT_ONCE = 20
"""So many commit themselves in one look; nobody waits for more when an agent wakes."""

AUTO, MANUAL = "auto", "manual"
DATA = (Store.EPISODIC, Store.SEMANTIC)
"""Stores that hold what is known; what the others hold is obeyed, or protected."""

LOOSELY = Episodic(EpisodeKind.FACT, Confidence.LOW, ("conflict",))
"""Where what cannot all be true is kept."""

_MAIN = "bot:main"


class ProposalChangedError(RefusedError):
    """A proposal reads otherwise than the one that was shown."""

    says = "proposal #{} was changed since it was shown"
    mend = "Look at it again: `reverie pending`."


class NotYoursError(OnlyHumansError):
    """The main agent wants to decide what only its human may."""

    says = "proposal #{} is not for an agent to decide on: {}"
    mend = "Ask your human: `reverie pending accept {}` in a terminal."


class NoClashError(RefusedError):
    """What was to be resolved is not at odds, or not among what is in question."""


class Review:
    """Decides on what waits.

    Args:
        session: The workspace's parts.
        desk: What planning may look at, for an actor and an origin.
        place_of: Where a proposal is to go.
    """

    def __init__(
        self,
        session: Session,
        desk: Callable[[Actor, Origin | None], Desk],
        place_of: Callable[[Proposal], Place],
    ) -> None:
        self.session = session
        self.desk = desk
        self.place_of = place_of

    @property
    def _list(self) -> listed.Pending:
        return listed.load_pending(self.session.ledger.read)

    def _find(self, number: int) -> Proposal:
        return listed.find_proposal(self._list, number)

    def waiting(self, *, leaving: bool = False) -> tuple[Waiting, ...]:
        """What waits, each with what it is at odds with, and where it would go.

        Args:
            leaving: Whether to find out what would leave core memory for it as well.
        """
        found = self._list.proposals
        clashes = self._find_clashes(found)
        return tuple(
            model.Waiting(
                one,
                tuple(clash for clash in clashes if clash.number == one.number),
                *_lands(self.place_of(one)),
                self._leaving(one) if leaving else (),
            )
            for one in found
        )

    def _leaving(self, one: Proposal) -> tuple[str, ...]:
        """What would move out of core memory to make room for a proposal."""
        if one.removes:
            return ()
        place = self.place_of(one)
        # What cannot be accepted says why when somebody tries.
        with suppress(ReverieError):
            if isinstance(place, Core):
                desk = self.desk(Actor(MANUAL), _whose([one]))
                return tuple(e.text for e in make_room(one.content, place, desk)[1])
        return ()

    def _said(self, id_: str) -> str:
        """What a memory, or one fact of it, says to everybody; empty if it is gone."""
        around = Around(self.session)
        found = around.cited(id_)
        page = f"entity:{found.page}" if found and found.page else id_
        told = around.shown(page) and not self.session.index.scope_of(page)
        return found.text if found and told else ""

    def _find_clashes(self, proposals: Sequence[Proposal]) -> tuple[Clash, ...]:
        return find_clashes(
            proposals, self._said, partial(find_differing, self.session)
        )

    # --- what needs no second look ---------------------------------------------

    def look(self, actor: Actor) -> tuple[Receipt, ...]:
        """Mark what contradicts, and commit what needs no second look.

        Args:
            actor: The main agent, or a human.
        """
        _require_reviewer(actor)
        try:
            if not self._list.proposals:
                return ()
        except (FormatError, NotAPlainFileError) as error:
            self.session.note(str(error))
            return ()
        # While nobody else writes: what is found holds until it is settled.
        return self.session.persist("review", lambda: tuple(self._look(actor)))

    def _look(self, actor: Actor) -> Iterator[Receipt]:
        session = self.session
        session.sync()
        before, waiting = self._list, self.waiting()
        clashes = {each.proposal.number: at_odds(each) for each in waiting}
        after = listed.mark_conflicts(before, clashes)
        if after != before:
            told = ", ".join(
                f"#{number} with {' and '.join(others)}"
                for number, others in clashes.items()
                if others
            )
            why = f"conflict: {told}" if told else "no conflict is left"
            yield self._write(after, actor, why, "review")
        settings = session.agents_now()
        sure = [
            one
            for one in after.proposals
            if not clashes[one.number]
            and commits_by_itself(one, settings.review, settings.trusted)
        ]
        known = vouched(session, sure) if sure else ()
        for one in [one for one in sure if one.number in known][:MOST_AT_ONCE]:
            try:
                place = {one: self.place_of(one)}
                yield self._settle(place, (), Actor(_MAIN), told_accepted(one))
            except (FormatError, UnavailableError, RefusedError) as error:
                # What is wrong with one page keeps nobody from waking.
                session.note(f"proposal #{one.number} waits: {error}")

    # --- decisions -------------------------------------------------------------

    def accept(self, shown: Proposal, place: Place | None, actor: Actor) -> Receipt:
        """Make a proposal a memory, word for word.

        Args:
            shown: As it was shown; one that reads otherwise by now is refused.
            place: Where it shall go, instead of where it was proposed to go.
            actor: A human; or the main agent, for what a sub-agent proposed.
        """
        _require_reviewer(actor)
        if shown.removes and place is not None:
            what = f"proposal #{shown.number} removes a memory, and goes to no store"
            raise RefusedError(what, hint="Accept it without a store, or reject it.")
        wanted = place_within(shown, place or self.place_of(shown))

        def attempt() -> Receipt:
            self.session.look()
            if self._find(shown.number) != shown:
                raise ProposalChangedError(shown.number)
            self._require(shown, actor, wanted)
            if shown.removes:
                rest = taken_off(self._list, {shown.number: ""})
                page = self._page(rest, Action.EDIT, told_accepted(shown))
                return remove_proposed(self.session, shown, page, actor)
            return self._settle({shown: wanted}, (), actor, _told_by(shown, actor))

        return self.session.persist("accept", attempt)

    def reject(self, number: int, reason: str, actor: Actor) -> Receipt:
        """Take a proposal off the list; history keeps it."""
        _require_reviewer(actor)

        def attempt() -> Receipt:
            self.session.sync()
            found = self._find(number)
            self._require(found, actor)
            return self._settle({}, ((found, reason),), actor, f"reject #{number}")

        return self.session.persist("reject", attempt)

    def defer(self, number: int, actor: Actor) -> Receipt:
        """Leave a proposal for the next reflection."""
        _require_reviewer(actor)
        why = f"deferred proposal #{number}"
        return self.session.persist(
            "defer", lambda: self._set_status({number: model.DEFERRED}, actor, why)
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
        distinct = tuple(dict.fromkeys(numbers))

        def attempt() -> Receipt:
            self.session.look()
            for number in distinct:
                self._find(number)
            there = {each.proposal.number: each for each in self.waiting()}
            chosen = [there[number] for number in distinct]
            if any(one.proposal.removes for one in chosen):
                raise NoClashError("a proposal to remove a memory contradicts nothing")
            # Who names several says that they cannot all hold.
            if len(chosen) == 1 and not any(c.known for c in chosen[0].clashes):
                what = f"nobody said that #{distinct[0]} contradicts what is known"
                hint = "`reverie pending accept` and `reject` decide on it; name two "
                hint += "proposals of which not both can hold."
                raise NoClashError(what, hint=hint)
            why = f"conflict of {' and '.join(f'#{number}' for number in distinct)}: "
            if how is Resolution.BOTH:
                return self._keep_both(chosen, actor, why)
            if how is Resolution.KEEP:
                return self._keep_one(
                    [one.proposal for one in chosen], keep, actor, why
                )
            asked = {}
            for each in chosen:
                own = each.proposal.number
                others = [f"#{n}" for n in distinct if n != own] + [*at_odds(each)]
                asked[own] = model.ask(tuple(dict.fromkeys(others)))
            return self._set_status(asked, actor, f"{why}the user is asked")

        return self.session.persist("resolve", attempt)

    def _keep_one(
        self, chosen: Sequence[Proposal], keep: int, actor: Actor, why: str
    ) -> Receipt:
        for one in chosen:
            self._require(one, actor)
        places = {one: self.place_of(one) for one in chosen if one.number == keep}
        if keep and not places:
            what = f"#{keep} is none of the proposals to resolve"
            raise NoClashError(what, hint="Name one of them with --keep.")
        reason = f"#{keep} holds" if keep else "what is known holds"
        gone = tuple((one, reason) for one in chosen if one.number != keep)
        for one, place in places.items():
            self._require(one, actor, place, resolved=True)
            reason = _told_by(one, actor, alone=not gone)
        return self._settle(places, gone, actor, why + reason)

    def _keep_both(self, chosen: Sequence[Waiting], actor: Actor, why: str) -> Receipt:
        """Store all with low confidence, each naming the others it contradicts."""
        for each in chosen:
            self._require(each.proposal, actor, LOOSELY, resolved=True)
        contents = [(each.proposal.content, LOOSELY) for each in chosen]
        ids = plan_all(contents, self.desk(actor, Origin.SUBAGENT)).ids
        texts = {}
        for each, own in zip(chosen, ids, strict=True):
            known = [clash.known for clash in each.clashes if clash.known]
            others = dict.fromkeys([*(id_ for id_ in ids if id_ != own), *known])
            said = f"{each.proposal.content}\n\nContradicts {', '.join(others)}."
            texts[each.proposal] = said
        places = dict.fromkeys(texts, LOOSELY)
        return self._settle(places, (), actor, f"{why}both are kept", texts)

    def _settle(
        self,
        accepted: Mapping[Proposal, Place],
        rejected: Sequence[tuple[Proposal, str]],
        actor: Actor,
        why: str,
        texts: Mapping[Proposal, str] | None = None,
    ) -> Receipt:
        """One change: what is accepted is stored, all of it leaves the list."""
        session, said = self.session, texts or {}
        steps = [
            (said.get(one, one.content), _humbled(one, place_within(one, place), actor))
            for one, place in accepted.items()
        ]
        theirs = _whose(accepted)
        # Which of several that are kept is right was said, or is said in their words.
        known = [
            id_
            for one, (_, place) in zip(accepted, steps, strict=True)
            for id_ in (() if texts else contradicted(one, place, self._said))
        ]
        plan = plan_all(steps, self._desk_of(actor, theirs), known)
        while session.make_room(plan.edits):
            plan = plan_all(steps, self._desk_of(actor, theirs), known)
        edits = [
            replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
            for edit in plan.edits
        ]
        gone = [*accepted, *(one for one, _ in rejected)]
        became = dict.fromkeys((one.number for one in gone), "")
        for one, step, id_ in zip(accepted, steps, plan.ids, strict=False):
            became[one.number] = fact_of([id_], step) or id_
        rest = taken_off(self._list, became)
        told = "; ".join(
            f"rejected proposal #{one.number} — {reason or headline(one.content)}"
            for one, reason in rejected
        )
        action = Action.REJECT if rejected else Action.EDIT
        edits.append(self._page(rest, action, told or why))
        copies = (one.kept for one in gone if one.kept.startswith("episode:"))
        # Only a human accepts what is told of somebody whom they had forgotten.
        struck = [p.supersedes for _, p in steps if isinstance(p, Episodic)]
        over = filter(session.find, (*copies, *filter(None, struck)))
        edits += archive_in_scores(session, over, back=plan.ids)
        approval = Approval.APPROVED if accepted else Approval.NONE
        if not actor.human:
            # With the sub-agent's name, unless others' proposals are rejected by it.
            senders = {one.sender for one in accepted}
            actor, approval = Actor(_MAIN), Approval.AUTO
            if len(senders) == 1 and not rejected:
                actor = model.Agent(senders.pop()).committed
        numbers = " and ".join(f"#{one.number}" for one, _ in rejected)
        trigger = why if accepted else numbers
        # A human agreed, or `_require` has.
        change = ChangeSet(tuple(edits), actor, approval, trigger)
        return replace(session.commit(change, allowed=True), ids=plan.ids)

    def _desk_of(self, actor: Actor, origin: Origin | None) -> Desk:
        """Return a desk for words that stay those of others, whoever accepts them."""
        desk = self.desk(actor, origin)
        return replace(desk, source=Source.CONVERSATION) if origin in FOREIGN else desk

    def _set_status(
        self, statuses: Mapping[int, str], actor: Actor, why: str
    ) -> Receipt:
        """Say in the list what becomes of some proposals."""
        self.session.sync()
        pending = self._list
        for number, status in statuses.items():
            self._require(listed.find_proposal(pending, number), actor)
            pending = listed.set_status(pending, number, status)
        return self._write(pending, actor, why, why)

    def _write(
        self, pending: listed.Pending, actor: Actor, why: str, trigger: str
    ) -> Receipt:
        edit = self._page(pending, Action.EDIT, why)
        return self.session.commit(ChangeSet((edit,), actor, actor.approval, trigger))

    def _page(self, pending: listed.Pending, action: Action, why: str) -> Edit:
        data = listed.render_pending(pending).encode()
        base = checksum(self.session.ledger.read(layout.PENDING))
        return Edit(layout.PENDING, data, base, action, why)

    def _require(
        self,
        found: Proposal,
        actor: Actor,
        place: Place | None = None,
        *,
        resolved: bool = False,
    ) -> None:
        """Refuse the main agent what only a human may decide.

        Args:
            found: The proposal as it stands.
            actor: Who decides.
            place: Where it would go; None where it is not to be committed.
            resolved: Whether what speaks against it is being settled by this.
        """
        if actor.human:
            return
        settings, judged = self.session.agents_now(), found
        if place is None or resolved:
            judged = replace(found, status=PENDING, conflicts=())
        else:
            clashes = self._find_clashes(self._list.proposals)
            named = (f"#{c.other}" for c in clashes if c.number == found.number)
            judged = replace(found, conflicts=(*found.conflicts, *named))
        store = store_of(place) if place else DATA[0]
        why = may_commit(judged, store, settings.review, settings.trusted)
        if isinstance(place, Semantic):
            page = self.session.index.trace(f"{Kind.ENTITY}:{entity_name(place)}")
            why = why or ("its page was forgotten" if page and page.archived else "")
        if not why and found.number not in vouched(self.session, [found]):
            why = "history does not show that its sender wrote it as it stands"
        if why:
            raise NotYoursError(found.number, why)


def _lands(place: Place) -> tuple[Store, str, str]:
    """The store, the page or block, and what of it is superseded."""
    match place:
        case Semantic():
            return Store.SEMANTIC, place.about, place.supersedes
        case Core():
            return Store.CORE, str(place.block), place.supersedes
        case _:
            return store_of(place), "", ""


def _whose(accepted: Iterable[Proposal]) -> Origin | None:
    """Whose words some proposals stay; None for those of whoever says yes.

    A yes lets a stranger's words in; it does not make them anybody else's.
    """
    strangers = [one.origin for one in accepted if one.origin in FOREIGN]
    return least(strangers) if strangers else None


def _humbled(one: Proposal, place: Place, actor: Actor) -> Place:
    """Where a proposal goes; what an agent takes over from another is data.

    But their sender is trusted with steps.
    """
    steps = store_of(place) is Store.PROCEDURAL
    own = actor.human or one.origin is not Origin.SUBAGENT or steps
    return place if own else humbled(place, one.origin)


def _told_by(one: Proposal, actor: Actor, *, alone: bool = True) -> str:
    """How history tells that somebody accepted a proposal, and whose it was."""
    named = one.origin is Origin.SUBAGENT and (actor.human or not alone)
    return told_accepted(one, one.sender if named else "")


def at_odds(waiting: Waiting) -> tuple[str, ...]:
    """What speaks against a proposal, as the list names it."""
    named = (f"#{c.other}" if c.other else c.known for c in waiting.clashes)
    return tuple(dict.fromkeys(named))


def _require_reviewer(actor: Actor) -> None:
    if not actor.human and actor.tag != _MAIN:
        raise OnlyHumansError(actor)


def contradicted(one: Proposal, place: Place, known: Callable[[str], str]) -> list[str]:
    """What is known that a proposal contradicts, and that a page can ask about.

    Not what it takes the place of. Of a whole page nobody can tell whether it holds.

    Args:
        one: The proposal.
        place: Where it goes.
        known: What the memory, or the fact, of an id says; empty if it is gone.
    """
    over = place.supersedes.removeprefix("entity:")
    named = (id_.removeprefix("entity:") for id_ in (*one.contradicts, *one.conflicts))
    return [
        id_
        for id_ in dict.fromkeys(named)
        if (parse_fact_id(id_) or id_.startswith("episode:")) and id_ != over
        if known(id_)
    ]


# --- who may commit which proposal (§13.3, §13.4) ------------------------------


def may_commit(
    proposal: Proposal, store: Store, review: str, trusted: Collection[str]
) -> str:
    """Why the main agent may not commit a proposal to a store; empty if it may.

    A human may commit everything, so nobody asks for them.

    Args:
        proposal: What is proposed.
        store: Where it would go, which need not be where it was proposed to go.
        review: Who decides, as configured.
        trusted: Names of the sub-agents whose sure proposals need no second look.
    """
    steps = store is Store.PROCEDURAL and proposal.sender in trusted
    reasons = (
        (proposal.origin is not Origin.SUBAGENT, "no sub-agent proposed it"),
        (bool(proposal.removes), "only a human removes what steers an agent"),
        (review == MANUAL, "a human decides on every proposal here"),
        (proposal.disputed, "it contradicts something, which is to be resolved first"),
        (store not in DATA and not steps, f"{store} memory needs a human"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def commits_by_itself(
    proposal: Proposal, review: str, trusted: Collection[str]
) -> bool:
    """Whether a proposal is committed without a second look.

    That is, where this is configured, a sure one of a trusted sub-agent that nothing
    speaks against and nobody put off.
    """
    return (
        review == AUTO
        and not may_commit(proposal, proposal.store, review, trusted)
        and proposal.sender in trusted
        and proposal.store in DATA
        and proposal.confidence is Confidence.HIGH
        and proposal.status == PENDING
    )


# --- whether a sub-agent's own handle proposed it ------------------------------

LOOKED_THROUGH = 5_000
"""So many changes are looked through for those that brought some proposals."""

_BROUGHT = re.compile(r"proposal #([0-9]+):")


def vouched(session: Session, found: Iterable[Proposal]) -> frozenset[int]:
    """Numbers of the proposals that their senders wrote as they stand.

    Args:
        session: The workspace's parts.
        found: Proposals as they stand on the list.
    """
    wanted: dict[tuple[Actor, int], Proposal] = {}
    for one in found:
        with suppress(model.BadAgentNameError):
            wanted[model.Agent(one.sender).actor, one.number] = one
    sure = set()
    for entry in islice(session.ledger.history(), LOOKED_THROUGH):
        if not wanted:
            break
        for line in entry.lines:
            put = line.action is Action.PROPOSE and line.path == layout.PENDING
            if put and (brought := _BROUGHT.match(line.summary)):
                claim = wanted.pop((entry.actor, int(brought[1])), None)
                if claim and _wrote(session, entry.commit, claim):
                    sure.add(claim.number)
    return frozenset(sure)


def _wrote(session: Session, commit: str, proposal: Proposal) -> bool:
    data = session.ledger.read_at(commit, layout.PENDING) or b""
    text = data.decode("utf-8", "replace")
    # It was put at the end then; reading all of a long list takes longer.
    end = text[max(0, text.rfind(f"\n## Proposal #{proposal.number}")) :]
    then = listed.parse_pending(end, layout.PENDING).proposals
    # It says what it said, whatever it was marked with since.
    now = replace(proposal, status="", conflicts=())
    return any(replace(one, status="", conflicts=()) == now for one in then)


# --- which proposals cannot all hold (§13.6) -----------------------------------


def taken_off(pending: listed.Pending, gone: Mapping[int, str]) -> listed.Pending:
    """The list without some proposals.

    What was at odds with one that was accepted is at odds with what is known now.

    Args:
        pending: The list.
        gone: The numbers of those that leave it, each with the id of the memory, or
            the fact, that it has become; empty for what has become none.
    """
    odds: dict[int, list[str]] = defaultdict(list)
    for clash in find_clashes(pending.proposals, lambda _: ""):
        if gone.get(clash.other):
            odds[clash.number].append(gone[clash.other])
    for number in gone:
        pending = listed.remove_proposal(pending, number)
    return listed.unmark(pending, gone, odds)


MOST_CLASHES = 20
"""So many contradictions are told of one proposal."""

SAID = "somebody said so"
REPLACES = "both replace the same fact"
ONE_VALUE = "they differ in one value alone"


def _find_differing(
    proposals: Iterable[Proposal],
) -> Iterator[tuple[Proposal, Proposal]]:
    """Yield proposals about the same entities that differ in one value alone."""
    known: dict[int, list[Proposal]] = defaultdict(list)
    for one in proposals:
        for key in value_keys(" ".join(sorted(one.entities)), one.content):
            yield from ((one, o) for o in known[key] if o.content != one.content)
            known[key].append(one)


def find_clashes(
    proposals: Sequence[Proposal],
    known: Callable[[str], str],
    differing: Callable[[str, str], Iterable[str]] = lambda *_: (),
) -> tuple[Clash, ...]:
    """What proposals are at odds with; of two that clash, both are told.

    But one that is for a person alone is named to nobody else.

    Args:
        proposals: What waits.
        known: What the memory, or the fact, of an id says; empty if it is gone.
        differing: Returns the IDs of facts of a page that differ from a text in one
            value alone.
    """
    proposals = [one for one in proposals if not one.removes]
    there = {one.number: one for one in proposals}
    found: dict[int, dict[tuple[int, str], Clash]] = defaultdict(dict)

    def add(one: Proposal, other: Proposal, why: str) -> None:
        for a, b in ((one, other), (other, one)):
            if not b.scope or same_person(a.scope, b.scope):
                clash = model.Clash(a.number, b.number, "", b.content, why)
                found[a.number].setdefault((b.number, ""), clash)

    replaced: dict[str, list[Proposal]] = defaultdict(list)
    for one in proposals:
        for named in dict.fromkeys((*one.contradicts, *one.conflicts)):
            other = there.get(int(named[1:])) if named[1:].isdecimal() else None
            if other is not None and other is not one:
                add(one, other, SAID)
            elif not named.startswith("#") and (said := known(named)):
                clash = model.Clash(one.number, 0, named, said, SAID)
                found[one.number].setdefault((0, named), clash)
        for other in replaced[one.supersedes] if one.supersedes else ():
            if other.content != one.content:
                add(one, other, REPLACES)
        replaced[one.supersedes].append(one)
        page = "" if one.supersedes or len(one.entities) > 1 else "".join(one.entities)
        for id_ in differing(page, one.content) if page else ():
            clash = model.Clash(one.number, 0, id_, known(id_), ONE_VALUE)
            found[one.number].setdefault((0, id_), clash)
    for one, other in _find_differing(proposals):
        add(one, other, ONE_VALUE)
    return tuple(
        clash
        for number in there
        for _, clash in sorted(found[number].items())[:MOST_CLASHES]
    )
