"""A mind and a talker for tests: they say what they were told to say.

    mind = ScriptedMind([{"target": "the cat", "permanent": False}])

    ask(mind, forget_question("forget the cat"), check)

    assert "forget the cat" in mind.questions[0].text

An answer is an object; or text, read as a model's words would be; or an exception,
which is raised. Instead of a list, a function may answer each question:

    mind = ScriptedMind(lambda question: {"echo": question.operation})

A talker says its answers:

    talker = ScriptedTalker(["Hello there.", OSError("unplugged")])

    assert talker.talk(messages, most_tokens=100) == "Hello there."
    assert talker.asked == [tuple(messages)]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from reverie.minds.json_answers import parse_object
from reverie.minds.mind import OPERATION, Answer, MindUnavailableError, Use
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from reverie.minds.mind import Message, Question

Line = Mapping[str, object] | str | Exception
"""What a scripted mind answers."""

Script = Iterable[Line] | Callable[["Question"], Line]

Speech = str | Exception
"""What a scripted talker answers."""

Dialogue = Iterable[Speech] | Callable[[Sequence["Message"]], Speech]

Asked = TypeVar("Asked")
Said = TypeVar("Said")


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
        self._line = _lines(script, lambda question: question.operation)
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


class ScriptedTalker:
    """Talks from a script and remembers what it was asked.

    Attributes:
        asked: The messages it was given, one tuple for each answer.
        limits: How long each answer was allowed to be; it does not care.
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
        self._line = _lines(script, lambda _: OPERATION)

    def talk(self, messages: Sequence[Message], *, most_tokens: int) -> str:
        """Say the next line of the script; see `Talker.talk`."""
        self.asked.append(tuple(messages))
        self.limits.append(most_tokens)
        line = self._line(messages)
        if isinstance(line, Exception):
            raise line
        return line


def _lines(
    script: Iterable[Said] | Callable[[Asked], Said], name: Callable[[Asked], str]
) -> Callable[[Asked], Said]:
    """A function that answers: the script itself, or one that reads its lines."""
    if callable(script):
        return script
    lines = iter(script)

    def line(asked: Asked) -> Said:
        try:
            return next(lines)
        except StopIteration:
            raise ScriptEndedError(name(asked)) from None

    return line
