"""Proposals of sub-agents, and what agents are told."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import RefusedError
from reverie.model.change import Actor, Receipt
from reverie.model.items import Confidence, Origin

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


class Proposal(Struct, frozen=True):
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
        basis: Ids of what it was made of, with a blank between.
        removes: The ID of the memory that it is to remove, which says `content`; empty
            for a new memory.
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
    basis: str = ""
    removes: str = ""

    @property
    def disputed(self) -> bool:
        """Whether it is marked as at odds with something, wherever the mark stands."""
        return bool(self.conflicts) or _first_word(self.status) in {CONFLICT, ASK}


def told_aim(proposal: Proposal) -> str:
    """Return what a proposal is for: its store, or the memory that it removes."""
    return (
        f"to remove {proposal.removes}"
        if proposal.removes
        else (f"into {proposal.store}")
    )


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


_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")
_TAKEN = frozenset({"main", "manual", "human", "owner", "user", "system", "reverie"})
"""Names that would let an agent pass for somebody else."""


class BadAgentNameError(RefusedError):
    """A sub-agent cannot be called so."""

    says = "{!r} is not a name for a sub-agent"
    mend = (
        "Use small letters, digits, '-', '_' or '.', at most 40, such as "
        f"researcher; not {', '.join(sorted(_TAKEN))}."
    )


class SubAgentError(RefusedError):
    """A sub-agent tried to do what only the main agent or a human may."""

    says = "{} is a sub-agent and may not {}"
    mend = "`reverie propose --agent {0}` is what it can do, and reading."


class Agent(Struct, frozen=True, order=True):
    """A sub-agent, by the name under which its handle was opened."""

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name in _TAKEN:
            raise BadAgentNameError(self.name)

    @property
    def actor(self) -> Actor:
        """How history signs what it proposes."""
        return Actor(f"subagent:{self.name}")

    @property
    def committed(self) -> Actor:
        """How history signs what the main agent takes over from it."""
        return Actor(f"bot:commit-from:{self.name}")


class Resolution(StrEnum):
    """What becomes of proposals that contradict each other (003, §13.6)."""

    KEEP = "keep"
    """One of them is right: it is committed, the others are rejected."""

    BOTH = "both"
    """Both are stored with low confidence, each linked to the other."""

    ASK = "ask"
    """The user is asked at the next occasion."""


class Clash(Struct, frozen=True):
    """Two statements that cannot both hold.

    Attributes:
        number: The proposal.
        other: The other proposal's number; 0 where it is against a memory.
        known: The id of the memory that it is against; empty for a proposal's.
        said: What the other one says.
        why: The reason, in a few words.
    """

    number: int
    other: int
    known: str
    said: str
    why: str


class Waiting(Struct, frozen=True):
    """A proposal, what it is at odds with, and where it would go.

    Attributes:
        proposal: The proposal.
        clashes: What it is at odds with.
        lands: The store that it would really go to; None where nobody has looked.
        where: The page that it would stand on, or the block of core memory.
        supersedes: What it would really take the place of, which need not be what it
            names.
        leaves: What would move out of core memory to make room for it.
    """

    proposal: Proposal
    clashes: tuple[Clash, ...] = ()
    lands: Store | None = None
    where: str = ""
    supersedes: str = ""
    leaves: tuple[str, ...] = ()


class Forgotten(Receipt, frozen=True):
    """Proof that something was forgotten.

    Attributes:
        waits: Numbers of the proposals to remove what only the user removes.
    """

    waits: tuple[int, ...] = ()


class Proposed(Receipt, frozen=True):
    """Proof that a proposal is on the list.

    Attributes:
        number: What it is called by.
        known: Whether its sender had proposed the very same before.
        redacted: Kinds of secrets that were taken out.
    """

    number: int = 0
    known: bool = False
    redacted: tuple[str, ...] = ()
