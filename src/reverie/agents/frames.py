"""What something has one of: its owner, its place, its name, what it is made with.

A statement is split at its verb into what it is about, the relation and the value.
Where the relation holds one value at a time, two values exclude each other. What adds
up (`works with`, `depends on`) is no such relation, so only those that are known to
hold one are read; a thing that *is done* somewhere or by somebody counts as one, unless
it may be done twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.agents.phrases import bag_of, stems_in, words_in
from reverie.agents.relations import (
    ACTIVE,
    ADDING,
    ADDING_BY,
    AS_ROLE,
    CHOOSING,
    DONE,
    PUTTING,
    ROLE_STEMS,
    ROLE_VERBS,
    ROLES,
    SAME_VERB,
    VERBS,
)
from reverie.agents.slots import Slot
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_VALUE = 4
"""So many words may name an owner or a place."""

LONGEST_FRAME = 40
"""So many words of a sentence are read."""


def slots_of(text: str) -> tuple[Slot, ...]:
    """What a statement says something has one of."""
    plain = _SAYINGS.sub("is", text).replace("home town", "hometown")
    plain = plain.replace(" carried out by ", " done by ")
    said = [word.strip(_MARKS) for word in plain.split()[:LONGEST_FRAME]]
    told = [word for word in said if word and word.lower() not in _ADVERBS]
    low = [word.lower() for word in told]
    at = _verb(low)
    if not at or " and " in f" {' '.join(low)} ":
        return ()
    found = _Split(told[:at], low[at], told[at + 1 :])
    return tuple(slot for slot in _slots(found) if slot.subject and slot.value)


class _Split(NamedTuple):
    """A statement around its verb."""

    subject: Sequence[str]
    verb: str
    rest: Sequence[str]

    def low(self, at: int) -> str:
        return self.rest[at].lower() if at < len(self.rest) else ""


def _verb(low: Sequence[str]) -> int:
    """Where the first verb is that is known here; 0 if there is none."""
    for n, word in enumerate(low[1:], start=1):
        then = low[n + 1] if n + 1 < len(low) else ""
        if word in _BE and (word not in _MODAL or then in ("be", "been")):
            return n
        noun = low[n - 1] in _BEFORE_NOUN or then in _BE
        if word in VERBS and not noun:
            return n
    return 0


def _slots(found: _Split) -> Iterator[Slot]:
    if found.verb in _BE:
        yield from _being(_settled(found))
    elif found.verb in ROLE_VERBS:
        yield from _held(found, ROLE_VERBS[found.verb])
    elif found.low(0) in _PREPOSITIONS:
        yield from _placed(found, stems([found.verb])[0], active=True)
    elif found.verb in ("attends", "attend") and found.rest[-1:] in _SCHOOLS:
        yield from _valued("is", (*found.subject, "school"), found.rest)
    elif found.verb in CHOOSING:
        yield from _chosen(found)
    elif found.verb in PUTTING:
        yield from _put(found)
    elif found.verb in ("run", "runs") and _OWN_MACHINE & bag_of(_said(found.subject)):
        yield from _valued("is", (*found.subject, "system"), found.rest)


# --- being -------------------------------------------------------------------


def _settled(found: _Split) -> _Split:
    """`must be kept`, `will be kept` and `is being kept` without the helping verb."""
    rest = list(found.rest)
    while rest and rest[0].lower() in _HELPING:
        rest = rest[1:]
    hoped = ("should",) if found.verb == "should" else ()
    return _Split((*found.subject, *hoped), "is", rest)


def _being(found: _Split) -> Iterator[Slot]:
    first = found.low(0)
    if first in ("called", "named") and found.low(1) != "off":
        yield from _valued("is", (*found.subject, "name"), found.rest[1:])
    elif first in _FOR_ROLE:
        yield from _held(found._replace(rest=found.rest[2:]), "own")
    elif found.low(1) in _PREPOSITIONS and _is_done(first):
        rest = found._replace(rest=found.rest[1:])
        yield from _placed(rest, stems([first])[0], active=False)
    elif first in _PLACES:
        yield from _where(found)
    elif first == "with" and _is_definite(found.subject):
        yield from _valued("with", found.subject, found.rest[1:])
    else:
        yield from _naming(found)


def _is_done(word: str) -> bool:
    """Whether a word says what is done with something, and with nothing else."""
    return word.endswith(("ed", "en")) or word in DONE


def _where(found: _Split) -> Iterator[Slot]:
    """`is in Prague`, `is in the drawer`; not `is in repair`."""
    rest = found.rest[1:]
    if not rest or rest[-1].lower() in _GROUPS:
        return
    if rest[-1].lower() in _STOREYS:
        yield _slot("place", (*found.subject, "storey"), rest)
    elif _is_proper(rest[0]) or rest[-1].isdigit() or rest[0].lower() in _THE:
        # What is in the town may be on the hill.
        sort = "thing" if rest[0].lower() in _THE else "named"
        sort = "numbered" if rest[-1].isdigit() else sort
        key = (*found.subject, "where", f"where{found.low(0)}", sort)
        yield from _valued("place", key, rest)


def _is_proper(word: str) -> bool:
    """`Oslo`, `us-east-1`; not `5pm`."""
    return (
        word[:1].isupper() or ("-" in word and word[:1].isalpha()) or word in _ORDINALS
    )


def _naming(found: _Split) -> Iterator[Slot]:
    """`Our sponsor is Halden`, `Ana is the sponsor`, `Ana is a sponsor`."""
    first = found.low(0)
    if first in _THE and _is_named(found.subject):
        key = [ROLES.get(word.lower(), word) for word in found.rest]
        yield _slot("is", key, found.subject)
    elif first in ("a", "an") and _is_named(found.subject):
        yield _slot("member", found.rest, found.subject)
    elif _is_named(found.rest) and _is_definite(found.subject):
        yield _slot("is", found.subject, found.rest)


def _is_definite(subject: Sequence[str]) -> bool:
    low = [word.lower() for word in subject]
    end = next((n for n, word in enumerate(low) if n and word in _LINKS), len(low))
    whose = any(word.endswith(("'s", "s'")) for word in low)
    several = low[end - 1] in _MANY and (whose or low[0] in ("my", "our"))
    if several or low[0] in _QUANTITIES:
        return False
    return low[0] in _THE or whose or not subject[-1][:1].isupper()


def _is_named(value: Sequence[str]) -> bool:
    """Whether words are a name, or a team as good as one."""
    if not value or len(value) > LONGEST_VALUE:
        return False
    if value[-1].lower() in _GROUPS:
        return True
    names = all(word[:1].isupper() and word not in _NOT_NAMES for word in value)
    return names or value == ["A"]


# --- verbs -------------------------------------------------------------------


def _held(found: _Split, role: str) -> Iterator[Slot]:
    """`Maya owns the service`: who it is stands before the verb."""
    if len(found.subject) <= LONGEST_VALUE and found.rest:
        yield _slot("is", (*found.rest, role), found.subject)


def _placed(found: _Split, verb: str, *, active: bool) -> Iterator[Slot]:
    """`is stored in Glacier`, `runs on Jenkins`, `is led by Kofi`."""
    how = _PREPOSITIONS[found.low(0)]
    rest = found.rest[1:]
    if (active and (verb, how) not in ACTIVE) or verb in ADDING:
        return
    if how == "by" and verb in ADDING_BY:
        return
    if how == "by" and verb in ROLE_STEMS:
        yield from _valued("is", (*found.subject, ROLE_STEMS[verb]), rest)
    elif (verb, how) in AS_ROLE:
        yield from _valued("is", (*found.subject, AS_ROLE[verb, how]), rest)
    else:
        yield from _at(found, verb, how)


def _at(found: _Split, verb: str, how: str) -> Iterator[Slot]:
    same, rest = SAME_VERB.get(verb, verb), found.rest[1:]
    if same == "where":
        yield from _where(found)
        return
    # What is kept in Oslo may be kept on tape.
    at = (f"where{found.low(0)}",) if how == "place" else ()
    yield from _valued(how, (*found.subject, same, *at), rest)
    if verb == "deploy":
        yield from _valued(how, (*found.subject, verb), rest)


def _chosen(found: _Split) -> Iterator[Slot]:
    """`uses Redis as the cache`, `prefers calls for urgent matters`."""
    low = [word.lower() for word in found.rest]
    for n, word in enumerate(low[1:-1], start=1):
        if word in ("instead", "rather"):
            # Who uses this instead of that cannot use that instead of this.
            yield _slot("is", (*found.subject, *found.rest), found.rest[:n])
            return
        if word in ("as", "for", "when"):
            key = (*found.subject, found.verb, *found.rest[n:])
            yield from _valued("is", key, found.rest[:n])
            return
        if word in ("in", "by", "via", "as") and found.verb.startswith("prefer"):
            key = (*found.subject, found.verb, *found.rest[:n], f"where{word}")
            yield from _valued("is", key, found.rest[n + 1 :])
            return


def _put(found: _Split) -> Iterator[Slot]:
    """`tracks issues in Jira`."""
    low = [word.lower() for word in found.rest]
    for n, word in enumerate(low[1:-1], start=1):
        how = _PREPOSITIONS.get(word)
        if how in ("place", "with") and found.rest[n + 1][:1].isupper():
            key = (*found.subject, found.verb, *found.rest[:n])
            yield from _valued("place", key, found.rest[n + 1 :])
            return


# --- values ------------------------------------------------------------------


def _valued(what: str, key: Sequence[str], rest: Sequence[str]) -> Iterator[Slot]:
    """A value, and what limits it: `… in Oslo for guests` is about guests."""
    low = [word.lower() for word in rest]
    ends = (n for n, word in enumerate(low) if n and word in _LIMITS)
    end = next(ends, len(rest))
    value = rest[:end]
    if value and end <= LONGEST_VALUE + 1 and low[0] not in _QUANTITIES:
        yield _slot(what, (*key, *rest[end:]), value)


def _slot(what: str, key: Sequence[str], value: Sequence[str]) -> Slot:
    low = [ROLES.get(word.lower(), word) for word in key]
    subject = bag_of(_said(low))
    sole = "only" in subject
    # The blood type may be A.
    named = bag_of(_said(value)) or frozenset(word.lower() for word in value)
    return Slot(what, subject - {"only"}, named, _said(value), sole)


def _said(told: Sequence[str]) -> str:
    return " ".join(told)


_SAYINGS = re.compile(
    r"\b(?:takes? place|will take place|(?:prefers|wants|likes) to be"
    r"|lives?(?= (?:in|on|under) the [a-z]))(?= )"
)
_MARKS = '.,;:!()"`*_'
_ADVERBS = words_in("""
    now currently still already always just actually really today again please
    officially exclusively normally generally by-default
