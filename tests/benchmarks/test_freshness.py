"""The newer fact and the older one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.freshness import freshness, load_updates
from benchmarks.suite.tasks import MissingDataError
from tests.benchmarks.made_up import chat, haystack, write_beam, write_longmemeval

if TYPE_CHECKING:
    from pathlib import Path


def test_an_answer_is_judged_by_where_the_two_stand() -> None:
    for ranked, first, new, misled in (
        (["new", "old"], 1, 1, 0),
        (["old", "new"], 0, 1, 0),
        (["new"], 1, 1, 0),
        (["old", "1", "2", "3", "4", "new"], 0, 0, 1),
        (["1", "2", "3", "4", "5", "new", "old"], 1, 0, 0),
        ([], 0, 0, 0),
    ):
        figures = freshness(ranked, {"new"}, {"old"})

        assert list(figures.values()) == [first, new, misled]


def test_longmemeval_sets_the_newest_evidence_against_the_oldest(
    tmp_path: Path,
) -> None:
    stored = haystack("q1", kind="knowledge-update", gold=["s3", "s1", "s2"])
    other = haystack("q2", kind="multi-session", gold=["s1", "s2"])
    write_longmemeval(tmp_path, [stored, other])

    (task,) = load_updates(tmp_path)

    (question,) = task.questions
    assert question.gold == {"s3"}
    assert question.stale == {"s1"}
    assert question.kind == "LongMemEval"
    assert task.docs[0].text == "[2024/01/01 (Mon) 10:00] user s1\nassistant s1"


def test_beam_sets_the_update_against_the_original(tmp_path: Path) -> None:
    sources: list[object] = [
        {"original_info": [1, 0], "updated_info": [[2], 3]},
        {"original_info": [1], "updated_info": [1, 2]},
        [0, 1],
    ]
    asked = [{"question": "Which?", "source_chat_ids": source} for source in sources]
    write_beam(tmp_path, chat(4), {"knowledge_update": asked})

    (task,) = load_updates(tmp_path)

    (question,) = task.questions
    assert question.gold == {"3"}
    assert question.stale == {"0"}


def test_without_either_data_set_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="longmemeval_s_cleaned"):
        list(load_updates(tmp_path))
