"""Ask a mind, and read and check the JSON that it answers.

Reading is strict because the text may quote strangers: what is ambiguous is refused,
not guessed. Shapes are JSON schemas, of which our questions use a dozen keywords;
msgspec checks answers by types that are made of them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from reverie.minds.mind import (
    BadAnswerError,
    CutOffAnswerError,
    UnusableAnswerError,
)
from reverie.minds.prompts import render_prompt
from reverie.secrets import is_no_id, pieces_of, screened
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.minds.mind import Mind, Question

T = TypeVar("T")

_LONGEST = 1 << 20  # characters of an answer
_SHOWN_AGAIN = 500  # tokens of a bad answer that the mind is shown once more
_LIMITS = {
    "minItems": "min_length",
    "maxItems": "max_length",
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
}
_TYPES: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": float,
    "null": None,
}


def parse_object(text: str) -> dict[str, object]:
    """Find the one JSON object that a model has written, fenced, in prose or bare.

    What a model thinks aloud in front of it is left out. Two objects are as bad as
    none: one of them may be a quotation, and choosing would let whoever is quoted
    answer.

    Raises:
        BadAnswerError: There is not exactly one, or it is malformed.
    """
    if len(text) > _LONGEST:
        raise BadAnswerError(f"it has more than {_LONGEST:,} characters")
    said, found, at = text, list[dict[str, object]](), 0
    if text.lstrip().startswith("<think>"):
        said = text.rpartition("</think>")[2]
    try:
        # A brace in prose is mostly followed by something else than a name.
        while begun := re.compile(r'\{\s*["}]').search(said, at):
            value, at = _DECODER.raw_decode(said, begun.start())
            # Half a character could not be written to a file later on.
            json.dumps(value, ensure_ascii=False).encode()
            found.append(value)
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        problem = f"its JSON is malformed: {why}"
        raise BadAnswerError(problem, text) from error
    if len(found) != 1:
        problem = f"it has {len(found) or 'no'} JSON objects instead of one"
        raise BadAnswerError(problem, text)
    return found[0]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"{ascii(name)[:60]} is given twice")
        made[name] = value
    return made


def _finite(word: str) -> float:
    number = float(word)
    if number - number:  # neither infinite nor none at all
        raise ValueError(f"{word[:20]} is not a number")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite
)


def find_problem(value: object, schema: Mapping[str, Any]) -> str:
    """The first thing about a value that its schema does not allow; "" for none."""
    try:
        msgspec.convert(value, _type(schema))
    except msgspec.ValidationError as error:
        return str(error).replace("`$.", "`").replace("`$", "`the answer")
    return ""


def _type(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a type, as msgspec takes it
    """What a schema allows, as a type.

    A keyword that is not known here is an error of the schema, so that nothing is
    believed to be checked which is not.
    """
    known = {"type", "enum", "description", "properties", "required", "items"}
    unknown = schema.keys() - known - _LIMITS.keys() - {"additionalProperties"}
    if unknown:
        raise ValueError(
            f"not checked by reverie.minds.json_answers: {sorted(unknown)}"
        )
    kind = schema.get("type")
    if kind == "object":
        inside = schema.get("properties", {})
        names = {f"field{at}": name for at, name in enumerate(inside)}
        fields: list[Any] = [
            (field, _type(inside[name]))
            if name in schema.get("required", ())
            else (field, _type(inside[name]) | msgspec.UnsetType, msgspec.UNSET)
            for field, name in names.items()
        ]
        strict = schema.get("additionalProperties") is False
        options: dict[str, Any] = {"forbid_unknown_fields": strict, "kw_only": True}
        return msgspec.defstruct("Object", fields, rename=names, **options)
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    made = _TYPES.get(str(kind), Any)
    if kind == "array":
        each = _type(schema.get("items", {}))
        made = list[each]  # type: ignore[valid-type]
    limits = {_LIMITS[name]: most for name, most in schema.items() if name in _LIMITS}
    return Annotated[made, msgspec.Meta(**limits)] if limits else made


def _inside(schema: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A schema with all schemas inside it changed."""
    made = dict(schema)
    if "items" in made:
        made["items"] = change(made["items"])
    if "properties" in made:
        inside = made["properties"].items()
        made["properties"] = {name: change(each) for name, each in inside}
    return made


