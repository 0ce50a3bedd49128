"""For tests/decay/test_curve.py: what a score is the product of."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import Config
from reverie.decay.curve import Trace, factors, relevance, type_weight
from reverie.model.ids import Store

NOW = datetime(2026, 2, 2, 16, 0, tzinfo=UTC)
DECAY = Config().decay

traces = st.builds(
    Trace,
    store=st.sampled_from(Store),
    base=st.floats(0, 1),
    created=st.just(NOW),
    last_accessed=st.just(NOW),
    accesses=st.integers(0, 10**9),
    pinned=st.booleans(),
    archived=st.booleans(),
)


@given(traces, st.timedeltas(timedelta(days=-300), timedelta(days=30_000)))
def test_a_score_is_the_product_of_its_factors_cut_off_at_one(
    trace: Trace, age: timedelta
) -> None:
    weight = type_weight(trace.store, DECAY)

    score = relevance(trace, NOW + age, rate=DECAY.rate, weight=weight)

    product = math.prod(factors(trace, NOW + age, DECAY).values())
    assert score == pytest.approx(min(1.0, product))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"pinned": True}, {"pinned": 1.0}),
        ({"store": Store.VAULT, "archived": True}, {"pinned": 1.0}),
        ({"archived": True}, {"forgotten": 0.0}),
        ({"archived": True, "pinned": True}, {"forgotten": 0.0}),
    ],
)
def test_what_is_pinned_or_forgotten_has_that_as_its_one_reason(
    changes: dict[str, object], found: dict[str, float]
) -> None:
    values: dict[str, object] = {"store": Store.EPISODIC, "base": 0.5}
    values |= {"created": NOW, "last_accessed": NOW} | changes
    trace = Trace(**values)  # type: ignore[arg-type]  # a test's shorthand

    assert factors(trace, NOW, DECAY) == found
