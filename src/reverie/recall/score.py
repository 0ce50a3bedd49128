"""Score candidates for a question: words, meaning, company, speaker, graph, freshness.

Each kind of evidence is brought to a scale from 0 to 1 by its own best case, and
added with the weights below. They were chosen on conversations whose answers are
known (`make bench`); docs/design/recall.md says what each is worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from reverie.index.text import Cue
from reverie.index.view import STORES, spans
from reverie.model.ids import TO_THE_MINUTE, Store
from reverie.recall.bm25 import ASKED, OFTEN, Bm25Scores, bm25

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.index.view import Bools, Floats, Ints, View

# --- everything together --------------------------------------------------------

SOON = 14 * 86_400
"""So many seconds later people still tell what happened."""

MANY = 16
"""Passages from which on it makes no difference that there are more."""

ALIKE = 0.35
"""Two texts that have something to do with each other are at least so alike."""

OF_OTHERS = 0.25
"""What evidence counts in what is told of others, where somebody asks of themselves."""

TURNS = STORES.index(Store.TURNS)
ALONE = 1.5
"""What is no turn stands by itself: no reply, speaker or thread can speak for it. So
the rest counts so many times."""

BY_WORDS = 400
"""So many memories are looked at closely because of their words,"""

BY_MEANING = 512
"""and those of so many passages because of their meaning."""


class Weights(Struct, frozen=True):
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
        kin: It has words that are alike in meaning to those of the question.
        thread: What its speaker said two turns before or after fits.
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
    kin: float = 0.3
    thread: float = 0.2
    own: float = 0.3
    length: float = 0.15


class Stretch(NamedTuple):
    """A time that a question speaks of, in seconds, and how much that counts."""

    start: float
    end: float
    weight: float


class Query(Struct, frozen=True):
    """What a question comes down to.

    Attributes:
        terms: The stems of its telling words, without names of those who speak.
        speakers: Numbers of those who speak and are named in it.
        cue: What its answer is likely to have.
        times: The stretches of time it speaks of, and how much each counts.
        away: How many seconds the asker's clock is ahead of UTC.
        both: Whether it asks for all that was said, by either side.
        deep: Whether a block is filled with what is found, beyond the first few.
        vector: Its meaning as the cloud sees it; None without vectors.
        worth: How much the likeness of its model counts.
        graph: How much the graph suggests some items, by their place in the view.
        favoured: Which stores answer such questions, and how much that counts.
        kin: Of its stems, those alike in meaning, and how alike.
        allowed: Which items who asks may see; None for all.
        doubted: Which items are told of somebody else than who asks about themselves;
            None for a question about anything else.
    """

    terms: Sequence[str]
    speakers: Sequence[int] = ()
    cue: int = 0
    times: Sequence[Stretch] = ()
    away: int = 0
    both: bool = False
    deep: bool = False
    vector: Floats | None = None
    worth: float = 1.0
    graph: Mapping[int, float] = field(default_factory=dict)
    favoured: Mapping[int, float] = field(default_factory=dict)
    kin: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    allowed: Bools | None = None
    doubted: Bools | None = None


class ScoredCandidates(Struct, frozen=True):
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
    weights = replace(Weights(), own=0, length=0) if sought.both else Weights()
    none, items = np.zeros(0, np.float32), cast("Ints", np.zeros(0, np.int64))
    words = Bm25Scores(none, none, none, none, none, {}, {})
    if len(view.number):
        words = bm25(view, sought.terms, sought.allowed)
        rest, timely = _rest(view, sought, weights, words), _timely(view, sought)
        items, cut = _candidates(view, sought, sum(rest.values(), timely), most)
    if not len(items):
        return ScoredCandidates(items, none, {}, items, none, none, words)
    counts = view.count[items]
    passages = spans(view.first[items], counts)
    likeness = np.zeros(len(passages), np.float32)
    if sought.vector is not None:
        likeness = np.maximum(view.cloud.likeness(sought.vector, passages), 0)
    # What has no vector near the question is not taken for the best of the others.
    meant = likeness / max(float(likeness.max()), ALIKE)
    near = np.zeros(len(view.number), np.float32)
    np.maximum.at(near, view.owner[passages], meant)
    beside = (_beside(view, near, side)[items] for side in ("before", "after"))
    parts = {name: part[items] for name, part in rest.items()}
    parts["reply"] = parts["reply"] + weights.reply_meaning * np.maximum(*beside)
    own = 1 + weights.own * _shares(view)["own"][items]
    parts = {name: part * own for name, part in parts.items()}
    # The passage of each memory that fits best.
    prior = 1 + weights.own * _own(view)[passages]
    top = float(words.passages.max()) or 1
    by_words = weights.passage * words.passages[passages] / top * prior
    by_meaning = weights.meaning * sought.worth * meant * prior
    best = _argmax_each(by_words + by_meaning, counts)
    parts["text"] = parts["text"] + by_words[best]
    parts["time"] = timely[items]
    parts["meaning"] = by_meaning[best]
    # So many chances that one of them fits must not count for a long text.
    chances = np.log(np.minimum(counts, MANY)).astype(np.float32)
    parts["length"] = -weights.length * chances * (1 - words.coverage[items] ** 4)
    coverage, alike = words.coverage[items], likeness[best]
    if sought.doubted is not None:
        worth = np.where(sought.doubted[items], np.float32(OF_OTHERS), np.float32(1))
        parts = {name: part * worth for name, part in parts.items()}
        coverage, alike = coverage * worth, alike * worth
    alone = np.where(view.store[items] == TURNS, np.float32(1), np.float32(ALONE))
    parts = {name: part * alone for name, part in parts.items()}
    score = sum(parts.values(), np.zeros(len(items), np.float32))
    if sought.deep:
        parts["thread"] = weights.thread * _thread(view, items, score)
        score = score + parts["thread"]
    order = np.lexsort((-view.at[items], -score))
    return ScoredCandidates(
        items[order],
        score[order],
        {name: part[order] for name, part in parts.items() if part.any()},
        passages[best][order],
        coverage[order],
        alike[order],
        words,
        cut,
    )


def _rest(
    view: View, sought: Query, weights: Weights, words: Bm25Scores
) -> dict[str, Floats]:
    """What speaks for whole memories, of all of them: the kinds that are asked for."""
    shares, said = _shares(view), _to_one(words.said)
    passed_on = said + _beside(view, said, "before")
    before = said + weights.asked * shares["asking"] * passed_on
    sides = (_beside(view, before, "before"), _beside(view, said, "after"))
    found = {
        "text": weights.text * _to_one(words.items),
        "company": weights.company * _to_one(words.companies),
        "reply": weights.reply * np.maximum(*sides),
    }
    if sought.speakers:
        spoken = np.isin(view.speaker, list(sought.speakers))
        found["speaker"] = weights.speaker * spoken.astype(np.float32)
    if sought.cue:
        cued = np.bitwise_count(shares["cues"].astype(np.uint8) & int(sought.cue))
        found["cue"] = weights.cue * cued.astype(np.float32)
    if sought.favoured or sought.graph:
        favoured = np.zeros(len(STORES), np.float32)
        favoured[list(sought.favoured)] = list(sought.favoured.values())
        # A favoured store is no evidence where not a word fits.
        found["graph"] = favoured[view.store] * (words.coverage > 0)
        for item, value in sought.graph.items():
            found["graph"][item] += weights.graph * value
    if any(sought.kin.values()):
        found["kin"] = weights.kin * _to_one(_kin(view, sought))
    return found


def _kin(view: View, sought: Query) -> Floats:
    """How well the words fit that are alike in meaning to the question's.

    Of those alike to one word only the best counts, by its likeness and rarity.
    """
    found, all_of = np.zeros(len(view.number), np.float32), len(view.number)
    for stem, others in sought.kin.items():
        best = np.zeros(all_of, np.float32)
        for other, alike in others:
            at, stated, asked = view.standing(other)
            if other == stem or not len(at):
                continue
            owner = view.owner[at].astype(np.intp)
            starts = np.flatnonzero(np.diff(owner, prepend=-1))
            items, often = owner[starts], stated + ASKED * asked
            rarity = np.log1p((all_of - len(items) + 0.5) / (len(items) + 0.5))
            fit = np.maximum.reduceat(often / (often + OFTEN), starts)
            best[items] = np.maximum(best[items], alike**2 * rarity * fit)
        found += best
    return found


def _timely(view: View, sought: Query) -> Floats:
    """What falls into the time asked for; half of it if it was told soon after."""
    if not sought.times:
        return np.zeros(len(view.at), np.float32)
    exact = np.isin(view.store, [STORES.index(s) for s in TO_THE_MINUTE])
    # A day without an hour is noon where the asker is.
    at = view.at - np.where(exact, 0, sought.away)
    found = np.zeros(len(at), np.float32)
    for start, end, weight in sought.times:
        inside = (at >= start) & (at < end)
        after = (at >= end) & (at < end + SOON)
        found = np.maximum(found, weight * np.where(inside, 1, 0.5 * after))
    return found


def _candidates(
    view: View, sought: Query, rest: Floats, most: int
) -> tuple[Ints, bool]:
    """What is looked at closely, in its order, and whether more would be worth it."""
    allowed = sought.allowed
    chosen = np.flatnonzero(rest > 0 if allowed is None else (rest > 0) & allowed)
    cut = len(chosen) > most
    if cut:
        chosen = np.sort(chosen[np.argpartition(-rest[chosen], most)[:most]])
    if sought.vector is not None:
        near = view.owner[view.cloud.near(sought.vector, BY_MEANING)]
        # Not by numpy's union, which loads masked arrays: 15 ms of a cold start.
        close = np.zeros(len(rest), np.bool_)
        close[chosen] = True
        close[near if allowed is None else near[allowed[near]]] = True
        chosen = np.flatnonzero(close)
    return chosen, cut


def _thread(view: View, items: Ints, score: Floats) -> Floats:
    """The better score of what the same speaker said two turns before and after."""
    every = np.zeros(len(view.number), np.float32)
    every[items] = score
    best, turns = np.zeros(len(items), np.float32), view.store[items] == TURNS
    for side in (view.before, view.after):
        beside = side[items]
        other = np.where(beside >= 0, side[beside], -1)
        own = (other >= 0) & (view.speaker[other] == view.speaker[items]) & turns
        best = np.maximum(best, np.where(own, every[other], 0))
    return best


def _to_one(values: Floats) -> Floats:
    top = float(values.max())
    return values / top if top > 0 else values


def _beside(view: View, values: Floats, side: str) -> Floats:
    """Each item's neighbour's value, where that is known to be somebody else's turn."""
    other: Ints = getattr(view, side)

    def fitting() -> tuple[Ints, Ints]:
        known, differs = view.speaker > 0, view.speaker[other] != view.speaker
        fits = np.flatnonzero((other >= 0) & known & known[other] & differs)
        return fits, other[fits].astype(np.intp)

    fits, others = view.once(side, fitting)
    found = np.zeros(len(values), np.float32)
    found[fits] = values[others]
    return found


