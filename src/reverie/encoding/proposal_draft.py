"""What a sub-agent proposes: drafted, checked, and put on the list (003, §13.2).

Its ledger lets through one more proposal of its own, nothing else. That is checked on
the bytes that would be written, whoever planned them, so that no text and no mistake
above can make a sub-agent write anywhere, or in another's name.
"""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.gate import pass_text
from reverie.errors import RefusedError
from reverie.markdown import headline, one_line, tidy
from reverie.model.change import Action, Approval, ChangeSet, Edit, Secrets, checksum
from reverie.model.ids import Store, slug
from reverie.model.items import FOREIGN, EpisodeKind, Origin, same_person
from reverie.model.proposals import PENDING, Proposal, Proposed, SubAgentError
from reverie.model.route import Episodic
from reverie.printable import storable, storable_name
from reverie.secrets import pass_words
from reverie.stores import proposals as listed
from reverie.stores.entities import parse_fact_id
from reverie.stores.proposals import (
    add_proposal,
    parse_pending,
    references,
    render_pending,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime

    from reverie.model.proposals import Agent
    from reverie.model.route import Place
    from reverie.session.session import Session

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


def draft(agent: Agent, wanted: Proposal, at: datetime) -> Proposal:
    """A proposal as a sub-agent may make it: signed, dated, not numbered yet.

    Raises:
        BadProposalError: A field of it is not what it may be.
    """
    drafted = replace(
        wanted,
        number=0,
        sender=agent.name,
        origin=Origin.SUBAGENT,
        at=at.astimezone(UTC).replace(microsecond=0),
        content=tidy(wanted.content),
        entities=tuple(
            dict.fromkeys(name.removeprefix("entity:") for name in wanted.entities)
        ),
        supersedes=wanted.supersedes.strip().removeprefix("entity:"),
        contradicts=tuple(dict.fromkeys(map(str.strip, wanted.contradicts))),
        **{
            n: one_line(getattr(wanted, n))
            for n in ("trigger", "name", "when", "scope")
        },
    )
    for what, hint in find_faults(drafted):
        raise BadProposalError(f"a sub-agent may not {what}", hint=hint)
    return drafted


def propose(
    session: Session, agent: Agent, wanted: Proposal, secrets: Secrets
) -> Proposed:
    """Put what a sub-agent wants to propose on the list, in its name.

    Raises:
        SubAgentError: It wants to keep a secret in plain text.
        SecretFoundError: There is one in it, and it is not to be taken out.
        BadProposalError: A field of it is not what it may be.
    """
    if secrets is Secrets.KEEP:
        raise SubAgentError(agent.name, "keep a secret in plain text")
    pass_words(wanted.entities, secrets)
    limit, redacted = session.config.ledger.text_limit, dict[str, None]()
    fields = {}
    for name in ("content", "trigger", "name", "when"):
        passed = pass_text(getattr(wanted, name), secrets)
        redacted |= dict.fromkeys(passed.redacted)
        fields[name] = passed.text
    fields["content"] = storable(fields["content"], limit)
    for name in ("trigger", "when"):
        fields[name] = storable(fields[name], limit) if fields[name] else ""
    fields["name"] = storable_name(fields["name"]) if fields["name"] else ""
    drafted = draft(agent, replace(wanted, **fields), session.clock())

    def attempt() -> Proposed:
        session.sync()
        edits, number = plan_proposal(drafted, session.ledger.read)
        if not edits:
            head, now = session.ledger.head, session.clock()
            return Proposed(head, now, (), agent.actor, number=number, known=True)
        change = ChangeSet(edits, agent.actor, Approval.PENDING, drafted.trigger)
        done = session.commit(change)
        proof = (done.commit, done.at, done.lines, done.actor)
        return Proposed(*proof, number=number, redacted=tuple(redacted))

    return session.persist("propose", attempt)


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
        (not one.removes, "propose a removal", "Say why in a proposal of its own."),
    )
    return ((what, hint) for holds, what, hint in checks if not holds)


def is_entity_name(name: str) -> bool:
    """Whether a text is `TYPE--SLUG`, as entities are called."""
    type_, _, rest = name.partition("--")
    return bool(type_ and rest) and slug(type_) == type_ and slug(rest) == rest


