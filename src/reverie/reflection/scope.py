"""What a reflection may read, and whom a text speaks of (reflection v2, "Scope Rules").

`Scope` is a list of what is allowed: whatever is not on it cannot be read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from reverie import markdown as md
from reverie.errors import RefusedError
from reverie.index.text import STOP_WORDS, words
from reverie.model.ids import Kind
from reverie.model.items import Episode
from reverie.stores.episodes import NOTED, day_of, parse_day
from reverie.stores.reader import decode
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from reverie.index import Index
    from reverie.model.items import Entry
    from reverie.model.reflection import Backlog

_LINK = re.compile(r"\[\[([^\]|#]+)")

FILES = frozenset(
    (
        *(layout.CORE, layout.EVOLUTION, layout.SCORES, layout.REFLECTION_LOG),
        *(layout.PENDING, layout.GRAPH_INDEX),
    )
)
"""Files that are read by their very name."""

PAGES = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")
"""Folders whose pages are read."""


class ForbiddenReadError(RefusedError):
    """A reflection was about to read what is none of its business."""

    says = "a reflection may not read {!r}: {}"
    mend = (
        "It reads MEMORY.md, entities, procedures, new episodes, the graph index, and "
        "its own log, evolution, scores and pending proposals; nothing else, and "
        "nothing by another spelling."
    )


class Scope:
    """The only way for a reflection to come by a text of the workspace.

    It is a list of what is allowed: whatever is not on it cannot be read, under no
    name.

    Args:
        read: The bytes of a file; None where there is none.
        since: What was processed before this moment is not read again; its day is
            that of the user.
        backlog: What is older and was not processed.
    """

    def __init__(
        self,
        read: Callable[[str], bytes | None],
        since: datetime,
        backlog: Backlog | None = None,
    ) -> None:
        self._read = read
        self.since = since
        self._backlog = backlog

    def read(self, path: str) -> str | None:
        """The text of a file that may be read; None where there is none."""
        self.require(path)
        return self._text(path)

    def require(self, path: str) -> None:
        """Refuse a path that may not be read; all that comes from it counts."""
        if not self.allows(path):
            old = _log_day(path) is not None
            why = "that day was processed" if old else "it is none of what it is for"
            raise ForbiddenReadError(path, why)

    def allows(self, path: str) -> bool:
        """Whether a path may be read."""
        if path in FILES or (path.startswith(PAGES) and _is_page(path)):
            return True
        day = _log_day(path)
        return day is not None and day >= self.since.date()

    def episodes(self, path: str) -> dict[str, Entry]:
        """The episodes of a log that may be read, by id.

        Of a day that was processed these are the ones that were noted afterwards, or
        happened afterwards where the zone was another one, and those of the backlog:
        nothing else of such a file leaves here.
        """
        day, since = _log_day(path), self.since.date()
        if day is None:
            raise ForbiddenReadError(path, "it is no log of a day")
        text = self._text(path) or ""
        old = day < since and NOTED not in text and (since - day).days > 1
        if old and not self._backlog:
            return {}
        found = parse_day(text, path).entries
        return {str(e.id): e for e in found if day >= since or self._is_new(e)}

    def _is_new(self, entry: Entry) -> bool:
        """Whether an entry of a day that was processed was not processed itself."""
        on = noted_on(entry)
        at = entry.item.at if isinstance(entry.item, Episode) else None
        happened = at is not None and at >= self.since
        happened = happened or self.is_in_backlog(at)
        return happened or (on is not None and on >= self.since.date())

    def is_in_backlog(self, at: datetime | None) -> bool:
        """Return whether what happened at a moment may be in the backlog."""
        return bool(at and self._backlog and self._backlog.has(at))

    def _text(self, path: str) -> str | None:
        try:
            data = self._read(path)
        except NotAPlainFileError as error:
            raise ForbiddenReadError(path, "it is no plain file") from error
        return None if data is None else decode(data, path)[0]


def noted_on(entry: Entry | None) -> date | None:
    """The day on which something of the past was written down, where it says so."""
    if entry is None or not isinstance(entry.item, Episode):
        return None
    return md.parse_date(next((v for k, v in entry.item.more if k == NOTED), ""))


def _log_day(path: str) -> date | None:
    """The day of a log; None for whatever is no log of a day."""
    inside = path.startswith(f"{layout.EPISODES}/") and _is_page(path)
    return day_of(path) if inside else None


def _is_page(path: str) -> bool:
    """Whether the ledger keeps it, by this spelling, as a page of Markdown."""
    return path.endswith(".md") and layout.tracked(path)


# --- whom a text speaks of -------------------------------------------------------


def names_in(index: Index) -> Callable[[str], list[str]]:
    """What finds the entities that a text names or links to.

    Not those of one person alone, or forgotten.
    """
    private = index.scopes()
    known = {
        name: found
        for name, found in index.entity_names().items()
        if f"{Kind.ENTITY}:{name}" not in private
    }
    by_first: dict[str, list[tuple[list[str], str, str]]] = defaultdict(list)
    for name, found in known.items():
        for written in found:
            if said := words(written):
                by_first[said[0]].append((said, written, name))

    # A page that was merged or renamed goes by its old id too.
    formerly = {old: name for name, found in known.items() for old in found}

    def find(text: str) -> list[str]:
        linked = (name.strip() for name in _LINK.findall(text))
        found = [formerly.get(name, name) for name in linked]
        found = [name for name in found if name in known]
        said = words(text)
        for at, word in enumerate(said):
            for name_words, written, name in by_first.get(word, ()):
                here = said[at : at + len(name_words)] == name_words
                # Who is called Will is not meant by every "will".
                if here and (name_words[0] not in STOP_WORDS or written in text):
                    found.append(name)
        traces = {name: index.trace(f"{Kind.ENTITY}:{name}") for name in found}
        return [n for n, trace in traces.items() if not trace or not trace.archived]

    return find
