"""The part of JSON Schema that our questions use, and no more.

A keyword that is not known here is an error of the schema, so that nothing is
believed to be checked which is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        super().__init__(f"not checked by reverie.minds.schema: {sorted(words)}")


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
