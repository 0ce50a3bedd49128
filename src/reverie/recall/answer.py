"""Turn scored candidates into hits: faded, folded, in order, with their reasons."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from reverie.dates import at_home
from reverie.decay import Status, rated
from reverie.index.located import fact_days
from reverie.index.text import (
    COMMON_WORDS,
    cut,
    cut_aside,
    is_sign,
    names_in,
    stem_set,
    words,
)
from reverie.index.view import STORES
from reverie.model.ids import (
    TO_THE_MINUTE,
    Kind,
    Store,
    citation,
    citation_length,
    page_of,
)
from reverie.model.items import Origin, scope_name
from reverie.model.views import Beside, Hit, Part, Plan, Reach, Recalled
from reverie.recall.question import (
    ABOUT,
    LATEST,
    LONGEST,
    asking_words,
    find_kin,
    understand,
    wants_past,
    wants_present,
)
from reverie.recall.score import ALONE, Weights, freshen, weigh
from reverie.recall.subject import demote_others, names_subject
from reverie.stores.turns import standing_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from reverie.decay import Rated
    from reverie.embedding import Embedder
    from reverie.index import Index, Located
    from reverie.index.view import Bools, Floats, Ints, View
    from reverie.recall.question import RecallQuestion, UnderstoodQuestion
    from reverie.recall.score import ScoredCandidates

FIRST, MOST = 400, 40_000
"""So many memories are looked at closely; more, if too few of them may be shown."""

LEAST_WIDER, MOST_WIDER = 2, 5
"""So many times more are looked at then, at least and at most."""

SURE = 0.5
"""From this score on the best hit is worth relying on."""

OTHERS = 0.7
"""So much of it counts how well another of the best candidates fits."""

IN_TIME = 0.55
"""Doubt is no larger where the time fits, whatever words nobody has; never sure."""

SUPPORTED = 0.5
"""The share of a question's words, by rarity, that a sure answer has at least."""

NOWHERE = 0.5
"""A word that stands in no memory counts so much there: it may only be how one asks."""

MEANT = 0.6
"""A model of sentences that finds an answer so alike needs no words."""

BETTER = 0.8
"""What has faded and fits best is shown to who searches, and first if all that is vivid
fits so much less."""

WEAK = 5
"""So many are shown where nothing fits well enough to be called an answer, and of what
has faded."""

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


TELLING = 0.05
"""Evidence that weighs less is not worth a word."""


class _Candidate(NamedTuple):
    """One memory on its way to becoming a hit; `at` is its place in the scores.

    One that the graph led to from whom the question is about is shown at any score.
    """

    at: int
    item: int
    id: str
    score: float
    rank: float
    fading: float
    status: str
    pinned: bool
    forgotten: bool
    led: bool

    @property
    def fit(self) -> float:
        """How well it fits, however far it has faded."""
        return self.score / self.fading if self.fading else 0.0


_Folded = list[tuple[_Candidate, "Located", tuple["Located", ...]]]
_Standing = tuple[str, "Rated | None"]


def recall(
    asked: RecallQuestion,
    index: Index,
    view: View,
    embedder: Embedder | None,
    notes: Sequence[str] = (),
) -> Recalled:
    """Answer a question from the index.

    Args:
        asked: The question.
        index: Where the memories are looked up.
        view: Everything as arrays.
        embedder: Gives the question its vector; None to go by words and graph.
        notes: What the reader should know already.
    """
    found = understand(asked, index, view, may_be_found(asked, view))
    # Where nothing but a time is asked for, it says what is meant, not other words.
    sought = found.sought
    only_time = sought.times and (found.time_alone or not sought.terms)
    if embedder is not None and not only_time:
        vector = embedder.embed([asked.read], asked=True)[0]
        if vector.any() and view.cloud.filled:
            seen = view.cloud.seen_from_the_middle(vector)
            sought = replace(sought, vector=seen, worth=embedder.worth)
        # Where the word itself stands, what stands for it leads astray from the best.
        wanted = [t for t in sought.terms if asked.deep or not view.frequency(t)]
        sought = replace(sought, kin=find_kin(embedder, wanted, found.spelled))
    most, known = FIRST, _Known({}, {})
    while True:
        weighed = weigh(view, sought, most)
        if found.subject:
            weighed = demote_others(view, index, weighed, found.subject)
        parts = (asked, index, view, found, weighed)
        answering = _Answering(*parts, most, known, embedder)
        count = len(answering.found.folded)
        # Where much is archived, what is not may stand far behind.
        further = answering.found.has_faded or answering.all_fit
        cut = weighed.cut or len(weighed.items) > most
        if most >= MOST or not (cut and further) or count >= asked.limit:
            return answering.give(notes)
        # About as many as have enough of those that may be shown, and half of it more.
        times = 1.5 * asked.limit / max(count, 1)
        most = min(MOST, int(most * min(max(times, LEAST_WIDER), MOST_WIDER)))


