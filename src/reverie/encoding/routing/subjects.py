"""Whom or what a clause speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from reverie.encoding.routing.clauses import base_of, is_date
from reverie.encoding.routing.gazetteer import GIVEN_NAMES
from reverie.encoding.routing.known import owner, thing
from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    KIN,
    LONE_KIN,
    PERSONAL,
    PREPOSITIONS,
    PROJECT_NOUNS,
    PRONOUNS,
)
from reverie.encoding.routing.naming import (
    find_named,
    looks_named,
    named_at,
    sure_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Word

LONGEST_NAME = 5
"""So many words of a subject can be the name of a thing."""


class Who(Enum):
    """What sort of subject a clause has."""

    OWNER = auto()
    WE = auto()
    NAMED = auto()
    THING = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause speaks of.

    Attributes:
        who: What sort of subject it is.
        things: What it names; the first is spoken of.
        mine: Whether the owner calls it their own: `my sister`.
        kin_of: Whose kin it is said to be; None for nobody's.
        sure: Whether it is plainly a name.
    """

    who: Who
    things: tuple[Thing, ...] = ()
    mine: bool = False
    kin_of: Thing | None = None
    sure: bool = False


NOBODY = Subject(Who.UNKNOWN)


def subject_of(clause: Clause, known: Known) -> Subject:
    """Whom a clause speaks of."""
    words = clause.subject
    if not words or _is_nobody(words):
        return NOBODY
    if _means_owner(words):
        return Subject(Who.OWNER, (owner(known),), sure=True)
    if words[0].low == "we":
        return Subject(Who.WE, tuple(find_named(words, known)))
    if words[0].low in {"my", "our"} and len(words) > 1:
        return _own(words, known)
    return _other(clause, known)


def _is_nobody(words: Sequence[Word]) -> bool:
    """Whether nobody can know who is meant."""
    lows = [word.low for word in words]
    if len(lows) == 1:
        return lows[0] in PRONOUNS
    return lows[-1] == "i" and lows[-2] != "and"


def _means_owner(words: Sequence[Word]) -> bool:
    lows = [word.low for word in words[:2]]
    said = lows[1:] if lows[0] == "the" else lows[:1]
    if said and said[0] in {"user's", "users'"}:
        return True
    return lows[0] == "i" or (said == ["user"] and len(words) <= 2)


def _own(words: Sequence[Word], known: Known) -> Subject:
    """`my sister Nora`, `our app Tidepool`, `my passport`."""
    kin = words[1].low.removesuffix("'s")
    mine = words[0].low == "my"
    if kin in KIN and (mine or kin not in PROJECT_NOUNS):
        named = named_at(words, 2, known, "person") if len(words) > 2 else None
        kinsman = thing(words[1].text.removesuffix("'s"), "person")
        things = (named.thing if named else kinsman,)
        return Subject(Who.NAMED, things, mine=True, kin_of=owner(known), sure=True)
    made = _made(words, known)
    if made:
        return Subject(Who.NAMED, (made,), sure=True)
    if mine:
        return Subject(Who.OWNER, (owner(known),), mine=True, sure=True)
    return _described(words[1:], known)


def _made(words: Sequence[Word], known: Known) -> Thing | None:
    """What somebody makes, by its name: `our app Tidepool`."""
    for at in range(1, len(words) - 1):
        if words[at].low in PROJECT_NOUNS:
            found = named_at(words, at + 1, known, "project")
            return found.thing if found else None
    return None


def _other(clause: Clause, known: Known) -> Subject:
    words = clause.subject
    owning = [n for n, word in enumerate(words[:-1]) if _owns(words, n)]
    if owning:
        whose = _one(words[: owning[0] + 1], known, clause) or NOBODY
        return _kin(words[owning[0] + 1 :], whose, known) or whose
    of = next((n for n, word in enumerate(words[:-1]) if word.low == "of" and n), 0)
    if of:
        return _of(words[of + 1 :], known)
    return _one(words, known, clause) or _described(words, known)


def _kin(words: Sequence[Word], whose: Subject, known: Known) -> Subject | None:
    """`Alex's wife Marie` speaks of Marie."""
    if words[0].low not in KIN or len(words) < 2 or not whose.things:
        return None
    named = named_at(words, 1, known, "person")
    if not named:
        return None
    kin_of = whose.things[0]
    return Subject(Who.NAMED, (named.thing,), kin_of=kin_of, sure=True)


def _owns(words: Sequence[Word], at: int) -> bool:
    """Whether a word is a name in the genitive: `Alex's birthday`."""
    return words[at].low.endswith("'s") and (at == 0 or looks_named(words[at]))


