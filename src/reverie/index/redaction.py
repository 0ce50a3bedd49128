"""Redact secrets that a person typed into a file from what the index shows.

What goes through Reverie has passed the gate; what an editor saved has not. The file
stays as it is. What the index shows of it, and so whatever is recalled, told or
embedded, has `[redacted: …]` in their place; names and lines do not move.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.model.items import Finding, Severity
from reverie.secrets import find_secrets, pieces_of, screened
from reverie.stores.reader import read_appended, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.items import Entry
    from reverie.stores.reader import Reading
    from reverie.stores.relations import Vocabulary


def read_shown(path: str, data: bytes, vocabulary: Vocabulary) -> Reading:
    """Read a file as the index may show it."""
    reading = read_file(path, data, vocabulary)
    text = data.decode("utf-8", "replace")
    if not (reading.entries or reading.edges) or not find_secrets(text):
        return reading
    pieces = pieces_of(text)
    return replace(
        reading,
        entries=screened(reading.entries, pieces),
        edges=screened(reading.edges, pieces),
    )


def appended_shown(path: str, old: bytes, new: bytes) -> tuple[Entry, ...] | None:
    """Read what was added to a log as the index may show it; see `read_appended`."""
    more = read_appended(path, old, new)
    text = new[len(old) :].decode("utf-8", "replace")
    return screened(more, pieces_of(text)) if more and find_secrets(text) else more


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
