"""The user is one entity, whatever they are called, and asks about themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.memory.routes import route
from tests.memory.test_minds import scripted

from reverie import Block, Core, Semantic
from reverie.model.ids import page_of
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from tests.memory.home import Home

PAGES = "memory/graph/entities"
USER, MARA = f"{PAGES}/person--user.md", f"{PAGES}/person--mara-lindqvist.md"


def test_there_is_one_page_before_and_after_the_name_is_known(home: Home) -> None:
    memory = home.memory
    memory.remember("I like jazz")
    memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))
    memory.remember("I like tea")
    memory.remember("Plays chess", Semantic("Mara Lindqvist", "person"))
    memory.remember("Swims", Semantic("person--mara-lindqvist"))
    memory.remember("Is left-handed", Semantic("me"))
    memory.remember("Mara Lindqvist has a cat.")

    assert not (home.root / MARA).exists()
    page = home.text(USER)
    for words in ("jazz", "tea", "chess", "Swims", "left-handed", "has a cat"):
        assert words in page
    assert "Aliases: Mara Lindqvist" in page
    assert memory.show("entity:person--mara-lindqvist").path == USER
    assert home.disagreements() == []


def test_a_known_name_gives_the_page_its_name(home: Home) -> None:
    home.memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))
    home.memory.remember("I like jazz")
    home.memory.remember("Likes tea", Semantic("the user", "person"))

    assert not (home.root / USER).exists()
    assert "Likes tea" in home.text(MARA)


def test_a_mind_that_names_the_user_means_their_page(home: Home) -> None:
    home.memory.remember("I like jazz")
    home.memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))
    mara = {"name": "Mara Lindqvist", "type": "person"}
    answer = route(store="semantic", about="person--mara-lindqvist", entities=[mara])

    scripted(home, answer).remember("Mara Lindqvist moved to Bergen.")

    assert not (home.root / MARA).exists()
    assert "Bergen" in home.text(USER)


def test_another_persons_birthday_is_no_sure_answer(home: Home) -> None:
    memory = home.memory
    memory.remember("Omar's birthday is on May 4", Semantic("Omar", "person"))
    memory.remember("Priya's birthday is on June 5")
    memory.remember("Hannah's job is nursing", Semantic("Hannah", "person"))
    memory.remember("My mother's name is Ingrid")

    for question in ("When is my birthday?", "What is my job?", "What's my name?"):
        assert not memory.recall(question).sure, question
    assert memory.recall("When is Omar's birthday?").sure
    assert memory.recall("What is my mother's name?").sure


def test_questions_about_oneself_lead_to_ones_page_and_core(home: Home) -> None:
    memory = home.memory
    memory.remember("Omar's birthday is on May 4", Semantic("Omar", "person"))
    memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))
    memory.remember("My birthday is on December 1")
    memory.remember("I'm a backend developer at Fjordpay")

    name, born, work = (
        memory.recall(question)
        for question in ("What's my name?", "When is my birthday?", "where do I work")
    )

    assert (name.sure, name.hits[0].id) == (True, "core:identity/name")
    assert (born.sure, born.hits[0].text) == (True, "My birthday is on December 1")
    assert page_of(work.hits[0].id) == "entity:person--mara-lindqvist"
    assert work.understood.entities == ("entity:person--mara-lindqvist",)


def test_two_pages_of_the_user_are_both_read(home: Home) -> None:
    memory = home.memory
    memory.remember("Is left-handed", Semantic("Mara Lindqvist", "person"))
    memory.remember("I like jazz")
    memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))

    found = memory.recall("What do you know about me?")

    pages = {"entity:person--mara-lindqvist", "entity:person--user"}
    assert set(found.understood.entities) == pages
    assert pages <= {page_of(hit.id) for hit in found.hits}


# --- other names -------------------------------------------------------------------


def test_a_mind_tells_of_another_name(home: Home) -> None:
    home.memory.remember("Sails", Semantic("Robert Berg", "person"))
    robert = {"name": "Robert Berg", "type": "person", "aliases": ["Bobby"]}
    answer = route(store="semantic", about="person--robert-berg", entities=[robert])

    scripted(home, answer).remember("Robert Berg is also known as Bobby.")
    home.memory.remember("Likes rum", Semantic("Bobby"))

    assert home.memory.called("Bobby") == ["entity:person--robert-berg"]
    assert "Likes rum" in home.text(f"{PAGES}/person--robert-berg.md")


def test_another_name_that_is_somebody_elses_is_asked_about(home: Home) -> None:
    home.memory.remember("Sails", Semantic("Robert Berg", "person"))
    home.memory.remember("Sings", Semantic("Bobby", "person"))
    robert = {"name": "Robert Berg", "type": "person", "aliases": ["Bobby"]}
    answer = route(store="semantic", about="person--robert-berg", entities=[robert])

    scripted(home, answer).remember("Robert Berg is also known as Bobby.")

    (pair,) = home.memory.pairs()
    assert {pair.one, pair.into} == {"person--robert-berg", "person--bobby"}
    assert home.memory.called("Bobby") == ["entity:person--bobby"]


def test_a_mind_that_uses_an_old_id_means_the_page_of_now(home: Home) -> None:
    home.memory.remember("Sails", Semantic("Rolf"))
    home.memory.rename("Rolf", type="person")
    rolf = {"name": "Rolf", "type": "concept"}
    answer = route(store="semantic", about="concept--rolf", entities=[rolf])

    scripted(home, answer).remember("Rolf has a boat.")

    assert not (home.root / f"{PAGES}/concept--rolf.md").exists()
    assert "has a boat" in home.text(f"{PAGES}/person--rolf.md")


def test_the_name_alone_leads_to_the_page_that_does_not_say_it_yet(home: Home) -> None:
    home.memory.remember("I like jazz")
    home.memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))

    home.memory.remember("Mara Lindqvist has a cat.")

    assert "has a cat" in home.text(USER)
    assert "Aliases: Mara Lindqvist" in home.text(USER)


def test_facts_of_both_pages_can_be_cited(home: Home) -> None:
    likes = home.memory.remember("I like jazz")
    home.memory.remember("Is tall", Semantic("Mara Lindqvist", "person"))
    home.memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))
    page = likes.ids[0].partition(":")[2]

    found = home.memory.find_to_forget(fact_id(page, "I like jazz"))

    assert [(match.id, match.text) for match in found.matches] == [
        ("entity:person--user", "I like jazz")
    ]


def test_a_link_to_an_old_id_leads_to_the_page_of_now(home: Home) -> None:
    memory = home.memory
    memory.remember("Sails", Semantic("Rolf"))
    memory.rename("Rolf", type="person")
    links = (("knows", "concept--rolf"),)

    memory.remember("Swims", Semantic("Bo", "person", links=links))

    assert "knows: [[person--rolf]]" in home.text(f"{PAGES}/person--bo.md")
    page = home.root / f"{PAGES}/person--bo.md"
    page.write_text(page.read_text().replace("person--rolf", "concept--rolf"))
    found = memory.recall("What do you know about Bo?")
    assert "entity:person--rolf" in {page_of(hit.id) for hit in found.hits}
    assert not [f for f in memory.check() if "leads nowhere" in f.what]
