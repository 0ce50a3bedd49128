"""Whether two pages are the same: only an explicit answer merges or separates them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reflection.dreams import Dream, dreaming
from tests.reflection.dreams import proposed as propose

from reverie import Semantic
from reverie.model.change import Action
from reverie.model.reflection import OperationKind
from reverie.reflection.apply import NothingLeftError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.memory.home import Home

    from reverie.reflection.reflection import Standing

PAGES = "memory/graph/entities"
GRETA, LINDHOLM = (f"{PAGES}/person--{n}.md" for n in ("greta", "greta-lindholm"))
ANN, ANNA = (f"{PAGES}/person--{n}.md" for n in ("ann", "anna"))
SAME_GRETA = {"one": "person--greta", "into": "person--greta-lindholm"}
SAME_ANN = {"one": "person--ann", "into": "person--anna"}
OTHER_ANN = {"one": "person--ann", "other": "person--anna", "reason": "not related"}


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


def proposed(home: Home, **answer: list[Mapping[str, str]]) -> Standing:
    """Return a pending reflection whose third phase answered this."""
    memory = dreaming(home, Dream([], {"consolidate": answer}))
    standing = propose(memory)
    assert standing.state == "pending"
    return standing


def changes(home: Home, kind: str = "MERGE") -> dict[str, int]:
    """Return the numbers of the proposed changes of a kind, by their content."""
    pending, _ = home.memory.reflection.pending()
    return {
        each.content: number
        for number, each in enumerate(pending.operations, 1)
        if each.kind is OperationKind(kind)
    }


def test_an_open_question_alone_never_proposes_a_merge(doubtful: Home) -> None:
    proposed(doubtful)

    assert changes(doubtful) == {}
    assert len(doubtful.memory.pairs()) == 2


def test_without_a_model_open_questions_are_listed_and_no_merge_is_proposed(
    doubtful: Home,
) -> None:
    doubtful.memory.reflection.begin()
    doubtful.memory.reflection.advance()

    pending, _ = doubtful.memory.reflection.pending()
    assert changes(doubtful) == {}
    asked = "\n".join(pending.questions)
    assert "`reverie merge person--ann person--anna`" in asked


def test_a_no_is_a_change_that_is_noted_on_both_pages(doubtful: Home) -> None:
    standing = proposed(doubtful, distinct=[OTHER_ANN])
    assert [*changes(doubtful, "DISTINCT")] == ["person--ann ≠ person--anna"]

    doubtful.memory.reflection.decide("approve", standing.shown)

    assert "Distinct from: person--anna" in doubtful.text(ANN)
    assert "Distinct from: person--ann" in doubtful.text(ANNA)
    assert "the same as" not in doubtful.text(ANN)
    assert [pair.one for pair in doubtful.memory.pairs()] == ["person--greta"]


def test_after_a_no_the_pair_is_neither_asked_nor_proposed_again(
    doubtful: Home,
) -> None:
    standing = proposed(doubtful, distinct=[OTHER_ANN])
    doubtful.memory.reflection.decide("approve", standing.shown)
    asks = {
        "operation": "EXTRACT",
        "target": ANN,
        "content": "## Facts\n- Is kind\n\n## Open Questions\n"
        "- Is this the same as [[person--anna]]?\n",
        "reason": "said so",
    }

    standing = proposed(doubtful, operations=[asks], merges=[SAME_ANN])

    assert changes(doubtful) == {}
    refused = doubtful.memory.reflection.pending()[0].refused
    assert any("noted as not the same" in each.why for each in refused)
    doubtful.memory.reflection.decide("approve", standing.shown)
    assert "Is kind" in doubtful.text(ANN)
    assert "the same as" not in doubtful.text(ANN)


def test_a_no_given_as_the_answer_to_a_question_becomes_no_fact(
    doubtful: Home,
) -> None:
    answer = {
        "question": "Is this the same as [[person--anna]]?",
        "answer": "No",
        "page": "person--ann",
    }
    proposed(doubtful, answers=[answer])

    pending, _ = doubtful.memory.reflection.pending()
    assert pending.operations == () or all(
        each.kind is not OperationKind.EXTRACT for each in pending.operations
    )
    assert any("`distinct`" in each.why for each in pending.refused)


def test_a_pair_that_is_called_both_the_same_and_distinct_stays_a_question(
    doubtful: Home,
) -> None:
    proposed(doubtful, merges=[SAME_ANN], distinct=[OTHER_ANN])

    assert changes(doubtful) == changes(doubtful, "DISTINCT") == {}
    assert len(doubtful.memory.pairs()) == 2


def test_a_change_that_is_left_out_leaves_its_pages_as_they_are(
    doubtful: Home,
) -> None:
    before = {path: doubtful.text(path) for path in (ANN, ANNA)}
    standing = proposed(doubtful, merges=[SAME_GRETA, SAME_ANN])
    number = changes(doubtful)["person--greta → person--greta-lindholm"]

    doubtful.memory.reflection.decide(f"approve {number}", standing.shown)

    assert not (doubtful.root / GRETA).exists()
    assert {path: doubtful.text(path) for path in before} == before
    assert [pair.one for pair in doubtful.memory.pairs()] == ["person--ann"]


def test_where_nothing_can_be_done_any_more_the_reflection_goes_on_waiting(
    doubtful: Home,
) -> None:
    standing = proposed(doubtful, merges=[SAME_GRETA, SAME_ANN])
    yes = changes(doubtful)["person--greta → person--greta-lindholm"]
    doubtful.memory.merge("person--greta", "person--greta-lindholm")

    with pytest.raises(NothingLeftError, match="MERGE"):
        doubtful.memory.reflection.decide(f"approve {yes}", standing.shown)

    assert doubtful.memory.reflection.status().state == "pending"


def test_an_approved_merge_joins_pages_links_and_scores(doubtful: Home) -> None:
    standing = proposed(doubtful, merges=[SAME_GRETA])
    yes = changes(doubtful)["person--greta → person--greta-lindholm"]

    done = doubtful.memory.reflection.decide(f"approve {yes}", standing.shown)

    assert not (doubtful.root / GRETA).exists()
    page = doubtful.text(LINDHOLM)
    assert "Has a dog" in page
    assert "the same as" not in page
    assert doubtful.memory.show("entity:person--greta").accesses == 3
    assert any(line.action is Action.MERGE for line in done.lines)
    told = doubtful.memory.history(path=LINDHOLM)
    assert "Has a dog" in {entry.lines[0].summary for entry in told}
    assert doubtful.disagreements() == []


def test_a_merge_of_a_reflection_is_undone_with_it(doubtful: Home) -> None:
    before = {path: doubtful.text(path) for path in (GRETA, LINDHOLM, ANN, ANNA)}
    standing = proposed(doubtful, merges=[SAME_GRETA, SAME_ANN])

    done = doubtful.memory.reflection.decide("approve", standing.shown)
    doubtful.memory.undo(session=done.actor.session)

    assert {path: doubtful.text(path) for path in before} == before
    assert doubtful.memory.show("entity:person--greta").accesses == 2
    assert doubtful.disagreements() == []


def test_what_was_answered_by_hand_meanwhile_is_skipped(doubtful: Home) -> None:
    standing = proposed(doubtful, merges=[SAME_GRETA, SAME_ANN])
    doubtful.memory.merge("Greta", "Greta Lindholm")

    standing = doubtful.memory.reflection.status()
    done = doubtful.memory.reflection.decide("approve", standing.shown)

    assert len(done.skipped) == 1
    assert not (doubtful.root / ANN).exists()


@pytest.mark.parametrize("field", ["merges", "distinct"])
def test_a_reflection_neither_merges_nor_separates_a_pinned_page(
    doubtful: Home, field: str
) -> None:
    doubtful.memory.pin("entity:person--ann")
    pair = SAME_ANN if field == "merges" else OTHER_ANN

    merges: list[Mapping[str, str]] = [SAME_GRETA]
    answer: dict[str, list[Mapping[str, str]]] = {"merges": merges}
    if field != "merges":
        answer[field] = [pair]

    proposed(doubtful, **answer)

    assert [*changes(doubtful)] == ["person--greta → person--greta-lindholm"]
    assert changes(doubtful, "DISTINCT") == {}
