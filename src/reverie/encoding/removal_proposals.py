"""Propose that a memory be removed that steers the agent, and carry that out.

An agent removes core memory and procedures as it changes them: it proposes, and the
user decides. Everything else an agent forgets itself, once that is confirmed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.core_edits import ALLOW, agent_edits
from reverie.encoding.forget import (
    ChangedMeanwhileError,
    forget,
    guard_vault,
    lay_to_rest,
    nothing_done,
    plan_forgetting,
    require_allowed,
)
from reverie.encoding.placement import put_on_top, read_over
from reverie.encoding.proposal_draft import plan_proposal
from reverie.errors import RefusedError
from reverie.markdown import tidy
from reverie.model.change import Approval, ChangeSet, LogLine
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.items import Block, Origin
from reverie.model.proposals import Forgotten, Proposal
from reverie.model.views import Match
from reverie.session.session import NoSuchMemoryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.change import Actor, Edit, Receipt
    from reverie.session.session import Session

CRITICAL = f"{Kind.CORE}:{Block.CRITICAL}/"


def is_for_user(session: Session, match: Match) -> bool:
    """Return whether only the user removes a memory."""
    if match.part or match.store not in {Store.CORE, Store.PROCEDURAL}:
        return False
    other_block = match.store is Store.CORE and not match.id.startswith(CRITICAL)
    return not (other_block and agent_edits(session) == ALLOW)


def forget_or_propose(
    session: Session, matches: Sequence[Match], actor: Actor, trigger: str
) -> Forgotten:
    """Forget what was shown; of what only the user removes, propose the removal."""
    session.look()
    matches = [_as_it_stands(session, match) for match in matches]
    require_allowed(session, matches, actor)
    theirs = [m for m in matches if not actor.human and is_for_user(session, m)]
    waits = propose_removals(session, theirs, actor, trigger)
    rest = [match for match in matches if match not in theirs]
    nothing = nothing_done(session, actor, ())
    done = forget(session, rest, actor, trigger) if rest else nothing
    return Forgotten(done.commit, done.at, done.lines, actor, done.ids, waits)


def _as_it_stands(session: Session, match: Match) -> Match:
    """Return a match with the store and the file of its memory, whatever it says."""
    if match.part:
        return match
    found = session.find(match.id)
    if found is None:
        raise NoSuchMemoryError(match.id)
    stands = replace(match, store=found.store, path=found.path)
    return guard_vault(stands)


def propose_removals(
    session: Session, matches: Sequence[Match], actor: Actor, trigger: str
) -> tuple[int, ...]:
    """Put removals on the list of proposals, and return their numbers.

    Raises:
        NoSuchMemoryError: There is no such memory.
        ChangedMeanwhileError: One of them reads otherwise than it was shown.
        FullListError: Too many proposals wait.
    """
    edits: dict[str, Edit] = {}
    numbers = []
    for match in matches:
        _require_unchanged(session, match.id, match.text)
        proposal = Proposal(
            *(0, str(actor), session.clock(), trigger, match.store, tidy(match.text)),
            origin=Origin.AGENT,
            scope=session.index.scope_of(match.id),
            removes=match.id,
        )
        read = read_over(edits, session.ledger.read)
        more, number = plan_proposal(proposal, read)
        put_on_top(edits, more)
        numbers.append(number)
    if edits:
        change = ChangeSet(tuple(edits.values()), actor, Approval.PENDING, trigger)
        session.commit(change)
    return tuple(numbers)


def remove_proposed(
    session: Session, proposal: Proposal, page: Edit, actor: Actor
) -> Receipt:
    """Remove the memory that an accepted proposal names.

    Args:
        session: The open workspace.
        proposal: The proposal.
        page: The edit by which it leaves the list.
        actor: The human who accepted it.

    Raises:
        RefusedError: It names no line of core memory and no procedure.
        NoSuchMemoryError: There is no such memory any more.
        ChangedMeanwhileError: It reads otherwise than when its removal was proposed.
    """
    item = ItemId.parse(proposal.removes)
    if item.kind not in {Kind.CORE, Kind.PROCEDURE}:
        what = f"proposal #{proposal.number} removes {item}, which no proposal removes"
        raise RefusedError(what, hint=f'`reverie forget "{item}"` forgets it.')
    found = _require_unchanged(session, str(item), proposal.content)
    edits, told = plan_forgetting(session, (found,))
    lines = (*told, LogLine(page.action, page.path, page.summary))
    how = (actor, Approval.APPROVED, page.summary, lines)
    receipt = session.commit(ChangeSet((*edits, page), *how), allowed=True)
    if found.store is Store.CORE:
        lay_to_rest(session, found.text)
    return replace(receipt, ids=(found.id,))


def _require_unchanged(session: Session, id_: str, text: str) -> Match:
    """Return a memory as it stands, if it still says what was shown."""
    found = session.find(id_)
    if found is None:
        raise NoSuchMemoryError(id_)
    if tidy(found.text).split() != text.split():
        raise ChangedMeanwhileError(id_)
    return Match(found.id, found.store, found.text, found.path, found.line)
