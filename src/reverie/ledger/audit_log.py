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
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.errors import ReverieError
from reverie.model.change import (
    AUDIT,
    HUMAN_EDIT,
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
from reverie.workspace import files
from reverie.workspace.layout import AUDIT_ARCHIVE, AUDIT_LOG, META

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from reverie.ledger import Commit, Ledger

SUMMARY_LENGTH = 160
CRITICAL_TRAILER = "⚠️ CRITICAL FILE CHANGED"
CRITICAL_MARK = "⚠️ CRITICAL: "
ACKNOWLEDGED = "acknowledged by the user"
ACCEPTED = "accepted history up to "
"""What is said of changes that the ledger did not make; a commit's id follows."""

_ACTIONS = dict(Action.__members__)
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
    body = "\n".join((*told[1:], "", "")) if told[1:] else ""
    trailers = (
        f"Actor: {actor}\nApproval: {approval}\nTrigger: {flat(trigger) or '—'}\n"
    )
    critically = f"{CRITICAL_TRAILER}\n" if critical else ""
    return f"{told[0]}\n\n{body}{trailers}{critically}"


def parse_entry(
    commit: Commit,
    *,
    paths: Callable[[], Iterable[str]] = tuple,
    critical: Callable[[str], bool] = lambda _: False,
    verified: bool | None = None,
) -> LogEntry:
    """Read a commit.

    One that the ledger did not make is `unverified`, whatever it says of itself; once
    its human has accepted it, it is what it says, or `manual` if made with plain git.

    Args:
        commit: The commit.
        paths: Tells what it changed, for commits whose message does not.
        critical: Which of those must be shown to the human.
        verified: Whether it is believed; by default if its seal is good.
    """
    told = _parse(commit.message)
    if told is not None:
        lines, actor, approval, trigger = told
        marked = commit.message.rstrip("\n").endswith(f"\n{CRITICAL_TRAILER}")
    else:
        said = commit.message.split("\n", 1)[0].strip() or "commit without a message"
        marks = {p: CRITICAL_MARK if critical(p) else "" for p in paths()} or {"*": ""}
        lines = tuple(
            LogLine(Action.EDIT, flat_path(path), flat(f"{mark}{said}"))
            for path, mark in marks.items()
        )
        actor, approval, trigger = MANUAL, Approval.NONE, "git commit"
        marked = any(marks.values())
    believed, claim = commit.sealed if verified is None else verified, None
    if not believed:
        claim = Claim(actor, approval) if told else None
        actor, approval = UNVERIFIED, Approval.NONE
    facts = (lines, actor, approval, trigger, marked, believed, claim)
    return LogEntry(commit.id, commit.at, *facts)


def accepted_in(entry: LogEntry) -> str:
    """The newest commit that a change accepts, with all before it; empty for none."""
    for line in entry.lines if entry.verified and entry.actor.human else ():
        if line.action is Action.ALERT and line.summary.startswith(ACCEPTED):
            return line.summary.removeprefix(ACCEPTED)
    return ""


def is_foreign(commit: Commit) -> bool:
    """Whether a commit was made with plain git and not by a ledger."""
    return _parse(commit.message) is None


def by_unknown_hand(commit: Commit) -> bool:
    """Whether no known channel made a change: a file was saved, or plain git used."""
    return not commit.sealed or parse_entry(commit).trigger == HUMAN_EDIT


def acknowledged_by(commit: Commit) -> frozenset[str]:
    """The files whose changes a human has acknowledged with a commit."""
    if ACKNOWLEDGED not in commit.message or not commit.sealed:
        return frozenset()
    entry = parse_entry(commit)
    return frozenset(
        line.path
        for line in entry.lines
        if line.action is Action.ALERT
        and line.summary.startswith(ACKNOWLEDGED)
        and entry.actor.human
    )


@lru_cache(maxsize=128)
def _parse(message: str) -> tuple[tuple[LogLine, ...], Actor, Approval, str] | None:
    """The lines of a message, and who signed it; None if no ledger wrote it."""
    head, _, last = message.rstrip("\n").rpartition("\n\n")
    fields = dict(line.split(": ", 1) for line in last.split("\n") if line.count(": "))
    found = filter(None, map(_LINE.fullmatch, head.split("\n")))
    # Looked at as a whole, because a change may be of very many files.
    told = str if all_plain(head.replace("\n", " ")) else _plain
    lines = tuple(
        LogLine(_ACTIONS[match[1]], told(match[2]), told(match[3]))
        for match in found
        if match[1] in _ACTIONS
    )
    try:
        actor, approval = Actor(fields["Actor"]), Approval(fields["Approval"])
        trigger = _plain(fields["Trigger"])
    except (KeyError, ValueError, ReverieError):
        return None
    return (lines, actor, approval, trigger) if lines else None


def _plain(text: str) -> str:
    """What we wrote is flat already; what looks like it may not be."""
    return text if all_plain(text) else flat(text, 1024)


def audit_lines(entry: LogEntry) -> list[str]:
    """The lines of `audit.log` that tell of one change, alerts included."""
    who = (entry.actor, entry.approval)
    said = f"claims {entry.claim}: " if entry.claim else ""
    told = [(e.action, e.path, *who, f"{said}{e.summary}") for e in entry.lines]
    told += [
        (Action.ALERT, line.path, AUDIT, Approval.NONE, alert_text(entry))
        for line in entry.lines
        if entry.critical and line.summary.startswith(CRITICAL_MARK)
    ]
    at = f"{entry.at:%Y-%m-%dT%H:%MZ}"
    return [" | ".join((at, *map(str, fields))) for fields in told]


def alert_text(entry: LogEntry) -> str:
    """What an alert says: stronger where no human had a hand in it."""
    if approved(entry):
        return "Critical file changed as its human approved."
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


# --- digests ---------------------------------------------------------------------

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
NOTABLE = 10
"""Most events that a digest tells of."""

_HEADING = re.compile(
    rf"^# Audit Digest — ({'|'.join(MONTHS)}) (\d{{4}})$", re.MULTILINE
)
_RARE = {Action.DELETE, Action.MERGE, Action.REVERT, Action.ARCHIVE, Action.RENAME}


def log_start(archive: str) -> datetime | None:
    """The moment after the newest month with a digest; None before the first."""
    months = [
        12 * int(year) + MONTHS.index(month) + 1
        for month, year in _HEADING.findall(archive)
        if 0 < int(year) < 9999
    ]
    if not months:
        return None
    return datetime(max(months) // 12, max(months) % 12 + 1, 1, tzinfo=UTC)


def due_until(now: datetime, retention_days: int) -> datetime:
    """The start of the month in which the retention window begins."""
    cutoff = now - timedelta(days=retention_days)
    return cutoff.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def render_digests(entries: Iterable[LogEntry]) -> str:
    """One digest for each month that has entries, oldest first."""
    ordered = sorted(entries, key=lambda entry: entry.at)
    months = groupby(ordered, key=lambda entry: (entry.at.year, entry.at.month))
    return "\n".join(_render_month(*month, list(found)) for month, found in months)


def _render_month(year: int, month: int, entries: Sequence[LogEntry]) -> str:
    lines = [line for entry in entries for line in entry.lines]
    actions = Counter(line.action for line in lines)
    sessions = {e.actor.session for e in entries} - {""}
    yes = {e.actor.session for e in entries if approved(e)}
    no = {e.actor.session for e in entries if e.lines[0].action is Action.REJECT}
    no &= sessions

    def rank(entry: LogEntry) -> int:
        """Critical changes first, then those of rare kinds, then of several files."""
        if entry.critical:
            return 0
        return 1 if entry.lines[0].action in _RARE else 2

    notable = [e for e in sorted(entries, key=rank) if rank(e) < 2 or len(e.lines) > 1]
    events = [
        f"- {e.at:%Y-%m-%d}: {e.lines[0].path} — {e.lines[0].summary}"
        for e in sorted(notable[:NOTABLE], key=lambda e: e.at)
    ]
    return f"""\
# Audit Digest — {MONTHS[month - 1]} {year}

## Summary
- {_count(len(lines), "total mutation")} across \
{_count(len({line.path for line in lines}), "file")}
- {_count(len(sessions), "reflection session")} ({len(yes - no)} approved, \
{len(yes & no)} partial, {len(no - yes)} rejected)
- {_count(sum(entry.critical for entry in entries), "critical file change")}
- {_count(actions[Action.DECAY], "decay transition")}, \
{_count(actions[Action.ARCHIVE], "archival event")}

## Notable Events
{chr(10).join(events) or "- None"}
"""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# --- the file --------------------------------------------------------------------


class Stamp(NamedTuple):
    """Size and time of the log as we left it; anything else may mean it was altered."""

    size: int = -1
    modified: int = -1


class AuditLog:
    """The log file of one workspace, written from the commits.

    Args:
        root: The workspace.
        ledger: Its history.
        sealing: Whether changes are sealed; without a key nothing is told apart.
    """

    def __init__(self, root: Path, ledger: Ledger, *, sealing: bool) -> None:
        self._path = root / AUDIT_LOG
        self._ledger = ledger
        self.sealing = sealing

    def stamp(self) -> Stamp:
        """What the file looks like now."""
        with suppress(OSError):
            status = os.lstat(self._path)
            return Stamp(status.st_size, status.st_mtime_ns)
        return Stamp()

    def oldest(self) -> datetime | None:
        """When the first line of the log was written; None if that is unknown."""
        with suppress(OSError, ValueError, files.NotAPlainFileError):
            with files.open_state(self._path, os.O_RDONLY, files.HUGE) as descriptor:
                first = os.read(descriptor, 17).decode("utf-8", "replace")
            return datetime.strptime(first, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
        return None

    def append(self, entry: LogEntry) -> Stamp:
        """Tell of a new change at the end of the log."""
        self._require_inside()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with files.open_state(self._path, flags, files.HUGE) as descriptor:
            files.write_all(descriptor, _text([entry]))
        return self.stamp()

    def rebuild(self) -> Stamp:
        """Write the log again from the commits."""
        self._require_inside()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write_replacing(self._path, self._expected())
        return self.stamp()

    def _require_inside(self) -> None:
        """Refuse to write through a link that stands for one of the folders."""
        if os.path.realpath(self._path.parent) != str(self._path.parent):
            raise files.NotAPlainFileError(META, "behind a link")

    def _expected(self) -> bytes:
        """What the log says if nobody has touched it."""
        return _text(reversed(self.held()))

    def held(self) -> list[LogEntry]:
        """The changes that the log tells of, newest first: those in no digest.

        What is older than every seal is told as it was when it was written.
        """
        archive = self._ledger.read_at(self._ledger.head, AUDIT_ARCHIVE) or b""
        start = log_start(archive.decode("utf-8", "replace"))
        found, digested = [], False
        for entry in self.told(older=True):
            # After a clock that ran ahead, what is newer can seem to be older.
            if start is None or not digested or entry.at >= start:
                found.append(entry)
            digested |= any(line.path == AUDIT_ARCHIVE for line in entry.lines)
        return found

    def told(
        self,
        head: str = "",
        accepted: str = "",
        *,
        older: bool = False,
        naming: Callable[[str], bool] = lambda _: True,
    ) -> Iterator[LogEntry]:
        """Every change, newest first.

        Args:
            head: Where to begin; at the newest by default.
            accepted: What its human accepted later than that, if anything.
            older: Whether to believe what is older than every seal.
            naming: Whether a message may be of interest; a sealed change that has
                another one is left out, unread, which is many times faster.
        """
        known, believed = {accepted} - {""}, False
        waiting: list[Commit] = []
        for commit in self._ledger.walk(head):
            believed = believed or commit.id in known
            if not commit.sealed and not believed:
                waiting.append(commit)
                continue
            yield from map(self.doubtful, waiting)
            waiting.clear()
            if commit.sealed and ACCEPTED not in commit.message:
                if naming(commit.message):
                    yield self.entry(commit, verified=True)
                continue
            entry = self.entry(commit, verified=True)
            known |= {accepted_in(entry)} - {""} if commit.sealed else set()
            yield entry
        yield from (self.entry(each, verified=older) for each in waiting)

    def entry(self, commit: Commit, *, verified: bool) -> LogEntry:
        """One change, as its message tells it, or else as the files do."""
        paths, critical = (
            partial(self._ledger.changed, commit.id),
            self._ledger.critical,
        )
        return parse_entry(commit, paths=paths, critical=critical, verified=verified)

    def doubtful(self, commit: Commit) -> LogEntry:
        """A change that is not ours, with the files that it really changed."""
        entry = self.entry(commit, verified=False)
        if entry.claim is None:
            return entry
        said = {line.path: line.summary for line in entry.lines}
        lines, critical = [], False
        for path, (old, new) in self._ledger.changed(commit.id).items():
            done = Action.EDIT if old else Action.CREATE
            summary = said.get(path, "its message does not tell of this file")
            mark = CRITICAL_MARK if self._ledger.critical(path) else ""
            critical |= bool(mark)
            summary = f"{mark}{summary.removeprefix(CRITICAL_MARK)}"
            lines.append(LogLine(done if new else Action.DELETE, path, summary))
        return replace(entry, lines=tuple(lines) or entry.lines, critical=critical)

    def verify(self) -> list[Finding]:
        """Compare the log with the commits, line by line."""
        found = None
        with suppress(OSError, files.NotAPlainFileError):
            found = files.read_state(self._path, files.HUGE)
        expected = self._expected()
        if found == expected:
            return []
        line, what = 0, "is missing, or no file of ours"
        if found is not None:
            pairs = zip(found.split(b"\n"), expected.split(b"\n"), strict=False)
            line = next((i for i, (a, b) in enumerate(pairs, 1) if a != b), 1)
            what = "does not say what the commits say"
        mend = "It is written again from the commits with `reverie rebuild`."
        return [Finding(AUDIT_LOG, line, what, mend, Severity.WARNING)]


def _text(changes: Iterable[LogEntry]) -> bytes:
    return "".join(f"{line}\n" for e in changes for line in audit_lines(e)).encode()
