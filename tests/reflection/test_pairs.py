"""Whether two pages are one: a reflection asks once, a yes merges, a no is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie import Semantic
from reverie.model.change import Action
from reverie.model.reflection import OperationKind
from reverie.reflection.apply import NothingLeftError

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.reflection.reflection import Standing

PAGES = "memory/graph/entities"
GRETA, LINDHOLM = (f"{PAGES}/person--{n}.md" for n in ("greta", "greta-lindholm"))
ANN, ANNA = (f"{PAGES}/person--{n}.md" for n in ("ann", "anna"))


@pytest.fixture
def doubtful(home: Home) -> Home:
    """Two pages of Greta and two of Ann, each of which asks about the other."""
    memory = home.memory
    for name, fact in (("Greta Lindholm", "Plays the cello"), ("Anna", "Is old")):
        memory.remember(fact, Semantic(name, "person"))
    for name, fact, other in (
        ("Greta", "Has a dog", "person--greta-lindholm"),
        ("Ann", "Is tall", "person--anna"),
    ):
        memory.remember(fact, Semantic(name, "person", perhaps=(other,)))
    memory.reinforce(["entity:person--greta"])
    return home


def proposed(home: Home) -> Standing:
    """A reflection of nobody's mind, as far as its human decides."""
    home.memory.reflection.begin()
    standing = home.memory.reflection.advance()
    assert standing.state == "pending"
    return standing


def merges(home: Home) -> dict[str, int]:
    """The merges that a page proposes, and their numbers."""
    pending, _ = home.memory.reflection.pending()
    return {
        each.content: number
        for number, each in enumerate(pending.operations, 1)
        if each.kind is OperationKind.MERGE
    }


def test_where_nothing_can_be_done_any_more_the_reflection_goes_on_waiting(
    doubtful: Home,
) -> None:
    standing = proposed(doubtful)
    yes = merges(doubtful)["person--greta → person--greta-lindholm"]
    doubtful.memory.merge("person--greta", "person--greta-lindholm")

    with pytest.raises(NothingLeftError, match="MERGE"):
        doubtful.memory.reflection.decide(f"approve {yes}", standing.shown)

    assert doubtful.memory.reflection.status().state == "pending"


def test_a_yes_merges_and_a_no_is_kept(doubtful: Home) -> None:
    standing = proposed(doubtful)
    yes = merges(doubtful)["person--greta → person--greta-lindholm"]

    done = doubtful.memory.reflection.decide(f"approve {yes}", standing.shown)

    assert not (doubtful.root / GRETA).exists()
    page = doubtful.text(LINDHOLM)
    assert "Has a dog" in page
    assert "the same as" not in page
    assert doubtful.memory.show("entity:person--greta").accesses == 3
    assert any(line.action is Action.MERGE for line in done.lines)
    told = doubtful.memory.history(path=LINDHOLM)
    assert "Has a dog" in {entry.lines[0].summary for entry in told}
    # The other pair was left out.
    assert "Distinct from: person--anna" in doubtful.text(ANN)
    assert "the same as" not in doubtful.text(ANN)
    assert doubtful.memory.pairs() == []
    assert doubtful.disagreements() == []


def test_a_merge_of_a_reflection_is_undone_with_it(doubtful: Home) -> None:
    before = {path: doubtful.text(path) for path in (GRETA, LINDHOLM, ANN, ANNA)}
    standing = proposed(doubtful)

    done = doubtful.memory.reflection.decide("approve", standing.shown)
    doubtful.memory.undo(session=done.actor.session)

    assert {path: doubtful.text(path) for path in before} == before
    assert doubtful.memory.show("entity:person--greta").accesses == 2
    assert doubtful.disagreements() == []


def test_what_was_answered_by_hand_meanwhile_is_skipped(doubtful: Home) -> None:
    standing = proposed(doubtful)
    doubtful.memory.merge("Greta", "Greta Lindholm")

    standing = doubtful.memory.reflection.status()
    done = doubtful.memory.reflection.decide("approve", standing.shown)

    assert len(done.skipped) == 1
    assert not (doubtful.root / ANN).exists()


def test_a_pinned_page_is_not_merged_by_a_reflection(doubtful: Home) -> None:
    doubtful.memory.pin("entity:person--ann")

    proposed(doubtful)

    assert [*merges(doubtful)] == ["person--greta → person--greta-lindholm"]
