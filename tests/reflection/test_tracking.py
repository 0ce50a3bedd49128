"""What the scores keep of reflections, whoever wrote into them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.cycle import (
    MOST_REJECTED,
    Tracked,
    fingerprint,
    parse_tracked,
    render_moment,
    with_rejected,
)

KEYS = (
    *("last_reflection", "reflection_read_until", "rejected_operations"),
    *("self_awareness_count_since_consolidation", "token_economy"),
)
ALEX = "memory/graph/entities/person--alex.md"
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)
moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  Hypothesis wants it so
    datetime(2199, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


def extract(content: str, target: str = ALEX) -> Operation:
    return Operation(OperationKind.EXTRACT, target, content)


@given(st.dictionaries(st.sampled_from(KEYS), anything))
def test_whatever_stands_there_is_read_or_counts_as_absent(
    other: dict[str, object],
) -> None:
    found = parse_tracked(other)

    assert found.awareness >= 0
    for moment in (found.last, found.read_until):
        assert moment is None or moment.utcoffset() == timedelta()


@given(moments)
def test_a_moment_is_kept_to_the_second(moment: datetime) -> None:
    text = render_moment(moment)

    found = parse_tracked({"last_reflection": text})

    assert found.last == moment.replace(microsecond=0)


def test_a_moment_elsewhere_is_told_in_utc() -> None:
    there = datetime(2026, 2, 5, 5, 0, tzinfo=timezone(timedelta(hours=2)))

    assert render_moment(there) == "2026-02-05T03:00:00Z"
    found = parse_tracked({"reflection_read_until": there.isoformat()})
    assert found.read_until == datetime(2026, 2, 5, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "yesterday"),
        *("1969-12-31T00:00:00Z", "2201-01-01T00:00:00Z", 1770000000, None, []),
    ],
)
def test_a_moment_that_cannot_be_is_none(moment: object) -> None:
    assert parse_tracked({"last_reflection": moment}) == Tracked()


@pytest.mark.parametrize("count", [-1, True, 2.5, "3", None])
def test_a_count_that_is_none_counts_nothing(count: object) -> None:
    key = "self_awareness_count_since_consolidation"

    assert parse_tracked({key: count}).awareness == 0
    assert parse_tracked({key: 4}).awareness == 4


@pytest.mark.parametrize(
    "same",
    [
        "Works from Berlin.",
        "works  from BERLIN",
        "- Works from Berlin!\n",
        "“Works” from Berlin",
    ],
)
def test_an_operation_is_known_again_however_it_is_written(same: str) -> None:
    assert fingerprint(extract(same)) == fingerprint(extract("Works from Berlin"))


@pytest.mark.parametrize(
    "other",
    [
        extract("Works from Bern"),
        extract("Works from Berlin", "memory/graph/entities/person--sam.md"),
        extract("from Berlin works"),
        Operation(OperationKind.FLAG, ALEX, "Works from Berlin"),
    ],
)
def test_another_operation_is_another(other: Operation) -> None:
    assert fingerprint(other) != fingerprint(extract("Works from Berlin"))


@given(st.text(), st.text())
def test_every_operation_has_a_short_mark(target: str, content: str) -> None:
    mark = fingerprint(extract(content, target))

    assert len(mark) == 12
    assert int(mark, 16) >= 0


def test_half_a_character_has_a_mark_too() -> None:
    assert fingerprint(extract("\ud83d")) == fingerprint(extract("\ud83d"))


def test_what_was_rejected_is_remembered_with_its_session() -> None:
    first = parse_tracked(
        {"rejected_operations": with_rejected(Tracked(), [extract("One")], "r-001")}
    )

    both = with_rejected(first, [extract("Two")], "r-002")

    assert both == {
        fingerprint(extract("One")): "r-001",
        fingerprint(extract("Two")): "r-002",
    }


def test_of_very_many_the_oldest_are_let_go() -> None:
    known = tuple((f"{number:012x}", "r-001") for number in range(MOST_REJECTED))

    kept = with_rejected(Tracked(rejected=known), [extract("New")], "r-002")

    assert len(kept) == MOST_REJECTED
    assert fingerprint(extract("New")) in kept
    assert "000000000000" not in kept
