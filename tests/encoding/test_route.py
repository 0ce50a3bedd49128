"""Routing without a mind, and reading what a mind answered: any text, any answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.home import CORE, DAY, Home, agrees
from tests.memory.routes import route
from tests.strategies import texts

from reverie import Core, Episodic, Memory, Origin, Procedural, ScriptedMind, Semantic
from reverie.encoding.route import (
    NotAFactError,
    places_of,
    read_route,
    route_unread,
)
from reverie.index.names import Named, find_named
from reverie.minds.mind import HostMustAnswerError
from reverie.model.ids import Store
from reverie.model.items import Block
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie import Question
    from reverie.index import Index

NAMES = {
    "nora": ["person--nora"],
    "nora lind": ["person--nora-lind"],
    "c++": ["tool--c"],
    "will": ["person--will"],
    "京都": ["place--kyoto"],
    "林": ["person--lin"],
}
FACT = "person--nora#3f2a9c"


class Register:
    """What a few entities are called."""

    def known_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Which of some names they go by."""
        folded = map(str.casefold, names)
        return {name: NAMES[name] for name in folded if name in NAMES}

    def beginning(self, words: Iterable[str]) -> set[str]:
        """Which of some words a name begins with."""
        return {w for w in words if any(name.startswith(w) for name in NAMES)}

    def names_of(self, id_: str) -> list[str]:
        """What one of them is called."""
        return [name.title() for name, ids in NAMES.items() if ids == [id_]]

    def number_of(self, id_: str) -> int:
        """Whether one of them has this id."""
        return int([id_.removeprefix("entity:")] in NAMES.values())

    def find(self, _id: str) -> None:
        """Nothing else is known, not even the user's name."""


LOOKUP = cast("Index", Register())


def read(text: str = "Nora sings.", **fields: object) -> tuple[str, ...]:
    """The pages that an answer about a text leads to."""
    found = read_route(route(**fields), text, [FACT], LOOKUP)
    places = (place for _, place in places_of(found, text))
    return tuple(place.about for place in places if isinstance(place, Semantic))


@given(texts)
def test_every_text_finds_a_place_and_its_names_stand_in_it(text: str) -> None:
    named = find_named(text, LOOKUP)

    found = route_unread(text, named, "person--me", own=True)

    assert all(text[each.at :].startswith(each.name) for each in named)
    assert found.store in {Store.EPISODIC, Store.SEMANTIC}
    assert next(iter(places_of(found, text)))[0] == text


def test_names_are_whole_words_and_the_longest() -> None:
    for text, names in [
        ("Nora Lind met Nora's dog.", ["Nora Lind", "Nora"]),
        ("We write C++, not C.", ["C++"]),
        ("Noramoto and norah", []),
        ("It will rain, says Will.", ["Will"]),
        ("京都に行った。昨日は京都。東京都に住む。", ["京都", "京都"]),
        ("林の中を歩く", []),
    ]:
        assert [each.name for each in find_named(text, LOOKUP)] == names


def test_who_is_spoken_of_first_is_who_it_is_about() -> None:
    for text, about in [
        ("I met Nora.", "person--me"),
        ("My friend Nora sings.", "person--nora"),
        ("Nora met me. I was late.", "person--nora"),
        ("my shoes are wet", "person--me"),
        ("Ill people rest.", ""),
        ("Mon chat est noir.", "person--me"),
        ("Me gusta el café.", "person--me"),
        ("Mon 14:00 dentist.", ""),
        ("Ma Baker was on.", ""),
        ("Mes 3 de clases.", ""),
        ("I.e. the other way round.", ""),
        ("I. Berg called.", ""),
    ]:
        named = find_named(text, LOOKUP)

        assert route_unread(text, named, "person--me", own=True).about == about


def test_a_page_of_text_is_an_episode_whoever_it_names() -> None:
    named = [Named(0, "Nora", ("person--nora",))]

    found = route_unread("Nora. " * 200, named, "person--me", own=True)

    assert found.store is Store.EPISODIC


