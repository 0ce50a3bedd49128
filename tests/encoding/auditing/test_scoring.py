"""From findings to a number and a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.auditing.scoring import (
    CAPS,
    FORMULA,
    WEIGHTS,
    grade,
    marks,
    next_steps,
    total,
)
from reverie.encoding.auditing.sheets import Case, Held, Sheet
from reverie.model.audit import Grade, Judgement

SHEET = Sheet("a.md", "", (0,))
HELD = [Held(SHEET, n, n + 1, "x") for n in range(100)]


def case(judgement: Judgement, *guilty: Held) -> Case:
    return Case(judgement, SHEET, 0, 1, "why", "mend", guilty)


def test_a_store_without_fault_has_a_hundred() -> None:
    assert total([], 100) == 100
    assert {mark.score for mark in marks([], 100)} == {100}


def test_junk_takes_away_itself() -> None:
    cases = [case(Judgement.JUNK, held) for held in HELD[:40]]

    assert total(cases, 100) == 60
    assert [m.score for m in marks(cases, 100) if m.faults] == [60]


def test_a_memory_is_counted_by_its_worst_fault_alone() -> None:
    cases = [case(Judgement.JUNK, HELD[0]), case(Judgement.CONTRADICTIONS, HELD[0])]

    assert total(cases * 3, 100) == 89
    assert total(cases * 3, 20) == 85


def test_nearly_all_junk_is_nearly_nothing() -> None:
    assert total([case(Judgement.JUNK, *HELD[:98])], 100) == 2


def test_contradictions_weigh_more_than_repetitions() -> None:
    repeated = [case(Judgement.DUPLICATES, *HELD[:20])]
    contradicted = [case(Judgement.CONTRADICTIONS, *HELD[:20])]

    assert total(contradicted, 100) < total(repeated, 100)


@pytest.mark.parametrize("memories", [1, 10, 1_000_000])
def test_a_single_secret_spoils_a_store_of_any_size(memories: int) -> None:
    score = total([case(Judgement.SECRETS, HELD[0])], memories)

    assert grade(score, memories) is Grade.BAD


def test_a_secret_where_no_memory_stands_counts_as_well() -> None:
    cases = [case(Judgement.SECRETS)]

    assert total(cases, 0) == 49
    assert grade(49, 0) is Grade.BAD
    assert next(m for m in marks(cases, 0) if m.faults).score < 100


def test_one_small_fault_in_a_large_store_is_no_longer_clean() -> None:
    cases = [case(Judgement.STALENESS, HELD[0])]

    assert total(cases, 1_000_000) == 99
    assert next(m for m in marks(cases, 1_000_000) if m.faults).score == 99


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (100, "clean"),
        (99, "good"),
        (90, "good"),
        (89, "fair"),
        (74, "poor"),
        (0, "bad"),
    ],
)
def test_a_score_has_a_word(score: int, word: str) -> None:
    assert grade(score, 1) == word


def test_a_store_without_memories_is_empty() -> None:
    assert grade(100, 0) is Grade.EMPTY


def test_the_next_steps_are_the_worst_three() -> None:
    wanted = (
        *(Judgement.DUPLICATES, Judgement.JUNK, Judgement.SECRETS),
        *(Judgement.STALENESS, Judgement.LOOPS),
    )
    cases = [case(judgement, HELD[0]) for judgement in wanted]

    steps = next_steps(marks([*cases, case(Judgement.JUNK, HELD[1])], 100))

    assert len(steps) == 3
    assert "secret" in steps[0]
    assert steps[1] == "Delete the junk (2)."


def test_the_formula_names_every_weight_and_cap() -> None:
    numbers = {f"{n:g}" for n in (*WEIGHTS.values(), *CAPS.values())}

    assert all(number in FORMULA for number in numbers)
    assert set(WEIGHTS) == set(Judgement)


@given(
    st.lists(
        st.tuples(st.sampled_from(Judgement), st.sets(st.sampled_from(HELD))),
        max_size=12,
    )
)
def test_more_faults_never_make_a_better_score(
    found: list[tuple[Judgement, set[Held]]],
) -> None:
    cases = [case(judgement, *guilty) for judgement, guilty in found]
    scores = [total(cases[:n], 100) for n in range(len(cases) + 1)]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 100 for score in scores)
