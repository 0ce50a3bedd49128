"""What is known and says otherwise: noticed, offered, never settled here."""

from __future__ import annotations

import contextlib
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.encoding.claims import claims_of, contradicts
from reverie.encoding.remember import entity_name
from reverie.errors import FormatError, UnavailableError
from reverie.index.rows import scope
from reverie.index.sketches import spoken
from reverie.model.ids import ItemId, Kind
from reverie.model.place import Semantic
from reverie.model.remembered import Conflict
from reverie.stores import core, semantic
from reverie.stores.reading import decode
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.memory.house import House
    from reverie.model.place import Place

MOST = 5
"""So many contradictions are told of one text."""


def find_conflicts(text: str, place: Place, house: House) -> tuple[Conflict, ...]:
    """What core memory, or the page of the entity it is about, says otherwise."""
    if not claims_of(text):
        return ()
    gone, new = "", text
    if isinstance(place, Semantic):
        gone, new = place.supersedes, spoken(place.about.rpartition("--")[2], text)
    found = []
    for id_, known, said in nearby(place, house):
        why = contradicts(new, said) if known != gone else ""
        if why:
            found.append(Conflict(id_, known, why))
    return tuple(found[:MOST])


def nearby(place: Place, house: House) -> Iterator[tuple[str, str, str]]:
    """What is known near a place: ids, what stands there, the same with its subject."""
    with contextlib.suppress(NotAPlainFileError):
        for id_, said in _core(house.ledger.read(layout.CORE) or b""):
            yield id_, said, said
    if isinstance(place, Semantic):
        # A page that does not read says nothing; whoever writes to it is told.
        with contextlib.suppress(NotAPlainFileError, UnavailableError, FormatError):
            yield from _facts(entity_name(place), house)


def _facts(name: str, house: House) -> list[tuple[str, str, str]]:
    path = house.place(layout.ENTITIES, f"{name}.md")
    text, _ = decode(house.ledger.read(path) or b"", path)
    id_ = str(ItemId(Kind.ENTITY, name))
    page = semantic.parse_entity(text, path)
    if any(map(scope, page.entries)):
        # What is for one person alone is told to nobody who only speaks of it.
        return []
    entity = page.entity
    return [
        (id_, fact.text, spoken(entity.label, fact.text))
        for fact in entity.facts
        if fact.current
    ]


@lru_cache(maxsize=8)
def _core(data: bytes) -> tuple[tuple[str, str], ...]:
    """The items of core memory, read again only when it says something else."""
    memory = core.parse_core(decode(data, layout.CORE)[0], layout.CORE)
    return tuple((str(entry.id), entry.text) for entry in memory.entries)
