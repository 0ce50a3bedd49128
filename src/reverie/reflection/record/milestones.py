"""Reflections that look further back than the others (reflection v2)."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MILESTONES: Mapping[int, str] = MappingProxyType(
    {
        10: (
            "First evolution summary — say which patterns show by now, and what "
            "each of them rests on."
        ),
        25: (
            "Review of the threads — go through the threads of evolution.md: close "
            "what is settled, join what belongs together."
        ),
        50: (
            "Major synthesis — say what has changed at the root since the first "
            "reflection, and what has not."
        ),
        100: (
            'Deep retrospective — write a "state of understanding" essay: what is '
            "known, how it came to be known, what stays open."
        ),
    }
)
"""What is special about a reflection, and what it is asked to do, by number."""


def milestone_of(number: int) -> str:
    """What is special about this reflection; empty for most."""
    return MILESTONES.get(number, "")
