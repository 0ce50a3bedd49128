"""Thinking a reflection through, and laying the proposal before its human."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError, ReverieError
from reverie.minds.json_answers import ask, find_problem, parse_object
from reverie.minds.mind import BadAnswerError, Use
from reverie.model.reflection import (
    session_name,
)
from reverie.reflection.cycle import Reflecting
from reverie.reflection.drafting import Draft, draft_of
from reverie.reflection.elements import draw, render_for_record
from reverie.reflection.monologue import find_faults
from reverie.reflection.operations.parse import parse_text
from reverie.reflection.phases import (
    GrantSpentError,
    Metered,
    Phase,
    answered,
    next_phase,
    question_of,
)
from reverie.reflection.records.log import highest_approved, milestone_due
from reverie.reflection.scope import Scope
from reverie.reflection.survey import Last, since, survey
from reverie.reflection.without_mind import Known, reflect_without_mind
from reverie.secrets import pieces_of, screened, without_secrets
from reverie.stores.proposals import listed
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date, tzinfo

    from reverie.minds.mind import Mind, Question
    from reverie.model.reflection import Occasion
    from reverie.recall.recalling import Recalling
    from reverie.reflection.operations.plan import Site
    from reverie.reflection.sleeping import Sleep
    from reverie.session.minding import Minds
    from reverie.session.session import House


class NoQuestionError(NotFoundError):
    """The host agent answers, and nothing was asked."""

    def __init__(self) -> None:
        super().__init__(
            "there is no phase to answer",
            hint="`reverie reflect status` tells where the reflection stands.",
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
        local: The user's zone.
    """

    house: House
    sleep: Sleep
    minds: Minds
    recalling: Recalling
    site: Callable[[], Site]
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
    seen = screened(survey(house.index, scope, house.config, now, last))
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
        return replace(state, wasted=wasted, problem=without_secrets(str(error))), error
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
    except (BadAnswerError, ValueError) as error:
        problem = error.problem if isinstance(error, BadAnswerError) else str(error)
        wasted = state.wasted + tokens
        return replace(state, wasted=wasted, problem=without_secrets(problem))
    return answered(state, phase, answer, tokens)


def _fitting(text: str, phase: Phase, question: Question) -> Mapping[str, object]:
    """An answer that fits the question's schema; operations may come as text."""
    try:
        value = parse_object(text)
    except BadAnswerError:
        if phase is not Phase.CONSOLIDATE or not parse_text(text).operations:
            raise
        value = {"text": text}
    # All of it is kept until the end, and a problem quotes what is wrong.
    value = screened(value, pieces_of(text))
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
        if not text.strip():
            raise UnfinishedAnswerError(("the monologue is empty",))
        faults = find_faults(text)
        # Told once, then what can be mended is mended, and the rest is shown.
        if faults and not self._lenient:
            self._lenient = True
            raise UnfinishedAnswerError(faults)


class UnfinishedAnswerError(ValueError):
    """An answer of the right shape that does not do yet."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))


def dream_without_mind(dreamer: Dreamer, state: Reflecting) -> Draft:
    """List what there is where nobody thinks."""
    house = dreamer.house
    known = Known(house.index, house.config, house.clock(), dreamer.local())
    return reflect_without_mind(state.survey, known)


def dream(dreamer: Dreamer, state: Reflecting) -> Draft:
    """What a mind came to in five phases."""
    # What is for one person alone was not shown, so nothing is decided on it.
    found = listed(dreamer.house.ledger.read)
    waiting = tuple(one for one in found if not one.scope)
    core = dreamer.sleep.text(layout.CORE)
    return draft_of(state, core, waiting)
