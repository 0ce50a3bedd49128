"""What something has one of: who owns it, where it is, what it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.agents.phrases import bag_of, words_in
from reverie.index.words import stems, words

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_VALUE = 4
"""So many words may name an owner or a place."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that something has one of.

    Attributes:
        what: `own`, `place`, `called`.
        subject: The stems of whose it is.
        value: The stems of what that is.
        said: The same as written.
    """

    what: str
    subject: frozenset[str]
    value: frozenset[str]
    said: str


_ROLES = (
    "owner|leader|lead|maintainer|head|chair|manager|boss|supervisor|founder|author"
    "|sponsor"
)
_BY = "owned|led|maintained|headed|chaired|managed|founded|sponsored|run"
_ACTS = "owns|leads|maintains|heads|chairs|manages|founded|sponsors"
_KEPT = (
    "hosted|deployed|located|based|stored|kept|saved|installed|archived|published"
    "|documented|tracked|registered|headquartered"
)
_PUTS = "tracks?|stores?|keeps?|documents?|hosts?|archives?|publish(?:es)?|plans?"
_PAPERS = "specs?|docs|documentation|notes|minutes|reports"
_SLOTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<value>.+?) (?P<own>{_ACTS}) (?P<subject>.+)",
        rf"(?P<subject>.+?) (?:is|are|was|were) (?P<own>{_BY}) by (?P<value>.+)",
        rf"(?:[Tt]he )?(?P<own>{_ROLES}) (?:of|for) (?P<subject>.+?) is (?P<value>.+)",
        rf"(?P<value>.+?) is (?:the )?(?P<own>{_ROLES}) (?:of|for) (?P<subject>.+)",
        rf"(?P<subject>.+?)'s (?P<own>{_ROLES}) is (?P<value>.+)",
        r"(?P<value>.+?) is (?P<own>responsible for|in charge of) (?P<subject>.+)",
        r"(?P<subject>.+?) (?P<own>reports) to (?P<value>.+)",
        rf"(?P<subject>.+?) (?:is|are) (?P<place>{_KEPT}) (?:on|in|at|with|under) "
        r"(?P<value>.+)",
        r"(?P<subject>.+?) (?P<place>is|are|takes place|will be|will take place) "
        r"(?:in|at) (?P<value>[A-Z].*)",
        rf"(?P<subject>.+? (?P<task>{_PUTS}) .+?) (?:in|on|with|at) (?P<value>[A-Z].*)",
        rf"(?P<subject>.+? (?P<task>writes?|drafts?) .*?(?:{_PAPERS})) in "
        r"(?P<value>[A-Z].*)",
        r"(?P<subject>.+?) (?:prefers to be|is|are|wants to be) "
        r"(?P<called>called|named) (?P<value>.+)",
        r"(?P<subject>.+?) (?P<called>goes by) (?P<value>.+)",
        r"(?P<subject>.+?) (?:is|are) (?P<made>written|implemented|built|coded) in "
        r"(?P<value>.+)",
        r"(?P<subject>.+?) (?:is|are) (?:in|on) the "
        r"(?P<value>(?P<floor>[a-z]+ floor|basement|attic|cellar|roof))",
        r"(?P<subject>(?P<name>(?:The|Our|My) .+?|.+'s .+?)) is (?P<value>[A-Z].*)",
    )
)
_CHOICE = re.compile(
    r"(?P<subject>.+?) (?P<how>uses?|takes?) (?P<value>.+?) (?:instead of|rather than) "
    r"(?P<other>.+)"
)
_ROLE = {
    **dict.fromkeys(("owns", "owned", "owner"), "own"),
    **dict.fromkeys(("responsible for", "in charge of"), "own"),
    **dict.fromkeys(("leads", "led", "leader", "lead", "heads", "headed"), "lead"),
    **dict.fromkeys(("head", "chairs", "chaired", "chair"), "lead"),
    **dict.fromkeys(("maintains", "maintained", "maintainer"), "maintain"),
    **dict.fromkeys(("manages", "managed", "manager", "run"), "manage"),
    **dict.fromkeys(("boss", "supervisor", "reports"), "manage"),
    **dict.fromkeys(("founded", "founder"), "found"),
    **dict.fromkeys(("sponsors", "sponsored", "sponsor"), "sponsor"),
}
_MANY = words_in("""
    brother sister sibling friend cousin uncle aunt son daughter child colleague
    neighbour neighbor cat dog pet student customer client member partner supplier team
    car bike hobby instrument
""")
"""What somebody may have several of."""


def slots_of(text: str) -> tuple[Slot, ...]:
    """What a statement says something has one of."""
    return tuple(_slots(text))


def _slots(text: str) -> Iterator[Slot]:
    for pattern in _SLOTS:
        found = pattern.fullmatch(text)
        slot = _slot(found) if found else None
        if slot:
            yield slot
    chosen = _CHOICE.fullmatch(text)
    if chosen:
        # Who uses this instead of that cannot use that instead of this.
        value, other = bag_of(chosen["value"]), bag_of(chosen["other"])
        whose = bag_of(chosen["subject"]) | value | other
        yield Slot("choice", whose, value, chosen["value"])


def _slot(found: re.Match[str]) -> Slot | None:
    named = found.groupdict()
    subject, said = named.pop("subject"), named.pop("value")
    kind, how = next((kind, how) for kind, how in named.items() if how)
    whose, value = bag_of(subject), bag_of(said)
    several = " and " in said or len(said.split()) > LONGEST_VALUE
    if several or not whose or not value:
        return None
    if kind == "name" and (_MANY.intersection(words(subject)) or not _is_name(said)):
        return None
    what = _ROLE.get(how.lower(), how) if kind == "own" else kind
    return Slot(what, whose, value, said)


def _is_name(said: str) -> bool:
    return all(word[:1].isupper() for word in said.split())


def exclude(one: Slot, other: Slot) -> bool:
    """Whether two slots name two of what there is one of."""
    if one.what != other.what or one.subject != other.subject:
        return False
    if one.value <= other.value or other.value <= one.value:
        return False
    return one.what != "place" or _are_two_places(one, other)


def _are_two_places(one: Slot, other: Slot) -> bool:
    """Whether two places are two: a town lies in its country, a language nowhere."""
    if not (one.said[:1].isupper() and other.said[:1].isupper()):
        return False
    if (one.value | other.value) & _LANGUAGES:
        return False
    return bool(one.value & _WIDE) is bool(other.value & _WIDE)


_WIDE = frozenset(
    stems(
        words_in("""
            europe asia africa america germany france italy spain portugal austria
            switzerland poland norway sweden finland denmark netherlands belgium ireland
            england scotland wales britain greece turkey japan china india canada brazil
            mexico australia kenya egypt bavaria tuscany catalonia california texas
            florida scandinavia usa uk eu kingdom states
        """)
    )
)
_LANGUAGES = frozenset(
    stems(
        words_in("""
            english german french italian spanish portuguese polish dutch danish swedish
            norwegian finnish japanese chinese russian arabic hindi turkish greek
        """)
    )
)
