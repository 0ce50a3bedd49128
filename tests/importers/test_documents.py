"""Reading Markdown and plain text, piece by piece."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.importers.samples import (
    NOON,
    everything,
    passages,
    shaped,
    source,
    survey,
    write,
    zipped,
)
from tests.strategies import files

from reverie.importers.documents import (
    TOGETHER,
    FrontMatter,
    cut,
    day_in_name,
    find_pieces,
    find_tags,
    outline,
    parse_day,
    parse_front_matter,
    parse_time,
    titled,
    without_remarks,
)
from reverie.importers.walk import NOWHERE, Passage, Provenance, parse_moment
from reverie.printable import mended, storable

if TYPE_CHECKING:
    from pathlib import Path

GARDEN = "Garden › Plan"  # noqa: RUF001 - the mark is meant
DAY = datetime(2026, 2, 2, tzinfo=UTC)
PARAGRAPH = "One sentence of some length that says little. " * 8


def test_a_small_note_is_one_passage_with_all_it_says_about_itself(
    tmp_path: Path,
) -> None:
    text = "---\ntitle: Garden\ntags: [green]\ndate: 2026-02-02\n---\n# Plan\n\nDig.\n"
    path = write(tmp_path / "n.md", text)

    (found,) = passages(path, "markdown", "notes/n.md")

    assert found == Passage(
        Provenance("markdown", "notes/n.md", 6), GARDEN, "Dig.", DAY, ("green",)
    )


def test_a_long_note_is_cut_at_its_headings(tmp_path: Path) -> None:
    text = f"# One\n{PARAGRAPH * 4}\n# Two\n{PARAGRAPH * 4}\n## Inner\nx\n"
    path = write(tmp_path / "n.md", text)

    found = passages(path, "markdown")

    assert [(p.title, p.origin.line) for p in found] == [
        (titled("n", ["One"]), 1),
        (titled("n", ["Two"]), 3),
        (titled("n", ["Two", "Inner"]), 5),
    ]


def test_a_long_section_is_cut_at_its_paragraphs_under_one_title(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "n.md", "# One\n\n" + f"{PARAGRAPH}\n\n" * 10)

    found = passages(path, "markdown")

    assert len(found) == 4
    assert {p.title for p in found} == {titled("n", ["One"])}
    assert [p.origin.line for p in found] == [3, 9, 15, 21]


def test_a_title_that_repeats_the_file_name_is_said_once(tmp_path: Path) -> None:
    path = write(tmp_path / "Recipes.md", "# recipes\n## Bread\nflour")

    assert passages(path, "markdown")[0].title == titled("Recipes", ["Bread"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\ncreated: 2026-02-02\n---\n# 2020-01-01\nx"),
        ("2020-01-01.md", "---\ndate: 2026-02-02\n---\nx"),
        ("2026-02-02-standup.md", "# 2020-01-01\nx"),
        ("a.md", "# Log\n## 2026-02-02\nx"),
    ],
)
def test_the_date_is_the_one_that_is_said_most_clearly(
    tmp_path: Path, name: str, text: str
) -> None:
    (found,) = passages(write(tmp_path / name, text), "markdown")

    assert found.at == DAY


@pytest.mark.parametrize("kind", ["markdown", "text", "obsidian", "openclaw"])
def test_a_file_that_names_no_date_is_as_old_as_the_file(
    tmp_path: Path, kind: str
) -> None:
    path = write(tmp_path / "a.md", "x")
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))

    assert passages(path, kind)[0].at == NOON


def test_a_file_in_a_zip_is_as_old_as_the_zip_says(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.md": "x"})

    (found,), _, _ = everything(survey(path))

    assert found.at
    assert found.at.tzinfo is NOWHERE


def test_a_file_whose_zip_gives_no_clear_date_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr(ZipInfo("a.md", (1980, 1, 1, 0, 0, 0)), "x")
        archive.writestr(ZipInfo("b.md", (2026, 0, 0, 0, 0, 0)), "x")

    found, _, _ = everything(survey(path))

    assert [passage.at for passage in found] == [None, None]


def test_each_day_of_a_journal_has_its_own_date(tmp_path: Path) -> None:
    path = write(tmp_path / "journal.md", "# 2026-02-02\nx\n# 2026-02-03\ny\n")

    assert [p.at.day for p in passages(path, "markdown") if p.at] == [2, 3]


def test_a_plain_text_is_read_some_paragraphs_at_a_time(tmp_path: Path) -> None:
    path = write(
        tmp_path / "2026-02-02 talk.txt", f"# no heading\n\n{PARAGRAPH}\n\n" * 4
    )

    found = passages(path, "text")

    assert {p.title for p in found} == {"2026-02-02 talk"}
    assert {p.at for p in found} == {DAY}
    assert found[0].text.startswith("# no heading")
    assert len(found) == 2


def test_a_file_in_latin_1_is_read_with_a_note(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "café".encode("latin-1"))

    (found,), _, (note,) = everything([source(path, "text")])

    assert found.text == "café"
    assert (note.severity, "Latin-1" in note.what) == ("note", True)


def test_a_file_in_utf_16_is_read_without_a_word(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "# A\r\nü\r\n".encode("utf-16"))

    assert passages(path, "markdown")[0].text == "ü"


def test_what_is_no_text_is_not_read_as_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", b"\x89PNG\x00\xff\xfe")

    found, _, (finding,) = everything([source(path, "markdown")])

    assert found == []
    assert finding.what == "is not text"


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntitle: x\n---\n", "#\n"])
def test_a_file_without_words_has_no_passages(tmp_path: Path, text: str) -> None:
    assert passages(write(tmp_path / "a.md", text), "markdown") == []


@given(text=files)
@example(text="\ufe00\U000e0100\n")
@pytest.mark.parametrize("kind", ["markdown", "text", "obsidian", "openclaw"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_passage_of_any_file_can_be_stored(
    tmp_path: Path, kind: str, text: str
) -> None:
    path = write(tmp_path / "a.md", text)

    found, _, _ = everything([source(path, kind)])

    for passage in found:
        # As it is filed; a file may hold nothing but selectors.
        assert storable(mended(passage.text), 1 << 20)
        assert 1 <= passage.origin.line <= text.count("\n") + text.count("\r") + 1
        assert "\n" not in passage.title


@given(data=st.binary())
@pytest.mark.parametrize("kind", ["markdown", "text", "obsidian", "openclaw"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_as_passages_or_findings(
    tmp_path: Path, kind: str, data: bytes
) -> None:
    path = write(tmp_path / "a.md", data)

    found, chats, _ = everything([source(path, kind)])

    assert chats == []
    assert all(passage.text.strip() for passage in found)


# --- days and times ---------------------------------------------------------


def test_a_heading_that_begins_with_a_date_names_that_day() -> None:
    for text in [
        "2026-02-02",
        "2026/2/2",
        "[[2026-02-02]]",
        "2026-02-02 — Episode Log",
        "Monday, 2 February 2026",
        "Mon 2026-02-02",
        "February 2, 2026",
        "Feb 2nd 2026",
        "2 feb. 2026",
    ]:
        assert parse_day(text) == DAY


def test_what_is_no_day_is_none() -> None:
    for text in [
        "",
        "Lunch",
        "2026",
        "2026-13-02",
        "2026-02-30",
        "9999-01-01",
        "v2.0.1",
    ]:
        assert parse_day(text) is None


def test_a_date_in_a_file_name_is_found() -> None:
    for name in [
        "2026-02-02.md",
        "notes/2026-02-02-standup.md",
        "standup 2026_02_02.md",
        "20260202.txt",
        "2026-02-02-9999.md",
    ]:
        assert day_in_name(name) == DAY


def test_a_time_behind_the_date_in_a_file_name_counts() -> None:
    assert day_in_name("2026-02-02-1430.md") == DAY.replace(hour=14, minute=30)


def test_only_the_file_itself_can_name_a_day() -> None:
    for name in ["2026-02-02/plan.md", "12345678901.md", "a.md"]:
        assert day_in_name(name) is None


def test_a_time_at_the_beginning_is_read() -> None:
    for text, clock in [
        ("14:30", time(14, 30)),
        ("14:30:05 Standup", time(14, 30, 5)),
        ("**9:05** — tea", time(9, 5)),
        ("[2:30 PM] call", time(14, 30)),
        ("12:10 am", time(0, 10)),
        ("- 08:00 up", time(8)),
    ]:
        assert parse_time(text) == clock


def test_what_is_no_time_is_none() -> None:
    for text in ["", "at 14:30", "25:00", "14:99", "13:00 pm", "1430"]:
        assert parse_time(text) is None


def test_a_moment_is_read_from_seconds_milliseconds_and_text() -> None:
    for value in [
        1770000000,
        1770000000.0,
        1770000000000,
        "2026-02-02T02:40:00Z",
        "2026-02-02T03:40:00+01:00",
        "2026-02-02 02:40",
    ]:
        assert parse_moment(value) == datetime(2026, 2, 2, 2, 40, tzinfo=UTC)


@given(shaped("a"))
def test_any_value_is_a_moment_in_utc_or_none(value: object) -> None:
    at = parse_moment(value)

    assert at is None or at.tzinfo is UTC


# --- front matter -----------------------------------------------------------


def test_title_tags_and_date_are_read() -> None:
    text = (
        "---\ntitle: 'My  plan'\ntags:\n  - garden\n  - '#home/roof'\n"
        "date: 2026-02-02\naliases: [x]\n---\nbody\n"
    )

    assert parse_front_matter(text) == FrontMatter(
        title="My plan",
        tags=("garden", "home/roof"),
        at=datetime(2026, 2, 2, tzinfo=UTC),
        lines=8,
        names=("My  plan", "x"),
    )


def test_tags_may_be_written_in_many_ways() -> None:
    for tags in [
        "tags: [a, 'b', a]",
        "tags: a, b",
        "tags: a b",
        "tags: '#a #b'",
        "Tags:\n- a\n- b",
        "tag: a\ntags: b",
        'tags: ["a", "b"]',
    ]:
        assert set(parse_front_matter(f"---\n{tags}\n---\n").tags) == {"a", "b"}


def test_a_date_may_have_a_time() -> None:
    for line in [
        "created: 2026-02-02T14:30:00Z",
        "date: 2026-02-02 14:30",
        "created_at: 2026-02-02T14:30",
    ]:
        found = parse_front_matter(f"---\n{line}\n---\n")

        assert found.at == datetime(2026, 2, 2, 14, 30, tzinfo=UTC)


def test_a_date_that_is_none_is_left_aside_for_the_next() -> None:
    found = parse_front_matter("---\ndate: soon\ncreated: 2026-02-02\n---\n")

    assert found.at == datetime(2026, 2, 2, tzinfo=UTC)


def test_what_is_not_closed_or_not_at_the_top_is_no_front_matter() -> None:
    for text in ["", "# x", "---\ntitle: x\n", "text\n---\na: b\n---\n"]:
        assert parse_front_matter(text) == FrontMatter()


def test_nested_fields_are_left_aside() -> None:
    text = "---\nx:\n  title: inner\ntitle: outer\nhttp://a: b\n: c\n---\n"

    assert parse_front_matter(text).title == "outer"


@given(files)
def test_any_file_has_some_front_matter_or_none(text: str) -> None:
    found = parse_front_matter(f"---\n{text}\n---\n")

    assert found.lines <= text.count("\n") + 3
    assert all(tag and not tag.startswith("#") for tag in found.tags)


# --- headings and pieces ----------------------------------------------------


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in outline(text)]


def test_headings_stand_under_the_headings_above_them() -> None:
    text = "intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"

    assert paths(text) == [
        (),
        ("A",),
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "D"),
        ("E",),
    ]


def test_what_only_looks_like_a_heading_is_none() -> None:
    for text in [
        "```\n# not\n```\n",
        "~~~sh\n## not\n~~~\n",
        "<!--\n# not\n-->\n",
        "#tag\n",
        "    # code\n",
        "####### seven\n",
        "- item\n---\n",
        "two\nlines\n---\n",
        "| a |\n---\n",
        "x\n\n---\n",
    ]:
        assert paths(text) == [()]


def test_a_line_below_a_line_makes_it_a_heading() -> None:
    assert paths("Title\n=====\nx\n\nPart\n---\ny") == [
        (),
        ("Title",),
        ("Title", "Part"),
    ]


def test_the_marks_around_a_heading_are_no_words() -> None:
    for line, words in [
        ("# A #", "A"),
        ("#", ""),
        ("# C#", "C#"),
        ("#\tA", "A"),
        ("# #", ""),
        ("# a\r", "a"),
    ]:
        assert paths(line)[-1] == (words,)


def test_a_heading_that_is_a_date_gives_its_day_to_all_below_it() -> None:
    _, day, inner, other = outline("# 2026-02-02\n## Lunch\nx\n# Ideas\n")

    assert day.day == inner.day == datetime(2026, 2, 2, tzinfo=UTC)
    assert other.day is None


def test_a_heading_with_only_headings_below_it_is_bare() -> None:
    assert [s.bare for s in outline("# A\n## B\nx\n## C\n")] == [
        True,
        True,
        False,
        False,
    ]


@given(files)
def test_the_sections_of_any_file_join_to_the_file_again(text: str) -> None:
    sections = outline(text)

    assert "".join(section.raw for section in sections) == text
    assert [s.line for s in sections] == sorted(s.line for s in sections)


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_a_long_text_is_cut_between_its_paragraphs() -> None:
    text = f"{PARAGRAPH}\n\n" * 9

    pieces = cut(text)

    assert [line for line, _ in pieces] == [1, 7, 13]
    assert all(len(piece) <= TOGETHER for _, piece in pieces)
    assert all(piece.startswith("One") for _, piece in pieces)


def test_a_code_fence_is_never_cut() -> None:
    fence = "```\n" + "x = 1\n\n# no heading\n" * 300 + "```"

    pieces = cut(f"{PARAGRAPH}\n\n{fence}\n\n{PARAGRAPH}")

    assert fence in [piece for _, piece in pieces]


def test_a_code_fence_right_below_a_paragraph_is_not_cut_either() -> None:
    fence = "```\n" + "x = 1\n" * 600 + "```"

    pieces = cut(f"{PARAGRAPH}\n{fence}\nafter")

    assert sum(fence in piece for _, piece in pieces) == 1


def test_a_paragraph_that_is_too_long_is_cut_at_its_lines() -> None:
    text = "a line of a long list\n" * 200

    pieces = cut(text)

    assert all(piece.endswith("list") for _, piece in pieces)
    assert all(len(piece) <= TOGETHER for _, piece in pieces)
    assert pieces[1][0] == pieces[0][1].count("\n") + 2


def test_one_endless_line_is_cut_at_its_sentences() -> None:
    pieces = cut(PARAGRAPH * 20)

    assert len(pieces) > 5
    assert all(piece.strip().endswith(".") for _, piece in pieces)


BITS = ["a. ", "\n", "\n\n", "```\n", "# b\n", "x" * 900, "word " * 500, "- c\n" * 300]


@given(st.lists(st.sampled_from(BITS), max_size=15).map("".join))
def test_cutting_a_long_text_loses_no_letter(text: str) -> None:
    pieces = cut(text)

    assert letters("".join(piece for _, piece in pieces)) == letters(text)
    assert [line for line, _ in pieces] == sorted(line for line, _ in pieces)


def test_short_sections_side_by_side_stay_together_with_their_headings() -> None:
    (piece,) = find_pieces(outline("# T\n\n## A\nx\n\n## B\ny\n"))

    assert piece.path == ("T",)
    assert piece.text == "## A\nx\n\n## B\ny"


def test_a_lone_section_has_its_heading_in_its_path_only() -> None:
    (piece,) = find_pieces(outline("# T\n## A\nx\n"))

    assert (piece.path, piece.text, piece.line) == (("T", "A"), "x", 2)


def test_a_section_keeps_its_short_subsections() -> None:
    (piece,) = find_pieces(outline("# T\nintro\n## A\nx\n"))

    assert (piece.path, piece.text) == (("T",), "intro\n\n## A\nx")


def test_sections_under_different_headings_do_not_mix() -> None:
    long = PARAGRAPH * 4
    text = f"# T\n## A\n{long}\n### A1\nx\n## B\ny\n"

    found = [(p.path, p.text) for p in find_pieces(outline(text))]

    assert found == [
        (("T", "A"), long.strip()),
        (("T", "A", "A1"), "x"),
        (("T", "B"), "y"),
    ]


def test_days_do_not_mix() -> None:
    first, second = find_pieces(outline("# 2026-02-02\nx\n# 2026-02-03\ny\n"))

    assert (first.text, second.text) == ("x", "y")
    assert first.day != second.day


def test_a_heading_with_nothing_below_it_is_kept_as_words() -> None:
    (piece,) = find_pieces(outline("# Buy milk\n"))

    assert piece.text == "Buy milk"


def test_an_empty_heading_at_the_end_of_a_group_goes_with_what_it_heads() -> None:
    text = f"# A\nx\n# B\n## C\n{PARAGRAPH * 4}\n"

    first, second = find_pieces(outline(text))

    assert (first.path, first.text) == (("A",), "x")
    assert second.path == ("B", "C")


@given(files)
def test_no_body_of_any_file_is_lost(text: str) -> None:
    sections = outline(text)
    pieces = find_pieces(sections)

    held = letters("".join(piece.text for piece in pieces))
    assert all(piece.text.strip() for piece in pieces)
    assert all(letters(section.body) in held for section in sections)


# --- Obsidian ---------------------------------------------------------------


def test_links_and_embeds_stay_and_tags_are_collected(tmp_path: Path) -> None:
    words = "See [[Ada|her]] and ![[plan.png]]. #home/roof #2026"
    path = write(tmp_path / "n.md", f"---\ntags: [project]\n---\n{words}\n")

    (found,) = passages(path, "obsidian")

    assert found.text == words
    assert found.tags == ("project", "home/roof")
    assert found.origin.kind == "obsidian"


def test_each_passage_has_the_tags_of_its_own_text(tmp_path: Path) -> None:
    long = "word " * 300
    path = write(tmp_path / "n.md", f"# A\n#one {long}\n# B\n#two {long}\n")

    assert [p.tags for p in passages(path, "obsidian")] == [("one",), ("two",)]


def test_what_only_looks_like_a_tag_is_none() -> None:
    for text in [
        "# heading",
        "a#b",
        "https://x/#y",
        "`#code`",
        "``#co`de``",
        "```\n#code\n```",
        "#1",
        "##x",
    ]:
        assert find_tags(text) == []


def test_comments_go_and_lines_stay_where_they_are(tmp_path: Path) -> None:
    text = "a %%secret%% b\n\n%%\nhidden\n```\ncode\n```\n%%\n\n# Next\nend\n"

    assert without_remarks(text) == "a  b\n\n\n\n\n\n\n\n\n# Next\nend\n"
    (found,) = passages(write(tmp_path / "n.md", text), "obsidian")
    assert "secret" not in found.text
    assert "code" not in found.text


def test_what_is_no_comment_stays() -> None:
    for text in ["100 %% sure", "```\n%% a %%\n```", "`%%` and `%%`", "no comment"]:
        assert without_remarks(text) == text


@given(files)
def test_no_line_of_any_note_is_moved(text: str) -> None:
    kept = without_remarks(text.replace("x", "%%"))

    assert kept.count("\n") == text.count("\n")


# --- OpenClaw ---------------------------------------------------------------


def log(folder: Path, text: str, name: str = "2026-02-02.md") -> list[Passage]:
    return passages(write(folder / name, text), "openclaw", f"memory/{name}")


def test_each_section_of_a_daily_log_is_an_entry_of_that_day(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        "# 2026-02-02\n\n## Standup\n- shipped\n- slept\n\n## Decisions\nPostgres.\n",
    )

    assert [(p.title, p.text, p.at) for p in found] == [
        (titled("2026-02-02", ["Standup"]), "- shipped\n- slept", DAY),
        (titled("2026-02-02", ["Decisions"]), "Postgres.", DAY),
    ]
    assert [p.origin.line for p in found] == [3, 7]
    assert found[0].origin.kind == "openclaw"


def test_a_time_in_a_heading_is_the_time_of_its_entry(tmp_path: Path) -> None:
    found = log(tmp_path, "## 14:30\nCall.\n## 4:05 PM — Tea\nWith Ada.\n")

    assert [p.at for p in found] == [
        DAY.replace(hour=14, minute=30),
        DAY.replace(hour=16, minute=5),
    ]


def test_deeper_headings_belong_to_the_entry_above_them(tmp_path: Path) -> None:
    (found,) = log(tmp_path, "## Work\nx\n### Detail\ny\n")

    assert found.text == "x\n### Detail\ny"


def test_a_list_item_under_no_section_is_an_entry(tmp_path: Path) -> None:
    found = log(tmp_path, "# Monday\n- 09:15 up\n  early\n- bed\n\nand a remark\n")

    assert [(p.text, p.at) for p in found] == [
        ("09:15 up\nearly", DAY.replace(hour=9, minute=15)),
        ("bed", DAY),
        ("and a remark", DAY),
    ]
    assert {p.title for p in found} == {titled("2026-02-02", ["Monday"])}


def test_long_term_memory_has_the_same_entries(tmp_path: Path) -> None:
    found = log(tmp_path, "# Memory\n- likes tea\n## People\n- Ada\n", "MEMORY.md")

    assert [(p.title, p.text) for p in found] == [
        ("MEMORY", "likes tea"),
        (titled("MEMORY", ["People"]), "- Ada"),
    ]


def test_a_long_section_is_cut_between_its_paragraphs(tmp_path: Path) -> None:
    text = "## Notes\n" + ("- something that happened today\n\n" * 100)

    found = log(tmp_path, text)

    assert len(found) == 3
    assert {p.title for p in found} == {titled("2026-02-02", ["Notes"])}


def test_a_long_list_item_is_cut_too(tmp_path: Path) -> None:
    found = log(tmp_path, "- " + "many words and more. " * 300)

    assert len(found) > 3
    assert all(len(p.text) <= 2_000 for p in found)


def test_a_session_that_was_saved_has_the_time_it_began(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        "# Session: 2026-02-02 14:30:10 UTC\n\n- **Source**: chat\n\n## Summary\nx\n",
        "2026-02-02-api-design.md",
    )

    assert {p.at for p in found} == {DAY.replace(hour=14, minute=30, second=10)}


def test_an_entry_of_no_known_day_has_none(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "## 08:00\nx\n")
    os.utime(path, (0, 0))

    assert passages(path, "openclaw")[0].at is None


def test_an_undated_file_takes_the_day_of_its_heading(tmp_path: Path) -> None:
    (found,) = log(tmp_path, "# 2026-02-02\n## 08:00\nx\n", "diary.md")

    assert found.at == DAY.replace(hour=8)


@pytest.mark.parametrize("mark", ["```", "  ~~~ python", "<!-- a remark"])
def test_what_is_never_closed_swallows_no_heading_below_it(mark: str) -> None:
    text = f"# Bees\n\nThey hum.\n\n{mark}\ncode\n\n# Garden\n\nDig.\n"

    assert [part.path for part in outline(text) if part.level] == [
        ("Bees",),
        ("Garden",),
    ]
