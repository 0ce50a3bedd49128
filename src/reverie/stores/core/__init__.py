"""Core memory: what is always in mind, in four blocks with budgets (design, 4)."""

from reverie.stores.core.blocks import (
    CORE_TEMPLATE,
    HEADINGS,
    CoreMemory,
    add_item,
    parse_core,
    remove_item,
    render_core,
    set_pinned,
    without_lines,
)
from reverie.stores.core.budget import (
    CoreFullError,
    block_tokens,
    fit,
    total_tokens,
)

__all__ = [
    "CORE_TEMPLATE",
    "HEADINGS",
    "CoreFullError",
    "CoreMemory",
    "add_item",
    "block_tokens",
    "fit",
    "parse_core",
    "remove_item",
    "render_core",
    "set_pinned",
    "total_tokens",
    "without_lines",
]