def without_limits(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without lengths and patterns, which not every server takes."""
    kept = {name: each for name, each in schema.items() if name not in _LIMITS}
    return _inside(kept, without_limits)


def all_required(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in which no field may be left out, as strict servers want it."""
    made = _inside(schema, all_required)
    return made | ({"required": [*made["properties"]]} if "properties" in made else {})


def ask(
    mind: Mind,
    question: Question,
    check: Callable[[Mapping[str, object]], T],
    *,
    partly: bool = False,
    is_id: Callable[[str], bool] = is_no_id,
) -> T:
    """Put a question and return the answer as what it means.

    An answer that does not hold is shown to the mind once more, with what is wrong.

    Args:
        mind: Whom to ask.
        question: What to ask.
        check: Makes a value of the answer, which fits the schema by then; raises
            ValueError, in words, where it makes no sense all the same.
        partly: Whether of an answer that was cut off counts what came whole.
        is_id: Whether a word is the ID of an existing memory, and so no secret.

    Raises:
        UnusableAnswerError: The second answer does not hold either.
    """
    try:
        return _answer(mind, question, check, is_id, partly=partly)
    except BadAnswerError as error:
        said = clip_to_tokens(error.said, _SHOWN_AGAIN) or "(nothing)"
        data = {"answer": said, "problem": error.problem}
        text = render_prompt("repair", data, {"question": question.text})
    try:
        return _answer(mind, replace(question, text=text), check, is_id, partly=partly)
    except BadAnswerError as error:
        facts = (mind.name, question.operation, error.problem)
        raise UnusableAnswerError(*facts) from error


def _answer(
    mind: Mind,
    question: Question,
    check: Callable[[Mapping[str, object]], T],
    is_id: Callable[[str], bool],
    *,
    partly: bool,
) -> T:
    try:
        answer = dict(mind.think(question).value)
    except CutOffAnswerError as error:
        answer = whole_part(error.said, question.schema) if partly else {}
        if not any(answer.values()):
            raise
    value = fitting(answer, _written(answer), question.schema, is_id)
    try:
        return check(value)
    except ValueError as error:
        raise BadAnswerError(str(error), _written(value)) from error


def whole_part(text: str, schema: Mapping[str, Any]) -> dict[str, object]:
    """Of an answer that ends in the middle, what is there whole.

    Of the list in which it ends the last element goes, for nobody knows whether it was
    at its end; what it did not come to is empty.
    """
    from pydantic_core import from_json  # noqa: PLC0415 - seldom needed

    said = text
    if text.lstrip().startswith("<think>"):
        said = text.partition("</think>")[2]
    said = said[said.find("{") :] if "{" in said else ""
    try:
        json.JSONDecoder().raw_decode(said)
    except ValueError:
        pass
    else:
        # What came first is whole, so it is an example, and not what was cut off.
        return {}
    try:
        found = from_json(said, allow_partial=True)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    last, value = found.popitem() if found else ("", None)
    if isinstance(value, list):
        found[last] = value[:-1]
    empty = {"array": list, "string": str}
    missing = (name for name in schema.get("required", ()) if name not in found)
    types = ((name, schema["properties"][name].get("type")) for name in missing)
    return found | {name: empty[kind]() for name, kind in types if kind in empty}


def fitting(
    answer: dict[str, object],
    text: str,
    schema: Mapping[str, Any],
    is_id: Callable[[str], bool] = is_no_id,
) -> dict[str, object]:
    """An answer without secrets, if it is what its schema allows.

    Args:
        answer: The object that was answered.
        text: The words that it was found in.
        schema: What it may be.
        is_id: Whether a word is the ID of an existing memory, and so no secret.
    """
    # Before it is judged: a problem quotes the beginning of what is wrong.
    value = screened(answer, pieces_of(text, is_id), is_id)
    if problem := find_problem(value, schema):
        raise BadAnswerError(problem, _written(value))
    return value


def _written(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
