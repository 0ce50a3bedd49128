"""Turn scored candidates into hits: faded, folded, in order, with their reasons."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from reverie.decay import Status, standing
from reverie.index.text import cut
from reverie.index.view import NEVER, STORES
from reverie.model.ids import Store
from reverie.model.origin import scope_name
from reverie.model.recall import Beside, Hit, Part, Plan, Reach, Recalled
from reverie.recall.explain import reasons
from reverie.recall.freshness import freshen, wants_present
from reverie.recall.question import LONGEST, understand
from reverie.recall.score import weigh
from reverie.stores.turns import standing_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.decay import Trace
    from reverie.index import Index, Located
    from reverie.index.vectors import Bools, Floats, Ints
    from reverie.index.view import View
    from reverie.recall.question import RecallQuestion, UnderstoodQuestion
    from reverie.recall.score import ScoredCandidates

WIDER = (400, 4_000, 40_000)
"""So many memories are looked at closely; more, if too few of them may be shown."""

SURE = 0.5
"""From this score on the best hit is worth relying on."""

OTHERS = 0.7
"""So much of it counts how well another of the best candidates fits."""

IN_TIME = 0.55
"""Doubt is no larger where the time fits, whatever words nobody has; never sure."""

MERELY_ASKS = 0.9
"""A passage of which so much asks tells nothing by itself."""

SAME_LIKENESS = 0.25
"""Unrelated texts are about so alike in meaning; it is no evidence."""

_HALF_YEAR = 180.0
_FORTNIGHT = 14.0
_SEEN = {
    Reach.AUTOMATIC: {Status.ACTIVE, Status.FADING},
    Reach.EXPLICIT: {Status.ACTIVE, Status.FADING, Status.DORMANT},
    Reach.EVERYTHING: set(Status),
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One memory on its way to becoming a hit."""

    at: int
    number: int
    id: str
    score: float
    rank: float
    fading: float
    status: str
    pinned: bool


def recall(
    asked: RecallQuestion,
    index: Index,
    view: View,
    embed: Callable[[str], Floats] | None,
    notes: Sequence[str] = (),
) -> Recalled:
    """Answer a question from the index.

    Args:
        asked: The question.
        index: Where the memories are looked up.
        view: Everything as arrays.
        embed: Turns the question into a vector; None to go by words and graph.
        notes: What the reader should know already.
    """
    allowed = _allowed(asked, view)
    found = understand(asked, index, view, allowed)
    # Where nothing but a time is asked for, it says what is meant, not other words.
    only_time = found.sought.times and not found.sought.terms
    vector: Floats | None = None
    if embed is not None and view.cloud.filled and not only_time:
        asked_for = embed(asked.read)
        if asked_for.any():
            vector = view.cloud.seen_from_the_middle(asked_for)
    sought = replace(found.sought, allowed=allowed, vector=vector)
    for most in WIDER:
        answer = _Answering(asked, index, view, found, weigh(view, sought, most))
        given = answer.give(notes)
        # Where much is archived, what is not may stand far behind.
        if answer.complete or len(given.hits) >= asked.limit:
            break
    return given


def _allowed(asked: RecallQuestion, view: View) -> Bools | None:
    """What may be found by who asks, where they look; None for everything."""
    if not (asked.person or asked.stores or asked.in_sight):
        return None
    allowed = np.ones(len(view.number), bool)
    if asked.in_sight:
        window, first = asked.in_sight
        own = view.company == view.named["company"].get(f"window {window}", -1)
        allowed &= ~(own & (view.place >= standing_from(first)))
    if asked.person:
        allowed &= _visible(asked, view)
    if asked.stores:
        allowed &= np.isin(view.store, [STORES.index(s) for s in asked.stores])
    return allowed


def _visible(asked: RecallQuestion, view: View) -> Bools:
    """What is for everybody, or for who asks."""
    if not asked.person:
        return np.ones(len(view.number), bool)
    own = view.named["scope"].get(scope_name(asked.person), -1)
    visible: Bools = (view.scope == 0) | (view.scope == own)
    return visible


