"""Where a reflection stands, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.reflection import cycle as states
from reverie.reflection import phases, replies
from reverie.reflection.log import STATUSES
from reverie.reflection.phases import next_phase
from reverie.reflection.token_request import render_request

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.reflection import HostQuestion
    from reverie.reflection.cycle import State


NOTHING_TO_DECIDE = (
    "Nothing to decide. The next reflection replaces this list; `reverie reflect "
    "approve` marks its episodes as read."
)
"""What can be done with a list that has no change."""


class Standing(Struct, frozen=True):
    """Where reflection stands, for people and programs.

    Attributes:
        state: The state's name.
        says: What the human should read now; may be long.
        hint: What can be done next.
        number: Which reflection; 0 where none is under way.
        waiting: How many new episodes there are.
        backlog: How many older episodes no reflection has read.
        nothing_to_decide: Whether a list waits that has no change to decide on.
        last: When the last one was approved, in UTC.
        until: Until when it is put off, or when the next is due, in UTC.
        question: What the host agent has to answer.
        shown: The digest of the proposal, to decide with.
        remind: Whether the human should be reminded.
        problem: What went wrong with the last answer.
        understood: What the last answer of a person was understood as.
        left: Tokens that the mind may still write.
        image: Whether a new self-image waits for a decision.
        notes_due: How many notes of self-awareness make a new self-image due; 0 if
            none is due.
        brief: Of a proposal that waits, a summary for the agent, which does not decide.
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
    left: int = 0
    image: bool = False
    notes_due: int = 0
    brief: str = ""
    backlog: int = 0
    nothing_to_decide: bool = False


def describe(state: State, page: str = "") -> tuple[str, str]:
    """What a state means, and what can be done next.

    Args:
        state: Where the cycle is.
        page: The proposal that waits, where one does.
    """
    match state:
        case states.Idle(why=says):
            hint = "`reverie reflect` begins one."
        case states.Asked(question=says):
            hint = "Answer: `reverie reflect reply yes`, no, later, or a time such as "
            hint += "4h."
        case states.Deferred(why=why):
            says = f"put off: {why}"
            hint = "It is asked again then; `reverie reflect` begins now."
        case states.Requested(request=request):
            says, rest = render_request(request), replies.TOKENS.removeprefix("grant, ")
            hint = f"`reverie reflect reply grant` gives {request.final:,}; or say "
            hint += f"{rest}."
        case states.Granted(grant=grant):
            says = f"{grant.tokens:,} tokens were given ({grant.outcome})"
            hint = "`reverie reflect run` thinks it through."
        case states.Reflecting():
            says, hint = _describe_thinking(state)
        case states.AwaitingDecision():
            says = page
            hint = "Decide: `reverie reflect approve`, some of it (`approve 1,3`), or "
            hint += "`reverie reflect reject`. `reverie reflect show` prints the whole "
            hint += "page."
        case states.Recorded(choice=chosen):
            says, hint = STATUSES[chosen], "`reverie reflect` begins another."
    return says, hint


def _describe_thinking(state: states.Reflecting) -> tuple[str, str]:
    count, phase = len(state.survey.episodes), next_phase(state)
    says = f"{count:,} episode{'s' * (count != 1)} read"
    hint = "`reverie reflect run` goes on."
    if not state.grant:
        return f"{says}; what there is will be listed", hint
    says += f", {len(state.thoughts)} of {len(phases.to_come(state))} phases done, "
    says += f"{state.used:,} of {state.grant:,} tokens used"
    if phase and state.problem:
        says += f"; the phase '{phase}' failed: {state.problem}"
    return says, f"{hint} A host agent asks `reverie reflect next` and answers."
