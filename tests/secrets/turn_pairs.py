"""Pairs of turns: one that asks for a secret and one that tells it, and ordinary ones.

They are lines of `turn_pairs.txt`: the two turns and, where there is one, the value.
"""

from __future__ import annotations

from pathlib import Path


def _load(section: str) -> list[tuple[str, ...]]:
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    lines = text.split(f"\n[{section}]\n")[1].split("\n[")[0].strip().split("\n")
    return [tuple(line.split("|")) for line in lines]


def told() -> list[tuple[str, str, str]]:
    """Return pairs with a secret: what is asked, what is answered, and the value."""
    return [(asked, answered, value) for asked, answered, value in _load("told")]


def told_first() -> list[tuple[str, str, str]]:
    """Return pairs in which the value stands first."""
    return [(first, named, value) for first, named, value in _load("told first")]


def ordinary() -> list[tuple[str, str]]:
    """Return pairs without a secret."""
    return [(asked, answered) for asked, answered in _load("ordinary")]
