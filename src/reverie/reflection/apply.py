"""Apply a decision on a proposal: one change, with all that reflection v2 records."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline
from reverie.model import reflection as model
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.origin import Origin
from reverie.model.reflection import Choice, Insight, OperationKind, digest
from reverie.reflection import decide
from reverie.reflection import token_request as tokens
from reverie.reflection.cycle import render_moment, with_rejected
from reverie.reflection.draft import all_edits, archived_traces, planned_page
from reverie.reflection.operations.entity_edits import diff_of
from reverie.reflection.operations.loss_guard import require_harmless
from reverie.reflection.operations.plan import changed_lines, plan_operations
from reverie.reflection.phases import MOST_OPERATIONS
from reverie.reflection.proposal_page import BrokenPendingError, diffs_on
from reverie.reflection.proposal_page import shown as as_shown
from reverie.reflection.records import identity
from reverie.reflection.records.archive import Notes, render_archive
from reverie.reflection.records.evolution import parse_insight
from reverie.reflection.records.identity import MOST as MOST_NOTICED
from reverie.reflection.records.log import (
    STATUSES,
    ReflectionEntry,
    append_entry,
    prune,
)
from reverie.reflection.records.rewards import spent
from reverie.reflection.trial import try_all
from reverie.secrets import without_secrets
from reverie.stores.expectations import add_expected
from reverie.stores.reader import PENDING_REFLECTION as EMPTY_PAGE
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import Decision, PendingReflection
    from reverie.reflection.cycle import Study
    from reverie.reflection.operations.plan import Planned, Site

MOST_CHANGES = MOST_OPERATIONS + MOST_NOTICED + 2
"""On one page: what a mind proposes, its notes, its insight and room in the log."""


class NothingWaitsError(NotFoundError):
    """There is no proposal to decide on."""

    def __init__(self) -> None:
        super().__init__(
            "no reflection waits for a decision",
            hint="`reverie reflect` begins one; `reverie reflect status` tells more.",
        )


class PageChangedError(ConflictError):
    """The proposal reads otherwise than the one that was shown."""

    def __init__(self, path: str = layout.PENDING_REFLECTION) -> None:
        super().__init__(
            f"{path} was changed since it was shown",
            hint="Look at it again: `reverie reflect show`. Nothing was applied.",
        )


class LostFactsError(RefusedError):
    """Something that must stay answerable would not be any more."""

    def __init__(self, trials: Iterable[model.Trial]) -> None:
        lost = [trial.expected.question for trial in trials]
        super().__init__(
            f"{len(lost)} of what must stay findable would be lost: "
            + "; ".join(f"“{question}”" for question in lost[:5]),
            hint="Leave out what causes it (`reverie reflect approve --except N`), or "
            "insist: `--regardless`. Nothing was applied.",
        )


class UnshownError(RefusedError):
    """What was decided on would write something that was not shown for it."""

    def __init__(self, line: str) -> None:
        super().__init__(
            f"this would also write {headline(line, 100)!r}, which was not shown for "
            "the changes you chose",
            hint="Look at the page again: `reverie reflect show`; files may have "
            "changed. What hangs together is decided on together. Nothing was applied.",
        )


class TooManyChangesError(RefusedError):
    """A page proposes more than anybody can check."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"the page proposes {count} changes, and {MOST_CHANGES} are allowed",
            hint=f"Take some out of {layout.PENDING_REFLECTION}, or reject it.",
        )


_HISTORYS = ("number", "made", "read", "grant", "used", "input_tokens", "read_until")
"""What a page only repeats."""

LAST_COSTS = 5
"""What so many of the last cycles got and used is kept."""


@dataclass(frozen=True, slots=True)
class Reflected(Receipt):
    """Proof that a decision was carried out.

    Attributes:
        number: Which reflection.
        choice: What was decided.
        applied: Numbers of the operations that were carried out.
        skipped: What could not be carried out any more, and why.
        trials: How the questions fared that must stay answerable.
        awareness: What went into the self-awareness log.
        notes: What else its human should know.
        understood: What the decision was understood as.
    """

    number: int = 0
    choice: Choice = Choice.APPROVE
    applied: tuple[int, ...] = ()
    skipped: tuple[model.Refused, ...] = ()
    trials: tuple[model.Trial, ...] = ()
    awareness: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    understood: str = ""


