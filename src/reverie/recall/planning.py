"""What sort of question it is, and what its answer is likely to have."""

from __future__ import annotations

import re

from reverie.index.passages import Cue
from reverie.model.recall import Plan

_PLANS = (
    (
        Plan.HOW,
        re.compile(
            r"\bhow (?:do|did|should|would|can|could) (?:i|we|you) (?:usually|normally|"
            r"typically|always|best|generally)\b|\bhow to\b"
            r"|\b(?:usual|normal|standard) (?:way|process|procedure|workflow)\b"
            r"|\b(?:what are the )?steps (?:to|for)\b"
            r"|\bhow (?:do|should) (?:i|we) \w+",
            re.IGNORECASE,
        ),
    ),
    (
        Plan.LATEST,
        re.compile(
            r"\b(?:what(?:'s| is| are)|any) (?:the )?(?:latest|newest|news"
            r"|most recent)\b"
            r"|\bwhat(?:'s| is) new\b|\b(?:current|latest) (?:state|status)\b"
            r"|\bwhere (?:do|did) (?:we|things) (?:stand|leave)\b|\bany updates?\b"
            r"|\bwhat(?:'s| is) (?:happening|going on) with\b",
            re.IGNORECASE,
        ),
    ),
    (
        Plan.WHEN,
        re.compile(
            r"^\W*when\b|\bwhen (?:did|was|were|do|does|is|will|have|has)\b"
            r"|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow long ago\b"
            r"|\bsince when\b",
            re.IGNORECASE,
        ),
    ),
    (
        Plan.ABOUT,
        re.compile(
            r"\bwhat (?:do|did) (?:you|we|i) (?:know|remember|have) (?:about|on|of)\b"
            r"|\btell me (?:everything |all |more )?(?:about|of)\b"
            r"|^\W*(?:who|what)(?:'s| is| are| was| were) [\w' -]+\??\s*$"
            r"|\bremind me (?:about|of|who|what)\b",
            re.IGNORECASE,
        ),
    ),
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|old|far|often|big|tall)\b|\btotal\b"
    r"|\bwhat (?:percentage|number|amount|time|price)\b",
    re.IGNORECASE,
)


_BOTH_SIDES = re.compile(
    r"\bsummar\w+|\b(?:overview|recap)\b|\bremind me\b"
    r"|\byou (?:\w+ )?(?:said|told|gave|recommended|suggested|mentioned|provided"
    r"|explained|listed)\b"
    r"|\b(?:our|your) (?:\w+ )?(?:conversation|chat|discussion|suggestion"
    r"|recommendation)\b",
    re.IGNORECASE,
)
_HOW_LONG_AGO = re.compile(
    r"\bhow many (?:days|weeks|months|years)\b|\bhow long ago\b", re.IGNORECASE
)


def wants_both_sides(question: str) -> bool:
    """Whether it asks for all that was said, not for what somebody stated."""
    return bool(_BOTH_SIDES.search(question))


def choose_plan(question: str) -> Plan:
    """The sort of a question; the first that fits."""
    found = (plan for plan, pattern in _PLANS if pattern.search(question))
    return next(found, Plan.GENERAL)


def expected_cue(question: str, plan: Plan) -> Cue:
    """What the answer is likely to have: a number, a time, both or neither."""
    cue = Cue.NUMBER if _HOW_MANY.search(question) else Cue(0)
    if plan is Plan.WHEN or _HOW_LONG_AGO.search(question):
        cue |= Cue.TIME
    return cue
