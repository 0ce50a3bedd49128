"""Putting on the list what waits for a human (design, section 13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.markdown import headline
from reverie.model.change import (
    Action,
    Edit,
    checksum,
)
from reverie.model.origin import Origin
from reverie.stores import proposals
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.model.proposal import Proposal

MOST_WAITING = 200
"""So many proposals wait at most, besides those of sub-agents, which have limits of
their own: who floods the list gains nothing."""


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
    own = [one for one in pending.proposals if one.origin is not Origin.SUBAGENT]
    if len(own) >= MOST_WAITING:
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
