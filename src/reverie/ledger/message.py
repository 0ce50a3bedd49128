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

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

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
from reverie.printable import all_plain, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.ledger.repository import Raw

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
    told = [_render_line(line) for line in lines]
    body = f"{told[0]}\n\n"
    if told[1:]:
        body += "\n".join(told[1:]) + "\n\n"
    body += f"Actor: {actor}\nApproval: {approval}\nTrigger: {flat(trigger) or '—'}\n"
    return body + (f"{CRITICAL_TRAILER}\n" if critical else "")


def _render_line(line: LogLine) -> str:
    return f"[{line.action}] {flat_path(line.path)} — {flat(line.summary)}"


def parse_entry(
    commit: Raw,
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
        entry,
        actor=UNVERIFIED,
        approval=Approval.NONE,
        verified=False,
        claim=claim,
    )


def accepted_in(entry: LogEntry) -> str:
    """The newest commit that a change accepts, with all before it; empty for none."""
    if not (entry.verified and entry.actor.human):
        return ""
    for line in entry.lines:
        if line.action is Action.ALERT and line.summary.startswith(ACCEPTED):
            return line.summary.removeprefix(ACCEPTED)
    return ""


def is_foreign(commit: Raw) -> bool:
    """Whether a commit was made with plain git and not by a ledger."""
    head, trailers = _split(commit.message)
    return not trailers or not any(map(_parse_line, head))


def by_unknown_hand(commit: Raw) -> bool:
    """Whether no known channel made a change: a file was saved, or plain git used."""
    trailers = _split(commit.message)[1]
    return not commit.sealed or trailers["Trigger"] == HUMAN_EDIT


def acknowledged_by(commit: Raw) -> frozenset[str]:
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
    commit: Raw, paths: Sequence[str], critical: Callable[[str], bool]
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
            entry,
            actor=claim.actor,
            approval=claim.approval,
            verified=True,
            claim=None,
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
