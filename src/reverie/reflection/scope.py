"""What a reflection may read (reflection v2, "Scope Rules").

It is a list of what is allowed: whatever is not on it cannot be read, under no name.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import parse_date
from reverie.model.items import Episode
from reverie.stores.episodes import NOTED, day_of, parse_day
from reverie.stores.reader import decode
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from reverie.model.items import Entry

FILES = frozenset(
    (
        *(layout.CORE, layout.EVOLUTION, layout.SCORES, layout.REFLECTION_LOG),
        *(layout.PENDING, layout.GRAPH_INDEX),
    )
)
"""Files that are read by their very name."""

PAGES = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")
"""Folders whose pages are read."""

_LOGS = f"{layout.EPISODES}/"
_ENDING = ".md"
_ELSE = "it is not among what a reflection is for"


class ForbiddenReadError(RefusedError):
    """A reflection was about to read what is none of its business."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"a reflection may not read {path!r}: {why}",
            hint="It reads MEMORY.md, entities, procedures, new episodes, the graph "
            "index, and its own log, evolution, scores and pending proposals; nothing "
            "else, and nothing by another spelling.",
        )


class Scope:
    """The only way for a reflection to come by a text of the workspace.

    Args:
        read: The bytes of a file; None where there is none.
        since: What was processed before this moment is not read again.
    """

    def __init__(self, read: Callable[[str], bytes | None], since: datetime) -> None:
        self._read = read
        self.since = since.astimezone(UTC)

    def read(self, path: str) -> str | None:
        """The text of a file that may be read; None where there is none."""
        self.require(path)
        return self._text(path)

    def require(self, path: str) -> None:
        """Refuse a path that may not be read; all that comes from it counts."""
        why = self._problem(path)
        if why:
            raise ForbiddenReadError(path, why)

    def allows(self, path: str) -> bool:
        """Whether `require` lets a path pass."""
        return not self._problem(path)

    def episodes(self, path: str) -> dict[str, Entry]:
        """The episodes of a log that may be read, by id.

        Of a day that was processed these are the ones that were noted afterwards:
        nothing else of such a file leaves here.
        """
        day = _log_day(path)
        if day is None:
            raise ForbiddenReadError(path, "it is no log of a day")
        text = self._text(path) or ""
        old = day < self.since.date()
        if old and NOTED not in text:
            return {}
        entries = parse_day(text, path).entries
        noted = ((noted_on(e), e) for e in entries)
        since = self.since.date()
        return {str(e.id): e for on, e in noted if not old or (on and on >= since)}

    def _problem(self, path: str) -> str:
        if path in FILES or (path.startswith(PAGES) and _is_page(path)):
            return ""
        day = _log_day(path)
        if day is None:
            return _ELSE
        return "" if day >= self.since.date() else "that day was processed before"

    def _text(self, path: str) -> str | None:
        try:
            data = self._read(path)
        except NotAPlainFileError as error:
            raise ForbiddenReadError(path, "it is no plain file") from error
        return None if data is None else decode(data, path)[0]


def noted_on(entry: Entry) -> date | None:
    """The day on which something of the past was written down, where it says so."""
    if not isinstance(entry.item, Episode):
        return None
    return parse_date(next((v for k, v in entry.item.more if k == NOTED), ""))


def _log_day(path: str) -> date | None:
    """The day of a log; None for whatever is no log of a day."""
    return day_of(path) if path.startswith(_LOGS) and _is_page(path) else None


def _is_page(path: str) -> bool:
    """Whether the ledger keeps it, by this spelling, as a page of Markdown."""
    return path.endswith(_ENDING) and layout.tracked(path)
