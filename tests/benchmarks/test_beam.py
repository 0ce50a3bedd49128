"""BEAM's folders as tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.beam import load_beam, message_ids
from benchmarks.suite.tasks import Doc, MissingDataError
from tests.benchmarks.made_up import chat, write_beam

if TYPE_CHECKING:
    from pathlib import Path


def test_messages_lose_their_plan_numbers_and_keep_the_last_date(
    tmp_path: Path,
) -> None:
    write_beam(tmp_path, chat(4), {})

    (task,) = load_beam(tmp_path)

    assert task.docs[1:3] == (
        Doc("1", "All right.", "March-10-2024", "batch 1"),
        Doc("2", "message 2", "March-12-2024", "batch 2"),
    )


def test_questions_are_those_with_a_source_in_the_chat(tmp_path: Path) -> None:
    asked = {
        "abstention": [{"question": "Unsaid?"}],
        "summarization": [{"question": "All?", "source_chat_ids": [0, 3, 77]}],
        "event_ordering": [{"question": "Gone?", "source_chat_ids": [77]}],
    }
    write_beam(tmp_path, chat(4), asked)

    (task,) = load_beam(tmp_path)

    (question,) = task.questions
    assert question.kind == "summarization"
    assert question.gold == {"0", "3"}


def test_a_source_is_read_however_it_is_nested() -> None:
    for source in ([1, 2], {"first": [1], "second": 2}, [[1], {"x": [[2]]}, None, "7"]):
        assert message_ids(source) == {"1", "2"}


def test_chats_come_by_number(tmp_path: Path) -> None:
    for number in (10, 9):
        write_beam(tmp_path, chat(2), {}, number)

    assert [task.name for task in load_beam(tmp_path)] == ["100K/9", "100K/10"]


def test_absent_data_is_named_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"500K/1/chat\.json.*BEAM"):
        next(load_beam(tmp_path, "500K"))


def test_a_chat_without_its_questions_is_reported(tmp_path: Path) -> None:
    write_beam(tmp_path, chat(2), {})
    folder = tmp_path / "beam/chats/100K/1/probing_questions"
    (folder / "probing_questions.json").unlink()

    with pytest.raises(MissingDataError, match="probing_questions"):
        next(load_beam(tmp_path))
