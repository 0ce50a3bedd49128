"""What a sub-agent's ledger lets through: one more proposal of its own, nothing else.

Everything is checked on the bytes that would be written, whoever planned them, so that
no text and no mistake above can make a sub-agent write anywhere, or in another's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.proposal_draft import find_faults, told_as
from reverie.model.change import Action, Approval, checksum
from reverie.model.items import Origin, same_person
from reverie.model.proposals import PENDING, SubAgentError
from reverie.stores.proposals import add_proposal, parse_pending, render_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.change import ChangeSet
    from reverie.model.proposals import Agent, Proposal


def require_only_proposes(
    agent: Agent, change: ChangeSet, before: bytes | None, person: str = ""
) -> None:
    """Refuse a change that is not one more proposal of this sub-agent.

    Args:
        agent: Whose handle it comes through.
        change: What is to be committed.
        before: The list of proposals as it stands; None where there is none.
        person: For whom it works; empty for everybody.

    Raises:
        SubAgentError: It is anything else.
    """
    what = next(_beyond(agent, change, before, person), "")
    if what:
        raise SubAgentError(agent.name, what)


def _beyond(
    agent: Agent, change: ChangeSet, before: bytes | None, person: str
) -> Iterator[str]:
    """What a change does that is not proposing."""
    if change.actor != agent.actor:
        yield f"sign as {change.actor}"
    if change.approval is not Approval.PENDING:
        yield "say that a change was approved"
    if change.told:
        yield "say what history tells"
    if len(change.edits) != 1:
        yield f"change {len(change.edits)} files at once"
    for edit in change.edits:
        if edit.path != layout.PENDING:
            yield f"write to {edit.path}"
        if edit.action is not Action.PROPOSE:
            yield f"do more than propose ({edit.action})"
        if edit.base != checksum(before):
            yield "write on a list that it has not read"
        try:
            old, new = (before or b"").decode(), (edit.content or b"").decode()
        except UnicodeDecodeError:
            yield "write on a list that is not UTF-8"
        else:
            yield from _beyond_adding(agent, old, new, edit.summary, person)


def _beyond_adding(
    agent: Agent, old: str, new: str, summary: str, person: str
) -> Iterator[str]:
    known = parse_pending(old.removeprefix("\ufeff"), layout.PENDING)
    found = parse_pending(new, layout.PENDING).proposals
    added = found[-1] if found else None
    if added is None or render_pending(add_proposal(known, added)) != new:
        yield "change anything on the list, but add one proposal at its end"
        return
    yield from _beyond_its_own(agent, added)
    if not same_person(added.scope, person):
        yield f"propose something for {added.scope or 'everybody'}"
    if summary != told_as(added.number, added.content):
        yield "tell history another thing than it proposes"


def _beyond_its_own(agent: Agent, added: Proposal) -> Iterator[str]:
    """What a proposal says that its sender may not say."""
    checks = (
        (added.sender == agent.name, f"propose as {added.sender or 'nobody'}"),
        (added.origin is Origin.SUBAGENT, f"speak for the {added.origin}"),
        (added.status == PENDING and not added.disputed, "decide on what it proposes"),
        (not added.kept, "say which memory belongs to a proposal"),
        (added.at is not None, "leave out when it proposed"),
    )
    yield from (what for holds, what in checks if not holds)
    yield from (what for what, _ in find_faults(added))
