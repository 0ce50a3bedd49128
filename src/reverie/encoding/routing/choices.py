"""Decisions that name both what they are for and what was chosen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.routing.clauses import after
from reverie.encoding.routing.known import thing
from reverie.encoding.routing.lexicon import GENERIC_TAILS
from reverie.encoding.routing.naming import named_at
from reverie.encoding.routing.relating import phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Sentence, Word
    from reverie.encoding.routing.subjects import Subject

_USED = re.compile(
    r"(?:we |i |[a-z]+ and i )?(?:have )?(?:now |finally )?"
    r"(?:(?:decided|agreed|chose|opted|are going|voted) to (?:use|adopt|switch to"
    r"|move to|build on)|(?:will |now )?use|switched to|(?:are )?(?:now )?using"
    r"|adopted) "
)
_PICKED = re.compile(
    r"(?:we |i |[a-z]+ and i )?(?:have )?(?:now |finally )?"
    r"(?:chose|chosen|picked|went with|settled on|opted for|decided (?:on|for)"
    r"|are going with|am going with|selected) "
)
_WILL_USE = re.compile(r"(?:will|is going to|shall) (?:use|adopt|switch to) ")


def choice_in(
    sentence: Sentence, clause: Clause | None, subject: Subject, known: Known
) -> tuple[Thing, str, list[Thing]] | None:
    """The project a choice was made for, the relation, and what was chosen."""
    if clause and subject.things and subject.things[0].type == "project":
        found = _WILL_USE.match(clause.said)
        words = after(clause.point, found.end()) if found else ()
        chosen = _chosen(words, known)
        return (subject.things[0], "uses", chosen[:1]) if chosen else None
    said = " ".join(word.low for word in sentence.words)
    for pattern, relation in ((_USED, "uses"), (_PICKED, "decided-on")):
        found = pattern.match(said)
        if found:
            words = after(sentence.words, found.end())
            project, chosen = _project(words, known), _chosen(words, known)
            return (project, relation, chosen[:1]) if project and chosen else None
    return None


def _chosen(words: Sequence[Word], known: Known) -> list[Thing]:
    """What was chosen: a name, or the words up to a preposition."""
    if not words:
        return []
    found = named_at(words, 0, known)
    if found:
        return [found.thing]
    plain = phrase(words, 3).split()
    if len(plain) > 1 and plain[-1] in GENERIC_TAILS:
        plain = plain[:-1]
    return [thing(" ".join(plain), "concept")] if plain else []


def _project(words: Sequence[Word], known: Known) -> Thing | None:
    """The project a choice is for: a known one, or one that is called so."""
    for at, word in enumerate(words[:-1]):
        if word.low in {"for", "in", "on"}:
            found = named_at(words, at + 1, known)
            if found and found.thing.type == "project":
                return found.thing
            return _called(words[at + 1 :])
    return None


def _called(words: Sequence[Word]) -> Thing | None:
    """`the halcyon project`, `project halcyon`: a name in small letters."""
    said = [word.low for word in words[:3]]
    before = said[:1] == ["the"] and said[2:] == ["project"]
    after_ = said[:1] == ["project"] and len(said) > 1
    return thing(words[1].text, "project") if before or after_ else None
