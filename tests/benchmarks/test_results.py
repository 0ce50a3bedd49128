"""Means, costs and the marks in the tables."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.results import (
    Cost,
    NoQuestionsError,
    Result,
    cost,
    difference_table,
    is_below,
    percentile,
    quality_table,
    result,
)
from benchmarks.suite.timing import Spent
from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

COST = Cost(ms_median=1, ms_p95=2, ingest_seconds=3, peak_mb=4)


def scored(system: str, *rows: tuple[str, float]) -> Result:
    return result(system, [(kind, {"recall@5": found}) for kind, found in rows], COST)


def lines(table: Table) -> list[str]:
    console = Console(width=120, file=StringIO())
    with console.capture() as shown:
        console.print(table)
    return [" ".join(line.split()) for line in shown.get().splitlines()]


def test_means_are_taken_over_all_and_by_kind() -> None:
    found = scored("x", ("rare", 0.0), ("often", 1.0), ("often", 0.5))

    assert found.counts == {"all": 3, "often": 2, "rare": 1}
    means = [figures["recall@5"] for figures in found.figures.values()]
    assert means == [0.5, 0.75, 0.0]


def test_a_set_without_questions_is_an_error() -> None:
    with pytest.raises(NoQuestionsError):
        scored("x")


def test_the_cost_adds_ingest_up_and_takes_percentiles_of_the_questions() -> None:
    spent = [Spent(1.0, (0.001, 0.002)), Spent(2.0, (0.009,))]

    assert cost(spent, 7.0) == Cost(2.0, 9.0, 3.0, 7.0)


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([1.0, 2.0], 0.5) == 1.0
    assert percentile(list(range(1, 101)), 0.95) == 95


def test_the_systems_stand_under_each_other_with_their_cost() -> None:
    table = quality_table("t", [scored("x", ("k", 1.0)), scored("y", ("k", 0.5))])

    assert lines(table)[4:8] == [
        "all 1 x 1.000 1.00 2.00 3.00 4",
        "y 0.500 1.00 2.00 3.00 4",
        "k 1 x 1.000",
        "y 0.500",
    ]


def test_kinds_below_the_base_are_marked() -> None:
    base = scored("bm25", ("a", 0.5), ("b", 0.5))
    other = scored("x", ("a", 0.75), ("b", 0.25))

    shown = lines(difference_table([other], base))

    assert "a 1 x +0.250" in shown
    assert "b ▼ 1 x -0.250 ▼" in shown


def test_more_misleading_answers_are_worse_and_what_cannot_be_seen_is_equal() -> None:
    assert is_below("old-only@5", 0.1)
    assert not is_below("old-only@5", -0.1)
    assert not is_below("recall@5", -0.0004)
