"""Carrying out what the human decided: one change, with all that 001 records."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.reflection import Choice, OperationKind, Verdict, digest
from reverie.reflection.answers import MOST_OPERATIONS
from reverie.reflection.correcting import (
    corrections,
    edited_by_hand,
    laid_out,
    laid_page,
    origins,
    read_pending,
)
from reverie.reflection.decision import settled
from reverie.reflection.expecting import try_all
from reverie.reflection.granting import text_edit
from reverie.reflection.operations.edits import diff_of
from reverie.reflection.operations.loss_guard import require_harmless
from reverie.reflection.operations.plan import changed_lines, plan_operations
from reverie.reflection.proposal_page import BrokenPendingError, diffs_on
from reverie.reflection.proposal_page import shown as as_shown
from reverie.reflection.proposing import all_edits, planned_page
from reverie.reflection.records import identity
from reverie.reflection.records.identity import MOST as MOST_NOTICED
from reverie.reflection.records.log import STATUSES, LogEntry
from reverie.reflection.tracking import with_rejected
from reverie.reflection.writing_down import (
    Approved,
    Record,
    economy_of,
    log_edits,
    operational,
    outcome_edits,
)
from reverie.secrets import without_secrets
from reverie.stores.templates import PENDING_REFLECTION as EMPTY_PAGE
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from reverie.model.reflection import Decision, PendingReflection, Refused, Trial
    from reverie.reflection.dreaming import Dreamer
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
    if thinks and noticed and identity.due(noticed, milestone=bool(milestone)):
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
        text_edit(house, layout.PENDING_REFLECTION, EMPTY_PAGE, why, Action.REJECT),
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
