"""What an agent should know of besides its memories, when it wakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.conversation.told_blocks import News
from reverie.ledger.alerts import HISTORY
from reverie.markdown import headline
from reverie.model.origin import is_for
from reverie.model.proposals import ASK
from reverie.stores.proposals import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.views import Alert
    from reverie.reflection.reflection import Reflection
    from reverie.session.session import House

MOST_PROPOSALS = 5
"""So many proposals are named when an agent wakes."""


def news(
    house: House,
    reflection: Reflection,
    alerts: Sequence[Alert],
    person: str,
    notes: tuple[str, ...],
) -> News:
    """Alerts, what waits for a yes, and where reflection stands.

    What is proposed for somebody else alone is neither counted nor told.
    """
    waiting = [o for o in listed(house.ledger.read) if is_for(o.scope, person)]
    lines = [
        f"#{one.number} into {one.store}, by {one.sender}: {headline(one.content)}"
        for one in sorted(waiting, key=lambda one: not one.status.startswith(ASK))
    ]
    return News(
        alerts=tuple(map(_alert, alerts)),
        waiting=len(waiting),
        proposals=tuple(lines[:MOST_PROPOSALS]),
        reflection=_reflection(reflection),
        notes=notes,
    )


def _alert(alert: Alert) -> str:
    """An alert in one line; what changed is for its human to see, not for an agent."""
    if alert.path == HISTORY:
        return f"{alert.summary}. Was this intentional?"
    told = f"{alert.path} was changed on {alert.at:%Y-%m-%d} by {alert.actor}"
    return f"{told}. Was this intentional? (`reverie alerts` shows what changed)"


def _reflection(reflection: Reflection) -> str:
    """That a reflection waits for its human, or that one should be offered."""
    standing = reflection.status()
    if standing.state not in {"idle", "recorded", "deferred"}:
        return f"#{standing.number} is {standing.state}. {standing.hint}"
    occasion = reflection.offer()
    if occasion is None:
        return ""
    return f"One is due ({occasion}). Ask your human: `reverie reflect`."