def _shares(view: View) -> dict[str, Floats]:
    """What whole memories have of what their passages have; once for a view."""

    def shares() -> dict[str, Floats]:
        words = np.maximum(np.add.reduceat(view.words, view.first), 1)
        return {
            "own": np.add.reduceat(_own(view) * view.words, view.first) / words,
            "asking": np.add.reduceat(view.asking * view.words, view.first) / words,
            "cues": np.bitwise_or.reduceat(view.cues, view.first),
        }

    return view.once("shares", shares)


def _own(view: View) -> Floats:
    """Of passages, how much is stated; all of it where somebody kept it on purpose."""

    def own() -> Floats:
        kept = view.store != TURNS
        return np.where(kept[view.owner], np.float32(1), view.own)

    return view.once("own", own)


def _argmax_each(values: Floats, counts: Ints) -> Ints:
    """Where the largest value of each group stands; of equal ones, the first."""
    owner = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((np.arange(len(values))[::-1], values, owner))
    best: Ints = order[np.cumsum(counts) - 1]
    return best


# --- the newer of two statements about one thing first --------------------------

BEST = 10
"""Only among so many is the order changed."""

BEST_KEPT = 5
"""and among so many where only facts and episodes are compared."""

NEARLY = 0.8
"""A newer statement overtakes with this share of the older one's score,"""

