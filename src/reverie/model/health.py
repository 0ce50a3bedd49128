"""How a workspace is doing, in numbers and in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.model.conversation import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reverie.model.conversation import WindowView
    from reverie.model.ids import Store
    from reverie.model.views import BlockUse


class Verdict(StrEnum):
    """How things are, the better first."""

    OK = "ok"
    """Nothing to do."""

    LOOK = "look"
    """Somebody should look at something, at leisure."""

    MEND = "mend"
    """Something does not work as it should."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to know, and what to do about it.

    Attributes:
        verdict: How much it matters.
        what: What is so, in one sentence without a full stop.
        mend: What to do, mostly a command; empty if nothing is to be done.
    """

    verdict: Verdict
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class StoreCount:
    """How many memories a store has, by how visible they are.

    Attributes:
        store: Which one.
        memories: All of them.
        active: Found and shown.
        fading: Found, and weighed less.
        dormant: Found only by who searches.
        archived: Hidden.
        pinned: How many of them are kept from fading.
    """

    store: Store
    memories: int = 0
    active: int = 0
    fading: int = 0
    dormant: int = 0
    archived: int = 0
    pinned: int = 0


@dataclass(frozen=True, slots=True)
class Waits:
    """What waits for somebody.

    Attributes:
        proposals: Memories proposed, in all.
        statuses: How many of them have which status: `pending`, `conflict`, …
        disputed: How many contradict another one, or a memory.
        reflection: The number of the reflection that waits for a decision; 0 for none.
        alerts: Changes of critical files that nobody has acknowledged.
        questions: What the host agent has to answer.
        contradictions: How often pages ask which of some facts holds.
    """

    proposals: int = 0
    statuses: tuple[tuple[str, int], ...] = ()
    disputed: int = 0
    reflection: int = 0
    alerts: int = 0
    questions: int = 0
    contradictions: int = 0


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How clean the memories are.

    Attributes:
        judged: How many entries were looked at.
        whole: Whether these were all; else every so many-th file was, and there are
            duplicates that nobody saw.
        duplicates: How many of them say in the same words what another says.
        errors: Places in files that cannot be read as what they should be.
        warnings: Places that should be looked at.
    """

    judged: int = 0
    whole: bool = True
    duplicates: int = 0
    errors: int = 0
    warnings: int = 0


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the index has come.

    Attributes:
        head: The newest change in history.
        seen: The change that the index shows.
        current: Whether they are the same.
        rows: How many memories, and passages of long turns, it holds.
        model: What makes vectors; empty where nothing does.
        vectors: Whether vectors are wanted at all.
        missing: How many rows have no vector of that model.
        size: Its bytes.
    """

    head: str = ""
    seen: str = ""
    current: bool = True
    rows: int = 0
    model: str = ""
    vectors: bool = True
    missing: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Slept:
    """Where reflection stands.

    Attributes:
        state: What the cycle is doing, such as `idle` or `pending`.
        number: The last reflection there was; 0 before the first.
        last: When one was last approved, in UTC.
        waiting: How many episodes none has read yet.
        due: Whether one should be offered now.
        next: When the next one is due by the clock, or after it was put off, in UTC.
    """

    state: str = "idle"
    number: int = 0
    last: datetime | None = None
    waiting: int = 0
    due: bool = False
    next: datetime | None = None


@dataclass(frozen=True, slots=True)
class Expense:
    """What thinking has cost.

    Attributes:
        today: Tokens of today, in UTC.
        limit: Tokens a day may take.
        days: Over how many days the rest is counted, today among them.
        tokens: Tokens of these days.
        micros: What they cost, in millionths of the currency.
        currency: Its three letters; empty where prices are not known.
    """

    today: int = 0
    limit: int = 0
    days: int = 0
    tokens: int = 0
    micros: int = 0
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Storage:
    """What it takes on the disk, in bytes.

    Attributes:
        files: How many files the ledger keeps.
        markdown: Their Markdown.
        history: `.audit`.
        state: `.reverie`, which can be made anew.
    """

    files: int = 0
    markdown: int = 0
    history: int = 0
    state: int = 0


@dataclass(frozen=True, slots=True)
class Conversations:
    """How the conversations are doing.

    Attributes:
        windows: How many there are.
        turns: What was said in them, without what was deleted.
        deleted: How many turns were deleted.
        due: How many of them are due for a context reflection.
        unwritten: Turns that are durable, and not in Markdown yet.
        quality: How well context reflections do.
    """

    windows: int = 0
    turns: int = 0
    deleted: int = 0
    due: int = 0
    unwritten: int = 0
    quality: Quality = field(default_factory=Quality)

    @classmethod
    def of(cls, views: Iterable[WindowView], quality: Quality) -> Conversations:
        """Several windows, counted together."""
        seen = tuple(views)
        return cls(
            len(seen),
            sum(view.turns for view in seen),
            sum(view.deleted for view in seen),
            sum(view.due for view in seen),
            sum(view.unwritten for view in seen),
            quality,
        )


@dataclass(frozen=True, slots=True)
class Health:
    """How a workspace is doing.

    Attributes:
        root: Its folder.
        at: When it was looked at, in UTC.
        verdict: The worst of all remarks.
        remarks: What to know, what matters most first.
        stores: How many memories there are.
        core: How full core memory's blocks are.
        core_tokens: Tokens of the whole of core memory.
        core_cap: Tokens it may have.
        waits: What waits for somebody.
        upkeep: How clean the memories are.
        index: How far the index has come.
        reflection: Where reflection stands.
        expense: What thinking has cost.
        storage: What it takes on the disk.
        conversations: How the conversations are doing.
    """

    root: str
    at: datetime
    verdict: Verdict
    remarks: tuple[Remark, ...]
    stores: tuple[StoreCount, ...]
    core: tuple[BlockUse, ...]
    core_tokens: int
    core_cap: int
    waits: Waits
    upkeep: Upkeep
    index: IndexState
    reflection: Slept
    expense: Expense
    storage: Storage
    conversations: Conversations

    @property
    def memories(self) -> int:
        """How many memories there are, without what was only said."""
        return sum(each.memories for each in self.stores if each.store != "turns")
