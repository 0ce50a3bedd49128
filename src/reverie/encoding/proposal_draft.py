"""What a sub-agent proposes: drafted, checked, and put on the list (003, §13.2)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import headline, one_line, tidy
from reverie.model.change import Action, Edit, checksum
from reverie.model.ids import Store, slug
from reverie.model.items import EpisodeKind
from reverie.model.origin import Origin
from reverie.model.proposals import Proposal
from reverie.model.route import Episodic
from reverie.stores.entities import parse_fact_id
from reverie.stores.proposals import (
    add_proposal,
    load_pending,
    parse_pending,
    references,
    render_pending,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from reverie.markdown import Section
    from reverie.model.items import Confidence
    from reverie.model.proposals import Agent
    from reverie.model.route import Place

LONGEST = 8_000
"""Characters of one proposal: it is one memory, not a file."""

LONGEST_LINE = 400
"""Characters of each of its other fields."""

MOST_ENTITIES = 20

MOST_EACH = 200
"""So many proposals of one sender wait at most, and of all that are no sub-agent: who
floods the list gains nothing."""

SOME_EACH = 20
"""So many of each find a place while the list is full, unless it is at its end: a few
invented names keep nobody else from proposing."""

MOST_ALL = 1_000
"""So many of all wait before who has some already is told to wait."""

MOST_EVER = 2_000
"""So many of all are read in good time; there are no more."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f]"
)
"""What nobody sees: it commands a terminal, turns a text round, or is no character."""

SUGGESTED = (Store.EPISODIC, Store.SEMANTIC, Store.PROCEDURAL, Store.VAULT)
"""Where a sub-agent may suggest that something goes."""


class EmptyProposalError(RefusedError):
    """A proposal says nothing."""

    def __init__(self) -> None:
        super().__init__("there is no text to propose", hint="Say what to remember.")


class LongProposalError(RefusedError):
    """A field of a proposal is longer than it may be."""

    def __init__(self, what: str, length: int, most: int) -> None:
        super().__init__(
            f"the {what} of a proposal has {length:,} characters",
            hint=f"At most {most:,}. Propose one memory at a time, in a sentence that "
            "stands by itself.",
        )


class UnreadableProposalError(RefusedError):
    """A field of a proposal is no text that a file could hold."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the {what} of a proposal has characters that nobody can see",
            hint="Remove them, and try again.",
        )


class WrongStoreError(RefusedError):
    """A sub-agent suggests a store that is not for it to suggest."""

    def __init__(self, store: str) -> None:
        super().__init__(
            f"a sub-agent may not suggest {store}",
            hint=f"Suggest one of {', '.join(SUGGESTED)}; to say that it belongs into "
            "core memory too, mark it as core-worthy.",
        )


class BadEntityError(RefusedError):
    """A name that is not the id of an entity."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} is not the id of an entity",
            hint="Ids are TYPE--SLUG in small letters, such as person--alex.",
        )


