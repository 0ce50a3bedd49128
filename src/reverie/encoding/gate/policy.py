"""Whose words may become what (docs/design/encoding.md has the table)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.gate.orders import find_orders
from reverie.model.ids import Store
from reverie.model.items import Confidence, EpisodeKind
from reverie.model.origin import Origin
from reverie.model.place import Episodic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.model.place import Place

STEERING = frozenset({Store.CORE, Store.PROCEDURAL, Store.VAULT})
"""What is in there is always in sight, acted upon, or never fades."""

_TRUSTED = frozenset({Origin.OWNER})


def why_it_waits(store: Store, origin: Origin, texts: Iterable[str]) -> str:
    """Why a text may not enter a store without a human's yes; empty if it may.

    Args:
        store: Where it is to go.
        origin: Whose words it is.
        texts: All of its words: the text, its title, its tags.
    """
    if store not in STEERING or origin in _TRUSTED:
        return ""
    if origin is not Origin.AGENT:
        return f"it comes from {_WORDS[origin]}, and {_FOLDERS[store]} steers the agent"
    if store is not Store.CORE:
        return f"only a person adds to {_FOLDERS[store]}"
    orders = (order for text in texts for order in find_orders(text))
    found = next(orders, None)
    return f"it tells the agent what to do ({found.why})" if found else ""


def as_data(text: str, place: Place, origin: Origin) -> tuple[str, Place]:
    """A text and its place; what gives orders and is not trusted becomes a quotation.

    It is found when searched for, and stands there as somebody else's words.
    """
    if origin in _HEARD or not find_orders(text):
        return text, place
    quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    if isinstance(place, Episodic):
        return quoted, place
    return quoted, Episodic(EpisodeKind.FACT, Confidence.LOW)


_HEARD = frozenset({Origin.OWNER, Origin.AGENT})
_WORDS = {
    Origin.SYSTEM: "a program",
    Origin.SUBAGENT: "a sub-agent",
    Origin.IMPORT: "an import",
    Origin.TOOL: "a tool or web page",
}
_FOLDERS = {
    Store.CORE: "core memory",
    Store.PROCEDURAL: "the procedures",
    Store.VAULT: "the vault",
}
