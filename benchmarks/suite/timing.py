"""How long a system stores and how long it takes for each question.

A system is one call, so its questions carry the clock: what passes before the
first is taken up is ingest, what passes until the next is the question's own, and
what a system does between two rounds over all questions is shared among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.suite.blind import Query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BETWEEN = -1  # all questions were gone through


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds for storing a task, and for each of its questions."""

    ingest: float
    questions: tuple[float, ...]


class Timed(list[Query]):
    """The questions, each noting when it is taken up."""

    def __init__(self, queries: Sequence[Query]) -> None:
        super().__init__(queries)
        self.taken: list[tuple[int, float]] = []

    def __iter__(self) -> Iterator[Query]:
        for number, query in enumerate(super().__iter__()):
            self.taken.append((number, perf_counter()))
            yield query
        self.taken.append((BETWEEN, perf_counter()))


def spent(
    taken: Sequence[tuple[int, float]], started: float, ended: float, count: int
) -> Spent:
    """Divide the time of one call; questions nobody looped over share all of it."""
    marks = [*(taken or [(BETWEEN, started)]), (BETWEEN, ended)]
    own, shared = [0.0] * count, 0.0
    for (number, begun), (_, until) in pairwise(marks):
        if number == BETWEEN:
            shared += until - begun
        else:
            own[number] += until - begun
    each = tuple(seconds + shared / count for seconds in own)
    return Spent(ingest=marks[0][1] - started, questions=each)
