"""What `Memory` shows: status, history, and what would be forgotten."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import force_setattr

from reverie.model.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from reverie.model.ids import Store
    from reverie.model.items import Block


class Shown(Struct, frozen=True):
    """One memory, where it stands, and how vivid it is.

    Attributes:
        id: Its id.
        store: Where it lives.
        title: A short name.
        text: What it says.
        path: The file it stands in.
        line: The line it begins at.
        created: When it was first written, in UTC.
        last_accessed: When it was last of use, in UTC.
        accesses: How often it was of use.
        score: Its relevance at the moment, from 0 to 1.
        status: active, fading, dormant or archived.
        pinned: Whether it is kept from fading.
        commit: The change that last touched its file.
        actor: Who made that change.
        origin: Whose words it is.
    """

    id: str
    store: Store
    title: str
    text: str
    path: str
    line: int
    created: datetime
    last_accessed: datetime
    accesses: int
    score: float
    status: str
    pinned: bool
    commit: str = ""
    actor: str = ""
    origin: Origin = Origin.OWNER


class BlockUse(Struct, frozen=True):
    """How full one block of core memory is."""

    block: Block
    tokens: int
    budget: int


class Overview(Struct, frozen=True):
    """The workspace at a glance.

    Attributes:
        root: Its folder.
        counts: How many memories each store has.
        core: How full core memory's blocks are.
        core_tokens: Tokens of the whole of core memory.
        core_cap: Tokens it may have.
        changes: How many changes history holds.
        alerts: How many wait to be acknowledged.
        warnings: What is amiss with the workspace as a whole.
    """

    root: str
    counts: dict[str, int]
    core: tuple[BlockUse, ...]
    core_tokens: int
    core_cap: int
    changes: int
    alerts: int
    warnings: tuple[str, ...] = ()


class Alert(Struct, frozen=True):
    """A change that its human should look at.

    Attributes:
        commit: The change.
        path: The file it touched.
        at: When, in UTC.
        actor: Who.
        summary: What history says of it.
        kind: `critical` for critical files, `unapproved` when no human had a hand
            in it, `unverified` when it was not made here, `rewritten` for a day log
            that lost lines by hand, `unacknowledged` for a configuration that nobody
            agreed to here, `moved` for a history that was exchanged or moved back.
        acknowledged: Whether the human has seen it.
        changed: The first lines that it took out (`-`) and put in (`+`).
    """

    commit: str
    path: str
    at: datetime
    actor: str
    summary: str
    kind: str
    acknowledged: bool = False
    changed: tuple[str, ...] = ()


class BlameLine(Struct, frozen=True):
    """One line of a file, and the change it came with."""

    number: int
    text: str
    commit: str
    actor: str
    at: datetime


class RebuildReport(Struct, frozen=True):
    """What a rebuild of the index found."""

    files: int
    memories: int
    edges: int
    seconds: float


class ErasureReceipt(Struct, frozen=True):
    """Proof that something is gone.

    Attributes:
        commit: The record that an erasure took place.
        rewritten: How many commits history has now, all of them scrubbed.
        dropped: How many files of old git objects were removed.
        remains: Where the text can still be found; empty after a full success.
        remotes: Copies of the ledger elsewhere, which only their owner can clean.
    """

    commit: str
    rewritten: int
    dropped: int
    remains: tuple[str, ...]
    remotes: tuple[str, ...]


class Match(Struct, frozen=True):
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
    key: str = ""

    def __post_init__(self) -> None:
        said = f"{self.id}\n{self.fact}\n{self.text}".encode("utf-8", "replace")
        force_setattr(self, "key", hashlib.sha256(said).hexdigest()[:8])


class Forgetting(Struct, frozen=True):
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


class Taken(Struct, frozen=True):
    """A memory, a fact of one, a turn or a proposal that would go.

    Attributes:
        id: Of the memory; `#7` for a proposal.
        path: The file it stands in.
        line: The line that it begins at.
        text: What it says.
    """

    id: str
    path: str
    line: int
    text: str


class Purge(Struct, frozen=True):
    """Everything of one origin, as it was shown; nothing has happened yet.

    Attributes:
        origin: Whose words they are.
        source: The one file or chat that they were imported from; empty for all.
        taken: What would go, file by file.
    """

    origin: Origin
    source: str
    taken: tuple[Taken, ...]

    @property
    def files(self) -> Mapping[str, int]:
        """How many would go of each file."""
        return Counter(each.path for each in self.taken)
