"""What a clause says of two things, in the names the graph has for it (design, 6.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.routing.clauses import after
from reverie.encoding.routing.known import owner, thing
from reverie.encoding.routing.lexicon import DETERMINERS, KIN, PREPOSITIONS
from reverie.encoding.routing.naming import named_at
from reverie.encoding.routing.subjects import Who
from reverie.model.route import RelationMention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Word
    from reverie.encoding.routing.subjects import Subject

LONGEST_OBJECT = 4
"""So many words a thing without a name of its own may have here."""


class Pattern(NamedTuple):
    """Words that stand for a relation.

    Attributes:
        words: From the verb on, up to what it leads to.
        relation: Its name.
        to: The type of what it leads to, unless its name says otherwise.
        of: The types it can be said of; empty is all.
        turned: Whether what is said stands the other way round.
        plain: Whether a thing without a name of its own will do.
    """

    words: re.Pattern[str]
    relation: str
    to: str = "concept"
    of: tuple[str, ...] = ()
    turned: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What a clause says of its subject: what it names besides, and how they relate."""

    things: tuple[Thing, ...] = ()
    relations: tuple[RelationMention, ...] = ()


def _is(rest: str) -> re.Pattern[str]:
    return re.compile(rf"(?:is|are|was|were|am|has been|have been) (?:{rest})")


_PERSON = ("person",)
_THING = ("project", "tool", "concept")
_ROLES = "head|lead|manager|owner|boss|director|coach|teacher|doctor|ceo|cto|founder"
PATTERNS = (
    Pattern(re.compile(r"(?:will |can )?(?:now )?uses? "), "uses", "tool"),
    Pattern(re.compile(r"runs? on (?!port)"), "uses", "tool", _THING),
    Pattern(
        _is(
            r"(?:written|implemented|coded|built|made|developed) (?:in|with|on|using) "
        ),
        "uses",
        "tool",
        _THING,
    ),
    Pattern(_is(r"(?:powered by|based on|hosted on|deployed on) "), "uses", "tool"),
    Pattern(_is(r"used (?:by|in) "), "used-by", "project"),
    Pattern(re.compile(r"powers "), "used-by", "project"),
    Pattern(re.compile(r"(?:depends?|relies|rely) on "), "depends-on"),
    Pattern(re.compile(r"(?:requires?|needs?) "), "depends-on", "tool", _THING),
    Pattern(
        _is(r"(?:an? )?(?:part|module|component|piece|member|branch|subsidiary) of "),
        "part-of",
    ),
    Pattern(re.compile(r"belongs? to "), "part-of", of=(*_THING, "place")),
    Pattern(
        re.compile(r"(?:contains?|includes?|comprises?|consists? of) "), "contains"
    ),
    Pattern(
        re.compile(r"(?:supersedes?|replaces?|replaced|succeeds|took the place of) "),
        "supersedes",
        of=(*_THING, "place"),
        plain=True,
    ),
    Pattern(_is(r"(?:replaced|superseded) by "), "supersedes", turned=True),
    Pattern(
        re.compile(r"(?:(?:is|are) followed by|comes? before|precedes?) "),
        "followed-by",
        of=_THING,
        plain=True,
    ),
    Pattern(
        re.compile(r"(?:(?:is|are) preceded by|comes? after|follows) "),
        "preceded-by",
        of=_THING,
        plain=True,
    ),
    Pattern(
        re.compile(
            r"(?:develops?|maintains?|builds?|works? on|created|wrote|founded"
            r"|(?:is|am|are) (?:building|developing|maintaining|working on|writing)"
            r"|is the (?:author|maintainer|creator|developer|lead developer) of) "
        ),
        "develops",
        "project",
        _PERSON,
    ),
    Pattern(
        re.compile(
            r"(?:lives?|resides?|(?:is|am|are) (?:based|living|located)) in "
            r"|(?:is|am|are|comes?) (?:originally )?from "
        ),
        "relates-to",
        "place",
        _PERSON,
    ),
    Pattern(
        re.compile(r"(?:works?|(?:is|am|are) (?:working|employed)) (?:at|for|by) "),
        "relates-to",
        "concept",
        _PERSON,
    ),
    Pattern(
        re.compile(
            r"(?:works?|lives?) with |(?:is|am|are) (?:married|engaged|related) to "
            r"|reports? to |(?:is|am|are) friends with |manages? |mentors? "
        ),
        "relates-to",
        "person",
        _PERSON,
    ),
    Pattern(
        re.compile(rf"(?:is|am|are) the (?:\w+ )?(?:{_ROLES}) (?:of|for|at|on) "),
        "relates-to",
        "concept",
        _PERSON,
    ),
    Pattern(_is("(?:located |based |situated )?in "), "part-of", "place", ("place",)),
    Pattern(_is("(?:located |based |hosted )?in "), "relates-to", "place", _THING),
    Pattern(_is("(?:related|similar|linked) to "), "relates-to"),
)


def relations_in(clause: Clause, subject: Subject, known: Known) -> Said:
    """What a clause says of its subject and of others it names."""
    if not subject.things:
        return Said()
    about = subject.things[0]
    for pattern in PATTERNS:
        if pattern.of and about.type not in pattern.of:
            continue
        found = pattern.words.match(clause.said + " ")
        if found:
            objects = _objects(clause, found.end(), pattern, known)
            if objects:
                return _said(about, pattern, objects)
    return Said()


def _said(about: Thing, pattern: Pattern, objects: Sequence[Thing]) -> Said:
    others = [other for other in objects if other.id != about.id]
    ends = [(o.id, about.id) if pattern.turned else (about.id, o.id) for o in others]
    return Said(
        tuple(others),
        tuple(RelationMention(a, pattern.relation, b) for a, b in ends),
    )


def _objects(clause: Clause, at: int, pattern: Pattern, known: Known) -> list[Thing]:
    """What the words of a relation lead to: names, joined by `and` or commas."""
    words = after(clause.point, at)
    found = named_at(words, 0, known, pattern.to)
    if not found:
        plain = phrase(words, LONGEST_OBJECT) if pattern.plain else ""
        return [thing(plain, "concept")] if plain else []
    things = [found.thing]
    while found and found.end < len(words):
        joint = words[found.end].low in {"and", "&"}
        comma = words[found.end - 1].stop == ","
        if not (joint or comma):
            break
        found = named_at(words, found.end + joint, known, pattern.to)
        if found:
            things.append(found.thing)
    return things


def phrase(words: Sequence[Word], longest: int) -> str:
    """A thing without a name of its own: the words up to a preposition or a stop."""
    core: list[str] = []
    for word in words:
        if word.low in PREPOSITIONS or word.low in _ENDS:
            break
        if core or word.low not in DETERMINERS:
            core.append(word.text)
        if word.stop:
            break
    return " ".join(core) if 0 < len(core) <= longest else ""


_ENDS = frozenset(("and", "or", "but", "because", "when", "if", "that", "which", "who"))


def kinship(clause: Clause, subject: Subject, known: Known) -> Said:
    """`my sister Nora`, `Jonas is my brother`, `our landlord is Mr. Castell`."""
    if subject.who is not Who.NAMED:
        return Said()
    about = subject.things[0]
    kin = re.match(r"(?:is|was) (?:my|our) (?:[a-z-]+ )?([a-z-]+)$", clause.said)
    whose = owner(known) if kin and kin[1] in KIN else subject.kin_of
    if whose is None:
        return Said()
    return Said((about, whose), (RelationMention(about.id, "relates-to", whose.id),))
