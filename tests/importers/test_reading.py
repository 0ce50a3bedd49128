"""Reading what a survey found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.importers.samples import everything, source, survey, write, zipped

from reverie.importers import walk
from reverie.importers.intake import read

if TYPE_CHECKING:
    from pathlib import Path


def test_a_source_that_is_gone_gives_a_finding(tmp_path: Path) -> None:
    gone = source(write(tmp_path / "a.md", "x"), "markdown")
    gone.path.unlink()

    _, _, (finding,) = everything([gone])

    assert (finding.path, "cannot be read" in finding.what) == ("a.md", True)


def test_a_member_that_is_gone_gives_a_finding(tmp_path: Path) -> None:
    (found,) = survey(zipped(tmp_path / "a.zip", {"a.md": "x"}))

    _, _, (finding,) = everything([replace(found, member="b.md")])

    assert "cannot be read" in finding.what


@pytest.mark.parametrize("kind", walk.KINDS)
def test_a_source_above_the_limit_is_not_opened(tmp_path: Path, kind: str) -> None:
    large = replace(source(write(tmp_path / "a", "x"), kind), size=1 << 40)

    _, _, (finding,) = everything([large])

    assert "larger" in finding.what


def test_a_file_that_grew_since_the_survey_is_not_read_whole(tmp_path: Path) -> None:
    grown = source(write(tmp_path / "a.md", "x"), "markdown")
    write(grown.path, b"x" * (33 << 20))

    _, _, (finding,) = everything([grown])

    assert "larger" in finding.what


def test_a_source_of_no_known_kind_is_refused_at_once(tmp_path: Path) -> None:
    odd = source(write(tmp_path / "a.md", "x"), "word")

    with pytest.raises(walk.UnknownKindError):
        read(odd)


def test_two_readings_of_one_source_are_the_same(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "# A\nx\n# B\ny\n")
    write(tmp_path / "b.txt", "z")

    first = [list(read(each)) for each in survey(tmp_path)]
    second = [list(read(each)) for each in survey(tmp_path)]

    assert first == second
