"""What `--json` prints: the value a verb returned, and nothing else."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from reverie.model.change import Actor
from reverie.model.route import Route
from reverie.model.route import to_json as route_to_json
from reverie.printable import escape_json

if TYPE_CHECKING:
    from collections.abc import Callable

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(value: Any) -> Json:  # noqa: ANN401 - whatever a verb returns
    """A value in the words of JSON: fields in their order, times in UTC."""
    for kinds, convert in _WAYS:
        if isinstance(value, kinds):
            return convert(value)
    return {each.name: to_json(getattr(value, each.name)) for each in fields(value)}


def _moment(value: datetime) -> str:
    moment = value.astimezone(UTC).isoformat(timespec="seconds")
    return moment.replace("+00:00", "Z")


_WAYS: tuple[tuple[tuple[type, ...], Callable[[Any], Json]], ...] = (
    ((Enum,), lambda value: to_json(value.value)),
    ((type(None), bool, int, float, str), lambda value: value),
    ((Actor,), str),
    ((Route,), lambda value: to_json(route_to_json(value))),
    ((datetime,), _moment),
    ((date,), date.isoformat),
    ((dict,), lambda value: {str(key): to_json(each) for key, each in value.items()}),
    ((list, tuple), lambda value: [to_json(each) for each in value]),
)


def render_json(value: object, *, ascii_only: bool = False) -> str:
    """The text of a value, indented for people who look at it.

    Whatever they would not see in it is escaped.
    """
    text = json.dumps(to_json(value), indent=2, ensure_ascii=ascii_only)
    return escape_json(text)


def render_json_line(value: object) -> str:
    """The text of a value on one line of ASCII, for the error stream."""
    return json.dumps(to_json(value))
