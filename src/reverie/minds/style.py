"""What differs between kinds of model servers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Form, Manners, TalkManners
    from reverie.minds.mind import Conversation, Question


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


@dataclass(frozen=True, slots=True)
class Part:
    """What one event of a streamed answer adds to it; mostly a few words.

    Attributes:
        text: What the model says.
        thought: What it writes and does not say.
        ending: Why it stopped, where this event tells.
        told: The tokens in and out that the server reports by now; anything at all.
        last: Whether nothing comes after it.
    """

    text: str = ""
    thought: str = ""
    ending: Ending | None = None
    told: tuple[object, object] = (None, None)
    last: bool = False


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

    @property
    def talk_manners(self) -> TalkManners:
        """How a conversation is asked for at first."""
        ...

    def talk_body(
        self, conversation: Conversation, model: str, manners: TalkManners
    ) -> object:
        """A conversation as it is posted, to be answered as a stream."""
        ...

    def part(self, event: Mapping[str, object]) -> Part:
        """Read an event of a stream; one that says nothing to us is an empty part."""
        ...
