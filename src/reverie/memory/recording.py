"""Carrying out what the human decided: one change, with all that 001 records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError, RefusedError
from reverie.memory.dreaming import all_edits, archived_traces
from reverie.memory.expecting import try_all
from reverie.memory.granting import COSTS, FilesIn, read_costs, text_edit
from reverie.memory.pins import UnreadableScoresError
from reverie.model.change import Action, Actor, Approval, ChangeSet, Receipt
from reverie.model.reflection import (
    Choice,
    Grant,
    OperationKind,
    Outcome,
    Presentation,
    TokenRequest,
    Verdict,
    digest,
)
from reverie.reflection.corrections import from_correction
from reverie.reflection.decision import settled
from reverie.reflection.expectations import add_expected
from reverie.reflection.operations.losses import require_harmless
from reverie.reflection.operations.planning import plan_operations
from reverie.reflection.pending import EMPTY, parse_pending
from reverie.reflection.record import self_image
from reverie.reflection.record.archive import Notes, archive_name, render_archive
from reverie.reflection.record.evolution import EvolutionEntry, add_reflection
from reverie.reflection.record.identity import append_awareness, awareness_items
from reverie.reflection.record.log import LogEntry, append_entry, count, prune
from reverie.reflection.record.rewards import parse_rewards, spent
from reverie.reflection.tracking import render_moment, with_rejected
from reverie.stores import core
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from reverie.decay.curve import Trace
    from reverie.memory.dreaming import Dreamer
    from reverie.model.change import Edit
    from reverie.model.reflection import (
        Decision,
        Expected,
        Insight,
        Operation,
        PendingReflection,
        Refused,
        Trial,
    )
    from reverie.reflection.operations.planning import Planned

STATUSES = {
    Choice.APPROVE: "approved",
    Choice.CHANGE: "approved with changes",
    Choice.PARTIAL: "partially approved",
    Choice.REJECT: "rejected",
}

_SUPERSEDES = "(supersedes:"

LAST_COSTS = 5
"""What so many of the last cycles got and used is kept."""


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
    """

    number: int = 0
    choice: Choice = Choice.APPROVE
    applied: tuple[int, ...] = ()
    skipped: tuple[Refused, ...] = ()
    trials: tuple[Trial, ...] = ()
    awareness: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def waiting_page(dreamer: Dreamer) -> tuple[PendingReflection, str]:
    """The proposal that waits, and its page as it is now."""
    page = dreamer.sleep.text(layout.PENDING_REFLECTION)
    pending = parse_pending(page, layout.PENDING_REFLECTION)
    if pending is None:
        raise NothingWaitsError
    return pending, page


def carry_out(dreamer: Dreamer, shown: str, decision: Decision) -> Reflected:
    """Make one change of a decision; planned anew on what the files say now.

    Args:
        dreamer: The workspace.
        shown: The digest of the page that the human saw.
        decision: What they said.
    """
    dreamer.house.look()
    pending, page = waiting_page(dreamer)
    if digest(page) != shown:
        raise PageChangedError
    if decision.choice is Choice.REJECT:
        return _reject(dreamer, pending, decision)
    return _apply(dreamer, pending, decision)


def _apply(
    dreamer: Dreamer, pending: PendingReflection, decision: Decision
) -> Reflected:
    house = dreamer.house
    chosen = settled(pending, decision)
    corrected = _corrections(pending, decision, _today(dreamer))
    site = dreamer.site()
    planned = plan_operations([operation for _, operation in chosen], site)
    while house.make_room(planned.edits):
        site = dreamer.site()
        planned = plan_operations([operation for _, operation in chosen], site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    edits = all_edits(house, planned)
    trials = try_all(house, dreamer.recalling, edits, corrected)
    lost = [trial for trial in trials if trial.verdict is Verdict.LOST]
    if lost and not decision.regardless:
        raise LostFactsError(lost)
    applied = tuple(chosen[step.number - 1][0] for step in planned.steps)
    record = _Record(dreamer, pending, decision, planned, applied)
    change = ChangeSet(
        record.edits(),
        Actor(f"reflection:{pending.session}"),
        Approval.APPROVED,
        f"reflection session {record.day}",
    )
    receipt = house.commit(change)
    # The graph's index tells of the new pages too.
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
        notes=(*record.notes, *_due_next(dreamer, pending.number)),
    )