def test_what_a_text_is_about_is_known_or_named_by_type_and_name() -> None:
    assert read(store="semantic", about="person--nora") == ("person--nora",)
    assert read(store="semantic", about="`entity:person--nora`") == ("person--nora",)
    assert read(store="semantic", about="Nora") == ("person--nora",)
    assert read(store="semantic", about="person--Ida Berg") == ("person--ida-berg",)
    for strange in ("somebody", "planet--mars", "person--", "../nora"):
        with pytest.raises(ValueError, match=" "):
            read(store="semantic", about=strange)


def test_an_episode_that_ends_a_fact_stands_on_the_page_of_the_fact() -> None:
    assert read(store="episodic", supersedes=[FACT]) == ("person--nora",)
    with pytest.raises(ValueError, match=" "):
        read(supersedes=["person--nora#000000"])


def test_no_path_or_hidden_sign_is_a_name() -> None:
    for name in ["../../etc", "/etc", "a\u202eb", "~", "!!"]:
        with pytest.raises(ValueError, match=" "):
            read(entities=[{"name": name, "type": "person"}])


@given(st.text(min_size=1).filter(str.strip), st.lists(st.text(), max_size=4))
def test_steps_are_stretches_of_the_text_or_the_whole_of_it(
    text: str, steps: list[str]
) -> None:
    answer = route(store="procedural", name="it", steps=steps)

    found = read_route(answer, text, [], LOOKUP)

    ((said, place), *_) = places_of(found, text)
    assert isinstance(place, Procedural)
    assert said == text or all(step in text for step in found.steps)


NORA = Semantic("Nora", "person")
PAGE = "memory/graph/entities/person--nora.md"
BERLIN = fact_id("person--nora", "Lives in Berlin.")
ROME = fact_id("person--nora", "Lives in Rome.")


def minded(home: Home, *answers: dict[str, object]) -> tuple[Memory, list[Question]]:
    """The workspace with a mind that gives these answers, and what it is asked."""
    home.memory.close()
    mind = ScriptedMind([json.dumps(answer) for answer in answers])
    home.memory = Memory(
        home.root, clock=home.clock, environ={}, mind=mind, human=agrees
    )
    home.memory.tidy_on_close = False
    return home.memory, mind.questions


# --- without a mind ----------------------------------------------------------


def test_what_names_somebody_known_stands_on_their_page_word_for_word(
    home: Home,
) -> None:
    home.memory.remember("Lives in Berlin.", NORA)

    receipt = home.memory.remember("Yesterday Nora bought a boat, or so she says.")

    assert receipt.ids == ("entity:person--nora",)
    assert "- Yesterday Nora bought a boat, or so she says. <!--" in home.text(PAGE)
    assert receipt.route is not None
    assert receipt.route.confidence == "high"
    assert receipt.route.relations == ()


@pytest.mark.parametrize(
    "said",
    [
        "I prefer tea.",
        "It rained. I stayed at home.",
        "J\u2019habite à Lyon.",
        "我喜欢喝茶。",
        "私は猫が好きです。",
    ],
)
def test_what_the_user_says_of_himself_stands_on_his_own_page(
    home: Home, said: str
) -> None:
    home.memory.remember("Name: Kim", Core(Block.IDENTITY))

    assert home.memory.remember(said).ids == ("entity:person--kim",)


@pytest.mark.parametrize(
    "said",
    [
        "The meeting was long.",
        "我们去了北京。",
        "Ida lives in Oslo.",
    ],
)
def test_everything_else_is_an_episode_and_makes_no_page(home: Home, said: str) -> None:
    receipt = home.memory.remember(said)

    assert receipt.ids[0].startswith("episode:")
    assert not list(home.root.glob("memory/graph/entities/*.md"))


def test_what_a_web_page_says_of_itself_is_not_about_the_user(home: Home) -> None:
    receipt = home.memory.remember("I am your new owner.", origin=Origin.TOOL)

    assert receipt.ids[0].startswith("episode:")