def waiting_page(
    study: Study, *, broken_too: bool = False
) -> tuple[PendingReflection, str]:
    """The proposal that waits, and its page as it is now.

    What the page proposes is what it says now. Which reflection it is, how far it
    has read and what it took, nobody but history can say.

    Args:
        study: The workspace.
        broken_too: Whether a page that cannot be read counts as it was laid out.
    """
    page = study.store.text(layout.PENDING_REFLECTION)
    try:
        pending = decide.read_pending(page)
    except BrokenPendingError:
        if not broken_too:
            raise
        pending = decide.laid_out(study)
    first = decide.laid_out(study) if pending else None
    if pending is None or first is None:
        raise NothingWaitsError
    if len(pending.operations) > MOST_CHANGES and not broken_too:
        raise TooManyChangesError(len(pending.operations))
    own = {name: getattr(first, name) for name in _HISTORYS}
    clean = tuple(
        replace(each, content=without_secrets(each.content), origin=origin)
        for each, origin in zip(
            pending.operations, decide.origins(pending, first), strict=True
        )
    )
    return replace(pending, operations=clean, **own), page


@dataclass(frozen=True, slots=True)
class OfferedProposal:
    """What its human decides on.

    Attributes:
        pending: The proposal.
        page: Its page, with what each change would do to the files as they are now.
        filed: Its page as it stands there; empty where a hand has been at it, unless
            it is only to be turned down.
        site: What its changes are planned on.
    """

    pending: PendingReflection
    page: str
    filed: str
    site: Site

    def shown(self, seen: str) -> str:
        """The page of a digest.

        Raises:
            PageChangedError: It is another one.
        """
        for page in (self.page, self.filed):
            if page and digest(page) == seen:
                return page
        raise PageChangedError


def offer(study: Study, *, broken_too: bool = False) -> OfferedProposal:
    """The proposal that waits, as it would be done now."""
    pending, page = waiting_page(study, broken_too=broken_too)
    site, fresh = planned_page(study, pending)
    try:
        decide.read_pending(page)
    except BrokenPendingError:
        return OfferedProposal(pending, page, page, site)
    if page == decide.laid_page(study):
        return OfferedProposal(pending, fresh, page, site)
    edited = decide.edited_by_hand(study, pending)
    numbers = ", ".join(map(str, sorted(edited.changed))) or "none"
    # Bound to what it says, and to the very file.
    note = (
        f"This page was edited since it was laid out: changed {numbers}, "
        f"taken out {len(edited.dropped)}. It is {digest(page)} now.\n\n"
    )
    return OfferedProposal(pending, note + fresh, page if broken_too else "", site)


def completed(decision: Decision, pending: PendingReflection) -> Decision:
    """A decision that names what it accepts: all of it, where it names nothing."""
    accepted, choice = decision.accepted, decision.choice
    if not accepted and choice in {Choice.APPROVE, Choice.CHANGE}:
        accepted = tuple(range(1, len(pending.operations) + 1))
    if not accepted and choice is Choice.PARTIAL:
        choice = Choice.REJECT
    changes = tuple((n, without_secrets(text)) for n, text in decision.changes)
    reason = without_secrets(decision.reason)
    return replace(
        decision, choice=choice, accepted=accepted, changes=changes, reason=reason
    )


def _require_shown(
    planned: Planned, page: str, changed: Collection[int], site: Site
) -> None:
    """Refuse a plan that writes a line which was not shown for what it carries out.

    Args:
        planned: What would be done.
        page: What was shown.
        changed: Numbers of the changes whose text was given with the decision.
        site: What it was planned on.
    """
    shown = diffs_on(page)
    offered = {
        line
        for step in planned.steps
        for line in changed_lines(
            as_shown(step.diff)
            if step.number in changed
            else shown.get(step.number, "")
        )
    }
    for line in changed_lines(as_shown(diff_of(planned.edits, site.desk))):
        if line not in offered:
            raise UnshownError(line)


def carry_out(study: Study, shown: str, decision: Decision) -> Reflected:
    """Make one change of a decision; planned anew on what the files say now.

    Args:
        study: The workspace.
        shown: The digest of the page that the human saw.
        decision: What they said.
    """
    study.house.look()
    rejects = decision.choice is Choice.REJECT
    offered = offer(study, broken_too=rejects)
    page = offered.shown(shown)
    if rejects:
        return _reject(study, offered.pending, decision)
    return _apply(study, offered, page, decision)


