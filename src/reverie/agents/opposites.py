"""Why two short statements cannot both hold, where no grammar is needed to see it.

This complements what reads claims: it compares words. Two statements with the same
words speak against each other where one value differs, one word is the opposite of
another, or one of them is denied; and where they name two owners or places of a thing
that has one. Who is in doubt stays silent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.agents.amounts import AMOUNT, DATE, TIME, VERSION, WEEKDAY, apart
from reverie.agents.readings import readings
from reverie.agents.slots import exclude
from reverie.index.words import stems

if TYPE_CHECKING:
    from reverie.agents.readings import Reading


def opposes(one: str, other: str) -> str:
    """Why a text cannot hold beside another one, in plain words; empty if it can."""
    for first in readings(one):
        for second in readings(other):
            reason = next(filter(None, (rule(first, second) for rule in _RULES)), "")
            if reason:
                return reason
    return ""


def _other_value(one: Reading, other: Reading) -> str:
    """`Sessions expire after 30 minutes`, `… after 8 hours`."""
    if one.negated or other.negated or not (one.stative and other.stative):
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
    if one == other:
        return bool(one)
    more, less = (one, other) if len(one) > len(other) else (other, one)
    return less < more and more - less <= _SORTS and bool(less - _SORTS - _ATTRIBUTES)


def _opposite_word(one: Reading, other: Reading) -> str:
    """`passed the review`, `failed the review`."""
    if one.negated or other.negated or not (one.stative and other.stative):
        return ""
    first, second = one.bag - other.bag, other.bag - one.bag
    if len(first) != 1 or len(second) != 1 or one.values != other.values:
        return ""
    shared = one.bag & other.bag
    (left,), (right,) = first, second
    if not shared or _HAD.search(f"{one.text} {other.text}"):
        return ""
    return f"{left} against {right}" if _excludes(left, right, shared) else ""


def _excludes(one: str, other: str, shared: frozenset[str]) -> bool:
    groups = _GROUPS.get(one, frozenset()) & _GROUPS.get(other, frozenset())
    if groups:
        return True
    tastes = _TASTES.get(one, frozenset()) & _TASTES.get(other, frozenset())
    return bool(tastes and shared & _PREFERRED)


def _denied(one: Reading, other: Reading) -> str:
    """`is signed`, `has not been signed yet`; `drinks coffee at noon`, `never does`."""
    if one.negated is other.negated or one.over is not other.over:
        return ""
    denied, told = (one, other) if one.negated else (other, one)
    if denied.values == told.values and denied.bag == told.bag and denied.bag:
        return "one says so, the other denies it"
    covered = denied.never and denied.bag < told.bag and len(denied.bag) > 1
    never = covered and not denied.values
    return "one says so, the other says never" if never else ""


def _other_slot(one: Reading, other: Reading) -> str:
    """`Maya owns the service`, `the owner of the service is Igor`."""
    if one.negated or other.negated:
        return ""
    for first in one.slots:
        for second in other.slots:
            if exclude(first, second):
                return f"{first.said} against {second.said}"
    return ""


_RULES = (_other_value, _opposite_word, _denied, _other_slot)


def _stemmed(table: str) -> frozenset[str]:
    return frozenset(stems(table.split()))


def _grouped(table: str) -> dict[str, frozenset[int]]:
    """For each word the lines it stands on; two on one line exclude each other."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(table.strip().splitlines()):
        for stem in stems(line.split()):
            groups.setdefault(stem, set()).add(number)
    return {stem: frozenset(found) for stem, found in groups.items()}


_GROUPS = _grouped("""
    passed failed
    succeeded failed
    before after
    passing failing broken
    accepted rejected declined
    approved rejected
    allowed forbidden
    enabled disabled
    mandatory optional
    required optional
    public private
    internal external
    open closed shut
    green red broken failing
    works broken
    online offline
    active inactive
    available unavailable
    paid unpaid
    signed unsigned
    merged unmerged
    done unfinished pending paused cancelled open
    confirmed cancelled
    punctual late delayed overdue
    synchronous asynchronous
    encrypted unencrypted
    increased decreased
    rising falling
    manual automatic
    daily weekly monthly yearly hourly nightly
    metric imperial
    fulltime parttime
    vegetarian vegan omnivore
    married divorced single
    left right
    indoors outdoors
    stable unstable
    safe unsafe
    compatible incompatible
    valid invalid expired
    known unknown
    supported unsupported deprecated
    fast slow
    early late
    full empty
    always never
""")
_TASTES = _grouped("""
    short long
    brief detailed long
    concise verbose detailed
    dark light
    big small
    large small
    hot cold
    loud quiet
    formal informal casual
    morning evening afternoon
    sweet savoury
    written spoken
    tabs spaces
    window aisle
    paper digital
    early late
    warm cold
    single double
    serif sans
    red blue green
    bright dark
    few many
    british american
    english german french italian spanish portuguese polish dutch
""")
_PREFERRED = _stemmed("prefers likes wants loves favours theme mode favourite")
_HAD = re.compile(r"\b(?:ha(?:s|ve)(?! been)|supports?|offers?|sells|uses?)\b")
_SORTS = _stemmed("""
    project team service tool company customer system product server group
    repository task meeting
""")
_ATTRIBUTES = _stemmed("""
    due port version limit cost budget size count number date time rate timeout plan
    owner lead status name colour launch end room floor
""")
