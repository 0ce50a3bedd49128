"""Find the conversation that a process of a host belongs to.

A host starts its hooks and its MCP server. At each message the hook notes for the
processes that started it which conversation the message is from. A server that one of
these processes started serves that conversation.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from reverie.authority.keyring import KeyringError
from reverie.errors import UnavailableError
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.session.session import Session

MAX_PROCESSES = 50
"""Processes that are remembered; those noted first are dropped."""

FILE = "processes.json"
_PROCESS = re.compile(r"[0-9]{1,10}(-[0-9]{1,20})?")


def note_conversation(
    session: Session, conversation: str, processes: Iterable[str]
) -> None:
    """Note that the newest message of some processes is from a conversation.

    If it cannot be written, nobody knows the conversation; that costs no message.
    """
    noted = dict.fromkeys(filter(_PROCESS.fullmatch, processes), conversation)
    drawer = _drawer(session)
    known = _load(drawer)
    if all(known.get(process) == conversation for process in noted):
        return
    with suppress(UnavailableError), drawer.alone("noting a conversation"):
        earlier = _load(drawer).items()
        rest = [each for each in earlier if each[0] not in noted]
        kept = dict([*rest, *noted.items()][-MAX_PROCESSES:])
        drawer.put(FILE, msgspec.json.encode(kept))


def find_conversation(session: Session, processes: Iterable[str]) -> str:
    """Return the conversation of the nearest process that is known; empty for none."""
    known = _load(_drawer(session))
    return next(filter(None, map(known.get, processes)), "")


def _drawer(session: Session) -> Drawer:
    seconds = session.config.ledger.lock_seconds
    return Drawer(session.state_folder, "hosts", seconds, session.mark)


def _load(drawer: Drawer) -> dict[str, str]:
    unreadable = AlteredStateError, KeyringError, UnavailableError, msgspec.MsgspecError
    with suppress(*unreadable):
        return msgspec.json.decode(drawer.read(FILE) or b"{}", type=dict[str, str])
    return {}
