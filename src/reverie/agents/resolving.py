"""Proposals that contradict each other, or what is known: three ways out (003, §13.6).

One of them holds, both are kept with little confidence, or the user is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.agents.review import at_odds, listed, require_reviewer, told_by
from reverie.encoding.placement import plan_all
from reverie.errors import RefusedError
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import Origin
from reverie.model.proposals import Resolution, ask
from reverie.model.route import Episodic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.agents.review import Review
    from reverie.model.change import Actor, Receipt
    from reverie.model.proposals import Proposal, Waiting

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
