"""What a wish to forget would touch, shown before anything happens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.ids import Store


@dataclass(frozen=True, slots=True)
class Match:
    """A memory, or one fact of it, that a wish to forget is about.

    Attributes:
        id: The memory.
        store: Where it lives.
        text: What would be forgotten, in full.
        path: The file it stands in.
        line: The line that the memory begins at.
        at: When it happened, where that is known.
        fact: Whether it is one fact of an entity, which keeps the others.
        protected: Why it cannot be archived; empty if it can.
        key: A short name of this very text: a yes to it is a yes to nothing else.
    """

    id: str
    store: Store
    text: str
    path: str
    line: int
    at: datetime | None = None
    fact: bool = False
    protected: str = ""
    key: str = field(init=False)

    def __post_init__(self) -> None:
        said = f"{self.id}\n{self.fact}\n{self.text}".encode("utf-8", "replace")
        object.__setattr__(self, "key", hashlib.sha256(said).hexdigest()[:8])


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What was found for a wish to forget; nothing has happened yet.

    Attributes:
        wish: What is to be forgotten.
        matches: What was found, the best first.
        permanent: Whether the wish has the explicit words for deleting for good.
        mentions: How many more turns of conversations speak of it and are not shown.
        meant: Keys of those that hold the most telling words of the wish.
    """

    wish: str
    matches: tuple[Match, ...]
    permanent: bool = False
    mentions: int = 0
    meant: tuple[str, ...] = ()