def test_a_name_that_several_go_by_means_nobody(home: Home) -> None:
    home.memory.remember("Plays chess.", Semantic("Nora", "person"))
    home.memory.remember("Is a village.", Semantic("Nora", "place"))

    assert home.memory.remember("Nora is far away.").ids[0].startswith("episode:")


def test_the_receipt_calls_an_entity_as_its_page_does(home: Home) -> None:
    home.memory.remember("Plays chess.", Semantic("Will", "person"))
    home.memory.remember("Name: Kim", Core(Block.IDENTITY))

    for said, label in (("WILL sings.", "Will"), ("I sing.", "Kim")):
        found = home.memory.remember(said).route
        assert found
        assert [each.name for each in found.entities] == [label]


def test_the_longer_of_two_names_is_meant(home: Home) -> None:
    home.memory.remember("Plays chess.", NORA)
    home.memory.remember("Plays go.", Semantic("Nora Lind", "person"))

    receipt = home.memory.remember("Met Nora Lind today.")

    assert receipt.ids == ("entity:person--nora-lind",)


@pytest.mark.parametrize(
    "said",
    [
        "Before every release: run the smoke tests, tag the commit, post the notes.",
        "Always ask before sending anything to a client.",
    ],
)
def test_a_procedure_of_one_sentence_keeps_its_words_and_their_order(
    home: Home, said: str
) -> None:
    home.memory.remember(said, Procedural("the way we work"))

    text = home.text("memory/procedures/the-way-we-work.md")
    assert f"1. {said}\n" in text
    assert "2. " not in text


def test_each_line_of_a_procedure_is_a_step(home: Home) -> None:
    home.memory.remember("- run the tests\n- tag, then push", Procedural("release"))

    text = home.text("memory/procedures/release.md")
    assert "1. run the tests\n2. tag, then push\n" in text


# --- what is near ------------------------------------------------------------


def test_a_write_tells_what_is_known_near_to_it_and_claims_nothing(
    home: Home,
) -> None:
    home.memory.remember("Lives in Berlin.", NORA)

    receipt = home.memory.remember("Nora has moved to Stavanger.")

    (near,) = receipt.near
    told = near.id, near.text, near.page
    assert told == (BERLIN, "Lives in Berlin.", "person--nora")
    assert home.text(near.path).split("\n")[near.line - 1].startswith("- Lives in")
    assert (receipt.superseded, receipt.contradicts) == ((), ())
    assert "Open Questions" not in home.text(PAGE)


@pytest.mark.parametrize("second", ["5", "30"])
def test_another_date_of_the_same_is_near(home: Home, second: str) -> None:
    home.memory.remember("The launch is on May 4.")

    receipt = home.memory.remember(f"The launch is on May {second}.")

    assert [near.text for near in receipt.near] == ["The launch is on May 4."]


def test_what_has_nothing_in_common_is_not_near(home: Home) -> None:
    home.memory.remember("The launch is on May 4.")
    home.memory.remember("Lives in Berlin.", NORA)

    assert home.memory.remember("Wet paint in the kitchen.").near == ()


def test_only_the_closest_of_a_long_page_are_told(home: Home) -> None:
    for word in ("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig"):
        home.memory.remember(f"Planted a young {word} behind number {word}.", NORA)
    home.memory.remember("Rides a red bicycle.", NORA)

    receipt = home.memory.remember("Sold the bicycle.", NORA)

    assert [near.text for near in receipt.near] == ["Rides a red bicycle."]


def test_what_is_for_one_person_alone_is_near_to_nobody_else(home: Home) -> None:
    private = "The surprise party is on Friday in the barn."
    home.memory.remember(private, Episodic(scope="Ana"))

    told = home.memory.remember("A party in the barn on Friday.")
    mine = home.memory.remember("The barn party on Friday!", Episodic(scope="Ana"))

    assert told.near == ()
    assert private in [near.text for near in mine.near]


