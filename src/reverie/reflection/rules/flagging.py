"""What was said and cannot hold beside what is known, or beside what else was said.

Both sides are named with their days, and nothing is settled: the human decides, also
where the newer one is plainly an update. Pages are compared with themselves as well:
a plain statement is often filed as a fact at once, and was never an episode.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.encoding.claims import claims_of
from reverie.encoding.claims.values import same
from reverie.encoding.routing import entity_id
from reverie.encoding.sameness import repeats
from reverie.index.sketches import spoken
from reverie.index.words import terms
from reverie.markdown import escape, one_line
from reverie.model.ids import slug
from reverie.model.origin import Origin, least, named
from reverie.model.place import Semantic
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.rules.knowing import entity_path
from reverie.reflection.rules.listening import LONGEST, TRUSTED
from reverie.reflection.rules.opposing import (
    USES,
    Side,
    corrects,
    parts_of,
    replaces,
    respects,
    why_not_both,
)
from reverie.reflection.rules.parting import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from reverie.encoding.claims import Claim
    from reverie.model.items import Fact
    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement

COMPARED = 8
"""With so many earlier statements on a matter a new one is compared."""

Matter = tuple[str, ...]
"""Of what, and in which respect."""

Clause = tuple["Statement", str]
"""A statement, and which part of it."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sides that cannot both hold.

    Attributes:
        name: The entity they are about.
        old: The older side, with its day.
        new: The newer side, with its day.
        why: In which respect.
        trusted: Whether nobody from outside takes part.
        said: What takes part of what was said, the newest last.
        asked: Whether its page asks it already.
    """

    name: str
    old: str
    new: str
    why: str
    trusted: bool
    said: tuple[Clause, ...]
    asked: bool = False

    @property
    def question(self) -> str:
        """What the human is asked."""
        return f"Which one holds: {self.old} or {self.new}?"

    @property
    def operation(self) -> Operation:
        """The open question for the page."""
        target = entity_path(self.name)
        origin = least([Origin.AGENT, *(said.origin for said, _ in self.said)])
        return Operation(
            OperationKind.FLAG, target, self.question, self.why, origin=origin
        )


def page_asking(flag: Operation, name: str) -> Operation:
    """A page of somebody who has none, with nothing on it but the open question."""
    asked = escape(one_line(flag.content), item=True)
    content = f"# {name}\n\n## Open Questions\n- {asked}"
    return replace(flag, kind=OperationKind.EXTRACT, content=content)


def asks(operation: Operation) -> bool:
    """Whether an operation only asks which of two sides holds."""
    made = operation.kind is OperationKind.EXTRACT
    return operation.kind is OperationKind.FLAG or (
        made and operation.content.startswith("# ")
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """One side, and where it stands: on a page, or in what was said."""

    name: str
    side: Side
    shown: str
    trusted: bool
    clause: Clause | None = None

    @property
    def day(self) -> date | None:
        return self.clause[0].day if self.clause else None


@dataclass(slots=True)
class _Desk:
    """What was compared so far."""

    library: Library
    filed: dict[Matter, list[_Told]] = field(default_factory=lambda: defaultdict(list))
    found: dict[Matter, Conflict] = field(default_factory=dict)
    first: dict[Matter, _Told] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)


def conflicts_in(
    statements: Iterable[Statement], library: Library
) -> tuple[Conflict, ...]:
    """What cannot hold together: for each matter its oldest and its newest side."""
    desk = _Desk(library)
    for said in statements:
        for one in _readings(said, library):
            _open_page(one.name, desk)
            _compare(one, desk)
    # What is new comes first; what pages say has waited already.
    for name in library.read:
        _open_page(name, desk)
    once: dict[tuple[str, str], Conflict] = {}
    for found in desk.found.values():
        asked = _is_asked(found, library)
        # What was said twice is one question, whomever it names; of two people whose
        # pages say the same it is two.
        whose = "" if len(found.said) > 1 else found.name
        once.setdefault((whose, found.question), replace(found, asked=asked))
    return tuple(once.values())


def _open_page(name: str, desk: _Desk) -> None:
    """File what a page says, once, and compare its facts with each other."""
    entity = desk.library.entity(name)
    if name in desk.pages or entity is None:
        return
    desk.pages.add(name)
    held = [f for f in entity.facts if f.current and len(f.text) <= LONGEST]
    held.sort(key=lambda fact: fact.since.toordinal() if fact.since else 0)
    for fact in held:
        for one in _on_page(name, fact, desk.library):
            _compare(one, desk)


def _compare(one: _Told, desk: _Desk) -> None:
    """Find what speaks against a side, then file it."""
    key = _key(one.name, desk.library)
    matters = dict.fromkeys((key, *respect) for respect in respects(one.side))
    for matter in matters:
        for other in reversed(desk.filed[matter][-COMPARED:]):
            fits = not _may_change(one, other)
            why = why_not_both(one.side, other.side) if fits else ""
            if why:
                # A thing may have left two tools behind; that is not one matter.
                place = (*matter, why) if USES in matter else matter
                _note(one, other, why, place, desk)
                break
        else:
            continue
        break
    for matter in matters:
        desk.filed[matter].append(one)


def _note(one: _Told, other: _Told, why: str, matter: Matter, desk: _Desk) -> None:
    """Note a conflict, or make one of it with what its matter has so far."""
    known = desk.library.entity(one.name) is not None
    said = tuple(side.clause for side in (other, one) if side.clause)
    trusted = one.trusted and other.trusted
    name = one.name if known else other.name
    first = desk.first.setdefault(matter, other)
    before = desk.found.get(matter)
    if before is not None:
        name, trusted = before.name, before.trusted and trusted
        said = tuple(dict.fromkeys((*before.said, *said)))
    # Who moved away and back again is not asked about one and the same place.
    old = other if _claim_alike(first.side.claims, one.side.claims) else first
    desk.found[matter] = Conflict(name, old.shown, one.shown, why, trusted, said)


def _may_change(one: _Told, other: _Told) -> bool:
    """Whether two statements may both have been true when they were made."""
    if one.clause is None or other.clause is None:
        return False
    if one.clause[0].episode.id == other.clause[0].episode.id:
        return not replaces(one.side.text)
    fleeting = any(_FLEETING.fullmatch(claim.attribute) for claim in one.side.claims)
    if fleeting and isinstance(other.clause[0].filing.place, Semantic):
        # Who is no longer a vegetarian was one for longer than a day.
        fleeting = not corrects(one.clause[1])
    return fleeting and one.day != other.day


_FLEETING = re.compile(r"is ?\d*|is on|is due")
"""What is one way today and another way tomorrow, and no wonder in a diary."""


def _is_asked(one: Conflict, library: Library) -> bool:
    """Whether its page asks this already, perhaps in other words."""
    entity = library.entity(one.name)
    sides = (_QUOTED.findall(one.old), _QUOTED.findall(one.new))
    for asked in entity.questions if entity else ():
        quoted = _QUOTED.findall(asked)
        if all(any(_alike(a, b) for a in side for b in quoted) for side in sides):
            return True
    return False


def _alike(one: str, other: str) -> bool:
    same_claim = _claim_alike(claims_of(plain(one)), claims_of(plain(other)))
    return same_claim or repeats(one, other)


def _claim_alike(one: Sequence[Claim], other: Sequence[Claim]) -> bool:
    return any(
        a.attribute == b.attribute and a.negated is b.negated and same(a.value, b.value)
        for a in one
        for b in other
    )


_QUOTED = re.compile('"([^"]{1,400})"')


# --- whose matter it is ------------------------------------------------------


def _key(name: str, library: Library) -> str:
    """By what a thing is known again; who has no page is filed now so, now so."""
    return name if library.entity(name) is not None else name.partition("--")[2]


def _readings(said: Statement, library: Library) -> Iterator[_Told]:
    """A statement as one about each entity whose matter it is."""
    for part in parts_of(said.text):
        text = _neutral(plain(part), library)
        side = Side(text, claims_of(text))
        shown = _told(said, part)
        for name in dict.fromkeys(_names(said, side, library)):
            yield _Told(name, side, shown, said.trusted, (said, part))


def _names(said: Statement, side: Side, library: Library) -> Iterator[str]:
    """Whom a side is about. Strangers say nothing about the owner."""
    if any("user" in claim.subject for claim in side.claims):
        if said.trusted:
            yield library.owner
        return
    left = replaces(side.text)
    if not side.claims and not left:
        return
    if said.trusted:
        yield from _people(side.claims, library)
    for one in said.filing.route.entities:
        name = entity_id(one, said.known)
        if name == library.owner:
            continue
        # Strangers bring up nobody whom we do not know, unless it is a person.
        known = library.entity(name) is not None or name.startswith("person--")
        plainly = said.trusted and one.name[:1].isupper()
        if (known or plainly) and (
            left or _speaks_of(name, one.name, side.claims, library)
        ):
            yield name


def _people(claims: Sequence[Claim], library: Library) -> Iterator[str]:
    """Who lives, works or is married somewhere, also where nobody knows the name."""
    for claim in claims:
        who = claim.about.said
        if claim.about.proper and claim.attribute in _OF_PEOPLE:
            yield library.known.names.get(who.casefold(), f"person--{slug(who)}")


_OF_PEOPLE = frozenset(
    ("lives in", "works at", "works as", "is married to", "is engaged to", "reports to")
)


def _speaks_of(
    name: str, called: str, claims: Sequence[Claim], library: Library
) -> bool:
    entity = library.entity(name)
    labels = (entity.label, *entity.aliases) if entity else (called,)
    said = {term for claim in claims for term in terms(claim.about.said)}
    return any(said.issuperset(terms(label)) for label in labels)


def _neutral(text: str, library: Library) -> str:
    """A text that begins with the owner's name, as one about the user."""
    who = library.known.owner
    if who == "user" or not text.startswith(who):
        return text
    rest = text[len(who) :]
    return f"The user{rest}" if rest[:1] in {" ", "'", "\u2019"} else text


