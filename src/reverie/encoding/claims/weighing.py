"""Whether a new statement speaks against an old one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.encoding.claims.reading import MOST_KEPT, claims_of
from reverie.encoding.claims.subjects import matches
from reverie.encoding.claims.values import differ, same
from reverie.encoding.routing.reading import MOST_READ
from reverie.index.words import STOP_WORDS
from reverie.index.words import words as split_words

if TYPE_CHECKING:
    from reverie.encoding.claims.reading import Claim


def contradicts(new: str, old: str) -> str:
    """Why a new text cannot hold beside an old one, in plain words; empty if it can."""
    if _marks(new[:MOST_READ]).isdisjoint(_marks(old[:MOST_READ])):
        return ""
    for claim in claims_of(new):
        for other in claims_of(old):
            reason = _against(claim, other)
            if reason:
                return reason
    return ""


@lru_cache(maxsize=MOST_KEPT)
def _marks(text: str) -> frozenset[str]:
    """How the words of a text begin; what has none in common is not about the same."""
    found = split_words(text)
    return frozenset(_SAME.get(w, w[:4]) for w in found if w not in _FUNCTION)


def _against(new: Claim, old: Claim) -> str:
    if new.attribute != old.attribute or not matches(new.about, old.about):
        return ""
    if new.negated is not old.negated and same(new.value, old.value):
        told = old if new.negated else new
        what = f"{told.named} {told.value.shown}".strip()
        return f"{what}: {_yes(old)} before, {_yes(new)} now"
    asserted = not (new.negated or old.negated) and new.single and old.single
    placed = new.attribute in _PLACED
    if asserted and differ(new.value, old.value, placed=placed):
        return f"{new.named}: {_told(old)} before, {_told(new)} now"
    return ""


def _told(claim: Claim) -> str:
    """A value without the preposition before it."""
    return _BEFORE.sub("", claim.value.shown)


def _yes(claim: Claim) -> str:
    return "no" if claim.negated else "yes"


_SAME = dict.fromkeys(("i", "my", "me", "m"), "user") | {"our": "we", "us": "we"}
_FUNCTION = STOP_WORDS - {*_SAME, "we"}
_BEFORE = re.compile(r"^(?:on|at|in|by|until|the) (?=\S)")
_PLACED = frozenset(("lives in", "is from", "is located in", "was born", "location"))
