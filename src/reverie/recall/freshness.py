"""Put the newer of two statements about one thing first.

A question for how something *is* wants the last word on it. So among the best hits,
a newer statement that matches the same words and is about the same thing moves above
the older one, if it is nearly as good, or says by its words that something changed.
What is superseded in the graph is not found as current in the first place; this is
for what people just say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from reverie.index.text import Cue

if TYPE_CHECKING:
    from reverie.index.vectors import Ints
    from reverie.index.view import View
    from reverie.recall.score import ScoredCandidates

BEST = 10
"""Only among so many is the order changed."""

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

_WHEN = re.compile(
    r"^\s*(?:when|what (?:date|day|month|year|time)|how long ago)\b|\bwhen did\b"
    r"|\border\b|\bhow many (?:days|weeks|months|years)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|latest|recent(?:ly)?|these days|still|so far"
    r"|switch(?:ed)?|change[ds]?|updated?|moved?|lately)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\bhow (?:many|much|often|long|old|far|big|large)\b|\b(?:is|are|am|do|does)\b"
    r"|\b(?:amount|number|percentage|time|rate|score|ratio|price|cost|count|size"
    r"|deadline)\b",
    re.IGNORECASE,
)
_SOMETHING_ELSE = re.compile(
    r"\b(?:first (?:time|ever)|at first|initial(?:ly)?|original(?:ly)?|previous(?:ly)?"
    r"|used to|before|former(?:ly)?|earlier|across|between|different|all|both"
    r"|compare[ds]?|order|list|various|summar\w+|altogether|combined"
    r"|what (?:\w+ )?(?:types|kinds?|events|activities)"
    r"|(?:can|could|would|will|should) (?:you|i|we)|suggest|recommend|help me"
    r"|explain)\b|\b(?:happened|came) first\b|\bhow long did\b"
    r"|\bdid i (?:say|mention|tell|describe|outline)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"^\s*(?:have|has|do|does|did|is|are|was|were|would|i'm|i am"
    r"|how (?:do|did|can|should|have|has|would)|why)\b",
    re.IGNORECASE,
)


def wants_present(question: str) -> bool:
    """Whether a question is about how something is now.

    Not: when it was, how it used to be, how things compare, what to do, yes or no.
    """
    if _WHEN.search(question) or _SOMETHING_ELSE.search(question):
        return False
    if _NOW.search(question):
        return True
    return bool(_VALUE.search(question) and not _YES_OR_NO.search(question))


def freshen(view: View, found: ScoredCandidates) -> Ints:
    """The order of the candidates with newer statements above older ones."""
    judge = _Judge(view, found)
    best = list(range(min(BEST, len(found.items))))
    order, moved = list(best), set[int]()
    for old in best[:OVERTAKEN]:
        later = [n for n in order[order.index(old) + 1 :] if n not in moved]
        sure, new = max(((judge.supersedes(n, old), n) for n in later), default=(0, 0))
        if sure:
            order.remove(new)
            order.insert(order.index(old), new)
            moved.add(new)
    return np.array([*order, *range(len(order), len(found.items))], np.int64)


class _Judge:
    def __init__(self, view: View, found: ScoredCandidates) -> None:
        self._view, self._found = view, found
        self._stated = [self._words(item) for item in found.items[:BEST]]

    def _words(self, item: int) -> set[str]:
        """Words of the question that a memory has where it speaks of its speaker."""
        view, words = self._view, self._found.words
        first, end = view.first[item], view.first[item] + view.count[item]
        return {
            term
            for term, (at, _, _) in words.standings.items()
            for near in [at[np.searchsorted(at, first) : np.searchsorted(at, end)]]
            if len(near) and view.own[near].any()
        }

    def supersedes(self, new: int, old: int) -> float:
        """How surely one candidate is the later word on what another says."""
        if not (self._later(new, old) and self._good_enough(new, old)):
            return 0.0
        one, other = self._stated[new], self._stated[old]
        shared = self._sum(one & other) / max(self._sum(one | other), 1e-9)
        cloud, at = self._view.cloud, self._found.passage
        alike = cloud.between(int(at[new]), int(at[old])) if cloud.filled else 0.5
        sure = alike * shared
        return sure if sure >= SAME else 0.0

    def _later(self, new: int, old: int) -> bool:
        view = self._view
        left, right = self._found.items[new], self._found.items[old]
        if view.company[left] and view.company[left] == view.company[right]:
            return bool(view.rank[left] - view.rank[right] >= APART)
        return bool(view.at[left] > view.at[right])

    def _good_enough(self, new: int, old: int) -> bool:
        view, found = self._view, self._found
        one, other = found.passage[new], found.passage[old]
        if not view.own[one]:
            return False
        if view.cues[other] & Cue.NUMBER and not view.cues[one] & Cue.NUMBER:
            return False
        share = CHANGED if view.cues[one] & Cue.UPDATE else NEARLY
        return bool(found.score[new] >= share * found.score[old])

    def _sum(self, terms: set[str]) -> float:
        return sum(self._found.words.rarity[term] for term in terms)
