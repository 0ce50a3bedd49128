"""What cannot both hold, and that the human is asked."""

from __future__ import annotations

import pytest
from tests.reflection.rules.labels import Told, found_in, of_kind, page

from reverie.model.reflection import OperationKind

MARTEN, LEDGER = "person--marten", "project--ledger"
PAGES = {
    MARTEN: page(MARTEN, "Lives in Porto. <!-- since: 2025-09-02 -->"),
    LEDGER: page(LEDGER, "Runs on port 8000.", "Uses SQLite."),
}


def test_what_a_page_says_otherwise_is_flagged_with_both_days() -> None:
    told = Told(4, "09:00", "Marten moved to Berlin.")
    found = found_in(told, pages=PAGES)
    (one,) = of_kind(found, OperationKind.FLAG)

    assert one.target == "memory/graph/entities/person--marten.md"
    assert one.content == (
        'Which one holds: "Lives in Porto" (since 2025-09-02) or "Marten moved to '
        'Berlin" (said on 2026-02-04, episode:2026-02-04:09:00)?'
    )
    assert found.questions == (one.content,)


def test_what_is_disputed_is_not_extracted() -> None:
    found = found_in(Told(4, "09:00", "Marten moved to Berlin."), pages=PAGES)

    assert of_kind(found, OperationKind.EXTRACT) == []


def test_two_episodes_that_cannot_both_hold_are_flagged() -> None:
    told = (
        Told(3, "09:00", "Marten's birthday is June 12."),
        Told(9, "09:00", "Actually, Marten's birthday is June 21."),
    )
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG)

    assert "June 12" in one.content
    assert "June 21" in one.content
    assert "2026-02-03" in one.content
    assert "2026-02-09" in one.content


def test_one_matter_is_flagged_once_with_its_oldest_and_newest_side() -> None:
    told = (
        Told(4, "09:00", "Marten moved to Berlin."),
        Told(6, "09:00", "Marten lives in Berlin now."),
        Told(8, "09:00", "Marten lives in Paris."),
    )
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG)

    assert "Porto" in one.content
    assert "Paris" in one.content


@pytest.mark.parametrize(
    "text",
    [
        "We switched the Ledger from SQLite to Postgres.",
        "The Ledger replaced SQLite with Postgres.",
        "The Ledger stopped using SQLite.",
    ],
)
def test_what_was_given_up_is_flagged_against_what_says_it_is_used(text: str) -> None:
    (one,) = of_kind(found_in(Told(4, "09:00", text), pages=PAGES), OperationKind.FLAG)

    assert "Uses SQLite" in one.content


def test_the_owner_is_known_by_name_and_as_the_user() -> None:
    pages = {"person--ilse": page("person--ilse", "Drinks coffee.")}
    for text in ("I no longer drink coffee.", "Ilse does not drink coffee."):
        (one,) = of_kind(
            found_in(Told(4, "09:00", text), pages=pages), OperationKind.FLAG
        )
        assert one.target.endswith("person--ilse.md")


def test_somebody_without_a_page_is_asked_about_without_a_target() -> None:
    told = (
        Told(3, "09:00", "Bruno lives in Leeds."),
        Told(4, "09:00", "Bruno lives in Berlin."),
    )
    (one,) = of_kind(found_in(*told), OperationKind.FLAG)

    assert one.target == ""


def test_what_changes_by_the_day_is_no_contradiction() -> None:
    told = (
        Told(3, "09:00", "Marten is on the third floor."),
        Told(4, "09:00", "Marten is 12 minutes late."),
        Told(5, "09:00", "Marten is 40 minutes late."),
    )

    assert of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG) == []


def test_what_no_longer_holds_contradicts_nothing() -> None:
    over = "~~Lives in Porto.~~ <!-- until: 2025-12-01 -->"
    found = found_in(
        Told(4, "09:00", "Marten moved to Berlin."), pages={MARTEN: page(MARTEN, over)}
    )

    assert of_kind(found, OperationKind.FLAG) == []


def test_strangers_are_flagged_last_and_ask_nothing() -> None:
    found = found_in(
        Told(4, "09:00", "Marten lives in Berlin.", "import"),
        Told(5, "09:00", "Marten speaks Danish."),
        pages=PAGES,
    )

    assert found.operations[-1].kind is OperationKind.FLAG
    assert found.questions == ()


def test_strangers_contradict_nothing_about_the_owner() -> None:
    pages = {"person--ilse": page("person--ilse", "Lives in Porto.")}
    told = Told(4, "09:00", "User lives in Berlin.", "tool")

    assert found_in(told, pages=pages).operations == ()
