"""Who may commit which proposal, and which commit themselves (003, §13.3 and §13.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.origin import Origin
from reverie.model.proposals import PENDING

if TYPE_CHECKING:
    from collections.abc import Collection

    from reverie.model.proposals import Proposal

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
