"""The mind and the talker for tests do what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import QUESTION

from reverie.minds.mind import BadAnswerError, Message, MindUnavailableError, Question
from reverie.minds.scripted import ScriptedMind, ScriptedTalker
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_it_answers_in_order_and_remembers_what_it_was_asked() -> None:
    mind = ScriptedMind([{"n": 1}, 'well: {"n": 2}'])

    assert [mind.think(QUESTION).value for _ in range(2)] == [{"n": 1}, {"n": 2}]
    assert mind.questions == [QUESTION, QUESTION]


def test_it_answers_by_a_function() -> None:
    def shout(question: Question) -> dict[str, object]:
        return {"text": question.text.upper()}

    assert ScriptedMind(shout).think(QUESTION).value == {"text": "SAY A WORD."}


def test_it_raises_what_it_is_told_to_raise() -> None:
    with pytest.raises(OSError, match="unplugged"):
        ScriptedMind([OSError("unplugged")]).think(QUESTION)


def test_its_words_are_read_like_a_models() -> None:
    with pytest.raises(BadAnswerError):
        ScriptedMind(["hm"]).think(QUESTION)


def test_a_script_that_is_too_short_says_so() -> None:
    with pytest.raises(MindUnavailableError, match="no answer left"):
        ScriptedMind([]).think(QUESTION)


def test_its_tokens_are_counted() -> None:
    use = ScriptedMind([{"word": "hello"}], name="parrot").think(QUESTION).use

    assert (use.operation, use.model, use.estimated) == ("greet", "parrot", True)
    assert use.tokens == use.input_tokens + use.output_tokens > 5


# --- talking ---------------------------------------------------------------------

HELLO = [Message(Role.USER, "Hello?")]


def test_it_talks_and_remembers_what_it_was_asked() -> None:
    talker = ScriptedTalker(["Good morning to you.", OSError("gone")])

    assert talker.talk(HELLO, most_tokens=9) == "Good morning to you."
    with pytest.raises(OSError, match="gone"):
        talker.talk([], most_tokens=8)
    with pytest.raises(MindUnavailableError, match="no answer left"):
        talker.talk(HELLO, most_tokens=9)

    assert talker.asked == [tuple(HELLO), (), tuple(HELLO)]


def test_it_talks_by_a_function() -> None:
    def echo(messages: Sequence[Message]) -> str:
        return messages[-1].text.upper()

    talker = ScriptedTalker(echo, name="parrot")

    assert talker.talk(HELLO, most_tokens=9) == "HELLO?"
    assert talker.name == "parrot"
