"""Telling history: changes, what they did, and who wrote which line (design, 12.7)."""

from __future__ import annotations

import difflib
from itertools import islice
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError
from reverie.ledger.alerts import HISTORY
from reverie.model.change import Action
from reverie.model.items import aware
from reverie.model.views import BlameLine
from reverie.printable import printable
from reverie.workspace.paths import safe_path

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.change import LogEntry
    from reverie.model.views import Alert
    from reverie.session.session import House
    from reverie.session.viewer import Viewer

SHOWN, LONGEST = 20, 200
"""Lines of an alert's change that are shown, and characters of each."""

_FORGETTING = {Action.ARCHIVE, Action.DECAY, Action.DELETE}


class NoSuchChangeError(NotFoundError):
    """No change has this id."""

    def __init__(self, commit: str) -> None:
        super().__init__(
            f"there is no change {commit!r}",
            hint="`reverie history` lists them with their ids.",
        )


class NoSuchFileError(NotFoundError):
    """History knows no such file."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the ledger has no file {path}",
            hint="Paths are relative to the workspace, such as MEMORY.md.",
        )


def history(
    house: House,
    viewer: Viewer,
    path: str,
    actor: str,
    since: datetime | None,
    forgotten: str,
    limit: int,
) -> list[LogEntry]:
    """Changes that are for who looks and pass all filters, newest first."""
    found = []
    start = aware(since) if since else None
    for entry in house.ledger.history():
        if start is not None and entry.at < start:
            continue
        told = viewer.entry(entry)
        if told is not None and _passes(told, path, actor, forgotten.casefold()):
            found.append(told)
            if limit and len(found) == limit:
                break
    return found


def diff(house: House, viewer: Viewer, commit: str) -> str:
    """What a change did, as a unified diff; lines for others are left out."""
    full = resolve(house, viewer, commit)
    parts: list[str] = []
    for path, (before, after) in viewer.changed(full).items():
        if viewer and not viewer.differ(path, before, after)[0]:
            continue
        old, new = (_ended(viewer.lines(path, data)) for data in (before, after))
        parts += difflib.unified_diff(
            list(old.values()), list(new.values()), f"a/{path}", f"b/{path}"
        )
    return "".join(parts)


def changed_lines(house: House, alert: Alert) -> tuple[str, ...]:
    """The first lines that an alert's change took out of its file and put in.

    What cannot be seen in them is made visible.
    """
    repository = house.ledger.repository
    if alert.path == HISTORY or not repository.has(alert.commit):
        return ()
    parent = repository.commit(alert.commit).parent
    before, after = (
        (repository.read(commit, alert.path) or b"" if commit else b"")
        .decode("utf-8", "replace")
        .splitlines()
        for commit in (parent, alert.commit)
    )
    found = difflib.unified_diff(before, after, n=0, lineterm="")
    marked = [line for line in islice(found, 2, None) if not line.startswith("@@")]
    shown = [printable(line)[:LONGEST] for line in marked[:SHOWN]]
    left = len(marked) - len(shown)
    return (*shown, f"… and {left:,} more") if left else tuple(shown)


def blame(house: House, viewer: Viewer, path: str) -> list[BlameLine]:
    """Each line of a file that is for who looks, with the change it came with."""
    head = house.ledger.head
    data = house.ledger.repository.read(head, safe_path(path))
    lines = _ended(viewer.lines(path, data))
    if data is None or (data and not lines):
        raise NoSuchFileError(path)
    told: list[BlameLine] = []
    for commit, first, count in house.ledger.repository.blame(head, path):
        entry = house.ledger.entry(commit)
        told += [
            BlameLine(
                number,
                lines[number].rstrip("\n"),
                commit,
                str(entry.actor),
                entry.at,
            )
            for number in range(first, first + count)
            if number in lines
        ]
    return told


def resolve(house: House, viewer: Viewer, commit: str) -> str:
    """The full id of a change that is in history, for who looks."""
    full = house.ledger.repository.resolve(commit)
    known = (entry.id for entry in house.ledger.repository.walk(house.ledger.head))
    if not full or full not in known:
        # Git may still know what an erasure dropped, or a branch of its human's.
        raise NoSuchChangeError(commit)
    if viewer.entry(house.ledger.entry(full)) is None:
        raise NoSuchChangeError(commit)
    return full


def _passes(entry: LogEntry, path: str, actor: str, forgotten: str) -> bool:
    if path and not any(_speaks_of(line.path, path) for line in entry.lines):
        return False
    tag = str(entry.actor)
    if actor and tag != actor and not tag.startswith(actor.rstrip("*:") + ":"):
        return False
    if not forgotten:
        return True
    return any(
        line.action in _FORGETTING
        and (forgotten in line.summary.casefold() or forgotten in line.path.casefold())
        for line in entry.lines
    )


def _speaks_of(told: str, path: str) -> bool:
    """Whether a line is about a file: by name, or among very many in a folder."""
    return told == path or (told.endswith("/*") and path.startswith(told[:-1]))


def _ended(lines: dict[int, str]) -> dict[int, str]:
    """Lines that all end with a line feed."""
    return {number: line.rstrip("\n") + "\n" for number, line in lines.items()}
