"""Facts that say when as one says it on that day."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.rules.labels import Told, found_in, of_kind

from reverie.model.reflection import OperationKind
from reverie.reflection.rules.dating import dated

AT = datetime(2026, 2, 4, 10, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("said", "fact", "since"),
    [
        ("Alex moved to Berlin yesterday.", "Alex moved to Berlin.", date(2026, 2, 3)),
        ("Alex retired today.", "Alex retired.", date(2026, 2, 4)),
        ("Today Alex quit his job.", "Alex quit his job.", date(2026, 2, 4)),
        (
            "Ida is in Porto since last week.",
            "Ida is in Porto.",
            date(2026, 1, 26),
        ),
        ("Ida started at Holt on Monday.", "Ida started at Holt.", date(2026, 2, 2)),
        ("Ida got married last Saturday.", "Ida got married.", date(2026, 1, 31)),
        ("Ida moved to Rome last month.", "Ida moved to Rome in January 2026.", None),
        ("Ida moved to Rome last year.", "Ida moved to Rome in 2025.", None),
        ("Ida lives in Rome now.", "Ida lives in Rome.", None),
        ("Ida now lives in Rome.", "Ida lives in Rome.", None),
    ],
)
def test_what_was_meant_by_the_day_it_was_said_is_told_by_the_calendar(
    said: str, fact: str, since: date | None
) -> None:
    assert dated(said, AT) == (fact, since)


@pytest.mark.parametrize(
    "said",
    [
        "Ida is visiting until Sunday.",
        "Ida is on leave until June.",
        "Ida moves to Rome tomorrow.",
        "Ida moves to Rome next week.",
        "Ida left yesterday and came back today.",
    ],
)
def test_what_passes_or_is_to_come_is_no_fact(said: str) -> None:
    assert dated(said, AT) is None


@pytest.mark.parametrize(
    "said",
    [
        "The shop is open until 18:00.",
        "The shop is open until 6 pm.",
        "The market is on Saturday.",
        "Ida was born on May 3.",
        "Ida swims every Monday.",
        "The standup moved to Tuesday.",
    ],
)
def test_what_holds_on_any_day_stays_as_it_is(said: str) -> None:
    assert dated(said, AT) == (said, None)


def test_without_a_day_to_count_from_nothing_is_counted() -> None:
    assert dated("Ida moved to Rome yesterday.", None) is None
    assert dated("Ida moved to Rome.", None) == ("Ida moved to Rome.", None)


def test_an_extracted_fact_says_since_which_day() -> None:
    found = found_in(Told(4, "09:00", "Alex moved to Berlin yesterday."))
    (one,) = of_kind(found, OperationKind.EXTRACT)

    assert one.content == "Alex moved to Berlin. (since: 2026-02-03)"


def test_a_guest_is_no_fact() -> None:
    assert found_in(Told(4, "09:00", "Alex is visiting until Sunday.")).operations == ()


@given(st.text() | st.lists(st.sampled_from(["now", "last", "week", "until", "Ida"])))
def test_any_words_can_be_looked_at(said: str | list[str]) -> None:
    words = said if isinstance(said, str) else " ".join(said)
    found = dated(words, AT)

    assert found is None or found[1] is None or found[1] <= AT.date()
