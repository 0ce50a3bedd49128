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
from reverie.minds.mind import Answer, MindUnavailableError, Use
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


class ScriptedMind:
    """Answers from a script and remembers what it was asked.

    Args:
        script: The answers, or a function that makes them.
        name: What it is called in messages.

    Attributes:
        questions: Those it was asked, in their order.
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self.name = name
        self.questions: list[Question] = []
        self._line = _lines(script)

    def think(self, question: Question) -> Answer:
        """Say the next line of the script; see `Mind.think`."""
        self.questions.append(question)
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

    Args:
        script: The answers, or a function that makes them.
        name: What it is called in messages.

    Attributes:
        asked: The messages it was given, one tuple for each answer.
    """

    def __init__(self, script: Dialogue, *, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[tuple[Message, ...]] = []
        self._line = _lines(script)

    def talk(self, messages: Sequence[Message], *, most_tokens: int) -> str:  # noqa: ARG002 - it does not care how long
        """Say the next line of the script; see `Talker.talk`."""
        self.asked.append(tuple(messages))
        line = self._line(messages)
        if isinstance(line, Exception):
            raise line
        return line


def _lines(
    script: Iterable[Said] | Callable[[Asked], Said],
) -> Callable[[Asked], Said]:
    """A function that answers: the script itself, or one that reads its lines."""
    if callable(script):
        return script
    lines = iter(script)

    def line(_asked: Asked) -> Said:
        for said in lines:
            return said
        what = "the script has no answer left"
        hint = "Give the script one more answer, or a function."
        raise MindUnavailableError(what, hint=hint)

    return line
