"""How good a ranking is: `ranked` is best first and without repeats, `gold` not empty.

recall@k  how much of the gold is among the first k
any@k     1 when some of it is; what many memory systems publish as R@k
all@k     1 when all of it is; LongMemEval's own Recall@k
ndcg@k    the same with later places counting less, by log2(place + 1)
mrr       1 over the place of the first that is gold
"""

from __future__ import annotations

from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet


def hits(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> int:
    """How many of the first k are gold."""
    return sum(name in gold for name in ranked[:k])


def recall_at(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """The share of the gold among the first k."""
    return hits(ranked, gold, k) / len(gold)


def any_at(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """Whether one of the first k is gold."""
    return float(hits(ranked, gold, k) > 0)


def all_at(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """Whether the first k hold all of the gold."""
    return float(hits(ranked, gold, k) == len(gold))


def ndcg_at(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """The gain of the first k, as a share of the gain of the best order."""
    found = (place for place, name in enumerate(ranked[:k]) if name in gold)
    return gain(found) / gain(range(min(k, len(gold))))


def gain(places: Iterable[int]) -> float:
    """What gold on these places, counted from zero, is worth."""
    return sum(1 / log2(place + 2) for place in places)


def reciprocal_rank(ranked: Sequence[str], gold: AbstractSet[str]) -> float:
    """One over the place of the first that is gold; zero when none is."""
    found = (place for place, name in enumerate(ranked, start=1) if name in gold)
    return 1 / next(found, float("inf"))


def quality(ranked: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """All figures of one answer, in the order of the table."""
    return {
        "recall@5": recall_at(ranked, gold, 5),
        "recall@10": recall_at(ranked, gold, 10),
        "any@5": any_at(ranked, gold, 5),
        "all@5": all_at(ranked, gold, 5),
        "ndcg@10": ndcg_at(ranked, gold, 10),
        "mrr": reciprocal_rank(ranked, gold),
    }


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure over the answers."""
    return {name: fmean(row[name] for row in rows) for name in rows[0]}
