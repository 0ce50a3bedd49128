"""Traces: what a planned reflection does to the decay scores of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.decay import reinforced
from reverie.model.reflection import OperationKind
from reverie.reflection import operations as ops
from reverie.reflection.sources import WORTHLESS
from reverie.session.moved_pages import joined_trace
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.reflection.plan import Planned, PlannedStep
    from reverie.session.session import Session


def all_edits(session: Session, planned: Planned) -> tuple[Edit, ...]:
    """Everything that operations would change, the scores included."""
    traces = archived_traces(session, planned.archived)
    scores = session.plan_snapshot(traces) if traces else ()
    return (*planned.edits, *scores)


def merged_traces(session: Session, planned: Planned) -> dict[str, Trace]:
    """The scores of pages that others went into."""
    found: dict[str, Trace] = {}
    for step in planned.steps:
        if step.operation.kind is OperationKind.MERGE:
            one, into = (f"entity:{n}" for n in ops.pair_in(step.operation.content))
            known = found.get(into) or session.index.trace(into)
            if trace := joined_trace(session.index.trace(one), known):
                found[into] = trace
    return found


def archived_traces(session: Session, ids: Iterable[str]) -> dict[str, Trace]:
    """The traces of memories that shall be hidden."""
    traces = {id_: session.index.trace(id_) for id_ in ids}
    return {
        id_: replace(trace, archived=True) for id_, trace in traces.items() if trace
    }


def consolidated_traces(
    session: Session, steps: Iterable[PlannedStep], now: datetime
) -> dict[str, Trace]:
    """The traces of what is consolidated: pages written to, and sources named.

    What is only put away is not.
    """
    pages = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")
    kept = [step for step in steps if step.operation.kind not in WORTHLESS]
    paths = {p for step in kept for p in step.paths if p.startswith(pages)}
    used = {id_ for path in paths for id_ in session.index.ids_in(path)}
    for each in (step.operation for step in kept):
        used |= ops.named_in(each).keys()
    traces = {id_: session.index.trace(id_) for id_ in used}
    return {
        id_: reinforced(trace, now)
        for id_, trace in traces.items()
        if trace and not trace.archived
    }
