"""Routing without a mind, and reading what a mind answered: any text, any answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.routes import route
from tests.strategies import texts

from reverie.encoding.route import (
    Named,
    StrangeAnswerError,
    find_named,
    places_of,
    read_route,
    route_unread,
)
from reverie.model.ids import Store
from reverie.model.route import Procedural, Semantic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.index.lookup import Lookup

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

    def names_of(self, id_: str) -> list[str]:
        """What one of them is called."""
        return [name.title() for name, ids in NAMES.items() if ids == [id_]]

    def number_of(self, id_: str) -> int:
        """Whether one of them has this id."""
        return int([id_.removeprefix("entity:")] in NAMES.values())


LOOKUP = cast("Lookup", Register())


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nora Lind met Nora's dog.", ["Nora Lind", "Nora"]),
        ("We write C++, not C.", ["C++"]),
        ("Noramoto and norah", []),
        ("It will rain, says Will.", ["Will"]),
        ("京都に行った。昨日は京都。東京都に住む。", ["京都", "京都"]),
        ("林の中を歩く", []),
    ],
)
def test_names_are_whole_words_and_the_longest(text: str, names: list[str]) -> None:
    assert [each.name for each in find_named(text, LOOKUP)] == names


@pytest.mark.parametrize(
    ("text", "about"),
    [
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
        ("ME is a state.", ""),
        ("I.e. the other way round.", ""),
        ("I. Berg called.", ""),
    ],
)
def test_who_is_spoken_of_first_is_who_it_is_about(text: str, about: str) -> None:
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
        with pytest.raises(StrangeAnswerError):
            read(store="semantic", about=strange)


def test_an_episode_that_ends_a_fact_stands_on_the_page_of_the_fact() -> None:
    assert read(store="episodic", supersedes=[FACT]) == ("person--nora",)
    with pytest.raises(StrangeAnswerError):
        read(supersedes=["person--nora#000000"])


@pytest.mark.parametrize("name", ["../../etc", "/etc", "a\u202eb", "~", "!!"])
def test_no_path_or_hidden_sign_is_a_name(name: str) -> None:
    with pytest.raises(StrangeAnswerError):
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
