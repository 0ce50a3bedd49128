"""What every mind offers: a question goes in, a JSON object comes out (spec, §10).

The host agent is one: its questions go into a box, its answers are found there later.
Nothing waits. An operation that needs an answer stops with `HostMustAnswerError`; when
the answer is there, in whichever process, the operation is run again from its
beginning, finds every answer so far, and goes on to the next question.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from reverie.errors import RefusedError, ReverieError, UnavailableError
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

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
    """Tokens that a question took, or may take; `estimated` where that is our count."""

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


# --- what may go wrong ---------------------------------------------------------


class MindUnavailableError(UnavailableError):
    """No answer now; whatever works without a mind still works.

    Attributes:
        written: Whether something may have been written, and has to be paid for.
    """

    written = False


class DeclinedError(MindUnavailableError):
    """The model will not answer this. Asking again would not help."""

    says = "{} declines to answer"
    mend = "Its provider filters such texts. Another model may answer."


class UnusableAnswerError(MindUnavailableError):
    """The answer was not usable, and neither was the second one."""

    says = "{} gave no usable answer ({}), asked twice: {}"
    mend = (
        "Nothing was changed; the tokens were counted. Try again, or name another "
        "model in `mind.model`."
    )


class BadAnswerError(MindUnavailableError):
    """An answer that is not what was asked for; asking once more may help.

    Attributes:
        problem: What is wrong, in words that the mind itself can be told.
        said: What it said, where that is known.
    """

    says = "the model's answer cannot be used: {}"
    mend = "Try again, or name a larger model in `mind.model`."
    written = True

    def __init__(self, problem: str, said: str = "") -> None:
        super().__init__(problem)
        self.problem, self.said = problem, said


class CutOffAnswerError(BadAnswerError):
    """The answer was longer than it may be, and ends in the middle."""

    def __init__(self, most_tokens: int, said: str = "") -> None:
        super().__init__(f"it was cut off after {most_tokens:,} tokens", said)


# --- limits: first reserved, then spent, then settled --------------------------


class Purse(Protocol):
    """What all processes of a workspace spend from.

    What a call may cost at most is reserved before it is made. A process that dies in
    between leaves its reservation standing, so a limit is never passed unnoticed.
    """

    def reserve(self, most: Use, limit: int) -> str:
        """Put tokens of today aside and return a name for them.

        Raises:
            OutOfTokensError: With them, today's tokens would exceed the limit.
        """
        ...

    def settle(self, name: str, use: Use) -> None:
        """Replace what was put aside by what was used."""
        ...


class OutOfTokensError(RefusedError):
    """A limit would be exceeded, so nobody was asked."""

    def __init__(
        self, limit: str, most: int, spent: int, wish: Use, resets: datetime | None
    ) -> None:
        when = f"at {resets:%Y-%m-%d %H:%M} UTC" if resets else "with each operation"
        super().__init__(
            f"{limit} is {most:,}: {spent:,} tokens are spent, and this "
            f"{wish.operation} may take {wish.tokens:,}",
            hint=f"The count begins anew {when}. Raise `{limit}` in reverie.toml if "
            "you want to spend more; all that needs no mind still works.",
        )


# --- the host agent ------------------------------------------------------------


class HostMustAnswerError(ReverieError):
    """No failure: the operation goes on as soon as the host has answered."""

    says = "the host agent has to answer question {} first"
    mend = (
        "Give it the question's text and schema; with its answer in the box, run the "
        "same operation again."
    )

    def __init__(self, question: Question) -> None:
        super().__init__(question.id)
        self.question_id, self.question = question.id, question


class HostGaveUpError(MindUnavailableError):
    """The host answered twice, and neither answer was usable."""

    says = "the host agent gave no usable answer to {}: {}"
    mend = "Nothing was changed. Try again to ask it anew."


class Box(Protocol):
    """Where questions wait for the host, and answers for the operation."""

    def find_answer(self, question: Question) -> Mapping[str, object] | None:
        """The host's answer; None while there is none.

        Raises:
            HostGaveUpError: There will be none.
        """
        ...

    def put(self, question: Question) -> None:
        """Let a question wait for its answer; one that is there stays as it is."""
        ...


class HostMind:
    """Asks the agent that is connected."""

    name = "the host agent"

    def __init__(self, box: Box) -> None:
        self._box = box

    def think(self, question: Question) -> Answer:
        """Take the answer out of the box, or put the question in; see `Mind.think`."""
        value = self._box.find_answer(question)
        if value is None:
            self._box.put(question)
            raise HostMustAnswerError(question)
        asked, given = count_tokens(question.text), count_tokens(json.dumps(value))
        use = Use(question.operation, "host", asked, given, estimated=True)
        return Answer(value, use)


# --- talking -------------------------------------------------------------------

OPERATION = "chat"
"""What the tokens of a conversation are counted as."""


class Message(Struct, frozen=True):
    """What somebody said."""

    role: Role
    text: str


class CutShortError(MindUnavailableError):
    """The answer reached its length and stopped in the middle; `said` came so far."""

    says = "the answer was cut off after {:,} tokens"
    mend = "Ask the model to go on, or for a shorter answer."
    written = True

    def __init__(self, most_tokens: int, said: str = "") -> None:
        super().__init__(most_tokens)
        self.said = said


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
            RefusedError: No message has any words; nothing was sent.
        """
        ...
