"""Score candidates for a question: words, meaning, company, speaker, graph.

Each kind of evidence is brought to a scale from 0 to 1 by its own best case, and
added with the weights below. They were chosen on conversations whose answers are
known (`make bench`); docs/design/recall.md says what each is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from reverie.index.view import STORES, spans
from reverie.recall.bm25 import word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.index.vectors import Bools, Floats, Ints
    from reverie.index.view import View
    from reverie.recall.bm25 import Bm25Scores

SOON = 14 * 86_400
"""So many seconds later people still tell what happened."""

MANY = 16
"""Passages from which on it makes no difference that there are more."""

ALIKE = 0.35
"""Two texts that have something to do with each other are at least so alike."""

BY_WORDS = 400
"""So many memories are looked at closely because of their words,"""

BY_MEANING = 512
"""and those of so many passages because of their meaning."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence counts.

    Attributes:
        passage: The words of the passage that fits best.
        meaning: Its vector.
        text: The words of the whole memory.
        company: The words of the conversation or the day it belongs to.
        reply: The words of what somebody else said just before or after.
        reply_meaning: The vector of that.
        asked: How much more it counts if what was said before is a question, which
            passes on what it is about.
        speaker: It was said by somebody whom the question names.
        cue: It has the number or the time that is asked for.
        graph: The graph leads to it from what the question names.
        own: The share of it that somebody states about themselves; a factor.
        length: What a long memory pays for its many chances, times ln(passages).
    """

    passage: float = 0.5
    meaning: float = 0.6
    text: float = 0.2
    company: float = 0.3
    reply: float = 0.4
    reply_meaning: float = 0.1
    asked: float = 1.0
    speaker: float = 0.5
    cue: float = 0.15
    graph: float = 0.4
    own: float = 0.3
    length: float = 0.15


class Stretch(NamedTuple):
    """A time that a question speaks of, in seconds, and how much that counts."""

    start: float
    end: float
    weight: float


@dataclass(frozen=True, slots=True)
class Query:
    """What a question comes down to.

    Attributes:
        terms: The stems of its telling words, without names of those who speak.
        speakers: Numbers of those who speak and are named in it.
        cue: What its answer is likely to have.
        times: The stretches of time it speaks of, and how much each counts.
        both: Whether it asks for all that was said, by either side.
        vector: Its meaning as the cloud sees it; None without vectors.
        graph: How much the graph suggests some items, by their place in the view.
        favoured: Which stores answer such questions, and how much that counts.
        allowed: Which items who asks may see; None for all.
    """

    terms: Sequence[str]
    speakers: Sequence[int] = ()
    cue: int = 0
    times: Sequence[Stretch] = ()
    both: bool = False
    vector: Floats | None = None
    graph: Mapping[int, float] = field(default_factory=dict)
    favoured: Mapping[int, float] = field(default_factory=dict)
    allowed: Bools | None = None


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """Candidates, the best first, and what speaks for them.

    Attributes:
        items: Which items of the view.
        score: Everything together.
        parts: Each kind of evidence by name, as it is counted in the score.
        passage: Of each, the passage that fits best.
        coverage: The share of the question's words that are there, by rarity.
        likeness: How alike the best passage is in meaning, from 0 to 1.
        words: How the words of the question fit everything.
        cut: Whether there are more that were not looked at closely.
    """

    items: Ints
    score: Floats
    parts: Mapping[str, Floats]
    passage: Ints
    coverage: Floats
    likeness: Floats
    words: Bm25Scores
    cut: bool = False


def weigh(view: View, sought: Query, most: int = BY_WORDS) -> ScoredCandidates:
    """Find what may answer a question, and weigh it.

    Args:
        view: Everything.
        sought: The question.
        most: So many memories are looked at closely because of their words.
    """
    return _Scales(view, sought, Weights(), most).weigh()


class _Scales:
    def __init__(self, view: View, sought: Query, weights: Weights, most: int) -> None:
        self._most, self._cut = most, False
        if sought.both:
            weights = replace(weights, own=0, length=0)
        self._view, self._sought, self._weights = view, sought, weights
        self._words = word(view, sought.terms, sought.allowed)

    def weigh(self) -> ScoredCandidates:
        view, weights = self._view, self._weights
        rest, timely = self._rest(), self._timely()
        items = self._candidates(sum(rest.values(), timely))
        if not len(items):
            none = np.zeros(0, np.float32)
            return ScoredCandidates(items, none, {}, items, none, none, self._words)
        passages = spans(view.first[items], view.count[items])
        likeness = self._likeness(passages)
        parts = {name: part[items] for name, part in rest.items()}
        parts["reply"] = parts["reply"] + self._reply_meaning(items, passages, likeness)
        best, words, meaning, length = self._best_passages(items, passages, likeness)
        own = 1 + weights.own * _shares(view)["own"][items]
        parts = {name: part * own for name, part in parts.items()}
        parts["text"] = parts["text"] + words
        parts["time"] = timely[items]
        parts["meaning"] = meaning
        parts["length"] = length
        score = sum(parts.values(), np.zeros(len(items), np.float32))
        order = np.lexsort((-view.at[items], -score))
        return ScoredCandidates(
            items[order],
            score[order],
            {name: part[order] for name, part in parts.items() if part.any()},
            best[order],
            self._words.coverage[items][order],
            likeness[np.searchsorted(passages, best)][order],
            self._words,
            self._cut,
        )

    def _rest(self) -> dict[str, Floats]:
        """What speaks for whole memories, of all of them."""
        view, weights, words = self._view, self._weights, self._words
        said = _to_one(words.said)
        passed_on = said + self._beside(said, "before")
        before = said + weights.asked * _shares(view)["asking"] * passed_on
        reply = np.maximum(self._beside(before, "before"), self._beside(said, "after"))
        speakers = list(self._sought.speakers)
        spoken = np.isin(view.speaker, speakers).astype(np.float32)
        return {
            "text": weights.text * _to_one(words.items),
            "company": weights.company * _to_one(words.companies),
            "reply": weights.reply * reply,
            "speaker": weights.speaker * spoken,
            "cue": weights.cue * self._cued(),
            "graph": self._suggested(),
        }

    def _beside(self, values: Floats, side: str, items: Ints | None = None) -> Floats:
        """Each item's neighbour's value, where that is somebody else's turn."""
        other, fits = _others(self._view)[side]
        if items is not None:
            other, fits = other[items], fits[items]
        return values[other] * fits if len(values) else values

    def _cued(self) -> Floats:
        view = self._view
        if not self._sought.cue or not len(view.first):
            return np.zeros(len(view.number), np.float32)
        cues = _shares(view)["cues"].astype(np.uint8) & self._sought.cue
        found: Floats = np.bitwise_count(cues).astype(np.float32)
        return found

    def _timely(self) -> Floats:
        """What falls into the time asked for; half of it if it was told soon after."""
        at = self._view.at
        found = np.zeros(len(at), np.float32)
        for start, end, weight in self._sought.times:
            inside = (at >= start) & (at < end)
            after = (at >= end) & (at < end + SOON)
            found = np.maximum(found, weight * np.where(inside, 1, 0.5 * after))
        return found

    def _suggested(self) -> Floats:
        view, sought = self._view, self._sought
        found = np.zeros(len(view.number), np.float32)
        if sought.favoured:
            values = np.zeros(len(STORES), np.float32)
            values[list(sought.favoured)] = list(sought.favoured.values())
            # A favoured store is no evidence where not a word fits.
            found = values[view.store] * (self._words.coverage > 0)
        for item, value in sought.graph.items():
            found[item] += self._weights.graph * value
        return found

    def _candidates(self, rest: Floats) -> Ints:
        allowed = self._sought.allowed
        chosen = np.flatnonzero(rest > 0 if allowed is None else (rest > 0) & allowed)
        if len(chosen) > self._most:
            best = np.argpartition(-rest[chosen], self._most)[: self._most]
            # In their order, as everything that looks them up expects them.
            chosen = np.sort(chosen[best])
            self._cut = True
        if self._sought.vector is None:
            return chosen
        near = self._view.owner[self._view.cloud.near(self._sought.vector, BY_MEANING)]
        return np.union1d(chosen, near if allowed is None else near[allowed[near]])

    def _likeness(self, passages: Ints) -> Floats:
        if self._sought.vector is None:
            return np.zeros(len(passages), np.float32)
        return np.maximum(self._view.cloud.likeness(self._sought.vector, passages), 0)

    def _best_passages(
        self, items: Ints, passages: Ints, likeness: Floats
    ) -> tuple[Ints, Floats, Floats, Floats]:
        """The passage of each memory that fits best, and what speaks for it."""
        view, weights = self._view, self._weights
        prior = 1 + weights.own * view.own[passages]
        top = float(self._words.passages.max()) if len(self._words.passages) else 0
        words = weights.passage * self._words.passages[passages] / (top or 1) * prior
        meaning = weights.meaning * _meant(likeness) * prior
        counts = view.count[items]
        starts = np.cumsum(counts) - counts
        best = _argmax_each(words + meaning, starts, counts)
        # So many chances that one of them fits must not count for a long text.
        chances = np.minimum(counts, MANY)
        penalty = -weights.length * np.log(chances).astype(np.float32)
        penalty *= 1 - self._words.coverage[items] ** 4
        return passages[best], words[best], meaning[best], penalty

    def _reply_meaning(self, items: Ints, passages: Ints, likeness: Floats) -> Floats:
        near = np.zeros(len(self._view.number), np.float32)
        np.maximum.at(near, self._view.owner[passages], _meant(likeness))
        before = self._beside(near, "before", items)
        after = self._beside(near, "after", items)
        return self._weights.reply_meaning * np.maximum(before, after)


