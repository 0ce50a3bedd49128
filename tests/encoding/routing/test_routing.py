"""Where plain sentences go by rules, and that the rules stay honest."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.routing.afterwards import AFTERWARDS
from tests.encoding.routing.faults import faults
from tests.encoding.routing.held_back import HELD_BACK
from tests.encoding.routing.labels import KNOWN, Label
from tests.encoding.routing.sentences import SENTENCES
from tests.strategies import texts

from reverie.encoding.routing import Known, entity_id, file_by_rules, route_by_rules
from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.place import Core
from reverie.model.route import ENTITY_TYPES, MOST_TAGS, parse_route, to_json

LISTED = (*SENTENCES, *HELD_BACK, *AFTERWARDS)
WORDS = sorted({word for label in LISTED for word in label.text.split()})

spoken = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
anything = texts | spoken | st.text() | st.sampled_from([row.text for row in LISTED])
owners = st.sampled_from(["user", "Alex", "Rosalind Moe"])


@pytest.mark.parametrize("label", SENTENCES, ids=lambda label: label.text[:50])
def test_a_plain_sentence_is_filed_as_a_person_would(label: Label) -> None:
    assert faults(label) == {}


def test_most_of_the_sentences_that_were_held_back_come_out_right() -> None:
    wrong = [label.text for label in HELD_BACK if faults(label)]

    assert len(wrong) <= 4


def test_most_of_the_sentences_written_afterwards_come_out_right() -> None:
    wrong = [label.text for label in AFTERWARDS if faults(label)]

    assert len(wrong) <= 8


def test_there_are_enough_sentences_and_a_third_was_held_back() -> None:
    texts_ = {label.text for label in LISTED}

    assert len(texts_) == len(LISTED) >= 250
    assert len(HELD_BACK) + len(AFTERWARDS) >= len(LISTED) / 3


# --- honesty -----------------------------------------------------------------


@given(anything, owners)
def test_every_text_gets_a_route_that_is_as_the_design_says(
    text: str, owner: str
) -> None:
    route = route_by_rules(text, Known(KNOWN.names, owner))

    if route.summary:
        assert parse_route(to_json(route)) == route
    assert len(route.tags) <= MOST_TAGS
    assert len(route.summary) <= 140


@given(anything, owners)
def test_no_name_is_claimed_that_the_text_does_not_have(text: str, owner: str) -> None:
    known = Known(KNOWN.names, owner)
    route = route_by_rules(text, known)
    said = {*_words(text), *_WRITTEN_OUT}

    for mention in route.entities:
        assert mention.type in ENTITY_TYPES
        assert mention.name == owner or said.issuperset(_words(mention.name))


def _words(text: str) -> list[str]:
    plain = re.sub(r"n['\u2019]t\b", " n't", text)
    return re.findall(r"[^\W_]+", plain.casefold())


_WRITTEN_OUT = {"not", "can", "will", "am", "are", "is", "have", "would"}


@given(anything)
def test_every_end_of_a_relation_is_named(text: str) -> None:
    route = route_by_rules(text, KNOWN)
    named = {entity_id(mention, KNOWN) for mention in route.entities}

    assert {end for r in route.relations for end in (r.origin, r.target)} <= named


@given(anything)
def test_the_same_text_always_gets_the_same_place(text: str) -> None:
    assert file_by_rules(text, KNOWN) == file_by_rules(text, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "?",
        "Nobody likes the new logo.",
        '"I prefer tea", said Nora.',
        "> I prefer tea.",
        "They use Slack.",
        "Она любит горячий чай.",
        "Elle préfère le thé et je préfère le café.",
    ],
)
def test_who_is_not_sure_says_so(text: str) -> None:
    route = route_by_rules(text, KNOWN)

    assert (route.store, route.confidence) == (Store.EPISODIC, Confidence.LOW)
    assert not route.relations


@pytest.mark.parametrize(
    "text",
    [
        "Alex no longer uses Vim.",
        "Alex does not use Vim.",
        "Alex never uses Vim.",
        "Atlas will not use Redis.",
        "Moltbot no longer depends on Redis.",
        "Alex doesn't live in Berlin.",
        "Sam is not married to Jordan.",
        "Alex hardly works on Atlas.",
    ],
)
def test_what_is_denied_is_not_related(text: str) -> None:
    told = {r.relation for r in route_by_rules(text, KNOWN).relations}

    assert told <= {"avoids"}


@pytest.mark.parametrize(
    "text",
    [
        "We have not decided to use Redis for Atlas.",
        "Should we use Redis for Atlas?",
        "I think Atlas should use Redis.",
        "Maybe Atlas will use Redis.",
        "Nora said that Atlas uses Redis.",
    ],
)
def test_what_is_not_settled_is_not_related(text: str) -> None:
    assert route_by_rules(text, KNOWN).relations == ()


@pytest.mark.parametrize(
    "text",
    [
        "To be honest, I liked it.",
        "When I was a child, we lived in Rome.",
        "If it rains, we will stay at home.",
        "After dinner we played cards.",
        "Before the war there was a mill here.",
        "To my surprise, the train was early.",
        "First of all, thank you.",
        "I like lists:\n- apples\n- pears",
    ],
)
def test_what_only_sounds_like_a_procedure_is_none(text: str) -> None:
    assert route_by_rules(text, KNOWN).store is not Store.PROCEDURAL


@pytest.mark.parametrize(
    "text",
    [
        "I will never forget the day we met.",
        "Never forget to lock the door.",
        "Don't pin this.",
        "The vault of the bank is old.",
        "Always keep the lid closed when frying.",
    ],
)
def test_what_only_sounds_precious_is_not_kept_for_good(text: str) -> None:
    assert route_by_rules(text, KNOWN).store is not Store.VAULT


# --- several sentences -------------------------------------------------------


def test_the_first_plain_sentence_decides_and_facts_after_it_add_relations() -> None:
    text = "Hi! Alex lives in Berlin. He likes it. Atlas uses Redis. Cool, no?"

    route = route_by_rules(text, KNOWN)

    assert route.store is Store.SEMANTIC
    assert [(r.origin, r.relation, r.target) for r in route.relations] == [
        ("person--alex", "relates-to", "place--berlin"),
        ("project--atlas", "uses", "tool--redis"),
    ]


def test_a_question_after_a_fact_does_not_make_it_unsure() -> None:
    route = route_by_rules("Alex lives in Berlin. Did you know?", KNOWN)

    assert (route.store, route.confidence) == (Store.SEMANTIC, Confidence.HIGH)


def test_words_that_only_say_remember_are_not_part_of_it() -> None:
    plain = route_by_rules("Alex lives in Berlin.", KNOWN)

    for opening in ("Remember that", "Please note that", "FYI:", "Keep in mind,"):
        assert route_by_rules(f"{opening} Alex lives in Berlin.", KNOWN) == plain


def test_names_in_small_letters_are_known_by_the_lists() -> None:
    route = route_by_rules("nora lives in hamburg", KNOWN)

    assert [(m.name, m.type) for m in route.entities] == [
        ("Nora", "person"),
        ("Hamburg", "place"),
    ]


def test_curly_apostrophes_change_nothing() -> None:
    straight = route_by_rules("Nora's email isn't known. I don't like it.", KNOWN)
    curly = route_by_rules(
        "Nora\u2019s email isn\u2019t known. I don\u2019t like it.", KNOWN
    )

    assert curly == straight


# --- who and what ------------------------------------------------------------


def test_an_alias_leads_to_the_page_that_is_known() -> None:
    route = route_by_rules("Moltbot uses PostgreSQL.", KNOWN)

    (relation,) = route.relations
    assert relation.target == "tool--postgres"
    assert route.entities[1].name == "PostgreSQL"


def test_the_owner_goes_by_the_name_that_is_known() -> None:
    known = Known({"alex moreau": "person--alex"}, "Alex Moreau")

    route = route_by_rules("I prefer tea.", known)

    assert route.relations[0].origin == "person--alex"
    assert route.entities[0].name == "Alex Moreau"
    assert route.summary == "Alex Moreau prefers tea."


@pytest.mark.parametrize(
    "text", ["The ../etc/passwd is old.", "~/notes/x is here.", "/etc/x contains keys."]
)
def test_a_path_is_no_name(text: str) -> None:
    route = route_by_rules(text, KNOWN)

    assert not any("/" in mention.name for mention in route.entities)
    assert (route.store, route.confidence) == (Store.EPISODIC, Confidence.LOW)


def test_a_common_word_is_no_known_name_unless_it_has_a_capital_letter() -> None:
    known = Known({"go": "tool--go", "notes": "project--notes"})

    assert route_by_rules("We go home.", known).entities == ()
    assert route_by_rules("We like Go a lot.", known).entities[0].type == "tool"


# --- tags and summaries ------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        (
            "Decided to use OAuth2 PKCE flow for the moltbot mobile client.",
            ("moltbot", "oauth2-pkce", "client"),
        ),
        ("Nora's email is nora@example.org.", ("nora", "email")),
        ("The interest rate of the loan is 3.2 percent.", ("loan", "interest", "rate")),
        ("I go running every morning.", ("running",)),
    ],
)
def test_tags_are_names_first_and_then_telling_words(
    text: str, tags: tuple[str, ...]
) -> None:
    found = route_by_rules(text, KNOWN).tags

    assert set(tags) <= set(found)
    assert found[0] == tags[0]


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("I prefer dark mode.", "The user prefers dark mode."),
        ("I'm allergic to nuts.", "The user is allergic to nuts."),
        ("My car is blue.", "The user's car is blue."),
        ("I have two cats.", "The user has two cats."),
        # not certain, so the very words
        ("I told my sister that I am late.", "I told my sister that I am late."),
        ("I like my tea black.", "I like my tea black."),
        ("Alex lives in Berlin. He is tall.", "Alex lives in Berlin."),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_sentence(text: str, summary: str) -> None:
    assert route_by_rules(text, KNOWN).summary == summary


def test_a_long_summary_is_cut_between_words() -> None:
    summary = route_by_rules("The river " + "wide and slow " * 40, KNOWN).summary

    assert len(summary) <= 140
    assert summary.endswith(("wide\u2026", "slow\u2026", "and\u2026"))


# --- size --------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        " ",
        "1. ",
        "- a\n",
        ", ",
        " and run",
        "always ",
        "A",
        "to ",
        "'",
        "x, then ",
    ],
)
def test_a_megabyte_of_nonsense_is_filed_at_once(piece: str) -> None:
    filing = file_by_rules(piece * (1_000_000 // len(piece)), KNOWN)

    assert len(filing.route.summary) <= 140
    assert not isinstance(filing.place, Core)
