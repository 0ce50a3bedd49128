"""Conversations: what was said, what a window is due for, what an agent is told (002).

A context reflection is an ordinary turn pair: the prompt as `system` and the summary
as `assistant`, under one number. Fields of the heading say the rest, so there is no
second schema.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.model.items import Role, scope_of

if TYPE_CHECKING:
    from reverie.model.change import Observed
    from reverie.model.items import Turn

REFLECTION = "reflection"
"""The field of a heading by which a context reflection is known; see `Cause`."""

DELETED = "deleted"
"""The field that says since when a turn is not brought back any more."""

EDITED = "edited"
"""The field that says when a turn was last changed; history keeps what it said."""

PASTED = "pasted"
"""The heading field with the lines of a user turn that are pasted, such as `3-9,12`."""

PART = "part"
"""The field that says which piece of a long text a turn is, such as `2/3`."""


PAUSE = timedelta(hours=3)
"""After so long a silence somebody begins anew."""


def paused(before: Turn, turn: Turn) -> bool:
    """Whether a conversation was silent between two turns, and then began anew.

    A question and its answer share a number, and stay together.
    """
    silent = bool(turn.at and before.at and turn.at - before.at >= PAUSE)
    return silent and turn.number != before.number


class Cause(StrEnum):
    """What started a context reflection."""

    IDLE = "idle"
    """Nobody spoke for a while."""

    ASKED = "asked"
    """Somebody wanted one, perhaps with a question of their own."""

    PRUNING = "pruning"
    """Something was about to leave the context."""

    END = "session-end"
    """The session ended."""


class WindowState(Struct, frozen=True):
    """How far a conversation has come; all that numbering and the trigger need.

    Attributes:
        last: The number of its newest turn; 0 before the first.
        open: Whether that turn has no answer yet.
        since: How many messages its user sent since the last context reflection.
        heard: When the user last spoke, in UTC.
        reflected: When the last context reflection was written, in UTC.
        scope: Whom an answer that comes now is for alone; empty for everybody.
        waiting: The number of the user's newest message while it has no answer; else
            0. A context reflection in between answers nothing.
    """

    last: int = 0
    open: bool = False
    since: int = 0
    heard: datetime | None = None
    reflected: datetime | None = None
    scope: str = ""
    waiting: int = 0

    def number_for(self, said: Turn) -> int:
        """The number that something would have if it were said now.

        Args:
            said: With the number that it answers; 0 for the one that waits.
        """
        open_ = self.last if self.open else 0
        # A summary belongs to its prompt, whatever else waits for an answer.
        reflects = any(key == REFLECTION for key, _ in said.more)
        answered = open_ if reflects else said.number or self.waiting or open_
        return (said.role is Role.ASSISTANT and answered) or self.last + 1

    def after(self, turn: Turn) -> WindowState:
        """The state once a turn was said."""
        newest = max(self.last, turn.number)
        answers = turn.role is Role.ASSISTANT
        waits = self.open
        if turn.number >= self.last:
            waits = not (answers and turn.number == newest)
        if turn.field(REFLECTION):
            since, at = (0, turn.at) if answers else (self.since, self.reflected)
            return WindowState(
                newest, waits, since, self.heard, at, self.scope, self.waiting
            )
        scope, since, heard = self.scope, self.since, self.heard
        # What comes between a question and its answer does not say whom that is for.
        between = turn.role is Role.SYSTEM and self.waiting
        if turn.number >= self.last and not between:
            scope = scope_of(turn)
        waiting = self._waiting_after(turn, newest)
        if turn.role is Role.USER:
            since, heard = since + 1, turn.at or heard
        return WindowState(newest, waits, since, heard, self.reflected, scope, waiting)

    def _waiting_after(self, turn: Turn, newest: int) -> int:
        if turn.role is Role.USER and turn.number == newest:
            return turn.number
        answered = turn.role is Role.ASSISTANT and turn.number == self.waiting
        return 0 if answered else self.waiting


class WindowView(Struct, frozen=True):
    """One conversation at a glance.

    Attributes:
        name: The window.
        title: What it is called, where its file says so.
        turns: How many turns it has, without those deleted.
        reflections: How many of them are context reflections.
        deleted: How many turns were deleted.
        first: When it began, in UTC.
        last: When something was last said, in UTC.
        due: Whether a context reflection is due.
        reflecting: Whether one is being written this moment.
        unwritten: How many turns are durable, and not in its Markdown yet.
    """

    name: str
    title: str = ""
    turns: int = 0
    reflections: int = 0
    deleted: int = 0
    first: datetime | None = None
    last: datetime | None = None
    due: bool = False
    reflecting: bool = False
    unwritten: int = 0


class Offer(Struct, frozen=True):
    """A context reflection that the agent itself has to write: no model is there.

    Attributes:
        window: Which conversation.
        cause: What makes it due.
        prompt: What to answer, word for word.
        most_tokens: How long the answer may be.
        about: What it is about, where the agent may not have it in sight any more:
            the turns that are about to go.
        person: Whom the answer is for alone, to be handed in for them.
        observe: How to give observations along with it.
    """

    window: str
    cause: Cause
    prompt: str
    most_tokens: int
    about: str = ""
    person: str = ""
    observe: str = ""


class SummedUp(Struct, frozen=True):
    """A context reflection that was written: the prompt and the summary.

    Attributes:
        prompt: What was asked.
        summary: The answer, for people to read.
        observed: What was noted of it, statement by statement; None for nothing.
    """

    prompt: Turn
    summary: Turn
    observed: Observed | None = None


class Awake(Struct, frozen=True):
    """What an agent should see when it starts, in the order it should see it.

    Attributes:
        core: Core memory; the same bytes all through a session.
        known: Facts and episodes under their days; what is new comes at its end.
        changes: What has changed in core memory since the session began.
        news: Alerts, what waits for a yes, what is due.
        turns: What was said lately, and what comes back from earlier.
        recent: Ids of the turns said lately.
        resurrected: Ids of what was brought back.
        left_out: How many recent turns did not fit.
        tokens: What all of it takes.
        offer: A context reflection for the agent to write; None if none is due.
    """

    core: str
    known: str = ""
    changes: str = ""
    news: str = ""
    turns: str = ""
    recent: tuple[str, ...] = ()
    resurrected: tuple[str, ...] = ()
    left_out: int = 0
    tokens: int = 0
    offer: Offer | None = None

    @property
    def stable(self) -> str:
        """What stays the same while the session lasts, but for what is appended."""
        return "\n".join(part for part in (self.core, self.known) if part)

    @property
    def text(self) -> str:
        """All of it, what changes least first."""
        parts = (self.stable, self.changes, self.news, self.turns)
        return "\n".join(part for part in parts if part)


class Attended(Struct, frozen=True):
    """What to add to the context for one message.

    Attributes:
        changes: What has changed in core memory since the agent was last told.
        memories: What fits the message, dated and cited.
        ids: Of what was brought back.
        sure: Whether the best of it is worth relying on.
        tokens: What all of it takes.
        offer: A context reflection for the agent to write; None if none is due.
    """

    changes: str = ""
    memories: str = ""
    ids: tuple[str, ...] = ()
    sure: bool = False
    tokens: int = 0
    offer: Offer | None = None

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(part for part in (self.changes, self.memories) if part)


class Pruned(Struct, frozen=True):
    """Which turns may leave the context, and the summary of what goes.

    Attributes:
        kept: Turns to keep, in their order.
        gone: Turns to drop, in their order.
        tokens: What is kept takes.
        reflected: The summary of what goes, where a model wrote one.
        offer: The summary that the agent has to write itself; None if none is wanted.
    """

    kept: tuple[Turn, ...]
    gone: tuple[Turn, ...]
    tokens: int
    reflected: SummedUp | None = None
    offer: Offer | None = None


class Quality(Struct, frozen=True):
    """How well context reflections do (002, quality metrics).

    Attributes:
        written: How many there are, deleted ones too.
        deleted: How many were deleted: the less, the truer they are.
        resurrected: How often they were brought back: the more, the more use.
        useful: How many different ones were brought back.
        topics: What they are about most, with how many of them are.
    """

    written: int = 0
    deleted: int = 0
    resurrected: int = 0
    useful: int = 0
    topics: tuple[tuple[str, int], ...] = ()
