"""Operations as edits, each on top of those before it (docs/design/reflection.md).

Everything here plans. An operation that may not be carried out, or no longer can be, is
refused with the reason and does nothing; the others are planned without it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.agents.review import taken_off
from reverie.decay import Status, standing
from reverie.encoding.placement import desk_over, fact_of, move_out, plan_remember
from reverie.encoding.proposal_draft import told_accepted
from reverie.errors import ReverieError
from reverie.model.change import Action
from reverie.model.ids import ItemId, Kind, MissingItemError
from reverie.model.items import CoreItem, Origin, implied, least, named
from reverie.model.reflection import Operation, OperationKind, Refused
from reverie.model.route import Procedural, Vault
from reverie.printable import mended, storable
from reverie.reflection import entity_edits as pages
from reverie.reflection import log
from reverie.reflection.evolution import (
    EvolutionEntry,
    add_reflection,
    parse_insight,
)
from reverie.reflection.finish import plan_finish
from reverie.reflection.identity import append_awareness
from reverie.reflection.operations import (
    block_in,
    confine,
    entities_in,
    entity_in,
    name_of,
)
from reverie.reflection.records import entries_in
from reverie.stores import core, procedures, proposals
from reverie.stores.check import core_budgets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from reverie.decay import Trace
    from reverie.encoding.placement import Desk
    from reverie.index import Located
    from reverie.model.change import Edit
    from reverie.model.items import Block
    from reverie.model.proposals import Proposal
    from reverie.model.route import Place


class About(Struct, frozen=True):
    """Which reflection is planned for: its number, its day and its milestone."""

    number: int
    day: date
    milestone: int = 0


class Site(Struct, frozen=True):
    """What planning may look at.

    Attributes:
        desk: The files, the clock and the parameters; its source is the reflection.
        find: A memory as the index knows it, by id.
        trace: What decay knows about a memory, by id.
        place_of: Where a proposal that waited is to go.
        about: The reflection.
        naming: The files that name an entity.
        scope: The person whom a memory is for alone, by id; empty for everybody.
    """

    desk: Desk
    find: Callable[[str], Located | None]
    trace: Callable[[str], Trace | None]
    place_of: Callable[[Proposal], Place]
    about: About = About(0, date.min)
    naming: Callable[[str], Iterable[str]] = lambda _name: ()
    scope: Callable[[str], str] = lambda _id: ""


class PlannedStep(Struct, frozen=True):
    """What one operation would do.

    Attributes:
        number: Which of the operations that were given, counted from 1.
        operation: The operation, with its target in the usual form.
        diff: What it would change by itself; empty where no file tells of it. Of one
            that cannot be made without others, what it changes after them.
        ids: The memories it is about.
        after: Numbers of those without which it cannot be made.
        paths: The files it changes.
    """

    number: int
    operation: Operation
    diff: str
    ids: tuple[str, ...] = ()
    after: tuple[int, ...] = ()
    paths: frozenset[str] = frozenset()


class Planned(Struct, frozen=True):
    """What all operations together would do.

    Attributes:
        edits: What would happen to which file.
        archived: Ids of the memories that would be hidden.
        steps: What each operation does, in their order.
        refused: Which are not carried out, and why.
        before: The files as they are, by path; those that are new are not in it.
        notes: What its human should know besides.
    """

    edits: tuple[Edit, ...] = ()
    archived: tuple[str, ...] = ()
    steps: tuple[PlannedStep, ...] = ()
    refused: tuple[Refused, ...] = ()
    before: tuple[tuple[str, bytes], ...] = ()
    notes: tuple[str, ...] = ()


def plan_operations(
    operations: Sequence[Operation], site: Site, numbers: Sequence[int] = ()
) -> Planned:
    """Plan operations, each on top of those before it.

    Args:
        operations: What is to be done.
        site: What planning may look at.
        numbers: What the operations are known by on their page; where they are not
            on one yet, what is refused is told without a number.
    """
    edits: dict[str, Edit] = {}
    archived: dict[str, None] = {}
    steps: list[PlannedStep] = []
    refused: list[Refused] = []
    notes: list[str] = []
    known = numbers or range(1, len(operations) + 1)
    for number, operation in zip(known, operations, strict=True):
        naming = partial(_naming, site.naming, edits)
        there = replace(site, desk=desk_over(edits, site.desk), naming=naming)
        try:
            wanted = confine(operation)
            _require_everybodys(wanted, site)
            effect = _effect(wanted, there, site, archived)
        except ReverieError as error:
            named = f"#{number} {name_of(operation)}" if numbers else name_of(operation)
            said = "" if numbers else operation.content
            refused.append(Refused(named, str(error), said))
            continue
        step = PlannedStep(
            number,
            wanted,
            pages.diff_of(effect.edits, there.desk) + effect.told,
            effect.ids,
            paths=frozenset(edit.path for edit in effect.edits),
        )
        before = [each.number for each in steps if each.paths & step.paths]
        steps.append(replace(step, after=tuple(before)))
        edits = pages.laid_over(edits, effect.edits)
        archived |= dict.fromkeys(effect.archived)
        notes += effect.notes
    held = {path: site.desk.read(path) for path in edits}
    changed = tuple(e for path, e in edits.items() if e.content != held[path])
    return Planned(
        changed,
        tuple(archived),
        _apart(steps, changed, site),
        tuple(refused),
        tuple((path, data) for path, data in held.items() if data is not None),
        tuple(notes),
    )


def _naming(
    known: Callable[[str], Iterable[str]], edits: dict[str, Edit], name: str
) -> list[str]:
    """The files that name an entity, those that were changed before it included."""
    link = f"[[{name}".encode()
    fresh = (path for path, edit in edits.items() if link in (edit.content or b""))
    return [*dict.fromkeys((*known(name), *fresh))]


def _require_everybodys(operation: Operation, site: Site) -> None:
    """Refuse what would touch the page of one person alone: nobody was shown it."""
    named = entities_in(operation)
    private = [name for name in named if site.scope(str(ItemId(Kind.ENTITY, name)))]
    if private:
        raise pages.CannotBeDoneError(f"{private[0]} is for one person alone")


def _apart(
    steps: Sequence[PlannedStep], edits: Iterable[Edit], site: Site
) -> tuple[PlannedStep, ...]:
    """Steps that show what each does by itself, as far as that can be told apart.

    It can, where an operation needs none of those before it, and where all of them
    together do no more than each by itself.
    """
    alone = {step.number: _alone(step, site) for step in steps if step.after}
    found = [alone.get(step.number) or step for step in steps]
    told = {line for step in found for line in changed_lines(step.diff)}
    missing = set(changed_lines(pages.diff_of(edits, site.desk))) - told
    names = {line.partition(" ")[0] for line in missing}
    return tuple(
        step if names & {path.rpartition("/")[2] for path in step.paths} else apart
        for step, apart in zip(steps, found, strict=True)
    )


def _alone(step: PlannedStep, site: Site) -> PlannedStep | None:
    """What a step would do without those before it; None where it cannot be done."""
    try:
        effect = _effect(step.operation, site, site, ())
    except ReverieError:
        return None
    diff = pages.diff_of(effect.edits, site.desk) + effect.told
    return replace(step, diff=diff, after=())


_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def changed_lines(diff: str) -> Iterator[str]:
    """The lines of a diff that are new or gone, each with its sign and its file.

    Blank lines do not count, and no line of a file is taken for one of the diff's. A
    file is known by its name: folders are cut in two as they grow.
    """
    path, left = "", {"-": 0, "+": 0}
    for line in diff.split("\n"):
        sign = line[:1]
        if not any(left.values()):
            hunk = _HUNK.match(line)
            if hunk:
                left = {"-": int(hunk[1] or 1), "+": int(hunk[2] or 1)}
            elif line.startswith("+++ b/"):
                path = line.rpartition("/")[2]
            continue
        for one in sign if sign in left else left:
            left[one] -= 1
        if sign in left and line[1:].strip():
            yield f"{path} {line}"


def _effect(
    operation: Operation, there: Site, first: Site, archived: Collection[str]
) -> pages.Effect:
    """What an operation does after those before it.

    Args:
        operation: The operation, confined.
        there: What those before it leave.
        first: What is there now.
        archived: What those before it archive.
    """
    if operation.kind is OperationKind.ARCHIVE and operation.target in archived:
        raise pages.CannotBeDoneError(f"{operation.target} is archived already")
    # Approving makes nobody's words its human's: they stay whose they were.
    there = replace(there, desk=replace(there.desk, said_by=operation.origin))
    match operation.kind:
        case OperationKind.CORE:
            return _plan_core_line(operation, there, first)
        case OperationKind.EXTRACT:
            name = entity_in(operation.target)
            trace = there.trace(str(ItemId(Kind.ENTITY, name)))
            if trace is not None and trace.archived:
                raise pages.CannotBeDoneError(f"{name} was forgotten on request")
            return pages.plan_extract(operation, there.desk, there.find)
        case OperationKind.CONNECT:
            return pages.plan_connect(operation, there.desk)
        case OperationKind.FLAG:
            return pages.plan_flag(operation, there.desk)
        case OperationKind.MERGE:
            return pages.plan_merged(operation, there.desk, there.naming)
        case OperationKind.DISTINCT:
            return pages.plan_distinct(operation, there.desk)
        case OperationKind.SETTLE:
            return pages.plan_settled(operation, there.desk)
        case kind:
            return _PLANS[kind](operation, there)


# --- core memory: CORE adds a line, MOVE and DROP take one out -------------------


def _core_items(
    memory: core.CoreMemory, text: str, block: Block | None = None
) -> Iterator[tuple[ItemId, CoreItem]]:
    """The lines of core memory, of one block or all, that have these words."""
    for entry in memory.entries:
        item = entry.item
        if not isinstance(item, CoreItem) or block not in {None, item.block}:
            continue
        if md.one_line(item.text) == md.one_line(text):
            yield entry.id, item


def _load_core(desk: Desk) -> core.CoreMemory:
    text = pages.text_of(layout.CORE, desk) or core.CORE_TEMPLATE
    return core.parse_core(text, layout.CORE)


def _plan_core_line(operation: Operation, site: Site, first: Site) -> pages.Effect:
    """Plan to add a line to a block of core memory.

    Args:
        operation: The operation, confined.
        site: What the operations before it leave.
        first: What is there now: a line that moves to another block stays the words
            of whom it was.
    """
    desk, heading = site.desk, operation.target
    text = storable(operation.content[2:], desk.config.ledger.text_limit)
    block, memory = block_in(heading), _load_core(desk)
    if any(_core_items(memory, text, block)):
        raise pages.CannotBeDoneError(
            f"'{heading}' says {md.headline(text, 60)!r} already"
        )
    known = (item.by for _, item in _core_items(_load_core(first.desk), text))
    # An item has no source: without a mark it is its owner's.
    by = "" if desk.origin is Origin.OWNER else desk.origin
    added = core.add_item(memory, block, text, by=next(known, by))
    ids = {entry.id for entry in added.entries}
    # Nothing that says something has to give way for it.
    fitted, _ = core.fit(
        added,
        cap=desk.config.core.cap_tokens,
        budgets=core_budgets(desk.config),
        relevance=lambda _: 1.0,
        keep=ids,
    )
    why = md.headline(text)
    edits = pages.edit_of(layout.CORE, core.render_core(fitted), desk, why)
    fresh = ids - {entry.id for entry in memory.entries}
    return pages.Effect(edits, tuple(sorted(map(str, fresh))))


def _take_out_line(
    operation: Operation, site: Site, verb: str
) -> tuple[core.CoreMemory, CoreItem, tuple[Edit, ...]]:
    """Plan to take a line out of core memory.

    Returns:
        Core memory as it was, the line, and the edits that take it out.
    """
    desk, text = site.desk, md.one_line(operation.content)
    memory, heading = _load_core(desk), operation.target
    found = list(_core_items(memory, text, block_in(heading)))
    if not found:
        raise pages.CannotBeDoneError(
            f"'{heading}' has no line {md.headline(text, 60)!r}"
        )
    loose = [(id_, item) for id_, item in found if not item.pinned]
    if not loose:
        raise pages.CannotBeDoneError(
            f"{md.headline(text, 60)!r} is pinned, so it stays"
        )
    id_, item = loose[0]
    rest = core.render_core(core.remove_item(memory, id_))
    why = f"{verb}: {md.headline(item.text)}"
    return memory, item, pages.edit_of(layout.CORE, rest, desk, why)


def _plan_move(operation: Operation, site: Site) -> pages.Effect:
    """Plan to move a line of core memory to the store where it belongs."""
    memory, item, edits = _take_out_line(operation, site, "moved out")
    plan = move_out(item, memory, desk_over(pages.laid_over({}, edits), site.desk))
    return pages.Effect((*edits, *plan.edits), plan.ids)


def _plan_drop(operation: Operation, site: Site) -> pages.Effect:
    """Plan to end a line of core memory; nothing is written in its place."""
    _, _, edits = _take_out_line(operation, site, "dropped")
    return pages.Effect(edits)


def _plan_insight(operation: Operation, site: Site) -> pages.Effect:
    """Plan to add this reflection to the evolution, and to keep that within its caps.

    What makes room goes to the archive, as a part of the same change.
    """
    desk, about = site.desk, site.about
    text = storable(operation.content, desk.config.ledger.text_limit)
    insight, questions, counted = parse_insight(text)
    old = pages.text_of(layout.EVOLUTION, desk) or ""
    archive = pages.text_of(layout.EVOLUTION_ARCHIVE, desk) or ""
    if any(head.number == about.number for head, _ in entries_in(old)):
        raise pages.CannotBeDoneError(
            f"{layout.EVOLUTION} has an entry of reflection #{about.number} already"
        )
    entry = EvolutionEntry(
        about.number,
        about.day,
        log.count(pages.text_of(layout.REFLECTION_LOG, desk) or "") + 1,
        counted,
        insight,
        about.milestone,
        desk.origin,
    )
    evolved = add_reflection(old, archive, entry, questions)
    why = f"insight of reflection #{about.number}"
    edits = pages.edit_of(layout.EVOLUTION, evolved.text, desk, why)
    if evolved.archive != archive:
        edits += pages.edit_of(layout.EVOLUTION_ARCHIVE, evolved.archive, desk, why)
    return pages.Effect(edits, notes=evolved.notes)


def _plan_notice(operation: Operation, site: Site) -> pages.Effect:
    """Plan to note in `IDENTITY.md` what the agent noticed about itself."""
    desk = site.desk
    words = md.one_line(storable(operation.content, desk.config.ledger.text_limit))
    old = pages.text_of(layout.IDENTITY, desk) or ""
    new = append_awareness(old, site.about.day, [words], desk.by)
    if new == old:
        raise pages.nothing_new(layout.IDENTITY)
    why = f"self-awareness of reflection #{site.about.number}"
    return pages.Effect(pages.edit_of(layout.IDENTITY, new, desk, why))


def _plan_prune(_operation: Operation, site: Site) -> pages.Effect:
    """Tell what would leave the log; the record moves it, behind its own entry."""
    old = pages.text_of(layout.REFLECTION_LOG, site.desk) or ""
    archive = pages.text_of(layout.REFLECTION_ARCHIVE, site.desk) or ""
    entry = log.ReflectionEntry(site.about.number, site.about.day, "")
    with_entry = log.append_entry(old, entry)
    after, moved = log.prune(with_entry, archive)
    if after == with_entry:
        raise pages.nothing_new(layout.REFLECTION_LOG)
    told = pages.diff_texts(layout.REFLECTION_LOG, with_entry, after)
    return pages.Effect(
        told=told + pages.diff_texts(layout.REFLECTION_ARCHIVE, archive, moved)
    )


LEAST_UNUSED = timedelta(days=400)
"""How long a procedure is unused before it may be archived. What is done once a year
is unused for a year."""

_NOT_UNUSED = f"is a procedure that was used in the last {LEAST_UNUSED.days} days"


def _plan_archive(operation: Operation, site: Site) -> pages.Effect:
    id_ = operation.target
    located, trace = site.find(id_), site.trace(id_)
    why = "is no memory that is known"
    if located and trace:
        score, status = standing(trace, site.desk.now, site.desk.config.decay)
        unused = site.desk.now - trace.last_accessed
        is_procedure = ItemId.parse(id_).kind is Kind.PROCEDURE
        why = (
            ("is pinned" if trace.pinned else "")
            or (_NOT_UNUSED if is_procedure and unused < LEAST_UNUSED else "")
            or ("is archived already" if trace.archived else "")
            or (f"is still active ({score:.2f})" if status is Status.ACTIVE else "")
        )
    if why or not located:
        raise pages.CannotBeDoneError(f"{id_} {why}")
    told = f"- {id_}: {md.headline(located.title)} ({score:.2f})"
    return pages.Effect(ids=(id_,), archived=(id_,), told=told)


# --- procedures ----------------------------------------------------------------

_HEADINGS = ("## trigger", "## steps")
_TRIGGER = "trigger:"


def _plan_pattern(operation: Operation, site: Site) -> pages.Effect:
    """Plan to add a procedure, or what one does not say yet."""
    desk = site.desk
    content = storable(operation.content, desk.config.ledger.text_limit)
    name = md.stem(operation.target)
    told = _procedure(content, operation.target)
    place = Procedural(name.replace("-", " "), told.procedure.trigger)
    steps = "\n".join(map(md.one_line, told.procedure.steps))
    plan = plan_remember(steps, place, desk)
    there = desk_over({edit.path: edit for edit in plan.edits}, desk)
    path = there.place(layout.PROCEDURES, f"{name}.md")
    page = procedures.parse_procedure(pages.text_of(path, there) or "", path)
    for note in map(md.one_line, told.procedure.notes):
        if note not in page.procedure.notes:
            page = procedures.add_note(page, note)
    why = md.headline(steps)
    if not pages.edit_of(path, procedures.render_procedure(page), desk, why):
        raise pages.nothing_new(path)
    page = _of_whom(page, desk)
    if operation.reason:
        # Where it was learned is not the mind's to say.
        origin = f"reflection of {desk.now.date()}: {md.one_line(operation.reason)}"
        page = procedures.add_learned_from(page, origin)
    edits = pages.edit_of(path, procedures.render_procedure(page), desk, why)
    return pages.Effect(edits, plan.ids)


def _of_whom(page: procedures.ProcedurePage, desk: Desk) -> procedures.ProcedurePage:
    """A procedure that says whose words it is, once others have a part in it."""
    one = page.procedure
    known = named(one.by) if one.by else implied(one.source)
    if least([known, desk.origin]) is known:
        return page
    text = md.render_page(md.with_field(page.page, "By", desk.origin, beside="Source"))
    return procedures.parse_procedure(text, page.path)


def _procedure(content: str, path: str) -> procedures.ProcedurePage:
    """A procedure that a mind wrote as a file, or as lines with a trigger above."""
    if any(line.lower().startswith(_HEADINGS) for line in content.split("\n")):
        page = procedures.parse_procedure(content, path)
        pages.require_sections(page.page)
        return page
    first, _, rest = content.partition("\n")
    trigger = ""
    if first.lower().startswith(_TRIGGER):
        trigger, content = first[len(_TRIGGER) :].strip(), rest
    lines = map(md.one_line, md.without_comments(content).split("\n"))
    kept = (line for line in lines if line and not line.startswith("# "))
    steps = "\n".join(f"- {line.removeprefix('- ')}" for line in kept)
    text = f"## {procedures.TRIGGER}\n{trigger}\n\n## {procedures.STEPS}\n{steps}\n"
    return procedures.parse_procedure(text, path)


# --- proposals that waited -----------------------------------------------------


def _plan_commit(operation: Operation, site: Site) -> pages.Effect:
    """Plan to make a proposal true, word for word."""
    desk = site.desk
    proposal = _proposal(operation, desk)
    if proposal.removes:
        raise pages.CannotBeDoneError("only the user decides on a removal")
    theirs = replace(desk, said_by=proposal.origin)
    place = site.place_of(proposal)
    told = ""
    try:
        plan = plan_remember(proposal.content, place, theirs)
    except MissingItemError:
        if isinstance(place, Procedural | Vault) or not place.supersedes:
            raise
        # What it was to take the place of is gone: it stands for itself.
        told = f"- replaces nothing: {place.supersedes} is not there any more\n"
        place = replace(place, supersedes="")
        plan = plan_remember(proposal.content, place, theirs)
    why = told_accepted(proposal)
    edits = tuple(
        replace(edit, action=Action.COMMIT, summary=f"{why}: {edit.summary}")
        for edit in plan.edits
    )
    kept = _kept(proposal, site)
    became = fact_of(plan.ids, (proposal.content, place)) or plan.ids[0]
    edits = (*edits, *_taken_off(proposal, desk, why, Action.EDIT, became))
    return pages.Effect(edits, plan.ids, kept, told + _told_kept(kept))


def _plan_reject(operation: Operation, site: Site) -> pages.Effect:
    proposal = _proposal(operation, site.desk)
    said = md.headline(mended(operation.reason or proposal.content))
    why = f"rejected proposal {operation.target}: {said}"
    edits = _taken_off(proposal, site.desk, why, Action.REJECT, "")
    kept = _kept(proposal, site)
    return pages.Effect(edits, archived=kept, told=_told_kept(kept))


def _proposal(operation: Operation, desk: Desk) -> Proposal:
    pending = proposals.load_pending(desk.read)
    found = proposals.find_proposal(pending, int(operation.target.removeprefix("#")))
    if md.tidy(found.content) != md.tidy(operation.content):
        raise pages.CannotBeDoneError(
            f"proposal {operation.target} was changed since it was shown"
        )
    return found


def _taken_off(
    proposal: Proposal, desk: Desk, why: str, action: Action, became: str
) -> tuple[Edit, ...]:
    pending = proposals.load_pending(desk.read)
    text = proposals.render_pending(taken_off(pending, {proposal.number: became}))
    return pages.edit_of(layout.PENDING, text, desk, why, action)


def _kept(proposal: Proposal, site: Site) -> tuple[str, ...]:
    """The copy that was kept as data meanwhile, which is not needed any more."""
    id_ = proposal.kept
    trace = site.trace(id_) if id_.startswith("episode:") and site.find(id_) else None
    return (id_,) if trace and not trace.pinned and not trace.archived else ()


def _told_kept(kept: Iterable[str]) -> str:
    return "".join(f"- {id_}: the copy kept meanwhile is archived\n" for id_ in kept)


def _plan_finish(operation: Operation, site: Site) -> pages.Effect:
    return plan_finish(operation, site.desk, site.find, site.scope)


_PLANS: dict[OperationKind, Callable[[Operation, Site], pages.Effect]] = {
    OperationKind.ARCHIVE: _plan_archive,
    OperationKind.FINISH: _plan_finish,
    OperationKind.PATTERN: _plan_pattern,
    OperationKind.EVOLVE: _plan_insight,
    OperationKind.COMMIT: _plan_commit,
    OperationKind.REJECT: _plan_reject,
    OperationKind.NOTICE: _plan_notice,
    OperationKind.PRUNE: _plan_prune,
    OperationKind.MOVE: _plan_move,
    OperationKind.DROP: _plan_drop,
}
