"""Marks on recalled memories: disputed facts and procedures with a pending version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.model.ids import Kind, Store, page_of
from reverie.model.items import WHICH_HOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from reverie.index import Index
    from reverie.model.views import Hit


def mark_hits(
    hits: Sequence[Hit],
    index: Index,
    load_versions: Callable[[], Mapping[str, int]],
    conflicting: Collection[str] = (),
) -> list[Hit]:
    """Return hits with their marks.

    Args:
        hits: Recalled memories.
        index: The index that found them.
        load_versions: Returns the numbers of pending versions, by procedure ID. It is
            called only if a procedure was recalled.
        conflicting: IDs of memories with a possible conflict.
    """
    pages = {page_of(hit.id) for hit in hits if hit.store is Store.SEMANTIC}
    asks = index.asking(WHICH_HOLDS, pages) if pages else []
    disputed = {word.rstrip("?") for _, said in asks for word in said.split()}
    disputed |= {id_.removeprefix(f"{Kind.ENTITY}:") for id_ in conflicting}
    disputed |= {page.removeprefix(f"{Kind.ENTITY}:") for page, _ in asks}
    has_procedure = any(hit.store is Store.PROCEDURAL for hit in hits)
    versions = load_versions() if has_procedure else {}
    return [
        replace(
            hit,
            disputed=hit.disputed or hit.id.removeprefix(f"{Kind.ENTITY}:") in disputed,
            pending=versions.get(hit.id, 0),
        )
        for hit in hits
    ]
