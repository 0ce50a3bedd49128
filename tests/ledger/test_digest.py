"""Monthly digests: the design's format, and where the log begins after them."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.ledger.audit_log import (
    MONTHS,
    NOTABLE,
    due_until,
    log_start,
    render_digests,
)
from reverie.model.change import (
    DECAY,
    REMEMBER,
    Action,
    Actor,
    Approval,
    LogEntry,
    LogLine,
)


def entry(
    day: int,
    *lines: LogLine,
    actor: Actor = REMEMBER,
    approval: Approval = Approval.AUTO,
    critical: bool = False,
    month: int = 1,
) -> LogEntry:
    at = datetime(2026, month, day, 12, tzinfo=UTC)
    told = lines or (LogLine(Action.APPEND, "memory/x.md", "logged"),)
    return LogEntry(f"c{day}", at, told, actor, approval, "x", critical=critical)


def line(action: Action, path: str = "memory/x.md", summary: str = "did it") -> LogLine:
    return LogLine(action, path, summary)


def session(name: str, day: int, *, approved: bool) -> LogEntry:
    return entry(
        day,
        line(Action.EDIT if approved else Action.REJECT),
        actor=Actor(f"reflection:{name}"),
        approval=Approval.APPROVED if approved else Approval.NONE,
    )


def test_a_month_is_told_in_the_design_s_format() -> None:
    entries = [
        entry(15, line(Action.CREATE, "memory/a.md", "began"), line(Action.EDIT)),
        entry(16),
        entry(20, line(Action.MERGE, "memory/graph/entities/*", "3 became 1")),
        entry(21, line(Action.DECAY), line(Action.DECAY, "memory/y.md"), actor=DECAY),
        entry(22, line(Action.ARCHIVE, "memory/old.md", "archived")),
        entry(23, line(Action.EDIT, "SOUL.md", "changed"), critical=True),
        session("r-1", 24, approved=True),
        session("r-2", 25, approved=False),
        session("r-3", 26, approved=True),
        session("r-3", 27, approved=False),
    ]

    assert render_digests(entries) == (
        "# Audit Digest — January 2026\n"
        "\n"
        "## Summary\n"
        "- 12 total mutations across 6 files\n"
        "- 3 reflection sessions (1 approved, 1 partial, 1 rejected)\n"
        "- 1 critical file change\n"
        "- 2 decay transitions, 1 archival event\n"
        "\n"
        "## Notable Events\n"
        "- 2026-01-15: memory/a.md — began\n"
        "- 2026-01-20: memory/graph/entities/* — 3 became 1\n"
        "- 2026-01-21: memory/x.md — did it\n"
        "- 2026-01-22: memory/old.md — archived\n"
        "- 2026-01-23: SOUL.md — changed\n"
    )


def test_a_quiet_month_says_so() -> None:
    assert render_digests([entry(3)]) == (
        "# Audit Digest — January 2026\n"
        "\n"
        "## Summary\n"
        "- 1 total mutation across 1 file\n"
        "- 0 reflection sessions (0 approved, 0 partial, 0 rejected)\n"
        "- 0 critical file changes\n"
        "- 0 decay transitions, 0 archival events\n"
        "\n"
        "## Notable Events\n"
        "- None\n"
    )


def test_each_month_has_its_own_digest_oldest_first() -> None:
    text = render_digests([entry(3, month=3), entry(1), entry(2, month=3)])

    headings = [row for row in text.split("\n") if row.startswith("# ")]
    assert headings == ["# Audit Digest — January 2026", "# Audit Digest — March 2026"]
    assert "\n\n# Audit Digest — March" in text


def test_critical_changes_are_told_before_merely_rare_ones() -> None:
    rare = [entry(day, line(Action.DELETE)) for day in range(1, NOTABLE + 5)]
    critical = entry(28, line(Action.EDIT, "SOUL.md", "changed"), critical=True)

    text = render_digests([*rare, critical])

    events = text.partition("## Notable Events\n")[2].strip().split("\n")
    assert len(events) == NOTABLE
    assert events[-1] == "- 2026-01-28: SOUL.md — changed"


def test_no_entries_make_no_digest() -> None:
    assert render_digests([]) == ""


def test_the_log_begins_after_the_newest_month_with_a_digest() -> None:
    for month in range(1, 13):
        text = render_digests([entry(1, month=m) for m in range(1, month + 1)])

        start = log_start(text)

        after = (2026, month + 1) if month < 12 else (2027, 1)
        assert start == datetime(*after, 1, tzinfo=UTC)


def test_without_a_digest_the_log_begins_at_the_beginning() -> None:
    assert log_start("") is None
    assert log_start("# Audit Digest — Smarch 2026\n# Audit Digest — May 26\n") is None
    assert log_start("# Audit Digest — May 0000\n") is None


headings = st.tuples(
    st.sampled_from(["# Audit Digest — ", "## ", ""]),
    st.sampled_from([*MONTHS, "May"]),
    st.integers(0, 99999).map(str) | st.sampled_from(["9999", "٢٠٢٦"]),
).map(lambda parts: f"{parts[0]}{parts[1]} {parts[2]}")


@given(st.lists(headings | st.text(max_size=20), max_size=5).map("\n".join))
@settings(max_examples=150)
@example("# Audit Digest — December 9999")
@example("# Audit Digest — January 0000")
def test_no_archive_however_edited_stops_the_log(archive: str) -> None:
    start = log_start(archive)

    assert start is None or (start.day, start.tzinfo) == (1, UTC)


def test_whole_months_leave_the_log_once_all_of_them_is_past_retention() -> None:
    now = datetime(2026, 5, 15, 10, 30, tzinfo=UTC)

    assert due_until(now, 90) == datetime(2026, 2, 1, tzinfo=UTC)
    assert due_until(now, 0) == datetime(2026, 5, 1, tzinfo=UTC)
