"""What the verbs of `Memory` tell: answers, not state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.origin import Origin

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.ids import Store
    from reverie.model.items import Block


@dataclass(frozen=True, slots=True)
class Shown:
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


@dataclass(frozen=True, slots=True)
class BlockUse:
    """How full one block of core memory is."""

    block: Block
    tokens: int
    budget: int


@dataclass(frozen=True, slots=True)
class Overview:
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


@dataclass(frozen=True, slots=True)
class Alert:
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


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One line of a file, and the change it came with."""

    number: int
    text: str
    commit: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild of the index found."""

    files: int
    memories: int
    edges: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
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
