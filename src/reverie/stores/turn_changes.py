"""Turns that are deleted or corrected; all else in their file stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import escape, escape_field, newlines_like, split_fields, tidy
from reverie.model.conversation import DELETED, EDITED
from reverie.model.ids import MissingItemError
from reverie.stores.turns import (
    is_deleted,
    key_of,
    parse_turn,
    sections_of,
    window_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from reverie.model.items import Role
    from reverie.stores.turns import Key


class MissingTurnError(MissingItemError):
    """A window, or a part of it, has no turn of that number."""

    def __init__(self, number: int, role: Role | None, path: str) -> None:
        who = f" of the {role}" if role else ""
        super().__init__(f"turn {number}{who}", path)


class DeletedTurnError(RefusedError):
    """A turn that was deleted was to be changed."""

    def __init__(self, number: int, role: Role, path: str) -> None:
        super().__init__(
            f"turn {number} of the {role} in {path} is deleted",
            hint="Bring it back first, by undoing the change that deleted it.",
        )


class EmptyTurnError(RefusedError):
    """A turn was to be left without any words."""

    def __init__(self, number: int, role: Role) -> None:
        super().__init__(
            f"turn {number} of the {role} would say nothing",
            hint="Delete it instead; it stays in the record, and never comes back.",
        )


def mark_deleted(text: str, path: str, keys: Collection[Key], day: str) -> str:
    """A file's text in which some turns are deleted; all else stays as it was.

    Args:
        text: The whole text.
        path: Path inside the workspace.
        keys: Number and role of each of them.
        day: Since when; one that is deleted already stays so.
    """
    parts = [(part, key_of(part)) for part in sections_of(text)]
    for number, role in sorted(set(keys) - {key for _, key in parts}):
        raise MissingTurnError(number, role, path)
    return "".join(
        _with_field(part.raw, DELETED, day) if key in keys else part.raw
        for part, key in parts
    )


def edit_turn(
    text: str, path: str, number: int, role: Role, new_text: str, day: str
) -> str:
    """A file's text in which one turn says something else; the rest stays.

    Args:
        text: The whole text.
        path: Path inside the workspace.
        number: Which turn.
        role: Which side of it.
        new_text: What it shall say.
        day: When it is changed.
    """
    if not tidy(new_text):
        raise EmptyTurnError(number, role)
    parts = sections_of(text)
    part = next((p for p in parts if key_of(p) == (number, role)), None)
    if part is None:
        raise MissingTurnError(number, role, path)
    turn = parse_turn(part.heading or "", part.body, window_of(path))
    if is_deleted(turn):
        raise DeletedTurnError(number, role, path)
    if turn.text == tidy(new_text):
        return text
    like = part.raw if "\n" in part.raw else text
    body = _with_body(part.raw, newlines_like(like, f"{escape(new_text)}\n"))
    fresh = _with_field(body, EDITED, day)
    return "".join(fresh if p is part else p.raw for p in parts)


def _with_field(raw: str, key: str, value: str) -> str:
    """A section whose heading has a field, and has it once."""
    line, end, body = raw.partition("\n")
    words = line.rstrip()
    fields = split_fields(words)
    keys = [field.partition(":")[0].strip() for field in fields]
    if key not in keys:
        fresh = f"{words} | {key}:{escape_field(value)}"
    elif key == DELETED and fields[keys.index(key)].partition(":")[2].strip():
        return raw
    else:
        at = keys.index(key)
        gap = " " if at + 1 < len(fields) else ""
        fields[at] = f" {key}:{escape_field(value)}{gap}"
        fresh = "|".join(fields)
    return fresh + line[len(words) :] + end + body


def _with_body(raw: str, new: str) -> str:
    """A section with other words, and the blank lines that it had around them."""
    line, feed, body = raw.partition("\n")
    bare = new.removesuffix("\n").removesuffix("\r")
    if not body.strip():
        return line + (feed or new[len(bare) :]) + new + body
    above = body[: len(body) - len(body.lstrip())]
    rest, end, below = body[len(body.rstrip()) :].partition("\n")
    close = "\r" if end and rest.endswith("\r") else ""
    kept = above[: above.rfind("\n") + 1]
    return line + feed + kept + bare + close + end + below