def may_be_found(asked: RecallQuestion, view: View) -> Bools | None:
    """What may be found by who asks, where they look; None for everything."""
    if not (asked.person or asked.stores or asked.in_sight or asked.within):
        return None
    allowed = view.seen_by(scope_name(asked.person)) | (not asked.person)
    if asked.in_sight:
        window, first = asked.in_sight
        own = view.whole == view.named["company"].get(f"window {window}", -1)
        allowed &= ~(own & (view.place >= standing_from(first)))
    if asked.stores:
        allowed &= np.isin(view.store, [STORES.index(s) for s in asked.stores])
    if asked.within:
        files = view.named["company"].items()
        inside = [n for name, n in files if name.startswith(f"note {asked.within}/")]
        allowed &= np.isin(view.whole, inside)
    return None if allowed.all() else allowed


class _Known(NamedTuple):
    """What a narrower search for the same question has read, by number and by item."""

    standings: dict[int, _Standing]
    rows: dict[int, Located]


class _Found(NamedTuple):
    """What is found for a question, before hits are made of it.

    Attributes:
        folded: Memories to return, each with those that say the same.
        sure: Whether the first one is worth relying on.
        hidden: Number of memories that fit and are not returned, by status.
    """

    folded: _Folded
    sure: bool
    hidden: Counter[str]

    @property
    def has_faded(self) -> bool:
        """Whether memories are hidden because they faded."""
        return bool(self.hidden[Status.DORMANT] or self.hidden[Status.ARCHIVED])


