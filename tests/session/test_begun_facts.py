"""Facts that hold only from a day to come on: kept, told with it, then in place."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import NOON, Home

from reverie import Actor, Semantic

if TYPE_CHECKING:
    from datetime import date

    from reverie import Hit, Memory

PAGE = "memory/graph/entities/person--ann.md"
TODAY = NOON.date()
DAY = TODAY + timedelta(days=30)
ULM, OSLO = "Lives in Ulm", "Lives in Oslo"


def living(memory: Memory) -> dict[str, Hit]:
    """What a search for where she lives gives, by its words."""
    return {hit.text: hit for hit in memory.recall("where does Ann live?").hits}


def moves(home: Home, town: str, day: date, *links: tuple[str, str]) -> None:
    place = Semantic("Ann", "person", day, ULM, links)
    receipt = home.memory.remember(f"Lives in {town}", place)
    assert receipt.superseded == ()


@pytest.fixture
def ann(home: Home) -> Home:
    """Somebody who lives somewhere, and will live elsewhere."""
    links = (("lives-in", "place--ulm"),)
    home.memory.remember(ULM, Semantic("Ann", "person", links=links))
    moves(home, "Oslo", DAY, ("lives-in", "place--oslo"))
    return home


def test_until_its_day_the_old_one_holds_and_the_new_one_says_its_day(
    ann: Home,
) -> None:
    found = living(ann.memory)

    assert (found[ULM].since, found[ULM].outdated) == (None, ())
    assert (found[OSLO].since, found[OSLO].outdated) == (DAY, ())
    told = ann.memory.context("where does Ann live?")
    assert f"(only from {DAY} on) Ann: {OSLO}" in told.replace(
        "Ann lives", "Ann: Lives"
    )
    assert "~~" not in ann.text(PAGE)
    assert "[[place--ulm]]" in ann.text(PAGE)
    assert ann.disagreements() == []


def test_on_its_day_it_takes_the_place_of_the_old_one_with_its_links(
    ann: Home,
) -> None:
    ann.clock.forward(days=30)
    ann.memory.check()

    found = living(ann.memory)

    assert ULM not in found
    assert (found[OSLO].since, found[OSLO].outdated) == (None, (ULM,))
    page = ann.text(PAGE)
    assert f"~~{ULM}~~ <!-- since: {TODAY} | until: {DAY}" in page
    assert "supersedes:" not in page
    assert "[[place--ulm]]" not in page
    assert "[[place--oslo]]" in page
    (change,) = ann.memory.history(limit=1)
    assert change.actor == Actor("system:since")
    assert ann.disagreements() == []


def test_whoever_opens_the_workspace_after_its_day_finds_it_in_place(
    ann: Home,
) -> None:
    ann.memory.close()
    ann.clock.forward(days=40)

    assert ULM not in living(ann.reopen())
    assert f"until: {DAY}" in ann.text(PAGE)


def test_what_was_corrected_meanwhile_gives_way_in_its_place(ann: Home) -> None:
    ann.memory.correct(ULM, "Lives in Bonn")
    ann.clock.forward(days=30)
    ann.memory.check()

    assert [*living(ann.memory)] == [OSLO]
    assert "~~Lives in Bonn~~" in ann.text(PAGE)


def test_of_two_that_are_to_come_each_has_its_day(ann: Home) -> None:
    moves(ann, "Rome", DAY + timedelta(days=10))

    ann.clock.forward(days=30)
    ann.memory.check()
    assert living(ann.memory).keys() == {OSLO, "Lives in Rome"}
    ann.clock.forward(days=10)
    ann.memory.check()

    assert [*living(ann.memory)] == ["Lives in Rome"]


def test_what_was_to_come_and_is_forgotten_takes_no_place(ann: Home) -> None:
    ann.memory.forget(ann.memory.find_to_forget(OSLO).matches)

    ann.clock.forward(days=30)
    ann.memory.check()

    assert [*living(ann.memory)] == [ULM]


def test_nothing_points_at_what_was_erased(ann: Home) -> None:
    (old,) = (hit.id for text, hit in living(ann.memory).items() if text == ULM)

    ann.memory.erase(old)

    assert "supersedes:" not in ann.text(PAGE)


def test_a_day_to_come_written_by_hand_is_told_as_well(home: Home) -> None:
    home.memory.remember(ULM, Semantic("Ann", "person"))
    line = f"- {OSLO} <!-- since: {DAY} -->\n"
    home.type(PAGE, home.text(PAGE).replace(f"- {ULM}", f"{line}- {ULM}"))
    home.memory.check()

    assert living(home.memory)[OSLO].since == DAY


def test_a_sub_agent_that_comes_first_reads_and_changes_nothing(ann: Home) -> None:
    ann.clock.forward(days=30)
    before = ann.text(PAGE)

    with ann.memory.acting_as("helper") as helper:
        helper.health()  # looks at every file
        found = {hit.text: hit for hit in helper.recall("where does Ann live?").hits}

    assert found[OSLO].since is None
    assert ann.text(PAGE) == before
