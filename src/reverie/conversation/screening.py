"""Keep secrets out of the record that two adjacent turns give away together.

"What is the PIN?" and "4821" are harmless alone. A new turn is read together with the
turns before it, and the value is redacted wherever it stands: in the new turn before
anything of it is written, in an earlier one in the journal or in its file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.model.change import MAIN, Approval, ChangeSet
from reverie.secrets.adjacent import (
    CONTEXT_TURNS,
    MAX_CHARACTERS_BETWEEN,
    find_adjacent_secrets,
    redact_adjacent,
)
from reverie.session.conversation_record import record_of, turns_of, window_named
from reverie.stores.turns import key, last_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.items import Turn
    from reverie.secrets import Secret
    from reverie.session.session import Session
    from reverie.stores.turns import Key

MAX_TURN_CHARS = 600_000
"""Characters of one turn; all of them are searched for secrets."""


class TurnTooLongError(RefusedError):
    """A text is too long to be recorded as one turn."""

    says = "cannot record a turn of {:,} characters: at most {:,} are recorded at once"
    mend = "Record it in parts, or import it as a file: `reverie import FILE`."


def screen_turns(session: Session, window: str, said: Sequence[Turn]) -> list[Turn]:
    """Return turns without secrets that they give away with the turns before them.

    Earlier turns of the conversation that hold such a secret are redacted, too.

    Args:
        session: The open workspace.
        window: The conversation.
        said: The turns to be recorded, each without the secrets it gives away alone.
    """
    earlier = _load_last_turns(session, window)
    texts = [turn.text for turn in (*earlier, *said)]
    clean = redact_adjacent(texts)
    changed = {
        key(turn): text
        for turn, text in zip(earlier, clean, strict=False)
        if text != turn.text
    }
    if changed:
        _redact_recorded(session, window, changed)
    return [
        replace(turn, text=text)
        for turn, text in zip(said, clean[len(earlier) :], strict=True)
    ]


def find_answers(session: Session, window: str, text: str) -> tuple[Secret, ...]:
    """Return the secrets of a text that the newest turns of a conversation ask for.

    Args:
        session: The open workspace.
        window: The conversation, as its host calls it.
        text: The text.
    """
    earlier = _load_last_turns(session, window_named(session, window))
    for turn in reversed(earlier):
        if found := find_adjacent_secrets(turn.text, text).second:
            return found
        if len(turn.text) > MAX_CHARACTERS_BETWEEN:
            break
    return ()


def redact_edit(session: Session, window: str, edited: Key, text: str) -> str:
    """Return the new text of a turn without secrets that its neighbours give away."""
    turns = turns_of(session, window)
    place = next((n for n, turn in enumerate(turns) if key(turn) == edited), None)
    if place is None:
        return text
    before = [turn.text for turn in turns[max(0, place - CONTEXT_TURNS) : place]]
    after = [turn.text for turn in turns[place + 1 : place + 1 + CONTEXT_TURNS]]
    return redact_adjacent([*before, text, *after])[len(before)]


def _load_last_turns(session: Session, window: str) -> tuple[Turn, ...]:
    """Return the newest turns of a conversation, wherever they are recorded."""
    waiting = session.journal.waiting(window)[-CONTEXT_TURNS:]
    if len(waiting) == CONTEXT_TURNS:
        return waiting
    record = record_of(session, window)
    path, data = record.opened(record.last) if record.last else ("", None)
    known = set(map(key, waiting))
    last = last_turns(data, path, 2 * CONTEXT_TURNS)
    written = (turn for turn in last if key(turn) not in known)
    return (*written, *waiting)[-CONTEXT_TURNS:] if data else waiting


def _redact_recorded(session: Session, window: str, texts: dict[Key, str]) -> None:
    """Replace the texts of turns in the journal, or else in their files.

    History keeps what was committed: only the user may erase it.
    """
    left = session.journal.rewrite(window, texts)
    if not left:
        return
    day = session.clock().date().isoformat()

    def attempt() -> None:
        record = record_of(session, window)
        for (number, role), text in left.items():
            edits = record.plan_edit(number, role, text, day=day)
            if edits:
                why = "redact a secret that the next turn gave away"
                session.commit(ChangeSet(edits, MAIN, Approval.AUTO, why))

    session.persist("redacting a turn", attempt)
    numbers = ", ".join(sorted({str(number) for number, _ in left}))
    session.note(
        f"turn {numbers} of {window} held a secret, as the next turn shows. It is "
        f"redacted in the file; history still has it until `reverie erase` removes it"
    )
