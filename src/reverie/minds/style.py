"""What differs between kinds of model servers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Form, Manners
    from reverie.minds.mind import Question


class Ending(Enum):
    """Why a model stopped writing."""

    DONE = auto()
    CUT_OFF = auto()
    DECLINED = auto()


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said, as its server reports it.

    Attributes:
        text: All of it.
        ending: Why it stopped.
        told: The tokens in and out that the server reports; anything at all.
    """

    text: str
    ending: Ending
    told: tuple[object, object]


class Style(Protocol):
    """How one kind of server is spoken to."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """In which it can be asked for a shape, the strictest first."""
        ...

    def path(self, base: str) -> str:
        """Where questions are posted, below the path of the configured address."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """What says who we are; without a key, nothing."""
        ...

    def body(self, question: Question, model: str, manners: Manners) -> object:
        """A question as it is posted."""
        ...

    def said(self, reply: Mapping[str, object]) -> Said:
        """Read a reply; raises ValueError, in words, where it is none."""
        ...
