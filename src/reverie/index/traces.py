"""Rows of `traces` as the values that they stand for, if they can be some."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from reverie.decay import Trace
from reverie.index import IndexAlteredError
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.decay import TraceRow

TRACE_ROW = (
    "traces.id, traces.store, base, julianday(last_accessed), accesses, pinned, "
    "archived"
)
"""What is selected of one, for who goes through very many of them."""

_STORES = frozenset(map(str, Store))


def to_trace(row: Sequence[Any]) -> Trace:
    """A whole row as the value it stands for."""
    _, store, base, created, last, accesses, pinned, archived = row
    try:
        first = datetime.fromisoformat(created).astimezone(UTC)
        latest = datetime.fromisoformat(last).astimezone(UTC)
        flags = (int(accesses), bool(pinned), bool(archived))
        return Trace(Store(store), float(base), first, latest, *flags)
    except (ValueError, TypeError, OverflowError):
        raise IndexAlteredError from None


def to_rows(rows: Iterable[Sequence[Any]]) -> list[TraceRow]:
    """What was selected of some, once it is known to be sound."""
    found = list(rows)
    for _, store, base, last, accesses, _, _ in found:
        numbers = type(base) is float and type(last) is float and type(accesses) is int
        if not numbers or store not in _STORES:
            raise IndexAlteredError
    return cast("list[TraceRow]", found)
