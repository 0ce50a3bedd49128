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
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from reverie.markdown import Section
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

    def __init__(self, sender: str, waiting: int) -> None:
        what = (
            f"{waiting:,} proposals wait for a decision already; {sender} may not add"
        )
        hint = "The main agent or its human decides first: `reverie pending`."
        super().__init__(f"{what} one", hint=hint)


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
    if store not in SUGGESTED:
        what = f"a sub-agent may not suggest {store}"
        hint = (
            f"Suggest one of {', '.join(SUGGESTED)}; to say that it belongs into core"
        )
        raise BadProposalError(what, hint=f"{hint} memory too, mark it as core-worthy.")
    text = _text("content", tidy(content), LONGEST)
    if not text:
        what = "there is no text to propose"
        raise BadProposalError(what, hint="Say what to remember.")
    about = _few("entities", (each.removeprefix("entity:") for each in entities))
    against = _few("contradictions", map(str.strip, contradicts))
    for each in about:
        if not is_entity_name(each):
            what = f"{each!r} is not the id of an entity"
            hint = "Ids are TYPE--SLUG in small letters, such as person--alex."
            raise BadProposalError(what, hint=hint)
    wrong = [each for each in against if references(each) != (each,)]
    wrong += [supersedes] if supersedes and parse_fact_id(supersedes) is None else []
    if wrong:
        what = f"{wrong[0][:60]!r} is not the id of a fact"
        hint = (
            "Facts are cited as person--alex#3f2a9c; what contradicts may be a memory"
        )
        raise BadProposalError(what, hint=f"{hint}'s id or #4 as well.")
    return Proposal(
        number=0,
        sender=agent.name,
        at=at.astimezone(UTC).replace(microsecond=0),
        trigger=_text("trigger", one_line(trigger)),
        store=store,
        content=text,
        entities=about,
        confidence=confidence,
        core_worthy=core_worthy,
        origin=Origin.SUBAGENT,
        name=_text("name", one_line(name)),
        when=_text("occasion", one_line(when)),
        scope=_text("scope", one_line(scope)),
        supersedes=supersedes.strip().removeprefix("entity:"),
        contradicts=against,
    )


def _text(field: str, text: str, most: int = LONGEST_LINE) -> str:
    """One field of a proposal, if it is not too long and a person sees all of it."""
    has = f"{len(text):,} characters" if len(text) > most else ""
    has = has or ("" if is_plain(text) else "characters that nobody can see")
    if has:
        what = f"the {field} of a proposal has {has}"
        hint = f"At most {most:,}, in plain text: one memory at a time, in a sentence."
        raise BadProposalError(what, hint=hint)
    return text


def _few(field: str, names: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(names))
    if len(found) > MOST_ENTITIES:
        what = f"a proposal names {len(found):,} {field}"
        raise BadProposalError(what, hint=f"At most {MOST_ENTITIES}.")
    return found


def is_plain(text: str) -> bool:
    """Whether a person sees all of a text, and a file can hold it."""
    return not _HIDDEN.search(text)


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
    """
    pending = load_pending(read)
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
    data = render_pending(add_proposal(pending, proposal)).encode()
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
