"""What thinking has cost, added up."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import built

from reverie.model.health import (
    UNREADABLE,
    Cost,
    Prices,
    Spent,
    Sum,
    bill,
    cost,
)

DAY = date(2026, 2, 2)
PRICES = Prices.per_million(0.15, 0.6, "USD")
MONTH_AGO = DAY - timedelta(days=29)

_counts = st.integers(0, 10**9)
_sums = built(
    Sum,
    st.sampled_from(["route", "forget", "reflect", "reflect-survey", "reflect-meta"]),
    st.sampled_from(["a", "b"]),
    *[_counts] * 5,
)
_days = st.lists(
    built(
        Spent,
        st.dates(MONTH_AGO, DAY),
        st.lists(_sums, max_size=6).map(tuple),
        st.just(0),
        _counts,
    ),
    max_size=6,
    unique_by=lambda spent: spent.day,
)


def test_a_price_is_the_decimal_that_was_written() -> None:
    assert Prices.per_million(0.1, 0.3, "EUR") == Prices(100_000, 300_000, "EUR")


def test_prices_of_nothing_are_no_prices() -> None:
    assert Prices.per_million(0.0, 0.0, "USD") == Prices()


def test_a_single_price_is_enough() -> None:
    assert Prices.per_million(0.0, 2.5, "USD").micros(10**9, 1_000_000, 0) == 2_500_000


def test_questions_and_answers_have_their_own_prices() -> None:
    taken = cost([Sum("route", "tiny", 1, 0, 2_000_000, 1_000_000)], PRICES)

    assert taken.micros == 900_000


def test_what_nobody_saw_the_end_of_costs_the_dearer_price() -> None:
    taken = cost([Sum("route", "tiny", 1, standing=1_000_000)], PRICES, 1_000_000)

    assert (taken.unsure, taken.micros) == (2_000_000, 1_200_000)


def test_a_sum_of_tenths_is_exact() -> None:
    """Ten times 0.1 is 1, which it is not in binary."""
    dime = Prices.per_million(0.1, 0.0, "USD")

    parts = [cost([Sum("route", "tiny", 1, 0, 1_000_000)], dime).micros] * 10

    assert sum(parts) == 1_000_000


def test_the_phases_of_a_reflection_stand_below_it() -> None:
    spent = Spent(
        DAY,
        (
            Sum("reflect-meta", "tiny", 1, 0, 10, 10),
            Sum("reflect-survey", "tiny", 2, 0, 100, 50),
            Sum("reflect-survey", "large", 1, 1, 100, 50),
            Sum("route", "tiny", 9, 0, 1, 1),
        ),
    )

    reflect, route = bill([spent], DAY, DAY, 0, PRICES).causes

    assert (reflect.name, reflect.cost.calls, reflect.cost.tokens) == (
        "reflect",
        4,
        320,
    )
    assert [phase.name for phase in reflect.phases] == [
        "reflect-survey",
        "reflect-meta",
    ]
    assert reflect.phases[0].cost.estimated == 1
    assert (route.name, route.phases) == ("route", ())


def test_only_what_belongs_to_a_reflection_is_grouped() -> None:
    names = ("reflect-survey", "reflect", "reflection", "self-image")
    spent = Spent(DAY, tuple(Sum(name, "tiny", 1, 0, 5, 5) for name in names))

    causes = bill([spent], DAY, DAY, 0, PRICES).causes

    assert [each.name for each in causes] == ["reflect", "reflection", "self-image"]


def test_unreadable_lines_are_a_cause_of_their_own() -> None:
    spent = Spent(DAY, (Sum("route", "tiny", 1, 0, 5, 5),), 2, 20_000)

    told = bill([spent], DAY, DAY, 0, PRICES)

    assert told.causes[0].name == UNREADABLE
    assert told.total.tokens == 20_010


def test_days_outside_the_span_and_empty_ones_are_left_out() -> None:
    sums = (Sum("route", "tiny", 1, 0, 5, 5),)
    days = [Spent(MONTH_AGO, sums), Spent(DAY - timedelta(days=1)), Spent(DAY, sums)]

    told = bill(days, DAY - timedelta(days=5), DAY, 0, PRICES)

    assert [each.day for each in told.days] == [DAY]
    assert told.total.calls == 1


def test_today_costs_nothing_until_something_is_asked() -> None:
    assert bill([], MONTH_AGO, DAY, 0, PRICES).today == Cost()


@given(_days)
def test_days_and_causes_and_phases_add_up_to_the_same(days: list[Spent]) -> None:
    told = bill(days, MONTH_AGO, DAY, 0, PRICES)

    tokens = sum(day.tokens for day in days)
    assert told.total.tokens == tokens
    assert sum(each.cost.tokens for each in told.days) == tokens
    assert sum(each.cost.tokens for each in told.causes) == tokens
    for cause in told.causes:
        if cause.phases:
            assert sum(p.cost.tokens for p in cause.phases) == cause.cost.tokens
    rows = len(told.causes) + 1
    assert abs(sum(c.cost.micros for c in told.causes) - told.total.micros) <= rows
