"""What is true of fading, whatever the clock does."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import built

from reverie.config import Config, DecayConfig
from reverie.decay import (
    Status,
    Trace,
    base_relevance,
    days_left,
    days_to_fall,
    factors,
    rated,
    reinforced,
    relevance,
    standing,
    status,
    type_weight,
)
from reverie.model.ids import Store
from reverie.model.items import Source

NOW = datetime(2026, 2, 2, 16, 0, tzinfo=UTC)
DECAY = Config().decay
YEAR = timedelta(days=365)

traces = built(
    Trace,
    store=st.sampled_from(Store),
    base=st.floats(0, 1),
    created=st.just(NOW),
    last_accessed=st.just(NOW),
    accesses=st.integers(0, 10**9),
    pinned=st.booleans(),
    archived=st.booleans(),
)
ages = st.timedeltas(min_value=-30 * YEAR, max_value=300 * YEAR)


def _trace(**changes: object) -> Trace:
    values: dict[str, object] = {
        "store": Store.PROCEDURAL,
        "base": 1.0,
        "created": NOW,
        "last_accessed": NOW,
    }
    return Trace(**(values | changes))  # type: ignore[arg-type]  # a test's shorthand


@given(traces, ages)
def test_many_memories_are_rated_as_each_is_by_itself(
    trace: Trace, age: timedelta
) -> None:
    now = NOW + age
    last = trace.last_accessed.timestamp() / 86_400 + 2_440_587.5
    uses = (trace.accesses, int(trace.pinned), int(trace.archived))
    row = ("x", str(trace.store), trace.base, last, *uses)

    (found,) = rated([row], now, DECAY)

    score, stands = standing(trace, now, DECAY)
    assert min(1.0, found.strength) == pytest.approx(score, abs=1e-6)
    near = any(
        math.isclose(found.strength, limit, rel_tol=1e-6)
        for limit in (DECAY.active_threshold, DECAY.dormant_threshold, 0.05)
    )
    assert found.status == stands or near
    if not found.pinned and not found.forgotten and not near:
        left = days_left(trace, now, DECAY)
        assert days_to_fall(found.strength, DECAY) == pytest.approx(left, abs=1e-3)


def test_a_new_memory_scores_its_base_times_its_weight() -> None:
    trace = _trace(store=Store.EPISODIC, base=0.7)

    assert relevance(trace, NOW, rate=0.03, weight=0.8) == pytest.approx(0.56)


def test_a_score_halves_in_about_23_days() -> None:
    later = NOW + timedelta(days=23.1)

    assert relevance(_trace(), later, rate=0.03, weight=1.0) == pytest.approx(0.5, 1e-3)


def test_a_pinned_memory_never_fades() -> None:
    later = NOW + 300 * YEAR

    assert relevance(_trace(pinned=True), later, rate=0.03, weight=1.0) == 1.0


def test_what_is_in_the_vault_never_fades_even_if_nobody_set_the_flag() -> None:
    later = NOW + 300 * YEAR

    assert standing(_trace(store=Store.VAULT), later, DECAY) == (1.0, Status.ACTIVE)


def test_what_its_human_said_to_forget_is_archived_at_once_even_when_pinned() -> None:
    trace = _trace(pinned=True, archived=True)

    assert standing(trace, NOW, DECAY) == (0.0, Status.ARCHIVED)


def test_what_was_forgotten_stays_hidden_with_an_archive_threshold_of_zero() -> None:
    lenient = DecayConfig(archive_threshold=0.0)

    assert standing(_trace(archived=True), NOW, lenient) == (0.0, Status.ARCHIVED)


def test_a_clock_set_back_does_not_strengthen_a_memory() -> None:
    earlier = NOW - 30 * YEAR

    assert relevance(_trace(), earlier, rate=0.03, weight=0.5) == 0.5


@given(traces, ages, st.floats(0, 10), st.floats(0, 10))
def test_a_score_is_finite_and_between_zero_and_one(
    trace: Trace, age: timedelta, rate: float, weight: float
) -> None:
    score = relevance(trace, NOW + age, rate=rate, weight=weight)

    assert math.isfinite(score)
    assert 0 <= score <= 1


@given(traces, ages, ages)
def test_a_score_never_rises_while_time_passes(
    trace: Trace, one: timedelta, other: timedelta
) -> None:
    sooner, later = sorted((one, other))

    before, after = (
        relevance(trace, NOW + age, rate=0.03, weight=1.2) for age in (sooner, later)
    )
    assert before >= after


def test_a_score_on_a_limit_belongs_to_the_upper_status() -> None:
    for limit, upper, lower in [
        (0.5, Status.ACTIVE, Status.FADING),
        (0.2, Status.FADING, Status.DORMANT),
        (0.05, Status.DORMANT, Status.ARCHIVED),
    ]:
        assert status(limit, DECAY) is upper
        assert status(math.nextafter(limit, 0), DECAY) is lower


def test_use_counts_and_makes_a_memory_fresh() -> None:
    trace = _trace(last_accessed=NOW - YEAR, accesses=2, archived=True)

    used = reinforced(trace, NOW)

    assert used == _trace(last_accessed=NOW, accesses=3, archived=True)


def test_a_memory_starts_out_by_where_it_came_from() -> None:
    sources = (Source.USER_EXPLICIT, Source.CONVERSATION, Source.REFLECTION, None)

    assert [base_relevance(each, DECAY) for each in sources] == [1.0, 0.7, 0.5, 1.0]


def test_each_store_has_the_weight_of_the_design() -> None:
    assert {store: type_weight(store, DECAY) for store in Store} == {
        Store.CORE: 1.5,
        Store.EPISODIC: 0.8,
        Store.SEMANTIC: 1.2,
        Store.PROCEDURAL: 1.0,
        Store.VAULT: 1.0,
        Store.TURNS: 1.0,
    }


@given(traces, st.timedeltas(timedelta(days=-300), timedelta(days=30_000)))
def test_a_score_is_the_product_of_its_factors_cut_off_at_one(
    trace: Trace, age: timedelta
) -> None:
    weight = type_weight(trace.store, DECAY)

    score = relevance(trace, NOW + age, rate=DECAY.rate, weight=weight)

    product = math.prod(factors(trace, NOW + age, DECAY).values())
    assert score == pytest.approx(min(1.0, product))


def test_what_is_pinned_or_forgotten_has_that_as_its_one_reason() -> None:
    for changes, found in (
        ({"pinned": True}, {"pinned": 1.0}),
        ({"store": Store.VAULT, "archived": True}, {"pinned": 1.0}),
        ({"archived": True, "pinned": True}, {"forgotten": 0.0}),
    ):
        assert factors(_trace(**changes), NOW, DECAY) == found


@given(traces, st.timedeltas(timedelta(0), YEAR))
def test_days_are_left_until_a_lower_status_and_no_longer(
    trace: Trace, age: timedelta
) -> None:
    now = NOW + age

    days = days_left(trace, now, DECAY)

    _, before = standing(trace, now, DECAY)
    if math.isinf(days):
        assert standing(trace, now + 300 * YEAR, DECAY)[1] is before
    else:
        falls, second = now + timedelta(days=days), timedelta(seconds=1)
        assert standing(trace, max(now, falls - second), DECAY)[1] is before
        assert standing(trace, falls + second, DECAY)[1] is not before
