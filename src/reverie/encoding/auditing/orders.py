"""Instructions from outside, where the agent takes what it reads for its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.auditing.sheets import case_of
from reverie.encoding.gate.order_phrases import DUTY, LINK, OVERRIDES, STANDING
from reverie.encoding.gate.orders import TOLD, find_orders
from reverie.model.audit import Judgement
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.auditing.sheets import Case, Held, Holdings

LOOKED_AT = 4_000
"""Characters of an entry; who hides an order wants it to be read."""

_OUTSIDE = frozenset({Origin.IMPORT, Origin.TOOL, Origin.SUBAGENT})
_MILD = frozenset({DUTY, LINK, STANDING, TOLD})
"""Orders that people give in their own notes all the time."""

_QUOTES = re.compile(
    r"^\s*(?:[-*+]\s+)?>|^\W{0,8}source:?\W{0,4}https?:|<(?:html|div|script|p|meta)\b"
    r"|\b(?:the|a|this|from) (?:web ?page|web ?site|article|e-?mail|pdf)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MEND = "Delete it, or keep it as a quotation where nothing is always loaded."


def judge_orders(holdings: Holdings) -> Iterator[Case]:
    """Every entry from outside that tells the agent what to do."""
    for held in holdings.memories:
        why = "" if held.sheet.boot else _order(held)
        if why:
            told = f"words from outside tell the agent what to do ({why})"
            yield case_of(Judgement.ORDERS, held, told, _MEND)


def _order(held: Held) -> str:
    """What an entry tells the agent to do, where the agent might listen."""
    outside = held.origin in _OUTSIDE
    steers = held.sheet.loaded or held.lasting
    text = held.text[:LOOKED_AT]
    if not (outside or steers) or (not steers and text.lstrip().startswith(">")):
        # Found only when it is searched for, or marked as somebody else's words.
        return ""
    found = [order.why for order in find_orders(text)]
    if outside and steers:
        return next(iter(found), "")
    grave = [why for why in found if why not in _MILD]
    if outside or (grave and _QUOTES.search(held.raw[:LOOKED_AT])):
        return next(iter(grave), "")
    # Nobody writes this into their own notes.
    return OVERRIDES if OVERRIDES in grave else ""
