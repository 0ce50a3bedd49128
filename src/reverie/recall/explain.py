"""Explain in words why a memory matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reverie.model.ids import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.index.view import View
    from reverie.recall.question import UnderstoodQuestion
    from reverie.recall.score import ScoredCandidates

TELLING = 0.05
"""Evidence that weighs less is not worth a word."""


def reasons(
    view: View, found: UnderstoodQuestion, weighed: ScoredCandidates, at: int
) -> Iterator[str]:
    """What speaks for one candidate, the words first."""
    item = int(weighed.items[at])
    parts = {name: float(values[at]) for name, values in weighed.parts.items()}
    words = matched(view, weighed, item)
    if words:
        said = (found.spelled.get(stem, stem) for stem in words)
        yield f"has the words {', '.join(said)}"
    if parts.get("meaning", 0) >= TELLING:
        yield f"alike in meaning ({weighed.likeness[at]:.2f})"
    if parts.get("graph", 0) >= TELLING:
        yield _graph(found, item)
    for name, reason in _REASONS.items():
        if parts.get(name, 0) >= TELLING:
            # The end of a time that is asked for is no part of it.
            within = any(t.start <= view.at[item] < t.end for t in found.sought.times)
            told = reason if name != "time" or within else _SOON_AFTER
            yield told.format(times="; ".join(found.read.times))


_REASONS = {
    "speaker": "said by somebody the question names",
    "reply": "what was said just before or after fits",
    "company": "the conversation or day it belongs to fits",
    "time": "happened in the time asked for ({times})",
    "cue": "has the number or time that is asked for",
}
_SOON_AFTER = "told soon after the time asked for ({times})"


def _graph(found: UnderstoodQuestion, item: int) -> str:
    if item not in found.sought.graph:
        return "such questions are answered from this store"
    value, top = found.sought.graph[item], max(found.sought.graph.values())
    what = ", ".join(f"{Kind.ENTITY}:{name.id}" for name in found.named)
    hops = round(np.log2(top / value)) if value else 0
    if not hops:
        return f"is what the question names ({what})"
    return f"{hops} hop{'s' if hops > 1 else ''} from {what} in the graph"


def matched(view: View, weighed: ScoredCandidates, item: int) -> tuple[str, ...]:
    """The stems of the question that a memory has, the most telling first."""
    first, end = view.first[item], view.first[item] + view.count[item]
    words = weighed.words
    there = [
        term
        for term, (at, _, _) in words.standings.items()
        if np.searchsorted(at, first) < np.searchsorted(at, end)
    ]
    return tuple(sorted(there, key=lambda term: -words.rarity[term]))
