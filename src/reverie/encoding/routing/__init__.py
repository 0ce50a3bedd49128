"""Routing by rules: where a plain sentence belongs, and what it names (design, 8.2).

Everything here is pure: text in, a `Route` or a `Filing` out. The rules know English;
what they cannot read they file as an episode, and say that they are not sure.
"""

from __future__ import annotations

import re

from reverie.encoding.routing.deciding import judge
from reverie.encoding.routing.known import Known, entity_id, owner
from reverie.encoding.routing.placing import Filing, filing_of, place_of
from reverie.encoding.routing.procedures import steps_of
from reverie.encoding.routing.reading import read
from reverie.encoding.routing.telling import summary_of, tags_of
from reverie.model.route import MOST_MENTIONS, Route

__all__ = [
    "Filing",
    "Known",
    "entity_id",
    "file_by_rules",
    "filing_of",
    "place_of",
    "route_by_rules",
    "steps_of",
]


def route_by_rules(text: str, known: Known) -> Route:
    """Where a text belongs and what it names, found without a model."""
    text = _with_subject(text)
    sentences, human = read(text), owner(known).id
    verdict = judge(text, sentences, known)
    return Route(
        verdict.store,
        tuple(one.mention for one in verdict.things[:MOST_MENTIONS]),
        verdict.relations[:MOST_MENTIONS],
        tags_of(sentences, (one for one in verdict.things if one.id != human)),
        verdict.confidence,
        verdict.block is not None,
        summary_of(sentences, text, known),
    )


def _with_subject(text: str) -> str:
    """A note without a subject speaks of the owner, such as `Prefers tabs`."""
    found = _NO_SUBJECT.match(text)
    return f"User {found[0].lower()}{text[found.end() :]}" if found else text


_NO_SUBJECT = re.compile(
    r"(?:Prefers|Likes|Loves|Hates|Dislikes|Enjoys|Avoids|Lives|Works|Speaks|Wants"
    r"|Needs|Owns|Drinks|Eats|Studies|Teaches|Grew up|Was born)\b(?=\s+\w)"
)


def file_by_rules(text: str, known: Known) -> Filing:
    """Where a text goes, found without a model."""
    return filing_of(route_by_rules(text, known), text, known)
