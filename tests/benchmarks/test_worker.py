"""A system in its own process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.blind import Entry, Query
from benchmarks.suite.worker import SystemFailedError, Worker

if TYPE_CHECKING:
    from pathlib import Path

CORPUS = [Entry(id="d0", text="a kite", time=None, group="g0")]
QUERIES = [Query(id="q0", text="kite", time=None)]
SYSTEMS = """
import os

def grows(corpus, queries, k):
    held = b"x" * 100_000_000
    return [["d0"] for query in queries]

def raises(corpus, queries, k):
    raise ValueError("no such luck")

def dies(corpus, queries, k):
    os._exit(7)
"""


@pytest.fixture(autouse=True)
def _systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "systems_under_test.py").write_text(SYSTEMS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_the_answers_come_with_time_and_memory() -> None:
    with Worker("systems_under_test:grows") as worker:
        answers = [worker.retrieve(CORPUS, QUERIES, 5) for _ in range(2)]

    assert answers == [[["d0"]], [["d0"]]]
    assert len(worker.spent) == 2
    assert 90 < worker.peak_mb < 150


def test_an_error_is_told_with_where_it_happened() -> None:
    with (
        Worker("systems_under_test:raises") as worker,
        pytest.raises(SystemFailedError, match=r"systems_under_test\.py.*\n.*\n.*luck"),
    ):
        worker.retrieve(CORPUS, QUERIES, 5)


def test_a_process_that_dies_is_told_with_its_code() -> None:
    with (
        Worker("systems_under_test:dies") as worker,
        pytest.raises(SystemFailedError, match="ended with code 7"),
    ):
        worker.retrieve(CORPUS, QUERIES, 5)