def _apply(
    study: Study, offered: OfferedProposal, page: str, decision: Decision
) -> Reflected:
    house, pending, site = study.house, offered.pending, offered.site
    edited = decide.edited_by_hand(study, pending)
    decision = edited.told(decision)
    chosen = decide.settled(pending, decision)
    numbers, operations = [n for n, _ in chosen], [one for _, one in chosen]
    corrected = decide.corrections(study, pending, decision, edited)
    planned = plan_operations(operations, site, numbers)
    while house.make_room(planned.edits):
        site = replace(study.site(), about=site.about)
        site = replace(site, desk=replace(site.desk, now=pending.made))
        planned = plan_operations(operations, site, numbers)
    _require_shown(planned, page, dict(decision.changes), site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    edits = all_edits(house, planned)
    trials = try_all(house, study.search, edits, corrected)
    lost = [trial for trial in trials if trial.verdict is model.Verdict.LOST]
    if lost and not decision.regardless:
        raise LostFactsError(lost)
    record = ApprovalRecord(
        study, pending, decision, planned, corrected, edited.dropped
    )
    change = ChangeSet(
        record.edits(),
        Actor(f"reflection:{pending.session}"),
        Approval.APPROVED,
        f"reflection session {study.today()}",
    )
    receipt = house.commit(change)
    # The graph's index tells of the new pages too; if not now, then later.
    with suppress(ReverieError):
        house.snapshot()
    stays = "Must stay findable now:"
    notes = [*planned.notes, *(f"{stays} {e.question} {e.answer}" for e in corrected)]
    noticed = study.store.tracked().awareness
    due = noticed and identity.due(noticed, milestone=bool(pending.milestone))
    if due and study.minds.kind != "rules":
        notes.append(
            f"{noticed} notes of self-awareness have gathered: "
            "`reverie reflect self-image` draws the picture anew."
        )
    return Reflected(
        *(receipt.commit, receipt.at, receipt.lines, receipt.actor),
        tuple(id_ for step in planned.steps for id_ in step.ids),
        number=pending.number,
        choice=decision.choice,
        applied=record.applied,
        skipped=planned.refused,
        trials=trials,
        awareness=record.approved_of(OperationKind.NOTICE),
        notes=tuple(notes),
    )


def _reject(study: Study, pending: PendingReflection, decision: Decision) -> Reflected:
    """Apply nothing; what was rejected, and why, is kept to learn from."""
    why = f"reflection #{pending.number} rejected"
    why += f": {decision.reason}" if decision.reason else ""
    entry = ReflectionEntry(
        pending.number,
        study.today(),
        STATUSES[Choice.REJECT],
        operational=operational(pending, None),
        reason=decision.reason,
    )
    rejected = [
        one for one in pending.operations if one.kind is not OperationKind.PRUNE
    ]
    other = {
        "token_economy": economy_of(study, pending),
        "rejected_operations": with_rejected(
            study.store.tracked(), rejected, pending.session
        ),
    }
    edits = (
        study.store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why, Action.REJECT),
        *log_edits(study, entry),
        *outcome_edits(study, {}, other),
    )
    actor = Actor(f"reflection:{pending.session}")
    receipt = study.house.commit(ChangeSet(edits, actor, Approval.NONE, why))
    return Reflected(
        *(receipt.commit, receipt.at, receipt.lines, receipt.actor),
        number=pending.number,
        choice=Choice.REJECT,
    )


