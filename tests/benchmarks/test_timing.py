"""Whose time is whose."""

from __future__ import annotations

import pytest
from benchmarks.suite.blind import Query
from benchmarks.suite.timing import BETWEEN, Spent, Timed, spent


def test_before_the_first_question_is_ingest_and_until_the_next_its_own() -> None:
    taken = [(0, 12.0), (1, 13.0), (BETWEEN, 15.0)]

    assert spent(taken, 10.0, 15.0, 2) == Spent(2.0, (1.0, 2.0))


def test_what_is_done_between_two_rounds_is_shared() -> None:
    first = [(0, 10.0), (1, 11.0), (BETWEEN, 12.0)]
    second = [(0, 16.0), (1, 16.5), (BETWEEN, 17.0)]

    assert spent([*first, *second], 10.0, 17.0, 2) == Spent(0.0, (3.5, 3.5))


def test_questions_nobody_looped_over_share_the_whole_time() -> None:
    assert spent([], 10.0, 14.0, 2) == Spent(0.0, (2.0, 2.0))


def test_the_questions_note_when_they_are_taken_up() -> None:
    timed = Timed([Query(id=f"q{n}", text="?", time=None) for n in range(2)])

    names = [query["id"] for query in timed]

    assert names == ["q0", "q1"]
    assert [number for number, _ in timed.taken] == [0, 1, BETWEEN]
    assert [at for _, at in timed.taken] == sorted(at for _, at in timed.taken)


def test_a_task_without_questions_is_all_ingest() -> None:
    assert spent([(BETWEEN, 11.0)], 10.0, 11.0, 0) == Spent(1.0, ())


def test_nothing_of_the_time_is_lost() -> None:
    taken = [(0, 1.0), (BETWEEN, 4.0), (0, 5.0)]

    found = spent(taken, 0.0, 9.0, 3)

    assert found.ingest + sum(found.questions) == pytest.approx(9.0)
