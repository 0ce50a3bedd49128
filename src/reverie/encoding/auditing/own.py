"""The memories in the files of a Reverie workspace, as its own stores read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.index.rows import origin
from reverie.model.items import Episode, Procedure, Source, VaultNote
from reverie.model.origin import Origin, implied, named
from reverie.stores.reading import load_vocabulary, read_file
from reverie.stores.semantic import parse_entity
from reverie.stores.semantic.facts import parse_fact
from reverie.stores.semantic.pages import FACTS
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.model.items import Entry, Fact

_FOLDERS = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)


@dataclass(frozen=True, slots=True)
class Own:
    """A memory of ours.

    Attributes:
        line: Line number counted from 1.
        raw: The very text of the file.
        text: What it says.
        day: The day it is of.
        origin: Whose words it is.
        subject: The entity that a fact is about.
        lasting: Whether it is meant to hold for good.
    """

    line: int
    raw: str
    text: str
    day: date | None
    origin: Origin
    subject: str = ""
    lasting: bool = False


def holds_memories(path: str) -> bool:
    """Whether a file of a workspace, by its path inside it, has memories of ours."""
    inside = any(path.startswith(f"{folder}/") for folder in _FOLDERS)
    return path == layout.CORE or (inside and path.endswith(".md"))


def read_own(path: str, text: str) -> Iterator[Own]:
    """The memories in a file of ours; facts that are over are none."""
    if path.startswith(f"{layout.ENTITIES}/"):
        yield from _facts(path, text)
        return
    data = text.encode("utf-8", "replace")
    for entry in read_file(path, data, load_vocabulary(None)).entries:
        yield _memory(entry)


def _memory(entry: Entry) -> Own:
    day: date | None = None
    text, lasting = entry.text, False
    match entry.item:
        case Episode(at=at, text=said):
            day, text = at.date(), said
        case Procedure(learned=day) | VaultNote(created=day):
            lasting = True
        case _:
            pass
    return Own(entry.line, entry.raw, text, day, origin(entry), lasting=lasting)


def _facts(path: str, text: str) -> Iterator[Own]:
    page = parse_entity(text, path)
    for piece in page.page.items(FACTS):
        fact = parse_fact(piece)
        if fact.current:
            yield Own(
                piece.line,
                piece.raw,
                fact.text,
                fact.since,
                _origin(fact),
                page.entity.name,
            )


def _origin(fact: Fact) -> Origin:
    known = fact.source in frozenset(Source)
    return (
        named(fact.by) if fact.by else implied(Source(fact.source) if known else None)
    )
