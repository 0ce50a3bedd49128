"""LongMemEval's files as tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.longmemeval import load_pool, load_sessions, load_turns
from benchmarks.suite.tasks import Doc, MissingDataError
from tests.benchmarks.made_up import haystack, write_longmemeval

if TYPE_CHECKING:
    from pathlib import Path


def test_sessions_come_by_date_once_and_with_the_user_s_words(tmp_path: Path) -> None:
    write_longmemeval(tmp_path, [haystack("q1", kind="multi-session", gold=["s2"])])

    (task,) = load_sessions(tmp_path)

    assert [doc.id for doc in task.docs] == ["s1", "s2", "s3"]
    assert task.docs[0] == Doc("s1", "user s1", "2024/01/01 (Mon) 10:00", "s1")
    assert task.questions[0].gold == {"s2"}
    assert task.questions[0].time == "2024/02/01 (Thu) 08:00"


def test_turns_are_the_user_s_and_gold_where_they_answer(tmp_path: Path) -> None:
    write_longmemeval(tmp_path, [haystack("q1", kind="multi-session", gold=["s2"])])

    (task,) = load_turns(tmp_path)

    assert [doc.id for doc in task.docs] == ["s1#0", "s2#0", "s3#0"]
    assert task.questions[0].gold == {"s2#0"}


def test_a_question_only_the_assistant_answered_is_asked_by_session_alone(
    tmp_path: Path,
) -> None:
    stored = haystack("q1", kind="single-session-assistant", gold=["s2"])
    for turn in (turn for turns in stored["haystack_sessions"] for turn in turns):
        turn["has_answer"] = turn["role"] == "assistant"
    write_longmemeval(tmp_path, [stored])

    assert len(list(load_sessions(tmp_path))) == 1
    assert list(load_turns(tmp_path)) == []


def test_a_question_to_be_refused_is_left_out(tmp_path: Path) -> None:
    write_longmemeval(tmp_path, [haystack("q1_abs", kind="multi-session", gold=["s2"])])

    assert list(load_sessions(tmp_path)) == []


def test_the_pool_keeps_each_session_once_and_those_of_refusals(
    tmp_path: Path,
) -> None:
    kept = haystack("q1", kind="multi-session", gold=["s2"])
    refused = haystack("q2_abs", kind="multi-session", gold=["s4"])
    refused["haystack_session_ids"] = ["s2", "s1", "s4", "s1"]
    write_longmemeval(tmp_path, [kept, refused], "longmemeval_oracle.json")

    (task,) = load_pool(tmp_path)

    assert [doc.id for doc in task.docs] == ["s1", "s2", "s3", "s4"]
    assert [question.id for question in task.questions] == ["q1"]


def test_the_cleaned_file_is_preferred(tmp_path: Path) -> None:
    write_longmemeval(tmp_path, [haystack("q1", kind="x", gold=["s1"])])
    cleaned = [haystack("q2", kind="x", gold=["s1"])]
    write_longmemeval(tmp_path, cleaned, "longmemeval_s_cleaned.json")

    assert [task.name for task in load_sessions(tmp_path)] == ["q2"]


def test_absent_data_is_named_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"oracle\.json.*huggingface"):
        next(load_pool(tmp_path))
