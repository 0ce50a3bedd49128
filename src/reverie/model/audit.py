"""What an audit of a memory store found, and how it is scored."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.model.finding import Finding


class Judgement(StrEnum):
    """What memories are judged for, what matters most first."""

    SECRETS = "secrets"
    INVISIBLE = "invisible"
    CONTRADICTIONS = "contradictions"
    LOOPS = "loops"
    JUNK = "junk"
    DUPLICATES = "duplicates"
    STALENESS = "staleness"
    SIZE = "size"


class Grade(StrEnum):
    """A score in a word."""

    CLEAN = "clean"
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    BAD = "bad"
    EMPTY = "empty"


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
class Fault:
    """One thing that is wrong with one memory, or with several that belong together.

    Attributes:
        judgement: What it was judged for.
        spot: Where it stands.
        quote: Some words of it, on one line; never those of a secret.
        why: What is wrong, in one sentence without a full stop.
        mend: What to do about it.
        also: Where the other memories stand that it is about.
    """

    judgement: Judgement
    spot: Spot
    quote: str
    why: str
    mend: str
    also: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """How a store does in one judgement.

    Attributes:
        judgement: Which.
        faults: How many were found.
        memories: How many memories are at fault; of duplicates all but one.
        share: Which part of all memories that is, from 0 to 1.
        score: 0 to 100: the percentage of memories without the fault, cut down to
            whole numbers, so that 100 means none at all.
    """

    judgement: Judgement
    faults: int
    memories: int
    share: float
    score: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        root: What was audited.
        store: What kind of store it is: `reverie`, `openclaw`, `claude-code`, `codex`,
            `obsidian` or `markdown`.
        files: How many files were read.
        memories: How many memories are in them.
        conversations: How many files are transcripts, which are no memories.
        score: 0 to 100.
        grade: The score in a word.
        formula: How the score comes about, in one line.
        marks: One for each judgement.
        faults: Everything found, the worst first.
        left_out: What could not be read, or is no memory, and why.
        steps: What to do next.
    """

    root: str
    store: str
    files: int
    memories: int
    conversations: int
    score: int
    grade: Grade
    formula: str
    marks: tuple[Mark, ...]
    faults: tuple[Fault, ...]
    left_out: tuple[Finding, ...]
    steps: tuple[str, ...]
