"""Commit messages and audit lines, written and read (design, 12.3 and 12.4).

    [EDIT] MEMORY.md — updated Active Context

    [APPEND] memory/episodes/2026-02-02.md — logged the discussion

    Actor: bot:trigger-remember
    Approval: auto
    Trigger: user said "remember we chose the hybrid approach"

The subject is the first file's line; further files have a line each in the
body; the last paragraph holds the trailers. Every value is flattened to one
line before it is written, so no text can forge a line, a trailer or an actor.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import ReverieError
from reverie.model.change import (
    AUDIT,
    MANUAL,
    UNVERIFIED,
    Action,
    Actor,
    Approval,
    Claim,
    LogEntry,
    LogLine,
)
from reverie.model.items import Finding, Severity
from reverie.printable import all_plain, printable
from reverie.workspace.files import (
    HUGE,
    NotAPlainFileError,
    open_state,
    read_state,
    write_all,
    write_replacing,
)
from reverie.workspace.layout import AUDIT_ARCHIVE, AUDIT_LOG, META

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from reverie.ledger.repository import RawCommit, Repository

SUMMARY_LENGTH = 160
CRITICAL_TRAILER = "⚠️ CRITICAL FILE CHANGED"
CRITICAL_MARK = "⚠️ CRITICAL: "
ACKNOWLEDGED = "acknowledged by the user"
ACCEPTED = "accepted history up to "
"""What is said of changes that the ledger did not make; a commit's id follows."""
HUMAN_EDIT = "direct human edit"
"""What starts a change that was found in the files."""

_LINE = re.compile(r"\[([A-Z]+)\] (.+?) — (.*)")


def flat(text: str, limit: int = SUMMARY_LENGTH) -> str:
    """One printable line: no breaks, no invisible characters, not too long."""
    plain = unicodedata.normalize("NFC", " ".join(text.split()))
    # What was spelled out before stays as it is.
    line = printable(plain, again=True)
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def flat_path(path: str) -> str:
    """A path that cannot be mistaken for anything around it."""
    line = flat(path, 1024).replace(" | ", "%20%7C%20").replace(" — ", "%20—%20")
    return f"{line[:-2]}%20{line[-1]}" if line.endswith((" |", " —")) else line


def render_message(
    lines: Sequence[LogLine],
    actor: Actor,
    approval: Approval,
    trigger: str,
    *,
    critical: bool,
) -> str:
    """Write the message of a commit."""
    told = [f"[{e.action}] {flat_path(e.path)} — {flat(e.summary)}" for e in lines]
    body = f"{told[0]}\n\n"
    if told[1:]:
        body += "\n".join(told[1:]) + "\n\n"
    body += f"Actor: {actor}\nApproval: {approval}\nTrigger: {flat(trigger) or '—'}\n"
    return body + (f"{CRITICAL_TRAILER}\n" if critical else "")


def parse_entry(
    commit: RawCommit,
    *,
    paths: Sequence[str] = (),
    critical: Callable[[str], bool] = lambda _: False,
    verified: bool | None = None,
) -> LogEntry:
    """Read a commit.

    One that the ledger did not make is `unverified`, whatever it says of itself; once
    its human has accepted it, it is what it says, or `manual` if made with plain git.

    Args:
        commit: The commit.
        paths: Files it changed, for commits whose message does not name them.
        critical: Which of those must be shown to the human.
        verified: Whether it is believed; by default if its seal is good.
    """
    believed = commit.sealed if verified is None else verified
    head, trailers = _split(commit.message)
    lines = tuple(filter(None, map(_parse_line, head)))
    if not lines or not trailers:
        told = _by_hand(commit, paths or ("*",), critical)
        return told if believed else _doubted(told, None)
    told = LogEntry(
        commit.id,
        commit.at,
        lines,
        Actor(trailers["Actor"]),
        Approval(trailers["Approval"]),
        _printable(trailers["Trigger"]),
        critical=commit.message.rstrip("\n").endswith(f"\n{CRITICAL_TRAILER}"),
    )
    return told if believed else _doubted(told, Claim(told.actor, told.approval))


def _doubted(entry: LogEntry, claim: Claim | None) -> LogEntry:
    return replace(
        entry, actor=UNVERIFIED, approval=Approval.NONE, verified=False, claim=claim
    )


def accepted_in(entry: LogEntry) -> str:
    """The newest commit that a change accepts, with all before it; empty for none."""
    if not (entry.verified and entry.actor.human):
        return ""
    for line in entry.lines:
        if line.action is Action.ALERT and line.summary.startswith(ACCEPTED):
            return line.summary.removeprefix(ACCEPTED)
    return ""


def is_foreign(commit: RawCommit) -> bool:
    """Whether a commit was made with plain git and not by a ledger."""
    head, trailers = _split(commit.message)
    return not trailers or not any(map(_parse_line, head))


