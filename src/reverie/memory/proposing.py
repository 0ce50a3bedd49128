"""Laying a proposal before its human: planned, tried, and written as a page."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import ConflictError
from reverie.memory.expecting import try_all
from reverie.memory.granting import text_edit
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.reflection import (
    Insight,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
)
from reverie.reflection.checkin import next_time
from reverie.reflection.drafting import Draft, without_rejected
from reverie.reflection.operations.losses import require_harmless
from reverie.reflection.operations.planning import plan_operations
from reverie.reflection.pending import (
    parse_pending,
    render_pending,
    storable_pending,
)
from reverie.reflection.record.milestones import MILESTONES
from reverie.reflection.summary import (
    Processed,
    Spending,
    SummaryParts,
    render_summary,
)
from reverie.secrets import without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.decay.curve import Trace
    from reverie.memory.dreaming import Dreamer
    from reverie.memory.house import House
    from reverie.model.change import Edit
    from reverie.model.reflection import Trial
    from reverie.reflection.cycle import Reflecting
    from reverie.reflection.operations.planning import Planned


class PageTakenError(ConflictError):
    """A proposal waits already where another one is to be laid."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"reflection #{number} waits for a decision on "
            f"{layout.PENDING_REFLECTION} again",
            hint="Decide on it first: `reverie reflect show`. Nothing is overwritten.",
        )


def propose(
    dreamer: Dreamer, state: Reflecting, draft: Draft
) -> tuple[PendingReflection, str]:
    """Plan a draft, try it, and write the page on which its human decides.

    Returns:
        The proposal, and the page.

    Raises:
        LossError: It would take away more than one reflection may.
    """
    house, site = dreamer.house, dreamer.site()
    first = plan_operations(draft.operations, site)
    draft = replace(draft, operations=tuple(step.operation for step in first.steps))
    draft = without_rejected(draft, dict(dreamer.sleep.tracked().rejected))
    kept = draft.operations
    # Once more without what was refused, so that numbers and diffs agree.
    planned = plan_operations(kept, site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    trials = try_all(house, dreamer.recalling, all_edits(house, planned))
    refused = (*draft.refused, *first.refused)
    draft = _told(replace(draft, refused=refused))
    pending = storable_pending(_pending(dreamer, state, draft, planned, trials))
    diffs = {step.number: step.diff for step in planned.steps}
    return pending, render_pending(pending, diffs)


def _told(draft: Draft) -> Draft:
    """A draft that tells no secret; operations have none, or they would be refused."""
    return replace(
        draft,
        refused=tuple(
            Refused(without_secrets(each.what), without_secrets(each.why))
            for each in draft.refused
        ),
        monologue=without_secrets(draft.monologue),
        insight=Insight(*map(without_secrets, astuple(draft.insight))),
        themes=tuple(map(without_secrets, draft.themes)),
        questions=tuple(map(without_secrets, draft.questions)),
        essay=without_secrets(draft.essay),
    )


def all_edits(house: House, planned: Planned) -> tuple[Edit, ...]:
    """Everything that operations would change, the scores included."""
    traces = archived_traces(house, planned.archived)
    scores = house.plan_snapshot(traces) if traces else ()
    return (*planned.edits, *scores)


def archived_traces(house: House, ids: Iterable[str]) -> dict[str, Trace]:
    """The traces of memories that shall be hidden."""
    traces = {id_: house.index.trace(id_) for id_ in ids}
    return {
        id_: replace(trace, archived=True) for id_, trace in traces.items() if trace
    }


def _pending(
    dreamer: Dreamer,
    state: Reflecting,
    draft: Draft,
    planned: Planned,
    trials: tuple[Trial, ...],
) -> PendingReflection:
    by_rules = not state.thoughts
    told, presentation = draft.monologue, Presentation.MONOLOGUE
    wanted = dreamer.house.config.reflection.presentation
    if by_rules or wanted == "summary" or not told:
        presentation = Presentation.SUMMARY
        told = render_summary(_parts(dreamer, state, draft, planned))
    return PendingReflection(
        number=state.number,
        made=dreamer.house.clock(),
        presentation=presentation,
        told=told,
        operations=draft.operations,
        insight=draft.insight,
        elements=state.elements if presentation is Presentation.MONOLOGUE else (),
        read=state.survey.read,
        refused=draft.refused,
        trials=trials,
        questions=draft.questions,
        grant=state.grant,
        used=state.used,
        input_tokens=state.survey.tokens,
        read_until=state.survey.read_until,
        milestone=_milestone(state),
        essay=draft.essay,
    )


def _parts(
    dreamer: Dreamer, state: Reflecting, draft: Draft, planned: Planned
) -> SummaryParts:
    house, seen = dreamer.house, state.survey
    now, local, settings = house.clock(), dreamer.local(), house.config.reflection
    at = time.fromisoformat(settings.time)
    core = (
        step.diff for step in planned.steps if step.operation.kind is OperationKind.CORE
    )
    return SummaryParts(
        number=state.number,
        day=dreamer.today(),
        zone=local,
        operations=draft.operations,
        insight=draft.insight,
        themes=draft.themes,
        questions=draft.questions,
        core_diff="\n".join(core),
        processed=Processed(
            len(seen.episodes), len(seen.entities), len(seen.procedures)
        ),
        reviewed=len(seen.log),
        spending=Spending(seen.tokens, settings.input_tokens, state.used, state.grant),
        next_at=next_time(now, local, at, settings.frequency, now),
        by_rules=not state.thoughts,
        milestone=_milestone(state),
    )


def _milestone(state: Reflecting) -> str:
    special = MILESTONES.get(state.milestone)
    return str(special) if special else ""


def lay_out(house: House, pending: PendingReflection, page: str) -> None:
    """Commit the page, so that its human finds it wherever they look.

    Raises:
        PageTakenError: Another proposal waits on it.
    """
    old = (house.ledger.read(layout.PENDING_REFLECTION) or b"").decode(
        "utf-8", "replace"
    )
    other = parse_pending(old, layout.PENDING_REFLECTION)
    if other is not None and other.number != pending.number:
        raise PageTakenError(other.number)
    why = f"reflection #{pending.number} waits for a decision"
    edit = text_edit(house, layout.PENDING_REFLECTION, page, why, Action.PROPOSE)
    actor = Actor(f"reflection:{pending.session}")
    house.commit(ChangeSet((edit,), actor, Approval.PENDING, why))


def fresh_page(dreamer: Dreamer, pending: PendingReflection) -> str:
    """A proposal whose page was edited, with diffs of what it says now."""
    planned = plan_operations(pending.operations, dreamer.site())
    diffs = {step.number: step.diff for step in planned.steps}
    refused = (*pending.refused, *planned.refused)
    return render_pending(replace(pending, refused=refused), diffs)