class BadReferenceError(RefusedError):
    """Something that a proposal replaces or contradicts is not named by its id."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:60]!r} is not the id of a fact",
            hint="Facts are cited as person--alex#3f2a9c, and are told with what is "
            "near; what contradicts may be a memory's id or #4 as well.",
        )


class FullListError(RefusedError):
    """So many proposals wait that no further one is taken."""

    def __init__(self, sender: str, waiting: int) -> None:
        super().__init__(
            f"{waiting:,} proposals wait for a decision already; {sender} may not add "
            "one",
            hint="The main agent or its human decides first: `reverie pending`.",
        )


def draft(  # noqa: PLR0913 - the fields of a proposal
    agent: Agent,
    content: str,
    *,
    store: Store,
    entities: Iterable[str],
    confidence: Confidence,
    core_worthy: bool,
    trigger: str,
    at: datetime,
    name: str = "",
    when: str = "",
    scope: str = "",
    supersedes: str = "",
    contradicts: Iterable[str] = (),
) -> Proposal:
    """A proposal of a sub-agent, not numbered yet.

    Args:
        agent: Whose it is, by how its handle was opened.
        content: The very text.
        store: Where it should go.
        entities: Ids of what it is about; `entity:` in front may be left out.
        confidence: How sure it is.
        core_worthy: Whether it should stand in core memory too.
        trigger: What started it.
        at: Now.
        name: What a procedure or note is to be called.
        when: When to do it, for a procedure.
        scope: The person it is for alone.
        supersedes: The id of the fact that it is to take the place of.
        contradicts: Ids of memories or facts, or `#4`, that it contradicts.
    """
    if store not in SUGGESTED:
        raise WrongStoreError(store)
    text = _text("content", tidy(content), LONGEST)
    if not text:
        raise EmptyProposalError
    return Proposal(
        number=0,
        sender=agent.name,
        at=at.astimezone(UTC).replace(microsecond=0),
        trigger=_line("trigger", trigger),
        store=store,
        content=text,
        entities=_entities(entities),
        confidence=confidence,
        core_worthy=core_worthy,
        origin=Origin.SUBAGENT,
        name=_line("name", name),
        when=_line("occasion", when),
        scope=_line("scope", scope),
        supersedes=_fact(supersedes),
        contradicts=_named(contradicts),
    )


def _fact(said: str) -> str:
    if said and parse_fact_id(said) is None:
        raise BadReferenceError(said)
    return said.strip().removeprefix("entity:")


def _named(names: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(name.strip() for name in names))
    if len(found) > MOST_ENTITIES:
        what = "list of contradictions"
        raise LongProposalError(what, len(found), MOST_ENTITIES)
    for name in found:
        if references(name) != (name,):
            raise BadReferenceError(name)
    return found


def _line(what: str, text: str) -> str:
    return _text(what, one_line(text), LONGEST_LINE)


def _text(what: str, text: str, most: int) -> str:
    if len(text) > most:
        raise LongProposalError(what, len(text), most)
    if not is_plain(text):
        raise UnreadableProposalError(what)
    return text


def is_plain(text: str) -> bool:
    """Whether a person sees all of a text, and a file can hold it."""
    return not _HIDDEN.search(text)


def _entities(names: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(name.removeprefix("entity:") for name in names))
    if len(found) > MOST_ENTITIES:
        what = "list of entities"
        raise LongProposalError(what, len(found), MOST_ENTITIES)
    for name in found:
        if not is_entity_name(name):
            raise BadEntityError(name)
    return found


def is_entity_name(name: str) -> bool:
    """Whether a text is `TYPE--SLUG`, as entities are called."""
    type_, _, rest = name.partition("--")
    return bool(type_ and rest) and slug(type_) == type_ and slug(rest) == rest


def plan_proposal(
    proposal: Proposal, read: Callable[[str], bytes | None]
) -> tuple[tuple[Edit, ...], int]:
    """Plan to put a proposal on the list.

    Returns:
        The edit, and the number it would have; of one that waits already, only its
        number.

    Raises:
        FullListError: Too many wait.
    """
    pending = load_pending(read)
    for known in pending.proposals:
        if _is_same(known, proposal):
            return (), known.number
    _require_room(pending.proposals, proposal)
    added = add_proposal(pending, proposal)
    number = pending.next_number
    data = render_pending(added).encode()
    base = checksum(read(layout.PENDING))
    why = told_as(number, proposal.content)
    return (Edit(layout.PENDING, data, base, Action.PROPOSE, why),), number


def _is_same(known: Proposal, proposal: Proposal) -> bool:
    """Whether one says what another says; what a sub-agent says is its own word."""
    said, meant = ((one.store, one.content, one.scope) for one in (known, proposal))
    own = proposal.origin is Origin.SUBAGENT
    return said == meant and (not own or known.sender == proposal.sender)


def _require_room(waiting: Sequence[Proposal], proposal: Proposal) -> None:
    """Refuse one more where too many wait.

    Sub-agents have limits of their own, so that they keep nothing else from waiting.
    """
    theirs = [one for one in waiting if one.origin is Origin.SUBAGENT]
    if proposal.origin is not Origin.SUBAGENT:
        if len(waiting) - len(theirs) >= MOST_EACH:
            raise FullListError(proposal.sender, len(waiting) - len(theirs))
        return
    own = Counter(one.sender for one in theirs)[proposal.sender]
    if own >= MOST_EACH:
        raise FullListError(proposal.sender, own)
    if len(theirs) >= (MOST_ALL if own >= SOME_EACH else MOST_EVER):
        raise FullListError(proposal.sender, len(theirs))


def told_as(number: int, content: str) -> str:
    """How history tells that something was proposed."""
    return f"proposal #{number}: {headline(content)}"


# --- for one person alone ------------------------------------------------------


def place_within(proposal: Proposal, place: Place) -> Place:
    """A place in which a proposal stays for whom it is for.

    Pages, procedures and core memory are everybody's: only an episode can be for one
    person alone.
    """
    if not proposal.scope:
        return place
    if not isinstance(place, Episodic):
        place = Episodic(EpisodeKind.FACT, proposal.confidence)
    return replace(place, scope=proposal.scope)


def told_accepted(proposal: Proposal, sender: str = "") -> str:
    """How history tells that a proposal was accepted.

    Args:
        proposal: The proposal.
        sender: Whose it was, where the signature does not say it.
    """
    told = f"accepted proposal #{proposal.number}"
    told = f"{told} of {one_line(sender)}" if sender else told
    if not proposal.scope:
        return told
    return f"{told} as an episode for {proposal.scope} alone"


def without_private(text: str) -> str:
    """The list of proposals without those for one person alone.

    One that cannot be read is taken to be private if it says so at all.
    """
    parts = parse_pending(text, layout.PENDING).parts
    return "".join(part.raw for part in parts if not _is_private(part))


def _is_private(part: Section) -> bool:
    if part.heading is None:
        return False
    found = parse_pending(part.raw, layout.PENDING).proposals
    unread = not found and "**scope**" in part.raw.casefold()
    return unread or any(one.scope for one in found)
