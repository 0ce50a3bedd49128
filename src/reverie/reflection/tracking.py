"""What `decay-scores.json` keeps of reflections, beside the scores (reflection v2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.model.reflection import Operation, OperationKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


MOST_REJECTED = 500
"""So many rejected operations are remembered; the oldest are let go."""

_FIRST, _LAST = 1970, 2200  # years; outside, somebody wrote something else
_MARK = 12  # hexadecimal digits
_SIGNS = {"+": " add", "-": " remove"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Tracked:
    """Where reflection stands, as the scores tell it.

    Attributes:
        last: When the last reflection was approved, in UTC; None before the first.
        read_until: The moment of the newest episode it has read.
        awareness: Entries of the self-awareness log since the last consolidation.
        rejected: By fingerprint, the reflection in which an operation was rejected.
        economy: The numbers of the token economy, as they stand there.
    """

    last: datetime | None = None
    read_until: datetime | None = None
    awareness: int = 0
    rejected: tuple[tuple[str, str], ...] = ()
    economy: tuple[tuple[str, object], ...] = ()


def parse_tracked(other: Mapping[str, object]) -> Tracked:
    """Read what concerns reflections; what is no such thing counts as absent."""
    count = other.get("self_awareness_count_since_consolidation")
    rejected, economy = other.get("rejected_operations"), other.get("token_economy")
    pairs = rejected.items() if isinstance(rejected, dict) else ()
    return Tracked(
        _moment(other.get("last_reflection")),
        _moment(other.get("reflection_read_until")),
        count if type(count) is int and count > 0 else 0,
        tuple((str(mark), str(session)) for mark, session in pairs),
        tuple(economy.items()) if isinstance(economy, dict) else (),
    )


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        aware = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return aware if _FIRST <= aware.year <= _LAST else None


def render_moment(moment: datetime) -> str:
    """A moment as the file writes it: `2026-02-05T03:00:00Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def fingerprint(operation: Operation) -> str:
    """By which an operation is known again, however it is spaced and punctuated."""
    sign = operation.content[:1] if operation.kind is OperationKind.CORE else ""
    # What is said of a memory that is to be hidden, a mind words anew each time.
    hides = operation.kind is OperationKind.ARCHIVE
    content = "" if hides else operation.content
    parts = (f"{operation.kind}{_SIGNS.get(sign, '')}", operation.target, content)
    words = "\0".join(" ".join(_WORD.findall(part.casefold())) for part in parts)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]


def with_rejected(
    tracked: Tracked, operations: Iterable[Operation], session: str
) -> dict[str, object]:
    """The rejected operations, with some more."""
    known = dict(tracked.rejected)
    known |= {fingerprint(operation): session for operation in operations}
    newest = list(known.items())[-MOST_REJECTED:]
    return dict(newest)
