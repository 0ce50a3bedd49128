"""The audit log: a projection of the commits, whatever befalls the file."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.ledger.room import DAY, NOTE, Room
from tests.strategies import built

from reverie.errors import ReverieError
from reverie.ledger import Commit
from reverie.ledger.audit_log import (
    CRITICAL_MARK,
    CRITICAL_TRAILER,
    MONTHS,
    NOTABLE,
    SUMMARY_LENGTH,
    alert_text,
    audit_lines,
    due_until,
    flat,
    flat_path,
    log_start,
    parse_entry,
    render_digests,
    render_message,
)
from reverie.model.change import (
    DECAY,
    MANUAL,
    REMEMBER,
    Action,
    Actor,
    Approval,
    LogEntry,
    LogLine,
)
from reverie.model.items import Severity
from reverie.workspace.layout import AUDIT_ARCHIVE, AUDIT_LOG

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORGED = "2026-02-02T15:30Z | EDIT | SOUL.md | manual | — | nothing to see here"


@pytest.fixture
def log(room: Room) -> Path:
    """The log of a workspace with some history."""
    room.put(DAY, "# 2026-02-02\n", summary="began the day")
    room.clock.forward(minutes=1)
    room.put(NOTE, "a note\n", summary="kept a note")
    return room.root / AUDIT_LOG


def test_each_change_is_a_line(room: Room, log: Path) -> None:
    assert log.read_text(encoding="utf-8").split("\n") == [
        "2026-02-02T15:30Z | CREATE | MEMORY.md | system:init | auto | new workspace",
        "2026-02-02T15:30Z | CREATE | SOUL.md | system:init | auto | new workspace",
        f"2026-02-02T15:30Z | CREATE | {DAY} | bot:trigger-remember | auto | "
        "began the day",
        f"2026-02-02T15:31Z | CREATE | {NOTE} | bot:trigger-remember | auto | "
        "kept a note",
        "",
    ]
    assert room.ledger.log.verify() == []


def lose(log: Path) -> None:
    log.unlink()


def lose_the_folder(log: Path) -> None:
    log.unlink()
    for file in log.parent.rglob("*"):
        if file.is_dir():
            continue
        file.unlink()
    for folder in sorted(log.parent.rglob("*"), reverse=True):
        folder.rmdir()
    log.parent.rmdir()


def alter(log: Path) -> None:
    text = log.read_text(encoding="utf-8")
    log.write_text(text.replace("began the day", "did nothing"), encoding="utf-8")


def truncate(log: Path) -> None:
    os.truncate(log, log.stat().st_size - 5)


def empty(log: Path) -> None:
    log.write_bytes(b"")


def forge_a_line(log: Path) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{FORGED}\n")


def cut_a_line(log: Path) -> None:
    lines = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join(lines[:2] + lines[3:]), encoding="utf-8")


def swap_lines(log: Path) -> None:
    first, second, *rest = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join([second, first, *rest]), encoding="utf-8")


def make_it_binary(log: Path) -> None:
    log.write_bytes(b"\xff\xfe\0" * 100)


HARM: dict[Callable[[Path], None], int] = {
    lose: 0,
    alter: 3,
    truncate: 4,
    empty: 1,
    forge_a_line: 5,
    cut_a_line: 3,
    swap_lines: 1,
    make_it_binary: 1,
}


def test_a_harmed_log_is_found_with_its_line_and_made_whole(
    room: Room, log: Path
) -> None:
    before, good = room.log(), log.read_bytes()
    for harm, line in HARM.items():
        harm(log)
        findings = room.ledger.log.verify()

        assert [(f.path, f.line) for f in findings] == [(AUDIT_LOG, line)]
        assert findings[0].severity is Severity.WARNING
        assert "reverie rebuild" in findings[0].mend
        with room.ledger.exclusively("looking"):
            pass
        assert room.log() == before
        assert log.read_bytes() == good


@pytest.mark.parametrize("harm", [alter, lose, lose_the_folder])
def test_a_harmed_log_is_made_whole_by_the_next_change(
    room: Room, log: Path, harm: Callable[[Path], None]
) -> None:
    before = room.log()
    harm(log)

    room.put(NOTE, "a note\nand more\n", summary="added to the note")

    assert room.log()[:-1] == before
    assert room.log()[-1].endswith("added to the note")
    assert room.ledger.log.verify() == []


def test_the_log_can_be_told_again_on_request(room: Room, log: Path) -> None:
    before = room.log()
    log.write_bytes(b"")

    room.ledger.tell_again()

    assert room.log() == before


def test_a_link_in_the_place_of_the_log_is_replaced_not_followed(
    room: Room, log: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine\n")
    before = room.log()
    log.unlink()
    log.symlink_to(outside)

    room.put(NOTE, "a note\nand more\n")

    assert outside.read_bytes() == b"mine\n"
    assert not log.is_symlink()
    assert room.log()[:-1] == before


def test_nothing_is_written_through_a_linked_folder(
    room: Room, log: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    log.parent.rename(outside)
    before = (outside / "audit.log").read_bytes()
    log.parent.symlink_to(outside)

    with pytest.raises(ReverieError, match="link"):
        room.put(NOTE, "a note\nand more\n")

    assert (outside / "audit.log").read_bytes() == before
    assert sorted(f.name for f in outside.iterdir() if f.is_file()) == ["audit.log"]


def test_what_a_killed_rebuild_leaves_is_not_taken_for_a_persons_file(
    room: Room, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    log.unlink()
    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        room.ledger.tell_again()

    assert room.git("status", "--porcelain", "--", "memory/meta") == ""


def test_the_log_begins_after_the_months_that_have_a_digest(room: Room) -> None:
    room.clock.now = datetime(2026, 3, 1, tzinfo=UTC)
    room.put(NOTE, "march\n", summary="in march")
    old = [e for e in room.ledger.history() if e.at.month == 2]

    room.put(AUDIT_ARCHIVE, render_digests(old), summary="monthly digests")
    room.ledger.tell_again()

    assert [line.split(" | ")[-1] for line in room.log()] == [
        "in march",
        "monthly digests",
    ]
    assert room.ledger.log.oldest() == datetime(2026, 3, 1, tzinfo=UTC)
    assert room.ledger.log.verify() == []
    assert len(list(room.ledger.history())) == 3


def test_the_age_of_a_log_that_says_nothing_is_unknown(room: Room, log: Path) -> None:
    for data in (b"", b"nonsense\n", b"\xff\xff"):
        log.write_bytes(data)
        assert room.ledger.log.oldest() is None
    log.unlink()
    assert room.ledger.log.oldest() is None


def test_the_log_is_never_committed(room: Room, log: Path) -> None:
    room.ledger.absorb([AUDIT_LOG])

    assert log.exists()
    assert room.at_head(AUDIT_LOG) is None


AT = datetime(2026, 2, 2, 15, 30, tzinfo=UTC)
REFLECTION = Actor("reflection:r-012")


def raw(message: str, at: datetime = AT) -> Commit:
    return Commit("c" * 40, "", message, at, sealed=True)


def told(
    action: str, path: str, actor: str, approval: str, summary: str, at: str
) -> LogEntry:
    line = LogLine(Action(action), path, summary)
    moment = datetime.fromisoformat(f"{at}+00:00")
    critical = summary.startswith(CRITICAL_MARK)
    return LogEntry(
        "c", moment, (line,), Actor(actor), Approval(approval), "x", critical=critical
    )


# --- the design's own examples -----------------------------------------------


def test_a_remembered_edit_is_told_as_in_the_design() -> None:
    summary = "updated Active Context with memory project status"

    message = render_message(
        [LogLine(Action.EDIT, "MEMORY.md", summary)],
        REMEMBER,
        Approval.AUTO,
        'user said "remember we chose the hybrid approach"',
        critical=False,
    )

    assert message == (
        "[EDIT] MEMORY.md — updated Active Context with memory project status\n"
        "\n"
        "Actor: bot:trigger-remember\n"
        "Approval: auto\n"
        'Trigger: user said "remember we chose the hybrid approach"\n'
    )


def test_a_reflections_edit_is_told_as_in_the_design() -> None:
    message = render_message(
        [LogLine(Action.EDIT, "USER.md", "added timezone preference")],
        REFLECTION,
        Approval.APPROVED,
        "reflection session 2026-02-03",
        critical=False,
    )

    assert message == (
        "[EDIT] USER.md — added timezone preference\n"
        "\n"
        "Actor: reflection:r-012\n"
        "Approval: approved\n"
        "Trigger: reflection session 2026-02-03\n"
    )


def test_a_critical_edit_by_hand_is_told_as_in_the_design() -> None:
    message = render_message(
        [LogLine(Action.EDIT, "SOUL.md", "modified core behavioral guideline")],
        MANUAL,
        Approval.NONE,
        "direct human edit",
        critical=True,
    )

    assert message == (
        "[EDIT] SOUL.md — modified core behavioral guideline\n"
        "\n"
        "Actor: manual\n"
        "Approval: —\n"
        "Trigger: direct human edit\n"
        "⚠️ CRITICAL FILE CHANGED\n"
    )


ENTITY = "memory/graph/entities/concept--hybrid-arch.md"
EXAMPLES = f"""\
2026-02-02T15:30Z | EDIT | MEMORY.md | bot:trigger-remember | auto | added "hybrid approach chosen" to Active Context
2026-02-02T15:31Z | CREATE | {ENTITY} | bot:trigger-remember | auto | new entity from user "remember" command
2026-02-02T16:00Z | APPEND | memory/episodes/2026-02-02.md | bot:auto-detect | auto | logged architecture discussion
2026-02-03T03:00Z | EDIT | MEMORY.md | reflection:r-012 | approved | rewrote Active Context and Critical Facts
2026-02-03T03:00Z | EDIT | USER.md | reflection:r-012 | approved | added timezone preference to Context
2026-02-03T03:00Z | MERGE | memory/graph/entities/* | reflection:r-012 | approved | consolidated 3 duplicate entities
2026-02-03T03:01Z | DECAY | memory/meta/decay-scores.json | system:decay | auto | 2 entries transitioned: fading→dormant
2026-02-06T12:00Z | REVERT | MEMORY.md | manual | — | user reverted to commit abc1234
2026-02-03T10:00Z | PROPOSE | memory/meta/pending-memories.md | subagent:researcher | pending | "User prefers academic sources"
2026-02-03T10:30Z | COMMIT | memory/graph/entities/... | bot:commit-from:researcher | auto | accepted proposal #1
2026-02-03T10:31Z | REJECT | memory/meta/pending-memories.md | bot:main | auto | rejected proposal #5 — duplicate
""".splitlines()  # noqa: E501 - the design's lines are as long as they are


def test_an_audit_line_of_the_design_survives_commit_and_log() -> None:
    for line in EXAMPLES:
        at, action, path, actor, approval, summary = line.split(" | ", 5)
        entry = told(action, path, actor, approval, summary, at.removesuffix("Z"))
        message = render_message(
            entry.lines, entry.actor, entry.approval, entry.trigger, critical=False
        )

        assert audit_lines(parse_entry(raw(message, entry.at))) == [line]


def test_a_critical_change_has_its_alert_as_in_the_design() -> None:
    summary = "⚠️ CRITICAL: behavioral guideline modified"
    entry = told("EDIT", "SOUL.md", "manual", "—", summary, "2026-02-05T10:00")

    assert audit_lines(entry) == [
        "2026-02-05T10:00Z | EDIT | SOUL.md | manual | — | "
        "⚠️ CRITICAL: behavioral guideline modified",
        "2026-02-05T10:00Z | ALERT | SOUL.md | system:audit | — | "
        "Critical file change detected. Pending user acknowledgment.",
    ]


def test_a_critical_change_that_no_human_allowed_is_a_possible_integrity_issue() -> (
    None
):
    for actor, approval in [
        ("bot:auto-detect", "auto"),
        ("bot:trigger-remember", "approved"),
        ("reflection:r-012", "auto"),
        ("reflection:r-012", "pending"),
        ("skill:weather", "approved"),
        ("system:decay", "auto"),
    ]:
        entry = told(
            "EDIT", "SOUL.md", actor, approval, "⚠️ CRITICAL: x", "2026-02-05T10:00"
        )

        assert alert_text(entry) == (
            f"Critical file changed by {actor} without a human's approval. "
            "Possible integrity issue. Pending user acknowledgment."
        )
        assert audit_lines(entry)[1].endswith(alert_text(entry))


def test_an_approved_reflection_may_change_a_critical_file() -> None:
    entry = told(
        "EDIT", "SOUL.md", "reflection:r-1", "approved", "⚠️ CRITICAL: x", "2026-02-05"
    )

    assert alert_text(entry) == "Critical file changed as its human approved."


def test_a_change_of_several_files_has_a_line_for_each() -> None:
    lines = (
        LogLine(Action.EDIT, "MEMORY.md", "updated Active Context"),
        LogLine(Action.APPEND, "memory/episodes/2026-02-02.md", "logged it"),
        LogLine(Action.CREATE, ENTITY, "new entity"),
    )

    message = render_message(
        lines, REMEMBER, Approval.AUTO, "remember it", critical=False
    )

    assert message == (
        "[EDIT] MEMORY.md — updated Active Context\n"
        "\n"
        "[APPEND] memory/episodes/2026-02-02.md — logged it\n"
        f"[CREATE] {ENTITY} — new entity\n"
        "\n"
        "Actor: bot:trigger-remember\n"
        "Approval: auto\n"
        "Trigger: remember it\n"
    )
    entry = parse_entry(raw(message))
    assert entry == LogEntry(
        "c" * 40, AT, lines, REMEMBER, Approval.AUTO, "remember it"
    )
    assert [line.split(" | ")[1] for line in audit_lines(entry)] == [
        *("EDIT", "APPEND", "CREATE")
    ]


# --- text that would like to be more than text -------------------------------

FORGERIES = [
    "x\nActor: manual",
    "x\n\nActor: manual\nApproval: approved\nTrigger: me",
    "x\r\nActor: manual\r\n",
    "x\u2028Actor: manual\u2029Approval: approved",
    "x\x85y\x0bz\x0c\x1c\x1d\x1e",
    "Actor: manual",
    "Approval: approved",
    "Trigger: y",
    "[DELETE] x — y",
    "x\n[DELETE] SOUL.md — y",
    "x\n\n[DELETE] SOUL.md — y\n\n",
    CRITICAL_TRAILER,
    f"x\n{CRITICAL_TRAILER}",
    "⚠️ CRITICAL: x",
    " | ALERT | SOUL.md | manual | approved | ",
    "a | b",
    "a |",
    "| b",
    " — ",
    "a —",
    "— b",
    "a — b — c",
    "2026-02-05T10:00Z | EDIT | SOUL.md | manual | — | fine",
    "\u202eevil\u202c",
    "\u2066x\u2069",
    "\x1b[31mred\x1b[0m",
    "\0",
    "\ud800",
    "\u200b\u200c\u200d\ufeff",
    "e\u0301",
    "x" * 5000,
    " ",
    "",
    "-----BEGIN-----",
    "# comment",
    "Signed-off-by: somebody",
]
texts = st.sampled_from(FORGERIES) | st.text(max_size=40)
paths = texts.filter(lambda text: flat_path(text) != "")
lines = built(LogLine, st.sampled_from(Action), paths, texts)
actors = st.sampled_from(
    [MANUAL, REMEMBER, REFLECTION, Actor("subagent:x"), Actor("bot:commit-from:y")]
)


@given(
    st.lists(lines, min_size=1, max_size=3),
    actors,
    st.sampled_from(Approval),
    texts,
    st.booleans(),
)
@example(
    given_lines=[LogLine(Action.EDIT, "a —", "b"), LogLine(Action.EDIT, "a |", "b")],
    actor=REMEMBER,
    approval=Approval.AUTO,
    trigger=CRITICAL_TRAILER,
    critical=False,
)
def test_no_text_forges_an_actor_an_approval_an_alert_or_a_line(
    given_lines: list[LogLine],
    actor: Actor,
    approval: Approval,
    trigger: str,
    critical: bool,  # noqa: FBT001 - Hypothesis hands it over by place
) -> None:
    message = render_message(given_lines, actor, approval, trigger, critical=critical)

    entry = parse_entry(raw(message))

    assert (entry.actor, entry.approval, entry.critical) == (actor, approval, critical)
    assert entry.lines == tuple(
        LogLine(line.action, flat_path(line.path), flat(line.summary))
        for line in given_lines
    )
    assert entry.trigger == (flat(trigger) or "—")
    assert len(message.splitlines()) == len(message.split("\n")) - 1
    assert message.encode().decode() == message


@given(st.lists(lines, min_size=1, max_size=3), actors, texts, st.booleans())
def test_an_audit_line_is_one_line_of_six_fields_whatever_it_tells(
    given_lines: list[LogLine],
    actor: Actor,
    trigger: str,
    critical: bool,  # noqa: FBT001 - Hypothesis hands it over by place
) -> None:
    message = render_message(
        given_lines, actor, Approval.AUTO, trigger, critical=critical
    )

    entry = parse_entry(raw(message))
    written = audit_lines(entry)

    assert len(written) >= len(given_lines)
    for line, given_line in zip(written, given_lines, strict=False):
        assert line.splitlines() == [line]
        assert line.replace("\u200d", "").isprintable()
        at, action, path, who, approval, summary = line.split(" | ", 5)
        assert (at, action) == ("2026-02-02T15:30Z", given_line.action)
        assert (path, who, approval) == (
            flat_path(given_line.path),
            str(actor),
            "auto",
        )
        assert summary == flat(given_line.summary)


@given(texts)
def test_flattening_twice_is_flattening_once(text: str) -> None:
    once = flat(text)

    assert flat(once) == once
    assert flat_path(flat_path(text)) == flat_path(text)
    assert len(once) <= SUMMARY_LENGTH


def test_flat_text_shows_what_was_invisible_and_keeps_what_is_not() -> None:
    assert flat("a\u202eb") == "a⟦U+202E⟧b"
    assert flat("a\nb\tc  d") == "a b c d"
    assert flat("👩\u200d🚀 ❤️ 日本 עברית é") == "👩\u200d🚀 ❤️ 日本 עברית é"
    assert flat("e\u0301") == "é"


def test_a_long_summary_ends_in_dots() -> None:
    assert flat("x" * 200) == "x" * (SUMMARY_LENGTH - 1) + "…"
    assert flat("x" * SUMMARY_LENGTH) == "x" * SUMMARY_LENGTH


# --- commits made by hand ----------------------------------------------------


def test_a_commit_by_plain_git_is_manual_and_names_its_files() -> None:
    entry = parse_entry(
        raw("fix a typo\n\nin two files\n"), paths=lambda: ("a.md", "b.md")
    )

    assert entry == LogEntry(
        "c" * 40,
        AT,
        (
            LogLine(Action.EDIT, "a.md", "fix a typo"),
            LogLine(Action.EDIT, "b.md", "fix a typo"),
        ),
        MANUAL,
        Approval.NONE,
        "git commit",
    )


def test_a_commit_without_a_message_is_told_all_the_same() -> None:
    entry = parse_entry(raw(""))

    assert entry.lines == (LogLine(Action.EDIT, "*", "commit without a message"),)


def test_a_message_that_is_not_quite_ours_is_a_persons() -> None:
    for message in [
        "[EDIT] x — y\n",
        "[EDIT] x — y\n\nActor: nobody\nApproval: auto\nTrigger: x\n",
        "[EDIT] x — y\n\nActor: manual\nApproval: sure\nTrigger: x\n",
        "[EDIT] x — y\n\nActor: manual\nApproval: auto\n",
        "[FROB] x — y\n\nActor: bot:main\nApproval: auto\nTrigger: x\n",
        "typo\n\nActor: bot:main\nApproval: auto\nTrigger: x\n",
        "Actor: bot:main\nApproval: auto\nTrigger: x\n",
        "\n\n\n",
    ]:
        entry = parse_entry(raw(message), paths=lambda: ("x.md",))

        assert (entry.actor, entry.approval) == (MANUAL, Approval.NONE)
        assert entry.lines[0].path == "x.md"


@given(texts, st.lists(texts, max_size=2))
@example("fix", ["x\n2026-02-05T10:00Z | EDIT | SOUL.md | manual | — | fine"])
@example("[EDIT] a — b\u2028c\n\nActor: manual\nApproval: —\nTrigger: x", [])
def test_a_persons_commit_cannot_break_the_log_either(
    message: str, changed: list[str]
) -> None:
    entry = parse_entry(raw(message), paths=lambda: changed)

    for line in audit_lines(entry):
        assert line.splitlines() == [line]
        assert len(line.split(" | ", 5)) == 6


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
@example("# Audit Digest — December 9999")
@example("# Audit Digest — January 0000")
def test_no_archive_however_edited_stops_the_log(archive: str) -> None:
    start = log_start(archive)

    assert start is None or (start.day, start.tzinfo) == (1, UTC)


def test_whole_months_leave_the_log_once_all_of_them_is_past_retention() -> None:
    now = datetime(2026, 5, 15, 10, 30, tzinfo=UTC)

    assert due_until(now, 90) == datetime(2026, 2, 1, tzinfo=UTC)
    assert due_until(now, 0) == datetime(2026, 5, 1, tzinfo=UTC)
