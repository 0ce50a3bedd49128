"""Proposals that are for one person alone: where they go, and who sees them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.markdown import one_line
from reverie.model.items import EpisodeKind
from reverie.model.route import Episodic
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.markdown import Section
    from reverie.model.proposals import Proposal
    from reverie.model.route import Place


def place_within(proposal: Proposal, place: Place) -> Place:
    """A place in which a proposal stays for whom it is for.

    Pages, procedures and core memory are everybody's: only an episode can be for one
    person alone.
    """
    if not proposal.scope:
        return place
    if not isinstance(place, Episodic):
        place = Episodic(EpisodeKind.FACT, proposal.confidence)
    return replace(place, scope=proposal.scope)


def told_accepted(proposal: Proposal, sender: str = "") -> str:
    """How history tells that a proposal was accepted.

    Args:
        proposal: The proposal.
        sender: Whose it was, where the signature does not say it.
    """
    told = f"accepted proposal #{proposal.number}"
    told = f"{told} of {one_line(sender)}" if sender else told
    if not proposal.scope:
        return told
    return f"{told} as an episode for {proposal.scope} alone"


def without_private(text: str) -> str:
    """The list of proposals without those for one person alone.

    One that cannot be read is taken to be private if it says so at all.
    """
    parts = parse_pending(text, layout.PENDING).parts
    return "".join(part.raw for part in parts if not _is_private(part))


def _is_private(part: Section) -> bool:
    if part.heading is None:
        return False
    found = parse_pending(part.raw, layout.PENDING).proposals
    unread = not found and "**scope**" in part.raw.casefold()
    return unread or any(one.scope for one in found)
