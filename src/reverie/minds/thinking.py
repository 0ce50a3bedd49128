"""Asking a mind, and taking only an answer that is what was asked for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from reverie.minds.mind import BadAnswerError, MindUnavailableError
from reverie.minds.prompting import render_prompt
from reverie.minds.schema import find_problem
from reverie.secrets import pieces_of, screened
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.minds.mind import Mind, Question

T = TypeVar("T")

_SHOWN_AGAIN = 500
"""Tokens of a bad answer that the mind is shown once more."""


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


def ask(
    mind: Mind, question: Question, check: Callable[[Mapping[str, object]], T]
) -> T:
    """Put a question and return the answer as what it means.

    An answer that does not hold is shown to the mind once more, with what is wrong.

    Args:
        mind: Whom to ask.
        question: What to ask.
        check: Makes a value of the answer, which fits the schema by then; raises
            ValueError, in words, where it makes no sense all the same.

    Raises:
        UnusableAnswerError: The second answer does not hold either.
    """
    try:
        return _checked(mind, question, question, check)
    except BadAnswerError as error:
        again = _again(question, error)
    try:
        return _checked(mind, again, question, check)
    except BadAnswerError as error:
        raise UnusableAnswerError(mind.name, question, error.problem) from error


def _checked(
    mind: Mind,
    put: Question,
    question: Question,
    check: Callable[[Mapping[str, object]], T],
) -> T:
    answer = mind.think(put).value
    whole = json.dumps(answer, ensure_ascii=False, default=str)
    # Before it is judged: a problem quotes the beginning of what is wrong.
    value = screened(dict(answer), pieces_of(whole))
    said = json.dumps(value, ensure_ascii=False, default=str)
    problem = find_problem(value, question.schema)
    if problem:
        raise BadAnswerError(problem, said)
    try:
        return check(value)
    except ValueError as error:
        raise BadAnswerError(str(error), said) from error


def _again(question: Question, error: BadAnswerError) -> Question:
    said = clip_to_tokens(error.said, _SHOWN_AGAIN)
    text = render_prompt(
        "repair",
        {"answer": said or "(nothing)", "problem": error.problem},
        {"question": question.text},
    )
    return replace(question, text=text)
