"""The host agent thinks: questions go into a box, answers are found there later.

Nothing waits. An operation that needs an answer stops with `HostMustAnswerError`;
when the answer is there, in whichever process, the operation is run again from its
beginning, finds every answer so far, and goes on to the next question.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from reverie.errors import ReverieError
from reverie.minds.mind import Answer, MindUnavailableError, Use
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.mind import Question


class HostMustAnswerError(ReverieError):
    """No failure: the operation goes on as soon as the host has answered."""

    def __init__(self, question: Question) -> None:
        super().__init__(
            f"the host agent has to answer question {question.id} first",
            hint="Give it the question's text and schema; with its answer in the box, "
            "run the same operation again.",
        )
        self.question_id = question.id
        self.question = question


class HostGaveUpError(MindUnavailableError):
    """The host answered twice, and neither answer was usable."""

    def __init__(self, question_id: str, problem: str) -> None:
        super().__init__(
            f"the host agent gave no usable answer to {question_id}: {problem}",
            hint="Nothing was changed. Try again to ask it anew.",
        )
        self.question_id = question_id


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
        return Answer(value, _use(question, value))


def _use(question: Question, value: Mapping[str, object]) -> Use:
    given = count_tokens(json.dumps(value))
    asked = count_tokens(question.text)
    return Use(question.operation, "host", asked, given, estimated=True)
