"""Secrets that a person typed into a file: theirs to keep, and nobody else's to see.

What goes through Reverie has passed the gate; what an editor saved has not. The file
stays as it is. What the index shows of it, and so whatever is recalled, told or
embedded, has `[redacted: …]` in their place; names and lines do not move.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from reverie.model.finding import Finding, Severity
from reverie.secrets import find_secrets, without_secrets
from reverie.stores.reading import read_appended, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.model.items import Entry
    from reverie.stores.reading import Reading
    from reverie.stores.semantic import Vocabulary

T = TypeVar("T")

LEAST = 5
"""A piece of a secret that is shorter may be any word."""


def read_shown(path: str, data: bytes, vocabulary: Vocabulary) -> Reading:
    """Read a file as the index may show it."""
    reading = read_file(path, data, vocabulary)
    pieces = _pieces(data) if reading.entries or reading.edges else ()
    if not pieces:
        return reading
    return replace(
        reading,
        entries=_without(reading.entries, pieces),
        edges=_without(reading.edges, pieces),
    )


def appended_shown(path: str, old: bytes, new: bytes) -> tuple[Entry, ...] | None:
    """Read what was added to a log as the index may show it; see `read_appended`."""
    more = read_appended(path, old, new)
    pieces = _pieces(new[len(old) :]) if more else ()
    return _without(more, pieces) if more and pieces else more


def find_typed(path: str, data: bytes) -> Iterator[Finding]:
    """Every secret in a file, by its line; never what it is."""
    text = data.decode("utf-8", "replace")
    for secret in find_secrets(text):
        line = text.count("\n", 0, secret.start) + 1
        what = f"holds a secret in plain text ({secret.kind})"
        mend = (
            "It is neither recalled nor told. If it should not be kept, take it out; "
            "`reverie erase` takes it out of history as well."
        )
        yield Finding(path, line, what, mend, Severity.WARNING)


class _Piece(NamedTuple):
    text: str
    kind: str


def _pieces(data: bytes) -> tuple[_Piece, ...]:
    """The lines of every secret of a file, the longest first."""
    text = data.decode("utf-8", "replace")
    found = {
        _Piece(line.strip(), secret.kind)
        for secret in find_secrets(text)
        for line in text[secret.start : secret.end].split("\n")
    }
    return tuple(sorted(found, key=lambda piece: -len(piece.text)))


def _without(value: T, pieces: Iterable[_Piece]) -> T:
    """Any value in which no text has a secret; numbers, names of kinds and ids stay."""
    cleaned: Any = value
    if type(value) is str:
        cleaned = without_secrets(value)
        for piece in pieces:
            if len(piece.text) >= LEAST and piece.text in cleaned:
                cleaned = cleaned.replace(piece.text, f"[redacted: {piece.kind}]")
    elif isinstance(value, tuple):
        cleaned = tuple(_without(part, pieces) for part in value)
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {
            each.name: _without(getattr(value, each.name), pieces)
            for each in fields(value)
            if each.init and each.name != "id"
        }
        cleaned = replace(value, **parts)
    return cleaned
