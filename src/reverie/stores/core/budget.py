"""What core memory weighs, and what has to leave when it is too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.items import Block, CoreItem
from reverie.stores.core.blocks import HEADINGS, block_of, render_core, without_lines
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from reverie.model.ids import ItemId
    from reverie.stores.core.blocks import CoreMemory


class CoreFullError(RefusedError):
    """Core memory is over its budget and nothing in it may move."""

    def __init__(self, block: Block | None, tokens: int, budget: int) -> None:
        place = f"'{HEADINGS[block]}'" if block else "core memory"
        super().__init__(
            f"{place} would hold {tokens} tokens, {budget} are allowed, "
            "and nothing in it may move",
            hint="Shorten or unpin an item in MEMORY.md, or remember it elsewhere.",
        )
        self.block = block
        self.tokens = tokens
        self.budget = budget


def block_tokens(core: CoreMemory) -> dict[Block, int]:
    """How many tokens each block takes, headings and comments included."""
    tokens = dict.fromkeys(Block, 0)
    for section in core.page.sections:
        block = block_of(section)
        if block:
            tokens[block] += count_tokens(section.raw)
    return tokens


def total_tokens(core: CoreMemory) -> int:
    """How many tokens the whole file takes."""
    return count_tokens(render_core(core))


def fit(
    core: CoreMemory,
    *,
    cap: int,
    budgets: Mapping[Block, int],
    relevance: Callable[[CoreItem], float],
    keep: Collection[ItemId] = (),
) -> tuple[CoreMemory, tuple[CoreItem, ...]]:
    """Take out what matters least until every block and the whole file fit.

    Args:
        core: Core memory, perhaps too long.
        cap: Tokens allowed for the file.
        budgets: Tokens allowed for each block.
        relevance: How much an item matters; the least goes first.
        keep: Items that must stay, such as those just added. Pinned ones always do.

    Returns:
        Core memory that fits, and the items taken out, for the caller to store.

    Raises:
        CoreFullError: Nothing that may move is left, and it still does not fit.
    """
    movable = [
        (relevance(entry.item), entry.line, entry.item)
        for entry in core.entries
        if isinstance(entry.item, CoreItem)
        and not entry.item.pinned
        and entry.id not in keep
    ]
    movable.sort(key=lambda candidate: candidate[:2])
    evicted: list[CoreItem] = []
    lines: set[int] = set()
    fitted = core
    while excess := _excess(fitted, cap, budgets):
        block = excess[0]
        found = (c for c in movable if block in {None, c[2].block})
        victim = next(found, None)
        if victim is None:
            raise CoreFullError(*excess)
        movable.remove(victim)
        lines.add(victim[1])
        evicted.append(victim[2])
        # Always from the first text: taking items out moves lines and names.
        fitted = without_lines(core, lines)
    return fitted, tuple(evicted)


def _excess(
    core: CoreMemory, cap: int, budgets: Mapping[Block, int]
) -> tuple[Block | None, int, int] | None:
    """The first block over its budget, or None for the file; its tokens, its budget."""
    for block, tokens in block_tokens(core).items():
        if block in budgets and tokens > budgets[block]:
            return block, tokens, budgets[block]
    total = total_tokens(core)
    return (None, total, cap) if total > cap else None
