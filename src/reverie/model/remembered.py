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
class Near:
    """Something known that is close to what is new.

    Attributes:
        id: What to cite it by: `person--alex#3f2a9c` for a fact on a page, else the
            id of the memory.
        text: What it says.
        page: The entity on whose page it stands, as `TYPE--SLUG`; empty for none.
        path: The file it stands in.
        line: The line there.
    """

    id: str
    text: str
    page: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Remembered(Receipt):
    """Proof that a text was stored, and all that its human should know of it.

    Attributes:
        route: How it was filed, where nobody said where it belongs.
        known: Whether it said nothing new, and only kept alive what was known.
        waits: The number of the proposal by which it waits for a human; 0 for none.
        why_it_waits: In words.
        near: The few known facts closest to it, as they stood before.
        superseded: Known facts that no longer hold because of it.
        contradicts: Known facts that somebody said it contradicts; all of them stay.
        doubts: Entities that may be the same as one it is about.
        redacted: Kinds of secrets that were taken out.
        unrouted: Why nobody could say where it belongs yet; it was kept as it is, and
            is filed as soon as the mind is back. Empty where it was filed.
    """

    route: Route | None = None
    known: bool = False
    waits: int = 0
    why_it_waits: str = ""
    near: tuple[Near, ...] = ()
    superseded: tuple[Near, ...] = ()
    contradicts: tuple[Near, ...] = ()
    doubts: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    unrouted: str = ""
