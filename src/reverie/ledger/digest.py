"""Monthly digests of the audit log (design, 12.6)."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie.model.change import Action, Approval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.model.change import LogEntry

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
        _month_after(datetime(int(year), MONTHS.index(month) + 1, 1, tzinfo=UTC))
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


def _month_after(first: datetime) -> datetime:
    return (first + timedelta(days=32)).replace(day=1)
