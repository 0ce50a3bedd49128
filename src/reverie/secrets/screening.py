"""Whole values without secrets: records, lists, memories, whatever texts are in them.

A text is looked at before it is cut. What was cut already, as the lines of a key in a
list, is told by the text as a whole that it was cut from.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from reverie.secrets.finding import find_secrets, without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

LEAST = 5
"""A piece of a secret that is shorter may be any word."""

_CUTS = re.compile(r"\n|\"|\\[nrt\"]")
_MARK = "[redacted: "


class Piece(NamedTuple):
    """A line of a secret, and what kind of secret it is."""

    text: str
    kind: str


def pieces_of(whole: str) -> tuple[Piece, ...]:
    """What lines and quotes cut the secrets of a text into, the longest first."""
    found = {
        Piece(part.strip(), secret.kind)
        for secret in find_secrets(whole)
        for part in _CUTS.split(whole[secret.start : secret.end])
        if len(part.strip()) >= LEAST
    }
    return tuple(sorted(found, key=lambda piece: (-len(piece.text), piece)))


def screened(value: T, pieces: Sequence[Piece] = ()) -> T:
    """Any value in which no text has a secret; numbers, kinds and ids stay.

    Args:
        value: A text, or a record, a list or a memory with texts in it.
        pieces: Of the whole that it was cut from, see `pieces_of`.
    """
    return cast("T", _screened(value, pieces))


def _screened(value: Any, pieces: Sequence[Piece]) -> Any:  # noqa: ANN401 - anything
    clean = value
    if type(value) is str:
        clean = without_secrets(value)
        for piece in pieces:
            if piece.text in clean:
                clean = clean.replace(piece.text, f"{_MARK}{piece.kind}]")
    elif type(value) is tuple or type(value) is list:
        clean = type(value)(_screened(part, pieces) for part in value)
    elif isinstance(value, dict):
        clean = {
            _screened(key, pieces): _screened(part, pieces)
            for key, part in value.items()
        }
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {
            each.name: _screened(getattr(value, each.name), pieces)
            for each in fields(value)
            if each.init and each.name != "id"
        }
        clean = replace(value, **parts)
    return clean


def kinds_in(value: object) -> tuple[str, ...]:
    """The kinds of secrets in the texts of a record or a list, each once."""
    if isinstance(value, str):
        found = [secret.kind for secret in find_secrets(value)]
    elif isinstance(value, dict):
        found = [kind for pair in value.items() for kind in kinds_in([*pair])]
    elif isinstance(value, list):
        found = [kind for part in value for kind in kinds_in(part)]
    else:
        found = []
    return tuple(dict.fromkeys(found))


def redacted_in_place(
    text: str, mark: str = "\n"
) -> tuple[str, tuple[tuple[int, str], ...]]:
    """A text without its secrets, in which every line stays the line it was.

    Args:
        text: Lines, and pages that end with a form feed.
        mark: What is counted: the ends of lines, or of pages.

    Returns:
        The text, and for each secret its line or page, counted from 1, and its kind.
    """
    found = find_secrets(text)
    told = tuple((text.count(mark, 0, s.start) + 1, s.kind) for s in found)
    parts, done = [], 0
    for secret in found:
        ends = [char for char in text[secret.start : secret.end] if char in "\n\f"]
        parts += [text[done : secret.start], f"{_MARK}{secret.kind}]", *ends]
        done = secret.end
    return "".join([*parts, text[done:]]), told
