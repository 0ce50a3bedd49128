"""What waits for a human: listed, accepted, rejected (design, section 13.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.encoding.remember import plan_remember
from reverie.errors import RefusedError
from reverie.markdown import headline
from reverie.memory.forgetting import archive_in_scores
from reverie.model.change import (
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.stores import proposals
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.encoding.remember import Desk
    from reverie.memory.house import House
    from reverie.model.change import Actor, Receipt
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal

MOST_WAITING = 200
"""So many proposals wait at most: who floods the list gains nothing."""


def plan_proposal(
    proposal: Proposal, read: Callable[[str], bytes | None]
) -> tuple[tuple[Edit, ...], int]:
    """Plan to put a proposal on the list.

    Returns:
        The edit, and the number it would have; of one that waits already, only its
        number. Neither if the list is full.
    """
    pending = proposals.load_pending(read)
    for known in pending.proposals:
        if (known.content, known.store) == (proposal.content, proposal.store):
            return (), known.number
    if len(pending.proposals) >= MOST_WAITING:
        return (), 0
    number = pending.next_number
    added = proposals.add_proposal(pending, proposal)
    why = f"proposal #{number}: {headline(proposal.content)}"
    return (_edit(added, read, Action.PROPOSE, why),), number


def _edit(
    pending: proposals.Pending,
    read: Callable[[str], bytes | None],
    action: Action,
    why: str,
) -> Edit:
    data = proposals.render_pending(pending).encode()
    return Edit(layout.PENDING, data, checksum(read(layout.PENDING)), action, why)


class ProposalChangedError(RefusedError):
    """A proposal reads otherwise than the one that was shown."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"proposal #{number} was changed since it was shown",
            hint="Look at it again: `reverie pending`.",
        )


def accept(
    house: House, shown: Proposal, place: Place, desk: Callable[[], Desk], actor: Actor
) -> Receipt:
    """Make a proposal true, word for word, as a human wants it."""
    if not actor.human:
        raise OnlyHumansError(actor)
    house.look()
    number = shown.number
    wanted = proposals.find_proposal(proposals.load_pending(house.ledger.read), number)
    if wanted != shown:
        raise ProposalChangedError(number)
    plan = plan_remember(wanted.content, place, desk())
    while house.make_room(plan.edits):
        plan = plan_remember(wanted.content, place, desk())
    rest = proposals.remove_proposal(proposals.load_pending(house.ledger.read), number)
    why = f"accepted proposal #{number}"
    edits = (*plan.edits, _edit(rest, house.ledger.read, Action.EDIT, why))
    edits = tuple(
        replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
        if edit.path != layout.PENDING
        else edit
        for edit in edits
    )
    edits += archive_in_scores(house, _data(house, wanted))
    change = ChangeSet(edits, actor, Approval.APPROVED, why)
    return replace(house.commit(change), ids=plan.ids)


def _data(house: House, proposal: Proposal) -> tuple[str, ...]:
    """The copy that was kept meanwhile, which is not needed any more."""
    kept = proposal.kept
    return (kept,) if kept.startswith("episode:") and house.index.find(kept) else ()


def reject(house: House, number: int, actor: Actor, reason: str) -> Receipt:
    """Take a proposal off the list; history keeps it."""
    house.sync()
    wanted = proposals.find_proposal(proposals.load_pending(house.ledger.read), number)
    rest = proposals.remove_proposal(proposals.load_pending(house.ledger.read), number)
    why = f"rejected proposal #{number}: {reason or headline(wanted.content)}"
    edit = _edit(rest, house.ledger.read, Action.REJECT, why)
    edits = (edit, *archive_in_scores(house, _data(house, wanted)))
    approval = Approval.NONE if actor.human else Approval.AUTO
    return house.commit(ChangeSet(edits, actor, approval, f"reject #{number}"))