def _meant(likeness: Floats) -> Floats:
    """Likeness to one; where nothing is really alike, the best is not taken for it."""
    return likeness / max(float(likeness.max()), ALIKE) if len(likeness) else likeness


def _to_one(values: Floats) -> Floats:
    top = float(values.max()) if len(values) else 0.0
    return values / top if top > 0 else values


def _shares(view: View) -> dict[str, Floats]:
    """What whole memories have of what their passages have; once for a view."""
    if "shares" not in view.prepared:
        first = view.first
        words = np.add.reduceat(view.words, first) if len(first) else view.words
        shares = {
            name: np.add.reduceat(share * view.words, first) / np.maximum(words, 1)
            if len(first)
            else share
            for name, share in (("own", view.own), ("asking", view.asking))
        }
        cues = np.bitwise_or.reduceat(view.cues, first) if len(first) else view.cues
        view.prepared["shares"] = {**shares, "cues": cues}
    found: dict[str, Floats] = view.prepared["shares"]
    return found


def _others(view: View) -> dict[str, tuple[Ints, Bools]]:
    """Neighbours on both sides, and where they are known to be somebody else's."""
    if "others" not in view.prepared:
        known = view.speaker > 0
        view.prepared["others"] = {
            side: (other, (other >= 0) & known & known[other] & differs)
            for side, other in (("before", view.before), ("after", view.after))
            for differs in [view.speaker[other] != view.speaker]
        }
    found: dict[str, tuple[Ints, Bools]] = view.prepared["others"]
    return found


def _argmax_each(values: Floats, starts: Ints, counts: Ints) -> Ints:
    """Where the largest value of each group stands; of equal ones, the first."""
    owner = np.repeat(np.arange(len(starts)), counts)
    order = np.lexsort((np.arange(len(values))[::-1], values, owner))
    best: Ints = order[starts + counts - 1]
    return best
