"""Why two short statements cannot both hold, where no grammar is needed to see it.

This complements what reads claims: it compares words. Two statements with the same
words speak against each other where one value differs, one word is the opposite of
another, or one of them is denied; and where they name two owners or places of a thing
that has one. Who is in doubt stays silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.agents.amounts import apart
from reverie.agents.readings import readings
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.agents.readings import Reading, Slot


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
    return f"another {differing[0]}"


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
    if not shared or _HAD.intersection((one.text + " " + other.text).split()):
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
        return "yes against no"
    covered = denied.never and denied.bag < told.bag and len(denied.bag) > 1
    return "so against never" if covered and not denied.values else ""


def _other_slot(one: Reading, other: Reading) -> str:
    """`Maya owns the service`, `the owner of the service is Igor`."""
    if one.negated or other.negated:
        return ""
    for first in one.slots:
        for second in other.slots:
            if first.what == second.what and _differ(first, second):
                return f"{first.said} against {second.said}"
    return ""


def _differ(one: Slot, other: Slot) -> bool:
    if one.subject != other.subject:
        return False
    first, second = one.value, other.value
    if first <= second or second <= first:
        return False
    if one.what == "place":
        # A town lies in its country, and what is said of a language is no place.
        wide = bool(first & _WIDE), bool(second & _WIDE)
        named = one.said[:1].isupper() and other.said[:1].isupper()
        return named and wide[0] is wide[1] and not (first | second) & _LANGUAGES
    return True


_Rule = "Callable[[Reading, Reading], str]"
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
""")
_PREFERRED = _stemmed("prefers likes wants loves favours theme mode favourite")
_HAD = frozenset("has have supports offers sells uses use".split())
_SORTS = _stemmed("""
    project team service tool company customer system product server group
    repository task meeting
""")
_ATTRIBUTES = _stemmed("""
    due port version limit cost budget size count number date time rate timeout plan
    owner lead status name colour launch end room floor
""")
_WIDE = _stemmed("""
    europe asia africa america germany france italy spain portugal austria switzerland
    poland norway sweden finland denmark netherlands belgium ireland england scotland
    wales britain greece turkey japan china india canada brazil mexico australia kenya
    egypt bavaria tuscany catalonia california texas florida scandinavia usa uk eu
    kingdom states
""")
_LANGUAGES = _stemmed("""
    english german french italian spanish portuguese polish dutch danish swedish
    norwegian finnish japanese chinese russian arabic hindi turkish greek
""")
