"""Superseding: what a new memory replaces ends, in any store, or an error says why."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, DAY, DEPLOY, PASSPORT, Home

from reverie import (
    Block,
    Core,
    Episodic,
    NotFoundError,
    Observation,
    Origin,
    Procedural,
    RefusedError,
    Semantic,
    Vault,
)
from reverie.model.ids import WrongArgumentError
from reverie.stores.entities import fact_id, parse_entity

if TYPE_CHECKING:
    from reverie.model.route import Place

BERLIN = fact_id("person--alex", "Lives in Berlin")
LEDGER = "core:context/working-on"
EPISODE = "episode:2026-02-02:12:00"
NORA = Semantic("Nora", "person")
EVENT = Episodic()


def texts(home: Home, question: str) -> set[str]:
    """What a search returns as current."""
    return {hit.text for hit in home.memory.recall(question).hits}


# --- each store ------------------------------------------------------------------


@pytest.mark.parametrize("place", [NORA, EVENT, Procedural("how to move"), Vault("x")])
def test_a_fact_of_any_page_ends_with_its_relation(home: Home, place: Place) -> None:
    berlin = (("lives-in", "place--berlin"),)
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person", links=berlin))

    done = home.memory.remember("Moved to Lyon.", place, supersedes=[BERLIN])

    assert [near.id for near in done.superseded] == [BERLIN]
    (fact,) = parse_entity(home.text(ALEX), ALEX).entity.facts
    assert fact.until == date(2026, 2, 2)
    assert home.state()[2] == []
    assert home.disagreements() == []


@pytest.mark.parametrize("place", [NORA, EVENT, None])
def test_an_episode_is_struck_out_and_not_returned_as_current(
    furnished: Home, place: Place | None
) -> None:
    furnished.clock.forward(days=1)

    done = furnished.memory.remember(
        "Chose the simple approach.", place, supersedes=[EPISODE]
    )

    assert [near.id for near in done.superseded] == [EPISODE]
    assert "~~Chose the hybrid approach.~~" in furnished.text(DAY)
    assert "Chose the hybrid approach." not in texts(furnished, "which approach?")
    assert furnished.disagreements() == []


@pytest.mark.parametrize("place", [NORA, EVENT, Core(), None])
def test_a_core_item_gets_the_new_words_in_its_place(
    furnished: Home, place: Place | None
) -> None:
    done = furnished.memory.remember("The page is next.", place, supersedes=[LEDGER])

    assert [near.id for near in done.superseded] == [LEDGER]
    assert "- Working on: The page is next." in furnished.text(CORE)
    assert "the ledger" not in furnished.text(CORE)


@pytest.mark.parametrize("name", ["how to deploy", ""])
def test_a_new_version_of_a_procedure_replaces_its_steps(
    furnished: Home, name: str
) -> None:
    steps = "run all tests\nbuild it\npublish it"

    furnished.memory.remember(
        steps, Procedural(name), supersedes=["procedure:how-to-deploy"]
    )

    text = furnished.text(DEPLOY)
    assert "1. run all tests\n2. build it\n3. publish it\n" in text
    assert "tag it" not in text


def test_a_step_is_replaced_by_its_id(furnished: Home) -> None:
    furnished.memory.remember("run all tests", supersedes=["procedure:how-to-deploy#1"])

    assert "1. run all tests\n2. tag it\n" in furnished.text(DEPLOY)


def test_a_vault_note_gets_the_new_words(furnished: Home) -> None:
    furnished.memory.remember("In the safe.", supersedes=["vault:passport"])

    assert "In the safe." in furnished.text(PASSPORT)
    assert "blue box" not in furnished.text(PASSPORT)


def test_one_memory_takes_the_place_of_several_in_several_stores(
    furnished: Home,
) -> None:
    commits = furnished.commits()

    done = furnished.memory.remember(
        "Moved to Lyon.", NORA, supersedes=[BERLIN, EPISODE, LEDGER]
    )

    assert {near.id for near in done.superseded} == {BERLIN, EPISODE, LEDGER}
    assert furnished.commits() == commits + 1
    assert furnished.disagreements() == []


def test_the_place_may_name_by_its_id_what_stands_elsewhere(furnished: Home) -> None:
    furnished.memory.remember(
        "Moved to Lyon.", Semantic("Nora", "person", supersedes=EPISODE)
    )

    assert "~~Chose the hybrid approach.~~" in furnished.text(DAY)


def test_without_a_place_it_goes_where_the_first_of_them_stands(
    furnished: Home,
) -> None:
    done = furnished.memory.remember("Lives in Lyon", supersedes=[BERLIN, EPISODE])

    assert done.ids == ("entity:person--alex",)
    assert "- Lives in Lyon <" in furnished.text(ALEX)
    assert "~~Chose the hybrid approach.~~" in furnished.text(DAY)


def test_words_that_only_one_memory_has_name_it(furnished: Home) -> None:
    furnished.memory.remember("Chose another.", EVENT, supersedes=["hybrid approach"])

    assert "~~Chose the hybrid approach.~~" in furnished.text(DAY)


@pytest.mark.parametrize("named", [BERLIN, EPISODE, LEDGER, "vault:passport"])
def test_undo_brings_back_what_was_superseded(furnished: Home, named: str) -> None:
    paths = (ALEX, DAY, CORE, PASSPORT)
    before = [furnished.text(path) for path in paths]
    done = furnished.memory.remember("Moved to Lyon.", NORA, supersedes=[named])

    furnished.memory.undo(done.commit)

    assert [furnished.text(path) for path in paths] == before
    assert furnished.memory.show(named).status == "active"


def test_a_fact_of_another_page_holds_until_a_later_day(furnished: Home) -> None:
    place = Semantic("Nora", "person", since=date(2026, 2, 4))
    done = furnished.memory.remember("Owns the flat.", place, supersedes=[BERLIN])
    assert done.superseded == ()
    assert furnished.memory.show(BERLIN).text == "Lives in Berlin"

    furnished.clock.forward(days=2)

    assert "Lives in Berlin" not in texts(furnished, "Where does Alex live?")


# --- who may ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "path"),
    [
        (LEDGER, CORE),
        ("procedure:how-to-deploy", DEPLOY),
        ("procedure:how-to-deploy#1", DEPLOY),
        ("vault:passport", PASSPORT),
    ],
)
def test_what_steers_the_agent_waits_and_is_replaced_once_accepted(
    furnished: Home, named: str, path: str
) -> None:
    memory, before = furnished.memory, furnished.text(path)
    done = memory.remember(
        "Quite another thing.", NORA, origin=Origin.AGENT, supersedes=[named]
    )
    assert furnished.text(path) == before
    assert "- Quite another thing." in furnished.text(
        "memory/graph/entities/person--nora.md"
    )

    memory.accept(memory.proposal(done.waits))

    assert "Quite another thing." in furnished.text(path)
    assert furnished.text(path).count("\n") <= before.count("\n")


def test_what_comes_from_outside_contradicts_a_fact(furnished: Home) -> None:
    done = furnished.memory.remember(
        "Lives in Lyon.", NORA, origin=Origin.TOOL, supersedes=[BERLIN]
    )

    assert [near.id for near in done.contradicts] == [BERLIN]
    assert "- Lives in Berlin <" in furnished.text(ALEX)


# --- what cannot be superseded -----------------------------------------------------


@pytest.mark.parametrize(
    "named",
    [
        "person--alex#000000",
        "person--nobody#123456",
        "episode:2020-01-01:10:00",
        "core:persona/nothing",
        "procedure:nothing",
        "procedure:how-to-deploy#9",
        "vault:nothing",
        "entity:person--alex",
        "turn:trip/1/user/0",
        "no such words anywhere",
    ],
)
@pytest.mark.parametrize("place", [NORA, EVENT, None])
def test_what_cannot_be_superseded_is_named_and_nothing_is_written(
    furnished: Home, named: str, place: Place | None
) -> None:
    furnished.memory.window("trip").say("Hello.")
    furnished.memory.recall("Hello")
    commits = furnished.commits()

    with pytest.raises((NotFoundError, RefusedError)) as refused:
        furnished.memory.remember("New.", place, supersedes=[BERLIN, named])

    assert named in str(refused.value)
    assert furnished.commits() == commits
    assert "- Lives in Berlin <" in furnished.text(ALEX)


@pytest.mark.parametrize("named", [EPISODE, LEDGER])
def test_only_a_fact_can_end_on_a_later_day(furnished: Home, named: str) -> None:
    place = Semantic("Nora", "person", since=date(2027, 1, 1))

    with pytest.raises(RefusedError, match=f"{named}: it cannot end on a later day"):
        furnished.memory.remember("Owns the flat.", place, supersedes=[named])


def test_what_only_a_fact_has_needs_a_page(furnished: Home) -> None:
    place = Semantic(since=date(2026, 1, 1))

    with pytest.raises(RefusedError, match="it is no fact"):
        furnished.memory.remember("Chose another.", place, supersedes=[EPISODE])


def test_a_text_is_no_list_of_ids(furnished: Home) -> None:
    with pytest.raises(WrongArgumentError):
        furnished.memory.remember("New.", NORA, supersedes=BERLIN)


# --- observations ------------------------------------------------------------------


def test_an_observation_ends_facts_of_other_pages_and_episodes(
    furnished: Home,
) -> None:
    noted = Observation(
        "Nora owns the flat.", about="person--nora", supersedes=(BERLIN, EPISODE)
    )

    done = furnished.memory.observe([noted])

    assert {near.id for near in done.superseded} == {BERLIN, EPISODE}
    assert done.ids == ("entity:person--nora",)
    assert "- Lives in Berlin <" not in furnished.text(ALEX)
    assert furnished.disagreements() == []


def test_what_is_for_one_person_alone_replaces_only_what_is_theirs(
    furnished: Home,
) -> None:
    (own,) = furnished.memory.remember("They met.", Episodic(scope="Ana")).ids
    noted = [Observation(f"Not {id_}.", supersedes=(id_,)) for id_ in (own, EPISODE)]

    done = furnished.memory.observe(noted, person="Ana")

    assert [near.id for near in done.superseded] == [own]
    assert f"{EPISODE}: the new text is for Ana alone" in done.refused[0]


def test_an_observation_cannot_replace_what_only_the_user_changes(
    furnished: Home,
) -> None:
    noted = Observation("The page is next.", supersedes=(LEDGER,))

    done = furnished.memory.observe([noted], origin=Origin.AGENT)

    assert done.ids == ()
    assert f"cannot supersede {LEDGER}: only the user changes it" in done.refused[0]


def test_an_observation_of_a_fact_that_is_over_is_kept_and_told(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    home.memory.correct(BERLIN, "Lives in Lyon")

    done = home.memory.observe(
        [Observation("Plays chess.", about="person--alex", supersedes=(BERLIN,))]
    )

    assert done.ids == ("entity:person--alex",)
    assert f"{BERLIN} held no longer" in done.refused[0]


# --- the core item keeps its block, and may be pinned --------------------------------


def test_a_core_item_that_is_replaced_may_be_pinned(furnished: Home) -> None:
    furnished.memory.remember(
        "The page.", Core(Block.CONTEXT, pinned=True, supersedes=LEDGER)
    )

    assert "- Working on: The page. <!-- pinned -->" in furnished.text(CORE)
