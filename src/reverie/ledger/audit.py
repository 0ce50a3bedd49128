"""`memory/meta/audit.log`: the commits, one line per file (design, 12.4, 12.6).

The log is a projection: it is never read to decide anything, and it is written
again from the commits when it was lost or altered. It begins after the newest
month that has a digest in `audit-archive.md`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from reverie.ledger.digest import log_start
from reverie.ledger.message import CRITICAL_MARK, accepted_in, audit_lines, parse_entry
from reverie.model.change import Action, LogLine
from reverie.model.items import Finding, Severity
from reverie.workspace.files import NotAPlainFileError, write_all, write_replacing
from reverie.workspace.layout import AUDIT_ARCHIVE, AUDIT_LOG, META
from reverie.workspace.state_files import HUGE, open_state, read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from reverie.ledger.repository import Raw, Repository
    from reverie.model.change import LogEntry


@dataclass(frozen=True, slots=True)
class Stamp:
    """Size and time of the log as we left it; anything else may mean it was altered."""

    size: int = -1
    modified: int = -1


NO_STAMP = Stamp()


class Told(NamedTuple):
    """A change, and whether it is older than every seal, so that nobody can tell."""

    entry: LogEntry
    older: bool


class AuditLog:
    """The log file of one workspace."""

    def __init__(
        self, root: Path, repository: Repository, critical: Callable[[str], bool]
    ) -> None:
        self._path = root / AUDIT_LOG
        self._repository = repository
        self._critical = critical

    def stamp(self) -> Stamp:
        """What the file looks like now."""
        try:
            status = os.lstat(self._path)
        except OSError:
            return Stamp()
        return Stamp(status.st_size, status.st_mtime_ns)

    def oldest(self) -> datetime | None:
        """When the first line of the log was written; None if that is unknown."""
        try:
            descriptor = open_state(self._path, os.O_RDONLY, HUGE)
            try:
                first = os.read(descriptor, 64).decode("utf-8", "replace")
            finally:
                os.close(descriptor)
            return datetime.strptime(first[:17], "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
        except (OSError, ValueError, NotAPlainFileError):
            return None

    def append(self, entries: Iterable[LogEntry]) -> Stamp:
        """Tell of new changes at the end of the log."""
        # Without a key nothing is sealed, and nothing is told apart.
        doubted = bool(self._repository.seal)
        text = "".join(
            f"{line}\n" for e in entries for line in audit_lines(e, doubted=doubted)
        )
        self._require_inside()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = open_state(self._path, flags, HUGE)
        try:
            write_all(descriptor, text.encode())
        finally:
            os.close(descriptor)
        return self.stamp()

    def rebuild(self, head: str) -> Stamp:
        """Write the log again from the commits."""
        self._require_inside()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if self._path.is_symlink():
                os.unlink(self._path)
        write_replacing(self._path, self.expected(head))
        return self.stamp()

    def _require_inside(self) -> None:
        """Refuse to write through a link that stands for one of the folders."""
        if os.path.realpath(self._path.parent) != str(self._path.parent):
            raise NotAPlainFileError(META, "behind a link")

    def expected(self, head: str) -> bytes:
        """What the log says if nobody has touched it."""
        lines = [
            line
            for entry, older in reversed(self._held(head))
            for line in audit_lines(entry, doubted=not older)
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    def held(self, head: str) -> list[LogEntry]:
        """The changes that the log tells of, newest first: those in no digest."""
        return [told.entry for told in self._held(head)]

    def _held(self, head: str) -> list[Told]:
        archive = self._repository.read(head, AUDIT_ARCHIVE) or b""
        start = log_start(archive.decode("utf-8", "replace"))
        found, digested = [], False
        for told in self.told(head):
            # After a clock that ran ahead, what is newer can seem to be older.
            if start is None or not digested or told.entry.at >= start:
                found.append(told)
            digested |= any(line.path == AUDIT_ARCHIVE for line in told.entry.lines)
        return found

    def entries(self, head: str) -> Iterator[LogEntry]:
        """Every change, newest first."""
        return (told.entry for told in self.told(head))

    def told(self, head: str, accepted: str = "") -> Iterator[Told]:
        """Every change, newest first, and whether it is older than every seal.

        Args:
            head: Where to begin.
            accepted: What its human accepted later than that, if anything.
        """
        known, believed = {accepted} - {""}, False
        waiting: list[Raw] = []
        for commit in self._repository.walk(head):
            believed = believed or commit.id in known
            if not commit.sealed and not believed:
                waiting.append(commit)
                continue
            yield from (Told(self.doubtful(each), older=False) for each in waiting)
            waiting.clear()
            entry = self.entry(commit, verified=True)
            known |= {accepted_in(entry)} - {""} if commit.sealed else set()
            yield Told(entry, older=False)
        yield from (Told(self.entry(e, verified=False), older=True) for e in waiting)

    def entry(self, commit: Raw, *, verified: bool) -> LogEntry:
        """One change, as its message tells it, or else as the files do."""
        entry = parse_entry(commit, verified=verified)
        if entry.lines[0].path != "*":
            return entry
        changed = self._repository.diff(commit.parent, commit.id)
        return parse_entry(
            commit, paths=tuple(changed), critical=self._critical, verified=verified
        )

    def doubtful(self, commit: Raw) -> LogEntry:
        """A change that is not ours, with the files that it really changed."""
        changed = self._repository.diff(commit.parent, commit.id)
        entry = parse_entry(
            commit, paths=tuple(changed), critical=self._critical, verified=False
        )
        if entry.claim is None:
            return entry
        said = {line.path: line for line in entry.lines}
        lines = tuple(
            self._really(path, said.get(path), ids) for path, ids in changed.items()
        )
        marked = any(line.summary.startswith(CRITICAL_MARK) for line in lines)
        return replace(entry, lines=lines or entry.lines, critical=marked)

    def _really(self, path: str, said: LogLine | None, ids: tuple[str, str]) -> LogLine:
        """What was done to a file, whatever is said of it."""
        done = Action.EDIT if all(ids) else Action.CREATE if ids[1] else Action.DELETE
        summary = said.summary if said else "its message does not tell of this file"
        summary = summary.removeprefix(CRITICAL_MARK)
        mark = CRITICAL_MARK if self._critical(path) else ""
        return LogLine(done, path, f"{mark}{summary}")

    def verify(self, head: str) -> list[Finding]:
        """Compare the log with the commits, line by line."""
        try:
            found = read_state(self._path, HUGE)
        except (OSError, NotAPlainFileError):
            found = None
        if found is None:
            return [_altered(0, "is missing, or no file of ours")]
        expected = self.expected(head)
        if found == expected:
            return []
        pairs = zip(found.split(b"\n"), expected.split(b"\n"), strict=False)
        line = next((i for i, (a, b) in enumerate(pairs, 1) if a != b), 1)
        return [_altered(line, "does not say what the commits say")]


def _altered(line: int, what: str) -> Finding:
    mend = "It is written again from the commits with `reverie rebuild`."
    return Finding(AUDIT_LOG, line, what, mend, Severity.WARNING)
