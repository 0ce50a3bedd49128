"""What every mind offers: a question goes in, a JSON object comes out (spec, §10)."""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from reverie.errors import RefusedError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie.model.items import Role


_ID_LENGTH = 16  # hexadecimal digits


class Question(Struct, frozen=True):
    """One thing to think about.

    Attributes:
        operation: What it is for, such as `route`; tokens are counted by it.
        prompt: The name of the prompt file.
        text: The prompt as it is sent, its placeholders filled.
        schema: The JSON schema of the answer, which is an object.
        most_tokens: How long the answer may be.
    """

    operation: str
    prompt: str
    text: str
    schema: Mapping[str, object]
    most_tokens: int

    @property
    def id(self) -> str:
        """A short name that only this very question has, in every process."""
        parts = [self.operation, self.prompt, self.text, self.schema]
        whole = json.dumps(parts, sort_keys=True).encode()
        return hashlib.sha256(whole).hexdigest()[:_ID_LENGTH]


class Use(Struct, frozen=True):
    """The tokens that a question took; `estimated` where the count is our own."""

    operation: str
    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool

    @property
    def tokens(self) -> int:
        """Both ways together."""
        return self.input_tokens + self.output_tokens


class Answer(Struct, frozen=True):
    """What a mind came up with: a JSON object, and what it took."""

    value: Mapping[str, object]
    use: Use


class Mind(Protocol):
    """Somebody who can be asked. Callers go through `ask`, which checks the answer."""

    @property
    def name(self) -> str:
        """Who thinks: a model and where it is, or the host."""
        ...

    def think(self, question: Question) -> Answer:
        """Answer a question with a JSON object.

        Raises:
            BadAnswerError: There is an answer, and it is not what was asked for.
            MindUnavailableError: There is none.
            OutOfTokensError: A limit is reached.
            HostMustAnswerError: The host agent has to answer first.
        """
        ...


class MindUnavailableError(UnavailableError):
    """No answer now; whatever works without a mind still works.

    Attributes:
        written: Whether something may have been written, and has to be paid for.
    """

    written = False


class DeclinedError(MindUnavailableError):
    """The model will not answer this. Asking again would not help."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} declines to answer",
            hint="Its provider filters such texts. Another model may answer.",
        )


class UnusableAnswerError(MindUnavailableError):
    """The answer was not usable, and neither was the second one."""

    def __init__(self, name: str, question: Question, problem: str) -> None:
        super().__init__(
            f"{name} gave no usable answer ({question.operation}), asked twice: "
            f"{problem}",
            hint="Nothing was changed; the tokens were counted. Try again, or name "
            "another model in `mind.model`.",
        )
        self.problem = problem


class BadAnswerError(MindUnavailableError):
    """An answer that is not what was asked for; asking once more may help.

    Attributes:
        problem: What is wrong, in words that the mind itself can be told.
        said: What it said, where that is known.
    """

    written = True

    def __init__(self, problem: str, said: str = "") -> None:
        super().__init__(
            f"the model's answer cannot be used: {problem}",
            hint="Try again, or name a larger model in `mind.model`.",
        )
        self.problem = problem
        self.said = said


class CutOffAnswerError(BadAnswerError):
    """The answer was longer than it may be, and ends in the middle."""

    def __init__(self, most_tokens: int, said: str = "") -> None:
        super().__init__(f"it was cut off after {most_tokens:,} tokens", said)


OPERATION = "chat"
"""What the tokens of a conversation are counted as."""


class Message(Struct, frozen=True):
    """What somebody said."""

    role: Role
    text: str


class NothingToAnswerError(RefusedError):
    """Nobody has said anything yet."""

    def __init__(self) -> None:
        super().__init__(
            "there is nothing to answer: no message of a user has any words",
            hint="Say something first.",
        )


class CutShortError(MindUnavailableError):
    """The answer reached its length and stopped in the middle; `said` came so far."""

    written = True

    def __init__(self, most_tokens: int, said: str = "") -> None:
        super().__init__(
            f"the answer was cut off after {most_tokens:,} tokens",
            hint="Ask the model to go on, or for a shorter answer.",
        )
        self.said = said


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages that have words, neighbours of one role as one."""
    spoken = (message for message in messages if message.text.strip())
    return tuple(
        Message(role, "\n\n".join(message.text for message in group))
        for role, group in groupby(spoken, key=lambda message: message.role)
    )


class Talker(Protocol):
    """Somebody to talk with."""

    @property
    def name(self) -> str:
        """Who talks: a model and where it is."""
        ...

    def talk(self, messages: Sequence[Message], *, most_tokens: int) -> str:
        """Answer what was said.

        Args:
            messages: What was said so far, the oldest first; empty ones are left
                out, and neighbours of one role go as one.
            most_tokens: How long the answer may be.

        Raises:
            MindUnavailableError: There is no answer.
            CutShortError: It ends in the middle; `said` is what there is of it.
            OutOfTokensError: A limit is reached; nothing was sent.
            NothingToAnswerError: No message has any words; nothing was sent.
        """
        ...
