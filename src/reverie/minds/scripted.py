"""A mind for tests: it says what it was told to say.

    mind = ScriptedMind([{"target": "the cat", "permanent": False}])

    ask(mind, forget_question("forget the cat"), check)

    assert "forget the cat" in mind.questions[0].text

An answer is an object; or text, read as a model's words would be; or an exception,
which is raised. Instead of a list, a function may answer each question:

    mind = ScriptedMind(lambda question: {"echo": question.operation})
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from reverie.minds.mind import Answer, MindUnavailableError, Use
from reverie.minds.reading import parse_object
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from reverie.minds.mind import Question

Line = Mapping[str, object] | str | Exception
"""What a scripted mind answers."""

Script = Iterable[Line] | Callable[["Question"], Line]


class ScriptEndedError(MindUnavailableError):
    """More was asked than the script has answers for."""

    def __init__(self, question: Question) -> None:
        super().__init__(
            f"the script has no answer left for {question.operation}",
            hint="Give ScriptedMind one more answer, or a function.",
        )


class ScriptedMind:
    """Answers from a script and remembers what it was asked.

    Attributes:
        questions: Those it was asked, in their order.
    """

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        seconds: float = 0.0,
        pass_time: Callable[[float], None] | None = None,
    ) -> None:
        """Get ready to answer.

        Args:
            script: The answers, or a function that makes them.
            name: What it is called in messages.
            seconds: How long it thinks about each question, on a clock of yours.
            pass_time: Moves that clock on.
        """
        self.name = name
        self.questions: list[Question] = []
        self._script = script if callable(script) else None
        self._lines = iter(()) if callable(script) else iter(script)
        self._seconds = seconds
        self._pass_time = pass_time

    def think(self, question: Question) -> Answer:
        """Say the next line of the script; see `Mind.think`."""
        self.questions.append(question)
        if self._pass_time:
            self._pass_time(self._seconds)
        line = self._line(question)
        if isinstance(line, Exception):
            raise line
        text = line if isinstance(line, str) else json.dumps(dict(line))
        value = parse_object(text)
        asked, given = count_tokens(question.text), count_tokens(text)
        use = Use(question.operation, self.name, asked, given, estimated=True)
        return Answer(value, use)

    def _line(self, question: Question) -> Line:
        if self._script:
            return self._script(question)
        try:
            return next(self._lines)
        except StopIteration:
            raise ScriptEndedError(question) from None