""")
_MODAL = words_in("must should shall will has have")
_BE = words_in("is are was were am") | _MODAL
_HELPING = words_in("be been being not")
_THE = words_in("the our my your its their his her this")
_BEFORE_NOUN = _THE | words_in("a an of in on at for to by with from each every no")
_NOT_NAMES = words_in("The A An Our My I We This")
_QUANTITIES = words_in("""
    a an some any every each several many most few all both half part two three four
    five six seven eight nine ten more less other another one
""")
_PREPOSITIONS = {
    **dict.fromkeys(("in", "on", "at", "inside", "under", "within"), "place"),
    **dict.fromkeys(("into", "onto", "to"), "place"),
    **dict.fromkeys(("with", "using", "via", "through"), "with"),
    "by": "by",
    "as": "as",
    "from": "from",
    "for": "for",
}
_LINKS = words_in("of for in at on to with")
_PLACES = words_in("in on at inside under")
_LIMITS = words_in("""
    in on at for during since after before until from with by to as when while because
    if per where which that via instead unless except but or than within
""")
_ORDINALS = words_in("""
    first second third fourth fifth sixth seventh eighth ninth tenth
""")
_STOREYS = words_in("floor storey basement attic cellar roof")
_GROUPS = words_in("team group department squad guild board committee crew")
_FOR_ROLE = words_in("responsible accountable")
_MANY = words_in("""
    brother sister sibling friend cousin uncle aunt son daughter child colleague
    neighbour neighbor cat dog pet student customer client member partner supplier team
    car bike hobby instrument
""")
"""What somebody may have several of."""

_SCHOOLS = (["school"], ["university"], ["college"], ["academy"], ["kindergarten"])
_OWN_MACHINE = stems_in("laptop computer phone machine desktop notebook tablet pc")
