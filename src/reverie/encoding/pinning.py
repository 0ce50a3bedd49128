"""Keeping a memory from fading, and letting it fade again (design, 4 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import Action, Edit, checksum
from reverie.model.ids import Kind
from reverie.stores import core, entities, procedures

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.model.ids import ItemId


class AlwaysPinnedError(RefusedError):
    """A vault note cannot be unpinned where it is."""

    def __init__(self, item_id: ItemId) -> None:
        super().__init__(
            f"{item_id} is in the vault, where everything is pinned",
            hint="Move its file out of memory/vault/ to let it fade.",
        )


def plan_pin(item_id: ItemId, path: str, data: bytes, *, pinned: bool) -> Edit | None:
    """Plan to note in a memory's own file that it is pinned, or no longer.

    Returns:
        The edit; None where files of this kind do not say it, or nothing changes.
    """
    pen = _PENS.get(item_id.kind)
    if pen is None:
        return None
    new = pen(data.decode("utf-8"), path, item_id, pinned).encode()
    if new == data:
        return None
    word = "pinned" if pinned else "unpinned"
    return Edit(path, new, checksum(data), Action.EDIT, f"{word} {item_id}")


def _in_entity(text: str, path: str, _id: ItemId, pinned: bool) -> str:  # noqa: FBT001 - one shape for all
    page = entities.parse_entity(text, path)
    return entities.render_entity(entities.set_header(page, pinned=pinned))


def _in_procedure(text: str, path: str, _id: ItemId, pinned: bool) -> str:  # noqa: FBT001 - one shape for all
    page = procedures.parse_procedure(text, path)
    return procedures.render_procedure(procedures.set_header(page, pinned=pinned))


def _in_core(text: str, path: str, item_id: ItemId, pinned: bool) -> str:  # noqa: FBT001 - one shape for all
    memory = core.parse_core(text, path)
    return core.render_core(core.set_pinned(memory, item_id, pinned=pinned))


_PENS: dict[Kind, Callable[[str, str, ItemId, bool], str]] = {
    Kind.ENTITY: _in_entity,
    Kind.PROCEDURE: _in_procedure,
    Kind.CORE: _in_core,
}
