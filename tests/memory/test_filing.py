"""Where something is filed when nobody says where."""

from __future__ import annotations

import pytest
from tests.memory.home import CORE, Home

from reverie import Semantic, Store


@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("Nora lives in Lisbon.", "entity:person--nora"),
        ("I prefer dark mode in every editor.", "entity:person--user"),
        ("To deploy, run the tests, then push the tag.", "procedure:how-to-deploy"),
        ("My name is Alex.", "core:identity/name"),
        ("We decided to meet on Mondays.", "episode:2026-02-02:12:00"),
        ("zxcv", "episode:2026-02-02:12:00"),
    ],
)
def test_a_plain_sentence_finds_its_place(home: Home, said: str, id_: str) -> None:
    receipt = home.memory.remember(said)

    assert receipt.ids[0] == id_
    assert receipt.route is not None
    assert home.disagreements() == []


def test_what_nobody_can_place_is_an_episode_and_says_so(home: Home) -> None:
    receipt = home.memory.remember("zxcv")

    assert receipt.route is not None
    assert receipt.route.confidence == "low"


def test_a_health_matter_stands_in_core_memory_too(home: Home) -> None:
    receipt = home.memory.remember("I am allergic to peanuts.")

    assert [id_.partition(":")[0] for id_ in receipt.ids] == ["entity", "core"]
    assert "allergic to peanuts" in home.text(CORE)
    assert len(home.memory.history()) == 2  # one change, after the first commit


def test_the_template_s_own_line_is_filled_in(home: Home) -> None:
    home.memory.remember("My name is Alex.")

    assert "- Name: Alex\n" in home.text(CORE)
    assert "[User Name]" not in home.text(CORE)
    assert home.memory.remember("I like tea.").ids == ("entity:person--alex",)


def test_a_clear_match_is_the_same_entity_under_one_more_name(home: Home) -> None:
    home.memory.remember("Runs on port 8080.", Semantic("Data Hub"))

    receipt = home.memory.remember("Data-Hubs uses Redis.")

    assert receipt.ids == ("entity:concept--data-hub",)
    assert "Aliases: Data-Hubs" in home.text(
        "memory/graph/entities/concept--data-hub.md"
    )


def test_a_doubtful_match_is_asked_about_and_never_merged(home: Home) -> None:
    home.memory.remember("Used by the app.", Semantic("OAuth2 PKCE flow"))

    receipt = home.memory.remember("OAuth PKCE is described in RFC 7636.")

    assert receipt.doubts == ("concept--oauth2-pkce-flow",)
    assert receipt.ids == ("entity:concept--oauth-pkce",)
    page = home.text("memory/graph/entities/concept--oauth-pkce.md")
    assert "- Is this the same as [[concept--oauth2-pkce-flow]]?" in page


def test_what_contradicts_is_kept_beside_and_told(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Nora", "person"))

    receipt = home.memory.remember("Nora lives in Porto.")

    (conflict,) = receipt.conflicts
    assert (conflict.id, conflict.text) == ("entity:person--nora", "Lives in Berlin")
    text = home.memory.show("entity:person--nora").text
    assert "Lives in Berlin" in text
    assert "Nora lives in Porto." in text


def test_what_supersedes_contradicts_nothing(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Nora", "person"))

    receipt = home.memory.remember(
        "Lives in Porto", Semantic("Nora", "person", supersedes="Lives in Berlin")
    )

    assert receipt.conflicts == ()


def test_core_memory_is_looked_at_for_contradictions(home: Home) -> None:
    home.memory.remember("My name is Alex.")
    home.type(CORE, home.text(CORE) + "- The deadline of Foo is March 15.\n")
    home.memory.check()

    receipt = home.memory.remember("The deadline of Foo is March 30.")

    assert [c.id.partition(":")[0] for c in receipt.conflicts] == ["core"]


def test_the_count_of_stores_is_as_it_should_be(home: Home) -> None:
    for said in ("Nora lives in Lisbon.", "Nora works for Acme.", "Nora likes tea."):
        home.memory.remember(said)

    assert len(home.memory.items(Store.SEMANTIC)) == 1