CHANGED = 0.4
"""or with this, when its words say that something changed."""

OVERTAKEN = 3
"""Only the first few are overtaken, each by one."""

SAME = 0.1
"""So much must two statements have in common: the share of the question's words that
both have of those that either has, by rarity, times their likeness in meaning."""

APART = 10
"""In one conversation, so many turns must lie between them."""


EPISODIC = STORES.index(Store.EPISODIC)
KEPT = [EPISODIC, STORES.index(Store.SEMANTIC)]
"""Where each memory was stored for itself, with its day."""


def freshen(
    view: View, found: ScoredCandidates, *, said: bool = True
) -> tuple[Ints, list[tuple[int, int]]]:
    """Return the order of the candidates with newer statements above older ones.

    A question for how something *is* wants the last word on it. So among the best,
    a newer statement that matches the same words and is about the same thing moves
    above the older one, if it is nearly as good, or says by its words that something
    changed. What is superseded in the graph is not found as current in the first
    place; this is for what people just say.

    Args:
        view: Everything.
        found: The candidates, the best first.
        said: Whether what was said in conversations is reordered as well; else only
            facts and episodes that have the same words of the question.

    Returns:
        The order, and the pairs of a newer and an older candidate in it.
    """
    best = list(range(min(BEST if said else BEST_KEPT, len(found.items))))
    candidates = [_Candidate.read(view, found, at) for at in best]
    alike_known = bool(view.cloud.filled)
    if not said and (not alike_known or sum(each.kept for each in candidates) < 2):
        return np.arange(len(found.items)), []
    stated = _OwnWords(view, found)
    order, pairs = list(best), list[tuple[int, int]]()
    for old in best[:OVERTAKEN]:
        moved = {new for new, _ in pairs}
        newer = [
            (_same(view, found, stated, new, old), new)
            for new in best
            if new not in moved
            and new != old
            and (said or (candidates[new].kept and candidates[old].kept))
            and candidates[new].overtakes(candidates[old])
            and (said or stated[old] <= stated[new])
        ]
        sure, new = max(newer, default=(0, 0))
        if sure >= SAME:
            if order.index(new) > order.index(old):
                order.remove(new)
                order.insert(order.index(old), new)
            pairs.append((new, old))
    rest = range(len(order), len(found.items))
    return np.array([*order, *rest], np.int64), pairs


