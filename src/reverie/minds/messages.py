"""What was said in a conversation, as a model is told it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.minds.mind import MindUnavailableError
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATION = "chat"
"""What the tokens of a conversation are counted as."""


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said so far, and how long the answer to it may be."""

    messages: tuple[Message, ...]
    most_tokens: int


class NothingToAnswerError(RefusedError):
    """Nobody has said anything yet."""

    def __init__(self) -> None:
        super().__init__(
            "there is nothing to answer: no message of a user has any words",
            hint="Say something first.",
        )


class CutShortError(MindUnavailableError):
    """The answer reached its length and stopped in the middle; what came is good."""

    written = True

    def __init__(self, most_tokens: int) -> None:
        super().__init__(
            f"the answer was cut off after {most_tokens:,} tokens",
            hint="Ask the model to go on, or for a shorter answer.",
        )


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages that have words, neighbours of one role as one."""
    spoken = (message for message in messages if message.text.strip())
    return tuple(
        Message(role, "\n\n".join(message.text for message in group))
        for role, group in groupby(spoken, key=lambda message: message.role)
    )


def conversation(messages: Iterable[Message], most_tokens: int) -> Conversation:
    """What a server is told, or `NothingToAnswerError`."""
    said = merged(messages)
    if all(message.role is Role.SYSTEM for message in said):
        raise NothingToAnswerError
    return Conversation(said, most_tokens)
