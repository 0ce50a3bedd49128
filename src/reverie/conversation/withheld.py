"""Turns that their speaker asked not to remember: in the record, and never told again.

"Don't remember this: …" and "off the record" are phrases of the tables of triggers. The
turn with one is marked like a deleted one, and so is an answer that has its words.
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
    from reverie.session.session import Session

LATELY = 8
"""Among so many turns before it stands what a message points at."""


def withhold(session: Session, said: Sequence[Turn]) -> Sequence[Turn]:
    """What is about to be recorded, marked where it is not to be remembered.

    Args:
        session: The workspace's parts.
        said: What is said: a message in all its pieces, or one and its answer.
    """
    phrases = session.config.triggers
    asked = [turn for turn in said if turn.role is Role.USER]
    if asked:
        hidden = _hidden(asked, phrases)
    else:
        known = _answered(session, said[0])
        gone = known is not None and is_deleted(known)
        hidden = (_hidden([known], phrases) or known.text) if known and gone else ""
    if not hidden:
        return said
    from reverie.index.text import stem_set  # noqa: PLC0415 - hardly anybody asks for it

    mark = DELETED, session.clock().date().isoformat()
    return [
        replace(turn, more=(*turn.more, mark))
        if turn.role is Role.USER or stem_set(hidden) & stem_set(turn.text)
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
    last = asked[-1]
    found = detect(last.text, settings=session.config.triggers)
    if any(each.content for each in found):
        return 0
    known = turns_of(session, last.window, LATELY)
    return max((t.number for t in known if t.role is Role.USER), default=0)


def _hidden(asked: Sequence[Turn], phrases: TriggersConfig) -> str:
    """What is not to be remembered of a message; nothing where it does not say so."""
    perhaps = [turn.text for turn in asked if may_withhold(turn.text, phrases)]
    found = [each for text in perhaps for each in detect(text, settings=phrases)]
    wishes = [each for each in found if each.kind is TriggerKind.WITHHOLD]
    about = " ".join(each.content for each in wishes).strip()
    return about or (" ".join(turn.text for turn in asked) if wishes else "")


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
