"""Decide on a proposal and apply it, with all that reflection v2 records."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.encoding.placement import desk_over
from reverie.errors import NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline, stem
from reverie.model import reflection as model
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.items import Origin, least
from reverie.reflection import identity
from reverie.reflection.cycle import PageChangedError, notes_due
from reverie.reflection.decision_records import (
    count_changes,
    plan_expectations,
    plan_log,
    plan_records,
    plan_scores,
    rejected_operations,
    texts_of,
    token_economy,
    with_rejected_operations,
)
from reverie.reflection.draft import planned_page
from reverie.reflection.entity_edits import diff_of, laid_over, noted, notes_of
from reverie.reflection.evolution import redate_entry
from reverie.reflection.log import (
    STATUSES,
    ReflectionEntry,
)
from reverie.reflection.loss_guard import require_harmless
from reverie.reflection.operations import MOST_OPERATIONS, pair_in
from reverie.reflection.plan import Planned, changed_lines, plan_operations
from reverie.reflection.proposal_page import (
    BrokenPendingError,
    diffs_on,
    laid_page,
    parse_pending,
)
from reverie.reflection.proposal_page import shown as as_shown
from reverie.reflection.traces import all_edits, merged_traces
from reverie.reflection.trial import expectations, try_all
from reverie.secrets import without_secrets
from reverie.stores.expectations import same_question
from reverie.stores.reader import PENDING_REFLECTION as EMPTY_PAGE
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from reverie.model.change import Edit
    from reverie.model.reflection import Decision, PendingReflection
    from reverie.reflection.cycle import Study
    from reverie.reflection.plan import Site

MOST_CHANGES = MOST_OPERATIONS + identity.MOST + 2
"""On one page: what a mind proposes, its notes, its insight and room in the log."""

_HISTORYS = (
    *("number", "made", "read", "grant", "used"),
    *("input_tokens", "sent_tokens", "read_until", "backlog"),
)
"""What a page only repeats."""


class NothingWaitsError(NotFoundError):
    """There is no proposal to decide on."""


class NothingLeftError(RefusedError):
    """Nothing of what was approved can be done any more."""

    says = (
        "nothing of this can be done any more, and the reflection goes on waiting: {}"
    )
    mend = "Approve something else of it, or reject it."


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
    choice: model.Choice = model.Choice.APPROVE
    applied: tuple[int, ...] = ()
    skipped: tuple[model.Refused, ...] = ()
    trials: tuple[model.Trial, ...] = ()
    awareness: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    understood: str = ""


# --- what waits ----------------------------------------------------------------


def _read(page: str) -> PendingReflection | None:
    return parse_pending(page, layout.PENDING_REFLECTION)


class WaitingProposal(Struct, frozen=True):
    """The proposal that waits, as it stands and as it was laid out.

    Attributes:
        pending: What its page proposes now.
        page: The page.
        laid: What was laid out.
        edited: Whether a hand has been at the page.
        broken: Whether the page cannot be read any more.
    """

    pending: PendingReflection
    page: str
    laid: PendingReflection
    edited: bool
    broken: bool

    def changes(self) -> tuple[frozenset[int], tuple[model.Operation, ...]]:
        """The numbers of the changes that a hand typed, and those it took off."""
        left, typed = list(self.laid.operations), {}
        for number, operation in enumerate(self.pending.operations, 1):
            if operation in left:
                left.remove(operation)
            else:
                typed[number] = operation
        for operation in typed.values():
            same = (one for one in left if _place_of(one) == _place_of(operation))
            if (found := next(same, None)) is not None:
                left.remove(found)
        return frozenset(typed), tuple(left)


def waiting_page(study: Study, *, broken_too: bool = False) -> WaitingProposal:
    """The proposal that waits.

    What the page proposes is what it says now. Which reflection it is, how far it
    has read and what it took, and whose words its changes are made of, nobody but
    history can say.

    Args:
        study: The workspace.
        broken_too: Whether a page that cannot be read counts as it was laid out.
    """
    page, broken = study.store.text(layout.PENDING_REFLECTION), False
    try:
        pending = _read(page)
    except BrokenPendingError:
        if not broken_too:
            raise
        pending, broken = None, True
    first = laid_page(study.session.ledger) if pending or broken else ""
    laid = _read(first)
    pending = laid if broken else pending
    if pending is None or laid is None:
        what = "no reflection waits for a decision"
        hint = "`reverie reflect` begins one; `reverie reflect status` tells more."
        raise NothingWaitsError(what, hint=hint)
    count = len(pending.operations)
    if count > MOST_CHANGES and not broken_too:
        what = f"the page proposes {count} changes, and {MOST_CHANGES} are allowed"
        hint = f"Take some out of {layout.PENDING_REFLECTION}, or reject it."
        raise TooManyChangesError(what, hint=hint)
    own = {name: getattr(laid, name) for name in _HISTORYS}
    clean = tuple(
        replace(
            each,
            content=without_secrets(each.content),
            origin=_origin_of(each, laid.operations),
        )
        for each in pending.operations
    )
    pending = replace(pending, operations=clean, **own)
    return WaitingProposal(pending, page, laid, page != first, broken)


def _origin_of(operation: model.Operation, laid: tuple[model.Operation, ...]) -> Origin:
    """Whose words a change of a page is made of, as it was laid out.

    What was corrected on the page stays made of what it was made of; what was added
    to it may be made of anything in it.
    """
    same = [one for one in laid if _place_of(one) == _place_of(operation)]
    exact = [one for one in same if one.content == operation.content]
    return least([each.origin for each in exact or same or laid] or [Origin.AGENT])


def _place_of(operation: model.Operation) -> tuple[str, str]:
    return operation.kind, operation.target


class OfferedProposal(Struct, frozen=True):
    """What its human decides on.

    Attributes:
        waiting: The proposal that waits.
        page: Its page, with what each change would do to the files as they are now.
        filed: Its page as it stands there; empty where a hand has been at it, unless
            it is only to be turned down.
        site: What its changes are planned on.
    """

    waiting: WaitingProposal
    page: str
    filed: str
    site: Site

    @property
    def pending(self) -> PendingReflection:
        """What is proposed."""
        return self.waiting.pending

    def shown(self, seen: str) -> str:
        """The page of a digest; another one is refused."""
        for page in (self.page, self.filed):
            if page and model.digest(page) == seen:
                return page
        raise PageChangedError(layout.PENDING_REFLECTION)


def offer(study: Study, *, broken_too: bool = False) -> OfferedProposal:
    """The proposal that waits, as it would be done now."""
    waiting = waiting_page(study, broken_too=broken_too)
    page, note = waiting.page, ""
    site, fresh = planned_page(study, waiting.pending)
    if waiting.broken:
        return OfferedProposal(waiting, page, page, site)
    if waiting.edited:
        changed, dropped = waiting.changes()
        numbers = ", ".join(map(str, sorted(changed))) or "none"
        # Bound to what it says, and to the very file.
        note = (
            f"This page was edited since it was laid out: changed {numbers}, "
            f"taken out {len(dropped)}. It is {model.digest(page)} now.\n\n"
        )
    filed = "" if waiting.edited and not broken_too else page
    return OfferedProposal(waiting, note + fresh, filed, site)


# --- what was decided ----------------------------------------------------------


def completed(decision: Decision, pending: PendingReflection) -> Decision:
    """A decision that names what it accepts: all of it, where it names nothing."""
    accepted, choice = decision.accepted, decision.choice
    if not accepted and choice in {model.Choice.APPROVE, model.Choice.CHANGE}:
        accepted = tuple(range(1, len(pending.operations) + 1))
    if not accepted and choice is model.Choice.PARTIAL:
        choice = model.Choice.REJECT
    changes = tuple((n, without_secrets(text)) for n, text in decision.changes)
    reason = without_secrets(decision.reason)
    return replace(
        decision, choice=choice, accepted=accepted, changes=changes, reason=reason
    )


def settled(
    pending: PendingReflection, decision: Decision
) -> dict[int, model.Operation]:
    """The operations to carry out by their numbers, in order, as they were changed.

    Raises:
        UnknownItemError: It names a change that is not there.
        NoTextError: It gives a text to what writes none, or is not accepted.
    """
    most = len(pending.operations)
    chosen = () if decision.choice is model.Choice.REJECT else decision.accepted
    texts = dict(decision.changes)
    for number in (*chosen, *texts):
        if not 1 <= number <= most:
            raise model.UnknownItemError(number, most)
    done = {number: pending.operations[number - 1] for number in sorted(set(chosen))}
    for number, text in texts.items():
        if number not in done:
            raise NoTextError(
                f"change {number} has a new text and is not accepted",
                hint="Accept it as well, or leave its text out.",
            )
        if done[number].kind in {model.OperationKind.MOVE, model.OperationKind.DROP}:
            what = f"change {number} takes out a line: it has no text to change"
            hint = "Leave it out; `reverie correct` replaces a line of core memory."
            raise NoTextError(what, hint=hint)
        if done[number].kind is model.OperationKind.ARCHIVE:
            what = f"change {number} archives a memory: it has no text to change"
            hint = '`reverie remember "…"` stores what you want to add.'
            raise NoTextError(what, hint=hint)
        sign = done[number].content[:2]
        if done[number].kind is model.OperationKind.CORE and text[:1] not in "+-":
            # A line of core memory is typed as it shall read.
            text = f"{sign}{text}"  # noqa: PLW2901 - the same text
        if done[number].kind in {
            model.OperationKind.MERGE,
            model.OperationKind.DISTINCT,
        }:
            what = (
                f"change {number} says whether two pages are the same: it has no text"
            )
            hint = "Leave it out; `reverie merge` joins others or, with --no, keeps "
            raise NoTextError(f"{what} to change", hint=f"{hint}them apart.")
        if done[number].kind is model.OperationKind.EXTRACT:
            whole = decision.whole
            text = _corrected(done[number].content, text, number, whole=whole)  # noqa: PLW2901
        done[number] = replace(done[number], content=text)
    return done


def _corrected(old: str, new: str, number: int, *, whole: bool) -> str:
    """Facts as they were typed; what is not typed anew of their notes stays.

    Where all of a text was typed over, only those that do nothing.

    Raises:
        NoTextError: One line was typed for several, and nobody said what of the others.
    """
    before, after = old.strip().split("\n"), new.strip().split("\n")
    if len(after) < len(before) and set(before).isdisjoint(after):
        what = f"change {number} says {len(before)} things, and {len(after)} were typed"
        hint = "Type all of its lines, as the page shows them, or leave it out."
        raise NoTextError(what, hint=hint)
    if len(after) != len(before):
        return new
    pairs = zip(before, after, strict=True)
    return "\n".join(
        line if noted(line)[1] else line + notes_of(was, harmless=whole)
        for was, line in pairs
    )


def _corrections(
    study: Study,
    chosen: Mapping[int, model.Operation],
    changed: Collection[int],
    kept: Sequence[model.Expected],
    session: str,
) -> Iterator[model.Expected]:
    """The questions that facts answer which the human corrected, one each.

    Of several that only ask for all that is known, the first one is kept. What the
    human wanted kept findable (`kept`) makes no room.
    """
    wanted = [each.question for each in kept if each.source == "manual"]
    for number, operation in chosen.items():
        if number not in changed or operation.kind is not model.OperationKind.EXTRACT:
            continue
        name = stem(operation.target)
        label = name.partition("--")[2].replace("-", " ").title()
        question = f"What is known about {label}?"
        for line in operation.content.split("\n"):
            fact = noted(line.strip().removeprefix("- "))[0]
            known = any(same_question(question, each) for each in wanted)
            if fact and not known and not fact.startswith(("#", "**")):
                yield model.Expected(question, fact, study.today(), session)
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
    rejects = decision.choice is model.Choice.REJECT
    offered = offer(study, broken_too=rejects)
    page = offered.shown(shown)
    if rejects:
        return _reject(study, offered, decision)
    return _apply(study, offered, page, decision)


def _apply(
    study: Study, offered: OfferedProposal, page: str, decision: Decision
) -> Reflected:
    session, pending, site = study.session, offered.pending, offered.site
    typed, dropped = offered.waiting.changes()
    if decision.choice is model.Choice.APPROVE and (typed or dropped):
        choice = model.Choice.CHANGE if typed else model.Choice.PARTIAL
        decision = replace(decision, choice=choice)
    chosen, texts = settled(pending, decision), dict(decision.changes)
    numbers, operations = list(chosen), list(chosen.values())
    kept = () if decision.regardless else expectations(session)
    changed = {*texts, *typed}
    corrected = tuple(_corrections(study, chosen, changed, kept, pending.session))
    planned = plan_operations(operations, site, numbers)
    while session.make_room(planned.edits):
        site = replace(study.site(), about=site.about)
        site = replace(site, desk=replace(site.desk, now=pending.made))
        planned = plan_operations(operations, site, numbers)
    # What a person took the trouble to type is not left out.
    typed_in = tuple(f"#{number} " for number in texts)
    for each in planned.refused:
        if each.what.startswith(typed_in):
            raise model.UnfitTextError(each.what, each.why)
    if planned.refused and not planned.edits:
        told = "; ".join(f"{each.what} ({each.why})" for each in planned.refused)
        raise NothingLeftError(told)
    _require_shown(planned, page, texts, site)
    require_harmless(planned, sum(session.index.counts().values()), session.config)
    trials = try_all(session, study.search, all_edits(session, planned), corrected)
    lost = [t.expected.question for t in trials if t.verdict is model.Verdict.LOST]
    if lost and not decision.regardless:
        asked = "; ".join(f"“{question}”" for question in lost[:5])
        what = f"{len(lost)} of what must stay findable would be lost: {asked}"
        hint = "Leave out what causes it (`reverie reflect approve all but N`), or "
        hint += "insist: `--regardless`. Nothing was applied."
        raise LostFactsError(what, hint=hint)
    if merged_traces(session, planned):
        # History knows the scores before they are joined, so that `undo` can tell.
        session.snapshot()
    apart = _plan_distinct_pages(pending, decision, planned, site)
    edits = (
        *redate_entry(
            laid_over({edit.path: edit for edit in planned.edits}, apart).values(),
            pending.number,
            study.today(),
        ),
        *plan_records(study, pending, decision, planned, dropped),
        *plan_expectations(study, pending, corrected),
    )
    why = f"reflection session {study.today()}"
    receipt = _commit(study, pending, edits, Approval.APPROVED, why)
    # The graph's index tells of the new pages too; if not now, then later.
    with suppress(ReverieError):
        session.snapshot()
    stays = "From now on it is checked that this is still found:"
    notes = [*planned.notes, *(f"{stays} {e.question} {e.answer}" for e in corrected)]
    if study.minds.kind != "rules" and (count := notes_due(study.store)):
        notes.append(model.describe_due_self_image(count))
    return replace(
        receipt,
        ids=tuple(id_ for step in planned.steps for id_ in step.ids),
        choice=decision.choice,
        applied=tuple(step.number for step in planned.steps),
        skipped=planned.refused,
        trials=trials,
        awareness=texts_of(planned, model.OperationKind.NOTICE),
        notes=tuple(notes),
    )


def _plan_distinct_pages(
    pending: PendingReflection, decision: Decision, planned: Planned, site: Site
) -> tuple[Edit, ...]:
    """Plan to note that the pages of rejected merges are not the same."""
    merges = (
        model.Operation(
            model.OperationKind.DISTINCT, "", " ≠ ".join(pair_in(one.content))
        )
        for one in rejected_operations(pending, decision)
        if one.kind is model.OperationKind.MERGE
    )
    desk = desk_over({edit.path: edit for edit in planned.edits}, site.desk)
    return plan_operations([*merges], replace(site, desk=desk)).edits


def _reject(study: Study, offered: OfferedProposal, decision: Decision) -> Reflected:
    """Apply nothing; what was rejected, and why, is kept to learn from."""
    pending = offered.pending
    why = f"reflection #{pending.number} rejected"
    why += f": {decision.reason}" if decision.reason else ""
    entry = ReflectionEntry(
        pending.number,
        study.today(),
        STATUSES[model.Choice.REJECT],
        operational=count_changes(pending, Planned()),
        reason=decision.reason,
    )
    # Of many that a mind thought of nobody said which is wrong: all of it is told to
    # the next reflection, and only what was rejected by name is banned.
    several = pending.grant and len(pending.operations) > 1
    banned = rejected_operations(pending, decision)
    banned = banned or [*(() if several else pending.operations)]
    other = {
        "token_economy": token_economy(study, pending),
        "rejected_operations": with_rejected_operations(study, pending, banned),
    }
    edits = (
        *_plan_distinct_pages(pending, decision, Planned(), offered.site),
        study.store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why, Action.REJECT),
        *plan_log(study, entry),
        *plan_scores(study, {}, other),
    )
    receipt = _commit(study, pending, edits, Approval.NONE, why)
    return replace(receipt, choice=model.Choice.REJECT)


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
