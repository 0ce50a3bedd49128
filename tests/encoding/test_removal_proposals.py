"""An agent proposes to remove what steers it; the user decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import CORE, DEPLOY, Home

from reverie import Block, Core, Episodic, Match, Store
from reverie.encoding.forget import ChangedMeanwhileError
from reverie.errors import RefusedError
from reverie.model.change import FORGET, MAIN, MANUAL, OnlyHumansError
from reverie.stores.proposals import NoSuchProposalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie import Receipt

PENDING = "memory/meta/pending-memories.md"
NUTS = "Allergic to hazelnuts."


@pytest.fixture
def stocked(furnished: Home) -> Home:
    furnished.memory.remember(NUTS, Core(Block.CRITICAL), actor=MANUAL)
    return furnished


def steering(home: Home) -> list[Match]:
    """Return a Critical Fact, an item of Active Context and a procedure."""
    shown = [*home.memory.items(Store.CORE), *home.memory.items(Store.PROCEDURAL)]
    found = [home.memory.find_to_forget(each.id).matches[0] for each in shown]
    assert len(found) == 3
    return found


def test_an_agent_only_proposes_to_remove_core_memory_and_procedures(
    stocked: Home,
) -> None:
    before = stocked.text(CORE), stocked.text(DEPLOY)
    matches = steering(stocked)

    done = stocked.memory.forget(matches, trigger="forget the nuts")

    assert done.waits == (1, 2, 3)
    assert done.lines == ()
    assert (stocked.text(CORE), stocked.text(DEPLOY)) == before
    proposals = stocked.memory.pending()
    assert [one.removes for one in proposals] == [match.id for match in matches]
    assert {one.sender for one in proposals} == {"bot:trigger-forget"}
    assert "how-to-deploy" in next(h.id for h in stocked.memory.recall("tag it").hits)


def test_the_user_accepts_a_removal_word_for_word(stocked: Home) -> None:
    memory = stocked.memory
    waits = memory.forget(steering(stocked)).waits

    for number in waits:
        receipt = memory.accept(memory.proposal(number))
        assert receipt.actor == MANUAL

    assert NUTS not in stocked.text(CORE)
    assert "Working on: the ledger" not in stocked.text(CORE)
    assert memory.show("procedure:how-to-deploy").status == "archived"
    assert memory.pending() == []
    memory.undo(receipt.commit)
    assert memory.show("procedure:how-to-deploy").status == "active"
    assert stocked.disagreements() == []


def test_the_user_rejects_a_removal_and_nothing_is_removed(stocked: Home) -> None:
    memory = stocked.memory
    (number,) = memory.forget(steering(stocked)[:1]).waits

    memory.reject(number)

    assert memory.pending() == []
    assert NUTS in stocked.text(CORE)


def test_no_agent_decides_on_a_removal(stocked: Home) -> None:
    memory = stocked.memory
    (number,) = memory.forget(steering(stocked)[:1]).waits
    proposal = memory.proposal(number)

    decisions: tuple[Callable[[], Receipt], ...] = (
        lambda: memory.accept(proposal, actor=MAIN),
        lambda: memory.reject(number, actor=MAIN),
        lambda: memory.defer(number, actor=MAIN),
        lambda: memory.resolve([number], "keep", keep=number, actor=MAIN),
    )
    for decide in decisions:
        with pytest.raises(RefusedError):
            decide()
    memory.review()
    assert memory.proposal(number) == proposal


def test_an_agent_takes_no_proposal_off_by_forgetting_it(stocked: Home) -> None:
    memory = stocked.memory
    (number,) = memory.forget(steering(stocked)[:1]).waits
    part = Match(f"#{number}", Store.SEMANTIC, NUTS, PENDING, 1, part=True)

    with pytest.raises(OnlyHumansError):
        memory.forget([part])

    assert memory.proposal(number).removes


@pytest.mark.parametrize("store", [Store.EPISODIC, Store.SEMANTIC, Store.TURNS])
def test_a_match_that_names_another_store_or_file_removes_nothing(
    stocked: Home, store: Store
) -> None:
    memory = stocked.memory
    for match in steering(stocked):
        forged = Match(match.id, store, match.text, "memory/episodes/x.md", 1)
        assert memory.forget([forged]).waits
    note = memory.show("vault:passport")
    with pytest.raises(RefusedError):
        memory.forget([Match(note.id, store, note.text, note.path, 1)])
    assert NUTS in stocked.text(CORE)
    assert memory.show("procedure:how-to-deploy").status == "active"


@pytest.mark.parametrize("path", [CORE, DEPLOY, "SOUL.md", "reverie.toml"])
def test_an_agent_cuts_no_line_out_of_a_file_that_steers_it(
    stocked: Home, path: str
) -> None:
    stocked.type("SOUL.md", "Be kind.\n")
    stocked.memory.check()
    before = stocked.text(path)
    for text in (NUTS, "Be kind.", "run the tests"):
        part = Match(path, Store.SEMANTIC, text, path, 1, part=True)
        with pytest.raises(RefusedError):
            stocked.memory.forget([part])
    assert stocked.text(path) == before


def test_a_removal_holds_only_for_the_words_that_were_proposed(stocked: Home) -> None:
    memory = stocked.memory
    (match,) = [m for m in steering(stocked) if m.store is Store.PROCEDURAL]
    (number,) = memory.forget([match]).waits
    stocked.type(DEPLOY, stocked.text(DEPLOY).replace("tag it", "tag it twice"))

    with pytest.raises(ChangedMeanwhileError):
        memory.forget([match])
    with pytest.raises(ChangedMeanwhileError):
        memory.accept(memory.proposal(number))


def test_a_removal_is_proposed_once_and_the_rest_is_forgotten(stocked: Home) -> None:
    memory = stocked.memory
    memory.remember("Ann sings.", Episodic())
    sings = memory.find_to_forget("Ann sings").matches
    first = memory.forget([*steering(stocked)[:1], *sings])
    again = memory.forget(steering(stocked)[:1])

    assert first.waits == again.waits == (1,)
    assert first.ids == tuple(match.id for match in sings)
    assert len(memory.pending()) == 1


def test_a_removal_goes_to_no_store_and_contradicts_nothing(stocked: Home) -> None:
    memory = stocked.memory
    (number,) = memory.forget(steering(stocked)[:1]).waits
    proposal = memory.proposal(number)

    with pytest.raises(RefusedError, match="goes to no store"):
        memory.accept(proposal, Episodic())
    with pytest.raises(RefusedError, match="contradicts nothing"):
        memory.resolve([number], "both")
    with memory.acting_as("scout") as scout:
        done = scout.propose("Allergic to walnuts.", store=Store.EPISODIC)
    assert memory.waiting()[-1].clashes == ()
    memory.reject(done.number)
    with pytest.raises(NoSuchProposalError):
        memory.proposal(done.number)


def test_a_proposal_removes_core_memory_and_procedures_only(stocked: Home) -> None:
    memory = stocked.memory
    memory.forget(steering(stocked)[:1])
    page = stocked.text(PENDING)
    for id_ in ("vault:passport", "entity:person--alex"):
        line = next(x for x in page.split("\n") if x.startswith("- **Removes**"))
        stocked.type(PENDING, page.replace(line, f"- **Removes**: {id_}"))
        with pytest.raises(RefusedError, match="no proposal removes"):
            memory.accept(memory.proposal(1))


def test_with_edits_allowed_an_agent_still_proposes_to_remove_a_critical_fact(
    stocked: Home,
) -> None:
    memory = stocked.agreed(REVERIE_CORE_AGENT_EDITS="allow")
    matches = steering(stocked)

    done = memory.forget(matches, actor=FORGET)

    assert len(done.waits) == 2
    assert "Working on: the ledger" not in stocked.text(CORE)
    assert NUTS in stocked.text(CORE)
