"""`reflection-log.md`, and its milestones."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.reflection.sayings import raw_words, said, words
from tests.strategies import FEW, built, days, files

from reverie.markdown import split_lines
from reverie.model.reflection import Choice
from reverie.reflection.log import (
    MILESTONES,
    STATUSES,
    Log,
    ReflectionEntry,
    append_entry,
    count,
    highest_number,
    milestone_due,
    parse_log,
    prune,
    render_entry,
    render_one_liner,
)
from reverie.workspace.layout import template

REFLECTION_LOG = template("reflection-log")

entries = built(
    ReflectionEntry,
    number=st.integers(1, 10**9 - 1),
    day=days,
    status=st.sampled_from(sorted(STATUSES.values())),
    vibe=words,
    insight=words,
    awareness=st.lists(said, max_size=3).map(tuple),
    operational=words,
    reason=words,
)


def entry(number: int, **fields: str) -> ReflectionEntry:
    plain = ReflectionEntry(
        number,
        date(2026, 1, 1) + timedelta(number),
        "approved",
        insight=f"insight {number}",
        operational="1 episodes, 2 entities, 0 archived",
    )
    return replace(plain, **fields)  # texts only


def grown(numbers: list[int]) -> tuple[str, str]:
    text, archive = REFLECTION_LOG, ""
    for number in numbers:
        text, archive = prune(append_entry(text, entry(number)), archive)
    return text, archive


def test_an_entry_reads_as_the_design_shows_it() -> None:
    told = ReflectionEntry(
        3,
        date(2026, 2, 4),
        "rejected",
        "tired, but amused",
        "Plans are drafts.",
        ("I rush when unsure.", "I joke a lot."),
        "3 episodes, 2 entities, 1 archived",
        "too soon",
    )

    assert render_entry(told) == (
        "## Reflection #3 — 2026-02-04\n"
        "### The Vibe\n"
        "tired, but amused\n"
        "### Key Insight\n"
        "Plans are drafts.\n"
        "### Self-Awareness\n"
        "I rush when unsure.\n"
        "I joke a lot.\n"
        "### Operational\n"
        "- 3 episodes, 2 entities, 1 archived\n"
        "- rejected: too soon\n"
    )


def test_sections_without_content_are_left_out() -> None:
    told = ReflectionEntry(3, date(2026, 2, 4), "approved")

    assert render_entry(told) == (
        "## Reflection #3 — 2026-02-04\n### Operational\n- approved\n"
    )


@given(st.lists(entries, min_size=1, max_size=3))
def test_what_is_appended_is_read_back(told: list[ReflectionEntry]) -> None:
    text = REFLECTION_LOG
    for each in told:
        text = append_entry(text, each)

    assert parse_log(text) == Log(tuple(told))


@given(files, entries)
def test_what_a_person_typed_stays_above_a_new_entry(
    text: str, told: ReflectionEntry
) -> None:
    after = append_entry(text, told)

    assert parse_log(after).entries[-1] == told
    if text.strip():
        assert after.startswith(text)


@given(days, words, st.sampled_from(sorted(STATUSES.values())))
def test_a_summary_line_is_read_back(day: date, insight: str, status: str) -> None:
    line = ReflectionEntry(12, day, status, insight=insight[:100].strip())

    assert parse_log(render_one_liner(line)).one_liners == (line,)


def test_a_summary_line_reads_as_the_design_shows_it() -> None:
    line = entry(12, insight="Prefers what can be undone")

    assert render_one_liner(line) == (
        "## Reflection #12 — 2026-01-13 | approved | "
        'Insight: "Prefers what can be undone"\n'
    )


def test_an_entry_from_before_statuses_was_approved() -> None:
    text = "## Reflection #1 — 2026-02-04\n### Operational\n- 2 episodes\n"

    (found,) = parse_log(text).entries

    assert (found.status, found.operational) == ("approved", "2 episodes")


def test_every_choice_has_a_status() -> None:
    assert set(STATUSES) == set(Choice) - {Choice.LATER}


def test_nothing_is_pruned_before_the_fifty_first() -> None:
    text, archive = grown(list(range(1, 51)))

    assert archive == ""
    assert len(parse_log(text).entries) == 50


def test_a_pruned_log_is_laid_out_as_the_design_shows_it() -> None:
    text, archive = grown(list(range(1, 52)))
    lines = [line for line in text.split("\n") if line.startswith(("## ", "- #"))]

    assert lines[:3] == [
        "## Archived Reflections (see reflection-archive.md)",
        "- #1-21: archived",
        "## Summary Lines (#22-31)",
    ]
    assert lines[3] == (
        '## Reflection #22 — 2026-01-23 | approved | Insight: "insight 22"'
    )
    assert lines[13] == "## Full Entries (#32-51)"
    assert lines[14] == "## Reflection #32 — 2026-02-02"
    assert [each.number for each in parse_log(archive).entries] == list(range(1, 32))


def test_of_any_number_of_reflections_none_is_lost() -> None:
    for size in [51, 95]:
        text, archive = grown(list(range(1, size + 1)))
        log, kept = parse_log(text), parse_log(archive)

        assert [e.number for e in log.entries] == list(range(size - 19, size + 1))
        assert [e.number for e in log.one_liners] == list(range(size - 29, size - 19))
        assert log.archived == frozenset(range(1, size - 29))
        assert list(kept.entries) == [entry(n) for n in range(1, size - 19)]
        assert count(text) == highest_number(text) == size


@settings(max_examples=FEW)
@given(
    st.lists(st.integers(1, 200), min_size=52, max_size=130, unique=True).map(sorted),
    st.lists(raw_words, min_size=3, max_size=3),
)
def test_gaps_and_hostile_words_lose_nothing(
    numbers: list[int], said: list[str]
) -> None:
    text, archive = REFLECTION_LOG, ""
    wanted = []
    for number in numbers:
        told = entry(number, vibe=said[0], insight=said[1], reason=said[2])
        wanted.append(parse_log(render_entry(told)).entries[0])
        text, archive = prune(append_entry(text, told), archive)
        assert prune(text, archive) == (text, archive)

    assert (*parse_log(archive).entries, *parse_log(text).entries) == tuple(wanted)
    assert count(text) == len(numbers)
    assert len(parse_log(text).entries) <= 20


def test_a_late_prune_gives_the_same_log_as_many_early_ones() -> None:
    text = REFLECTION_LOG
    for number in range(1, 91):
        text = append_entry(text, entry(number))

    assert prune(text, "") == grown(list(range(1, 91)))


@settings(max_examples=FEW)
@given(st.lists(files, min_size=2, max_size=2))
def test_what_a_person_wrote_between_survives_a_prune(typed: list[str]) -> None:
    notes = "## My own notes\nfirst\n\nsecond\n"
    text = REFLECTION_LOG + typed[0] + "\n"
    for number in range(1, 60):
        text = append_entry(text, entry(number))
        if number == 5:
            text += notes + typed[1]

    after, archive = prune(text, "")

    assert prune(after, archive) == (after, archive)
    assert notes in after
    for line in split_lines(text):
        assert line.strip() in after + archive, line


def test_notes_below_our_headings_survive_a_prune() -> None:
    text, archive = grown(list(range(1, 60)))
    text = text.replace("- #1-29: archived\n", "- #1-29: archived\n\nold times\n")
    text = text.replace(
        "## Full Entries (#40-59)\n", "## Full Entries (#40-59)\nmine\n"
    )
    line = next(
        line for line in text.split("\n") if line.startswith("## Reflection #30")
    )
    text = text.replace(line, f"{line}\nremember this one")

    after, archive = prune(append_entry(text, entry(60)), archive)

    assert "old times\n" in after
    assert "mine\n" in after
    assert "remember this one" in archive
    assert parse_log(after).archived == frozenset(range(1, 31))


def test_windows_line_ends_stay() -> None:
    text = REFLECTION_LOG.replace("\n", "\r\n")
    archive = ""
    for number in range(1, 60):
        text, archive = prune(append_entry(text, entry(number)), archive)

    assert text.count("\n") == text.count("\r\n")
    assert len(parse_log(text).entries) == 20
    assert len(parse_log(archive).entries) == 39


def test_ranges_may_have_holes() -> None:
    text = "## Archived Reflections\n- #1-7, #9: archived\n- #12-11: archived\n"

    assert parse_log(text).archived == {*range(1, 8), 9}
    assert (count(text), highest_number(text)) == (8, 9)


def test_a_number_counts_however_its_heading_goes_on() -> None:
    assert highest_number("## Reflection #41 — yesterday\n") == 41
    assert parse_log("## Reflection #41 — 2026-02-30\n") == Log()
    assert highest_number("") == count("") == 0


@given(files)
def test_any_file_can_be_read_and_pruned(text: str) -> None:
    assert prune(text, "") == (text, "")
    assert count(text) == 0


def test_a_long_file_does_not_hang() -> None:
    heads = "## Reflection #1 — 2026-01-01\n" * 1_000
    text = heads + "".join(f"## Reflection #{n} — 2026-01-01\n" for n in range(60))
    text += "\\" * 30_000 + "<" * 30_000 + "- #1-" * 5_000

    after, archive = prune(text, "")

    assert len(parse_log(after).entries) == 20
    assert len(parse_log(archive).entries) == 40


def test_four_reflections_are_milestones() -> None:
    assert sorted(MILESTONES) == [10, 25, 50, 100]
    assert str(MILESTONES[10]) == "#10 — First evolution summary"
    assert "state of understanding" in MILESTONES[100].task


def test_a_milestone_that_was_not_approved_is_the_next_ones() -> None:
    for number, approved, due in [
        (10, 9, 10),
        (9, 8, 0),
        (11, 10, 0),
        (11, 9, 10),
        (12, 9, 10),
        (26, 24, 25),
        (101, 100, 0),
        (60, 20, 50),
    ]:
        found = milestone_due(number, approved)

        assert (found.number if found else 0) == due
