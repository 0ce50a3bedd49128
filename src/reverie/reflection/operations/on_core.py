"""CORE: one line more in core memory, or one line out of it (design, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.remember import move_out
from reverie.errors import NotFoundError, RefusedError
from reverie.index.checks import core_budgets
from reverie.markdown import headline, one_line
from reverie.model.items import CoreItem
from reverie.model.origin import Origin
from reverie.reflection.operations.confining import block_in
from reverie.reflection.operations.overlay import (
    Effect,
    desk_over,
    edit_of,
    laid_over,
    text_of,
)
from reverie.stores import core
from reverie.stores.text import storable
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.remember import Desk
    from reverie.model.ids import ItemId
    from reverie.model.items import Block
    from reverie.model.reflection import Operation


class InCoreAlreadyError(RefusedError):
    """Core memory has a line of these words."""

    def __init__(self, text: str, heading: str) -> None:
        super().__init__(
            f"'{heading}' says {headline(text, 60)!r} already",
            hint="Nothing has to be done.",
        )


class NotInCoreError(NotFoundError):
    """Core memory has no line of these words, or no longer."""

    def __init__(self, text: str, heading: str) -> None:
        super().__init__(
            f"'{heading}' has no line {headline(text, 60)!r}",
            hint="Look at MEMORY.md: the line may have been changed meanwhile.",
        )


class PinnedLineError(RefusedError):
    """A line of core memory is pinned."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{headline(text, 60)!r} is pinned, so it stays",
            hint="Only its human may unpin it.",
        )


def plan_core(operation: Operation, desk: Desk, first: Desk) -> Effect:
    """Plan to add a line, or to take one out and keep it in its store.

    Args:
        operation: The operation, confined.
        desk: What the operations before it leave.
        first: What is there now: a line that moves to another block stays the words
            of whom it was.
    """
    text = storable(operation.content[2:], desk.config.ledger.text_limit)
    block = block_in(operation.target)
    memory = _memory(desk)
    found = list(_items(memory, text, block))
    if operation.content.startswith("+"):
        if found:
            raise InCoreAlreadyError(text, operation.target)
        known = (item.by for _, item in _items(_memory(first), text))
        # An item has no source: without a mark it is its owner's.
        by = "" if desk.origin is Origin.OWNER else desk.origin
        added = core.add_item(memory, block, text, by=next(known, by))
        return _fitting(memory, added, desk, text)
    if not found:
        raise NotInCoreError(text, operation.target)
    loose = [(id_, item) for id_, item in found if not item.pinned]
    if not loose:
        raise PinnedLineError(text)
    return _taken_out(memory, *loose[0], desk)


def _memory(desk: Desk) -> core.CoreMemory:
    text = text_of(layout.CORE, desk)
    return core.parse_core(text or core.CORE_TEMPLATE, layout.CORE)


def _items(
    memory: core.CoreMemory, text: str, block: Block | None = None
) -> Iterator[tuple[ItemId, CoreItem]]:
    """The lines that have these words, of one block or of all."""
    words = one_line(text)
    for entry in memory.entries:
        item = entry.item
        if not isinstance(item, CoreItem) or one_line(item.text) != words:
            continue
        if block in {None, item.block}:
            yield entry.id, item


def _fitting(
    memory: core.CoreMemory, added: core.CoreMemory, desk: Desk, text: str
) -> Effect:
    """One line more; nothing else has to give way for it."""
    known = {entry.id for entry in memory.entries}
    ids = {entry.id for entry in added.entries}
    core.fit(
        added,
        cap=desk.config.core.cap_tokens,
        budgets=core_budgets(desk.config),
        relevance=lambda _: 1.0,
        keep=ids,
    )
    edits = edit_of(layout.CORE, core.render_core(added), desk, headline(text))
    return Effect(edits, tuple(sorted(str(id_) for id_ in ids - known)))


def _taken_out(
    memory: core.CoreMemory, id_: ItemId, item: CoreItem, desk: Desk
) -> Effect:
    """One line less; what it said moves to its store, and stays whose words it was."""
    why = f"moved out: {headline(item.text)}"
    rest = core.render_core(core.remove_item(memory, id_))
    edits = laid_over({}, edit_of(layout.CORE, rest, desk, why))
    plan = move_out(item, memory, desk_over(edits, desk))
    return Effect((*edits.values(), *plan.edits), plan.ids)
