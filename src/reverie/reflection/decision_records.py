"""Records of a decision: archive, log, scores and recall tests (reflection v2)."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.dates import at_home
from reverie.model import reflection as model
from reverie.model.change import Action
from reverie.model.items import in_utc
from reverie.reflection import token_request as tokens
from reverie.reflection.cycle import (
    BACKLOG,
    render_backlog,
    render_moment,
    with_rejected,
)
from reverie.reflection.evolution import parse_insight
from reverie.reflection.feedback import (
    DECISION,
    LEFT_OUT,
    NOT_APPLIED,
    REJECTED,
    REWARD,
    describe_decision,
    render_archive,
)
from reverie.reflection.log import STATUSES, ReflectionEntry, append_entry, prune
from reverie.reflection.records import rendered
from reverie.reflection.traces import (
    archived_traces,
    consolidated_traces,
    merged_traces,
)
from reverie.stores.expectations import add_expected
from reverie.stores.reader import PENDING_REFLECTION as EMPTY_PAGE
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import Decision, PendingReflection
    from reverie.reflection.cycle import Study
    from reverie.reflection.plan import Planned


def rejected_operations(
    pending: PendingReflection, decision: Decision
) -> list[model.Operation]:
    """Return the operations that the user rejects by name."""
    most = len(pending.operations)
    for number in decision.rejected:
        if not 1 <= number <= most:
            raise model.UnknownItemError(number, most)
    return [pending.operations[number - 1] for number in decision.rejected]


def texts_of(planned: Planned, kind: model.OperationKind) -> tuple[str, ...]:
    """Return the texts of the applied changes of a kind."""
    steps = (step.operation for step in planned.steps)
    return tuple(each.content for each in steps if each.kind is kind)


def plan_records(
    study: Study,
    pending: PendingReflection,
    decision: Decision,
    planned: Planned,
    dropped: Sequence[model.Operation],
) -> Iterator[Edit]:
    """Plan all records that an approval writes (reflection v2, "After Approval").

    Args:
        study: The workspace.
        pending: The proposal that the user approved, all of it or a part.
        decision: What the user decided.
        planned: What is applied.
        dropped: Changes that the user took off the page.
    """
    store, session, today = study.store, study.session, study.today()
    status, tracked = STATUSES[decision.choice], store.tracked()
    why = f"reflection #{pending.number} {status}"
    # What was understood counts as far as it was approved; where nobody thought, what
    # was counted is told where all of the page was.
    evolved = texts_of(planned, model.OperationKind.EVOLVE)
    whole = len(planned.steps) == len(pending.operations) and not pending.grant
    insight = pending.insight if whole else model.Insight()
    insight = parse_insight("\n".join(evolved))[0] if evolved else insight
    noticed = texts_of(planned, model.OperationKind.NOTICE)
    entry = ReflectionEntry(
        pending.number,
        today,
        status,
        insight.vibe,
        insight.key,
        noticed,
        count_changes(pending, planned),
        decision.reason,
    )
    told: dict[str, object] = {
        "last_reflection": render_moment(session.clock()),
        "self_awareness_count_since_consolidation": tracked.awareness + len(noticed),
        "token_economy": token_economy(study, pending),
    }
    if until := pending.read_until or tracked.read_until:
        day = at_home(until, session.zone).date()
        told["last_reflection_episode"] = day.isoformat()
        told["reflection_read_until"] = until.astimezone(UTC).isoformat()
    if pending.backlog is not None:
        told[BACKLOG] = render_backlog(pending.backlog)
    if refused := rejected_operations(pending, decision):
        told["rejected_operations"] = with_rejected_operations(study, pending, refused)
    path = tokens.free_name(session.ledger.read, layout.REFLECTIONS, today)
    yield store.edit(layout.PENDING_REFLECTION, EMPTY_PAGE, why)
    archive = render_decision(study, pending, decision, planned, dropped)
    yield store.edit(path, archive, why)
    pruned = bool(texts_of(planned, model.OperationKind.PRUNE))
    yield from plan_log(study, entry, pruned=pruned)
    used = consolidated_traces(session, planned.steps, in_utc(session.clock()))
    used |= merged_traces(session, planned)
    archived = archived_traces(session, planned.archived)
    yield from plan_scores(study, archived, told, used)


def plan_expectations(
    study: Study, pending: PendingReflection, corrected: Sequence[model.Expected]
) -> Iterator[Edit]:
    """Plan recall tests for the facts that the user corrected."""
    asked = known = study.store.text(layout.EXPECTATIONS)
    for expected in corrected:
        asked = add_expected(asked, expected, replace=True)
    if asked != known:
        learned = f"corrected in reflection #{pending.number}"
        yield study.store.edit(layout.EXPECTATIONS, asked, learned)


def render_decision(
    study: Study,
    pending: PendingReflection,
    decision: Decision,
    planned: Planned,
    dropped: Sequence[model.Operation],
) -> str:
    """Render the archive of a reflection, with what became of each change."""
    applied = {step.number for step in planned.steps}
    changed = dict(decision.changes)
    items = []
    for number, operation in enumerate(pending.operations, 1):
        became = "applied as changed" if number in changed else "applied"
        if number in decision.rejected:
            became = REJECTED
        elif number not in applied:
            became = NOT_APPLIED if number in decision.accepted else LEFT_OUT
        items.append(f"change {number}, {describe_decision(operation, became)}")
    items += [f"off the page, {describe_decision(one, LEFT_OUT)}" for one in dropped]
    decided = (
        f"Reflection: #{pending.number}",
        f"Choice: {decision.choice}",
        *(f"Reason: {line}" for line in rendered([decision.reason])),
        *rendered(items),
    )
    reward = tokens.kept_reward(study.store, pending.number)
    notes = {REWARD: tokens.outcome(*reward) if reward else (), DECISION: decided}
    return render_archive(pending.told, notes, pending.milestone, pending.essay)


def with_rejected_operations(
    study: Study, pending: PendingReflection, operations: Sequence[model.Operation]
) -> object:
    """Return the rejected operations with some more; PRUNE may be proposed again."""
    kept = [one for one in operations if one.kind is not model.OperationKind.PRUNE]
    return with_rejected(study.store.tracked(), kept, pending.session)


def plan_log(
    study: Study, entry: ReflectionEntry, *, pruned: bool = False
) -> Iterator[Edit]:
    """Plan to add an entry to the log, and to prune older ones."""
    text = study.store.text
    before = text(layout.REFLECTION_ARCHIVE)
    log, archive = append_entry(text(layout.REFLECTION_LOG), entry), before
    if pruned:
        log, archive = prune(log, before)
    why = f"reflection #{entry.number} {entry.status}"
    yield study.store.edit(layout.REFLECTION_LOG, log, why)
    if archive != before:
        yield study.store.edit(layout.REFLECTION_ARCHIVE, archive, why)


def count_changes(pending: PendingReflection, planned: Planned) -> str:
    """Return what was done, such as `3 episodes, 2 entities, 1 archived`."""
    episodes = sum(each.read for each in pending.read if "episodes" in each.name)
    pages = {e.path for e in planned.edits if e.path.startswith(f"{layout.ENTITIES}/")}
    archived = len(planned.archived)
    return f"{episodes} episodes, {len(pages)} entities, {archived} archived"


def token_economy(study: Study, pending: PendingReflection) -> dict[str, object]:
    """Return the token economy with what this cycle used."""
    used = pending.used + study.store.load().wasted
    return tokens.spent(study.store.tracked().economy, used)


def plan_scores(
    study: Study,
    archived: Mapping[str, Trace],
    other: Mapping[str, object],
    used: Mapping[str, Trace] | None = None,
) -> Iterator[Edit]:
    """Plan the new scores; their summary says what the reflection did."""
    action = Action.ARCHIVE if archived else Action.EDIT
    why = f"archived {', '.join(archived)}" if archived else "what the reflection took"
    for edit in study.store.score_edits(other, {**(used or {}), **archived}):
        yield replace(edit, action=action, summary=why)
