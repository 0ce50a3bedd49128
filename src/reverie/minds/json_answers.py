"""Ask a mind, and read and check the JSON that it answers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from reverie.minds.mind import BadAnswerError, MindUnavailableError
from reverie.minds.prompts import render_prompt
from reverie.secrets import pieces_of, screened
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.minds.mind import Mind, Question


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


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_LIMITS = {"minItems", "maxItems", "minLength", "maxLength", "pattern"}
_KNOWN = {
    *("type", "enum", "description"),
    *("properties", "required", "additionalProperties", "items"),
    *_LIMITS,
}


class UnknownKeywordError(ValueError):
    """A schema of ours says what nobody here would check."""

    def __init__(self, words: set[str]) -> None:
        super().__init__(f"not checked by reverie.minds.json_answers: {sorted(words)}")


def find_problem(
    value: object, schema: Mapping[str, Any], where: str = "the answer"
) -> str:
    """The first thing about a value that its schema does not allow; "" for none.

    Args:
        value: As `json` reads it.
        schema: What it should be.
        where: How to name the value.
    """
    unknown = schema.keys() - _KNOWN
    if unknown:
        raise UnknownKeywordError(unknown)
    kind = schema.get("type")
    if kind is not None and not _is(value, kind):
        return f"{where} is {_short(value)}, which is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is {_short(value)}, which is none of {list(schema['enum'])}"
    look = _LOOKS.get(type(value))
    return look(value, schema, where) if look else ""


def without_limits(schema: Mapping[str, Any]) -> dict[str, object]:
    """The schema without lengths and patterns, which not every server takes."""
    kept: dict[str, Any] = {k: v for k, v in schema.items() if k not in _LIMITS}
    if "items" in kept:
        kept["items"] = without_limits(kept["items"])
    if "properties" in kept:
        inside = kept["properties"].items()
        kept["properties"] = {name: without_limits(each) for name, each in inside}
    return kept


def all_required(schema: Mapping[str, Any]) -> dict[str, object]:
    """The schema in which no field may be left out, as strict servers want it."""
    kept: dict[str, Any] = dict(schema)
    if "items" in kept:
        kept["items"] = all_required(kept["items"])
    if "properties" in kept:
        inside = kept["properties"].items()
        kept["properties"] = {name: all_required(each) for name, each in inside}
        kept["required"] = list(kept["properties"])
    return kept


def _is(value: object, kind: str) -> bool:
    # Python takes true for a number; JSON does not.
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _object_problem(
    value: dict[str, object], schema: Mapping[str, Any], where: str
) -> str:
    inside = f"{where}." if where != "the answer" else ""
    allowed: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{inside}{name} is missing"
    for name, each in value.items():
        if name in allowed:
            problem = find_problem(each, allowed[name], f"{inside}{name}")
        else:
            extra = schema.get("additionalProperties", True) is False
            problem = f"{inside}{_short(name)} was not asked for" if extra else ""
        if problem:
            return problem
    return ""


def _array_problem(value: list[object], schema: Mapping[str, Any], where: str) -> str:
    problem = _size_problem(len(value), schema, "Items", where)
    if problem or "items" not in schema:
        return problem
    for at, each in enumerate(value):
        problem = find_problem(each, schema["items"], f"{where}[{at}]")
        if problem:
            return problem
    return ""


def _string_problem(value: str, schema: Mapping[str, Any], where: str) -> str:
    problem = _size_problem(len(value), schema, "Length", where)
    pattern = schema.get("pattern")
    if not problem and pattern and not re.search(pattern, value):
        return f"{where} is {_short(value)}, which does not match {pattern}"
    return problem


def _size_problem(size: int, schema: Mapping[str, Any], of: str, where: str) -> str:
    what = "characters" if of == "Length" else "items"
    least, most = schema.get(f"min{of}", 0), schema.get(f"max{of}", size)
    if size > most:
        return f"{where} has {size} {what}, and may have {most}"
    return f"{where} has {size} {what}, and needs {least}" if size < least else ""


def _short(value: object) -> str:
    """A value in a few characters, none of them a line end or invisible."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    return ascii(value)[:40]


_LOOKS: dict[type, Callable[[Any, Mapping[str, Any], str], str]] = {
    dict: _object_problem,
    list: _array_problem,
    str: _string_problem,
}


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
