"""BM25: how well the words of memories fit the words of a question.

Counted at three levels at once, passage, item and company (what was said before and
after), from one array of postings a stem; idf as the field has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from reverie.index.view import TermPostings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.index.view import Bools, Floats, View

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


class Bm25Scores(Struct, frozen=True):
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


def bm25(view: View, terms: Sequence[str], allowed: Bools | None = None) -> Bm25Scores:
    """Count where the words of a question stand.

    Args:
        view: Everything; not nothing.
        terms: The stems of the question.
        allowed: What who asks may see: the rest is not even counted.
    """
    if allowed is None:
        levels = view.once("levels", lambda: _levels(view, np.ones(1, bool)))
    else:
        levels = _levels(view, allowed[view.owner])
    scores = [np.zeros(len(norm), np.float32) for norm, _ in levels]
    covered = np.zeros(len(view.number), np.float32)
    standings: dict[str, TermPostings] = {}
    rarity: dict[str, float] = {}
    for term in terms:
        if term not in standings:
            found = view.standing(term)
            if allowed is not None:
                seen = allowed[view.owner[found.at]]
                found = TermPostings._make(column[seen] for column in found)
            standings[term] = found
        at, stated, asked = standings[term]
        owner = view.owner[at].astype(np.intp)
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        items = owner[starts]
        if len(at):
            counts = stated + ASKED * asked
            counted = np.add.reduceat(counts, starts)
            sums = np.bincount(view.company[items], counted, len(scores[-1]))
            sums[0] = 0
            together = np.flatnonzero(sums)
            every = np.add.reduceat(stated + asked, starts)
            places = (at, items, items, together)
            amounts = (counts, counted, every, sums[together].astype(np.float32))
            for n, (norm, texts) in enumerate(levels):
                where, count, there = places[n], amounts[n], len(places[n])
                idf = float(np.log1p((texts - there + 0.5) / (there + 0.5)))
                scores[n][where] += idf * count / (count + norm[where])
        if term not in rarity:
            # How much of a question a word is, in a small workspace too: one that
            # nobody has tells no more than one that somebody has.
            share = (len(view.number) + FEW) / max(1, len(items))
            rarity[term] = float(np.log1p(share))
            covered[items] += rarity[term]
    passages, by_item, said, companies = scores
    coverage = covered / max(sum(rarity.values()), 1e-6)
    beside = companies[view.company]
    return Bm25Scores(passages, by_item, said, beside, coverage, standings, rarity)


def _levels(view: View, counted: Bools) -> list[tuple[Floats, int]]:
    """Norms and numbers of passages, items, items with every word, and companies."""
    stated = (view.stated + ASKED * view.asked) * counted
    every = (view.stated + view.asked) * counted
    of_items, in_full = (np.add.reduceat(v, view.first) for v in (stated, every))
    together = np.bincount(view.company, of_items)
    together[0] = 0
    found = []
    for lengths, often, long in (
        (stated, OFTEN, LONG),
        (of_items, OFTEN, LONG),
        (in_full, OFTEN_SAID, LONG_SAID),
        (together.astype(np.float32), OFTEN, LONG),
    ):
        texts = int((lengths > 0).sum())
        mean = max(float(lengths.sum()) / max(texts, 1), 1e-6)
        norm = often * (1 - long + long * lengths / mean)
        found.append((norm.astype(np.float32), texts))
    return found
