"""What a rewritten MEMORY.md changes, line by line (reflection v2, phase 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import one_line
from reverie.model.items import CoreItem
from reverie.model.reflection import Operation, OperationKind
from reverie.stores import core
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.items import Block

_ADDED = "The rewritten core memory says so."
_LEFT_OUT = "The rewritten core memory leaves it out."


class NotCoreMemoryError(RefusedError):
    """A text that was to be the new core memory has none of its blocks."""

    def __init__(self) -> None:
        super().__init__(
            "this is not a MEMORY.md: it has none of the four headings",
            hint=f"Write the sections {', '.join(core.HEADINGS.values())}.",
        )


def core_operations(old: str, new: str) -> tuple[Operation, ...]:
    """The difference between core memory and a rewrite of it, as operations.

    What is pinned stays, whether the rewrite repeats it or not. So do a block that it
    has no heading for, and everything that is not a line of a block.

    Args:
        old: `MEMORY.md` as it is.
        new: The complete new text, as a mind wrote it.

    Raises:
        NotCoreMemoryError: The new text has none of the four headings.
    """
    before, after = (core.parse_core(text, layout.CORE) for text in (old, new))
    blocks = [block for block in core.HEADINGS if _has(after, block)]
    if not blocks:
        raise NotCoreMemoryError
    fixed = {one_line(item.text) for item in _items(before) if item.pinned}
    removals: list[Operation] = []
    additions: list[Operation] = []
    for block in blocks:
        had, has = _texts(before, block), _texts(after, block)
        removals += (
            _operation(block, f"- {text}", _LEFT_OUT)
            for words, text in had.items()
            if words not in has and words not in fixed
        )
        additions += (
            _operation(block, f"+ {text}", _ADDED)
            for words, text in has.items()
            if words not in had and words not in fixed
        )
    return (*removals, *additions)


def _has(memory: core.CoreMemory, block: Block) -> bool:
    return bool(memory.page.named(core.HEADINGS[block]))


def _items(memory: core.CoreMemory) -> Iterator[CoreItem]:
    for entry in memory.entries:
        if isinstance(entry.item, CoreItem):
            yield entry.item


def _texts(memory: core.CoreMemory, block: Block) -> dict[str, str]:
    """The lines of a block, each once, by their words."""
    found = (item for item in _items(memory) if item.block is block)
    return {one_line(item.text): item.text for item in found}


def _operation(block: Block, content: str, reason: str) -> Operation:
    heading = core.HEADINGS[block]
    return Operation(OperationKind.CORE, heading, content, reason)
