"""`merge` and `rename`, and the pairs that `pending` lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

PAGES = "memory/graph/entities"
PAIR = ("person--greta", "person--greta-lindholm")


@pytest.fixture
def two(desk: Desk) -> Desk:
    person = ("--type", "person", "--about")
    desk.done("remember", "Plays the cello.", *person, "Greta Lindholm")
    desk.done("remember", "Has a dog.", *person, "Greta")
    return desk


def test_a_person_sees_what_would_change_and_agrees(two: Desk) -> None:
    words = ("-w", str(two.root), "merge", "Greta", "Greta Lindholm")

    code, shown = on_a_screen(words, "n\n")
    assert code == 5
    assert "goes into" in shown
    assert (two.root / PAGES / "person--greta.md").exists()

    assert on_a_screen(words, "y\n")[0] == 0
    assert not (two.root / PAGES / "person--greta.md").exists()
    assert two.json("show", "greta")["id"] == "entity:person--greta-lindholm"


def test_an_agent_merges_and_undo_makes_two_of_it_again(two: Desk) -> None:
    merged = two.json("merge", *PAIR, "--yes")

    assert merged["lines"][0]["action"] == "MERGE"
    assert "Has a dog" in two.done("show", "person--greta").out
    two.done("undo", merged["commit"])
    assert (two.root / PAGES / "person--greta.md").exists()


def test_a_dry_run_changes_nothing(two: Desk) -> None:
    told = two.json("merge", *PAIR, "--dry-run")

    assert (told["one"], told["facts"]) == ("entity:person--greta", 1)
    assert (two.root / PAGES / "person--greta.md").exists()


def test_pairs_are_listed_until_they_are_answered(two: Desk) -> None:
    told = two.done("pending").out
    assert "person--greta or person--greta-lindholm" in told
    assert "reverie merge ONE INTO" in told
    assert "1 pair of pages may be about one thing" in two.done("health").out

    assert "Kept apart" in two.done("merge", *PAIR, "--no").out
    assert two.done("pending").out == "Nothing waits for you.\n"
    assert two.done("merge", *PAIR, "--no").out == "That was known already.\n"


def test_what_cannot_be_merged_is_told(two: Desk) -> None:
    unknown = two.type("merge", "Eve", "Greta")
    same = two.type("merge", "Greta", PAIR[0])

    assert (unknown.code, same.code) == (3, 5)
    assert "there is no entity 'Eve'" in unknown.err
    assert "one page already" in same.err


def test_an_entity_gets_another_name_or_type(two: Desk) -> None:
    assert "Renamed" in two.done("rename", "Greta", "Greta Berg").out
    assert "Renamed" in two.done("rename", "Greta", "--type", "singer").out

    taken = two.type("rename", PAIR[1], "Greta Berg", "--type", "singer")
    assert (two.root / PAGES / "singer--greta-berg.md").exists()
    assert taken.code == 5
    assert "reverie merge" in taken.err
    assert two.type("rename", "Greta").code == 2