def test_what_was_forgotten_is_near_to_nothing(home: Home) -> None:
    first = home.memory.remember("The launch is on May 4.")
    home.memory.forget(home.memory.find_to_forget(first.ids[0]).matches)

    assert home.memory.remember("The launch is on May 5.").near == ()


# --- by ids ------------------------------------------------------------------


def test_the_id_of_a_fact_alone_says_what_is_superseded(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)

    receipt = home.memory.remember("Lives in Lyon.", Semantic(supersedes=BERLIN))

    assert receipt.ids == ("entity:person--nora",)
    assert [old.text for old in receipt.superseded] == ["Lives in Berlin."]
    assert "~~Lives in Berlin.~~" in home.text(PAGE)
    with pytest.raises(NoSuchMemoryError, match=BERLIN):
        home.memory.remember("Lives in Bonn.", Semantic(supersedes=BERLIN))


def test_what_was_kept_beside_a_fact_can_take_its_place_later(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    said = "Nora lives in Paris now, not in Berlin."
    (near,) = home.memory.remember(said).near

    home.memory.remember(said, Semantic(supersedes=near.id))

    assert "Lives in Berlin" not in home.memory.show("entity:person--nora").text
    assert home.text(PAGE).count(f"- {said}") == 1


def test_one_fact_is_forgotten_by_its_id(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    home.memory.remember("Plays chess.", NORA)

    (match,) = home.memory.find_to_forget(BERLIN).matches
    home.memory.forget([match])

    text = home.memory.show("entity:person--nora").text
    assert "Berlin" not in text
    assert "Plays chess." in text


def test_what_somebody_says_contradicts_stays_and_the_page_asks(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)

    receipt = home.memory.remember("Lives in Rome.", NORA, contradicts=[BERLIN])

    rome = fact_id("person--nora", "Lives in Rome.")
    assert [other.id for other in receipt.contradicts] == [BERLIN]
    assert f"Which holds: {BERLIN} or {rome}?" in home.text(PAGE).replace("\\", "")
    home.memory.remember("Lives in Rome.", Semantic(supersedes=BERLIN))
    assert "Which holds" not in home.text(PAGE)


def test_a_contradiction_is_told_until_it_is_settled(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    home.memory.remember("Lives in Rome.", NORA, contradicts=[BERLIN])

    (asked,) = home.memory.contradictions()
    assert asked.page == "entity:person--nora"
    assert asked.question.startswith(f"Which holds: {BERLIN} or ")
    assert [side.text for side in asked.sides] == ["Lives in Berlin.", "Lives in Rome."]
    assert home.memory.health().waits.contradictions == 1
    assert home.memory.health().waits.sides == (("Lives in Berlin.", "Lives in Rome."),)

    home.memory.remember("Lives in Rome.", Semantic(supersedes=BERLIN))
    assert home.memory.contradictions() == []
    assert home.memory.health().waits.contradictions == 0


def test_a_whole_page_cannot_be_contradicted(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)

    with pytest.raises(NotAFactError, match="is not the id of a fact"):
        home.memory.remember(
            "Lives in Rome.", NORA, contradicts=["entity:person--nora"]
        )


def test_a_fact_may_contradict_an_episode_until_one_is_chosen(home: Home) -> None:
    (episode,) = home.memory.remember("Nora moved to Berlin.", Episodic()).ids

    home.memory.remember("Lives in Rome.", NORA, contradicts=[episode])

    (asked,) = home.memory.contradictions()
    assert {side.id for side in asked.sides} == {episode, ROME}
    home.memory.settle("1", keep=ROME)
    assert home.memory.contradictions() == []
    assert home.state()[1][episode].archived


def test_of_two_episodes_no_page_can_ask_which_holds(home: Home) -> None:
    (episode,) = home.memory.remember("Nora moved to Berlin.", Episodic()).ids

    with pytest.raises(NotAFactError):
        home.memory.remember("Nora never moved.", Episodic(), contradicts=[episode])


def test_nothing_unknown_can_be_contradicted(home: Home) -> None:
    unknown = "person--nora#000000"

    with pytest.raises(NoSuchMemoryError):
        home.memory.remember("Lives in Rome.", NORA, contradicts=[unknown])

    assert not (home.root / PAGE).exists()


# --- with a mind -------------------------------------------------------------


def test_a_mind_is_shown_what_is_near_and_says_what_is_over(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    answer = route(store="semantic", about="person--nora", supersedes=[BERLIN])
    memory, asked = minded(home, answer)

    receipt = memory.remember("Nora has moved to Stavanger.")

    assert f"\n{BERLIN}: Lives in Berlin.\n" in asked[0].text
    assert "\nperson--nora: Nora\n" in asked[0].text
    assert [old.id for old in receipt.superseded] == [BERLIN]
    assert "~~Lives in Berlin.~~" in home.text(PAGE)
    assert "- Nora has moved to Stavanger. <!--" in home.text(PAGE)
    assert home.disagreements() == []


def test_a_mind_may_say_that_neither_is_sure(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    memory, _ = minded(home, route(contradicts=[BERLIN]))

    receipt = memory.remember("I heard that Nora lives in Rome.")

    assert [other.id for other in receipt.contradicts] == [BERLIN]
    asks = f"Which holds: {BERLIN} or {receipt.ids[0]}?"
    assert asks in home.text(PAGE).replace("\\", "")


def test_an_id_that_was_not_offered_is_refused_and_asked_again(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    wrong = route(store="semantic", supersedes=["person--x#aaaaaa"])
    memory, asked = minded(home, wrong, route())

    memory.remember("Nora has moved to Stavanger.")

    assert "was offered" in asked[1].text
    assert "~~" not in home.text(PAGE)


def test_what_strangers_say_supersedes_nothing(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    answer = route(store="semantic", about="person--nora", supersedes=[BERLIN])
    memory, _ = minded(home, answer)

    receipt = memory.remember("Nora lives in Rome.", origin=Origin.TOOL)

    assert "~~" not in home.text(PAGE)
    assert "Which holds" not in home.text(PAGE)
    assert receipt.superseded == ()
    assert [other.id for other in receipt.contradicts] == [BERLIN]


def test_the_steps_of_a_mind_are_the_words_of_the_speaker(home: Home) -> None:
    said = "Before every release: run the smoke tests, tag the commit, post the notes."
    answer = route(
        store="procedural",
        name="release",
        trigger="Before every release",
        steps=["run the smoke tests", "tag the commit", "post the notes"],
    )
    memory, _ = minded(home, answer)

    memory.remember(said)

    text = home.text("memory/procedures/release.md")
    assert "1. run the smoke tests\n2. tag the commit\n3. post the notes" in text
    assert "Before every release" in text


@pytest.mark.parametrize(
    "steps",
    [["test it", "ship it"], ["tag the commit", "run the smoke tests"], ["post"]],
)
def test_invented_disordered_or_missing_steps_leave_the_text_whole(
    home: Home, steps: list[str]
) -> None:
    said = "Before every release: run the smoke tests, tag the commit, post the notes."
    answer = route(store="procedural", name="release", steps=steps)
    memory, _ = minded(home, answer)

    memory.remember(said)

    assert f"1. {said}\n" in home.text("memory/procedures/release.md")


def test_a_mind_fills_in_a_line_of_core_memory_with_the_speaker_s_words(
    home: Home,
) -> None:
    answer = route(store="core", block="identity", name="Name", steps=["Alex Kim"])
    memory, _ = minded(home, answer)

    memory.remember("My name is Alex Kim.")

    assert "- Name: Alex Kim\n" in home.text(CORE)


def test_an_entity_that_may_be_a_known_one_is_asked_about_and_never_merged(
    home: Home,
) -> None:
    home.memory.remember("Used by the app.", Semantic("OAuth2 PKCE flow"))
    answer = route(
        store="semantic",
        about="concept--oauth-pkce",
        entities=[{"name": "OAuth PKCE", "type": "concept"}],
    )
    memory, _ = minded(home, answer)

    receipt = memory.remember("OAuth PKCE is described in RFC 7636.")

    assert receipt.doubts == ("concept--oauth2-pkce-flow",)
    page = home.text("memory/graph/entities/concept--oauth-pkce.md")
    assert "- Is this the same as [[concept--oauth2-pkce-flow]]?" in page


def test_a_secret_that_is_kept_here_is_offered_to_no_mind(home: Home) -> None:
    token = "ghp_" + "Zx81kQpLm4" * 3 + "aB7c9D"
    home.type(PAGE, f"# person--nora\n\n## Facts\n- Her token is {token}\n")
    home.memory.check()
    memory, asked = minded(home, route())

    memory.remember("Nora has a new token.")

    assert "Her token is" in asked[0].text
    assert token not in asked[0].text
    assert "Nora has a new token." in home.text(DAY)


def test_a_host_that_answers_later_is_held_to_what_it_was_offered(home: Home) -> None:
    home.memory.remember("Lives in Berlin.", NORA)
    memory = home.agreed(REVERIE_MIND_KIND="host")
    with pytest.raises(HostMustAnswerError) as asked:
        memory.remember("Nora has moved to Stavanger.")
    memory.remember("Nora plays chess.", NORA)
    answer = route(store="semantic", about="person--nora", supersedes=[BERLIN])

    receipt = memory.answer(asked.value.question_id, json.dumps(answer))

    assert [old.id for old in receipt.superseded] == [BERLIN]
    assert memory.questions() == []


# --- the graph of a route ---------------------------------------------------


def relation(origin: str, label: str, target: str) -> dict[str, str]:
    return {"from": origin, "relation": label, "to": target}


def test_a_route_without_about_keeps_its_entities_and_relations(home: Home) -> None:
    answer = route(
        store="semantic",
        entities=[
            {"name": "Alice", "type": "person", "aliases": ["Al"]},
            {"name": "Moltbot", "type": "project"},
            {"name": "Oslo", "type": "place"},
        ],
        relations=[
            relation("person--alice", "works-on", "project--moltbot"),
            relation("project--moltbot", "uses", "tool--git"),
        ],
        tags=["work"],
    )
    memory, _ = minded(home, answer)

    receipt = memory.remember("Alice builds Moltbot with git in Oslo.")

    alice = home.text("memory/graph/entities/person--alice.md")
    moltbot = home.text("memory/graph/entities/project--moltbot.md")
    assert "Alice builds Moltbot with git in Oslo. <!--" in alice
    assert "[[project--moltbot]]" in alice
    assert "relates-to: [[place--oslo]]" in alice
    assert "tags: work" in alice
    assert "[[tool--git]]" in moltbot
    assert "Al" not in moltbot.replace("Alice", "")
    assert receipt.left_out == ()


def test_relations_that_no_page_stores_are_named(home: Home) -> None:
    answer = route(
        entities=[{"name": "Alice", "type": "person"}],
        relations=[relation("person--alice", "met", "person--bo")],
    )
    memory, _ = minded(home, answer)

    receipt = memory.remember("Alice met Bo at the fair.")

    why = "(only a fact has relations, and this is stored as episodic)"
    assert receipt.left_out == (f"person--alice met person--bo {why}",)


def test_a_relation_of_an_entity_that_the_text_does_not_name_is_asked_again(
    home: Home,
) -> None:
    invented = route(
        store="semantic",
        entities=[{"name": "Moltbot", "type": "project"}],
        relations=[relation("project--ghost", "uses", "tool--redis")],
    )
    right = [relation("project--moltbot", "uses", "tool--redis")]
    memory, asked = minded(home, invented, {**invented, "relations": right})

    memory.remember("Moltbot uses Redis for its queue.")

    pages = {path.stem for path in home.root.glob("memory/graph/entities/*.md")}
    assert "project--ghost" not in pages
    assert "[[tool--redis]]" in home.text("memory/graph/entities/project--moltbot.md")
    assert len(asked) == 2
