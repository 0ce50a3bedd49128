"""BM25: how well the words of memories fit the words of a question.

The same postings are counted at three levels: in a passage, in a whole memory, and
in everything that was said in its company. A word that few have counts more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reverie.index.view import TermPostings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.index.vectors import Bools, Floats, Ints
    from reverie.index.view import View

ASKED = 0.5
"""A word in a question counts so much of one in a statement."""

OFTEN = 0.9
"""How soon it stops to matter that a word comes again: small is soon."""

LONG = 0.4
"""How much a long text has to make up for its length."""

FEW = 10
"""As if there were so many memories more: a word is not known to be common yet."""

OFTEN_SAID, LONG_SAID = 1.5, 0.75
"""The same where every word counts in full: for what was said before and after."""


@dataclass(frozen=True, slots=True)
class Bm25Scores:
    """How well the words fit, at each level; 0 where none does.

    Attributes:
        passages: Of each passage.
        items: Of each item, with asked words counting less.
        said: Of each item, with every word counting in full.
        companies: Of each item: how well its company fits.
        coverage: Of each item: the share of the question that is in it, by rarity.
        standings: Where each stem stands.
        rarity: How much each stem tells.
    """

    passages: Floats
    items: Floats
    said: Floats
    companies: Floats
    coverage: Floats
    standings: Mapping[str, TermPostings]
    rarity: Mapping[str, float]


def word(view: View, terms: Sequence[str], allowed: Bools | None = None) -> Bm25Scores:
    """Count where the words of a question stand.

    Args:
        view: Everything.
        terms: The stems of the question.
        allowed: What who asks may see: the rest is not even counted.
    """
    counting = _Counting(view, allowed)
    for term in terms:
        counting.count(term)
    return counting.result()


class _Lengths:
    """How long texts of one size are, as far as a search wants to know."""

    def __init__(self, lengths: Floats, often: float, long: float) -> None:
        self.texts = int((lengths > 0).sum())
        mean = float(lengths.sum()) / max(self.texts, 1)
        norm = often * (1 - long + long * lengths / max(mean, 1e-6))
        self.norm = norm.astype(np.float32)


class _Level:
    """Sums the weights of words over texts of one size."""

    def __init__(self, lengths: _Lengths) -> None:
        self.score = np.zeros(len(lengths.norm), np.float32)
        self._lengths = lengths

    def rarity(self, found: int) -> float:
        return float(np.log1p((self._lengths.texts - found + 0.5) / (found + 0.5)))

    def add(self, at: Ints, count: Floats) -> None:
        weight = self.rarity(len(at))
        self.score[at] += weight * count / (count + self._lengths.norm[at])


def _lengths(view: View, allowed: Bools | None) -> tuple[_Lengths, ...]:
    """Of passages, items, items with every word, and companies."""
    if allowed is not None:
        return _measure(view, allowed[view.owner])
    if "lengths" not in view.prepared:
        view.prepared["lengths"] = _measure(view, np.ones(len(view.owner), bool))
    found: tuple[_Lengths, ...] = view.prepared["lengths"]
    return found


def _measure(view: View, counted: Bools) -> tuple[_Lengths, ...]:
    stated = (view.stated + ASKED * view.asked) * counted
    every = (view.stated + view.asked) * counted
    size = int(view.company.max()) + 1 if len(view.company) else 1
    together = np.bincount(view.company, _sum(view, stated), size)
    together[0] = 0
    return (
        _Lengths(stated, OFTEN, LONG),
        _Lengths(_sum(view, stated), OFTEN, LONG),
        _Lengths(_sum(view, every), OFTEN_SAID, LONG_SAID),
        _Lengths(together.astype(np.float32), OFTEN, LONG),
    )


class _Counting:
    def __init__(self, view: View, allowed: Bools | None) -> None:
        self._view, self._allowed = view, allowed
        levels = (_Level(lengths) for lengths in _lengths(view, allowed))
        self._passages, self._items, self._said, self._companies = levels
        self._covered = np.zeros(len(view.number), np.float32)
        self._standings: dict[str, TermPostings] = {}
        self._rarity: dict[str, float] = {}

    def count(self, term: str) -> None:
        again = term in self._standings
        if not again:
            found = self._view.standing(term)
            if self._allowed is not None:
                seen = self._allowed[self._view.owner[found.at]]
                at, stated, asked = found
                found = TermPostings(at[seen], stated[seen], asked[seen])
            self._standings[term] = found
        at, stated, asked = self._standings[term]
        items: Ints = np.zeros(0, np.int64)
        if len(at):
            counts, every = stated + ASKED * asked, stated + asked
            self._passages.add(at, counts)
            starts = np.flatnonzero(np.diff(self._view.owner[at], prepend=-1))
            items = self._view.owner[at[starts]]
            counted = np.add.reduceat(counts, starts)
            self._items.add(items, counted)
            self._said.add(items, np.add.reduceat(every, starts))
            company = self._view.company[items]
            sums = np.bincount(company, counted, len(self._companies.score))
            sums[0] = 0
            together = np.flatnonzero(sums)
            self._companies.add(together, sums[together].astype(np.float32))
        if not again:
            # How much of a question a word is, in a small workspace too: one that
            # nobody has tells no more than one that somebody has.
            share = (len(self._view.number) + FEW) / max(1, len(items))
            self._rarity[term] = float(np.log1p(share))
            self._covered[items] += self._rarity[term]

    def result(self) -> Bm25Scores:
        return Bm25Scores(
            self._passages.score,
            self._items.score,
            self._said.score,
            self._companies.score[self._view.company],
            self._covered / max(sum(self._rarity.values()), 1e-6),
            self._standings,
            self._rarity,
        )


def _sum(view: View, values: Floats) -> Floats:
    """What the passages of each item have together."""
    if not len(view.first):
        return np.zeros(0, np.float32)
    return np.add.reduceat(values, view.first)
