"""What an audit of a folder of memories counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.model.finding import Finding


class Fault(StrEnum):
    """What an audit looks for, what matters most first."""

    SECRETS = "secrets"
    INVISIBLE = "invisible"
    LOOPS = "loops"
    DUPLICATES = "duplicates"
    NEAR = "near-duplicates"
    LINKS = "dead-links"


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A line of a file.

    Attributes:
        path: Path below what was audited, with forward slashes.
        line: Line number counted from 1.
    """

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Example:
    """One place where something was found.

    Attributes:
        spot: Where it stands.
        what: What it is, in one line without a full stop; never a secret.
        also: The other places that belong to it.
    """

    spot: Spot
    what: str
    also: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How often one fault was found.

    Attributes:
        fault: Which.
        found: How often; of duplicates all but one of each group.
        mend: What to do about it.
        examples: Some of them, or all.
    """

    fault: Fault
    found: int
    mend: str
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that an agent reads whenever it starts, and what that costs."""

    path: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Start:
    """What one start costs.

    Attributes:
        folder: Where the agent starts, below what was audited; empty for just there.
        tokens: What its files cost together.
        files: The files, the longest first.
    """

    folder: str
    tokens: int
    files: tuple[Loaded, ...]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit counted.

    Attributes:
        root: What was audited.
        store: Whose memory it is: `reverie`, `openclaw`, `claude-code`, `codex`,
            `obsidian` or `markdown`.
        files: How many files were read.
        size: Their bytes.
        entries: How many list items, paragraphs and rows are in them.
        counts: One for each fault, in the order of `Fault`.
        starts: What is loaded at each start, the dearest first.
        left_out: What was not read, and why.
    """

    root: str
    store: str
    files: int
    size: int
    entries: int
    counts: tuple[Count, ...]
    starts: tuple[Start, ...]
    left_out: tuple[Finding, ...]
