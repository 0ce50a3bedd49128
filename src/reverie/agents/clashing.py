"""Which proposals contradict each other, or what is known (003, §13.6).

Comparing all with all would cost the square of their number. So two are compared only
where they share words, the rare ones first, or an entity.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.agents.opposites import opposes
from reverie.agents.phrases import words_in
from reverie.index.words import STOP_WORDS, stems, words
from reverie.model.agents import Clash
from reverie.model.proposal import Proposal
from reverie.model.scope import same_person

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Contradicts = Callable[[str, str], str]
"""Why a new text cannot hold beside an old one; empty if it can."""

Known = Callable[[Proposal], Iterable[tuple[str, str]]]
"""Ids and texts of what is known near where a proposal would go."""

MOST_LOOKED = 300
"""So many places of others' words are looked at for one proposal."""

MOST_CLASHES = 20
"""So many contradictions are told of one proposal."""

MOST_READ = 2_000
"""So many characters of a text decide what it is compared with."""


def find_clashes(
    proposals: Sequence[Proposal], known: Known, contradicts: Contradicts
) -> tuple[Clash, ...]:
    """What proposals are at odds with; of two that clash, both are told.

    But one that is for a person alone is named to nobody else.

    Args:
        proposals: What waits.
        known: What there is already, near where one would go.
        contradicts: How a claim is compared with another.
    """
    found: dict[int, list[Clash]] = defaultdict(list)
    for one, other in _pairs(proposals):
        told = found[one.number], found[other.number]
        if min(map(len, told)) >= MOST_CLASHES:
            continue
        why = _why(one, other, contradicts)
        if why and _told_to(one, other):
            told[0].append(Clash(one.number, other.number, "", other.content, why))
        if why and _told_to(other, one):
            # What speaks against another is spoken against by it, in other words.
            why = _why(other, one, contradicts) or why
            told[1].append(Clash(other.number, one.number, "", one.content, why))
    for proposal in proposals:
        found[proposal.number] += _against_known(proposal, known, contradicts)
    return tuple(
        clash
        for number in dict.fromkeys(proposal.number for proposal in proposals)
        for clash in sorted(found[number], key=_order)[:MOST_CLASHES]
    )


def _told_to(one: Proposal, other: Proposal) -> bool:
    """Whether whoever sees one proposal may see the other."""
    return not other.scope or same_person(one.scope, other.scope)


def _order(clash: Clash) -> tuple[int, str]:
    return clash.other, clash.known


# --- between proposals -------------------------------------------------------


def _pairs(proposals: Sequence[Proposal]) -> Iterator[tuple[Proposal, Proposal]]:
    """Those that may be about the same."""
    marks = [sorted(_marks(proposal)) for proposal in proposals]
    told = [_about(proposal) for proposal in proposals]
    counts = Counter(mark for row in marks for mark in row)
    places: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(marks):
        near: dict[int, None] = {}
        for mark in sorted(row, key=counts.__getitem__):
            near.update(dict.fromkeys(places[mark][-MOST_LOOKED:]))
            if len(near) >= MOST_LOOKED:
                break
        for other in near:
            if _may_meet(told[n], told[other]):
                yield proposals[other], proposals[n]
        for mark in row:
            places[mark].append(n)


def _marks(proposal: Proposal) -> set[str]:
    return {*proposal.entities, *_stems(proposal.content[:MOST_READ])}


@lru_cache(maxsize=4_096)
def _stems(text: str) -> frozenset[str]:
    told = words(text)
    owner = {"user"} if not _OWNER.isdisjoint(told) else set()
    return frozenset(stems(w for w in told if w not in STOP_WORDS)) | owner


_OWNER = frozenset(("i", "my", "me"))


class _About(NamedTuple):
    """What a proposal is about: its entities, and whether its text names it itself."""

    entities: frozenset[str]
    bare: bool
    implied: bool


def _about(proposal: Proposal) -> _About:
    names = frozenset(proposal.entities)
    return _About(names, _is_bare(proposal.content), _implies(proposal))


def _may_meet(one: _About, other: _About) -> bool:
    """Whether two can be about the same thing.

    A text that does not name what it is about is about its entities: `the deadline is
    in May` of one project says nothing of another's.
    """
    if one.entities and not one.entities.isdisjoint(other.entities):
        return True
    if one.bare or other.bare:
        return False
    return not ((one.implied or other.implied) and one.entities and other.entities)


def _implies(proposal: Proposal) -> bool:
    """Whether what a proposal is about stands in its entities alone."""
    told = _stems(proposal.content[:MOST_READ])
    named = (set(stems(words(name.partition("--")[2]))) for name in proposal.entities)
    return bool(proposal.entities) and all(told.isdisjoint(name) for name in named)


def _why(new: Proposal, old: Proposal, contradicts: Contradicts) -> str:
    if new.content == old.content:
        return ""
    shared = [name for name in new.entities if name in old.entities]
    if not shared:
        return _compared(new.content, old.content, contradicts)
    label = _label(shared[0])
    return _compared(
        _named(label, new.content), _named(label, old.content), contradicts
    )


def _compared(new: str, old: str, contradicts: Contradicts) -> str:
    return contradicts(new, old) or opposes(new, old)


def _label(entity: str) -> str:
    return entity.partition("--")[2].replace("-", " ").title()


def _named(label: str, text: str) -> str:
    """A text that says what it is about.

    Of the proxy, `uses port 80` is `Proxy uses port 80`, and `the port is 80` is
    `Proxy's port is 80`.
    """
    if not label:
        return text
    if _is_bare(text):
        return f"{label} {text[:1].lower()}{text[1:]}"
    unnamed = _stems(text[:MOST_READ]).isdisjoint(stems(words(label)))
    if unnamed and text.startswith("The "):
        return f"{label}'s {text[4:]}"
    return text


def _is_bare(text: str) -> bool:
    """Whether a text begins with what somebody does, and does not say who."""
    first, _, then = text.lstrip("*_ ")[:30].lower().partition(" ")
    return first in _VERBS and not then.startswith(_BEING)


_BEING = ("is ", "are ", "was ", "were ", "must ", "should ", "will ", "have ")
_VERBS = words_in("""
    is are was has have lives works uses prefers likes wants needs owns runs listens
    costs starts ends begins closes opens hates dislikes loves supports builds speaks
    reports moved switched launches ships expires requires depends drinks eats studies
    plays reads writes knows hosts stores tracks keeps leads maintains manages does
    goes comes takes weighs measures contains belongs
""")


# --- against what is known ---------------------------------------------------


def _against_known(
    proposal: Proposal, known: Known, contradicts: Contradicts
) -> Iterator[Clash]:
    told = _marks(proposal)
    label = _label(proposal.entities[0]) if proposal.entities else ""
    text = _named(label, proposal.content)
    for id_, said in known(proposal):
        if said == proposal.content or told.isdisjoint(_stems(said[:MOST_READ])):
            continue
        why = _compared(text, _told(label, id_, said), contradicts)
        if why:
            yield Clash(proposal.number, 0, id_, said, why)


def _told(label: str, id_: str, said: str) -> str:
    """What is known, so that it reads like what is proposed.

    A line of a page is told with the page's name in front: `Apollo the port is 80`.
    """
    before = f"{label} the "
    if label and said[: len(before)].casefold() == before.casefold():
        return f"{label}'s {said[len(before) :]}"
    owners = id_.startswith("core:identity/") and _is_bare(said)
    return _named("User", said) if owners else said
