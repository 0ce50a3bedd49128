"""Reflections that look further back."""

from __future__ import annotations

from reverie.reflection.record.milestones import MILESTONES, milestone_of


def test_four_reflections_are_milestones() -> None:
    assert sorted(MILESTONES) == [10, 25, 50, 100]
    assert milestone_of(10).startswith("First evolution summary")
    assert "state of understanding" in milestone_of(100)
    assert milestone_of(11) == ""