# --- what a page says --------------------------------------------------------


def _on_page(name: str, fact: Fact, library: Library) -> Iterator[_Told]:
    trusted = not fact.by or named(fact.by) in TRUSTED
    for part in parts_of(_sentence(name, one_line(fact.text), library)):
        text = plain(part)
        yield _Told(name, Side(text, claims_of(text)), _known(fact), trusted)


def _sentence(name: str, text: str, library: Library) -> str:
    """What a page says, as a sentence that names whom it is about."""
    own = name == library.owner
    label = "The user" if own else library.label(name)
    whole = spoken(library.known.owner if own else label, text)
    bare = f"{text[:1].lower()}{text[1:]}"
    # "Written in Python" leaves out even the verb.
    ways = (_neutral(whole, library), f"{label} {bare}", f"{label} is {bare}")
    return next((way for way in ways if claims_of(way)), whole)


# --- for people --------------------------------------------------------------


def _known(fact: Fact) -> str:
    since = f"since {fact.since.isoformat()}" if fact.since else "on its page"
    return f'"{_line(fact.text)}" ({since})'


def _told(said: Statement, part: str) -> str:
    day = f"on {said.day.isoformat()}, " if said.day else ""
    return f'"{_line(part)}" (said {day}{said.episode.id})'


def _line(text: str) -> str:
    return one_line(text).rstrip(".!")
