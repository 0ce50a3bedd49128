"""Why two statements about the same thing cannot both hold, or no longer do.

What `contradicts` sees, and what a diary says besides: that somebody moved, that one
thing took the place of another, that something is done no longer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.claims import contradicts
from reverie.encoding.claims.subjects import matches
from reverie.encoding.claims.values import differ
from reverie.index.words import stems, terms
from reverie.reflection.rules.parting import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.claims import Claim

USES = "uses"
TASTE = "taste"


@dataclass(frozen=True, slots=True)
class Side:
    """What a statement says, ready to be compared.

    Attributes:
        text: The sentence, naming whom it is about.
        claims: What it claims.
    """

    text: str
    claims: tuple[Claim, ...]


def respects(side: Side) -> Iterator[tuple[str, ...]]:
    """In which respects a statement can be spoken against, or speaks against one."""
    for claim in side.claims:
        value = () if claim.single else (claim.value.said.casefold(),)
        yield (claim.attribute, *value)
        if claim.attribute in _TASTES and claim.value.said:
            yield TASTE, *stems(claim.value.said.split()[-1:])
    if _LEFT.search(side.text) or _USED.search(side.text):
        yield (USES,)


def why_not_both(new: Side, old: Side) -> str:
    """Why a newer statement cannot hold beside an older one; empty if it can."""
    return (
        contradicts(new.text, old.text)
        or _moved(new, old)
        or _replaced(new, old)
        or _ended(new, old)
        or _other_taste(new, old)
    )


def replaces(text: str) -> bool:
    """Whether a statement says itself that something else held before it."""
    return _LEFT.search(text) is not None


def corrects(text: str) -> bool:
    """Whether a statement says itself that it was another way, or told wrongly."""
    return bool(_OVER.search(text) or _CORRECTED.search(text))


def parts_of(text: str) -> tuple[str, ...]:
    """What a sentence says, each apart; what took whose place is said by both."""
    return (text,) if replaces(text) else clauses(text)


def _moved(new: Side, old: Side) -> str:
    """Who moved lives elsewhere now."""
    if not _MOVED.search(new.text):
        return ""
    for claim in new.claims:
        for other in old.claims:
            same = claim.attribute == other.attribute == "lives in"
            holds = same and not (claim.negated or other.negated)
            if holds and differ(claim.value, other.value):
                return f"{claim.named}: {other.value.shown} before, then moved"
    return ""


def _replaced(new: Side, old: Side) -> str:
    """What was left behind is used no more."""
    left = _LEFT.search(new.text)
    if not left or _LEFT.search(old.text) or not _USED.search(old.text):
        return ""
    name = next(filter(None, left.groups()))
    gone = set(terms(name))
    if gone and gone <= set(terms(old.text)):
        return f"{name}: used before, then given up"
    return ""


def _ended(new: Side, old: Side) -> str:
    """`No longer plays the viola` ends playing it in a quartet."""
    for claim in new.claims:
        for other in old.claims:
            both = {claim.attribute, other.attribute}
            alike = len(both) == 1 or both <= _TASTES
            same = alike and matches(claim.about, other.about)
            over = claim.negated and not other.negated and _OVER.search(new.text)
            covers = claim.value.rest <= other.value.rest
            if same and over and covers and claim.value.said == other.value.said:
                what = f"{other.named} {other.value.shown}".strip()
                return f"{what}: so before, then no longer"
    return ""


def _other_taste(new: Side, old: Side) -> str:
    """`Prefers long meetings now` after short ones."""
    for claim in new.claims:
        for other in old.claims:
            if not {claim.attribute, other.attribute} <= _TASTES:
                continue
            if claim.negated or other.negated or not matches(claim.about, other.about):
                continue
            if claim.value.rest != other.value.rest:
                continue
            if _turned(claim, other, newer=_NEWER.search(new.text) is not None):
                return f"{claim.named}: {other.value.shown} before, then otherwise"
    return ""


def _turned(new: Claim, old: Claim, *, newer: bool) -> bool:
    """Whether two tastes differ in one word that cannot be both."""
    first, second = new.value.said.split(), old.value.said.split()
    if len(first) != len(second) or first[-1:] != second[-1:]:
        return False
    pairs = [{a, b} for a, b in zip(first, second, strict=True) if a != b]
    return len(pairs) == 1 and (newer or pairs[0] in _OPPOSITES)


_TASTES = frozenset(("prefer", "likes", "want"))
_OPPOSITES = (
    {"short", "long"},
    {"big", "small"},
    {"large", "small"},
    {"early", "late"},
    {"light", "dark"},
    {"hot", "cold"},
    {"loud", "quiet"},
    {"fast", "slow"},
    {"formal", "informal"},
    {"public", "private"},
)
_NEWER = re.compile(r"\b(?:now|nowadays|these days|instead|lately|from now on)\b")
_OVER = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|stopped|quit|gave up|given up|never again)"
    r"\b"
)
_CORRECTED = re.compile(
    r"\b(?:turns out|actually|correction|in fact|wrong|wrongly|mistaken)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:moved|relocated) (?:back )?(?:from .{1,40}? )?to\b")
_NAMED = r"([A-Z0-9][\w.+#-]{1,30}(?: [A-Z0-9][\w.+#-]{1,30}){0,2})"
_LEFT = re.compile(
    r"\b(?:switch|switched|moved?|migrated?|changed?)\b(?: [^ .;]{1,30}){0,5}? from"
    rf" {_NAMED} to\b"
    rf"|\b(?:replaced?|swap|swapped) {_NAMED} (?:with|by|for)\b"
    rf"|\b(?:drop|dropped|ditch|ditched|abandon|abandoned|removed?|retired?) {_NAMED}"
    r"(?: (?:for|in favou?r of)\b|,? (?:and|to) (?:now )?(?:use|using|adopt|take|took"
    r"|switch|switched|move|moved|chose|choose|went)\b)"
    rf"|\b(?:stop|stopped) using {_NAMED}|\bno longer uses? {_NAMED}"
    rf"|\b(?:uses?|using|used|took|chose) [^.;]{{1,40}} instead of {_NAMED}"
)
_USED = re.compile(
    r"\b(?:uses?|using|(?:runs?|run|relies|depends?|based|hosted|built) (?:on|with)"
    r"|(?:written|built|implemented) in)\b",
    re.IGNORECASE,
)
