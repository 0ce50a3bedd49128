"""A link that came with a fact ends with it, on both its ends."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, GRAPH, RELATIONS

from reverie import Confidence, Origin, Semantic
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.model.items import Edge

BERLIN = "memory/graph/entities/place--berlin.md"
LIVES = (("lives-in", "place--berlin"),)
ABOUT = Semantic("Alex", "person")


def edges(home: Home) -> list[Edge]:
    """The graph as the index knows it."""
    return home.state()[2]


def ends(home: Home) -> set[tuple[str, str, str]]:
    """The graph by the ends of its edges."""
    return {(e.origin, e.relation, e.target) for e in edges(home)}


def told(home: Home, text: str, *links: tuple[str, str], old: str = "") -> str:
    """A fact about Alex with relations; its id."""
    home.memory.remember(text, Semantic("Alex", "person", links=links, supersedes=old))
    return fact_id("person--alex", text)


def forget(home: Home, fact: str) -> None:
    """Its human confirms what was found."""
    home.memory.forget(home.memory.find_to_forget(fact).matches)


def test_a_link_names_the_fact_it_came_with_and_its_day(home: Home) -> None:
    fact = told(home, "Lives in Berlin", *LIVES)

    line = (
        f"- lives-in: [[place--berlin]] <!-- since: 2026-02-02 | fact: {fact[-6:]} -->"
    )
    assert line in home.text(ALEX)
    (edge,) = edges(home)
    assert (edge.confidence, edge.first_seen) == (
        Confidence.HIGH,
        home.clock.now.date(),
    )


def test_a_superseded_fact_takes_its_link_with_it_and_undo_brings_it_back(
    home: Home,
) -> None:
    old = told(home, "Lives in Berlin", *LIVES)

    told(home, "Lives in Lyon", ("lives-in", "place--lyon"), old=old)

    assert ends(home) == {("person--alex", "lives-in", "place--lyon")}
    assert "berlin" not in home.text(ALEX).partition("## Relations")[2]
    home.memory.undo()
    assert ends(home) == {("person--alex", "lives-in", "place--berlin")}
    assert home.disagreements() == []


def test_a_forgotten_fact_takes_its_link_with_it(home: Home) -> None:
    fact = told(home, "Hates Ralf Kunze", ("avoids", "person--ralf-kunze"))

    forget(home, fact)

    assert ends(home) == set()
    assert not [h for h in home.memory.recall("Ralf Kunze").hits if "avoids" in h.text]
    home.memory.undo()
    assert ends(home) == {("person--alex", "avoids", "person--ralf-kunze")}


def test_a_link_that_two_facts_name_ends_with_the_last(home: Home) -> None:
    first = told(home, "Lives in Berlin", *LIVES)
    second = told(home, "Rents a flat in Mitte", *LIVES)
    assert f"fact: {first[-6:]} {second[-6:]} -->" in home.text(ALEX)

    forget(home, first)
    assert ends(home) == {("person--alex", "lives-in", "place--berlin")}

    forget(home, second)
    assert ends(home) == set()


def test_a_link_that_its_successor_names_again_keeps_its_first_day(home: Home) -> None:
    old = told(home, "Rents in Berlin", *LIVES)
    day = home.clock.now.date()
    home.clock.forward(days=3)

    told(home, "Owns a house in Berlin", *LIVES, old=old)

    (edge,) = edges(home)
    assert edge.first_seen == day


def test_a_link_without_a_fact_ends_with_the_one_that_alone_names_its_target(
    home: Home,
) -> None:
    fact = told(home, "Lives in Berlin")
    home.type(
        ALEX,
        home.text(ALEX)
        + "\n## Relations\n- relates-to: [[tool--vim]], [[place--berlin]], [[x--y]]\n",
    )

    forget(home, fact)

    assert "- relates-to: [[tool--vim]], [[x--y]]\n" in home.text(ALEX)


def test_a_link_without_a_fact_stays_while_another_fact_names_its_target(
    home: Home,
) -> None:
    fact = told(home, "Lives in Berlin")
    told(home, "Was born in Berlin")
    home.type(ALEX, f"{home.text(ALEX)}\n## Relations\n- From: [[place--berlin]]\n")

    forget(home, fact)

    assert ends(home) == {("person--alex", "from", "place--berlin")}


def test_a_target_is_known_by_its_label_too(home: Home) -> None:
    home.type(
        "memory/graph/entities/place--b.md",
        "# place--b\n\n<!-- Type: place | Label: Berlin -->\n",
    )
    fact = told(home, "Lives in Berlin")
    home.type(ALEX, f"{home.text(ALEX)}\n## Relations\n- In: [[place--b]]\n")

    forget(home, fact)

    assert ends(home) == set()


def test_the_same_edge_told_from_the_other_side_ends_in_the_same_change(
    home: Home,
) -> None:
    home.type(
        RELATIONS, f"{home.text(RELATIONS)}\n## Mine\n- `lives-in` / `home-of` — x\n"
    )
    home.type(BERLIN, "# place--berlin\n\n## Relations\n- Home of: [[person--alex]]\n")
    fact = told(home, "Lives in Berlin", *LIVES)
    assert ends(home) == {("person--alex", "lives-in", "place--berlin")}
    before, commits = home.text(BERLIN), home.commits()

    told(home, "Lives in Lyon", old=fact)

    assert ends(home) == set()
    assert home.commits() == commits + 1
    home.memory.undo()
    assert home.text(BERLIN) == before


def test_the_other_side_keeps_what_a_fact_of_its_own_says(home: Home) -> None:
    home.type(
        RELATIONS, f"{home.text(RELATIONS)}\n## Mine\n- `lives-in` / `home-of` — x\n"
    )
    place = Semantic("Berlin", "place", links=(("Home of", "person--alex"),))
    home.memory.remember("Alex has been seen here", place)
    fact = told(home, "Lives in Berlin", *LIVES)

    forget(home, fact)

    assert ends(home) == {("person--alex", "lives-in", "place--berlin")}


def test_a_fact_struck_out_by_hand_ends_its_edge(home: Home) -> None:
    told(home, "Lives in Berlin", *LIVES)
    home.type(ALEX, home.text(ALEX).replace("Lives in Berlin", "~~Lives in Berlin~~"))

    assert ends(home) == set()
    assert "place--berlin" not in home.memory.show("entity:person--alex").text
    assert home.disagreements() == []


def test_a_fact_mended_by_hand_keeps_its_edge_and_check_says_so(home: Home) -> None:
    told(home, "Lives in Brelin", *LIVES)
    home.type(ALEX, home.text(ALEX).replace("Brelin", "Berlin"))

    assert ends(home) == {("person--alex", "lives-in", "place--berlin")}
    (found,) = (f for f in home.memory.check() if "names" in f.what)
    assert "which is no fact here" in found.what


def test_a_purge_takes_the_links_of_its_facts(home: Home) -> None:
    told(home, "Likes tea")
    place = Semantic("Alex", "person", links=LIVES)
    home.memory.remember("Lives in Berlin", place, origin=Origin.TOOL)

    home.memory.purge(home.memory.purgeable(Origin.TOOL))

    assert ends(home) == set()


@pytest.mark.parametrize("level", [Confidence.MEDIUM, Confidence.LOW])
def test_an_edge_is_as_sure_as_its_fact(home: Home, level: Confidence) -> None:
    place = Semantic("Alex", "person", links=LIVES, confidence=level)

    home.memory.remember("Lives in Berlin", place)

    (edge,) = edges(home)
    assert edge.confidence is level
    assert f"| confidence: {level} -->" in home.text(ALEX).partition("## Relations")[2]


# --- the graph's index ---------------------------------------------------------


def test_the_graph_says_how_sure_since_when_and_when_last_of_each_edge(
    home: Home,
) -> None:
    told(home, "Lives in Berlin", *LIVES)
    home.memory.remember("A big city.", Semantic("Berlin", "place"))
    home.clock.now += timedelta(days=2)
    home.memory.reinforce(["entity:place--berlin"])

    row = "| person--alex | lives-in | place--berlin | high | 2026-02-02 | 2026-02-04 |"
    assert row in home.memory.graph()


def test_the_graph_is_written_down_when_a_session_ends(home: Home) -> None:
    told(home, "Lives in Berlin", *LIVES)
    assert "place--berlin" not in home.text(GRAPH)

    home.memory.tidy_on_close = True
    home.reopen()

    assert home.text(GRAPH) == home.memory.graph()
    assert "| person--alex | lives-in | place--berlin |" in home.text(GRAPH)
    commits = home.commits()
    home.memory.tidy_on_close = True
    home.reopen()
    assert home.commits() == commits
    home.memory.undo()
    assert "place--berlin" not in home.text(GRAPH)


def test_the_graph_tells_nothing_of_what_was_forgotten(home: Home) -> None:
    home.type(ALEX, "# person--alex\n\n## Relations\n- Knows: [[person--bo]]\n")
    home.memory.remember("Sings.", Semantic("person--bo"))
    assert "person--bo" in home.memory.graph()

    forget(home, "entity:person--bo")

    assert "person--bo" not in home.memory.graph()
    assert "person--bo" not in home.text(GRAPH)
