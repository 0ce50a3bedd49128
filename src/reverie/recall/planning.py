"""What sort of question it is, and what its answer is likely to have.

The sorts are the rows of the design's table, in its words; every other question is a
general one, which finds the same memories in another order.
"""

from __future__ import annotations

import re

from reverie.index.passages import Cue
from reverie.model.recall import Plan

_PLANS = {
    Plan.HOW: r"\bhow (?:do|should) (?:i|we)\b|\bhow to\b",
    Plan.LATEST: r"\b(?:what(?:'s| is| are)|any) (?:the )?(?:latest|news|updates?)\b"
    r"|\bwhat(?:'s| is) new\b",
    Plan.WHEN: r"^\W*when\b|\bwhen (?:did|was|were|do|does|is|will|have|has)\b"
    r"|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow long ago\b",
    Plan.ABOUT: r"\bwhat (?:do|did) (?:you|we|i) know about\b|\btell me about\b"
    r"|^\W*who (?:is|was)\b",
}
_HOW_MANY = (
    r"\bhow (?:many|much|long|old|far|often|big|tall)\b|\btotal\b"
    r"|\bwhat (?:percentage|number|amount|time|price)\b"
)
_HOW_LONG_AGO = r"\bhow many (?:days|weeks|months|years)\b"
_BOTH_SIDES = (
    r"\bsummar\w+|\b(?:overview|recap)\b|\bremind me\b|\byou (?:\w+ )?(?:said|told"
    r"|gave|recommended|suggested|mentioned|provided|explained|listed)\b"
    r"|\b(?:our|your) (?:\w+ )?(?:conversation|chat|discussion|suggestion"
    r"|recommendation)\b"
)


def wants_both_sides(question: str) -> bool:
    """Whether it asks for all that was said, not for what somebody stated."""
    return _has(_BOTH_SIDES, question)


def choose_plan(question: str) -> Plan:
    """The sort of a question; the first that fits."""
    found = (plan for plan, pattern in _PLANS.items() if _has(pattern, question))
    return next(found, Plan.GENERAL)


def expected_cue(question: str, plan: Plan) -> Cue:
    """What the answer is likely to have: a number, a time, both or neither."""
    cue = Cue.NUMBER if _has(_HOW_MANY, question) else Cue(0)
    if plan is Plan.WHEN or _has(_HOW_LONG_AGO, question):
        cue |= Cue.TIME
    return cue


def _has(pattern: str, question: str) -> bool:
    return re.search(pattern, question, re.IGNORECASE) is not None
