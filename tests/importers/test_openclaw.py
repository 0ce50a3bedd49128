"""Reading the memory of an OpenClaw workspace: daily logs and `MEMORY.md`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.importers.samples import passages, write

from reverie.importers.documents import titled

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.importers.walk import Passage

DAY = datetime(2026, 2, 2, tzinfo=UTC)


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
    found = log(tmp_path, "# Monday\n- 09:15 up\n  early\n- bed\n\nand a remark\n-\n")

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