class _Answering:
    def __init__(
        self,
        asked: RecallQuestion,
        index: Index,
        view: View,
        found: UnderstoodQuestion,
        weighed: ScoredCandidates,
        most: int,
        known: _Known,
        embedder: Embedder | None,
    ) -> None:
        self._asked, self._index, self._view = asked, index, view
        self._found, self._weighed = found, weighed
        self._most, self._known, self._embedder = most, known, embedder
        self._touched = cache(index.touched)

    @cached_property
    def found(self) -> _Found:
        """The memories to return, and the number of those that are hidden."""
        every = self._candidates(self._asked.least)
        good = [c for c in every if c.led or c.score >= self._asked.least]
        shown = self._shown(every, good)
        folded = self._folded(shown)
        sure = bool(folded) and self._is_sure(*folded[0][:2])
        if not sure and len(shown) < WEAK:
            # What fits weakly is shown as such: `sure` says that it is no answer.
            more = self._shown((), self._candidates(0.0))
            there = {c.item for c in shown}
            shown += [c for c in more if c.item not in there][: WEAK - len(shown)]
            folded = self._folded(shown)
        seen = {c.item for c in shown}
        hidden = Counter(c.status for c in good if c.item not in seen)
        return _Found(folded[: self._asked.limit], sure, hidden)

    def give(self, notes: Sequence[str]) -> Recalled:
        """Put the answer together."""
        folded, sure, hidden = self.found
        beside = self._beside(np.array([c.item for c, _, _ in folded], np.int64))
        hits = tuple(self._hit(*each, beside) for each in folded)
        if len(self._asked.text) > LONGEST:
            cut = f"only the first {LONGEST:,} characters of the question were read"
            notes = (*notes, cut)
        return Recalled(
            question=self._asked.text,
            asked=self._asked.now.astimezone(UTC),
            understood=self._found.read,
            hits=hits,
            sure=sure,
            dormant=hidden[Status.DORMANT],
            archived=hidden[Status.ARCHIVED],
            notes=tuple(notes),
        )

    def _is_sure(self, best: _Candidate, row: Located) -> bool:
        """Return whether the best hit is worth relying on.

        It fits, its subject is that of the question, and what is asked is in it.
        """
        found = self._found
        # Some of the words that are asked for stand somewhere, if any are.
        heard = bool(found.sought.terms or not found.read.words)
        if best.score < SURE or not heard or found.time_alone:
            return False
        if found.subject:
            fits = found.subject.fits(row)
        else:
            fits = not found.named or names_subject(row, found.named, found.names)
        return fits and self._is_supported(best, row)

    def _is_supported(self, best: _Candidate, row: Located) -> bool:
        """Return whether a hit has the words of the question, or such as mean them."""
        view, words_, found = self._view, self._weighed.words, self._found
        embedder = self._embedder
        alike = float(self._weighed.likeness[best.at])
        if embedder and embedder.reads_sentences and alike >= MEANT:
            return True
        near = [best.item]
        if row.store is Store.TURNS:
            # An answer leaves out what the question said.
            near += [int(side[best.item]) for side in (view.before, view.after)]
        passed_over = COMMON_WORDS | asking_words(self._asked.read)
        page = page_of(row.id)
        for name in found.named:
            if page == f"{Kind.ENTITY}:{name.id}":
                passed_over |= {*words(name.said)}
        weights, missing = dict[str, float](), list[str]()
        for term, (places, _, _) in words_.standings.items():
            word = found.spelled.get(term, term)
            if word in passed_over or is_sign(word):
                continue
            weights[term] = words_.rarity[term] * (1 if len(places) else NOWHERE)
            owners = view.owner[places]
            if not any(item >= 0 and (owners == item).any() for item in near):
                missing.append(term)
        # Whom it names is there, and nothing of what is asked of them.
        names = names_in(self._asked.read, first=False) | names_in(row.text)
        there = {found.spelled.get(t, t) for t in weights.keys() - set(missing)}
        if missing and there and there <= names:
            return False
        lacking = sum(weights[term] for term in missing)
        allowed = (1 - SUPPORTED) * sum(weights.values())
        if lacking <= allowed or embedder is None:
            return lacking <= allowed
        # Similar words are slow to find, so the rarest missing word comes first.
        said = stem_set(f"{row.title}\n{row.text}")
        for term in sorted(missing, key=lambda each: -weights[each]):
            similar = find_kin(embedder, [term], found.spelled)[term]
            means = (likeness for other, likeness in similar if other in said)
            lacking -= weights[term] * max(means, default=0.0)
            if lacking <= allowed:
                return True
        return False

    def _shown(
        self, every: Sequence[_Candidate], good: Sequence[_Candidate]
    ) -> list[_Candidate]:
        """What is vivid enough; who searches sees what faded if nothing fits better."""
        seen = _SEEN[self._asked.reach]
        vivid = [c for c in good if not c.status or c.status in seen]
        if self._asked.reach is not Reach.EXPLICIT:
            return vivid
        best = max((c.fit for c in vivid), default=0.0)
        held = {c.item for c in vivid}
        faded = [
            c
            for c in every
            if c.status not in {"", Status.ACTIVE}
            and not c.forgotten
            and c.fit >= max(self._asked.least, best)
            and c.item not in held
        ]
        # Behind the best of what is vivid, where that fits nearly as well.
        first = [c for c in faded if c.fit * BETTER > best][:WEAK]
        rest = [c for c in faded if c not in first][:WEAK]
        return [*first, *vivid[:1], *rest, *vivid[1:]]

    @property
    def all_fit(self) -> bool:
        """Whether even the last that was looked at is good enough, but for fading."""
        looked_at = self._scores[1][: self._most]
        return bool((looked_at[-1:] >= self._asked.least).any())

    @cached_property
    def _order(self) -> tuple[Ints, list[tuple[int, int]]]:
        """The order of the candidates, and the pairs of a newer and an older one."""
        question, weighed = self._asked.read, self._weighed
        if wants_past(question) or not len(weighed.items):
            return np.arange(len(weighed.items)), []
        present = wants_present(question)
        if self._found.read.times and not present:
            # What happened at that time is asked for, not what came last.
            return np.arange(len(weighed.items)), []
        # What was merely said holds as long as nobody asks how it is now.
        return freshen(self._view, weighed, said=present)

    @cached_property
    def _scores(self) -> tuple[Floats, Floats]:
        """Scores as shares of the best, and as what they are worth before fading."""
        weighed = self._weighed
        # The best that tells something: the same question asked before fits best of
        # all, and answers nothing.
        telling = weighed.score[self._view.asking[weighed.passage] < MERELY_ASKS]
        best = float((telling if len(telling) else weighed.score)[:1].sum())
        shares = weighed.score / max(best, 1e-9)
        return shares, np.clip(shares, 0, 1) * _strength(
            weighed, time_alone=self._found.time_alone
        )

    def _candidates(self, least: float) -> list[_Candidate]:
        """What matches so well at least, the best first."""
        view, weighed = self._view, self._weighed
        items, (order, pairs) = weighed.items, self._order
        # Who overtakes takes the other's score along with the place.
        shares, scores = self._scores
        led = np.zeros(len(items), bool)
        if self._found.read.plan is Plan.ABOUT:
            # Who asks about somebody wants what the graph leads to as well.
            led = np.isin(items[order], list(self._found.sought.graph))
        fitting = (scores >= least) & (scores > 0)
        places = np.flatnonzero((fitting & (np.cumsum(fitting) <= self._most)) | led)
        chosen = items[order[places]]
        numbers = view.number[chosen]
        standings, fades = self._standings(numbers.tolist()), self._fading(chosen)
        floor = self._asked.config.recall.decay_floor
        kept, fading = [], dict[int, float]()
        some = (each[places] for each in (scores, shares, led, order))
        told = (numbers, chosen, view.at[chosen], *fades, *some)
        for number, item, moment, latest, undated, score, share, leads, at in zip(
            *(each.tolist() for each in told), strict=True
        ):
            # Another process may have taken one away this very moment.
            id_, each = standings.get(number, ("", None))
            if not id_:
                continue
            if each is None:
                fading[at], known = latest * undated, ("", False, False)
            else:
                fading[at] = latest * (floor + (1 - floor) * min(1.0, each.strength))
                known = (str(each.status), each.pinned, each.forgotten)
            kept.append((at, item, moment, id_, score, share, known, leads))
        # The newer of two statements comes first, even if the older one was used more.
        for new, old in pairs:
            if {new, old} <= fading.keys():
                fading[new] = max(fading[new], fading[old])
        newer = {new for new, _ in pairs}
        found = []
        for at, item, moment, id_, score, share, known, leads in kept:
            scored = (score * fading[at], share * fading[at], fading[at])
            one = _Candidate(at, item, id_, *scored, *known, leads)
            found.append((-one.rank, -moment, at not in newer, id_, one))
        return [one for *_, one in sorted(found)]

    def _standings(self, numbers: Sequence[int]) -> dict[int, _Standing]:
        """Ids of some memories and how vivid they are, by their numbers."""
        # Those of a narrower look are known.
        known = self._known.standings
        new = self._index.candidates(n for n in numbers if n not in known)
        traces = (trace for _, trace in new.values() if trace)
        rates = rated(traces, self._asked.now, self._asked.config.decay)
        known |= {
            number: (id_, next(rates) if trace else None)
            for number, (id_, trace) in new.items()
        }
        return known

    def _fading(self, items: Ints) -> tuple[Floats, Floats]:
        """What time leaves of matches for who asks for the latest, and of turns."""
        # What nobody can date is endlessly long ago; core memory tells what is now.
        now = self._asked.now.timestamp()
        days = np.maximum(0.0, now - self._view.at[items].astype(np.float64)) / 86_400
        latest = np.ones(len(items))
        if self._found.read.plan is Plan.LATEST:
            other = self._view.store[items] != STORES.index(Store.CORE)
            latest[other] = 0.5 + 0.5 * np.exp(-days[other] / _FORTNIGHT)
        return latest, 0.95 + 0.05 * np.exp(-days / _HALF_YEAR)

    def _read_rows(self, items: Sequence[int]) -> Mapping[int, Located]:
        """Return the memories of some items; each is read from the index once."""
        rows = self._known.rows
        new = [item for item in items if item not in rows]
        if new:
            found = self._index.rows(self._view.number[new])
            numbers = zip(new, self._view.number[new].tolist(), strict=True)
            rows |= {item: found[n] for item, n in numbers if n in found}
        return rows

    def _folded(self, found: Sequence[_Candidate]) -> _Folded:
        """The best, each with those that say the same; looked up as far as needed."""
        groups: dict[object, list[tuple[_Candidate, Located]]] = {}
        bare: _Folded = []
        for start in range(0, len(found), self._asked.limit):
            some = found[start : start + self._asked.limit]
            rows = self._read_rows([c.item for c in some])
            for candidate in some:
                row = rows.get(candidate.item)
                if row and self._is_over(row):
                    continue
                if row and not row.text and not row.aside:
                    # A page that only has a name is no answer beside one.
                    bare.append((candidate, row, ()))
                elif row:
                    said = " ".join((row.text or row.aside).casefold().split())
                    key = (row.speaker, row.page, row.origin, said)
                    group = groups.setdefault(key, [])
                    group.append((candidate, row))
            if len(groups) >= self._asked.limit:
                break
        ordered = map(_source_first, groups.values())
        return [
            (*group[0], tuple(row for _, row in group[1:])) for group in ordered
        ] or bare

    def _hit(
        self,
        candidate: _Candidate,
        row: Located,
        same: tuple[Located, ...],
        beside: dict[int, Located],
    ) -> Hit:
        view, item = self._view, candidate.item
        passage = int(self._weighed.passage[candidate.at] - view.first[item])
        texts, text, origin = cut(row.text), row.text, row.origin
        turn, semantic = (row.store is s for s in (Store.TURNS, Store.SEMANTIC))
        if turn and row.aside and (passage >= len(texts) or not row.text):
            # What the user pasted fits best, and it is not the user's statement.
            number = max(0, passage - len(texts))
            text, texts, origin = row.aside, cut_aside(row.aside), Origin.PASTED
            best = texts[min(number, len(texts) - 1)]
        else:
            # What no longer holds is found, but never quoted as if it did.
            best = texts[passage] if passage < len(texts) else texts[0]
        # What a correction took the place of.
        old = self._index.find(row.names) if row.names.startswith("episode:") else None
        past = (old.text,) if old else ()
        return Hit(
            id=f"{row.id.rpartition('/')[0]}/{passage}" if turn else row.id,
            store=row.store,
            title=row.title,
            text=text,
            passage=best,
            path=row.path,
            line=row.line,
            commit=self._touched(row.path),
            at=None if row.at is None else self._when(row.store, row.at),
            score=round(candidate.score, 4),
            # A block of many gives no reasons.
            parts=() if self._asked.deep else self._parts(candidate),
            why=() if self._asked.deep else tuple(self._reasons(candidate)),
            status=candidate.status,
            pinned=candidate.pinned,
            speaker=row.speaker,
            origin=origin,
            beside=tuple(self._neighbours(item, row.id, beside)),
            same=tuple(other.id for other in same),
            also=self._days(row, same),
            outdated=tuple(row.aside.split("\n")) if semantic and row.aside else past,
            cite=citation(row.id)[: citation_length(len(view.number))],
            since=self._to_come(row),
            basis=tuple(row.basis.split()),
        )

    def _days(self, row: Located, same: Sequence[Located]) -> tuple[date, ...]:
        """On which other days the same was said."""
        of, *others = (
            None if each.at is None else self._when(each.store, each.at).date()
            for each in (row, *same)
        )
        return tuple(sorted({day for day in others if day and day != of}))

    def _to_come(self, row: Located) -> date | None:
        """The day from which a fact holds, where it does not yet."""
        begins, _ = fact_days(row)
        return begins if begins and begins > self._asked.now.date() else None

    def _is_over(self, row: Located) -> bool:
        """Return whether a fact no longer holds at the time that is asked about."""
        _, ends = fact_days(row)
        return bool(ends and ends <= self._asked.now.date())

    def _when(self, store: Store, seconds: int) -> datetime:
        """When a memory is of, on the asker's clock; of days only, noon in UTC."""
        at = datetime.fromtimestamp(seconds, UTC)
        here = self._asked.now.tzinfo or UTC
        return at_home(at, here) if store in TO_THE_MINUTE else at

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

    def _reasons(self, candidate: _Candidate) -> Iterator[str]:
        """What speaks for one candidate in words, its own words first."""
        view, weighed, found = self._view, self._weighed, self._found
        at, item, read = candidate.at, candidate.item, found.read
        first, end = view.first[item], view.first[item] + view.count[item]
        there = [
            term
            for term, (places, _, _) in weighed.words.standings.items()
            if np.searchsorted(places, first) < np.searchsorted(places, end)
        ]
        there.sort(key=lambda term: -weighed.words.rarity[term])
        if there:
            said = (found.spelled.get(stem, stem) for stem in there)
            yield f"has the words {', '.join(said)}"
        telling = {n for n, part in weighed.parts.items() if part[at] >= TELLING}
        if "meaning" in telling:
            yield f"alike in meaning ({weighed.likeness[at]:.2f})"
        if "graph" in telling:
            yield self._led(candidate)
        # The end of a time that is asked for is no part of it.
        exact = STORES[view.store[item]] in TO_THE_MINUTE
        moment = view.at[item] - (0 if exact else found.sought.away)
        within = any(t.start <= moment < t.end for t in found.sought.times)
        when = "happened in" if within else "told soon after"
        for name, reason in _REASONS.items():
            if name in telling:
                yield reason.format(when=when, times="; ".join(read.times))

    def _led(self, candidate: _Candidate) -> str:
        """How the graph leads to a candidate, and from which of the entities named."""
        value = self._found.sought.graph.get(candidate.item)
        if not value:
            return "such questions are answered from this store"
        page = page_of(candidate.id)
        for name in self._found.named:
            if page == f"{Kind.ENTITY}:{name.id}":
                return f"is what the question names ({page})"
        # How sure a name is, is told apart from how far it is by whole hops.
        times = {Plan.ABOUT: ABOUT, Plan.LATEST: LATEST}.get(self._found.read.plan, 1)
        away = ((math.log2(n.sure * times / value), n.id) for n in self._found.named)
        hops, name_id = min(away, key=lambda one: (abs(one[0] - round(one[0])), one))
        count = max(1, round(hops))
        plural = "s" if count > 1 else ""
        return f"{count} hop{plural} from {Kind.ENTITY}:{name_id} in the graph"

    def _beside(self, items: Ints) -> dict[int, Located]:
        """The neighbours of some turns, as far as who asks may see them."""
        view, person = self._view, self._asked.person
        visible = view.seen_by(scope_name(person)) | (not person)
        turns = items[view.store[items] == STORES.index(Store.TURNS)]
        near = np.zeros(len(view.number), np.bool_)
        for side in (view.before, view.after):
            there = side[turns] >= 0
            of, others = turns[there], side[turns][there]
            if self._asked.deep:
                # A block tells no more than the other half of a pair.
                others = others[view.pair[others] == view.pair[of]]
            near[others] = True
        seen = np.flatnonzero(near & visible)
        rows = self._index.rows(view.number[seen]) if len(seen) else {}
        return {view.item(number): row for number, row in rows.items()}

    def _neighbours(
        self, item: int, id_: str, rows: dict[int, Located]
    ) -> Iterator[Beside]:
        for name, side in (("before", self._view.before), ("after", self._view.after)):
            row = rows.get(int(side[item]))
            if row is not None and row.store is Store.TURNS:
                # Both halves of a pair share the number of a turn.
                pair = row.id.rsplit("/", 2)[0] == id_.rsplit("/", 2)[0]
                relation = "pair" if pair else name
                text = row.text or row.aside
                yield Beside(row.id, relation, text, row.speaker, row.origin)


