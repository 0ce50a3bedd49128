"""LoCoMo's file as tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.locomo import load_locomo
from benchmarks.suite.tasks import Doc, MissingDataError
from tests.benchmarks.made_up import LOCOMO, write_locomo

if TYPE_CHECKING:
    from pathlib import Path


def test_turns_come_by_session_with_date_and_caption(tmp_path: Path) -> None:
    write_locomo(tmp_path, [LOCOMO])

    (task,) = load_locomo(tmp_path)

    may = "1:56 pm on 8 May, 2024"
    assert task.docs[:2] == (
        Doc("D2:1", f"[{may}] Bob: I built a kite.", may, "D2"),
        Doc(
            "D2:2",
            f"[{may}] Ann: Look! [shared image: a photo of a ladder]",
            may,
            "D2",
        ),
    )
    assert [doc.id for doc in task.docs] == ["D2:1", "D2:2", "D10:1"]


def test_only_questions_with_evidence_that_can_be_found_are_asked(
    tmp_path: Path,
) -> None:
    write_locomo(tmp_path, [LOCOMO])

    (task,) = load_locomo(tmp_path)

    assert {question.kind: set(question.gold) for question in task.questions} == {
        "single-hop": {"D2:1"},
        "multi-hop": {"D2:1", "D2:2"},
    }


def test_absent_data_is_named_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"locomo10\.json.*snap-research"):
        next(load_locomo(tmp_path))
