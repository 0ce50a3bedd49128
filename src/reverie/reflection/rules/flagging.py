"""What was said and cannot hold beside what is known, or beside what else was said.

Both sides are named with their days, and nothing is settled: the human decides, also
where the newer one is plainly an update.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.claims import claims_of, contradicts
from reverie.encoding.claims.values import differ
from reverie.encoding.routing import entity_id
from reverie.index.sketches import spoken
from reverie.index.words import terms
from reverie.markdown import one_line
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.rules.knowing import entity_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.encoding.claims import Claim
    from reverie.model.items import Fact
    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement

COMPARED = 8
"""With so many earlier statements on a matter a new one is compared."""

Matter = tuple[str, ...]
"""Of what, and in which respect."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sides that cannot both hold.

    Attributes:
        name: The entity they are about.
        old: The older side, with its day.
        new: The newer side, with its day.
        why: In which respect.
        said: The statements that take part, the newest last.
    """

    name: str
    old: str
    new: str
    why: str
    said: tuple[Statement, ...]

    @property
    def trusted(self) -> bool:
        """Whether nobody from outside takes part."""
        return all(one.trusted for one in self.said)

    @property
    def question(self) -> str:
        """What the human is asked."""
        return f"Which one holds: {self.old} or {self.new}?"

    @property
    def operation(self) -> Operation:
        """The open question for the page."""
        target = entity_path(self.name)
        return Operation(OperationKind.FLAG, target, self.question, self.why)


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement about somebody, and what it claims of them."""

    said: Statement
    text: str
    name: str
    claims: tuple[Claim, ...]


def conflicts_in(
    statements: Iterable[Statement], library: Library
) -> tuple[Conflict, ...]:
    """What cannot hold together: for each matter its oldest and its newest side."""
    found: dict[Matter, Conflict] = {}
    filed: dict[Matter, list[_Said]] = defaultdict(list)
    for said in statements:
        for one in _readings(said, library):
            for matter, conflict in _against(one, filed, library):
                _keep(found, matter, conflict)
            for claim in one.claims:
                filed[_place(one.name, claim)].append(one)
    return tuple(found.values())


def _keep(found: dict[Matter, Conflict], matter: Matter, new: Conflict) -> None:
    old = found.get(matter)
    if old is not None:
        said = tuple(dict.fromkeys((*old.said, *new.said)))
        new = Conflict(new.name, old.old, new.new, new.why, said)
    found[matter] = new


def _against(
    one: _Said, filed: dict[Matter, list[_Said]], library: Library
) -> Iterator[tuple[Matter, Conflict]]:
    known = _against_page(one, library)
    if known:
        what = one.claims[0].attribute if one.claims else ""
        yield (one.name, what), known
        return
    for claim in one.claims:
        for other in reversed(filed[_place(one.name, claim)][-COMPARED:]):
            why = "" if _may_change(claim, one, other) else _why(one, other)
            if why:
                sides = (_told(other.said), _told(one.said))
                both = (other.said, one.said)
                yield (one.name, claim.attribute), Conflict(one.name, *sides, why, both)
                break


def _why(one: _Said, other: _Said) -> str:
    return contradicts(one.text, other.text)


def _place(name: str, claim: Claim) -> Matter:
    value = () if claim.single else (claim.value.said.casefold(),)
    return (name, claim.attribute, *value)


def _may_change(claim: Claim, one: _Said, other: _Said) -> bool:
    """Whether two statements may both have been true when they were made."""
    if one.said.episode.id == other.said.episode.id:
        return True
    later = one.said.day != other.said.day
    return later and _FLEETING.fullmatch(claim.attribute) is not None


_FLEETING = re.compile(r"is ?\d*|is on|is due")
"""What is one way today and another way tomorrow, and no wonder in a diary."""


# --- whose matter it is ------------------------------------------------------


