"""The question that a corrected fact answers from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.index.sketches import spoken
from reverie.markdown import one_line
from reverie.model.reflection import Expected

if TYPE_CHECKING:
    from datetime import date

_ASKED = {
    "lives in": "Where does {} live?",
    "works at": "Where does {} work?",
    "works as": "What does {} work as?",
    "is married to": "Who is {} married to?",
    "is engaged to": "Who is {} engaged to?",
    "was born": "When and where was {} born?",
    "reports to": "Who does {} report to?",
    "is located in": "Where is {} located?",
    "is written in": "What is {} written in?",
    "is from": "Where is {} from?",
    "is called": "What is {} called?",
    "is due": "When is {} due?",
    "costs": "What does {} cost?",
    "weighs": "What does {} weigh?",
    "takes": "What does {} take?",
    "opens": "When does {} open?",
    "closes": "When does {} close?",
    "starts": "When does {} start?",
    "ends": "When does {} end?",
    "leaves": "When does {} leave?",
    "arrives": "When does {} arrive?",
    "expires": "When does {} expire?",
    "runs on port": "Which port does {} run on?",
    "is on version": "Which version is {} on?",
}
"""How what a verb claims is asked for."""

_DATED = frozenset(("date", "weekday", "time"))


def from_correction(
    label: str, fact: str, since: date | None = None, source: str = "manual"
) -> Expected:
    """The question that a corrected fact answers from now on.

    Args:
        label: Of whom or what it is known.
        fact: What is known, as its page says it.
        since: The day it was corrected.
        source: What corrected it.
    """
    question, answer = _claimed(one_line(label), one_line(fact))
    return Expected(question, answer, since, source)


def _claimed(label: str, fact: str) -> tuple[str, str]:
    """What is claimed, as a question and its answer."""
    from reverie.encoding.claims import claim_of  # noqa: PLC0415 - much to load

    said = spoken(label, fact)
    claim = claim_of(said)
    broad = f"What is known about {label}?", fact
    if not claim or not claim.single or claim.negated or not claim.value.shown:
        return broad
    subject = claim.about.said
    if claim.named == subject:
        # The subject is told with its attribute: `Apollo's deadline`.
        bare = claim_of(fact) if said != fact else None
        if bare and bare.value == claim.value:
            thing = bare.about.said.removeprefix("the ")
            subject = f"{label}'s {thing[:1].lower()}{thing[1:]}"
        return f"What is {subject}?", claim.value.shown
    asked = _ASKED.get(claim.attribute, "")
    if claim.attribute == "is on" and not _DATED.isdisjoint(claim.value.parts):
        asked = "When is {}?"
    return (asked.format(subject), claim.value.shown) if asked else broad
