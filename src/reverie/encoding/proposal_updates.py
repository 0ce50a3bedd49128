"""Plan proposals of the main agent, and keep one for each procedure and core line.

A newer proposal for the same procedure or the same line of core memory takes the place
of the older one on the list; history keeps both. A proposal for a procedure always has
all of its steps, so that accepting it replaces the procedure as a whole.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.encoding.placement import put_on_top, read_over
from reverie.encoding.proposal_draft import (
    FullListError,
    find_replaced,
    plan_proposal,
)
from reverie.errors import RefusedError
from reverie.markdown import visible
from reverie.model.ids import Kind, Store
from reverie.model.items import FOREIGN, Confidence
from reverie.model.proposals import PENDING, Proposal
from reverie.model.route import Core, Episodic, Procedural, Vault, store_of
from reverie.stores.procedures import STEPS, parse_procedure, split_steps
from reverie.stores.proposals import load_pending, procedure_id
from reverie.stores.reader import decode
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from reverie.encoding.placement import Saying
    from reverie.model.change import Edit
    from reverie.model.route import Place
    from reverie.session.session import Session
    from reverie.stores.procedures import ProcedurePage

_TOGETHER = "to change several steps, send all steps of the procedure at once"


class WaitingPlan(NamedTuple):
    """Planned proposals of a draft.

    Attributes:
        edits: The edits of the list.
        number: The number of the first proposal; 0 for none.
        copies: IDs of the episodes that kept the texts of replaced proposals.
        note: What the agent is told of them; empty for nothing.
    """

    edits: tuple[Edit, ...] = ()
    number: int = 0
    copies: tuple[str, ...] = ()
    note: str = ""


def plan_waiting(session: Session, saying: Saying, ids: tuple[str, ...]) -> WaitingPlan:
    """Plan to put on the list what waits of a draft.

    Args:
        session: The open workspace.
        saying: The draft, which may also correct the text of a pending proposal.
        ids: IDs of what is stored of it meanwhile.

    Raises:
        OtherStepsError: A step is corrected that a pending version does not have.
    """
    drafts = [_draft_proposal(saying, *step) for step in saying.waiting]
    gone = frozenset(saying.struck)
    if gone and not drafts:
        drafts += _correct_pending(session, saying, gone)
    edits: dict[str, Edit] = {}
    first, copies, notes = 0, list[str](), dict[str, None]()
    for draft in drafts:
        read = read_over(edits, session.ledger.read)
        kept = ids[0] if ids else ""
        pending = load_pending(read)
        draft = replace(draft, at=session.clock(), kept=kept)  # noqa: PLW2901
        proposal = complete_version(session, draft, pending.proposals)
        # Where the list is full it is kept as data, and told.
        with suppress(FullListError):
            more, number = plan_proposal(proposal, read, gone)
            put_on_top(edits, more)
            first = first or number
            replaced = find_replaced(pending, proposal, gone) if more else ()
            copies += (each.kept for each in replaced if each.kept)
            if replaced:
                numbers = ", ".join(f"#{each.number}" for each in replaced)
                notes[f"#{number} takes the place of {numbers}"] = None
            if proposal != draft:
                notes[f"#{number} has all steps of the procedure"] = None
                notes[_TOGETHER] = None
    episodes = (id_ for id_ in copies if id_.startswith(f"{Kind.EPISODE}:"))
    return WaitingPlan(tuple(edits.values()), first, tuple(episodes), "; ".join(notes))


def _draft_proposal(saying: Saying, text: str, place: Place) -> Proposal:
    """Return what a human is asked to agree to: the words, and where they would go."""
    route = saying.route
    proposal = Proposal(
        *(0, str(saying.actor), None, saying.trigger, store_of(place), text),
        origin=saying.origin,
        entities=tuple(mention.id for mention in route.entities) if route else (),
        confidence=route.confidence if route else Confidence.MEDIUM,
        core_worthy=isinstance(place, Core) or bool(route and route.core_update),
        basis=saying.basis,
    )
    match place:
        case Procedural(name=name, trigger=when, supersedes=gone):
            return replace(proposal, name=name, when=when, supersedes=gone)
        case Vault(title=title, supersedes=gone):
            return replace(proposal, name=title, supersedes=gone)
        case Core(block=block, supersedes=gone):
            return replace(proposal, block=block, supersedes=gone)
        case _:
            return proposal


def _correct_pending(
    session: Session, saying: Saying, gone: frozenset[str]
) -> Iterator[Proposal]:
    """Yield the pending proposals whose kept text is corrected, with the new text."""
    text, place = saying.steps[0]
    if saying.origin in FOREIGN or not isinstance(place, Episodic):
        return
    for one in load_pending(session.ledger.read).proposals:
        if one.kept not in gone or one.removes:
            continue
        old = session.find(one.kept)
        steps, fresh = [*split_steps(one.content)], [*split_steps(text)]
        content = text
        if one.store is Store.PROCEDURAL and len(steps) > 1 and len(fresh) == 1:
            # The copy has one step of the complete version.
            at = _find_step(steps, old.text) if old else None
            if at is None:
                continue
            content = _number_steps([*steps[:at], *fresh, *steps[at + 1 :]])
        words = {"content": content, "origin": saying.origin, "status": PENDING}
        made = {"sender": str(saying.actor), "trigger": saying.trigger}
        basis = saying.basis or one.basis
        yield replace(one, number=0, conflicts=(), basis=basis, **words, **made)


# --- versions of procedures --------------------------------------------------------


class OtherStepsError(RefusedError):
    """A step is corrected that the pending version of its procedure does not have."""

    says = "proposal #{} is a version of this procedure with other steps"
    mend = "Send all steps of the procedure together, under its name."


def complete_version(
    session: Session, proposal: Proposal, pending: Iterable[Proposal]
) -> Proposal:
    """Return a proposal for one step as one for all steps of its procedure.

    The other steps are those of the pending version, if one is newer than the file.

    Raises:
        OtherStepsError: The pending version does not have the step.
    """
    id_, old = procedure_id(proposal), proposal.supersedes
    if not id_ or not old or old.startswith(f"{Kind.PROCEDURE}:") or proposal.removes:
        return proposal
    page = _load_page(session, id_)
    at = _find_step(page.procedure.steps, old) if page else None
    if page is None or at is None:
        return proposal
    steps, when = [*page.procedure.steps], proposal.when
    mine = [one for one in pending if procedure_id(one) == id_]
    for one in mine:
        if one.origin not in FOREIGN and not _is_older(session, one, page):
            theirs = [*split_steps(one.content)]
            there = _find_step(theirs, old)
            same_size = len(theirs) == len(page.procedure.steps)
            if there is None and not same_size:
                raise OtherStepsError(one.number)
            steps, at = theirs, at if there is None else there
            when = when or one.when
    steps[at] = " ".join(" ".join(split_steps(proposal.content)).split())
    content = _number_steps(steps)
    return replace(proposal, content=content, when=when, supersedes=id_)


def complete_steps(text: str, path: str, number: int, new: str) -> str:
    """Return all steps of a procedure's file, one of which says something else.

    Args:
        text: The text of the file.
        path: Its path.
        number: The number of the step, from 1 on.
        new: What that step says then.
    """
    steps = [*parse_procedure(text, path).procedure.steps]
    if not 0 < number <= len(steps):
        return new
    steps[number - 1] = " ".join(" ".join(split_steps(new)).split())
    return _number_steps(steps)


def find_pending_versions(
    session: Session, proposals: Iterable[Proposal]
) -> dict[str, int]:
    """Return the IDs of procedures with a pending version, and the newest of each.

    A proposal that is older than the steps of its procedure is no new version.

    Returns:
        By the ID of a procedure, the number of the proposal.
    """
    versions = dict[str, int]()
    for one in proposals:
        if (id_ := procedure_id(one)) and not one.removes:
            page = _load_page(session, id_)
            if page is None or not _is_older(session, one, page):
                versions[id_] = one.number
    return versions


def _load_page(session: Session, id_: str) -> ProcedurePage | None:
    """Return the file of a procedure; None where there is none."""
    name = id_.partition(":")[2]
    path = session.place(layout.PROCEDURES, f"{name}.md")
    data = session.ledger.read(path)
    return parse_procedure(decode(data, path)[0], path) if data is not None else None


def _is_older(session: Session, proposal: Proposal, page: ProcedurePage) -> bool:
    """Return whether a proposal was made before the steps of a procedure changed."""
    changed = _last_change(session, page)
    return bool(proposal.at and changed and proposal.at < changed)


def _last_change(session: Session, page: ProcedurePage) -> datetime | None:
    """Return when a step of a procedure was last written."""
    lines = {piece.line for piece in page.page.items(STEPS)}
    commits = {
        commit
        for commit, first, count in session.ledger.blame(page.path)
        if lines & {*range(first, first + count)}
    }
    return max((session.ledger.entry(commit).at for commit in commits), default=None)


def _find_step(steps: Iterable[str], wanted: str) -> int | None:
    words = visible(wanted).split()
    return next((n for n, step in enumerate(steps) if step.split() == words), None)


def _number_steps(steps: Iterable[str]) -> str:
    one_line = (" ".join(step.split()) for step in steps)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(one_line, 1))