def by_unknown_hand(commit: RawCommit) -> bool:
    """Whether no known channel made a change: a file was saved, or plain git used."""
    trailers = _split(commit.message)[1]
    return not commit.sealed or trailers["Trigger"] == HUMAN_EDIT


def acknowledged_by(commit: RawCommit) -> frozenset[str]:
    """The files whose changes a human has acknowledged with a commit."""
    if ACKNOWLEDGED not in commit.message or not commit.sealed:
        return frozenset()
    entry = parse_entry(commit)
    seen = entry.lines if entry.actor.human else ()
    return frozenset(
        line.path
        for line in seen
        if line.action is Action.ALERT and line.summary.startswith(ACKNOWLEDGED)
    )


def _by_hand(
    commit: RawCommit, paths: Sequence[str], critical: Callable[[str], bool]
) -> LogEntry:
    said = flat(commit.message.split("\n", 1)[0]) or "commit without a message"
    marks = [CRITICAL_MARK if critical(path) else "" for path in paths]
    lines = tuple(
        LogLine(Action.EDIT, flat_path(path), flat(f"{mark}{said}"))
        for path, mark in zip(paths, marks, strict=True)
    )
    return LogEntry(
        commit.id,
        commit.at,
        lines,
        MANUAL,
        Approval.NONE,
        "git commit",
        critical=any(marks),
    )


def _split(message: str) -> tuple[list[str], dict[str, str]]:
    """The lines before the last paragraph, and that paragraph as trailers."""
    head, _, last = message.rstrip("\n").rpartition("\n\n")
    fields = dict(line.split(": ", 1) for line in last.split("\n") if line.count(": "))
    try:
        Actor(fields["Actor"])
        Approval(fields["Approval"])
        fields["Trigger"]
    except (KeyError, ValueError, ReverieError):
        return head.split("\n"), {}
    return head.split("\n"), fields


def _parse_line(line: str) -> LogLine | None:
    match = _LINE.fullmatch(line)
    if match is None or match[1] not in Action.__members__:
        return None
    return LogLine(Action(match[1]), _printable(match[2]), _printable(match[3]))


def _printable(text: str) -> str:
    """What we wrote is flat already; what looks like it may not be."""
    return text if all_plain(text) else flat(text, 1024)


def audit_lines(entry: LogEntry, *, doubted: bool = True) -> list[str]:
    """The lines of `audit.log` that tell of one change, alerts included.

    Args:
        entry: The change.
        doubted: Whether one that is not verified is told as such. What is older than
            every seal is told as it was when it was written.
    """
    if not entry.verified and not doubted:
        claim = entry.claim or Claim(MANUAL, Approval.NONE)
        entry = replace(
            entry, actor=claim.actor, approval=claim.approval, verified=True, claim=None
        )
    told = [_audit_line(entry, line) for line in entry.lines]
    if entry.critical:
        for line in entry.lines:
            if line.summary.startswith(CRITICAL_MARK):
                alert = LogLine(Action.ALERT, line.path, alert_text(entry))
                told.append(
                    _audit_line(entry, alert, actor=AUDIT, approval=Approval.NONE)
                )
    return told


def alert_text(entry: LogEntry) -> str:
    """What an alert says: stronger where no human had a hand in it."""
    if authorised(entry):
        return "Critical file change detected. Pending user acknowledgment."
    return (
        f"Critical file changed by {entry.actor} without a human's approval. "
        "Possible integrity issue. Pending user acknowledgment."
    )


def authorised(entry: LogEntry) -> bool:
    """Whether a critical change was a person's own or one they approved."""
    return entry.verified and (entry.actor.human or approved(entry))


def approved(entry: LogEntry) -> bool:
    """Whether a change is a reflection's that its human approved."""
    said_yes = entry.approval is Approval.APPROVED
    return entry.verified and bool(entry.actor.session) and said_yes


def _audit_line(
    entry: LogEntry,
    line: LogLine,
    *,
    actor: Actor | None = None,
    approval: Approval | None = None,
) -> str:
    fields = (
        f"{entry.at:%Y-%m-%dT%H:%MZ}",
        line.action,
        line.path,
        actor or entry.actor,
        approval or entry.approval,
        line.summary
        if actor or not entry.claim
        else f"claims {entry.claim}: {line.summary}",
    )
    return " | ".join(map(str, fields))


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
NOTABLE = 10
"""Most events that a digest tells of."""

_HEADING = re.compile(
    rf"^# Audit Digest — ({'|'.join(MONTHS)}) (\d{{4}})$", re.MULTILINE
)


def log_start(archive: str) -> datetime | None:
    """The moment after the newest month with a digest; None before the first."""
    ends = [
        datetime(
            int(year) + (month == MONTHS[-1]),
            (MONTHS.index(month) + 1) % 12 + 1,
            1,
            tzinfo=UTC,
        )
        for month, year in _HEADING.findall(archive)
        if 0 < int(year) < 9999
    ]
    return max(ends, default=None)


