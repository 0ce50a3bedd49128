"""From what was found to a number, a word, and what to do next.

A memory without a fault counts in full; one with a fault takes away as much as its
worst fault weighs (`WEIGHTS`): a piece of junk takes away itself, a secret five
memories. What is left, in percent of all memories, is the score. Then it is capped
(`CAPS`): a store with a single secret is never better than bad, however large it is,
and 100 is only for a store in which nothing at all was found.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from reverie.model.audit import Grade, Judgement, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.encoding.auditing.sheets import Case, Held

WEIGHTS = {
    Judgement.SECRETS: 5.0,
    Judgement.INVISIBLE: 2.0,
    Judgement.CONTRADICTIONS: 3.0,
    Judgement.LOOPS: 1.0,
    Judgement.JUNK: 1.0,
    Judgement.DUPLICATES: 1.0,
    Judgement.STALENESS: 0.5,
    Judgement.SIZE: 0.5,
}
"""How many memories one with this fault takes away."""

CAPS = {
    Judgement.SECRETS: 49,
    Judgement.INVISIBLE: 74,
    Judgement.CONTRADICTIONS: 89,
    Judgement.SIZE: 89,
}
"""The most that a store with a single one of these can score."""

_CAP = 99
"""The most of one with any other fault."""

_GRADES = (
    (100, Grade.CLEAN),
    (90, Grade.GOOD),
    (75, Grade.FAIR),
    (50, Grade.POOR),
    (0, Grade.BAD),
)

FORMULA = (
    "Score: percent of memories left when each faulty one takes away the weight of "
    "its worst fault (secret 5, contradiction 3, invisible 2, stale or too "
    "long 0.5, else 1); at most 49 with a secret, 74 with invisible characters, 89 "
    "with a contradiction or an oversized file."
)

_STEPS = {
    Judgement.SECRETS: "Change every secret that stands in plain text ({n}), then "
    "delete it here and from every copy and history.",
    Judgement.INVISIBLE: "Delete the invisible characters ({n}); look what they hid.",
    Judgement.CONTRADICTIONS: "Settle the contradictions ({n}): strike out what no "
    "longer holds.",
    Judgement.LOOPS: "Delete what came out of memory ({n}), and keep recalled text "
    "from being stored.",
    Judgement.JUNK: "Delete the junk ({n}).",
    Judgement.DUPLICATES: "Make one memory of each group of duplicates ({n}).",
    Judgement.STALENESS: "Look through what time has overtaken ({n}).",
    Judgement.SIZE: "Shorten the files that are always loaded ({n}).",
}
_MOST_STEPS = 3


def marks(cases: Iterable[Case], memories: int) -> tuple[Mark, ...]:
    """How a store does in each judgement."""
    faults: Counter[Judgement] = Counter()
    guilty: dict[Judgement, set[Held]] = {judgement: set() for judgement in Judgement}
    for case in cases:
        faults[case.judgement] += 1
        guilty[case.judgement].update(case.guilty)
    return tuple(
        _mark(judgement, faults[judgement], len(guilty[judgement]), memories)
        for judgement in Judgement
    )


def _mark(judgement: Judgement, faults: int, guilty: int, memories: int) -> Mark:
    share = guilty / memories if memories else 0.0
    score = min(math.floor(100 * (1 - share)), _CAP if faults else 100)
    return Mark(judgement, faults, guilty, round(share, 4), score)


def total(cases: Iterable[Case], memories: int) -> int:
    """The score of a store, from 0 to 100."""
    worst: dict[Held, float] = {}
    cap = 100
    for case in cases:
        weight = WEIGHTS[case.judgement]
        cap = min(cap, CAPS.get(case.judgement, _CAP))
        for held in case.guilty:
            worst[held] = max(weight, worst.get(held, 0.0))
    lost = sum(worst.values()) / memories if memories else 0.0
    return max(0, min(cap, math.floor(100 * (1 - lost))))


def grade(score: int, memories: int) -> Grade:
    """A score in a word."""
    if not memories and score == 100:
        return Grade.EMPTY
    return next(word for least, word in _GRADES if score >= least)


def next_steps(found: Sequence[Mark]) -> tuple[str, ...]:
    """What to do first, by how much it takes away."""
    wrong = [mark for mark in found if mark.faults]
    wrong.sort(key=lambda m: (CAPS.get(m.judgement, _CAP), -_weight(m)))
    return tuple(
        _STEPS[mark.judgement].format(n=f"{mark.faults:,}")
        for mark in wrong[:_MOST_STEPS]
    )


def _weight(mark: Mark) -> float:
    return mark.memories * WEIGHTS[mark.judgement]
