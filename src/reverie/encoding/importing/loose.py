"""JSON that others wrote: anything may be missing, or be something else."""

from __future__ import annotations

from typing import cast

from reverie.encoding.importing.plain import plain
from reverie.markdown import one_line


def record(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def rows(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def label(value: object) -> str:
    """The value as it is, if it is a text; for what is only compared."""
    return value if isinstance(value, str) else ""


def words(value: object) -> str:
    """The value as plain text without blank edges, if it is a text at all."""
    return plain(value).strip() if isinstance(value, str) else ""


def name(value: object) -> str:
    """The value as one line, if it is a text; for titles and ids."""
    return one_line(words(value))
