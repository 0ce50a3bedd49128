"""JSON from elsewhere, read strictly: what is ambiguous is refused, not guessed."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from reverie.minds.mind import BadAnswerError

_BEGINNING = re.compile(r'\{\s*["}]')
"""Where an object begins; a brace in prose is mostly followed by something else."""

_THOUGHT = ("<think>", "</think>")


class UnreadableAnswerError(BadAnswerError):
    """The answer has no JSON object in it, or not exactly one."""


def load_strict(text: str) -> object:
    """Read JSON in which every name is given once and every number is finite.

    Raises:
        ValueError: It is not that, or nested too deeply to be meant.
    """
    try:
        value: object = _DECODER.decode(text)
    except RecursionError:
        problem = "it is nested too deeply"
        raise ValueError(problem) from None
    return value


def parse_object(text: str) -> dict[str, object]:
    """Find the one JSON object that a model has written, fenced, in prose or bare.

    Two objects are as bad as none: one of them may be a quotation, and choosing
    would let whoever is quoted answer.

    Raises:
        UnreadableAnswerError: There is not exactly one, or it is malformed.
    """
    try:
        found = _objects(_without_thought(text))
    except RecursionError:
        problem = "its JSON is nested too deeply"
        raise UnreadableAnswerError(problem, text) from None
    except ValueError as error:
        problem = f"its JSON is malformed: {error}"
        raise UnreadableAnswerError(problem, text) from error
    if len(found) != 1:
        problem = f"it has {len(found) or 'no'} JSON objects instead of one"
        raise UnreadableAnswerError(problem, text)
    return found[0]


def _objects(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    at = 0
    while begun := _BEGINNING.search(text, at):
        value, at = _DECODER.raw_decode(text, begun.start())
        # Half a character could not be written to a file later on.
        json.dumps(value, ensure_ascii=False).encode()
        found.append(value)
    return found


def _without_thought(text: str) -> str:
    """What follows a model's thinking aloud, where it begins with that."""
    begin, end = _THOUGHT
    return text.rpartition(end)[2] if text.lstrip().startswith(begin) else text


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            problem = f"{ascii(name)[:60]} is given twice"
            raise ValueError(problem)
        made[name] = value
    return made


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_number(digits)


def _no_number(word: str) -> NoReturn:
    problem = f"{word[:20]} is not a number"
    raise ValueError(problem)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_number
)
