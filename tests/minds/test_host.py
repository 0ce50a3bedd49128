"""The host agent thinks, between one run of an operation and the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import QUESTION

from reverie.errors import ReverieError, UnavailableError
from reverie.minds.json_answers import ask
from reverie.minds.mind import (
    HostGaveUpError,
    HostMind,
    HostMustAnswerError,
    Question,
    Use,
)
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class MemoryBox:
    """A box without a disk."""

    waiting: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def find_answer(self, question: Question) -> Mapping[str, object] | None:
        """The answer, where there is one."""
        return self.answers.get(question.id)

    def put(self, question: Question) -> None:
        """Let it wait."""
        self.waiting[question.id] = question


def test_a_question_without_an_answer_goes_into_the_box() -> None:
    box = MemoryBox()

    with pytest.raises(HostMustAnswerError) as caught:
        HostMind(box).think(QUESTION)

    assert box.waiting == {QUESTION.id: QUESTION}
    assert (caught.value.question_id, caught.value.question) == (QUESTION.id, QUESTION)
    assert caught.value.advice
    assert isinstance(caught.value, ReverieError)
    assert not isinstance(caught.value, UnavailableError)


def test_an_answer_is_taken_out_of_the_box() -> None:
    box = MemoryBox(answers={QUESTION.id: {"word": "hello"}})

    answer = HostMind(box).think(QUESTION)

    assert answer.value == {"word": "hello"}
    asked, given = count_tokens(QUESTION.text), count_tokens('{"word": "hello"}')
    assert answer.use == Use("greet", "host", asked, given, estimated=True)
    assert box.waiting == {}


def test_an_operation_of_several_steps_goes_on_where_it_stopped() -> None:
    box = MemoryBox()
    runs = 0

    def operation() -> str:
        said = ""
        for step in range(3):
            question = Question("greet", "greet", f"{step}{said}", QUESTION.schema, 50)
            said += ask(HostMind(box), question, lambda value: str(value["word"]))
        return said

    while True:
        runs += 1
        try:
            said = operation()
            break
        except HostMustAnswerError as stop:
            box.answers[stop.question_id] = {"word": f"w{runs}"}

    assert (said, runs) == ("w1w2w3", 4)


def test_an_answer_that_makes_no_sense_is_asked_for_once_more() -> None:
    box = MemoryBox(answers={QUESTION.id: {"word": "damn"}})

    def word(value: Mapping[str, object]) -> str:
        if value["word"] == "damn":
            problem = "mind your language"
            raise ValueError(problem)
        return str(value["word"])

    with pytest.raises(HostMustAnswerError) as caught:
        ask(HostMind(box), QUESTION, word)
    assert "mind your language" in caught.value.question.text
    box.answers[caught.value.question_id] = {"word": "hello"}

    assert ask(HostMind(box), QUESTION, word) == "hello"


def test_a_host_that_gave_up_is_not_asked_again() -> None:
    class Failed(MemoryBox):
        def find_answer(self, question: Question) -> Mapping[str, object] | None:
            raise HostGaveUpError(question.id, "twice nonsense")

    box = Failed()

    with pytest.raises(HostGaveUpError, match="twice nonsense"):
        ask(HostMind(box), QUESTION, dict)

    assert box.waiting == {}


def test_a_question_has_a_name_of_its_own() -> None:
    schema = {**QUESTION.schema, "description": "x"}
    others = [
        Question("greet", "greet", "Say a word!", QUESTION.schema, 50),
        Question("greet2", "greet", "Say a word.", QUESTION.schema, 50),
        Question("greet", "greet2", "Say a word.", QUESTION.schema, 50),
        Question("greet", "greet", "Say a word.", schema, 50),
        Question("greetgreet", "", "Say a word.", QUESTION.schema, 50),
    ]

    assert len({QUESTION.id, *(each.id for each in others)}) == 6
    assert QUESTION.id == "fb7e5605085041d4"
