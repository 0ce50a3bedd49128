"""Hide the turns in which a memory is asked to be forgotten, and the replies to them.

Such turns repeat the words of the memory, so recall would bring them back. They are
marked as deleted: the record keeps them, and `undo` shows them again.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.triggers import detect
from reverie.index.text import terms
from reverie.model.change import Action
from reverie.model.conversation import DELETED
from reverie.model.ids import Store
from reverie.model.items import Role
from reverie.model.route import TriggerKind
from reverie.session.conversation_record import turns_of
from reverie.stores.turns import is_deleted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.model.items import Turn
    from reverie.session.session import Session

NEWEST_TURNS = 12
"""Turns of a conversation among which the request stands."""

NEWEST_CHANGES = 20
REPLY_HOURS = 1
"""A reply may repeat the words of what was forgotten in so many hours before it."""

REQUEST_MINUTES = 30
MIN_SHARE = 0.8
"""Share of the telling words of a memory that a turn has to repeat."""

MIN_WORDS = 3
"""A memory with fewer telling words is repeated only by a turn as short as that."""

_FORGOT = "forgot "


def find_requests(session: Session, texts: Iterable[str]) -> Iterator[tuple[str, Turn]]:
    """Yield the newest turns that repeat a forgotten text, with their conversation.

    Args:
        session: The open workspace, after the texts were forgotten.
        texts: The texts.
    """
    forgotten = [words for text in texts if (words := frozenset(terms(text)))]
    since = session.clock() - timedelta(minutes=REQUEST_MINUTES)
    session.write_down(wait=False)
    session.sync()
    rows = session.index.newest(Store.TURNS, NEWEST_TURNS * 4, ("",))
    windows = {row.company.removeprefix("window ") for row in rows}
    for window in sorted(windows):
        for turn in turns_of(session, window, NEWEST_TURNS):
            recent = turn.at is not None and turn.at >= since
            if recent and not turn.imported and _repeats(turn.text, forgotten):
                yield window, turn


def hide_repeated(session: Session, said: Sequence[Turn]) -> Sequence[Turn]:
    """Return turns that are about to be recorded, those marked that are not to be told.

    These are the agent's replies, and requests to forget, which repeat what was
    forgotten a moment ago.
    """
    phrases = session.config.triggers
    perhaps = [
        turn.role is Role.ASSISTANT
        or any(
            t.kind is TriggerKind.FORGET for t in detect(turn.text, turn.role, phrases)
        )
        for turn in said
    ]
    forgotten = list(_load_forgotten(session)) if any(perhaps) else []
    if not forgotten:
        return said
    mark = DELETED, session.clock().date().isoformat()
    return [
        replace(turn, more=(*turn.more, mark))
        if may and not is_deleted(turn) and _repeats(turn.text, forgotten)
        else turn
        for turn, may in zip(said, perhaps, strict=True)
    ]


def _load_forgotten(session: Session) -> Iterator[frozenset[str]]:
    """Yield the telling words of each memory that was forgotten a moment ago."""
    since = session.clock() - timedelta(hours=REPLY_HOURS)
    for entry in islice(session.ledger.history(), NEWEST_CHANGES):
        if entry.at < since:
            return
        for line in entry.lines:
            if line.action is Action.ARCHIVE and line.summary.startswith(_FORGOT):
                text = line.summary.removeprefix(_FORGOT).partition(": ")[2]
                if words := frozenset(terms(text)):
                    yield words


def _repeats(text: str, forgotten: Iterable[frozenset[str]]) -> bool:
    """Return whether a text has nearly all telling words of a forgotten one."""
    said = frozenset(terms(text))
    return any(
        len(words & said) >= MIN_SHARE * len(words)
        # A single word stands in many turns that have nothing to do with it.
        and (len(words) >= MIN_WORDS or 2 * len(words) >= len(said))
        for words in forgotten
    )
