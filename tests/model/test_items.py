"""What the values say of themselves."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.model.items import Entity, Fact

DAY = date(2026, 2, 2)


@pytest.mark.parametrize(
    "fact",
    [
        Fact("x", until=DAY),
        Fact("x", superseded_by="0123abcd"),
        Fact("x", withdrawn=True),
    ],
)
def test_a_fact_that_ended_is_not_current(fact: Fact) -> None:
    assert not fact.current


def test_a_fact_holds_until_something_says_otherwise() -> None:
    assert Fact("x", since=DAY, source="conversation").current


def test_an_entity_is_linked_by_type_and_slug() -> None:
    assert Entity("person", "alex", "Alex").name == "person--alex"
