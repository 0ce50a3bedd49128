"""Whose words may become what (docs/design/encoding.md has the table)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.model.ids import Store
from reverie.model.origin import FOREIGN, Origin
from reverie.model.route import Semantic

if TYPE_CHECKING:
    from reverie.model.route import Place

STEERING = frozenset({Store.CORE, Store.PROCEDURAL, Store.VAULT})
"""What is in there is always in sight, acted upon, or never fades."""


def why_it_waits(store: Store, origin: Origin) -> str:
    """Why words may not enter a store without a human's yes; empty if they may.

    It goes by who says them, not by what they seem to mean.
    """
    if store not in STEERING or origin is Origin.OWNER:
        return ""
    return f"it comes from {_WORDS[origin]}, and {_FOLDERS[store]} steers the agent"


def humbled(place: Place, origin: Origin) -> Place:
    """A place without what only trusted words may do there.

    Nobody but the owner gives a thing another name or pins it, and what comes from
    outside takes the place of nothing.
    """
    match place:
        case Semantic() if origin in FOREIGN:
            return replace(place, alias="", supersedes="")
        case _:
            return place


_WORDS = {
    Origin.SYSTEM: "a program",
    Origin.AGENT: "the agent",
    Origin.SUBAGENT: "a sub-agent",
    Origin.IMPORT: "an import",
    Origin.TOOL: "a tool or web page",
}
_FOLDERS = {
    Store.CORE: "core memory",
    Store.PROCEDURAL: "a procedure",
    Store.VAULT: "the vault",
}
