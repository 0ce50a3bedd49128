"""A question, and how it is to be answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.recall import Reach

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.config import Config
    from reverie.model.ids import Store

LONGEST = 4_000
"""Characters of a question that are read; the rest is left out, and that is said."""


class EmptyQuestionError(RefusedError):
    """There is nothing to look for."""

    def __init__(self) -> None:
        super().__init__(
            "there is no question",
            hint='Say what to look for, such as `reverie recall "the deploy"`.',
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question.

    Attributes:
        text: Its words.
        now: The moment it is asked for, in the asker's zone.
        config: The workspace's parameters.
        reach: How deep to search.
        limit: The most hits to return.
        least: The score from which on a hit is returned.
        stores: Where to look; everywhere if empty.
        person: Who asks, where memories may be for one person alone.
        in_sight: A window, and the number from which on its turns are in sight of
            who asks, so that they need not be found.
    """

    text: str
    now: datetime
    config: Config
    reach: Reach = Reach.EXPLICIT
    limit: int = 20
    least: float = 0.3
    stores: frozenset[Store] = frozenset()
    person: str = ""
    in_sight: tuple[str, int] | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise EmptyQuestionError

    @property
    def read(self) -> str:
        """The part of the text that is read."""
        return self.text[:LONGEST]
