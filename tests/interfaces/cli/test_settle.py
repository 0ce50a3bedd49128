"""`settle`: an open contradiction is answered at the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

BERLIN = fact_id("person--nora", "Lives in Berlin.")
ROME = fact_id("person--nora", "Lives in Rome.")


@pytest.fixture
def asked(desk: Desk) -> Desk:
    """Nora's page asks where she lives."""
    about = ("--about", "Nora", "--type", "person")
    desk.done("remember", "Lives in Berlin.", *about)
    desk.done("remember", "Lives in Rome.", *about, "--contradicts", BERLIN)
    return desk


def test_one_is_kept(asked: Desk) -> None:
    typed = asked.done("settle", "1", "--keep", ROME)

    assert typed.out.startswith("Settled.  ")
    assert f"No longer holds: {BERLIN}  Lives in Berlin." in typed.out
    assert asked.done("pending").out == "Nothing waits for you.\n"


def test_both_are_kept_with_their_times(asked: Desk) -> None:
    asked.done("settle", BERLIN, "--both", "--until", f"{BERLIN}=2025-06-01")

    page = asked.root / "memory/graph/entities/person--nora.md"
    assert "| until: 2025-06-01 |" in page.read_text(encoding="utf-8")
    assert asked.json("pending") == []


def test_a_time_that_names_nothing_is_a_slip(asked: Desk) -> None:
    typed = asked.type("settle", BERLIN, "--both", "--until", "2025-06-01")

    assert typed.code == 2
    assert "is not ID=DAY" in typed.err


def test_an_answer_is_needed(asked: Desk) -> None:
    assert asked.type("settle", BERLIN).code == 5


def test_a_possible_conflict_is_listed_marked_and_dismissed(desk: Desk) -> None:
    for day in (4, 11):
        words = f"Kestrel is due on {day} June."
        desk.done("remember", words, "--about", "project--kestrel")

    listed = desk.done("pending").out
    assert "project--kestrel may conflict:" in listed
    assert desk.done("recall", "When is Kestrel due?").out.count("  disputed: see") == 2
    desk.done("settle", "1", "--both")
    assert desk.done("pending").out == "Nothing waits for you.\n"
    assert "disputed" not in desk.done("recall", "When is Kestrel due?").out