_REASONS = {
    "speaker": "said by somebody the question names",
    "reply": "what was said just before or after fits",
    "kin": "has words alike in meaning",
    "thread": "goes on from what fits, or leads to it",
    "company": "the conversation or day it belongs to fits",
    "time": "{when} the time asked for ({times})",
    "cue": "has the number or time that is asked for",
}


def _strength(found: ScoredCandidates, *, time_alone: bool = False) -> float:
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
        # Being named is no more certain because the page stands by itself.
        sure = named[best] / (ALONE * (1 + Weights().own))
        doubt = doubt * (1 - np.clip(sure, 0, 0.8))
    timely = found.parts.get("time")
    if timely is not None and (time_alone or not found.words.rarity):
        # Nothing but a time was asked for, or can be answered.
        doubt = np.where(timely[best] > 0, 0.2, doubt)
    elif timely is not None:
        fits = (timely[best] > 0) & (found.coverage[best] > 0)
        doubt = np.where(fits, np.minimum(doubt, IN_TIME), doubt)
    sure = np.clip(1 - doubt, 0, 1)
    return max(float(sure[0]), OTHERS * float(sure.max()))


def _source_first(
    group: list[tuple[_Candidate, Located]],
) -> list[tuple[_Candidate, Located]]:
    """Order memories of the same words so that a source precedes its copies.

    A summary of a conversation comes back with its prompt, its episode would not.
    """
    sources = {id_ for _, row in group for id_ in row.basis.split()}
    return sorted(group, key=lambda pair: pair[1].id not in sources)
