"""Where reflection stands, for people and programs to read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from reverie.model.reflection import digest
from reverie.reflection.cycle import (
    NAMES,
    Asked,
    Decided,
    Deferred,
    Granted,
    Idle,
    Recorded,
    Reflecting,
    Requested,
    Waiting,
)
from reverie.reflection.phases import Phase, next_phase
from reverie.reflection.records.log import STATUSES
from reverie.reflection.records.rewards import render_request
from reverie.reflection.replies import TOKENS

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.reflection import HostQuestion
    from reverie.reflection.cycle import State


@dataclass(frozen=True, slots=True)
class Standing:
    """Where reflection stands, for people and programs.

    Attributes:
        state: The state's name.
        says: What the human should read now; may be long.
        hint: What can be done next.
        number: Which reflection; 0 where none is under way.
        waiting: How many new episodes there are.
        last: When the last one was approved, in UTC.
        until: Until when it is put off, or when the next is due, in UTC.
        question: What the host agent has to answer.
        shown: The digest of the proposal, to decide with.
        remind: Whether the human should be reminded.
        problem: What went wrong with the last answer.
        understood: What the last answer of a person was understood as.
    """

    state: str
    says: str
    hint: str
    number: int = 0
    waiting: int = 0
    last: datetime | None = None
    until: datetime | None = None
    question: HostQuestion | None = None
    shown: str = ""
    remind: bool = False
    problem: str = ""
    understood: str = ""


@singledispatch
def describe(state: State, page: str = "") -> Standing:
    """What a state means, and what can be done next.

    Args:
        state: Where the cycle is.
        page: The proposal that waits, where one does.
    """
    raise NotImplementedError(state, page)


@describe.register
def _idle(state: Idle, _page: str = "") -> Standing:
    return Standing(NAMES[Idle], state.why, "`reverie reflect` begins one.")


@describe.register
def _asked(state: Asked, _page: str = "") -> Standing:
    hint = "Answer: `reverie reflect reply yes`, no, later, or a time such as 4h."
    return Standing(NAMES[Asked], state.question, hint)


@describe.register
def _deferred(state: Deferred, _page: str = "") -> Standing:
    hint = "It is asked again then; `reverie reflect` begins now."
    says = f"put off: {state.why}"
    return Standing(NAMES[Deferred], says, hint, until=state.until)


@describe.register
def _requested(state: Requested, _page: str = "") -> Standing:
    request = state.request
    rest = TOKENS.removeprefix("grant, ")
    hint = f"`reverie reflect reply grant` gives {request.final:,}; or say {rest}."
    text = render_request(request)
    return Standing(NAMES[Requested], text, hint, number=request.number)


@describe.register
def _granted(state: Granted, _page: str = "") -> Standing:
    says = f"{state.grant.tokens:,} tokens were given ({state.grant.outcome})"
    hint = "`reverie reflect run` thinks it through."
    return Standing(NAMES[Granted], says, hint, number=state.request.number)


@describe.register
def _reflecting(state: Reflecting, _page: str = "") -> Standing:
    count = len(state.survey.episodes)
    phase, read = next_phase(state), f"{count:,} episode{'s' * (count != 1)} read"
    hint = "`reverie reflect run` goes on."
    says = f"{read}; what there is will be listed"
    if state.grant:
        says = f"{read}, {len(state.thoughts)} of {len(Phase)} phases done, "
        says += f"{state.used:,} of {state.grant:,} tokens used"
        hint += " A host agent asks `reverie reflect next` and answers."
    if phase and state.problem:
        says += f"; the phase '{phase}' failed: {state.problem}"
    return Standing(
        NAMES[Reflecting], says, hint, number=state.number, problem=state.problem
    )


@describe.register
def _waiting(state: Waiting, page: str = "") -> Standing:
    hint = (
        "Decide: `reverie reflect approve`, some of it (`approve 1,3`), or "
        "`reverie reflect reject`. `reverie reflect show` prints the whole page."
    )
    name = NAMES[Waiting]
    return Standing(name, page, hint, number=state.number, shown=digest(page))


@describe.register
def _decided(state: Decided, _page: str = "") -> Standing:
    hint = "It is carried out when the workspace is next used."
    says = f"to be {STATUSES[state.decision.choice]}"
    return Standing(NAMES[Decided], says, hint, number=state.number)


@describe.register
def _recorded(state: Recorded, _page: str = "") -> Standing:
    says = STATUSES[state.choice]
    hint = "`reverie reflect` begins another."
    return Standing(NAMES[Recorded], says, hint, number=state.number)
