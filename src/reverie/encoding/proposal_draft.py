"""What a sub-agent proposes: drafted, checked, and put on the list (003, §13.2)."""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.markdown import headline, one_line, tidy
from reverie.model.change import Action, Edit, checksum
from reverie.model.ids import Store, slug
from reverie.model.items import EpisodeKind, Origin
from reverie.model.proposals import Proposal
from reverie.model.route import Episodic
from reverie.stores import proposals as listed
from reverie.stores.entities import parse_fact_id
from reverie.stores.proposals import references
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from reverie.model.items import Confidence
    from reverie.model.proposals import Agent
    from reverie.model.route import Place

LONGEST, LONGEST_LINE, MOST_ENTITIES = 8_000, 400, 20
"""Characters of one proposal, which is one memory and no file, and of each of its other
fields; and so many entities or contradictions it names."""

MOST_EACH, MOST_ALL = 200, 2_000
"""So many proposals of one sub-agent wait at most, of all that are none, and of all
sub-agents: who floods the list gains nothing."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f]"
)
"""What nobody sees: it commands a terminal, turns a text round, or is no character."""

SUGGESTED = (Store.EPISODIC, Store.SEMANTIC, Store.PROCEDURAL, Store.VAULT)
"""Where a sub-agent may suggest that something goes."""


class BadProposalError(RefusedError):
    """A proposal is empty, too long, unreadable, or names what it may not name."""


class FullListError(RefusedError):
    """So many proposals wait that no further one is taken."""

    says = "{1:,} proposals wait for a decision already; {0} may not add one"
    mend = "The main agent or its human decides first: `reverie pending`."


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
    """A proposal of a sub-agent, not numbered yet; see `Proposal` for its fields.

    Raises:
        BadProposalError: A field of it is not what it may be.
    """
    trigger, name, when, scope = map(one_line, (trigger, name, when, scope))
    drafted = Proposal(
        number=0,
        sender=agent.name,
        at=at.astimezone(UTC).replace(microsecond=0),
        trigger=trigger,
        store=store,
        content=tidy(content),
        entities=tuple(dict.fromkeys(e.removeprefix("entity:") for e in entities)),
        confidence=confidence,
        core_worthy=core_worthy,
        origin=Origin.SUBAGENT,
        name=name,
        when=when,
        scope=scope,
        supersedes=supersedes.strip().removeprefix("entity:"),
        contradicts=tuple(dict.fromkeys(map(str.strip, contradicts))),
    )
    for what, hint in find_faults(drafted):
        raise BadProposalError(f"a sub-agent may not {what}", hint=hint)
    return drafted


def find_faults(proposal: Proposal) -> Iterator[tuple[str, str]]:
    """What no sub-agent may propose, and what it may instead."""
    one, about, against = proposal, proposal.entities, proposal.contradicts
    lines = (one.trigger, one.name, one.when, one.scope)
    short = max(map(len, lines)) <= LONGEST_LINE and len(one.content) <= LONGEST
    plain = not any(map(_HIDDEN.search, (one.content, *lines, *about)))
    named = len(about) <= MOST_ENTITIES and all(map(is_entity_name, about))
    gone = not one.supersedes or parse_fact_id(one.supersedes)
    known = all(references(each) == (each,) for each in against)
    cited = gone and known and len(against) <= MOST_ENTITIES
    sizes = f"At most {LONGEST:,} characters, {LONGEST_LINE:,} in any other field."
    ids = f"At most {MOST_ENTITIES}, as TYPE--SLUG in small letters: person--alex."
    facts = "Facts are cited as person--alex#3f2a9c, others by their id or #4."
    core = f"Suggest one of {', '.join(SUGGESTED)}, and mark it as core-worthy."
    meant = one.store in SUGGESTED and not one.block
    checks = (
        (meant, f"propose something for {one.store} memory", core),
        (one.content, "propose nothing", "Say what to remember."),
        (short, "propose so long a text", sizes),
        (plain, "propose what nobody sees", "Write plain text."),
        (named, "name what is no entity", ids),
        (cited, "name what is no fact", facts),
    )
    return ((what, hint) for holds, what, hint in checks if not holds)


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
        number. What a sub-agent says is its own word.

    Raises:
        FullListError: Too many wait.
        NoSuchProposalError: It contradicts one that does not wait.
    """
    pending = listed.load_pending(read)
    for other in proposal.contradicts:
        if other.startswith("#"):
            listed.find_proposal(pending, int(other[1:]))
    said, own = _meant(proposal), proposal.origin is Origin.SUBAGENT
    for known in pending.proposals:
        if _meant(known) == said and (not own or known.sender == proposal.sender):
            return (), known.number
    theirs = [
        one for one in pending.proposals if (one.origin is Origin.SUBAGENT) is own
    ]
    mine = [one for one in theirs if not own or one.sender == proposal.sender]
    if len(mine) >= MOST_EACH or len(theirs) >= MOST_ALL:
        full = mine if len(mine) >= MOST_EACH else theirs
        raise FullListError(proposal.sender, len(full))
    data = listed.render_pending(listed.add_proposal(pending, proposal)).encode()
    why, base = told_as(pending.next_number, proposal.content), read(layout.PENDING)
    edit = Edit(layout.PENDING, data, checksum(base), Action.PROPOSE, why)
    return (edit,), pending.next_number


def _meant(proposal: Proposal) -> tuple[Store, str, str]:
    return proposal.store, proposal.content, proposal.scope


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
    told += f" of {one_line(sender)}" if sender else ""
    return told + (
        f" as an episode for {proposal.scope} alone" if proposal.scope else ""
    )