def due_until(now: datetime, retention_days: int) -> datetime:
    """The start of the month in which the retention window begins."""
    cutoff = now - timedelta(days=retention_days)
    return cutoff.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def render_digests(entries: Iterable[LogEntry]) -> str:
    """One digest for each month that has entries, oldest first."""
    months: dict[tuple[int, int], list[LogEntry]] = {}
    for entry in entries:
        months.setdefault((entry.at.year, entry.at.month), []).append(entry)
    return "\n".join(
        _render_month(year, month, sorted(found, key=lambda e: e.at))
        for (year, month), found in sorted(months.items())
    )


def _render_month(year: int, month: int, entries: Sequence[LogEntry]) -> str:
    lines = [line for entry in entries for line in entry.lines]
    actions = Counter(line.action for line in lines)
    files = {line.path for line in lines}
    critical = sum(entry.critical for entry in entries)
    return "\n".join(
        (
            f"# Audit Digest — {MONTHS[month - 1]} {year}",
            "",
            "## Summary",
            f"- {_count(len(lines), 'total mutation')} "
            f"across {_count(len(files), 'file')}",
            f"- {_reflections(entries)}",
            f"- {_count(critical, 'critical file change')}",
            f"- {_count(actions[Action.DECAY], 'decay transition')}, "
            f"{_count(actions[Action.ARCHIVE], 'archival event')}",
            "",
            "## Notable Events",
            *(_notable(entries) or ["- None"]),
            "",
        )
    )


def _reflections(entries: Sequence[LogEntry]) -> str:
    told = [e for e in entries if e.actor.session]
    approved = {e.actor.session for e in told if e.approval is Approval.APPROVED}
    rejected = {e.actor.session for e in told if e.lines[0].action is Action.REJECT}
    return (
        f"{_count(len({e.actor.session for e in told}), 'reflection session')} "
        f"({len(approved - rejected)} approved, {len(approved & rejected)} partial, "
        f"{len(rejected - approved)} rejected)"
    )


def _notable(entries: Sequence[LogEntry]) -> list[str]:
    """Changes of kinds that are rare, and critical ones; most important first."""
    rare = {Action.DELETE, Action.MERGE, Action.REVERT, Action.ARCHIVE, Action.RENAME}
    ranked = [e for e in entries if e.critical]
    ranked += [e for e in entries if e not in ranked and e.lines[0].action in rare]
    ranked += [e for e in entries if e not in ranked and len(e.lines) > 1]
    chosen = sorted(ranked[:NOTABLE], key=lambda e: e.at)
    return [
        f"- {e.at:%Y-%m-%d}: {e.lines[0].path} — {e.lines[0].summary}" for e in chosen
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Size and time of the log as we left it; anything else may mean it was altered."""

    size: int = -1
    modified: int = -1


NO_STAMP = Stamp()


class ToldEntry(NamedTuple):
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
        return "".join(
            f"{line}\n"
            for entry, older in reversed(self._held(head))
            for line in audit_lines(entry, doubted=not older)
        ).encode()

    def held(self, head: str) -> list[LogEntry]:
        """The changes that the log tells of, newest first: those in no digest."""
        return [told.entry for told in self._held(head)]

    def _held(self, head: str) -> list[ToldEntry]:
        archive = self._repository.read(head, AUDIT_ARCHIVE) or b""
        start = log_start(archive.decode("utf-8", "replace"))
        found, digested = [], False
        for told in self.told(head):
            # After a clock that ran ahead, what is newer can seem to be older.
            if start is None or not digested or told.entry.at >= start:
                found.append(told)
            digested |= any(line.path == AUDIT_ARCHIVE for line in told.entry.lines)
        return found

    def told(self, head: str, accepted: str = "") -> Iterator[ToldEntry]:
        """Every change, newest first, and whether it is older than every seal.

        Args:
            head: Where to begin.
            accepted: What its human accepted later than that, if anything.
        """
        known, believed = {accepted} - {""}, False
        waiting: list[RawCommit] = []
        for commit in self._repository.walk(head):
            believed = believed or commit.id in known
            if not commit.sealed and not believed:
                waiting.append(commit)
                continue
            yield from (ToldEntry(self.doubtful(each), older=False) for each in waiting)
            waiting.clear()
            entry = self.entry(commit, verified=True)
            known |= {accepted_in(entry)} - {""} if commit.sealed else set()
            yield ToldEntry(entry, older=False)
        yield from (
            ToldEntry(self.entry(e, verified=False), older=True) for e in waiting
        )

    def entry(self, commit: RawCommit, *, verified: bool) -> LogEntry:
        """One change, as its message tells it, or else as the files do."""
        entry = parse_entry(commit, verified=verified)
        if entry.lines[0].path != "*":
            return entry
        changed = self._repository.diff(commit.parent, commit.id)
        return parse_entry(
            commit, paths=tuple(changed), critical=self._critical, verified=verified
        )

    def doubtful(self, commit: RawCommit) -> LogEntry:
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
