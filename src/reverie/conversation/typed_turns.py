"""Mark turns that a host says its user typed, so that nobody else can.

The mark is a field of the turn's heading: the host, and a seal of the turn's words and
time with the key that lies outside the workspace. A turn that is written or changed by
hand, copied to another conversation or recorded in any other way has no valid mark.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.markdown import tidy
from reverie.model.conversation import EDITED, PART, TYPED
from reverie.model.items import Role, in_utc, scope_of
from reverie.printable import mended
from reverie.stores.turns import is_deleted

if TYPE_CHECKING:
    from reverie.model.items import Turn
    from reverie.session.session import Session

SEAL_BYTES = 12
PASTED = "pasted"
"""The field that names the pasted lines of a turn; the seal covers it."""


def mark_typed(session: Session, turn: Turn, host: str) -> Turn:
    """Return a turn with the mark that a host says its user typed it.

    Without a key nothing can be sealed, and the turn has no mark.
    """
    seal = _seal(session, turn, host)
    if not seal:
        return turn
    return replace(turn, more=(*turn.more, (TYPED, f"{host} {seal}")))


def is_typed(session: Session, turn: Turn) -> bool:
    """Return whether the owner typed a turn, as their host said when it recorded it.

    A turn for one person alone, or of a named speaker, need not be the owner's.
    """
    host, _, seal = turn.field(TYPED).partition(" ")
    return (
        bool(seal)
        and turn.role is Role.USER
        and not (turn.imported or turn.speaker or scope_of(turn))
        and not (is_deleted(turn) or turn.field(EDITED) or turn.field(PART))
        and hmac.compare_digest(seal, _seal(session, turn, host))
    )


def _seal(session: Session, turn: Turn, host: str) -> str:
    at = in_utc(turn.at).replace(microsecond=0).isoformat() if turn.at else ""
    said = (tidy(mended(turn.text)), turn.field(PASTED))
    words = "\0".join(("typed", host, turn.window, at, *said))
    return session.mark(words.encode("utf-8", "replace"))[:SEAL_BYTES].hex()