class _Answering:
    def __init__(
        self,
        asked: RecallQuestion,
        index: Index,
        view: View,
        found: UnderstoodQuestion,
        weighed: ScoredCandidates,
    ) -> None:
        self._asked, self._index, self._view = asked, index, view
        self._found, self._weighed = found, weighed
        self._strength = _strength(weighed)
        self.complete = not weighed.cut

    def give(self, notes: Sequence[str]) -> Recalled:
        """Put the answer together."""
        everything = self._candidates()
        seen = _SEEN[self._asked.reach]
        good = [c for c in everything if c.score >= self._asked.least]
        shown = [c for c in good if not c.status or c.status in seen]
        hidden = Counter(c.status for c in good if c.status and c.status not in seen)
        hits = self._hits(shown)
        # Some of the words that are asked for stand somewhere, if any are.
        heard = bool(self._found.sought.terms or not self._found.read.words)
        told = list(notes)
        if len(self._asked.text) > LONGEST:
            told.append(
                f"only the first {LONGEST:,} characters of the question were read"
            )
        return Recalled(
            question=self._asked.text,
            asked=self._asked.now.astimezone(UTC),
            understood=self._found.read,
            hits=hits,
            sure=bool(hits) and hits[0].score >= SURE and heard,
            dormant=hidden[Status.DORMANT],
            archived=hidden[Status.ARCHIVED],
            notes=tuple(told),
        )

    def _candidates(self) -> list[_Candidate]:
        """What matches, the best first."""
        items = self._weighed.items
        order: Ints = np.arange(len(items))
        if wants_present(self._asked.read) and len(items):
            order = freshen(self._view, self._weighed)
        # Scores are shares of the best that tells something: the same question asked
        # before fits best of all, and answers nothing.
        asks = self._view.asking[self._weighed.passage] >= MERELY_ASKS
        telling = self._weighed.score[~asks]
        best = float((telling if len(telling) else self._weighed.score)[:1].sum())
        # Who overtakes takes the other's score along with the place.
        shares = self._weighed.score / max(best, 1e-9)
        scores = np.clip(shares, 0, 1) * self._strength
        led = np.zeros(len(items), bool)
        if self._found.read.plan is Plan.ABOUT:
            # Who asks about somebody wants what the graph leads to as well.
            led = np.isin(items[order], list(self._found.sought.graph))
        places = np.flatnonzero((scores >= self._asked.least) | led)
        numbers = self._view.number[items[order[places]]]
        known = self._index.lookup.candidates(numbers)
        found = [
            self._candidate(
                int(order[p]),
                (float(scores[p]), float(shares[p])),
                *known[int(number)],
                led=bool(led[p]),
            )
            for p, number in zip(places, numbers, strict=True)
            # Another process may have taken one away this very moment.
            if int(number) in known
        ]
        return sorted(found, key=lambda c: (-c.rank, -self._view.at[items[c.at]], c.id))

    def _candidate(
        self,
        at: int,
        match: tuple[float, float],
        id_: str,
        trace: Trace | None,
        *,
        led: bool,
    ) -> _Candidate:
        item = int(self._weighed.items[at])
        number = int(self._view.number[item])
        fading, status = self._fading(item, trace)
        pinned = bool(trace and trace.pinned)
        score, rank = match[0] * fading, match[1] * fading
        if led:
            score = max(score, self._asked.least)
        return _Candidate(at, number, id_, score, rank, fading, status, pinned)

    def _fading(self, item: int, trace: Trace | None) -> tuple[float, str]:
        """What time leaves of a match, and the status."""
        now, config = self._asked.now, self._asked.config
        when = int(self._view.at[item])
        days = max(0.0, now.timestamp() - when) / 86_400 if when != NEVER else math.inf
        latest = 1.0
        if self._found.read.plan is Plan.LATEST:
            latest = 0.5 + 0.5 * math.exp(-days / _FORTNIGHT)
        if trace is None:
            return latest * (0.95 + 0.05 * math.exp(-days / _HALF_YEAR)), ""
        vivid, status = standing(trace, now, config.decay)
        floor = config.recall.decay_floor
        return latest * (floor + (1 - floor) * vivid), str(status)

    def _hits(self, found: Sequence[_Candidate]) -> tuple[Hit, ...]:
        folded = self._folded(found)[: self._asked.limit]
        beside = self._beside([c for c, _, _ in folded])
        return tuple(
            self._hit(candidate, row, same, beside) for candidate, row, same in folded
        )

    def _folded(
        self, found: Sequence[_Candidate]
    ) -> list[tuple[_Candidate, Located, tuple[str, ...]]]:
        """The best, each with those that say the same; looked up as far as needed."""
        kept: list[tuple[_Candidate, Located]] = []
        for start in range(0, len(found), 3 * self._asked.limit):
            some = found[start : start + 3 * self._asked.limit]
            rows = self._index.lookup.rows([c.number for c in some])
            kept += [(c, rows[c.number]) for c in some if c.number in rows]
            folded = _fold(kept)
            if len(folded) >= self._asked.limit:
                return folded
        return _fold(kept)

    def _hit(
        self,
        candidate: _Candidate,
        row: Located,
        same: tuple[str, ...],
        beside: dict[int, Located],
    ) -> Hit:
        item = int(self._weighed.items[candidate.at])
        passage = int(self._weighed.passage[candidate.at] - self._view.first[item])
        texts, when = cut(row.text), int(self._view.at[item])
        id_ = row.id
        if row.store is Store.TURNS:
            id_ = f"{row.id.rpartition('/')[0]}/{passage}"
        return Hit(
            id=id_,
            store=row.store,
            title=row.title,
            text=row.text,
            # What no longer holds is found, but never quoted as if it did.
            passage=texts[passage] if passage < len(texts) else texts[0],
            path=row.path,
            line=row.line,
            commit=self._index.touched(row.path),
            at=None if when == NEVER else datetime.fromtimestamp(when, UTC),
            score=round(candidate.score, 4),
            parts=self._parts(candidate),
            why=tuple(reasons(self._view, self._found, self._weighed, candidate.at)),
            status=candidate.status,
            pinned=candidate.pinned,
            speaker=row.speaker,
            origin=row.origin,
            beside=tuple(self._neighbours(item, row.id, beside)),
            same=same,
            outdated=tuple(row.aside.split("\n"))
            if row.aside and row.store is Store.SEMANTIC
            else (),
        )

    def _parts(self, candidate: _Candidate) -> tuple[Part, ...]:
        """The parts of a score, as shares of it, and the factors."""
        total = max(float(self._weighed.score[candidate.at]), 1e-9)
        unit = candidate.score / candidate.fading / total if candidate.fading else 0.0
        parts = [
            Part(name, round(float(values[candidate.at]) * unit, 4))
            for name, values in self._weighed.parts.items()
        ]
        telling = sorted((p for p in parts if p.value), key=lambda p: -p.value)
        return (*telling, Part("fading", round(candidate.fading, 4), factor=True))

    def _beside(self, found: Iterable[_Candidate]) -> dict[int, Located]:
        view = self._view
        items = [int(self._weighed.items[c.at]) for c in found]
        turns, visible = STORES.index(Store.TURNS), _visible(self._asked, view)
        near = {
            int(other)
            for item in items
            if view.store[item] == turns
            for other in (view.before[item], view.after[item])
            if other >= 0 and visible[other]
        }
        rows = self._index.lookup.rows(view.number[sorted(near)]) if near else {}
        return {view.item(number): row for number, row in rows.items()}

    def _neighbours(
        self, item: int, id_: str, rows: dict[int, Located]
    ) -> Iterator[Beside]:
        view = self._view
        own = _turn(id_)
        for name, other in (("before", view.before[item]), ("after", view.after[item])):
            row = rows.get(int(other))
            if row is not None and row.store is Store.TURNS:
                relation = "pair" if _turn(row.id) == own else name
                yield Beside(row.id, relation, row.text, row.speaker)


