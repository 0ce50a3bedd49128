"""Turns that an editor took out of the record by saving an older text."""

from __future__ import annotations

from itertools import dropwhile, islice, takewhile
from typing import TYPE_CHECKING

from reverie.ledger.audit_log import HUMAN_EDIT
from reverie.model.change import MANUAL
from reverie.session.record import load_window, parts
from reverie.stores.reader import decode
from reverie.stores.turns import parse_turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.index.sqlite_index import SqliteIndex
    from reverie.ledger.git_ledger import GitLedger
    from reverie.model.change import LogEntry
    from reverie.model.items import Turn
    from reverie.session.record import TurnFiles
    from reverie.stores.turns import Key

FAR = 1_000
"""So many changes back is looked for what an older text lacks."""


def find_lost(
    window: str,
    shelf: TurnFiles,
    ledger: GitLedger,
    index: SqliteIndex,
    writes: Callable[[LogEntry], bool],
) -> list[Turn]:
    """What was written down last, and is not in the text that a person saved since.

    An older text lacks all that our newest changes have added. What a person takes
    out on purpose is part of one, or older than what is there: that stays out.

    Args:
        window: Which conversation.
        shelf: What is read of the workspace.
        ledger: Its history.
        index: Up to date; tells which change was the last to a file.
        writes: Whether a change wrote down what was said, for the first time.
    """
    path = next(reversed(parts(window, shelf)), "")
    saved = index.touched(path)
    if not saved or not _by_hand(ledger.entry(saved)):
        return []
    there = {(turn.number, turn.role) for turn in load_window(window, shelf)}
    recent = islice(ledger.history(saved), FAR)
    touching = (e for e in recent if any(line.path == path for line in e.lines))
    lost: list[Turn] = []
    for entry in takewhile(writes, dropwhile(_by_hand, touching)):
        before = _turns(ledger, ledger.repository.commit(entry.commit).parent, path)
        after = _turns(ledger, entry.commit, path)
        added = after.keys() - before.keys()
        if added & there:
            break
        lost[:0] = [turn for key, turn in after.items() if key in added]
    return lost


def _by_hand(entry: LogEntry) -> bool:
    return (entry.actor, entry.trigger) == (MANUAL, HUMAN_EDIT)


def _turns(ledger: GitLedger, commit: str, path: str) -> dict[Key, Turn]:
    data = ledger.read_at(commit, path) if commit else None
    found = parse_turns(decode(data or b"", path)[0], path)
    return {(turn.number, turn.role): turn for turn in found}
