"""The sets that can be run: where their tasks come from and how they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.suite.beam import load_beam
from benchmarks.suite.freshness import freshness, load_updates
from benchmarks.suite.locomo import load_locomo
from benchmarks.suite.longmemeval import load_pool, load_sessions, load_turns
from benchmarks.suite.metrics import quality

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.suite.tasks import Question, Task


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A set: its title, its loader, its score, and how many ids to ask for."""

    title: str
    load: Callable[[Path], Iterator[Task]]
    score: Callable[[Sequence[str], Question], dict[str, float]]
    k: int = 50


def by_quality(ranked: Sequence[str], question: Question) -> dict[str, float]:
    """Whether the gold was found."""
    return quality(ranked, question.gold)


def by_freshness(ranked: Sequence[str], question: Question) -> dict[str, float]:
    """Whether the newer was found before the older."""
    return freshness(ranked, question.gold, question.stale)


def beam_set(size: str) -> QuestionSet:
    """BEAM in one of its sizes."""
    return QuestionSet(
        f"BEAM {size}, messages", partial(load_beam, size=size), by_quality
    )


SETS = {
    "locomo": QuestionSet("LoCoMo, turns", load_locomo, by_quality),
    "longmemeval": QuestionSet("LongMemEval, sessions", load_sessions, by_quality),
    "longmemeval-turns": QuestionSet("LongMemEval, user turns", load_turns, by_quality),
    "longmemeval-pool": QuestionSet("LongMemEval, one pool", load_pool, by_quality),
    "beam": beam_set("100K"),
    "beam-500K": beam_set("500K"),
    "beam-1M": beam_set("1M"),
    "fresh": QuestionSet("Freshness", load_updates, by_freshness, k=500),
}
DEFAULT_SETS = ("locomo", "longmemeval", "longmemeval-turns", "beam", "fresh")