def _due_next(dreamer: Dreamer, number: int) -> Iterator[str]:
    """What its human may want to do now."""
    thinks = dreamer.minds.kind != "rules"
    noticed = dreamer.sleep.tracked().awareness
    if thinks and noticed and self_image.due(noticed, number):
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
        _today(dreamer),
        STATUSES[Choice.REJECT],
        insight=pending.insight.key,
        operational=_operational(pending, None),
        reason=decision.reason,
    )
    other = {
        "token_economy": _economy(dreamer, pending),
        "rejected_operations": with_rejected(
            sleep.tracked(), pending.operations, pending.session
        ),
    }
    edits = (
        text_edit(house, layout.PENDING_REFLECTION, EMPTY, why, Action.REJECT),
        *_log_edits(dreamer, entry),
        *_scores(dreamer, {}, other),
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


class _Record:
    """Everything of 001 "After Approval" and its checklist, as edits."""

    def __init__(
        self,
        dreamer: Dreamer,
        pending: PendingReflection,
        decision: Decision,
        planned: Planned,
        applied: tuple[int, ...],
    ) -> None:
        self._dreamer = dreamer
        self._pending = pending
        self._decision = decision
        self._planned = planned
        self._applied = applied
        self._now = dreamer.house.clock()
        self.day = _today(dreamer)
        self.awareness = (
            awareness_items(pending.told)
            if pending.presentation is Presentation.MONOLOGUE
            else ()
        )
        self.notes: list[str] = []

    def edits(self) -> tuple[Edit, ...]:
        """What was approved first, then the record of it."""
        house, pending = self._dreamer.house, self._pending
        why = f"reflection #{pending.number} {STATUSES[self._decision.choice]}"
        return (
            *self._planned.edits,
            text_edit(house, layout.PENDING_REFLECTION, EMPTY, why),
            self._archive(why),
            *_log_edits(self._dreamer, self._log_entry()),
            *self._evolution(),
            *self._identity(),
            *self._expectations(),
            *_scores(
                self._dreamer,
                archived_traces(house, self._planned.archived),
                self._tracking(),
            ),
        )

    def _archive(self, why: str) -> Edit:
        house, pending = self._dreamer.house, self._pending
        name = archive_name(self.day, FilesIn(house, layout.REFLECTIONS))
        request, grant = self._reward()
        notes = Notes(
            number=pending.number,
            request=request,
            grant=grant,
            decision=self._decision,
            items=tuple(self._items()),
            milestone=pending.milestone,
            essay=pending.essay,
        )
        text = render_archive(pending.told, notes)
        return text_edit(house, f"{layout.REFLECTIONS}/{name}", text, why)

    def _reward(self) -> tuple[TokenRequest | None, Grant | None]:
        """What was asked for and given, as the reward log tells it."""
        for reward in parse_rewards(self._dreamer.sleep.text(layout.REWARD_LOG)):
            if reward.number == self._pending.number:
                request = TokenRequest(reward.number, reward.day, reward.requested)
                outcome = Outcome(reward.result)
                return request, Grant(reward.granted, outcome, reward.reason)
        return None, None

    def _items(self) -> Iterator[str]:
        changed = dict(self._decision.changes)
        for number, operation in enumerate(self._pending.operations, 1):
            became = "applied" if number in self._applied else "left out"
            if number in self._applied and number in changed:
                became = "applied as changed"
            yield f"{number}. {operation.kind} {operation.target}: {became}"

    def _log_entry(self) -> LogEntry:
        pending, decision = self._pending, self._decision
        return LogEntry(
            pending.number,
            self.day,
            STATUSES[decision.choice],
            pending.insight.vibe,
            pending.insight.key,
            self.awareness,
            _operational(pending, self._planned),
            decision.reason,
        )

    def _evolution(self) -> Iterator[Edit]:
        house, pending = self._dreamer.house, self._pending
        text = self._dreamer.sleep.text
        counts = house.index.counts()
        data = house.ledger.read(layout.CORE) or b""
        memory = core.parse_core(data.decode("utf-8", "replace"), layout.CORE)
        entry = EvolutionEntry(
            pending.number,
            self.day,
            count(text(layout.REFLECTION_LOG)) + 1,
            counts.get("semantic", 0),
            counts.get("procedural", 0),
            100 * core.total_tokens(memory) // house.config.core.cap_tokens,
            self._insight(),
            milestone=bool(pending.milestone),
        )
        evolved = add_reflection(
            text(layout.EVOLUTION),
            text(layout.EVOLUTION_ARCHIVE),
            entry,
            pending.questions,
        )
        self.notes += evolved.notes
        why = f"insight of reflection #{pending.number}"
        yield text_edit(house, layout.EVOLUTION, evolved.text, why)
        if evolved.archive != text(layout.EVOLUTION_ARCHIVE):
            yield text_edit(house, layout.EVOLUTION_ARCHIVE, evolved.archive, why)

    def _insight(self) -> Insight:
        """What the evolution gains; an EVOLVE operation only if it was approved."""
        steps = (step.operation for step in self._planned.steps)
        evolved = [o.content for o in steps if o.kind is OperationKind.EVOLVE]
        if not evolved:
            return self._pending.insight
        return replace(
            self._pending.insight, new_understanding=" ".join(" ".join(evolved).split())
        )

    def _identity(self) -> Iterator[Edit]:
        if self.awareness:
            text = self._dreamer.sleep.text(layout.IDENTITY)
            new = append_awareness(text, self.day, self.awareness)
            why = f"self-awareness of reflection #{self._pending.number}"
            yield text_edit(self._dreamer.house, layout.IDENTITY, new, why)

    def _expectations(self) -> Iterator[Edit]:
        """What the human corrected must stay findable as they put it."""
        text = known = self._dreamer.sleep.text(layout.EXPECTATIONS)
        for expected in _corrections(self._pending, self._decision, self.day):
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
        told: dict[str, object] = {
            "last_reflection": render_moment(self._now),
            "self_awareness_count_since_consolidation": tracked.awareness
            + len(self.awareness),
            "token_economy": _economy(self._dreamer, pending),
        }
        if until:
            told["last_reflection_episode"] = until.date().isoformat()
            told["reflection_read_until"] = until.isoformat()
        if left:
            told["rejected_operations"] = with_rejected(tracked, left, pending.session)
        return told


def _today(dreamer: Dreamer) -> date:
    return dreamer.house.clock().astimezone(dreamer.local()).date()


def _corrections(
    pending: PendingReflection, decision: Decision, day: date
) -> tuple[Expected, ...]:
    """The questions that facts answer which the human corrected, one each.

    Of several that only ask for all that is known, the first one is kept.
    """
    changed = dict(decision.changes)
    found: dict[str, Expected] = {}
    for number, operation in settled(pending, decision):
        corrects = number in changed or _SUPERSEDES in operation.content
        if corrects and operation.kind is OperationKind.EXTRACT:
            for expected in _expected(operation, day, pending.session):
                found.setdefault(expected.question, expected)
    return tuple(found.values())


def _expected(operation: Operation, day: date, session: str) -> Iterator[Expected]:
    name = operation.target.rpartition("/")[2].removesuffix(".md")
    label = name.partition("--")[2].replace("-", " ").title()
    for line in operation.content.split("\n"):
        fact = line.strip().removeprefix("- ").partition(_SUPERSEDES)[0]
        fact = fact.partition("(since:")[0].strip()
        if fact and not fact.startswith(("#", "**")):
            yield from_correction(label, fact, day, session)


def _log_edits(dreamer: Dreamer, entry: LogEntry) -> Iterator[Edit]:
    text = dreamer.sleep.text
    archive = text(layout.REFLECTION_ARCHIVE)
    log, pruned = prune(append_entry(text(layout.REFLECTION_LOG), entry), archive)
    why = f"reflection #{entry.number} {entry.status}"
    yield text_edit(dreamer.house, layout.REFLECTION_LOG, log, why)
    if pruned != archive:
        yield text_edit(dreamer.house, layout.REFLECTION_ARCHIVE, pruned, why)


def _operational(pending: PendingReflection, planned: Planned | None) -> str:
    """`3 episodes, 2 entities, 1 archived`: what was read, written and hidden."""
    episodes = sum(each.read for each in pending.read if "episodes" in each.name)
    paths = {edit.path for edit in planned.edits} if planned else set()
    entities = sum(path.startswith(f"{layout.ENTITIES}/") for path in paths)
    archived = len(planned.archived) if planned else 0
    return f"{episodes} episodes, {entities} entities, {archived} archived"


def _economy(dreamer: Dreamer, pending: PendingReflection) -> dict[str, object]:
    """The token economy, with what this cycle used."""
    known = spent(dict(dreamer.sleep.tracked().economy), pending.used)
    costs = read_costs(known.get(COSTS))
    if pending.grant:
        costs = (*costs, (pending.grant, pending.used))
    known[COSTS] = [list(pair) for pair in costs[-LAST_COSTS:]]
    return known


def _scores(
    dreamer: Dreamer, traces: dict[str, Trace], other: Mapping[str, object]
) -> tuple[Edit, ...]:
    edits = dreamer.house.plan_snapshot(traces, other)
    scores = tuple(edit for edit in edits if edit.path == layout.SCORES)
    if not scores:
        raise UnreadableScoresError
    action = Action.ARCHIVE if traces else Action.EDIT
    why = f"archived {', '.join(traces)}" if traces else "what the reflection took"
    return tuple(replace(edit, action=action, summary=why) for edit in scores)
