"""Reflections that look further back than the others (reflection v2)."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Milestone:
    """A reflection that is asked for more than the others.

    Attributes:
        number: The count of reflections it stands for.
        title: What it is called.
        task: What it is asked to do.
    """

    number: int
    title: str
    task: str

    def __str__(self) -> str:
        return f"#{self.number} — {self.title}"


_ALL = (
    Milestone(
        10,
        "First evolution summary",
        "Say which patterns show by now, and what each of them rests on.",
    ),
    Milestone(
        25,
        "Review of the threads",
        "Go through the threads of the evolution: close what is settled, join what "
        "belongs together.",
    ),
    Milestone(
        50,
        "Major synthesis",
        "Say what has changed at the root since the first reflection, and what has "
        "not.",
    ),
    Milestone(
        100,
        "Deep retrospective",
        "Write a “state of understanding” essay: what is known, how it came to be "
        "known, what stays open.",
    ),
)

MILESTONES: Mapping[int, Milestone] = MappingProxyType({m.number: m for m in _ALL})


def milestone_due(number: int, approved: int) -> Milestone | None:
    """The milestone that a reflection is; None for most.

    One that was declined or rejected does not count: the next one takes its place.

    Args:
        number: Which reflection it is.
        approved: The highest number among those that were approved.
    """
    due = [m for m in _ALL if approved < m.number <= number]
    return due[-1] if due else None