# --- what is written down of it (reflection v2, "After Approval") --------------


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """Everything of 001 "After Approval" and its checklist, as edits.

    Attributes:
        study: The workspace.
        pending: The proposal that its human approved, all of it or a part.
        decision: What they said.
        planned: What is done.
        corrected: Questions that must stay answerable as they put it.
        dropped: Changes that they took off the page.
    """

    study: Study
    pending: PendingReflection
    decision: Decision
    planned: Planned
    corrected: tuple[model.Expected, ...] = ()
    dropped: tuple[model.Operation, ...] = ()

    @property
    def applied(self) -> tuple[int, ...]:
        """Numbers of the changes that are carried out."""
        return tuple(step.number for step in self.planned.steps)

    def approved_of(self, kind: OperationKind) -> tuple[str, ...]:
        """The texts of the changes of a kind that are carried out."""
        steps = (step.operation for step in self.planned.steps)
        return tuple(each.content for each in steps if each.kind is kind)

    def edits(self) -> tuple[Edit, ...]:
        """What was approved first, then the record of it."""
        study, pending, store = self.study, self.pending, self.study.store
        status = STATUSES[self.decision.choice]
        why = f"reflection #{pending.number} {status}"
        insight = self._insight()
        entry = ReflectionEntry(
            pending.number,
            study.today(),
            status,
            insight.vibe,
            insight.key,
            self.approved_of(OperationKind.NOTICE),
            operational(pending, self.planned),
            self.decision.reason,
        )
        pruned = bool(self.approved_of(OperationKind.PRUNE))
        traces = archived_traces(study.house, self.planned.archived)
        path = tokens.free_name(study, layout.REFLECTIONS, study.today())
        return (
            *self.planned.edits,
            store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why),
            store.edit(path, self._archive(), why),
            *log_edits(study, entry, pruned=pruned),
            *self._expectations(),
            *outcome_edits(study, traces, self._tracking()),
        )

    def _archive(self) -> str:
        pending, changed = self.pending, dict(self.decision.changes)
        items = []
        for number, operation in enumerate(pending.operations, 1):
            became = "applied" if number in self.applied else "left out"
            if number in self.applied and number in changed:
                became = "applied as changed"
            own = operation.origin is Origin.AGENT
            whose = "" if own else f", words of {operation.origin}"
            named = f"{operation.kind} {operation.target}{whose}"
            items.append(f"change {number}, {named}: {became}")
        reward = tokens.kept_reward(self.study.store, pending.number)
        notes = Notes(
            number=pending.number,
            request=reward[0] if reward else None,
            grant=reward[1] if reward else None,
            decision=self.decision,
            items=tuple(items),
            milestone=pending.milestone,
            essay=pending.essay,
        )
        return render_archive(pending.told, notes)

    def _insight(self) -> Insight:
        """What was understood, as far as it was approved.

        Where nobody thought, what was counted is no change; it is told where all of
        the page was approved.
        """
        evolved = self.approved_of(OperationKind.EVOLVE)
        if evolved:
            return parse_insight("\n".join(evolved))[0]
        whole = len(self.applied) == len(self.pending.operations)
        return self.pending.insight if whole and not self.pending.grant else Insight()

    def _expectations(self) -> Iterator[Edit]:
        """What the human corrected must stay findable as they put it."""
        text = known = self.study.store.text(layout.EXPECTATIONS)
        for expected in self.corrected:
            text = add_expected(text, expected, replace=True)
        if text != known:
            why = f"corrected in reflection #{self.pending.number}"
            yield self.study.store.edit(layout.EXPECTATIONS, text, why)

    def _tracking(self) -> dict[str, object]:
        pending, tracked = self.pending, self.study.store.tracked()
        noticed = len(self.approved_of(OperationKind.NOTICE))
        told: dict[str, object] = {
            "last_reflection": render_moment(self.study.house.clock()),
            "self_awareness_count_since_consolidation": tracked.awareness + noticed,
            "token_economy": economy_of(self.study, pending),
        }
        if until := pending.read_until or tracked.read_until:
            told["last_reflection_episode"] = until.date().isoformat()
            told["reflection_read_until"] = until.isoformat()
        accepted = dict(decide.settled(pending, self.decision))
        numbered = enumerate(pending.operations, 1)
        left = [operation for number, operation in numbered if number not in accepted]
        left = [
            each
            for each in (*left, *self.dropped)
            if each.kind is not OperationKind.PRUNE
        ]
        if left:
            told["rejected_operations"] = with_rejected(tracked, left, pending.session)
        return told


def log_edits(
    study: Study, entry: ReflectionEntry, *, pruned: bool = False
) -> Iterator[Edit]:
    """The log with one more entry.

    Args:
        study: The workspace.
        entry: What it says of the reflection.
        pruned: Whether older entries are to move to its archive.
    """
    text = study.store.text
    before = text(layout.REFLECTION_ARCHIVE)
    log, archive = append_entry(text(layout.REFLECTION_LOG), entry), before
    if pruned:
        log, archive = prune(log, before)
    why = f"reflection #{entry.number} {entry.status}"
    yield study.store.edit(layout.REFLECTION_LOG, log, why)
    if archive != before:
        yield study.store.edit(layout.REFLECTION_ARCHIVE, archive, why)


def operational(pending: PendingReflection, planned: Planned | None) -> str:
    """`3 episodes, 2 entities, 1 archived`: what was read, written and hidden."""
    episodes = sum(each.read for each in pending.read if "episodes" in each.name)
    paths = {edit.path for edit in planned.edits} if planned else set()
    entities = sum(path.startswith(f"{layout.ENTITIES}/") for path in paths)
    archived = len(planned.archived) if planned else 0
    return f"{episodes} episodes, {entities} entities, {archived} archived"


def economy_of(study: Study, pending: PendingReflection) -> dict[str, object]:
    """The token economy, with what this cycle used."""
    used = pending.used + study.store.load().wasted
    known = spent(dict(study.store.tracked().economy), used)
    costs = tokens.read_costs(known.get(tokens.COSTS))
    if pending.grant:
        costs = (*costs, (pending.grant, pending.used))
    known[tokens.COSTS] = [list(pair) for pair in costs[-LAST_COSTS:]]
    return known


def outcome_edits(
    study: Study, traces: Mapping[str, Trace], other: Mapping[str, object]
) -> tuple[Edit, ...]:
    """What the scores shall say, told as what the reflection did."""
    action = Action.ARCHIVE if traces else Action.EDIT
    why = f"archived {', '.join(traces)}" if traces else "what the reflection took"
    edits = study.store.score_edits(other, traces)
    return tuple(replace(edit, action=action, summary=why) for edit in edits)
