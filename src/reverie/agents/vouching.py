"""Whether a sub-agent's own handle put a proposal on the list, as history shows it.

The page can be typed by anybody, and a commit be made by who can run git; but only the
ledger seals, so a change that counts was made by a handle, or by who can run any
command as you, for they can sign as everybody.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from reverie.model.change import Action
from reverie.model.proposals import Agent, BadAgentNameError
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.model.change import Actor, LogEntry
    from reverie.model.proposals import Proposal
    from reverie.session.session import House

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
