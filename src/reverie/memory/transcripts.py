"""Reading conversations: what is written down, and what was said since."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.conversation.idle import due
from reverie.conversation.record import load_window, state_of, tail
from reverie.memory.sittings import Sittings, claims
from reverie.memory.transcribing import Shelf
from reverie.model.conversation import DELETED, REFLECTION, WindowView
from reverie.model.items import Role
from reverie.stores.turns import parse_turns, window_of
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.memory.house import House
    from reverie.model.items import Turn

_CLAIM = 3
"""A summary may take so many times as long as one answer of the model."""


def turns_of(house: House, window: str, last: int, *, deleted: bool) -> list[Turn]:
    """What was said in a window, in order.

    Args:
        house: The workspace's parts.
        window: Which conversation.
        last: Only so many of the newest; 0 for all.
        deleted: Whether to give those that were deleted, too.
    """
    waiting = house.journal.waiting(window)
    shelf = Shelf(house)
    written = tail(window, shelf, last) if last else load_window(window, shelf)
    found = [
        turn
        for turn in (*written, *_fresh(written, waiting))
        if deleted or not turn.field(DELETED)
    ]
    return found[-last:] if last else found


def _fresh(written: Sequence[Turn], waiting: Sequence[Turn]) -> list[Turn]:
    """What waits and is not written down by somebody else this very moment."""
    there = {(turn.number, turn.role) for turn in written}
    return [turn for turn in waiting if (turn.number, turn.role) not in there]


def all_turns(house: House) -> dict[str, list[Turn]]:
    """Every turn of every window, deleted ones too."""
    found: dict[str, list[Turn]] = defaultdict(list)
    for path in sorted(house.index.signatures(), key=_part):
        if path.startswith(f"{layout.CONVERSATIONS}/") and path.endswith(".md"):
            text = (house.ledger.read(path) or b"").decode("utf-8-sig", "replace")
            found[window_of(path)] += parse_turns(text, path)
    for name in house.journal.known():
        found[name] += _fresh(found[name], house.journal.waiting(name))
    return dict(found)


def _part(path: str) -> tuple[str, int, str]:
    return window_of(path), len(path), path


def views(house: House) -> list[WindowView]:
    """Every conversation at a glance, the newest first."""
    sittings = Sittings(house)
    found = [
        view(house, sittings, name, turns)
        for name, turns in all_turns(house).items()
        if turns
    ]
    return sorted(found, key=lambda each: (each.last is None, each.last), reverse=True)


def view(
    house: House, sittings: Sittings, name: str, turns: Sequence[Turn]
) -> WindowView:
    """One conversation at a glance."""
    there = [turn for turn in turns if not turn.field(DELETED)]
    moments = [turn.at for turn in turns if turn.at]
    state = house.journal.state(name) or state_of(turns)
    sitting = sittings.load(name)
    owed = sitting is not None and sitting.owed and state.since > 0
    lasts = timedelta(seconds=_CLAIM * house.config.mind.timeout_seconds)
    imported = any(turn.imported for turn in turns)
    return WindowView(
        name,
        turns=len(there),
        reflections=sum(_sums_up(turn) for turn in there),
        deleted=len(turns) - len(there),
        first=min(moments, default=None),
        last=max(moments, default=None),
        due=not imported
        and (owed or due(state, house.clock(), house.config.conversation)),
        reflecting=claims(sitting, house.clock(), lasts),
        unwritten=len(house.journal.waiting(name)),
    )


def reflections(house: House) -> list[tuple[Turn, Turn | None]]:
    """Every context reflection: its summary, with its prompt."""
    found = []
    for turns in all_turns(house).values():
        prompts = {t.number: t for t in turns if t.role is Role.SYSTEM}
        found += [(t, prompts.get(t.number)) for t in turns if _sums_up(t)]
    return found


def _sums_up(turn: Turn) -> bool:
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))
