"""A system is told nothing that gives the answer away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.blind import AnswerError, ask
from benchmarks.suite.tasks import Doc, Question, Task

if TYPE_CHECKING:
    from benchmarks.suite.blind import Entry, Query

TASK = Task(
    name="t",
    docs=(
        Doc("answer_1", "One", "2024", "answer_group"),
        Doc("other_2", "Two", None, "group"),
        Doc("answer_3", "Three", None, "answer_group"),
    ),
    questions=(
        Question("kind/0", "Which?", "2025", frozenset(["answer_1"]), "kind"),
        Question("kind/1", "What?", None, frozenset(["other_2"]), "kind"),
    ),
)


def test_ids_and_groups_are_numbers_and_gold_is_not_sent() -> None:
    seen: list[object] = []

    def retrieve(corpus: list[Entry], queries: list[Query], k: int) -> list[list[str]]:
        seen.extend([corpus, queries, k])
        return [[], []]

    ask(retrieve, TASK, 7)

    assert seen == [
        [
            {"id": "d0", "text": "One", "time": "2024", "group": "g0"},
            {"id": "d1", "text": "Two", "time": None, "group": "g1"},
            {"id": "d2", "text": "Three", "time": None, "group": "g0"},
        ],
        [
            {"id": "q0", "text": "Which?", "time": "2025"},
            {"id": "q1", "text": "What?", "time": None},
        ],
        7,
    ]


def test_an_answer_gets_its_names_back_without_repeats_and_no_longer_than_asked() -> (
    None
):
    answers = ask(lambda *_: [["d1", "d1", "d0", "d2"], []], TASK, 2)

    assert answers == [["other_2", "answer_1"], []]


@pytest.mark.parametrize(
    ("answers", "what"),
    [([["d0"]], "1 rankings for 2 questions"), ([["d9"], []], "no document 'd9'")],
)
def test_what_is_no_ranking_is_refused(answers: list[list[str]], what: str) -> None:
    with pytest.raises(AnswerError, match=what):
        ask(lambda *_: answers, TASK, 5)
