"""Operations as edits, each on top of those before it (docs/design/reflection.md).

Everything here plans. An operation that may not be carried out, or no longer can be, is
refused with the reason and does nothing; the others are planned without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.agents.scoping import told_accepted
from reverie.decay.curve import Status, standing
from reverie.encoding.remember import plan_remember
from reverie.encoding.text import mended, storable
from reverie.errors import FormatError, NotFoundError, RefusedError
from reverie.markdown import headline, one_line, tidy, without_comments
from reverie.model.change import Action
from reverie.model.ids import ItemId, Kind
from reverie.model.place import Procedural
from reverie.model.reflection import OperationKind, Refused
from reverie.reflection.operations.confining import confine, entity_in
from reverie.reflection.operations.extracts import require_sections
from reverie.reflection.operations.on_core import plan_core
from reverie.reflection.operations.on_entities import (
    NothingNewError,
    plan_connect,
    plan_extract,
    plan_flag,
)
from reverie.reflection.operations.overlay import (
    Effect,
    desk_over,
    diff_of,
    edit_of,
    laid_over,
    text_of,
)
from reverie.reflection.operations.reading import name_of
from reverie.stores import procedural, proposals
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from reverie.decay.curve import Trace
    from reverie.encoding.remember import Desk
    from reverie.index.index import Located
    from reverie.model.change import Edit
    from reverie.model.place import Place
    from reverie.model.proposal import Proposal
    from reverie.model.reflection import Operation


@dataclass(frozen=True, slots=True)
class Site:
    """What planning may look at.

    Attributes:
        desk: The files, the clock and the parameters; its source is the reflection.
        find: A memory as the index knows it, by id.
        trace: What decay knows about a memory, by id.
        place_of: Where a proposal that waited is to go.
    """

    desk: Desk
    find: Callable[[str], Located | None]
    trace: Callable[[str], Trace | None]
    place_of: Callable[[Proposal], Place]


@dataclass(frozen=True, slots=True)
class Step:
    """What one operation would do.

    Attributes:
        number: Which of the operations that were given, counted from 1.
        operation: The operation, with its target in the usual form.
        diff: What it alone would change; empty where no file tells of it.
        ids: The memories it is about.
    """

    number: int
    operation: Operation
    diff: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """What all operations together would do.

    Attributes:
        edits: What would happen to which file.
        archived: Ids of the memories that would be hidden.
        steps: What each operation does, in their order.
        refused: Which are not carried out, and why.
        before: The files as they are, by path; those that are new are not in it.
    """

    edits: tuple[Edit, ...] = ()
    archived: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    refused: tuple[Refused, ...] = ()
    before: tuple[tuple[str, bytes], ...] = ()


class NotToBeArchivedError(RefusedError):
    """A memory cannot be archived."""

    def __init__(self, id_: str, why: str) -> None:
        super().__init__(f"{id_} {why}", hint="Leave it out.")


class ProposalChangedError(RefusedError):
    """A proposal reads otherwise than the one that was shown."""

    def __init__(self, target: str) -> None:
        super().__init__(
            f"proposal {target} was changed since it was shown",
            hint="Look at it again: `reverie pending`.",
        )


def plan_operations(operations: Sequence[Operation], site: Site) -> Planned:
    """Plan operations, each on top of those before it."""
    edits: dict[str, Edit] = {}
    archived: dict[str, None] = {}
    steps: list[Step] = []
    refused: list[Refused] = []
    for number, operation in enumerate(operations, 1):
        there = replace(site, desk=desk_over(edits, site.desk))
        try:
            wanted = confine(operation)
            effect = _effect(wanted, there, site, archived)
        except (RefusedError, NotFoundError, FormatError) as error:
            refused.append(Refused(f"#{number} {name_of(operation)}", str(error)))
            continue
        diff = effect.told or diff_of(effect.edits, there.desk)
        steps.append(Step(number, wanted, diff, effect.ids))
        edits = laid_over(edits, effect.edits)
        archived |= dict.fromkeys(effect.archived)
    held = {path: site.desk.read(path) for path in edits}
    return Planned(
        tuple(edit for path, edit in edits.items() if edit.content != held[path]),
        tuple(archived),
        tuple(steps),
        tuple(refused),
        tuple((path, data) for path, data in held.items() if data is not None),
    )


def _effect(
    operation: Operation, there: Site, first: Site, archived: Collection[str]
) -> Effect:
    """What an operation does after those before it.

    Args:
        operation: The operation, confined.
        there: What those before it leave.
        first: What is there now.
        archived: What those before it archive.
    """
    if operation.kind is OperationKind.ARCHIVE and operation.target in archived:
        raise NotToBeArchivedError(operation.target, "is archived already")
    if operation.kind is OperationKind.CORE:
        return plan_core(operation, there.desk, first.desk)
    if operation.kind is OperationKind.EXTRACT:
        _require_not_forgotten(entity_in(operation.target), there)
    return _PLANS[operation.kind](operation, there)


def _require_not_forgotten(name: str, site: Site) -> None:
    """Nothing is learned about what its human asked to forget."""
    trace = site.trace(str(ItemId(Kind.ENTITY, name)))
    if trace is not None and trace.archived:
        raise ForgottenEntityError(name)


class ForgottenEntityError(RefusedError):
    """An operation is about something that its human asked to forget."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} was forgotten on request",
            hint="Only its human brings it up again.",
        )


def _plan_insight(operation: Operation, site: Site) -> Effect:
    """Nothing: the record writes the page, with its number and its day."""
    storable(operation.content, site.desk.config.ledger.text_limit)
    return Effect()


