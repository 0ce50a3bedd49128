"""Laying a proposal before its human: planned, tried, and written as a page."""

from __future__ import annotations

import re
from dataclasses import astuple, replace
from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import ConflictError
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.reflection import (
    Insight,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
)
from reverie.reflection.answers import MOST_OPERATIONS
from reverie.reflection.checkin import next_time
from reverie.reflection.drafting import (
    Draft,
    with_evolution,
    with_notices,
    without_rejected,
)
from reverie.reflection.expecting import try_all
from reverie.reflection.granting import text_edit
from reverie.reflection.operations.loss_guard import require_harmless
from reverie.reflection.operations.plan import About, plan_operations
from reverie.reflection.proposal_page import (
    parse_pending,
    render_pending,
    storable_pending,
)
from reverie.reflection.records.evolution import Counted
from reverie.reflection.records.log import MILESTONES
from reverie.reflection.summary import (
    Processed,
    Spending,
    SummaryParts,
    render_summary,
)
from reverie.secrets import without_secrets
from reverie.stores import core
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import Trial
    from reverie.reflection.cycle import Reflecting
    from reverie.reflection.dreaming import Dreamer
    from reverie.reflection.operations.plan import Planned, Site
    from reverie.session.session import House


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
    house, made = dreamer.house, dreamer.house.clock()
    draft = _told(_whole(dreamer, state, _few(draft)))
    site = site_of(dreamer, state.number, made, state.milestone)
    first = plan_operations(draft.operations, site)
    draft = replace(draft, operations=tuple(step.operation for step in first.steps))
    draft = without_rejected(draft, dict(dreamer.sleep.tracked().rejected))
    draft = _pruned(draft, site)
    # Once more without what was refused, so that numbers and diffs agree.
    planned = plan_operations(draft.operations, site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    trials = try_all(house, dreamer.recalling, all_edits(house, planned))
    refused = (*draft.refused, *first.refused)
    draft = _told(replace(draft, refused=refused))
    pending = _pending(dreamer, state, draft, planned, trials)
    pending = storable_pending(replace(pending, made=made))
    return pending, page_of(pending, planned)


def site_of(dreamer: Dreamer, number: int, made: datetime, milestone: int) -> Site:
    """What planning for a reflection may look at.

    It is planned as of the moment it was proposed, so that what is approved days
    later is what was shown, to the day.
    """
    site = dreamer.site()
    day = made.astimezone(dreamer.local()).date()
    desk = replace(site.desk, now=made)
    return replace(site, desk=desk, about=About(number, day, milestone))


def planned_page(dreamer: Dreamer, pending: PendingReflection) -> tuple[Site, str]:
    """What a proposal is planned on, and its page for the files as they are now."""
    site = site_of(dreamer, pending.number, pending.made, number_of(pending.milestone))
    numbers = range(1, len(pending.operations) + 1)
    planned = plan_operations(pending.operations, site, numbers)
    return site, page_of(pending, planned)


def page_of(pending: PendingReflection, planned: Planned) -> str:
    """The page of a proposal, with what each of its changes would do."""
    diffs = {step.number: step.diff for step in planned.steps}
    after = {step.number: step.after for step in planned.steps}
    known = set(pending.refused)
    refused = (*pending.refused, *(r for r in planned.refused if r not in known))
    return render_pending(replace(pending, refused=refused), diffs, after)


def number_of(milestone: str) -> int:
    """The number of a milestone such as `#10 — First evolution summary`."""
    found = re.match(r"#([0-9]{1,6})\b", milestone)
    return int(found[1]) if found else 0


def _few(draft: Draft) -> Draft:
    """No more operations than a person can check."""
    over = len(draft.operations) - MOST_OPERATIONS
    if over <= 0:
        return draft
    why = f"one reflection may propose {MOST_OPERATIONS} at most"
    told = Refused(f"{over} more operations", why)
    kept = draft.operations[:MOST_OPERATIONS]
    return replace(draft, operations=kept, refused=(*draft.refused, told))


def _whole(dreamer: Dreamer, state: Reflecting, draft: Draft) -> Draft:
    """A draft in which all that would be kept of it is a change of its own."""
    if not state.thoughts:
        # Nobody thought, so nothing was understood that could evolve.
        return draft
    draft = with_evolution(draft, _counted(dreamer))
    return with_notices(draft) if _is_monologue(dreamer, state, draft) else draft


def _counted(dreamer: Dreamer) -> Counted:
    house = dreamer.house
    counts = house.index.counts()
    memory = core.parse_core(dreamer.sleep.text(layout.CORE), layout.CORE)
    percent = 100 * core.total_tokens(memory) // house.config.core.cap_tokens
    return Counted(counts.get("semantic", 0), counts.get("procedural", 0), percent)


def _pruned(draft: Draft, site: Site) -> Draft:
    """A draft that also makes room in the log, where that has become too long."""
    content = (
        "Older entries move to reflection-archive.md; a line of each stays, of the "
        "oldest their numbers."
    )
    prune = Operation(OperationKind.PRUNE, layout.REFLECTION_LOG, content)
    if not plan_operations([prune], site).steps:
        return draft
    return replace(draft, operations=(*draft.operations, prune))


def _is_monologue(dreamer: Dreamer, state: Reflecting, draft: Draft) -> bool:
    wanted = dreamer.house.config.reflection.presentation
    return bool(state.thoughts and draft.monologue) and wanted != "summary"


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
        listed=tuple(
            (without_secrets(title), tuple(map(without_secrets, lines)))
            for title, lines in draft.listed
        ),
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
    told, presentation = draft.monologue, Presentation.MONOLOGUE
    if not _is_monologue(dreamer, state, draft):
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
        listed=draft.listed,
        without_mind=not state.thoughts,
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
