"""Reading the notes of an Obsidian vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from tests.importers.samples import passages, write
from tests.strategies import files

from reverie.importers.obsidian import find_tags, without_remarks

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    "text",
    [
        "# heading",
        "a#b",
        "https://x/#y",
        "`#code`",
        "``#co`de``",
        "```\n#code\n```",
        "#1",
        "##x",
    ],
)
def test_what_only_looks_like_a_tag_is_none(text: str) -> None:
    assert find_tags(text) == []


def test_comments_go_and_lines_stay_where_they_are(tmp_path: Path) -> None:
    text = "a %%secret%% b\n\n%%\nhidden\n```\ncode\n```\n%%\n\n# Next\nend\n"

    assert without_remarks(text) == "a  b\n\n\n\n\n\n\n\n\n# Next\nend\n"
    (found,) = passages(write(tmp_path / "n.md", text), "obsidian")
    assert "secret" not in found.text
    assert "code" not in found.text


@pytest.mark.parametrize(
    "text", ["100 %% sure", "```\n%% a %%\n```", "`%%` and `%%`", "no comment"]
)
def test_what_is_no_comment_stays(text: str) -> None:
    assert without_remarks(text) == text


@given(files)
def test_no_line_of_any_note_is_moved(text: str) -> None:
    kept = without_remarks(text.replace("x", "%%"))

    assert kept.count("\n") == text.count("\n")
