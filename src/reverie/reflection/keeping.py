"""A cycle as it is kept on disk: one JSON object, checked when it is read."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from reverie.reflection.cycle import NAMES, Cycle, Idle, State

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 10**8
"""No workspace counts further."""

FIRST, LAST = 1970, 2200
"""Years between which a moment may lie."""

_KINDS: dict[str, type[State]] = {name: kind for kind, name in NAMES.items()}


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    state: str
    value: msgspec.Raw
    last_number: int
    offered: datetime | None = None
    failed: int = 0
    wasted: int = 0
    reminded: datetime | None = None


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
        cycle.reminded,
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
        _require_sound(kept, state)
    except (msgspec.MsgspecError, KeyError, RecursionError, ValueError) as error:
        problem = f"the kept reflection cannot be read ({error})"
        return Cycle(Idle(problem)), problem
    more = (kept.failed, kept.wasted, kept.reminded)
    return Cycle(state, kept.last_number, kept.offered, *more), ""


class _UnsoundError(ValueError):
    """A moment without a zone, or a number that nobody has counted to."""


def _require_sound(kept: _Kept, state: object) -> None:
    """Refuse what would be believed only by who does not count or tell the time."""
    own = (kept.last_number, kept.failed, kept.wasted, kept.offered, kept.reminded)
    for value in (*own, *_values(state)):
        _require_plain(value)
    named = (state, getattr(state, "request", state))
    if any(getattr(each, "number", 1) < 1 for each in named):
        message = "a reflection has no number"
        raise _UnsoundError(message)


def _require_plain(value: object) -> None:
    if isinstance(value, datetime):
        if value.tzinfo is None or not FIRST <= value.year <= LAST:
            message = f"{value} is no moment of ours"
            raise _UnsoundError(message)
    elif type(value) is int and not 0 <= value <= MOST:
        message = f"{value} is no number of ours"
        raise _UnsoundError(message)


def _values(value: object) -> Iterator[object]:
    """Everything in a state that is not made of something else."""
    if isinstance(value, tuple):
        for part in value:
            yield from _values(part)
    elif is_dataclass(value):
        for held in fields(value):
            yield from _values(getattr(value, held.name))
    else:
        yield value
