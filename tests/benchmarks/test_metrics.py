"""The figures, worked out by hand."""

from __future__ import annotations

import pytest
from benchmarks.suite.metrics import mean, ndcg_at, quality, reciprocal_rank

GOLD = {"a", "b", "c"}


def test_two_of_three_found_on_the_first_and_the_third_place() -> None:
    figures = quality(["a", "x", "b"], GOLD)

    assert figures == {
        "recall@5": pytest.approx(2 / 3),
        "recall@10": pytest.approx(2 / 3),
        "any@5": 1.0,
        "all@5": 0.0,
        "ndcg@10": pytest.approx(1.5 / 2.1309298),
        "mrr": 1.0,
    }


def test_what_stands_on_the_sixth_place_counts_from_ten_on() -> None:
    figures = quality(["1", "2", "3", "4", "5", "a"], {"a"})

    assert figures["recall@5"] == figures["any@5"] == figures["all@5"] == 0
    assert figures["recall@10"] == 1
    assert figures["ndcg@10"] == pytest.approx(0.3562072)
    assert figures["mrr"] == pytest.approx(1 / 6)


def test_all_is_reached_when_the_first_five_hold_everything() -> None:
    assert quality(["x", "c", "b", "y", "a"], GOLD)["all@5"] == 1


def test_the_best_order_has_full_gain_though_there_is_more_gold_than_places() -> None:
    assert ndcg_at(["a", "b", "c"], GOLD, 2) == 1


def test_nothing_found_is_worth_nothing() -> None:
    assert set(quality([], GOLD).values()) == {0.0}


def test_the_first_hit_is_looked_for_beyond_ten_places() -> None:
    assert reciprocal_rank([*map(str, range(19)), "a"], GOLD) == 1 / 20


def test_the_mean_is_taken_figure_by_figure() -> None:
    rows = [{"x": 1.0, "y": 0.0}, {"x": 0.0, "y": 0.5}]

    assert mean(rows) == {"x": 0.5, "y": 0.25}
