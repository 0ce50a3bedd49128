"""One reflection goes from the files of many, and all others stay."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.model.reflection import Expected, Insight
from reverie.reflection.records.evolution import EvolutionEntry, add_reflection
from reverie.reflection.records.log import LogEntry, append_entry, parse_log, prune
from reverie.reflection.records.page import without_reflection
from reverie.stores.expectations import (
    add_expected,
    parse_expectations,
    without_expectations,
)

DAY = date(2026, 2, 2)


def logged(count: int) -> tuple[str, str]:
    text = archive = ""
    for number in range(1, count + 1):
        entry = LogEntry(number, DAY, "approved", insight=f"Insight {number}")
        text, archive = prune(append_entry(text, entry), archive)
    return text, archive


def numbers(text: str) -> set[int]:
    log = parse_log(text)
    told = {entry.number for entry in log.entries}
    told |= {line.number for line in log.one_liners}
    ranges = (range(first, last + 1) for first, last in log.archived)
    return told.union(*ranges)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 70), st.integers(1, 70))
def test_the_log_tells_of_all_reflections_but_one(count: int, number: int) -> None:
    text, archive = logged(count)

    left = without_reflection(text, number)

    assert numbers(left) == set(range(1, count + 1)) - {number}
    assert f"## Reflection #{number} —" not in without_reflection(archive, number)


def test_the_evolution_counts_one_less_and_drops_what_it_revised() -> None:
    text = archive = ""
    for number in (1, 2, 3):
        insight = Insight(key=f"Key {number}", revised=f"Not {number}")
        entry = EvolutionEntry(number, DAY, number, None, insight)
        text, archive, _ = add_reflection(text, archive, entry)

    left = without_reflection(text, 2)

    assert "- Total reflections: 2\n" in left.partition("## Recent")[0]
    assert "Key 2" not in left
    assert "[#2]" not in left
    assert "Key 1" in left
    assert "Key 3" in left


def test_only_what_the_change_added_need_not_be_findable_any_more() -> None:
    before = add_expected("", Expected("Where?", "Berlin", DAY))
    after = add_expected(before, Expected("Who?", "Alex", DAY, "r-001"))
    now = add_expected(after, Expected("When?", "Monday", DAY, "r-002"))

    left = without_expectations(before, after, now)

    asked = [each.question for each in parse_expectations(left, "")[0]]
    assert asked == ["Where?", "When?"]