def _of(words: Sequence[Word], known: Known) -> Subject:
    """`the limit of Foo` speaks of Foo."""
    found = named_at(words, 0, known)
    if found:
        return Subject(Who.NAMED, (found.thing,), sure=True)
    if words[0].low in {"my", "our"} and len(words) > 1:
        return _own(words, known)
    return _described(words, known)


def _one(words: Sequence[Word], known: Known, clause: Clause) -> Subject | None:
    """A name, or several joined by `and`."""
    hint = _hint(words, clause)
    first = named_at(words, 0, known, hint)
    if not first or not (first.thing.known or _is_name(words, hint)):
        return None
    things = [first.thing]
    at = first.end
    while at + 1 < len(words) and words[at].low in {"and", "&"}:
        further = named_at(words, at + 1, known, first.thing.type)
        if not further:
            break
        things.append(further.thing)
        at = further.end
    kin = things[0].name.lower() in LONE_KIN
    sure = kin or sure_name(words, 0) or words[0].low == "the" or bool(hint)
    return Subject(Who.NAMED, tuple(things), sure=sure)


def _is_name(words: Sequence[Word], hint: str) -> bool:
    """Whether a subject is a name and not a common noun that opens a sentence."""
    bare = [word for word in words if word.low not in DETERMINERS]
    if not bare:
        return False
    joint = next((n for n, word in enumerate(bare) if word.low in {"and", "&"}), 0)
    first = bare[1 : joint or len(bare)]
    small = [w for w in first if w.text.islower() and w.low not in PROJECT_NOUNS]
    return not small or bool(hint)


def _hint(words: Sequence[Word], clause: Clause) -> str:
    """What the verb says of its subject."""
    said = clause.said
    if _WRITTEN.match(said):
        return "project"
    verb = base_of(clause.rest[0].low)
    first = words[0]
    joint = next((n for n, word in enumerate(words) if word.low == "and"), len(words))
    if not first.text[0].isupper() or first.low in DETERMINERS or joint > 3:
        return ""
    if verb in PERSONAL or _HUMAN.match(said) or first.low in GIVEN_NAMES:
        return "person"
    lows = {word.low for word in (*clause.subject, *clause.rest)}
    return "person" if not lows.isdisjoint(("his", "her", "he", "she")) else ""


_WRITTEN = re.compile(
    r"(?:is|was) (?:written|implemented|coded|built) (?:in|with|on)\b"
)
_HUMAN = re.compile(
    r"(?:is|was|are|were) (?:married|engaged|divorced|allergic|born|left-handed"
    r"|right-handed|vegetarian|vegan|retired|pregnant|diabetic|from\b"
    rf"|(?:my|our) (?:{'|'.join(sorted(KIN))})\b"
    r"|[0-9]{1,3} years|a (?:doctor|nurse|teacher|lawyer|student)|the (?:head|author"
    r"|maintainer|creator|developer|lead|manager|owner|boss|ceo|cto|founder)\b)"
    r"|reports to\b|maintains\b|(?:is )?(?:works|working) (?:on|at|for|with|as)\b"
    r"|(?:plans|wants|hopes|seeks|needs|agreed|promised|asked|offered|decided) to\b"
    r"|(?:said|says|told|expressed|emphasi[sz]ed|mentioned|called|thinks|believes)\b"
    r"|is (?:building|developing|writing)\b|has (?:a )?(?:twin|daughter|son|brother)"
)


def _described(words: Sequence[Word], known: Known) -> Subject:
    """A thing without a name of its own: `the office wifi`."""
    core: list[Word] = []
    for word in words:
        if core and word.low in PREPOSITIONS:
            break
        if not core and word.low in DETERMINERS:
            continue
        core.append(word)
        if word.stop:
            break
    if not core or len(core) > LONGEST_NAME or core[0].low in PRONOUNS:
        return NOBODY
    if len(core) > 1 and all(is_date(word) for word in core):
        return NOBODY
    inside = find_named(core, known, sure=True)
    if inside and inside[0].known:
        return Subject(Who.NAMED, tuple(inside[:1]), sure=True)
    name = " ".join(word.text for word in core)
    lone = core[0].low in LONE_KIN and len(core) == 1
    kind = "person" if lone else _sort(core)
    return Subject(Who.THING, (thing(name.removesuffix("'s"), kind),))


def _sort(core: Sequence[Word]) -> str:
    return "project" if core[-1].low in PROJECT_NOUNS and len(core) > 1 else "concept"
