"""The index as it would be after a change that nobody has made yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from reverie.index.catch_up import Step
from reverie.ledger.repository import Repository
from reverie.model.change import LogEntry, LogLine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from reverie.config import DecayConfig
    from reverie.index.index import Index
    from reverie.model.change import ChangeSet
    from reverie.workspace.files import Signature

IMAGINED = "imagined"
"""The commit that an imagined index shows."""


def imagine(
    index: Index,
    change: ChangeSet,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
) -> Index:
    """A copy of the index, in memory, that shows a change as if it were committed.

    The index itself is only read. Whoever asks for a copy closes it.

    Args:
        index: What is shown now.
        change: What would be done.
        read: A file's bytes as the index shows them.
        decay: How relevant what is new starts out.
        now: When it would be done.
    """
    before = {edit.path: read(edit.path) for edit in change.edits}
    after = {edit.path: edit.content for edit in change.edits}
    told = change.told or tuple(
        LogLine(edit.action, edit.path, edit.summary) for edit in change.edits
    )
    # A commit knows its time to the second.
    at = now.replace(microsecond=0)
    entry = LogEntry(IMAGINED, at, told, change.actor, change.approval, change.trigger)
    would_be = _WouldBe(before, after, read)
    copy = index.copy(would_be)
    try:
        with copy.changing():
            step = Step(copy, would_be, would_be, decay)
            step.run(copy.seen, IMAGINED, [entry], lambda _done, _all: None)
    except BaseException:
        copy.close()
        raise
    return copy


class _WouldBe:
    """History and folder as they would be; there is only one commit to ask for."""

    head = IMAGINED

    def __init__(
        self,
        before: Mapping[str, bytes | None],
        after: Mapping[str, bytes | None],
        read: Callable[[str], bytes | None],
    ) -> None:
        self._before, self._after, self._now = before, after, read
        held = (*before.values(), *after.values())
        self._content = {_blob(data): data for data in held}

    @property
    def repository(self) -> Self:
        """What holds the files."""
        return self

    def diff(self, _old: str, _new: str, /) -> dict[str, tuple[str, str]]:
        """Content ids before and after of what would change, by path."""
        pairs = {
            path: (_blob(self._before[path]), _blob(self._after[path]))
            for path in sorted(self._after, key=lambda path: path.split("/"))
        }
        return {path: (old, new) for path, (old, new) in pairs.items() if old != new}

    def content(self, blob: str, /) -> bytes | None:
        """The bytes of a content id."""
        return self._content[blob]

    def read_at(self, _commit: str, path: str, /) -> bytes | None:
        """A file as it would be."""
        return self._after[path] if path in self._after else self._now(path)

    def read(self, path: str, /) -> bytes | None:
        """The same."""
        return self.read_at(IMAGINED, path)

    def blob_id(self, commit: str, path: str, /) -> str:
        """The content id that a file would have; empty if it were gone."""
        return _blob(self.read_at(commit, path))

    def signature(self, _path: str, /) -> Signature | None:
        """No file on the disk holds this yet."""
        return None


def _blob(data: bytes | None) -> str:
    return "" if data is None else Repository.blob_hash(data)
