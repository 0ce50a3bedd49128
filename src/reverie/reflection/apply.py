"""Decide on a proposal and apply it, with all that reflection v2 records."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import ConflictError, NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline
from reverie.model import reflection as model
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.origin import Origin, least
from reverie.model.reflection import (
    Choice,
    Expected,
    Insight,
    Operation,
    OperationKind,
    UnknownItemError,
    digest,
)
from reverie.reflection import token_request as tokens
from reverie.reflection.cycle import render_moment, with_rejected
from reverie.reflection.draft import all_edits, archived_traces, planned_page
from reverie.reflection.operations.entity_edits import diff_of
from reverie.reflection.operations.loss_guard import require_harmless
from reverie.reflection.operations.plan import changed_lines, plan_operations
from reverie.reflection.phases import MOST_OPERATIONS
from reverie.reflection.proposal_page import BrokenPendingError, diffs_on, parse_pending
from reverie.reflection.proposal_page import shown as as_shown
from reverie.reflection.records import identity
from reverie.reflection.records.archive import Notes, render_archive
from reverie.reflection.records.evolution import parse_insight
from reverie.reflection.records.log import (
    STATUSES,
    ReflectionEntry,
    append_entry,
    prune,
)
from reverie.reflection.records.rewards import spent
from reverie.reflection.trial import expectations, try_all
from reverie.secrets import without_secrets
from reverie.stores.expectations import add_expected, same_question
from reverie.stores.reader import PENDING_REFLECTION as EMPTY_PAGE
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import Decision, PendingReflection
    from reverie.reflection.cycle import Study
    from reverie.reflection.operations.plan import Planned, Site

MOST_CHANGES = MOST_OPERATIONS + identity.MOST + 2
"""On one page: what a mind proposes, its notes, its insight and room in the log."""

LAST_COSTS = 5
"""What so many of the last cycles got and used is kept."""

_HISTORYS = ("number", "made", "read", "grant", "used", "input_tokens", "read_until")
"""What a page only repeats."""


class NothingWaitsError(NotFoundError):
    """There is no proposal to decide on."""


class PageChangedError(ConflictError):
    """The proposal reads otherwise than the one that was shown."""

    def __init__(self, path: str = layout.PENDING_REFLECTION) -> None:
        super().__init__(
            f"{path} was changed since it was shown",
            hint="Look at it again: `reverie reflect show`. Nothing was applied.",
        )


class LostFactsError(RefusedError):
    """Something that must stay answerable would not be any more."""


class UnshownError(RefusedError):
    """What was decided on would write something that was not shown for it."""


class TooManyChangesError(RefusedError):
    """A page proposes more than anybody can check."""


class NoTextError(RefusedError):
    """A new text for a change that writes none, or is not to be carried out."""


class Reflected(Receipt, frozen=True):
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


# --- what waits ----------------------------------------------------------------


def laid_page(study: Study) -> str:
    """The page of the newest proposal as it was laid out; empty if there is none."""
    path, ledger = layout.PENDING_REFLECTION, study.session.ledger
    for entry in ledger.history():
        first = entry.lines[0] if entry.lines else None
        proposes = first is not None and first.action is Action.PROPOSE
        if proposes and entry.actor.session and first and first.path == path:
            return (ledger.read_at(entry.commit, path) or b"").decode(
                "utf-8", "replace"
            )
    return ""


def _read(page: str) -> PendingReflection | None:
    return parse_pending(page, layout.PENDING_REFLECTION)


def waiting_page(
    study: Study, *, broken_too: bool = False
) -> tuple[PendingReflection, str]:
    """The proposal that waits, and its page as it is now.

    What the page proposes is what it says now. Which reflection it is, how far it
    has read and what it took, and whose words its changes are made of, nobody but
    history can say.

    Args:
        study: The workspace.
        broken_too: Whether a page that cannot be read counts as it was laid out.
    """
    page = study.store.text(layout.PENDING_REFLECTION)
    try:
        pending = _read(page)
    except BrokenPendingError:
        if not broken_too:
            raise
        pending = _read(laid_page(study))
    first = _read(laid_page(study)) if pending else None
    if pending is None or first is None:
        what = "no reflection waits for a decision"
        hint = "`reverie reflect` begins one; `reverie reflect status` tells more."
        raise NothingWaitsError(what, hint=hint)
    count = len(pending.operations)
    if count > MOST_CHANGES and not broken_too:
        what = f"the page proposes {count} changes, and {MOST_CHANGES} are allowed"
        hint = f"Take some out of {layout.PENDING_REFLECTION}, or reject it."
        raise TooManyChangesError(what, hint=hint)
    own = {name: getattr(first, name) for name in _HISTORYS}
    clean = tuple(
        replace(
            each,
            content=without_secrets(each.content),
            origin=_origin_of(each, first.operations),
        )
        for each in pending.operations
    )
    return replace(pending, operations=clean, **own), page


def _origin_of(operation: Operation, laid: tuple[Operation, ...]) -> Origin:
    """Whose words a change of a page is made of, as it was laid out.

    What was corrected on the page stays made of what it was made of; what was added
    to it may be made of anything in it.
    """
    same = [one for one in laid if _place_of(one) == _place_of(operation)]
    exact = [one for one in same if one.content == operation.content]
    return least([each.origin for each in exact or same or laid] or [Origin.AGENT])


def _place_of(operation: Operation) -> tuple[str, str]:
    return operation.kind, operation.target


class Edited(Struct, frozen=True):
    """What the human did to the page before they decided.

    Attributes:
        changed: Numbers of the changes whose text they typed.
        dropped: The changes they took off the page.
    """

    changed: frozenset[int] = frozenset()
    dropped: tuple[Operation, ...] = ()


def _edited(study: Study, pending: PendingReflection) -> Edited:
    """How the page differs from the one that was laid out."""
    first = _read(laid_page(study))
    left = list(first.operations) if first else []
    unknown = {}
    for number, operation in enumerate(pending.operations, 1):
        if operation in left:
            left.remove(operation)
        else:
            unknown[number] = operation
    for operation in unknown.values():
        same = [one for one in left if _place_of(one) == _place_of(operation)]
        if same:
            left.remove(same[0])
    return Edited(frozenset(unknown), tuple(left)) if first else Edited()


class OfferedProposal(Struct, frozen=True):
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
        _read(page)
    except BrokenPendingError:
        return OfferedProposal(pending, page, page, site)
    if page == laid_page(study):
        return OfferedProposal(pending, fresh, page, site)
    edited = _edited(study, pending)
    numbers = ", ".join(map(str, sorted(edited.changed))) or "none"
    # Bound to what it says, and to the very file.
    note = (
        f"This page was edited since it was laid out: changed {numbers}, "
        f"taken out {len(edited.dropped)}. It is {digest(page)} now.\n\n"
    )
    return OfferedProposal(pending, note + fresh, page if broken_too else "", site)


# --- what was decided ----------------------------------------------------------


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


def settled(pending: PendingReflection, decision: Decision) -> dict[int, Operation]:
    """The operations to carry out by their numbers, in order, as they were changed.

    Raises:
        UnknownItemError: It names a change that is not there.
        NoTextError: It gives a text to what writes none, or is not accepted.
    """
    most = len(pending.operations)
    chosen = () if decision.choice is Choice.REJECT else decision.accepted
    texts = dict(decision.changes)
    for number in (*chosen, *texts):
        if not 1 <= number <= most:
            raise UnknownItemError(number, most)
    done = {number: pending.operations[number - 1] for number in sorted(set(chosen))}
    for number, text in texts.items():
        if number not in done:
            what = f"change {number} has a new text and is not accepted"
            raise NoTextError(what, hint="Accept it as well, or leave its text out.")
        if done[number].kind is OperationKind.ARCHIVE:
            what = f"change {number} archives a memory: it has no text to change"
            hint = '`reverie remember "…"` stores what you want to add.'
            raise NoTextError(what, hint=hint)
        done[number] = replace(done[number], content=text)
    return done


def _corrections(
    study: Study,
    chosen: Mapping[int, Operation],
    changed: Collection[int],
    kept: Sequence[Expected],
    session: str,
) -> Iterator[Expected]:
    """The questions that facts answer which the human corrected, one each.

    Of several that only ask for all that is known, the first one is kept. What the
    human wanted kept findable (`kept`) makes no room.
    """
    wanted = [each.question for each in kept if each.source == "manual"]
    for number, operation in chosen.items():
        if number not in changed or operation.kind is not OperationKind.EXTRACT:
            continue
        name = operation.target.rpartition("/")[2].removesuffix(".md")
        label = name.partition("--")[2].replace("-", " ").title()
        question = f"What is known about {label}?"
        for line in operation.content.split("\n"):
            fact = line.strip().removeprefix("- ").partition("(supersedes:")[0]
            fact = fact.partition("(since:")[0].strip()
            known = any(same_question(question, each) for each in wanted)
            if fact and not known and not fact.startswith(("#", "**")):
                yield Expected(question, fact, study.today(), session)
                wanted.append(question)


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
    diffs = (
        as_shown(step.diff) if step.number in changed else shown.get(step.number, "")
        for step in planned.steps
    )
    offered = {line for diff in diffs for line in changed_lines(diff)}
    for line in changed_lines(as_shown(diff_of(planned.edits, site.desk))):
        if line not in offered:
            what = f"this would also write {headline(line, 100)!r}, which was not"
            hint = "Look at the page again: `reverie reflect show`; files may have "
            hint += "changed. What hangs together is decided on together. Nothing was "
            what, hint = f"{what} shown for the changes you chose", f"{hint}applied."
            raise UnshownError(what, hint=hint)


# --- carrying it out -----------------------------------------------------------


def carry_out(study: Study, shown: str, decision: Decision) -> Reflected:
    """Make one change of a decision; planned anew on what the files say now.

    Args:
        study: The workspace.
        shown: The digest of the page that the human saw.
        decision: What they said.
    """
    study.session.look()
    rejects = decision.choice is Choice.REJECT
    offered = offer(study, broken_too=rejects)
    page = offered.shown(shown)
    if rejects:
        return _reject(study, offered.pending, decision)
    return _apply(study, offered, page, decision)


def _apply(
    study: Study, offered: OfferedProposal, page: str, decision: Decision
) -> Reflected:
    session, pending, site = study.session, offered.pending, offered.site
    edited = _edited(study, pending)
    if decision.choice is Choice.APPROVE and (edited.changed or edited.dropped):
        choice = Choice.CHANGE if edited.changed else Choice.PARTIAL
        decision = replace(decision, choice=choice)
    chosen, texts = settled(pending, decision), dict(decision.changes)
    numbers, operations = list(chosen), list(chosen.values())
    changed = {*texts, *edited.changed}
    kept = () if decision.regardless else expectations(session)
    found = _corrections(study, chosen, changed, kept, pending.session)
    corrected = tuple(found)
    planned = plan_operations(operations, site, numbers)
    while session.make_room(planned.edits):
        site = replace(study.site(), about=site.about)
        site = replace(site, desk=replace(site.desk, now=pending.made))
        planned = plan_operations(operations, site, numbers)
    _require_shown(planned, page, texts, site)
    require_harmless(planned, sum(session.index.counts().values()), session.config)
    trials = try_all(session, study.search, all_edits(session, planned), corrected)
    lost = [t.expected.question for t in trials if t.verdict is model.Verdict.LOST]
    if lost and not decision.regardless:
        asked = "; ".join(f"“{question}”" for question in lost[:5])
        what = f"{len(lost)} of what must stay findable would be lost: {asked}"
        hint = "Leave out what causes it (`reverie reflect approve --except N`), or "
        hint += "insist: `--regardless`. Nothing was applied."
        raise LostFactsError(what, hint=hint)
    left = [one for n, one in enumerate(pending.operations, 1) if n not in chosen]
    record = ApprovalRecord(
        study, pending, decision, planned, corrected, (*left, *edited.dropped)
    )
    why = f"reflection session {study.today()}"
    receipt = _commit(study, pending, record.edits(), Approval.APPROVED, why)
    # The graph's index tells of the new pages too; if not now, then later.
    with suppress(ReverieError):
        session.snapshot()
    stays = "Must stay findable now:"
    notes = [*planned.notes, *(f"{stays} {e.question} {e.answer}" for e in corrected)]
    noticed = study.store.tracked().awareness
    due = noticed and identity.due(noticed, milestone=bool(pending.milestone))
    if due and study.minds.kind != "rules":
        notes.append(
            f"{noticed} notes of self-awareness have gathered: "
            "`reverie reflect self-image` draws the picture anew."
        )
    return replace(
        receipt,
        ids=tuple(id_ for step in planned.steps for id_ in step.ids),
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
        operational=_operational(pending, None),
        reason=decision.reason,
    )
    other = {
        "token_economy": _economy(study, pending),
        "rejected_operations": _rejected(study, pending, pending.operations),
    }
    edits = (
        study.store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why, Action.REJECT),
        *_log_edits(study, entry),
        *_score_edits(study, {}, other),
    )
    receipt = _commit(study, pending, edits, Approval.NONE, why)
    return replace(receipt, choice=Choice.REJECT)


def _commit(
    study: Study,
    pending: PendingReflection,
    edits: tuple[Edit, ...],
    approval: Approval,
    why: str,
) -> Reflected:
    actor = Actor(f"reflection:{pending.session}")
    done = study.session.commit(ChangeSet(edits, actor, approval, why))
    return Reflected(
        done.commit, done.at, done.lines, done.actor, number=pending.number
    )


# --- what is written down of it (reflection v2, "After Approval") --------------


class ApprovalRecord(Struct, frozen=True):
    """Everything of 001 "After Approval" and its checklist, as edits.

    Attributes:
        study: The workspace.
        pending: The proposal that its human approved, all of it or a part.
        decision: What they said.
        planned: What is done.
        corrected: Questions that must stay answerable as they put it.
        left: Changes that they did not accept, or took off the page.
    """

    study: Study
    pending: PendingReflection
    decision: Decision
    planned: Planned
    corrected: tuple[Expected, ...]
    left: tuple[Operation, ...]

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
            _operational(pending, self.planned),
            self.decision.reason,
        )
        pruned = bool(self.approved_of(OperationKind.PRUNE))
        traces = archived_traces(study.session, self.planned.archived)
        path = tokens.free_name(
            study.session.ledger.read, layout.REFLECTIONS, study.today()
        )
        asked = known = store.text(layout.EXPECTATIONS)
        for expected in self.corrected:
            asked = add_expected(asked, expected, replace=True)
        learned = f"corrected in reflection #{pending.number}"
        return (
            *self.planned.edits,
            store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why),
            store.edit(path, self._archive(), why),
            *_log_edits(study, entry, pruned=pruned),
            *(
                [store.edit(layout.EXPECTATIONS, asked, learned)]
                if asked != known
                else []
            ),
            *_score_edits(study, traces, self._tracking()),
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

    def _tracking(self) -> dict[str, object]:
        pending, tracked = self.pending, self.study.store.tracked()
        noticed = len(self.approved_of(OperationKind.NOTICE))
        told: dict[str, object] = {
            "last_reflection": render_moment(self.study.session.clock()),
            "self_awareness_count_since_consolidation": tracked.awareness + noticed,
            "token_economy": _economy(self.study, pending),
        }
        if until := pending.read_until or tracked.read_until:
            told["last_reflection_episode"] = until.date().isoformat()
            told["reflection_read_until"] = until.isoformat()
        if self.left:
            told["rejected_operations"] = _rejected(self.study, pending, self.left)
        return told


def _rejected(
    study: Study, pending: PendingReflection, operations: tuple[Operation, ...]
) -> object:
    """What was not accepted, not to be proposed again; room in the log is."""
    kept = [one for one in operations if one.kind is not OperationKind.PRUNE]
    return with_rejected(study.store.tracked(), kept, pending.session)


def _log_edits(
    study: Study, entry: ReflectionEntry, *, pruned: bool = False
) -> Iterator[Edit]:
    """The log with one more entry; where it is pruned, older ones move out."""
    text = study.store.text
    before = text(layout.REFLECTION_ARCHIVE)
    log, archive = append_entry(text(layout.REFLECTION_LOG), entry), before
    if pruned:
        log, archive = prune(log, before)
    why = f"reflection #{entry.number} {entry.status}"
    yield study.store.edit(layout.REFLECTION_LOG, log, why)
    if archive != before:
        yield study.store.edit(layout.REFLECTION_ARCHIVE, archive, why)


def _operational(pending: PendingReflection, planned: Planned | None) -> str:
    """`3 episodes, 2 entities, 1 archived`: what was read, written and hidden."""
    episodes = sum(each.read for each in pending.read if "episodes" in each.name)
    paths = {edit.path for edit in planned.edits} if planned else set()
    entities = sum(path.startswith(f"{layout.ENTITIES}/") for path in paths)
    archived = len(planned.archived) if planned else 0
    return f"{episodes} episodes, {entities} entities, {archived} archived"


def _economy(study: Study, pending: PendingReflection) -> dict[str, object]:
    """The token economy, with what this cycle used."""
    used = pending.used + study.store.load().wasted
    known = spent(dict(study.store.tracked().economy), used)
    costs = tokens.read_costs(known.get(tokens.COSTS))
    if pending.grant:
        costs = (*costs, (pending.grant, pending.used))
    known[tokens.COSTS] = [list(pair) for pair in costs[-LAST_COSTS:]]
    return known


def _score_edits(
    study: Study, traces: Mapping[str, Trace], other: Mapping[str, object]
) -> Iterator[Edit]:
    """What the scores shall say, told as what the reflection did."""
    action = Action.ARCHIVE if traces else Action.EDIT
    why = f"archived {', '.join(traces)}" if traces else "what the reflection took"
    for edit in study.store.score_edits(other, traces):
        yield replace(edit, action=action, summary=why)
