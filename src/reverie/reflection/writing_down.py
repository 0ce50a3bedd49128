"""What is written down of an approved reflection (reflection v2, "After Approval")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.model.change import Action
from reverie.model.origin import Origin
from reverie.model.reflection import Insight, OperationKind
from reverie.reflection.decision import settled
from reverie.reflection.granting import (
    COSTS,
    FilesIn,
    kept_reward,
    read_costs,
    scores_edits,
    text_edit,
)
from reverie.reflection.proposing import archived_traces
from reverie.reflection.records.archive import Notes, archive_name, render_archive
from reverie.reflection.records.evolution import parse_insight
from reverie.reflection.records.log import (
    STATUSES,
    LogEntry,
    append_entry,
    prune,
)
from reverie.reflection.records.rewards import spent
from reverie.reflection.tracking import render_moment, with_rejected
from reverie.stores.expectations import add_expected
from reverie.stores.templates import PENDING_REFLECTION
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.reflection import (
        Decision,
        Expected,
        Operation,
        PendingReflection,
    )
    from reverie.reflection.dreaming import Dreamer
    from reverie.reflection.operations.plan import Planned

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
            text_edit(house, layout.PENDING_REFLECTION, PENDING_REFLECTION, why),
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
