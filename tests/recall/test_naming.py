"""Whom a question names, and where the graph leads from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.recall.question import FADE, WIDEST, EntityNames, NamedEntity, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    for question, ids in [
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
        assert named(question) == ids


def test_a_name_that_is_only_alike_is_guessed() -> None:
    for question, ids in [
        ("Where is Alexandar?", ["person--alexandra"]),
        ("Where is Alexanda?", ["person--alexandra"]),
        ("the weather in Colonge", ["place--koln"]),
        ("Where is Kin?", []),  # too short to guess at
        ("Where is Xlexandra?", []),  # nobody misspells the first letter
        ("Where is Alexandrowitsch?", []),
    ]:
        assert named(question) == ids


def test_a_guess_is_less_sure_than_the_very_name() -> None:
    (found,) = EntityNames(ENTITIES).find("Alexandar", lambda _: False)
    (exact,) = EntityNames(ENTITIES).find("alexandra", lambda _: False)

    assert 0.5 < found.sure < 1
    assert exact == NamedEntity("person--alexandra", "alexandra", 1.0)


def test_a_word_that_stands_in_a_memory_is_not_misspelt() -> None:
    assert named("Alexandar", known=["alexandar"]) == []


def test_two_entities_of_one_name_are_both_named() -> None:
    names = EntityNames({"person--jordan": ["Jordan"], "place--jordan": ["Jordan"]})

    found = names.find("Jordan", lambda _: False)

    assert {name.id for name in found} == {"person--jordan", "place--jordan"}


def test_without_entities_nobody_is_named() -> None:
    assert EntityNames({}).find("Alexandra", lambda _: False) == ()


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


def test_a_guessed_start_leads_to_less() -> None:
    assert walk({"a": 0.9}, beside, 1)["b"] == pytest.approx(0.9 * FADE)


def test_of_two_ways_the_better_one_counts() -> None:
    found = walk({"b": 0.6, "c": 1.0}, beside, 1)

    assert found["d"] == FADE


def test_what_is_named_itself_is_not_made_less_by_a_neighbour() -> None:
    found = walk({"a": 1.0, "b": 0.9}, beside, 2)

    assert found["b"] == 0.9


def test_of_very_many_neighbours_only_so_many_are_followed() -> None:
    many = {f"n{number:03}" for number in range(WIDEST + 20)}

    found = walk({"hub": 1.0}, lambda names: dict.fromkeys(names, many), 1)

    assert len(found) == WIDEST + 1


def test_from_nowhere_nothing_is_reached() -> None:
    assert walk({}, beside, 2) == {}
