"""Why two short statements cannot both hold, where no grammar is needed to see it.

This complements what reads claims: it compares words. Two statements with the same
words speak against each other where one value differs, one word is the opposite of
another, or one of them is denied; and where they name two owners or places of a thing
that has one. Who is in doubt stays silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.agents.amounts import AMOUNT, DATE, TIME, VERSION, WEEKDAY, apart
from reverie.agents.antonyms import (
    OUTCOMES,
    are_replacements,
    are_rival_tastes,
    are_rivals,
    exclude_each_other,
    is_denied_by,
)
from reverie.agents.phrases import bag_of, stems_in
from reverie.agents.readings import readings
from reverie.agents.slots import exclude
from reverie.index.words import stems, words

if TYPE_CHECKING:
    from reverie.agents.readings import Reading


MOST_APART = 3
"""By so many words two statements about the same may differ, values aside."""


def opposes(one: str, other: str) -> str:
    """Why a text cannot hold beside another one, in plain words; empty if it can."""
    for first in readings(one):
        for second in readings(other):
            reason = _opposed(first, second)
            if reason:
                return reason
    return ""


def _opposed(one: Reading, other: Reading) -> str:
    if one.slots and other.slots:
        reason = _other_slot(one, other)
        if reason:
            return reason
    # Most pairs share a word or two, and are about something else.
    if len(one.bag ^ other.bag) > MOST_APART and not (one.never or other.never):
        return ""
    return next(filter(None, (rule(one, other) for rule in _RULES)), "")


def _other_value(one: Reading, other: Reading) -> str:
    """`Sessions expire after 30 minutes`, `… after 8 hours`."""
    if one.negated or other.negated or not (one.lasting and other.lasting):
        return ""
    if not one.values or one.values.keys() != other.values.keys():
        return ""
    differing = [k for k in one.values if apart(k, one.values[k], other.values[k])]
    if len(differing) != 1 or not _same_words(one.bag, other.bag):
        return ""
    others = [k for k in one.values if k not in differing]
    if any(one.values[k] != other.values[k] for k in others):
        return ""
    return _OTHER[differing[0]]


_OTHER = {
    DATE: "a different day",
    WEEKDAY: "a different day of the week",
    TIME: "a different time",
    VERSION: "a different version",
    AMOUNT: "a different number",
}


def _same_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two statements are about the same, but for a word like `project`."""
    if one - _SPEAKERS == other - _SPEAKERS:
        return bool(one - _SPEAKERS)
    more, less = (one, other) if len(one) > len(other) else (other, one)
    return less < more and more - less <= _SORTS and bool(less - _SORTS - _ATTRIBUTES)


def _opposite_word(one: Reading, other: Reading) -> str:
    """`passed the review`, `failed the review`."""
    if one.negated or other.negated or one.values != other.values:
        return ""
    if _unmade(one, other):
        return "one word denies the other"
    first, second = one.bag - other.bag, other.bag - one.bag
    shared = one.bag & other.bag
    if len(first) != 1 or len(second) != 1 or not shared:
        return ""
    (left,), (right,) = first, second
    if left in one.before or right in other.before:
        return ""
    opposite = _rules_out(left, right, one, other) or _is_rival(left, right, shared)
    return f"{left} against {right}" if opposite else ""


def _unmade(one: Reading, other: Reading) -> bool:
    """`the field is mutable`, `the field is immutable`."""
    first, second = set(words(one.text)), set(words(other.text))
    left, right = first - second - _ARTICLES, second - first - _ARTICLES
    if len(left) != 1 or len(right) != 1 or one.had or other.had:
        return False
    if bag_of(*left) <= one.before or bag_of(*right) <= other.before:
        return False
    return is_denied_by(*left, *right)


def _rules_out(left: str, right: str, one: Reading, other: Reading) -> bool:
    """Whether one word leaves no room for the other: who opens may close later."""
    if one.had or other.had or not exclude_each_other(left, right):
        return False
    return not (one.event or other.event) or {left, right} <= OUTCOMES


def _is_rival(left: str, right: str, shared: frozenset[str]) -> bool:
    """Whether somebody wants this, and wants that instead."""
    if shared & _CHOSEN and are_rivals(left, right):
        return True
    if shared & _USED and are_replacements(left, right):
        return True
    return bool(shared & _WANTED) and are_rival_tastes(left, right)


def _denied(one: Reading, other: Reading) -> str:
    """`is signed`, `has not been signed yet`; `drinks coffee at noon`, `never does`."""
    if one.negated is other.negated or one.over is not other.over:
        return ""
    denied, told = (one, other) if one.negated else (other, one)
    if denied.values == told.values and denied.bag == told.bag and denied.bag:
        return "one says so, the other denies it"
    if denied.values and denied.values != told.values:
        return ""
    if denied.never and denied.bag <= told.bag - _HOPED and len(denied.bag) > 1:
        return "one says so, the other says never"
    return "one says so, the other denies it" if _narrows(told, denied) else ""


def _narrows(told: Reading, denied: Reading) -> bool:
    """Whether one says more closely what the other denies: `speaks fluent French`."""
    more = told.bag - denied.bag
    if not denied.bag < told.bag or told.before != denied.before or more & _HOPED:
        return False
    row = [*stems(words(told.text)), ""]
    # A word behind another makes it something else: a roadmap draft is no roadmap.
    behind = any(
        a in denied.bag and b in more and c not in denied.bag
        for a, b, c in zip(row, row[1:], row[2:], strict=False)
    )
    return len(denied.bag - denied.before) > 1 and len(more) == 1 and not behind


def _other_slot(one: Reading, other: Reading) -> str:
    """`Maya owns the service`, `the owner of the service is Igor`."""
    if one.negated or other.negated or one.values != other.values:
        return ""
    for first in one.slots:
        for second in other.slots:
            if exclude(first, second):
                return f"{first.said} against {second.said}"
    return ""


def _turned_round(one: Reading, other: Reading) -> str:
    """`Ana reports to Bo`, `Bo reports to Ana`."""
    if one.bag != other.bag or one.negated is not other.negated:
        return ""
    first, second = stems(words(one.text)), stems(words(other.text))
    if ("by" in first) is not ("by" in second):
        return ""
    told = [word for word in first if word in one.bag]
    turned = [word for word in second if word in one.bag]
    swapped = len(told) > 2 and told[0] == turned[-1] and told[-1] == turned[0]
    ordered = not _ORDERED.isdisjoint(first) and not _ORDERED.isdisjoint(second)
    return "the other way round" if swapped and ordered else ""


_ORDERED = stems_in("than before after reports precedes blocks replaces manages leads")
_RULES = (_turned_round, _other_value, _opposite_word, _denied)


_CHOSEN = stems_in("prefers favours favourite default")
_USED = _CHOSEN | stems_in("uses follows runs practises builds manages tracks")
_ARTICLES = frozenset(("a", "an", "the"))
_WANTED = _CHOSEN | stems_in("likes wants loves theme mode")
_HOPED = frozenset(("may", "should", "must"))
_SPEAKERS = frozenset(("we",))
_SORTS = stems_in("""
    project team service tool company customer system product server group
    repository task meeting
""")
_ATTRIBUTES = stems_in("""
    due port version limit cost budget size count number date time rate timeout plan
    owner lead status name colour launch end room floor
""")