def _strength(found: ScoredCandidates) -> float:
    """How well the best candidate really fits, whatever the others do.

    Its words may stand in what was said beside it, so others count a little too.
    """
    if not len(found.items):
        return 0.0
    best = slice(0, 5)
    alike = (found.likeness[best] - SAME_LIKENESS) / (1 - 2 * SAME_LIKENESS)
    doubt = (1 - found.coverage[best]) * (1 - 0.8 * np.clip(alike, 0, 1))
    named = found.parts.get("graph")
    if named is not None:
        doubt = doubt * (1 - np.clip(named[best], 0, 0.8))
    timely = found.parts.get("time")
    if timely is not None and not found.words.rarity:
        # Nothing but a time was asked for.
        doubt = np.where(timely[best] > 0, 0.2, doubt)
    elif timely is not None:
        fits = (timely[best] > 0) & (found.coverage[best] > 0)
        doubt = np.where(fits, np.minimum(doubt, IN_TIME), doubt)
    sure = np.clip(1 - doubt, 0, 1)
    return max(float(sure[0]), OTHERS * float(sure.max()))


def _fold(
    found: Sequence[tuple[_Candidate, Located]],
) -> list[tuple[_Candidate, Located, tuple[str, ...]]]:
    """One hit for all memories that say the same in the same words."""
    groups: dict[object, list[tuple[_Candidate, Located]]] = {}
    for candidate, row in found:
        said = " ".join(row.text.casefold().split())
        groups.setdefault((row.speaker, said), []).append((candidate, row))
    return [
        (*group[0], tuple(row.id for _, row in group[1:])) for group in groups.values()
    ]


def _turn(id_: str) -> str:
    """The turn of a conversation that an id belongs to, whoever speaks in it."""
    return id_.rsplit("/", 2)[0]