def plan_proposal(
    proposal: Proposal,
    read: Callable[[str], bytes | None],
    gone: Collection[str] = (),
) -> tuple[tuple[Edit, ...], int]:
    """Plan to put a proposal on the list, in place of older ones for the same thing.

    Args:
        proposal: The proposal.
        read: Returns a file of the workspace.
        gone: IDs of the memories that its text takes the place of; see
            `find_replaced`.

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
    replaced = find_replaced(pending, proposal, gone)
    numbers = [one.number for one in replaced]
    theirs = [
        one
        for one in pending.proposals
        if (one.origin is Origin.SUBAGENT) is own and one not in replaced
    ]
    mine = [one for one in theirs if not own or one.sender == proposal.sender]
    if len(mine) >= MOST_EACH or len(theirs) >= MOST_ALL:
        full = mine if len(mine) >= MOST_EACH else theirs
        raise FullListError(proposal.sender, len(full))
    number, rest = pending.next_number, pending
    for each in numbers:
        rest = listed.remove_proposal(rest, each)
    rest = listed.unmark(rest, numbers) if numbers else rest
    data = listed.render_pending(listed.add_proposal(rest, proposal)).encode()
    removal = f"remove {proposal.removes}: " if proposal.removes else ""
    why = told_as(number, f"{removal}{proposal.content}")
    why += f" (in place of {', '.join(f'#{each}' for each in numbers)})" * bool(numbers)
    base = read(layout.PENDING)
    edit = Edit(layout.PENDING, data, checksum(base), Action.PROPOSE, why)
    return (edit,), number


def find_replaced(
    pending: listed.Pending, proposal: Proposal, gone: Collection[str] = ()
) -> tuple[Proposal, ...]:
    """Return the pending proposals that a newer proposal takes the place of.

    They are for the same procedure or the same line of core memory, or their kept text
    is superseded. A proposal of a sub-agent replaces none, and words of others replace
    no words of the user or the agent.
    """
    if proposal.removes or proposal.origin is Origin.SUBAGENT:
        return ()
    return tuple(
        one
        for one in pending.proposals
        if not one.removes
        and one.origin is not Origin.SUBAGENT
        and one.scope == proposal.scope
        and (proposal.origin not in FOREIGN or one.origin in FOREIGN)
        and (_has_same_target(one, proposal) or (one.kept and one.kept in gone))
    )


def _has_same_target(one: Proposal, other: Proposal) -> bool:
    """Return whether two proposals are for one procedure or line of core memory."""
    if one.store is not other.store:
        return False
    if one.store is Store.CORE:
        return bool(one.supersedes) and one.supersedes == other.supersedes
    id_ = listed.procedure_id(one)
    return bool(id_) and id_ == listed.procedure_id(other)


def _meant(proposal: Proposal) -> tuple[Store, str, str, str]:
    return proposal.store, proposal.content, proposal.scope, proposal.removes


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


# --- what a sub-agent's ledger lets through ----------------------------------


def require_only_proposes(
    agent: Agent, change: ChangeSet, before: bytes | None, person: str = ""
) -> None:
    """Refuse a change that is not one more proposal of this sub-agent.

    Args:
        agent: Whose handle it comes through.
        change: What is to be committed.
        before: The list of proposals as it stands; None where there is none.
        person: For whom it works; empty for everybody.

    Raises:
        SubAgentError: It is anything else.
    """
    what = next(_beyond(agent, change, before, person), "")
    if what:
        raise SubAgentError(agent.name, what)


def _beyond(
    agent: Agent, change: ChangeSet, before: bytes | None, person: str
) -> Iterator[str]:
    """What a change does that is not proposing."""
    if change.actor != agent.actor:
        yield f"sign as {change.actor}"
    if change.approval is not Approval.PENDING:
        yield "say that a change was approved"
    if change.told:
        yield "say what history tells"
    if len(change.edits) != 1:
        yield f"change {len(change.edits)} files at once"
    for edit in change.edits:
        if edit.path != layout.PENDING:
            yield f"write to {edit.path}"
        if edit.action is not Action.PROPOSE:
            yield f"do more than propose ({edit.action})"
        if edit.base != checksum(before):
            yield "write on a list that it has not read"
        try:
            old, new = (before or b"").decode(), (edit.content or b"").decode()
        except UnicodeDecodeError:
            yield "write on a list that is not UTF-8"
        else:
            yield from _beyond_adding(agent, old, new, edit.summary, person)


def _beyond_adding(
    agent: Agent, old: str, new: str, summary: str, person: str
) -> Iterator[str]:
    known = parse_pending(old.removeprefix("\ufeff"), layout.PENDING)
    found = parse_pending(new, layout.PENDING).proposals
    added = found[-1] if found else None
    if added is None or render_pending(add_proposal(known, added)) != new:
        yield "change anything on the list, but add one proposal at its end"
        return
    yield from _beyond_its_own(agent, added)
    if not same_person(added.scope, person):
        yield f"propose something for {added.scope or 'everybody'}"
    if summary != told_as(added.number, added.content):
        yield "tell history another thing than it proposes"


def _beyond_its_own(agent: Agent, added: Proposal) -> Iterator[str]:
    """What a proposal says that its sender may not say."""
    checks = (
        (added.sender == agent.name, f"propose as {added.sender or 'nobody'}"),
        (added.origin is Origin.SUBAGENT, f"speak for the {added.origin}"),
        (added.status == PENDING and not added.disputed, "decide on what it proposes"),
        (not added.kept, "say which memory belongs to a proposal"),
        (added.at is not None, "leave out when it proposed"),
    )
    yield from (what for holds, what in checks if not holds)
    yield from (what for what, _ in find_faults(added))
