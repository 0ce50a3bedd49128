"""Ranges of numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.reflection.records.page import merged, parse_ranges, render_ranges, size

numbers = st.integers(1, 60)
pairs = st.lists(
    st.tuples(numbers, numbers).map(lambda p: (min(p), max(p))), max_size=8
)


@given(pairs)
def test_merged_ranges_hold_the_same_numbers(found: list[tuple[int, int]]) -> None:
    every = {n for first, last in found for n in range(first, last + 1)}

    ranges = merged(found)

    assert {n for first, last in ranges for n in range(first, last + 1)} == every
    assert size(ranges) == len(every)


@given(pairs.filter(bool))
def test_ranges_are_read_back(found: list[tuple[int, int]]) -> None:
    ranges = merged(found)

    assert parse_ranges(f"- {render_ranges(ranges)}: archived\n") == ranges


def test_other_lines_name_no_range() -> None:
    assert parse_ranges("- #1-30: not archived") == ()
    assert parse_ranges("#1-30: archived") == ()
