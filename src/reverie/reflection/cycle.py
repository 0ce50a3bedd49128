"""The states of a reflection, and how one leads to the next (reflection v2).

A cycle is a value: each step takes one state and returns the next, or refuses. What
is kept between two steps is everything there is to know about where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from reverie.errors import RefusedError
from reverie.model.reflection import (
    Choice,
    Decision,
    Grant,
    Occasion,
    Survey,
    TokenRequest,
)

LONGEST_DEFERRAL = timedelta(days=3)
"""Nothing is put off for longer: the next day at the latest, whatever its hour."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is under way.

    Attributes:
        why: How the last one ended, where it did without a decision.
    """

    why: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The human was asked whether it may begin."""

    occasion: Occasion
    at: datetime
    question: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """It was put off; it is asked for again from `until` on, never begun by itself."""

    occasion: Occasion
    until: datetime
    why: str


@dataclass(frozen=True, slots=True)
class Requested:
    """Tokens were asked for."""

    occasion: Occasion
    at: datetime
    request: TokenRequest


@dataclass(frozen=True, slots=True)
class Granted:
    """Tokens were given, and thinking may begin."""

    occasion: Occasion
    at: datetime
    request: TokenRequest
    grant: Grant


@dataclass(frozen=True, slots=True)
class Thought:
    """What a mind said in one phase.

    Attributes:
        phase: Which one.
        answer: The JSON object it answered with, as text.
        tokens: What that took of the grant, with what could not be used.
    """

    phase: str
    answer: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Reflecting:
    """The phases are being thought through.

    Attributes:
        occasion: What started it.
        number: Which reflection.
        began: When, in UTC.
        grant: The most tokens that may be written; 0 where rules reflect.
        survey: What it may see.
        elements: The elements drawn for the monologue.
        milestone: The number of the milestone that it is; 0 for most.
        thoughts: What was thought so far, a phase each.
        wasted: Tokens of answers that could not be used.
        problem: Why the last answer could not be used; empty if it could.
    """

    occasion: Occasion
    number: int
    began: datetime
    grant: int
    survey: Survey
    elements: tuple[str, ...] = ()
    milestone: int = 0
    thoughts: tuple[Thought, ...] = ()
    wasted: int = 0
    problem: str = ""

    @property
    def used(self) -> int:
        """The tokens of the grant that are spent."""
        return self.wasted + sum(each.tokens for each in self.thoughts)

    @property
    def left(self) -> int:
        """The tokens that may still be written."""
        return max(0, self.grant - self.used)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal lies in `pending-reflection.md` until its human decides."""

    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Decided:
    """The human has decided, and it is being carried out.

    Attributes:
        number: Which reflection.
        at: When, in UTC.
        shown: The digest of what the human saw.
        decision: What they said.
    """

    number: int
    at: datetime
    shown: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Recorded:
    """The decision is carried out and written down."""

    number: int
    at: datetime
    choice: Choice
    commit: str


State = (
    Idle
    | Asked
    | Deferred
    | Requested
    | Granted
    | Reflecting
    | Waiting
    | Decided
    | Recorded
)

NAMES: dict[type, str] = {
    Idle: "idle",
    Asked: "asked",
    Deferred: "deferred",
    Requested: "tokens requested",
    Granted: "granted",
    Reflecting: "reflecting",
    Waiting: "pending",
    Decided: "decided",
    Recorded: "recorded",
}
"""What the states are called where people read of them."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Where the workspace's reflection stands.

    Attributes:
        state: The present state.
        last_number: The highest number that a reflection ever had.
        offered: When one was last offered or begun, in UTC.
        failed: How many ended without a proposal since the last decision.
        wasted: The tokens that these have written.
        reminded: When the human was last reminded of what waits, in UTC.
    """

    state: State = Idle()
    last_number: int = 0
    offered: datetime | None = None
    failed: int = 0
    wasted: int = 0
    reminded: datetime | None = None


class UnderWayError(RefusedError):
    """A reflection is under way, and a second one cannot begin beside it."""

    def __init__(self, state: State) -> None:
        decide = "decide on it: `reverie reflect approve` or `reverie reflect reject`."
        waits = isinstance(state, Waiting | Decided)
        way = decide if waits else "`reverie reflect cancel` gives it up."
        super().__init__(
            f"a reflection is under way already: {NAMES[type(state)]}",
            hint=f"`reverie reflect status` tells what it waits for; {way}",
        )


class NotNowError(RefusedError):
    """A step was to be taken that does not come next."""

    def __init__(self, wanted: str, state: State) -> None:
        super().__init__(
            f"cannot {wanted} now: the reflection is {NAMES[type(state)]}",
            hint="`reverie reflect status` tells what comes next.",
        )


def may_begin(state: State) -> bool:
    """Whether a new cycle can begin from here."""
    return isinstance(state, Idle | Deferred | Recorded | Asked)


def begin(
    state: State, occasion: Occasion, now: datetime, question: str
) -> Asked | None:
    """Ask whether to begin; None where the words that started it are a yes already.

    Raises:
        UnderWayError: One is under way.
    """
    if not may_begin(state):
        raise UnderWayError(state)
    if occasion in {Occasion.IMMEDIATE, Occasion.MANUAL}:
        return None
    return Asked(occasion, now, question)


def quiet_until(state: State, now: datetime) -> datetime | None:
    """Until when nothing may be asked, because it was put off; None if it may."""
    if not isinstance(state, Deferred):
        return None
    # Further ahead than anything is put off, a clock was set back.
    quiet = now < state.until <= now + LONGEST_DEFERRAL
    return state.until if quiet else None


def remind_due(state: State, now: datetime, after: timedelta) -> bool:
    """Whether the human should be reminded of what waits for them."""
    match state:
        case Waiting(since=since) | Requested(at=since):
            return not since <= now < since + after
        case _:
            return False
