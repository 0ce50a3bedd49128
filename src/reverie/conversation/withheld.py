"""Turns that their speaker asked not to remember: in the record, and never told again.

"Don't remember this: …" and "off the record" are phrases of the tables of triggers. The
turn with one is marked like a deleted one, and so is the reply to it. If the message
says nothing else, it means the turn before, which is marked as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.triggers import detect, may_withhold
from reverie.model.conversation import DELETED, REFLECTION
from reverie.model.items import Role
from reverie.model.route import TriggerKind
from reverie.session.conversation_record import record_of, turns_of
from reverie.stores.turns import is_deleted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.config import TriggersConfig
    from reverie.model.items import Turn
    from reverie.model.route import Trigger
    from reverie.session.session import Session

LATELY = 8
"""Among so many turns before it stands what a message points at."""

MAX_OTHER_WORDS = 3
"""Words around the phrase in a message that says nothing else, such as "please"."""


def withhold(session: Session, said: Sequence[Turn]) -> Sequence[Turn]:
    """What is about to be recorded, marked where it is not to be remembered.

    Args:
        session: The workspace's parts.
        said: What is said: a message in all its pieces, or one and its answer.
    """
    phrases = session.config.triggers
    asked = [turn for turn in said if turn.role is Role.USER]
    words = ""
    if asked:
        hides = bool(_find_wishes(asked, phrases))
    else:
        known = _answered(session, said[0])
        gone = known is not None and is_deleted(known)
        hides = known is not None and gone and bool(_find_wishes([known], phrases))
        words = known.text if known is not None and gone and not hides else ""
    if not hides and not words:
        return said
    from reverie.index.text import stem_set  # noqa: PLC0415 - hardly anybody asks for it

    mark = DELETED, session.clock().date().isoformat()
    return [
        replace(turn, more=(*turn.more, mark))
        if hides or stem_set(words) & stem_set(turn.text)
        else turn
        for turn in said
    ]


def points_back(session: Session, said: Sequence[Turn]) -> int:
    """The turn before that is meant, where a message only says not to remember this.

    Returns:
        The number of the user's newest turn before it; 0 where none is meant.
    """
    asked = [turn for turn in said if turn.role is Role.USER and is_deleted(turn)]
    if not asked:
        return 0
    from reverie.index.text import words  # noqa: PLC0415 - hardly anybody asks for it

    last = asked[-1]
    found = detect(last.text, settings=session.config.triggers)
    others = last.text
    for each in reversed(found):
        others = f"{others[: each.start]} {others[each.end :]}"
    if any(each.content for each in found) or len(words(others)) > MAX_OTHER_WORDS:
        return 0
    known = turns_of(session, last.window, LATELY)
    return max((t.number for t in known if t.role is Role.USER), default=0)


def _find_wishes(asked: Sequence[Turn], phrases: TriggersConfig) -> list[Trigger]:
    """Return the wishes of a message not to remember something."""
    perhaps = [turn.text for turn in asked if may_withhold(turn.text, phrases)]
    found = [each for text in perhaps for each in detect(text, settings=phrases)]
    return [each for each in found if each.kind is TriggerKind.WITHHOLD]


def _answered(session: Session, answer: Turn) -> Turn | None:
    """What is answered: the turn that is named, or the newest of the user's."""
    if answer.role is not Role.ASSISTANT or answer.field(REFLECTION):
        return None

    def newest(turns: Sequence[Turn]) -> Turn | None:
        asked = (turn for turn in reversed(turns) if turn.role is Role.USER)
        return next((t for t in asked if answer.number in {0, t.number}), None)

    if found := newest(session.journal.waiting(answer.window)):
        return found
    record = record_of(session, answer.window)
    data = record.opened(record.last)[1] if record.last else None
    # Mostly nothing in it is hidden, and then nobody has to read it.
    hides = data and f"| {DELETED}:".encode() in data
    return newest(record.tail(1)) if hides else None
