"""What is known already, and what its human asked to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.index.near_duplicates import spoken
from reverie.index.text import terms
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
        same: Whether it says the very same; else it has all of its telling words.
        forgotten: The day it was asked to be forgotten; empty if it was not.
    """

    id: str
    at: int | None
    same: bool
    forgotten: str = ""


SHARE = 0.8
"""So many of a memory's telling words a text has that may be about the same."""


def repeats(new: str, old: str) -> bool:
    """Whether two texts are equal but for case, white space and closing marks."""
    told = _normal(new)
    return bool(told) and told == _normal(old)


def _normal(text: str) -> str:
    words = " ".join(text.replace("\u2019", "'").split())
    return words.casefold().rstrip(" .!\u3002\uff01")


def _covers(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether a text has no telling word that another lacks, and nearly all of them."""
    return bool(new) and new <= old and len(new) >= SHARE * len(old)


def find_known(text: str, alike: Iterable[Alike]) -> list[Known]:
    """Which of some memories, for everybody to see, say what a text says."""
    found, told = [], frozenset(terms(text))
    for candidate in alike:
        for said, forgotten in _said(candidate):
            same = repeats(text, said)
            covered = same or _covers(frozenset(terms(said)), told)
            if not candidate.scope and covered:
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
