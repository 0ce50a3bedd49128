"""Thinking a reflection through, and laying the proposal before its human."""

from __future__ import annotations

import json
import random
from dataclasses import astuple, dataclass, replace
from datetime import time
from typing import TYPE_CHECKING

import msgspec

from reverie.encoding.gate.secrets import without_secrets
from reverie.encoding.remember import owner_name
from reverie.errors import ConflictError, NotFoundError, ReverieError
from reverie.memory.expecting import try_all
from reverie.memory.granting import text_edit
from reverie.minds.mind import BadAnswerError, Use
from reverie.minds.reading import parse_object
from reverie.minds.schema import find_problem
from reverie.minds.thinking import ask
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.reflection import (
    Insight,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
    session_name,
)
from reverie.reflection.checkin import next_time
from reverie.reflection.cycle import Reflecting
from reverie.reflection.drafting import (
    Draft,
    draft_of,
    sources_of,
    without_rejected,
)
from reverie.reflection.elements import draw, render_for_record
from reverie.reflection.monologue import find_faults, find_inventions
from reverie.reflection.operations.losses import require_harmless
from reverie.reflection.operations.planning import plan_operations
from reverie.reflection.operations.reading import parse_text
from reverie.reflection.pending import (
    parse_pending,
    render_pending,
    storable_pending,
)
from reverie.reflection.phases import (
    GrantSpentError,
    Metered,
    Phase,
    answered,
    next_phase,
    question_of,
)
from reverie.reflection.record.log import highest_approved
from reverie.reflection.record.milestones import MILESTONES, milestone_due
from reverie.reflection.rules import Knowledge, reflect_by_rules, tell
from reverie.reflection.scope import Scope
from reverie.reflection.summary import (
    Processed,
    Spending,
    SummaryParts,
    render_summary,
)
from reverie.reflection.survey import Last, since, survey
from reverie.stores.proposals import load_pending
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date, tzinfo

    from reverie.decay.curve import Trace
    from reverie.memory.house import House
    from reverie.memory.minding import Minds
    from reverie.memory.recalling import Recalling
    from reverie.memory.sleeping import Sleep
    from reverie.minds.mind import Mind, Question
    from reverie.model.change import Edit
    from reverie.model.reflection import Occasion, Trial
    from reverie.reflection.operations.planning import Planned, Site


_Seen = dict[str, tuple[str, tuple[str, ...]]]

SEEN, SEEN_NEXT = "seen", "seen-next"
"""What rules will know again, and what they would know after the next approval."""


class NoQuestionError(NotFoundError):
    """The host agent answers, and nothing was asked."""

    def __init__(self) -> None:
        super().__init__(
            "there is no phase to answer",
            hint="`reverie reflect status` tells where the reflection stands.",
        )