class _OwnWords(dict[int, set[str]]):
    """Words of the question that candidates state of their speaker, as needed."""

    def __init__(self, view: View, found: ScoredCandidates) -> None:
        super().__init__()
        self._view, self._found = view, found

    def __missing__(self, at: int) -> set[str]:
        item = int(self._found.items[at])
        self[at] = _own_words(self._view, self._found, item)
        return self[at]


def _own_words(view: View, found: ScoredCandidates, item: int) -> set[str]:
    """Words of the question that a memory has where it speaks of its speaker."""
    first, end = view.first[item], view.first[item] + view.count[item]
    return {
        term
        for term, (at, _, _) in found.words.standings.items()
        for near in [at[np.searchsorted(at, first) : np.searchsorted(at, end)]]
        if len(near) and _own(view)[near].any()
    }


class _Candidate(NamedTuple):
    """What decides whether one candidate is the newer of two.

    Attributes:
        item: Its number in the view.
        score: Its score.
        store: Its store, as a number.
        kept: Whether it is a fact or an episode.
        own: Whether the passage that matched is stated by its speaker.
        at: When it was said, or from when it holds.
        company: The stretch of a conversation it is from; 0 for none.
        rank: Its place in that conversation.
        cues: Which words of change and numbers the passage has.
    """

    item: int
    score: float
    store: int
    kept: bool
    own: bool
    at: float
    company: int
    rank: int
    cues: int

    @classmethod
    def read(cls, view: View, found: ScoredCandidates, at: int) -> _Candidate:
        """Return a candidate with what the view knows of it."""
        item, passage = int(found.items[at]), int(found.passage[at])
        store = int(view.store[item])
        return cls(
            item,
            float(found.score[at]),
            store,
            store in KEPT,
            bool(_own(view)[passage]),
            view.at[item].item(),
            view.company[item].item(),
            int(view.rank[item]),
            int(view.cues[passage]),
        )

    def overtakes(self, other: _Candidate) -> bool:
        """Return whether it is later than another one, and scores nearly as well."""
        share = CHANGED if self.cues & Cue.UPDATE else NEARLY
        if not self.own or self.score < share * other.score:
            return False
        if self.kept and self.store == other.store:
            # Entries of one minute keep their order. Facts of one day may be of two
            # pages, which have none.
            number = self.item > other.item and self.store == EPISODIC
            later = self.at > other.at or (self.at == other.at and number)
        elif self.company and self.company == other.company:
            later = self.rank - other.rank >= APART
        else:
            later = self.at > other.at
        return later and not (other.cues & Cue.NUMBER and not self.cues & Cue.NUMBER)


def _same(
    view: View, found: ScoredCandidates, stated: _OwnWords, new: int, old: int
) -> float:
    """How surely two candidates speak of one thing."""
    one, other = (
        sum(found.words.rarity[term] for term in terms)
        for terms in (stated[new] & stated[old], stated[new] | stated[old])
    )
    cloud, at = view.cloud, found.passage
    alike = cloud.between(int(at[new]), int(at[old])) if cloud.filled else 0.5
    return alike * one / max(other, 1e-9)
