"""What is known already, and what its human asked to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.sameness import repeats, restated
from reverie.errors import RefusedError
from reverie.index.sketches import spoken
from reverie.model.ids import ItemId, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.index.lookup import Alike


class ForgottenError(RefusedError):
    """A text was to be learned that its human asked to be forgotten."""

    def __init__(self, day: str) -> None:
        when = f" on {day}" if day else ""
        super().__init__(
            f"this was forgotten{when} at its human's wish and is not learned again",
            hint="If they want it back, they can say so: `reverie remember` as manual.",
        )


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that says what a text says.

    Attributes:
        id: The memory.
        at: When it happened, in seconds, where that is known.
        same: Whether it says the very same; else it only says no less.
        forgotten: The day it was asked to be forgotten; empty if it was not.
    """

    id: str
    at: int | None
    same: bool
    forgotten: str = ""


def find_known(text: str, alike: Iterable[Alike]) -> list[Known]:
    """Which of some memories, for everybody to see, say what a text says."""
    found = []
    for candidate in alike:
        for said, forgotten in _said(candidate):
            same = repeats(text, said)
            if not candidate.scope and (same or restated(text, said)):
                found.append(Known(candidate.id, candidate.at, same, forgotten))
    return found


def _said(candidate: Alike) -> Iterator[tuple[str, str]]:
    """What a memory states, each with the day it was forgotten, if it was."""
    if ItemId.parse(candidate.id).kind is not Kind.ENTITY:
        yield candidate.text, ""
        return
    for line in candidate.text.split("\n"):
        yield spoken(candidate.title, line), ""
    for line in candidate.gone.split("\n") if candidate.gone else ():
        day, _, said = line.partition(" ")
        yield spoken(candidate.title, said), day
