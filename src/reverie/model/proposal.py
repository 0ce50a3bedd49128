"""What waits for somebody's yes before it becomes a memory (design, section 13.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.items import Confidence
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.model.ids import Store

PENDING = "pending"
DEFERRED = "deferred"
"""Left for the next reflection."""

CONFLICT = "conflict"
ASK = "ask"
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposed memory.

    Attributes:
        number: What it is called by.
        sender: Who proposes it.
        at: When, in UTC; None where the file does not say it.
        trigger: What started it.
        store: Where it is to go.
        content: The very text.
        entities: Names of entities it is about.
        confidence: How sure its sender is.
        core_worthy: Whether it should stand in core memory too.
        status: `pending`, or what became of it.
        origin: Whose words it is; nobody's, if the file does not say it.
        name: What the memory is to be called, where its store asks for a name.
        when: When to do it, for a procedure.
        block: Which block of core memory.
        kept: The id of the memory that keeps the text as data meanwhile.
        conflicts: What it is marked to be at odds with: `#4`, or the id of a memory.
        scope: The person it is for alone; empty for everybody.
        supersedes: The id of the fact that it is to take the place of.
        contradicts: What its sender says that it contradicts, named as `conflicts` is.
    """

    number: int
    sender: str
    at: datetime | None
    trigger: str
    store: Store
    content: str
    entities: tuple[str, ...] = ()
    confidence: Confidence = Confidence.MEDIUM
    core_worthy: bool = False
    status: str = PENDING
    origin: Origin = Origin.TOOL
    name: str = ""
    when: str = ""
    block: str = ""
    kept: str = ""
    conflicts: tuple[str, ...] = ()
    scope: str = ""
    supersedes: str = ""
    contradicts: tuple[str, ...] = ()

    @property
    def disputed(self) -> bool:
        """Whether it is marked as at odds with something, wherever the mark stands."""
        return bool(self.conflicts) or _first_word(self.status) in {CONFLICT, ASK}


def conflict(others: Sequence[str]) -> str:
    """The status of a proposal that something speaks against (003, section 13.6)."""
    return f"{CONFLICT} — see {', '.join(others)}"


def ask(others: Sequence[str]) -> str:
    """The status of a conflict that the user is to resolve."""
    return f"{ASK} — see {', '.join(others)}"


def is_asked(status: str) -> bool:
    """Whether a status says that the user is to resolve it."""
    return _first_word(status) == ASK


def _first_word(status: str) -> str:
    found = _WORD.search(status.casefold())
    return found[0] if found else ""