def _plan_archive(operation: Operation, site: Site) -> Effect:
    id_ = operation.target
    located, trace = site.find(id_), site.trace(id_)
    if located is None or trace is None:
        raise NotToBeArchivedError(id_, "is no memory that is known")
    if trace.pinned:
        raise NotToBeArchivedError(id_, "is pinned")
    if trace.archived:
        raise NotToBeArchivedError(id_, "is archived already")
    score, status = standing(trace, site.desk.now, site.desk.config.decay)
    if status is Status.ACTIVE:
        raise NotToBeArchivedError(id_, f"is still active ({score:.2f})")
    told = f"- {id_}: {headline(located.title)} ({score:.2f})"
    return Effect(ids=(id_,), archived=(id_,), told=told)


# --- procedures ----------------------------------------------------------------

_HEADINGS = ("## trigger", "## steps")
_TRIGGER = "trigger:"


def _plan_pattern(operation: Operation, site: Site) -> Effect:
    """Plan to add a procedure, or what one does not say yet."""
    desk = site.desk
    content = storable(operation.content, desk.config.ledger.text_limit)
    name = operation.target.rpartition("/")[2].removesuffix(".md")
    told = _procedure(content, operation.target)
    place = Procedural(name.replace("-", " "), told.procedure.trigger)
    steps = "\n".join(map(one_line, told.procedure.steps))
    plan = plan_remember(steps, place, desk)
    there = desk_over({edit.path: edit for edit in plan.edits}, desk)
    path = there.place(layout.PROCEDURES, f"{name}.md")
    page = procedural.parse_procedure(text_of(path, there) or "", path)
    for note in map(one_line, told.procedure.notes):
        if note not in page.procedure.notes:
            page = procedural.add_note(page, note)
    why = headline(steps)
    if not edit_of(path, procedural.render_procedure(page), desk, why):
        raise NothingNewError(path)
    if operation.reason:
        # Where it was learned is not the mind's to say.
        origin = f"reflection of {desk.now.date()}: {one_line(operation.reason)}"
        page = procedural.add_learned_from(page, origin)
    edits = edit_of(path, procedural.render_procedure(page), desk, why)
    return Effect(edits, plan.ids)


def _procedure(content: str, path: str) -> procedural.ProcedurePage:
    """A procedure that a mind wrote as a file, or as lines with a trigger above."""
    if any(line.lower().startswith(_HEADINGS) for line in content.split("\n")):
        page = procedural.parse_procedure(content, path)
        require_sections(page.page)
        return page
    first, _, rest = content.partition("\n")
    trigger = ""
    if first.lower().startswith(_TRIGGER):
        trigger, content = first[len(_TRIGGER) :].strip(), rest
    lines = map(one_line, without_comments(content).split("\n"))
    kept = (line for line in lines if line and not line.startswith("# "))
    steps = "\n".join(f"- {line.removeprefix('- ')}" for line in kept)
    text = f"## {procedural.TRIGGER}\n{trigger}\n\n## {procedural.STEPS}\n{steps}\n"
    return procedural.parse_procedure(text, path)


# --- proposals that waited -----------------------------------------------------


def _plan_commit(operation: Operation, site: Site) -> Effect:
    """Plan to make a proposal true, word for word."""
    desk = site.desk
    proposal = _proposal(operation, desk)
    theirs = replace(desk, said_by=proposal.origin)
    plan = plan_remember(proposal.content, site.place_of(proposal), theirs)
    why = told_accepted(proposal)
    edits = tuple(
        replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
        for edit in plan.edits
    )
    kept = _kept(proposal, site)
    return Effect((*edits, *_taken_off(proposal, desk, why)), plan.ids, kept)


def _plan_reject(operation: Operation, site: Site) -> Effect:
    proposal = _proposal(operation, site.desk)
    said = headline(mended(operation.reason or proposal.content))
    why = f"rejected proposal {operation.target}: {said}"
    edits = _taken_off(proposal, site.desk, why, Action.REJECT)
    return Effect(edits, archived=_kept(proposal, site))


def _proposal(operation: Operation, desk: Desk) -> Proposal:
    pending = proposals.load_pending(desk.read)
    found = proposals.find_proposal(pending, int(operation.target.removeprefix("#")))
    if tidy(found.content) != tidy(operation.content):
        raise ProposalChangedError(operation.target)
    return found


def _taken_off(
    proposal: Proposal, desk: Desk, why: str, action: Action = Action.EDIT
) -> tuple[Edit, ...]:
    pending = proposals.load_pending(desk.read)
    rest = proposals.remove_proposal(pending, proposal.number)
    text = proposals.render_pending(proposals.unmark(rest, [proposal.number]))
    return edit_of(layout.PENDING, text, desk, why, action)


def _kept(proposal: Proposal, site: Site) -> tuple[str, ...]:
    """The copy that was kept as data meanwhile, which is not needed any more."""
    id_ = proposal.kept
    trace = site.trace(id_) if id_.startswith("episode:") and site.find(id_) else None
    return (id_,) if trace and not trace.pinned and not trace.archived else ()


_PLANS: dict[OperationKind, Callable[[Operation, Site], Effect]] = {
    OperationKind.EXTRACT: lambda operation, site: plan_extract(operation, site.desk),
    OperationKind.CONNECT: lambda operation, site: plan_connect(operation, site.desk),
    OperationKind.FLAG: lambda operation, site: plan_flag(operation, site.desk),
    OperationKind.ARCHIVE: _plan_archive,
    OperationKind.PATTERN: _plan_pattern,
    OperationKind.EVOLVE: _plan_insight,
    OperationKind.COMMIT: _plan_commit,
    OperationKind.REJECT: _plan_reject,
}
