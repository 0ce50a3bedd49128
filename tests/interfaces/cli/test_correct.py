"""`correct`: what no longer holds is told, and what stands now."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from reverie.interfaces.cli import command as cli
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk

BERLIN = fact_id("person--alex", "Lives in Berlin.")
ABOUT = ("--about", "Alex", "--type", "person")


@pytest.fixture
def berlin(desk: Desk) -> Desk:
    """Alex lives in Berlin."""
    desk.done(
        "remember", "Lives in Berlin.", *ABOUT, "--link", "lives-in=place--berlin"
    )
    return desk


def page(desk: Desk) -> Path:
    return desk.root / "memory/graph/entities/person--alex.md"


def test_what_no_longer_holds_is_told_and_what_stands_now(berlin: Desk) -> None:
    typed = berlin.done(
        *("correct", BERLIN, "Lives in Lyon."),
        *("--on", "2026-02-01", "--link", "lives-in=place--lyon"),
    )

    assert typed.out.startswith("Corrected entity:person--alex  ")
    assert f"No longer holds: {BERLIN}  Lives in Berlin.  person--alex.md:" in typed.out
    text = page(berlin).read_text(encoding="utf-8")
    assert "- Lives in Lyon. <!-- since: 2026-02-01 | said: 2026-02-02 |" in text
    assert "place--berlin" not in text


def test_words_that_fit_several_show_them_with_their_ids(berlin: Desk) -> None:
    berlin.done("remember", "Was born in Berlin.", *ABOUT)
    before = page(berlin).read_bytes()

    typed = berlin.type("correct", "Berlin", "Lives in Lyon.")

    assert typed.code == cli.REFUSED
    assert "Nothing was changed: these may be meant." in typed.out
    assert f"  {BERLIN}  Lives in Berlin." in typed.out
    assert page(berlin).read_bytes() == before


def test_an_unknown_fact_is_told_with_those_there_are(berlin: Desk) -> None:
    typed = berlin.type("correct", "person--alex#000000", "Lives in Lyon.")

    assert typed.code == 3
    assert f"On person--alex hold: {BERLIN} “Lives in Berlin.”." in typed.err


def test_superseding_needs_neither_a_store_nor_a_name(berlin: Desk) -> None:
    typed = berlin.done(
        "remember", "Lives in Lyon.", "--supersedes", "Alex lives in Berlin"
    )

    assert f"No longer holds: {BERLIN}" in typed.out


def test_superseding_by_words_on_a_page_says_what_no_longer_holds(berlin: Desk) -> None:
    typed = berlin.done(
        *("remember", "Lives in Lyon.", "--about", "person--alex"),
        *("--supersedes", "Lives in Berlin."),
    )

    assert f"No longer holds: {BERLIN}" in typed.out


def test_the_printed_hint_leaves_one_current_fact_and_undo_the_old_one(
    berlin: Desk,
) -> None:
    before = page(berlin).read_text(encoding="utf-8")
    typed = berlin.done("hear", "Actually, remember that Alex lives in Paris now")
    (hint,) = re.findall(r"run `(.*? --supersedes \S+)`", typed.out)

    for command in hint.split(" && "):
        berlin.done(*shlex.split(command)[1:])

    facts = page(berlin).read_text(encoding="utf-8").split("\n")
    assert [line for line in facts if line.startswith(("- Alex", "- Lives"))] == [
        line for line in facts if line.startswith("- Alex lives in Paris now <")
    ]
    berlin.done("undo")
    assert page(berlin).read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("I'm Mara, a backend developer at Fjordpay.", "My manager is Ingrid."),
        ("My birthday is in May.", "I run a race in May."),
        ("Mein Zahnarzt ist Dr. Brandt.", "Mein Fahrrad ist grün."),
    ],
)
def test_no_command_corrects_an_unrelated_fact_of_ones_own_page(
    desk: Desk, known: str, said: str
) -> None:
    desk.done("remember", known)

    typed = desk.done("remember", said)

    assert "reverie correct person--" not in typed.out


def test_a_fact_about_the_same_may_be_replaced(desk: Desk) -> None:
    desk.done("remember", "My manager is Tobias Berg.")

    typed = desk.done("remember", "My manager is Ingrid Solberg.")

    assert "--supersedes person--user#" in typed.out


def test_an_agent_corrects_as_the_agent(berlin: Desk) -> None:
    berlin.left_alone("correct", BERLIN, "Lives in Lyon.")

    text = page(berlin).read_text(encoding="utf-8")
    assert "- Lives in Lyon. <!-- since: 2026-02-02 |" in text
    assert "Lives in Lyon. <!-- since: 2026-02-02 | source: conversation" in text