class PageTakenError(ConflictError):
    """A proposal waits already where another one is to be laid."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"reflection #{number} waits for a decision on "
            f"{layout.PENDING_REFLECTION} again",
            hint="Decide on it first: `reverie reflect show`. Nothing is overwritten.",
        )


@dataclass(frozen=True, slots=True)
class Dreamer:
    """What thinking a reflection through needs of an open workspace.

    Attributes:
        house: The workspace's parts.
        sleep: Where the cycle is kept.
        minds: Who thinks.
        recalling: Who answers questions.
        site: What planning may look at, for a reflection.
        knowledge: What rules may know.
        local: The user's zone.
    """

    house: House
    sleep: Sleep
    minds: Minds
    recalling: Recalling
    site: Callable[[], Site]
    knowledge: Callable[[], Knowledge]
    local: Callable[[], tzinfo]

    def today(self) -> date:
        """The day it is for the user."""
        return self.house.clock().astimezone(self.local()).date()


def fall_asleep(
    dreamer: Dreamer, occasion: Occasion, number: int, grant: int
) -> Reflecting:
    """Read what may be read, and be ready for the first phase."""
    house, tracked = dreamer.house, dreamer.sleep.tracked()
    house.look()
    house.sync()
    now = house.clock()
    last = Last(tracked.last, tracked.read_until)
    scope = Scope(house.ledger.read, since(last, now))
    seen = survey(house.index, scope, house.config, now, last)
    # The same elements again if the same reflection has to begin anew.
    rng = random.Random(f"{session_name(number)} {now.date()}")  # noqa: S311 - no secret
    elements = render_for_record(draw(rng))
    approved = highest_approved(dreamer.sleep.text(layout.REFLECTION_LOG))
    special = milestone_due(number, approved)
    milestone = special.number if special else 0
    return Reflecting(occasion, number, now, grant, seen, elements, milestone)


def think(
    dreamer: Dreamer, state: Reflecting, mind: Mind, phase: Phase
) -> tuple[Reflecting, ReverieError | None]:
    """Ask one phase's question.

    Returns:
        The state afterwards, with what it took, and why there is no usable answer.
    """
    question = question_of(state, phase, dreamer.house.config)
    metered = Metered(mind, state, phase)
    check = _Check(phase, dreamer, state)
    try:
        value = ask(metered, question, check)
    except ReverieError as error:
        wasted = state.wasted + state.left - metered.left
        return replace(state, wasted=wasted, problem=str(error)), error
    spent = state.left - metered.left
    return answered(state, phase, json.dumps(value, ensure_ascii=False), spent), None


def take_answer(dreamer: Dreamer, state: Reflecting, text: str) -> Reflecting:
    """The state once the host agent has answered the phase it was asked.

    A bad answer is counted and noted in the state; see `Reflecting.problem`.

    Raises:
        GrantSpentError: The answer is longer than what was left.
    """
    phase = next_phase(state)
    if phase is None:
        raise NoQuestionError
    tokens = count_tokens(text)
    if tokens > state.left:
        raise GrantSpentError(state.grant, phase)
    question = question_of(state, phase, dreamer.house.config)
    asked = count_tokens(question.text)
    use = Use(question.operation, "host", asked, tokens, estimated=True)
    dreamer.minds.note(use)
    check = _Check(phase, dreamer, state)
    try:
        value = _fitting(text, phase, question)
        answer = json.dumps(check(value), ensure_ascii=False)
    except BadAnswerError as error:
        return replace(state, wasted=state.wasted + tokens, problem=error.problem)
    except ValueError as error:
        return replace(state, wasted=state.wasted + tokens, problem=str(error))
    return answered(state, phase, answer, tokens)


def _fitting(text: str, phase: Phase, question: Question) -> Mapping[str, object]:
    """An answer that fits the question's schema; operations may come as text."""
    try:
        value = parse_object(text)
    except BadAnswerError:
        if phase is not Phase.CONSOLIDATE or not parse_text(text).operations:
            raise
        value = {"text": text}
    problem = find_problem(value, question.schema)
    if problem:
        raise BadAnswerError(problem, text)
    return value


class _Check:
    """Makes sure that an answer makes sense; a monologue may miss once."""

    def __init__(self, phase: Phase, dreamer: Dreamer, state: Reflecting) -> None:
        self._phase = phase
        self._monologue = dreamer.house.config.reflection.presentation == "monologue"
        self._lenient = bool(state.problem)
        self._survey = state.survey
        self._names = (owner_name(dreamer.house.ledger.read),)

    def __call__(self, value: Mapping[str, object]) -> Mapping[str, object]:
        if self._phase is Phase.CONSOLIDATE:
            self._require_operations(value)
        if self._phase is Phase.PRESENT and self._monologue:
            self._require_monologue(value)
        return value

    def _require_operations(self, value: Mapping[str, object]) -> None:
        if "operations" not in value and "text" not in value:
            raise UnfinishedAnswerError(("there is no list of operations",))

    def _require_monologue(self, value: Mapping[str, object]) -> None:
        text = str(value.get("monologue", ""))
        faults = (
            *find_faults(text, self._names),
            *find_inventions(text, sources_of(self._survey)),
        )
        if not text.strip():
            raise UnfinishedAnswerError(("the monologue is empty",))
        # Told once, then what can be mended is mended, and the rest is shown.
        if faults and not self._lenient:
            self._lenient = True
            raise UnfinishedAnswerError(faults)


class UnfinishedAnswerError(ValueError):
    """An answer of the right shape that does not do yet."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))


def dream_by_rules(dreamer: Dreamer, state: Reflecting) -> Draft:
    """What rules find in what was read."""
    known = replace(dreamer.knowledge(), candidates=_seen_before(dreamer.sleep))
    found = reflect_by_rules(state.survey, known)
    dreamer.sleep.keep(SEEN_NEXT, json.dumps(dict(found.candidates)).encode())
    insight = tell(found, state.survey)
    return Draft(
        found.operations,
        insight=insight,
        themes=found.themes,
        questions=found.questions,
    )


def _seen_before(sleep: Sleep) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What rules saw once or twice in earlier reflections; lost, it only takes longer."""
    try:
        return msgspec.json.decode(sleep.kept(SEEN) or b"{}", type=_Seen)
    except msgspec.MsgspecError:
        return {}


def dream(dreamer: Dreamer, state: Reflecting) -> Draft:
    """What a mind came to in five phases."""
    waiting = load_pending(dreamer.house.ledger.read).proposals
    core = dreamer.sleep.text(layout.CORE)
    names = (owner_name(dreamer.house.ledger.read),)
    return draft_of(state, core, waiting, names)


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
        day=now.astimezone(local).date(),
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
