"""What became of something that was to be remembered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.model.change import Receipt

if TYPE_CHECKING:
    from reverie.model.route import Route


class Secrets(StrEnum):
    """What to do with a password or key in a text."""

    REFUSE = "refuse"
    REDACT = "redact"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something known that does not go together with what is new.

    Attributes:
        id: The memory that says otherwise.
        text: What it says.
        why: How the two differ, in words.
    """

    id: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Remembered(Receipt):
    """Proof that a text was stored, and all that its human should know of it.

    Attributes:
        route: How it was filed, where nobody said where it belongs.
        known: Whether it said nothing new, and only kept alive what was known.
        waits: The number of the proposal by which it waits for a human; 0 for none.
        why_it_waits: In words.
        conflicts: What is known and says otherwise; nothing of it was changed.
        doubts: Entities that may be the same as one it is about.
        redacted: Kinds of secrets that were taken out.
        unrouted: Why nobody could say where it belongs yet; it was kept as it is, and
            is filed as soon as the mind is back. Empty where it was filed.
    """

    route: Route | None = None
    known: bool = False
    waits: int = 0
    why_it_waits: str = ""
    conflicts: tuple[Conflict, ...] = ()
    doubts: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    unrouted: str = ""
