"""What the IDs name that an agent wants to forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie import Match
from reverie.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie import Memory

Named = dict[str, Match | None]
"""What each ID names; None for an ID that names nothing."""


def find_named(memory: Memory, ids: Iterable[str]) -> Named:
    """Return what each ID names.

    Raises:
        NotFoundError: None of them names anything.
    """
    found = Named.fromkeys(ids)
    unknown: NotFoundError | None = None
    for id_ in found:
        try:
            found[id_] = memory.name_to_forget(id_)
        except NotFoundError as error:
            unknown = error
    if unknown and not any(found.values()):
        raise unknown
    return found


def describe_unknown(found: Named) -> list[str]:
    """Return a note for each ID that names nothing."""
    return [f"Nothing has the id {id_}." for id_, match in found.items() if not match]
