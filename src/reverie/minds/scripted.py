"""A mind and a talker for tests: they say what they were told to say.

    mind = ScriptedMind([{"target": "the cat", "permanent": False}])

    ask(mind, forget_question("forget the cat"), check)

    assert "forget the cat" in mind.questions[0].text

An answer is an object; or text, read as a model's words would be; or an exception,
which is raised. Instead of a list, a function may answer each question:

    mind = ScriptedMind(lambda question: {"echo": question.operation})

A talker says its answers in a few pieces; where an answer is given as a list, in those:

    talker = ScriptedTalker(["Hello there.", ["It was", OSError("unplugged")]])

    assert "".join(talker.talk(messages, most_tokens=100)) == "Hello there."
    assert talker.asked == [tuple(messages)]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from reverie.minds.json_answers import parse_object
from reverie.minds.mind import OPERATION, Answer, MindUnavailableError, Use
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Generator

    from reverie.minds.mind import Message, Question

Line = Mapping[str, object] | str | Exception
"""What a scripted mind answers."""

Script = Iterable[Line] | Callable[["Question"], Line]

Speech = str | Exception | Sequence[str | Exception]
"""What a scripted talker answers: all of it, or its pieces."""

Dialogue = Iterable[Speech] | Callable[[Sequence["Message"]], Speech]

_PIECES = 3


class ScriptEndedError(MindUnavailableError):
    """More was asked than the script has answers for."""

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"the script has no answer left for {operation}",
            hint="Give the script one more answer, or a function.",
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
            raise ScriptEndedError(question.operation) from None


class ScriptedTalker:
    """Talks from a script and remembers what it was asked.

    Attributes:
        asked: The messages it was given, one tuple for each answer.
        limits: How long each answer was allowed to be; it does not care.
        stopped: How many of its answers were closed before their end.
    """

    def __init__(self, script: Dialogue, *, name: str = "scripted") -> None:
        """Get ready to talk.

        Args:
            script: The answers, or a function that makes them.
            name: What it is called in messages.
        """
        self.name = name
        self.asked: list[tuple[Message, ...]] = []
        self.limits: list[int] = []
        self.stopped = 0
        self._script = script if callable(script) else None
        self._lines = iter(()) if callable(script) else iter(script)

    def talk(
        self, messages: Sequence[Message], *, most_tokens: int
    ) -> Generator[str, None, None]:
        """Say the next line of the script; see `Talker.talk`."""
        self.asked.append(tuple(messages))
        self.limits.append(most_tokens)
        try:
            for piece in _pieces(self._line(messages)):
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        except GeneratorExit:
            self.stopped += 1
            raise

    def _line(self, messages: Sequence[Message]) -> Speech:
        if self._script:
            return self._script(messages)
        try:
            return next(self._lines)
        except StopIteration:
            raise ScriptEndedError(OPERATION) from None


def _pieces(line: Speech) -> Sequence[str | Exception]:
    if isinstance(line, Exception):
        return [line]
    if not isinstance(line, str):
        return line
    size = max(1, -(-len(line) // _PIECES))
    return [line[at : at + size] for at in range(0, len(line), size)]
