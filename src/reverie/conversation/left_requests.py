"""Requests to remember that the agent of a conversation left until its session ended.

At each request the newest commit is noted, so that later writes of an agent are found
by their order in history: clocks jump, and differ between processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.conversation.sitting import Sitting
from reverie.conversation.typed_turns import is_typed
from reverie.encoding.sentences import find_sentence
from reverie.encoding.triggers import detect
from reverie.model.items import Role
from reverie.model.route import Target, TriggerKind
from reverie.pasted import find_pasted
from reverie.session.conversation_record import turns_of
from reverie.session.summary_episodes import is_agent_write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.conversation.sitting import Sittings
    from reverie.model.items import Turn
    from reverie.model.route import Trigger
    from reverie.session.session import Session

MAX_TURNS = 40
"""Turns of a conversation in which requests are looked for when its session ends."""

MAX_COMMITS = 2_000
"""Commits since a request that are searched for a write of an agent."""


class LeftRequest(NamedTuple):
    """A request to remember that no agent acted on.

    Attributes:
        turn: The user's turn.
        trigger: The request.
        sentence: The sentence it stands in; empty if that is not all the user's own.
        storable: Whether the user typed it as one whole sentence of its own.
    """

    turn: Turn
    trigger: Trigger
    sentence: str
    storable: bool


def is_request(trigger: Trigger) -> bool:
    """Return whether a trigger asks to remember something."""
    return trigger.kind is TriggerKind.REMEMBER and trigger.target is Target.MEMORY


def note_request(
    session: Session, sittings: Sittings, window: str, number: int
) -> None:
    """Note the newest commit at a turn that asks to remember something."""
    head, now = session.ledger.head, session.clock()

    def noted(known: Sitting | None) -> Sitting:
        sitting = known or Sitting(now, now)
        requests = (*sitting.requests, (number, head))[-MAX_TURNS:]
        return replace(sitting, requests=requests)

    sittings.change(window, noted)


def take_left_requests(
    session: Session, sittings: Sittings, window: str
) -> Iterator[LeftRequest]:
    """Yield noted requests since which no agent changed a memory; drop the notes.

    Args:
        session: The open workspace.
        sittings: What is kept of the sessions of conversations.
        window: The conversation.
    """
    known = sittings.load(window)
    heads = dict(known.requests) if known else {}
    if not heads:
        return
    sittings.change(window, lambda known: known and replace(known, requests=()))
    turns = turns_of(session, window, MAX_TURNS)
    asked = [
        turn
        for turn in turns
        if turn.role is Role.USER and turn.number in heads and not turn.imported
    ]
    # All before the first is stored: that is a write of an agent as well.
    left = [t for t in asked if not _has_agent_written(session, heads[t.number])]
    for turn in left:
        for trigger in detect(turn.text, settings=session.config.triggers):
            if is_request(trigger):
                yield _left_request(session, turn, trigger)


def _left_request(session: Session, turn: Turn, trigger: Trigger) -> LeftRequest:
    sentence = find_sentence(turn.text, trigger.start, trigger.end)
    first, last = trigger.sentence
    # Whole only if both ways to find the ends of a sentence agree.
    alone = bool(sentence) and " ".join(turn.text[first:last].split()) == sentence
    own = trigger.own or is_typed(session, turn)
    # Next to pasted text a request may point at it: "remember that for Lio".
    storable = alone and own and not find_pasted(turn.text)
    return LeftRequest(turn, trigger, sentence, storable)


def _has_agent_written(session: Session, head: str) -> bool:
    """Return whether an agent changed a memory after a commit, or nobody can tell."""
    for count, entry in enumerate(session.ledger.history()):
        if entry.commit == head:
            return False
        if count >= MAX_COMMITS or is_agent_write(entry):
            return True
    return True
