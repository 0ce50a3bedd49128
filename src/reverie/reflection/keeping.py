"""A cycle as it is kept on disk: one JSON object, checked when it is read."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - read by its type

import msgspec

from reverie.reflection.cycle import NAMES, Cycle, Idle, State

_KINDS: dict[str, type[State]] = {name: kind for kind, name in NAMES.items()}


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    state: str
    value: msgspec.Raw
    last_number: int
    offered: datetime | None = None
    failed: int = 0
    wasted: int = 0


def render_cycle(cycle: Cycle) -> bytes:
    """Write a cycle the way `parse_cycle` reads it."""
    value = msgspec.Raw(msgspec.json.encode(cycle.state))
    kept = _Kept(
        NAMES[type(cycle.state)],
        value,
        cycle.last_number,
        cycle.offered,
        cycle.failed,
        cycle.wasted,
    )
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def parse_cycle(data: bytes | None) -> tuple[Cycle, str]:
    """Read a cycle.

    Returns:
        The cycle, and what is wrong with the file; of a file that cannot be read
        nothing is believed, and no reflection is under way.
    """
    if data is None:
        return Cycle(), ""
    try:
        kept = msgspec.json.decode(data, type=_Kept)
        kind = _KINDS[kept.state]
        state = msgspec.json.decode(kept.value, type=kind)
    except (msgspec.MsgspecError, KeyError, RecursionError) as error:
        problem = f"the kept reflection cannot be read ({error})"
        return Cycle(Idle(problem)), problem
    counts = (max(0, kept.failed), max(0, kept.wasted))
    return Cycle(state, max(0, kept.last_number), kept.offered, *counts), ""
