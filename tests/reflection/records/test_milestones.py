"""Reflections that look further back."""

from __future__ import annotations

import pytest

from reverie.reflection.records.log import MILESTONES, milestone_due


def test_four_reflections_are_milestones() -> None:
    assert sorted(MILESTONES) == [10, 25, 50, 100]
    assert str(MILESTONES[10]) == "#10 — First evolution summary"
    assert "state of understanding" in MILESTONES[100].task


@pytest.mark.parametrize(
    ("number", "approved", "due"),
    [
        (10, 9, 10),
        (9, 8, 0),
        (11, 10, 0),
        (11, 9, 10),
        (12, 9, 10),
        (26, 24, 25),
        (101, 100, 0),
        (60, 20, 50),
    ],
)
def test_a_milestone_that_was_not_approved_is_the_next_ones(
    number: int, approved: int, due: int
) -> None:
    found = milestone_due(number, approved)

    assert (found.number if found else 0) == due
