"""Commit messages and audit lines: the design's examples, and forgeries."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.ledger.audit_log import (
    CRITICAL_MARK,
    CRITICAL_TRAILER,
    SUMMARY_LENGTH,
    alert_text,
    audit_lines,
    flat,
    flat_path,
    parse_entry,
    render_message,
)
from reverie.ledger.repository import RawCommit
from reverie.model.change import (
    MANUAL,
    REMEMBER,
    Action,
    Actor,
    Approval,
    LogEntry,
    LogLine,
)

AT = datetime(2026, 2, 2, 15, 30, tzinfo=UTC)
REFLECTION = Actor("reflection:r-012")


def raw(message: str, at: datetime = AT) -> RawCommit:
    return RawCommit("c" * 40, "", "t" * 40, message, at, sealed=True)


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

    assert alert_text(entry).startswith("Critical file change detected.")


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
lines = st.builds(LogLine, st.sampled_from(Action), paths, texts)
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
@settings(max_examples=250)
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
@settings(max_examples=200)
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
@settings(max_examples=150)
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
    entry = parse_entry(raw("fix a typo\n\nin two files\n"), paths=("a.md", "b.md"))

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
        entry = parse_entry(raw(message), paths=("x.md",))

        assert (entry.actor, entry.approval) == (MANUAL, Approval.NONE)
        assert entry.lines[0].path == "x.md"


@given(texts, st.lists(texts, max_size=2))
@settings(max_examples=100)
@example("fix", ["x\n2026-02-05T10:00Z | EDIT | SOUL.md | manual | — | fine"])
@example("[EDIT] a — b\u2028c\n\nActor: manual\nApproval: —\nTrigger: x", [])
def test_a_persons_commit_cannot_break_the_log_either(
    message: str, changed: list[str]
) -> None:
    entry = parse_entry(raw(message), paths=changed)

    for line in audit_lines(entry):
        assert line.splitlines() == [line]
        assert len(line.split(" | ", 5)) == 6