def _readings(said: Statement, library: Library) -> Iterator[_Said]:
    """A statement as one about each entity whose matter it is.

    Strangers say nothing about the owner.
    """
    text = _neutral(said.text, library)
    claims = claims_of(text)
    about = {word for claim in claims for word in claim.subject}
    if "user" in about:
        if said.trusted:
            yield _Said(said, text, library.owner, claims)
        return
    left = _LEFT.search(text) is not None
    if not claims and not left:
        return
    mentions = (entity_id(one, said.known) for one in said.filing.route.entities)
    for name in dict.fromkeys(mentions):
        given_up = left and library.entity(name) is not None
        if name == library.owner:
            continue
        if given_up or _speaks_of(name, claims, library):
            yield _Said(said, text, name, claims)


def _speaks_of(name: str, claims: Sequence[Claim], library: Library) -> bool:
    entity = library.entity(name)
    if entity is None and not name.startswith("person--"):
        return False
    labels = (entity.label, *entity.aliases) if entity else (library.label(name),)
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


def _against_page(one: _Said, library: Library) -> Conflict | None:
    entity = library.entity(one.name)
    for fact in entity.facts if entity else ():
        if fact.current:
            known = _on_page(one.name, fact.text, library)
            why = contradicts(one.text, known) or _over(one, known)
            if why:
                sides = (_known(fact), _told(one.said))
                return Conflict(one.name, *sides, why, (one.said,))
    return None


def _on_page(name: str, text: str, library: Library) -> str:
    """What a page says, as a sentence that names whom it is about."""
    own = name == library.owner
    label = "The user" if own else library.label(name)
    whole = spoken(library.known.owner if own else label, text)
    bare = f"{text[:1].lower()}{text[1:]}"
    # "Written in Python" leaves out even the verb.
    ways = (_neutral(whole, library), f"{label} {bare}", f"{label} is {bare}")
    return next((way for way in ways if claims_of(way)), whole)


def _over(one: _Said, known: str) -> str:
    """Who moved lives elsewhere now; what was left behind is used no more."""
    if _MOVED.search(one.text):
        for claim in one.claims:
            for other in claims_of(known):
                same = claim.attribute == other.attribute == "lives in"
                holds = same and not (claim.negated or other.negated)
                if holds and differ(claim.value, other.value):
                    return f"{claim.named}: {other.value.shown} before, then moved"
    left = _LEFT.search(one.text)
    gone = set(terms(left["from"] or left["gone"] or left["left"])) if left else set()
    if gone and gone <= set(terms(known)) and _USED.search(known):
        return f"{' '.join(sorted(gone))}: used before, then given up"
    return ""


_MOVED = re.compile(r"\b(?:moved|relocated) (?:back )?(?:from .{1,40}? )?to\b")
_NAMED = r"[A-Z0-9][\w.+#-]{1,30}(?: [A-Z0-9][\w.+#-]{1,30}){0,2}"
_LEFT = re.compile(
    r"\b(?:switched|moved|migrated|changed)\b(?: [^ .;]{1,30}){0,5}? from"
    rf" (?P<from>{_NAMED}) to\b"
    rf"|\b(?:replaced|dropped) (?P<gone>{_NAMED}) (?:with|by|for|in favou?r of)\b"
    rf"|\b(?:stopped using|no longer uses?) (?P<left>{_NAMED})"
)
_USED = re.compile(
    r"\b(?:uses?|using|(?:runs?|run|relies|depends?|based|hosted|built) (?:on|with)"
    r"|(?:written|built|implemented) in)\b",
    re.IGNORECASE,
)


# --- for people --------------------------------------------------------------


def _known(fact: Fact) -> str:
    since = f"since {fact.since.isoformat()}" if fact.since else "on its page"
    return f'"{_line(fact.text)}" ({since})'


def _told(said: Statement) -> str:
    day = f"on {said.day.isoformat()}, " if said.day else ""
    return f'"{_line(said.text)}" (said {day}{said.episode.id})'


def _line(text: str) -> str:
    return one_line(text).rstrip(".!")
