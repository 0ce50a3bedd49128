"""What makes a question."""

from __future__ import annotations

import pytest
from tests.memory.home import NOON

from reverie import RefusedError
from reverie.config import Config
from reverie.recall.question import LONGEST, EmptyQuestionError, Question


def test_an_empty_question_is_refused_with_advice() -> None:
    for text in ["", " ", "\n\t\r\n", "\u2003"]:
        with pytest.raises(EmptyQuestionError) as refused:
            Question(text, NOON, Config())

        assert isinstance(refused.value, RefusedError)
        assert "reverie recall" in refused.value.hint


def test_only_so_much_of_a_question_is_read() -> None:
    assert Question("x" * 100_000, NOON, Config()).read == "x" * LONGEST
    assert Question("gnu?", NOON, Config()).read == "gnu?"
