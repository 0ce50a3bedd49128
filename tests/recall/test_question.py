"""Questions of every sort, asked of a workspace that knows the answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.home import NOON
from tests.recall.scenes import fading, hit_of, small_talk, talk, texts

from reverie import (
    Block,
    Core,
    Episodic,
    Plan,
    Procedural,
    Reach,
    RefusedError,
    Semantic,
    Store,
)
from reverie.config import Config
from reverie.index.text import Cue
from reverie.model.ids import page_of
from reverie.recall.entity_names import EntityNames
from reverie.recall.question import (
    FADE,
    LONGEST,
    WIDEST,
    EmptyQuestionError,
    RecallQuestion,
    choose_plan,
    expected_cue,
    walk,
    wants_both_sides,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.memory.home import Home

GATEWAY = "entity:project--gateway"


@pytest.fixture
def working(home: Home) -> Home:
    """A workspace that knows of a gateway in every store that tells of one."""
    memory = home.memory
    memory.remember("Deployed the gateway to production.", Episodic())
    links = (("Uses", "tool--cargo"),)
    memory.remember("Written in Rust", Semantic("gateway", "project", links=links))
    memory.remember("Builds crates", Semantic("cargo", "tool"))
    links = (("Works on", "project--gateway"),)
    memory.remember("Lives in Berlin", Semantic("Alexandra", "person", links=links))
    memory.remember("run the tests\npush the gateway", Procedural("how to deploy"))
    return home


# --- the five plans ----------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "plan", "best"),
    [
        ("When did we deploy the gateway?", Plan.WHEN, "episode:2026-02-02:12:00"),
        ("What do you know about the gateway?", Plan.ABOUT, GATEWAY),
        ("How do I usually deploy the gateway?", Plan.HOW, "procedure:how-to-deploy"),
        ("gateway production", Plan.GENERAL, "episode:2026-02-02:12:00"),
    ],
)
def test_the_store_that_answers_such_questions_comes_first(
    working: Home, question: str, plan: Plan, best: str
) -> None:
    found = working.memory.recall(question)

    assert found.understood.plan is plan
    assert page_of(found.hits[0].id) == best
    assert found.sure


def test_the_latest_is_what_happened_last(home: Home) -> None:
    home.memory.take_in([small_talk()])
    for days in (90, 30, 1):
        at = NOON - timedelta(days=days)
        home.memory.remember(f"The roof of the barn, part {days}.", Episodic(at=at))

    found = home.memory.recall("What's the latest on the roof of the barn?")

    assert found.understood.plan is Plan.LATEST
    assert found.hits[0].id == "episode:2026-02-01:12:00"


def test_core_memory_is_never_old_news(home: Home) -> None:
    home.memory.remember("Is the billing rewrite", Semantic("Apollo", "project"))
    home.memory.remember("Apollo ships in May", Core(Block.CONTEXT))
    home.clock.forward(days=60)
    home.memory.remember("Apollo passed the load test.", Episodic())

    found = home.memory.recall("What's the latest on Apollo?", least=0)

    assert texts(found) == [
        "Apollo passed the load test.",
        "Apollo ships in May",
        "Is the billing rewrite",
    ]


def test_stores_can_be_chosen(working: Home) -> None:
    found = working.memory.recall("gateway", stores=[Store.PROCEDURAL], least=0)

    assert {hit.store for hit in found.hits} == {Store.PROCEDURAL}


# --- when --------------------------------------------------------------------


@pytest.fixture
def dining(home: Home) -> Home:
    """Dinners of some years."""
    for day in ("2023-05-14", "2025-06-01", "2026-01-20", "2026-02-01"):
        place = Episodic(at=noon(day))
        home.memory.remember(f"Dinner at the {day} restaurant.", place)
    home.memory.take_in([small_talk()])
    return home


def noon(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "now", "day"),
    [
        ("dinner restaurant in May 2023", "2026-02-02", "2023-05-14"),
        ("dinner restaurant yesterday", "2025-06-02", "2025-06-01"),
    ],
)
def test_a_time_is_counted_from_the_moment_of_asking(
    dining: Home, question: str, now: str, day: str
) -> None:
    found = dining.memory.recall(question, now=noon(now), reach=Reach.EVERYTHING)

    timely = [hit for hit in found.hits if any("time asked for" in w for w in hit.why)]
    best = max(timely, key=lambda hit: hit.score / fading(hit))
    assert best.id == f"episode:{day}:12:00"
    assert best.id == max(found.hits, key=lambda hit: hit.score / fading(hit)).id


def test_what_was_told_after_a_time_is_not_said_to_have_happened_in_it(
    dining: Home,
) -> None:
    found = dining.memory.recall("dinner from 2026-01-01 to 2026-01-31", least=0)

    within = hit_of(found, "episode:2026-01-20:12:00").why[-1]
    after = hit_of(found, "episode:2026-02-01:12:00").why[-1]
    assert within.startswith("happened in the time asked for")
    assert after.startswith("told soon after the time asked for")


def test_a_question_of_time_alone_finds_what_happened_then(dining: Home) -> None:
    found = dining.memory.recall("May 2023", least=0, reach=Reach.EVERYTHING)

    assert found.hits[0].id == "episode:2023-05-14:12:00"


def test_beside_a_time_words_that_nobody_has_hide_nothing(dining: Home) -> None:
    for question in [
        "Was haben wir letzte Woche gemacht?",
        "¿Qué pasó la semana pasada?",
        "Que s'est-il passé la semaine dernière ?",
        "O que aconteceu semana passada?",
        "上周发生了什么",
        "先週は何があった",
        "¿Qué dijimos en el dinner con Ann la semana pasada?",
    ]:
        found = dining.memory.recall(question)

        assert found.hits[0].id == "episode:2026-02-01:12:00"
        assert not found.sure


def test_what_happened_on_a_day_stands_above_what_is_told_of_it_later(
    home: Home,
) -> None:
    home.memory.remember("What happened on Wednesday?", Episodic(at=noon("2026-01-29")))
    home.memory.remember("The database was down.", Episodic(at=noon("2026-01-28")))
    home.memory.remember("Something happened.", Episodic(at=noon("2026-01-26")))
    home.memory.embed()

    found = home.memory.recall("what happened on wednesday", now=noon("2026-01-31"))

    assert texts(found)[0] == "The database was down."
    assert "Something happened." not in texts(found)


# --- whom --------------------------------------------------------------------


def test_an_entity_is_found_by_its_name_however_it_is_written(working: Home) -> None:
    for question in [
        "What do you know about Alexandra?",
        "what do you know about ALEXANDRA",
        "What do you know about Alexandar?",
        "What do you know about Alexandra's home?",
        "Tell me about person--alexandra",
    ]:
        found = working.memory.recall(question)

        assert found.understood.entities == ("entity:person--alexandra",)
        assert page_of(found.hits[0].id) == "entity:person--alexandra"
        assert (
            "is what the question names (entity:person--alexandra)" in found.hits[0].why
        )


def test_what_nobody_has_heard_of_is_named_by_nothing(working: Home) -> None:
    found = working.memory.recall("What do you know about Zarathustra?")

    assert found.understood.entities == ()
    assert not found.sure


def test_neighbours_in_the_graph_come_along_and_say_so(working: Home) -> None:
    found = working.memory.recall("What do you know about Alexandra?", least=0.05)

    near = hit_of(found, GATEWAY)
    far = hit_of(found, "entity:tool--cargo")
    assert "1 hop from entity:person--alexandra in the graph" in near.why
    assert "2 hops from entity:person--alexandra in the graph" in far.why
    assert found.hits[0].score > near.score > far.score


def test_a_neighbour_that_hardly_fits_comes_along_with_its_own_score(
    working: Home,
) -> None:
    found = working.memory.recall("What do you know about Alexandra?", least=0.9)

    near, far = hit_of(found, GATEWAY), hit_of(found, "entity:tool--cargo")
    assert 0.9 > near.score > far.score > 0


def test_of_two_who_are_named_a_neighbour_says_whose_it_is(working: Home) -> None:
    memory = working.memory
    memory.remember("Lives in Bonn", Semantic("Sam Reed", "person"))
    memory.remember("Lives in Kiel", Semantic("Sam Moor", "person"))

    found = memory.recall("What do you know about Sam and Alexandra?")

    assert (
        "is what the question names (entity:person--sam-reed)"
        in hit_of(found, "entity:person--sam-reed").why
    )
    near = hit_of(found, GATEWAY)
    assert "1 hop from entity:person--alexandra in the graph" in near.why


def test_a_question_of_another_sort_takes_one_hop(working: Home) -> None:
    found = working.memory.recall("Alexandra and the sea", least=0.01)

    assert found.understood.plan is Plan.GENERAL
    reasons = [why for hit in found.hits for why in hit.why]
    assert "1 hop from entity:person--alexandra in the graph" in reasons
    assert not any(why.startswith("2 hops ") for why in reasons)


def test_the_graph_is_followed_as_far_as_configured(working: Home) -> None:
    memory = working.reopen(REVERIE_RECALL_GRAPH_DEPTH="1")

    found = memory.recall("What do you know about Alexandra?", least=0.05)

    reasons = [why for hit in found.hits for why in hit.why]
    assert any(why.startswith("1 hop ") for why in reasons)
    assert not any(why.startswith("2 hops ") for why in reasons)


def test_who_speaks_in_a_conversation_and_is_named_speaks_first(home: Home) -> None:
    said = ("I like the lighthouse.", "Ann may like the lighthouse, who knows.")
    home.memory.take_in([talk("one", *said), small_talk()])

    found = home.memory.recall("What did Ann say about the lighthouse?")

    assert found.understood.speakers == ("Ann",)
    assert found.hits[0].speaker == "Ann"
    assert "said by somebody the question names" in found.hits[0].why


def test_an_empty_question_is_refused_with_advice() -> None:
    for text in ["", " ", "\n\t\r\n", "\u2003"]:
        with pytest.raises(EmptyQuestionError) as refused:
            RecallQuestion(text, NOON, Config())

        assert isinstance(refused.value, RefusedError)
        assert "reverie recall" in refused.value.advice


def test_only_so_much_of_a_question_is_read() -> None:
    assert RecallQuestion("x" * 100_000, NOON, Config()).read == "x" * LONGEST
    assert RecallQuestion("gnu?", NOON, Config()).read == "gnu?"


QUESTIONS = [
    # the five rows of the design, section 11.1
    ("When did we choose the database?", Plan.WHEN),
    ("What do you know about Alex?", Plan.ABOUT),
    ("How do I usually deploy?", Plan.HOW),
    ("What's the latest on the gateway?", Plan.LATEST),
    ("green curtains", Plan.GENERAL),
    # close to them
    ("when was that", Plan.WHEN),
    ("Which month was the trip?", Plan.WHEN),
    ("How long ago did we talk?", Plan.WHEN),
    ("Tell me about the gateway", Plan.ABOUT),
    ("Who is Alex?", Plan.ABOUT),
    ("How should we answer?", Plan.HOW),
    ("how to boil an egg", Plan.HOW),
    ("Any news from Kim?", Plan.LATEST),
    ("What's new?", Plan.LATEST),
    # what only looks like one of them
    ("Whenever it rains", Plan.GENERAL),
    ("the howling wolf", Plan.GENERAL),
    ("lately it rains", Plan.GENERAL),
    ("How did Kim like the soup?", Plan.GENERAL),
    ("What is the total of my bills?", Plan.GENERAL),
    ("What is the new office like?", Plan.GENERAL),
    ("", Plan.GENERAL),
]


def test_a_question_is_of_the_sort_its_words_tell() -> None:
    for question, plan in QUESTIONS:
        assert choose_plan(question) is plan


def test_a_question_tells_whether_a_number_or_a_time_is_wanted() -> None:
    for question, plan, cue in [
        ("How many cups do I own?", Plan.GENERAL, Cue.NUMBER),
        ("How much was it in total?", Plan.GENERAL, Cue.NUMBER),
        ("What time is the meeting?", Plan.WHEN, Cue.NUMBER | Cue.TIME),
        ("When did we meet?", Plan.WHEN, Cue.TIME),
        ("How many weeks since the move?", Plan.GENERAL, Cue.NUMBER | Cue.TIME),
        ("How long ago was that?", Plan.WHEN, Cue.NUMBER | Cue.TIME),
        ("Where do I live?", Plan.GENERAL, Cue(0)),
        ("Who is Alex?", Plan.ABOUT, Cue(0)),
    ]:
        assert expected_cue(question, plan) == cue


def test_a_question_for_all_that_was_said_wants_both_sides() -> None:
    for question, both in [
        ("Summarise our talk about Rome", True),
        ("Give me an overview of the trip", True),
        ("What had you recommended for dinner?", True),
        ("the book you once mentioned", True),
        ("What came up in our last conversation?", True),
        ("your suggestion for dinner", True),
        ("What did I say about dinner?", False),
        ("Where do I live?", False),
    ]:
        assert wants_both_sides(question) is both


ENTITIES = {
    "person--alexandra": ["Alexandra", "Sasha", "Ms. Popova"],
    "person--kim": ["Kim"],
    "project--night-train": ["Night Train"],
    "concept--night": ["Night"],
    "concept--the-who": ["The Who"],
    "concept--what": ["What"],
    "place--koln": ["Köln", "Cologne"],
    "place--tokyo": ["東京"],
}


def named(question: str, known: Iterable[str] = ()) -> list[str]:
    there = set(known)
    found = EntityNames(ENTITIES).find(question, there.__contains__)
    return [name.id for name in found]


def test_an_entity_is_named_by_label_alias_or_id() -> None:
    for question, expected in [
        ("Where is Alexandra?", ["person--alexandra"]),
        ("WHERE IS ALEXANDRA?", ["person--alexandra"]),
        ("Has Sasha called?", ["person--alexandra"]),
        ("a letter to ms popova", ["person--alexandra"]),
        ("Alexandra's umbrella", ["person--alexandra"]),
        ("Alexandra\u2019s umbrella", ["person--alexandra"]),
        ("person--alexandra", ["person--alexandra"]),
        ("the night train to Cologne", ["project--night-train", "place--koln"]),
        ("one night in KÖLN", ["concept--night", "place--koln"]),
        ("東京の天気", ["place--tokyo"]),
        ("Kim and Sasha", ["person--kim", "person--alexandra"]),
        ("what did he say", []),
        ("nobody we know", []),
        ("", []),
    ]:
        assert named(question) == expected


def test_a_name_that_is_only_alike_is_guessed() -> None:
    for question, expected in [
        ("Where is Alexandar?", ["person--alexandra"]),
        ("Where is Alexanda?", ["person--alexandra"]),
        ("the weather in Colonge", ["place--koln"]),
        ("Where is Kin?", []),  # too short to guess at
        ("Where is Xlexandra?", []),  # nobody misspells the first letter
        ("Where is Alexandrowitsch?", []),
    ]:
        assert named(question) == expected


def test_a_word_that_stands_in_a_memory_is_not_misspelt() -> None:
    assert named("Alexandar", known=["alexandar"]) == []


def test_two_entities_of_one_name_are_both_named() -> None:
    names = EntityNames({"person--jordan": ["Jordan"], "place--jordan": ["Jordan"]})

    found = names.find("Jordan", lambda _: False)

    assert {name.id for name in found} == {"person--jordan", "place--jordan"}


@given(st.text())
def test_any_text_can_be_looked_through_for_names(question: str) -> None:
    found = EntityNames(ENTITIES).find(question, lambda _: False)

    assert {name.id for name in found} <= ENTITIES.keys()
    assert len({name.id for name in found}) == len(found)


GRAPH = {"a": {"b", "c"}, "b": {"a", "d"}, "c": {"a", "d"}, "d": {"b", "c", "e"}}


def beside(names: Iterable[str]) -> Mapping[str, Iterable[str]]:
    return {name: GRAPH.get(name, set()) for name in names}


def test_every_hop_counts_half() -> None:
    for depth, reached in [
        (0, {"a": 1.0}),
        (1, {"a": 1.0, "b": FADE, "c": FADE}),
        (2, {"a": 1.0, "b": FADE, "c": FADE, "d": FADE**2}),
        (3, {"a": 1.0, "b": FADE, "c": FADE, "d": FADE**2, "e": FADE**3}),
        (9, {"a": 1.0, "b": FADE, "c": FADE, "d": FADE**2, "e": FADE**3}),
    ]:
        assert walk({"a": 1.0}, beside, depth) == reached


def test_of_very_many_neighbours_only_so_many_are_followed() -> None:
    many = {f"n{number:03}" for number in range(WIDEST + 20)}

    found = walk({"hub": 1.0}, lambda names: dict.fromkeys(names, many), 1)

    assert len(found) == WIDEST + 1


# --- people by a part of their name -------------------------------------------------


def test_a_first_name_means_who_has_it(home: Home) -> None:
    home.memory.remember("Likes jazz", Semantic("Alex Kim", "person"))

    found = home.memory.recall("What do you know about alex")

    assert found.understood.entities == ("entity:person--alex-kim",)
    assert page_of(found.hits[0].id) == "entity:person--alex-kim"


def test_of_several_with_one_first_name_all_are_meant_less_surely() -> None:
    names = EntityNames(
        {
            "person--alex-kim": ["Alex Kim"],
            "person--alex-moe": ["Alex Moe"],
            "person--jo-berg": ["Jo Berg"],
            "tool--alex-lathe": ["Alex lathe"],
        }
    )

    both = names.find("does Alex sail?", lambda _: True)
    one = names.find("what about berg", lambda _: True, about=True)

    assert [each.id for each in both] == ["person--alex-kim", "person--alex-moe"]
    assert {each.sure for each in both} == {0.4}
    assert [(each.id, each.sure) for each in one] == [("person--jo-berg", 0.8)]
    assert not names.find("an alex will do", lambda _: True)


def test_a_word_of_a_name_beside_the_type_names_an_entity() -> None:
    names = EntityNames(
        {
            "project--moltbot-memory": ["Moltbot Memory System"],
            "project--apollo": ["Apollo"],
            "place--river-house": ["River House"],
            "project--river-clean-up": ["River clean-up"],
        }
    )
    for question, expected in [
        ("What do you know about the memory project?", ["project--moltbot-memory"]),
        ("who leads project moltbot", ["project--moltbot-memory"]),
        ("how is the river project going", ["project--river-clean-up"]),
        ("is my memory bad", []),
        ("which project is next", []),
    ]:
        found = names.find(question, lambda _: True)
        assert [each.id for each in found] == expected


def test_a_name_of_several_words_is_found_by_some_of_them_and_misspelt() -> None:
    names = EntityNames(
        {
            "person--maria-gonzalez-ruiz": ["Maria Gonzalez Ruiz"],
            "organization--new-horizons-workshop": ["New Horizons Workshop"],
            "person--emil": ["Emil"],
        }
    )
    workshop = ["organization--new-horizons-workshop"]
    for question, expected in [
        ("what about gonzalez", ["person--maria-gonzalez-ruiz"]),
        ("what about new horizons", workshop),
        ("what about the workshop", []),
        ("Wer ist Emils Freund?", ["person--emil"]),
    ]:
        found = names.find(question, lambda _: True, about=True)
        assert [each.id for each in found] == expected

    guessed = names.find("the New Horizens Workshop", lambda word: word != "horizens")
    assert [each.id for each in guessed] == workshop
    assert guessed[0].sure < 1


def test_what_was_done_on_a_day_is_found_in_whatever_words_it_is_asked_for(
    home: Home,
) -> None:
    memory = home.memory
    memory.remember("Name: Mara", Core(Block.IDENTITY))
    memory.remember("Works at Fjordpay", Semantic("Mara", "person"))
    memory.remember("Spent hours at work.", Episodic(at=NOON - timedelta(days=40)))
    yesterday = NOON - timedelta(days=1)
    memory.remember("Sketched the schema.", Episodic(at=yesterday))

    for question in (
        "What did we work on yesterday?",
        "How did I spend yesterday?",
        "Womit war ich gestern beschäftigt?",
    ):
        assert texts(memory.recall(question))[0] == "Sketched the schema."


def test_a_day_that_is_named_outweighs_words(home: Home) -> None:
    memory = home.memory
    for days in (3, 20, 40, 60):
        at = NOON - timedelta(days=days)
        memory.remember(f"Recorded places for the map, day {days}.", Episodic(at=at))

    found = memory.recall("Which places did I record for the map on 13 January?")

    assert found.hits[0].text == "Recorded places for the map, day 20."


def test_who_asks_for_somebody_of_theirs_does_not_get_their_own_whole_page(
    home: Home,
) -> None:
    memory = home.memory
    memory.remember("Name: Mara", Core(Block.IDENTITY))
    for fact in ("Likes tea", "Dentist is Dr. Koch", "Sings in a choir"):
        memory.remember(fact, Semantic("Mara", "person"))

    assert memory.recall("Who is my dentist?").understood.plan is Plan.GENERAL
    assert texts(memory.recall("Who is my dentist?"))[0] == "Dentist is Dr. Koch"
    assert memory.recall("What do you know about me?").understood.plan is Plan.ABOUT


def test_the_sort_of_a_question_is_told_in_other_languages_too() -> None:
    for question, plan in [
        ("Wie melde ich unseren Umzug?", Plan.HOW),
        ("Wie heisse ich?", Plan.GENERAL),
        ("Wann ist der Umzug?", Plan.WHEN),
        ("Gibt es Neues von Apollo?", Plan.LATEST),
        ("Wer ist Alexandra?", Plan.ABOUT),
        ("豆腐怎么做", Plan.HOW),
        ("他什么时候来", Plan.WHEN),
        ("阿波罗的最新消息", Plan.LATEST),
        ("¿Cuándo llega?", Plan.WHEN),
    ]:
        assert choose_plan(question) is plan
