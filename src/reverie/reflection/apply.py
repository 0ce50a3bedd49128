"""Apply a decision on a proposal: one change, with all that reflection v2 records."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.origin import Origin
from reverie.model.reflection import Choice, Insight, OperationKind, Verdict, digest
from reverie.reflection.cycle import render_moment, with_rejected
from reverie.reflection.decide import (
    corrections,
    edited_by_hand,
    laid_out,
    laid_page,
    origins,
    read_pending,
    settled,
)
from reverie.reflection.draft import all_edits, archived_traces, planned_page
from reverie.reflection.operations.losses import require_harmless
from reverie.reflection.operations.overlay import diff_of
from reverie.reflection.operations.planning import changed_lines, plan_operations
from reverie.reflection.pending import EMPTY, BrokenPendingError
from reverie.reflection.pending.splitting import diffs_on
from reverie.reflection.pending.storing import shown as as_shown
from reverie.reflection.phases import MOST_OPERATIONS
from reverie.reflection.record import self_image
from reverie.reflection.record.archive import Notes, archive_name, render_archive
from reverie.reflection.record.evolution import parse_insight
from reverie.reflection.record.identity import MOST as MOST_NOTICED
from reverie.reflection.record.log import STATUSES, LogEntry, append_entry, prune
from reverie.reflection.record.rewards import spent
from reverie.reflection.token_request import (
    COSTS,
    FilesIn,
    kept_reward,
    read_costs,
    scores_edits,
    text_edit,
)
from reverie.reflection.trial import try_all
from reverie.secrets import without_secrets
from reverie.stores.expectations import add_expected
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from reverie.decay.curve import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import (
        Decision,
        Expected,
        Operation,
        PendingReflection,
        Refused,
        Trial,
    )
    from reverie.reflection.cycle import Dreamer
    from reverie.reflection.operations.planning import Planned, Site


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

    def __init__(self, trials: Iterable[Trial]) -> None:
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
    skipped: tuple[Refused, ...] = ()
    trials: tuple[Trial, ...] = ()
    awareness: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    understood: str = ""


def waiting_page(
    dreamer: Dreamer, *, broken_too: bool = False
) -> tuple[PendingReflection, str]:
    """The proposal that waits, and its page as it is now.

    What the page proposes is what it says now. Which reflection it is, how far it
    has read and what it took, nobody but history can say.

    Args:
        dreamer: The workspace.
        broken_too: Whether a page that cannot be read counts as it was laid out.
    """
    page = dreamer.sleep.text(layout.PENDING_REFLECTION)
    try:
        pending = read_pending(page)
    except BrokenPendingError:
        if not broken_too:
            raise
        pending = laid_out(dreamer)
    first = laid_out(dreamer) if pending else None
    if pending is None or first is None:
        raise NothingWaitsError
    if len(pending.operations) > MOST_CHANGES and not broken_too:
        raise TooManyChangesError(len(pending.operations))
    own = {name: getattr(first, name) for name in _HISTORYS}
    clean = tuple(
        replace(each, content=without_secrets(each.content), origin=origin)
        for each, origin in zip(
            pending.operations, origins(pending, first), strict=True
        )
    )
    return replace(pending, operations=clean, **own), page


@dataclass(frozen=True, slots=True)
class Offer:
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


def offer(dreamer: Dreamer, *, broken_too: bool = False) -> Offer:
    """The proposal that waits, as it would be done now."""
    pending, page = waiting_page(dreamer, broken_too=broken_too)
    site, fresh = planned_page(dreamer, pending)
    try:
        read_pending(page)
    except BrokenPendingError:
        return Offer(pending, page, page, site)
    if page == laid_page(dreamer):
        return Offer(pending, fresh, page, site)
    edited = edited_by_hand(dreamer, pending)
    numbers = ", ".join(map(str, sorted(edited.changed))) or "none"
    # Bound to what it says, and to the very file.
    note = (
        f"This page was edited since it was laid out: changed {numbers}, "
        f"taken out {len(edited.dropped)}. It is {digest(page)} now.\n\n"
    )
    return Offer(pending, note + fresh, page if broken_too else "", site)


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


def carry_out(dreamer: Dreamer, shown: str, decision: Decision) -> Reflected:
    """Make one change of a decision; planned anew on what the files say now.

    Args:
        dreamer: The workspace.
        shown: The digest of the page that the human saw.
        decision: What they said.
    """
    dreamer.house.look()
    rejects = decision.choice is Choice.REJECT
    offered = offer(dreamer, broken_too=rejects)
    page = offered.shown(shown)
    if rejects:
        return _reject(dreamer, offered.pending, decision)
    return _apply(dreamer, offered, page, decision)


def _apply(
    dreamer: Dreamer, offered: Offer, page: str, decision: Decision
) -> Reflected:
    house, pending, site = dreamer.house, offered.pending, offered.site
    edited = edited_by_hand(dreamer, pending)
    decision = edited.told(decision)
    chosen = settled(pending, decision)
    corrected = corrections(dreamer, pending, decision, edited)
    numbers = [number for number, _ in chosen]
    operations = [operation for _, operation in chosen]
    planned = plan_operations(operations, site, numbers)
    while house.make_room(planned.edits):
        site = replace(dreamer.site(), about=site.about)
        site = replace(site, desk=replace(site.desk, now=pending.made))
        planned = plan_operations(operations, site, numbers)
    _require_shown(planned, page, dict(decision.changes), site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    edits = all_edits(house, planned)
    trials = try_all(house, dreamer.recalling, edits, corrected)
    lost = [trial for trial in trials if trial.verdict is Verdict.LOST]
    if lost and not decision.regardless:
        raise LostFactsError(lost)
    applied = tuple(step.number for step in planned.steps)
    approved = Approved(pending, decision, planned, applied, corrected, edited.dropped)
    record = Record(dreamer, approved)
    change = ChangeSet(
        record.edits(),
        Actor(f"reflection:{pending.session}"),
        Approval.APPROVED,
        f"reflection session {record.day}",
    )
    receipt = house.commit(change)
    # The graph's index tells of the new pages too; if not now, then later.
    with suppress(ReverieError):
        house.snapshot()
    return Reflected(
        receipt.commit,
        receipt.at,
        receipt.lines,
        receipt.actor,
        tuple(id_ for step in planned.steps for id_ in step.ids),
        number=pending.number,
        choice=decision.choice,
        applied=applied,
        skipped=planned.refused,
        trials=trials,
        awareness=record.awareness,
        notes=(
            *planned.notes,
            *(
                f"Must stay findable now: {each.question} {each.answer}"
                for each in corrected
            ),
            *_due_next(dreamer, pending.milestone),
        ),
    )


def _due_next(dreamer: Dreamer, milestone: str) -> Iterator[str]:
    """What its human may want to do now."""
    thinks = dreamer.minds.kind != "rules"
    noticed = dreamer.sleep.tracked().awareness
    if thinks and noticed and self_image.due(noticed, milestone=bool(milestone)):
        yield (
            f"{noticed} notes of self-awareness have gathered: "
            "`reverie reflect self-image` draws the picture anew."
        )


def _reject(
    dreamer: Dreamer, pending: PendingReflection, decision: Decision
) -> Reflected:
    """Apply nothing; what was rejected, and why, is kept to learn from."""
    house, sleep = dreamer.house, dreamer.sleep
    why = f"reflection #{pending.number} rejected"
    why += f": {decision.reason}" if decision.reason else ""
    entry = LogEntry(
        pending.number,
        dreamer.today(),
        STATUSES[Choice.REJECT],
        operational=operational(pending, None),
        reason=decision.reason,
    )
    other = {
        "token_economy": economy_of(dreamer, pending),
        "rejected_operations": with_rejected(
            sleep.tracked(),
            (one for one in pending.operations if one.kind is not OperationKind.PRUNE),
            pending.session,
        ),
    }
    edits = (
        text_edit(house, layout.PENDING_REFLECTION, EMPTY, why, Action.REJECT),
        *log_edits(dreamer, entry),
        *outcome_edits(dreamer, {}, other),
    )
    actor = Actor(f"reflection:{pending.session}")
    receipt = house.commit(ChangeSet(edits, actor, Approval.NONE, why))
    return Reflected(
        receipt.commit,
        receipt.at,
        receipt.lines,
        receipt.actor,
        number=pending.number,
        choice=Choice.REJECT,
    )


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


LAST_COSTS = 5
"""What so many of the last cycles got and used is kept."""


@dataclass(frozen=True, slots=True)
class Approved:
    """A proposal that its human approved, all of it or a part.

    Attributes:
        pending: The proposal.
        decision: What they said.
        planned: What is done.
        applied: Numbers of the changes that are carried out.
        corrected: Questions that must stay answerable as they put it.
        dropped: Changes that they took off the page.
    """

    pending: PendingReflection
    decision: Decision
    planned: Planned
    applied: tuple[int, ...]
    corrected: tuple[Expected, ...] = ()
    dropped: tuple[Operation, ...] = ()


class Record:
    """Everything of 001 "After Approval" and its checklist, as edits."""

    def __init__(self, dreamer: Dreamer, approved: Approved) -> None:
        self._dreamer = dreamer
        self._pending = approved.pending
        self._decision = approved.decision
        self._planned = approved.planned
        self._approved = approved
        self._now = dreamer.house.clock()
        self.day = dreamer.today()
        self.awareness = self._approved_of(OperationKind.NOTICE)

    def _approved_of(self, kind: OperationKind) -> tuple[str, ...]:
        """The texts of the changes of a kind that are carried out."""
        steps = (step.operation for step in self._planned.steps)
        return tuple(each.content for each in steps if each.kind is kind)

    def edits(self) -> tuple[Edit, ...]:
        """What was approved first, then the record of it."""
        house, pending = self._dreamer.house, self._pending
        why = f"reflection #{pending.number} {STATUSES[self._decision.choice]}"
        return (
            *self._planned.edits,
            text_edit(house, layout.PENDING_REFLECTION, EMPTY, why),
            self._archive(why),
            *log_edits(
                self._dreamer,
                self._log_entry(),
                pruned=bool(self._approved_of(OperationKind.PRUNE)),
            ),
            *self._expectations(),
            *outcome_edits(
                self._dreamer,
                archived_traces(house, self._planned.archived),
                self._tracking(),
            ),
        )

    def _archive(self, why: str) -> Edit:
        house, pending = self._dreamer.house, self._pending
        name = archive_name(self.day, FilesIn(house, layout.REFLECTIONS))
        reward = kept_reward(self._dreamer.sleep, pending.number)
        notes = Notes(
            number=pending.number,
            request=reward[0] if reward else None,
            grant=reward[1] if reward else None,
            decision=self._decision,
            items=tuple(self._items()),
            milestone=pending.milestone,
            essay=pending.essay,
        )
        text = render_archive(pending.told, notes)
        return text_edit(house, f"{layout.REFLECTIONS}/{name}", text, why)

    def _items(self) -> Iterator[str]:
        changed = dict(self._decision.changes)
        for number, operation in enumerate(self._pending.operations, 1):
            became = "applied" if number in self._approved.applied else "left out"
            if number in self._approved.applied and number in changed:
                became = "applied as changed"
            whose = f", words of {operation.origin}" * (
                operation.origin is not Origin.AGENT
            )
            named = f"{operation.kind} {operation.target}{whose}"
            yield f"change {number}, {named}: {became}"

    def _log_entry(self) -> LogEntry:
        pending, decision = self._pending, self._decision
        insight = self._insight()
        return LogEntry(
            pending.number,
            self.day,
            STATUSES[decision.choice],
            insight.vibe,
            insight.key,
            self.awareness,
            operational(pending, self._planned),
            decision.reason,
        )

    def _insight(self) -> Insight:
        """What was understood, as far as it was approved.

        Where nobody thought, what was counted is no change; it is told where all of
        the page was approved.
        """
        evolved = self._approved_of(OperationKind.EVOLVE)
        if evolved:
            return parse_insight("\n".join(evolved))[0]
        whole = len(self._approved.applied) == len(self._pending.operations)
        counted = not self._pending.grant
        return self._pending.insight if whole and counted else Insight()

    def _expectations(self) -> Iterator[Edit]:
        """What the human corrected must stay findable as they put it."""
        text = known = self._dreamer.sleep.text(layout.EXPECTATIONS)
        for expected in self._approved.corrected:
            text = add_expected(text, expected, replace=True)
        if text != known:
            why = f"corrected in reflection #{self._pending.number}"
            yield text_edit(self._dreamer.house, layout.EXPECTATIONS, text, why)

    def _tracking(self) -> dict[str, object]:
        pending, tracked = self._pending, self._dreamer.sleep.tracked()
        until = pending.read_until or tracked.read_until
        accepted = {number for number, _ in settled(pending, self._decision)}
        left = [
            operation
            for number, operation in enumerate(pending.operations, 1)
            if number not in accepted
        ]
        left += self._approved.dropped
        left = [each for each in left if each.kind is not OperationKind.PRUNE]
        told: dict[str, object] = {
            "last_reflection": render_moment(self._now),
            "self_awareness_count_since_consolidation": tracked.awareness
            + len(self.awareness),
            "token_economy": economy_of(self._dreamer, pending),
        }
        if until:
            told["last_reflection_episode"] = until.date().isoformat()
            told["reflection_read_until"] = until.isoformat()
        if left:
            told["rejected_operations"] = with_rejected(tracked, left, pending.session)
        return told


def log_edits(
    dreamer: Dreamer, entry: LogEntry, *, pruned: bool = False
) -> Iterator[Edit]:
    """The log with one more entry.

    Args:
        dreamer: The workspace.
        entry: What it says of the reflection.
        pruned: Whether older entries are to move to its archive.
    """
    text = dreamer.sleep.text
    before = text(layout.REFLECTION_ARCHIVE)
    log, archive = append_entry(text(layout.REFLECTION_LOG), entry), before
    if pruned:
        log, archive = prune(log, before)
    why = f"reflection #{entry.number} {entry.status}"
    yield text_edit(dreamer.house, layout.REFLECTION_LOG, log, why)
    if archive != before:
        yield text_edit(dreamer.house, layout.REFLECTION_ARCHIVE, archive, why)


def operational(pending: PendingReflection, planned: Planned | None) -> str:
    """`3 episodes, 2 entities, 1 archived`: what was read, written and hidden."""
    episodes = sum(each.read for each in pending.read if "episodes" in each.name)
    paths = {edit.path for edit in planned.edits} if planned else set()
    entities = sum(path.startswith(f"{layout.ENTITIES}/") for path in paths)
    archived = len(planned.archived) if planned else 0
    return f"{episodes} episodes, {entities} entities, {archived} archived"


def economy_of(dreamer: Dreamer, pending: PendingReflection) -> dict[str, object]:
    """The token economy, with what this cycle used."""
    used = pending.used + dreamer.sleep.load().wasted
    known = spent(dict(dreamer.sleep.tracked().economy), used)
    costs = read_costs(known.get(COSTS))
    if pending.grant:
        costs = (*costs, (pending.grant, pending.used))
    known[COSTS] = [list(pair) for pair in costs[-LAST_COSTS:]]
    return known


def outcome_edits(
    dreamer: Dreamer, traces: Mapping[str, Trace], other: Mapping[str, object]
) -> tuple[Edit, ...]:
    """What the scores shall say, told as what the reflection did."""
    action = Action.ARCHIVE if traces else Action.EDIT
    why = f"archived {', '.join(traces)}" if traces else "what the reflection took"
    edits = scores_edits(dreamer.house, other, traces)
    return tuple(replace(edit, action=action, summary=why) for edit in edits)
