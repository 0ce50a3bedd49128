"""Reading Markdown and plain text, piece by piece."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.importers.samples import (
    NOON,
    everything,
    passages,
    source,
    survey,
    write,
    zipped,
)
from tests.strategies import files

from reverie.importers.documents import titled
from reverie.importers.walk import Passage, Provenance
from reverie.stores.text import mended, storable

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
    assert found.at.tzinfo is UTC


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
