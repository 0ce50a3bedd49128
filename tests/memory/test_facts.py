"""A fact says what is known of it: its days, what is behind it, how sure it is."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, NOON, Home
from tests.memory.routes import route

from reverie import Confidence, Core, Episodic, Origin, RefusedError, Semantic
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import fact_id, parse_entity

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.model.items import Fact

TODAY = NOON.date()


def facts(home: Home, path: str = ALEX) -> tuple[Fact, ...]:
    """What a page knows."""
    return parse_entity(home.text(path), path).entity.facts


def test_a_fact_keeps_what_its_caller_says_of_it(home: Home) -> None:
    place = Semantic(
        *("Alex", "person"),
        since=date(2026, 1, 1),
        on=date(2026, 1, 30),
        said=date(2026, 2, 1),
        basis="vault:passport",
        confidence=Confidence.LOW,
    )

    home.memory.remember("Broke a leg.", place)

    (fact,) = facts(home)
    assert (fact.since, fact.on, fact.said) == (place.since, place.on, place.said)
    assert (fact.basis, fact.confidence) == ("vault:passport", Confidence.LOW)


def test_a_fact_of_the_usual_sort_says_no_more_than_before(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))

    line = "- Lives in Berlin <!-- since: 2026-02-02 | source: user-explicit -->\n"
    assert line in home.text(ALEX)


def test_a_fact_that_is_over_when_it_is_told_is_kept_as_past(home: Home) -> None:
    until = date(2025, 6, 1)

    home.memory.remember("Lived in Rome.", Semantic("Alex", "person", until=until))

    (fact,) = facts(home)
    assert fact.until == until
    assert not fact.current


def test_a_fact_made_of_memories_names_them(home: Home) -> None:
    memory = home.memory
    (parent,) = memory.remember("Alex spoke of Rome.", Episodic()).ids

    memory.remember("Loves Rome.", Semantic("Alex", "person"), derived_from=[parent])

    assert facts(home)[0].basis == parent


def test_a_fact_told_in_a_window_names_its_turn(home: Home) -> None:
    memory = home.memory
    memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    window = memory.window("Trip to Rome")
    window.say("Hello.")
    message = "Remember that Alex loves Rome."

    memory.hear(message, window="Trip to Rome")
    turn = window.say(message)

    named = f"turn:{window.name}/{turn.number}/user/0"
    assert facts(home)[-1].basis == named
    assert memory.show(named).text == message


def test_what_the_host_agent_files_later_still_names_its_turn(home: Home) -> None:
    memory = home.agreed(REVERIE_MIND_KIND="host")
    asked = memory.hear("Remember that Alex loves Rome.", window="trip").questions
    told = route(
        store="semantic",
        about="person--alex",
        entities=[{"name": "Alex", "type": "person"}],
    )

    memory.answer(asked[0], json.dumps(told))

    assert facts(home)[0].basis == "turn:trip/1/user/0"


def test_an_accepted_proposal_names_what_it_was_made_of(home: Home) -> None:
    memory = home.memory
    with memory.acting_as("scout") as scout:
        scout.propose(
            "Alex loves Rome.", entities=["person--alex"], confidence=Confidence.LOW
        )
    home.clock.forward(days=1)
    (waiting,) = memory.pending()

    memory.accept(waiting)

    (fact,) = facts(home)
    assert fact.confidence is Confidence.LOW
    assert (fact.since, fact.said) == (date(2026, 2, 3), TODAY)


def test_a_proposal_carries_what_it_was_made_of(home: Home) -> None:
    memory = home.memory
    (parent,) = memory.remember("The plan was told.", Episodic()).ids

    done = memory.remember(
        "Ship on Fridays.", Core(), derived_from=[parent], origin=Origin.AGENT
    )

    assert memory.proposal(done.waits).basis == parent


@pytest.mark.parametrize("wrong", ["soon", 3])
def test_a_day_that_is_none_is_refused(wrong: object) -> None:
    with pytest.raises(RefusedError):
        Semantic("Alex", on=wrong)  # type: ignore[arg-type]


# --- by its id -------------------------------------------------------------------


def test_a_fact_is_shown_by_its_id_with_its_own_line(home: Home) -> None:
    home.memory.remember("Likes tea", Semantic("Alex", "person"))
    home.clock.forward(hours=1)
    done = home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    berlin = fact_id("person--alex", "Lives in Berlin")

    shown, told = home.memory.show(berlin), home.memory.why(berlin, "Where is Alex?")

    assert shown.id == f"entity:{berlin}"
    assert (shown.text, shown.path) == ("Lives in Berlin", ALEX)
    line = home.text(ALEX).split("\n")[shown.line - 1]
    assert line.startswith("- Lives in Berlin")
    assert told.change is not None
    assert told.change.commit == done.commit
    assert told.fading
    assert told.hit is not None


def test_pinning_a_fact_pins_its_page(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    berlin = fact_id("person--alex", "Lives in Berlin")

    assert home.memory.pin(berlin).ids == ("entity:person--alex",)
    assert home.memory.show("entity:person--alex").pinned
    home.memory.unpin(f"entity:{berlin}")
    assert not home.memory.show("entity:person--alex").pinned
    assert home.memory.reinforce([berlin]) == 1


def test_an_unknown_fact_says_which_ones_its_page_has(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    berlin = fact_id("person--alex", "Lives in Berlin")
    memory, wrong = home.memory, "person--alex#000000"

    for ask in (memory.show, memory.why, memory.pin, memory.unpin):
        with pytest.raises(NoSuchMemoryError, match=f"no fact {wrong} holds") as told:
            ask(wrong)
        assert f"On person--alex hold: {berlin} “Lives in Berlin”." == told.value.advice
    with pytest.raises(NoSuchMemoryError, match=f"no fact {wrong} holds"):
        memory.find_to_forget(wrong)
    with pytest.raises(NoSuchMemoryError) as nobody:
        memory.show("person--nora#000000")
    assert nobody.value.advice == "person--nora has no facts."


# --- days to come ----------------------------------------------------------------

WORK = "Works at Acme"
ACME = (("works-at", "project--acme"),)


def edges(home: Home) -> set[str]:
    """Where the relations of all pages lead."""
    return {edge.target for edge in home.state()[2]}


def test_a_fact_that_ends_on_a_later_day_holds_until_then(home: Home) -> None:
    home.memory.remember(
        WORK, Semantic("Alex", "person", until=date(2026, 2, 4), links=ACME)
    )
    home.clock.forward(days=1, hours=11)
    assert home.memory.recall("Where does Alex work?").hits[0].text == WORK
    assert edges(home) == {"project--acme"}

    home.clock.forward(hours=1)

    assert WORK not in {h.text for h in home.memory.recall("Who works at Acme?").hits}
    assert facts(home)[0].until == date(2026, 2, 4)
    assert edges(home) == set()
    with pytest.raises(NoSuchMemoryError):
        home.memory.show(fact_id("person--alex", WORK))
    assert home.disagreements() == []


def test_a_handle_that_only_reads_sees_no_fact_past_its_end(home: Home) -> None:
    home.memory.remember(WORK, Semantic("Alex", "person", until=date(2026, 2, 4)))
    home.clock.forward(days=2)

    with home.memory.acting_as("scout") as scout:
        assert WORK not in {h.text for h in scout.recall("Who works at Acme?").hits}


def test_a_plan_takes_its_place_with_its_relation_on_its_day(home: Home) -> None:
    berlin, lyon = (("lives-in", f"place--{n}") for n in ("berlin", "lyon"))
    memory = home.memory
    memory.remember("Lives in Berlin", Semantic("Alex", "person", links=(berlin,)))
    held = fact_id("person--alex", "Lives in Berlin")
    day = date(2026, 2, 4)

    memory.remember(
        "Lives in Lyon", Semantic("Alex", since=day, supersedes=held, links=(lyon,))
    )
    assert memory.show(held).text == "Lives in Berlin"
    assert edges(home) == {"place--berlin"}
    found = {h.text: h.since for h in memory.recall("Where does Alex live?").hits}
    assert (found["Lives in Berlin"], found["Lives in Lyon"]) == (None, day)
    home.clock.forward(days=2)

    assert edges(home) == {"place--lyon"}
    now = [h for h in memory.recall("Where does Alex live?").hits if h.text]
    assert [(h.text, h.since) for h in now] == [("Lives in Lyon", None)]
    assert home.disagreements() == []


def test_a_plan_that_replaces_nothing_begins_its_relation_on_its_day(
    home: Home,
) -> None:
    home.memory.remember(
        WORK, Semantic("Alex", "person", since=date(2026, 2, 4), links=ACME)
    )
    assert edges(home) == set()
    assert "acme" not in home.memory.graph()

    home.clock.forward(days=2)

    assert edges(home) == {"project--acme"}
    assert "project--acme" in home.memory.graph()


@pytest.mark.parametrize(
    ("zone", "over"), [("Pacific/Auckland", True), ("America/Los_Angeles", False)]
)
def test_a_fact_ends_on_its_day_in_the_zone_of_the_workspace(
    tmp_path: Path, zone: str, *, over: bool
) -> None:
    home = Home(tmp_path / "agent", TZ=zone)
    home.memory.remember(WORK, Semantic("Alex", "person", until=date(2026, 2, 3)))
    home.clock.forward(hours=2)

    found = {h.text for h in home.memory.recall("Where does Alex work?").hits}

    assert (WORK not in found) is over
    home.memory.close()


def test_an_end_that_is_told_later_is_kept_on_the_known_fact(home: Home) -> None:
    memory = home.memory
    memory.remember(WORK, Semantic("Alex", "person"))

    memory.remember(WORK, Semantic("Alex", "person", until=date(2026, 2, 4)))

    (fact,) = facts(home)
    assert (fact.current, fact.ends) == (True, date(2026, 2, 4))
    memory.remember(WORK, Semantic("Alex", "person", until=TODAY))
    assert facts(home)[0].until == TODAY


def test_a_fact_that_ends_before_it_begins_is_refused(home: Home) -> None:
    wrong = Semantic("Alex", since=date(2026, 3, 1), until=date(2026, 2, 1))

    with pytest.raises(RefusedError, match="ends on 2026-02-01, before 2026-03-01"):
        home.memory.remember(WORK, wrong)


def test_a_fact_typed_with_a_past_end_is_struck_out_at_the_next_look(
    home: Home,
) -> None:
    home.type(
        ALEX, "# person--alex\n\n## Facts\n- Lives in Rome <!-- until: 2025-01-01 -->\n"
    )

    home.memory.show("entity:person--alex")

    assert "- ~~Lives in Rome~~ <!-- until: 2025-01-01 -->" in home.text(ALEX)
