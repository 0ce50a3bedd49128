"""Names that are one thing, and texts that say the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.strategies import texts

from reverie.encoding.sameness import Doubtful, Register, Same, restated, same_entity
from reverie.index.words import terms

KNOWN = {
    "person--alex": ("person", ["Alex", "Alex Moreau"]),
    "person--nora-lindqvist": ("person", ["Nora Lindqvist"]),
    "person--jonas-moe": ("person", ["Jonas Moe"]),
    "person--alexandra": ("person", ["Alexandra"]),
    "person--james": ("person", ["James"]),
    "concept--oauth2-pkce": ("concept", ["OAuth2 PKCE Flow"]),
    "concept--nlp": ("concept", ["Natural Language Processing"]),
    "concept--feature-flag": ("concept", ["Feature flags"]),
    "concept--c": ("concept", ["C"]),
    "tool--c-sharp": ("tool", ["C#"]),
    "tool--postgres": ("tool", ["PostgreSQL", "PG"]),
    "tool--node-js": ("tool", ["Node.js"]),
    "tool--python-3": ("tool", ["Python 3"]),
    "project--atlas": ("project", ["Atlas"]),
    "project--night-train": ("project", ["Night Train"]),
    "project--sprint-12": ("project", ["Sprint 12"]),
    "place--koln": ("place", ["Köln", "Cologne"]),
    "place--springfield-a": ("place", ["Springfield"]),
    "place--springfield-b": ("place", ["Springfield"]),
}
REGISTER = Register(KNOWN)


@pytest.mark.parametrize(
    ("name", "kind", "id_"),
    [
        ("Alex", "person", "person--alex"),
        ("ALEX MOREAU", "person", "person--alex"),
        ("alex", "person", "person--alex"),
        ("Alex's", "person", "person--alex"),
        ("NodeJS", "tool", "tool--node-js"),
        ("node js", "tool", "tool--node-js"),
        ("Night-Train", "project", "project--night-train"),
        ("nighttrain", "project", "project--night-train"),
        ("oauth2-pkce flow", "concept", "concept--oauth2-pkce"),
        ("feature flag", "concept", "concept--feature-flag"),
        ("Feature-Flags", "concept", "concept--feature-flag"),
        ("postgresql", "tool", "tool--postgres"),
        ("pg", "tool", "tool--postgres"),
        ("KÖLN", "place", "place--koln"),
        ("ＡＬＥＸ", "person", "person--alex"),  # noqa: RUF001 - wide letters are the point
    ],
)
def test_a_clear_match_is_the_same_entity(name: str, kind: str, id_: str) -> None:
    assert same_entity(name, kind, REGISTER) == Same(id_)


@pytest.mark.parametrize(
    ("name", "kind", "id_"),
    [
        ("OAuth PKCE", "concept", "concept--oauth2-pkce"),
        ("OAuth2 PKCE", "concept", "concept--oauth2-pkce"),
        ("the Atlas project", "project", "project--atlas"),
        ("Atlas app", "project", "project--atlas"),
        ("Atlas 2", "project", "project--atlas"),
        ("Python", "tool", "tool--python-3"),
        ("NLP", "concept", "concept--nlp"),
        ("J. Moe", "person", "person--jonas-moe"),
        ("Alexa", "person", "person--alexandra"),
        ("Jame", "person", "person--james"),
        ("Nora", "person", "person--nora-lindqvist"),
        ("Lindqvist", "person", "person--nora-lindqvist"),
        ("Postgres", "tool", "tool--postgres"),
        ("PostgreSQl Server", "tool", "tool--postgres"),
        ("Nora Lindquist", "person", "person--nora-lindqvist"),
        ("Night Trian", "project", "project--night-train"),
        ("Atlas", "person", "project--atlas"),
        ("Cologne", "concept", "place--koln"),
        ("Springfield", "place", "place--springfield-a"),
    ],
)
def test_a_doubtful_match_is_only_proposed(name: str, kind: str, id_: str) -> None:
    found = same_entity(name, kind, REGISTER)

    assert isinstance(found, Doubtful)
    assert id_ in found.ids
    assert found.why


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Priya", "person"),
        ("Python 2", "tool"),
        ("Sprint 13", "project"),
        ("C++", "concept"),
        ("Nora Marie Lindqvist", "person"),
        ("Al", "person"),
        ("Nor", "concept"),
        ("Karl Moe Hansen", "person"),
        ("Train", "concept"),
        ("", "concept"),
        ("???", "concept"),
    ],
)
def test_another_name_is_another_thing(name: str, kind: str) -> None:
    assert same_entity(name, kind, REGISTER) is None


def test_c_is_not_c_plus_plus_and_not_c_sharp() -> None:
    assert same_entity("C++", "tool", REGISTER) is None
    assert same_entity("C#", "tool", REGISTER) == Same("tool--c-sharp")
    assert same_entity("C", "concept", REGISTER) == Same("concept--c")


names = st.text(st.characters(exclude_categories=["C"]), max_size=20)
kinds = st.sampled_from(["person", "tool", "concept"])


@given(names, kinds)
def test_whatever_is_known_is_found_by_its_own_name(name: str, kind: str) -> None:
    register = Register({f"{kind}--x": (kind, [name]), "place--y": ("place", ["Y"])})

    assert register.find(name, kind) == Same(f"{kind}--x")
    assert register.find(f" {name.casefold()} ", kind) == Same(f"{kind}--x")


@given(names, kinds, kinds)
def test_nothing_of_another_type_is_merged(name: str, kind: str, other: str) -> None:
    assume(kind != other)
    register = Register({f"{kind}--x": (kind, [name])})

    assert not isinstance(register.find(name, other), Same)


def test_a_register_of_ten_thousand_names_answers_for_each() -> None:
    known = {
        f"concept--thing-{n:05}": ("concept", [f"Thing {n:05}", f"Matter no {n}"])
        for n in range(10_000)
    }
    register = Register(known)

    assert register.find("thing-00042", "concept") == Same("concept--thing-00042")
    assert register.find("matter no 9999", "concept") == Same("concept--thing-09999")
    assert register.find("Thing 10001", "concept") is None
    assert register.find("Nothing at all", "concept") is None


# --- restated ----------------------------------------------------------------

SAME = [
    ("prefers dark mode", "The user prefers dark mode!"),
    ("The user prefers dark mode!", "prefers dark mode"),
    ("I prefer dark mode", "The user prefers dark mode."),
    ("Alex lives in Berlin", "Alex lives in Berlin."),
    ("alex lives in BERLIN", "Alex lives in Berlin"),
    ("The API limit is 100 rps.", "API limit is 100 rps"),
    ("My favourite colour is teal.", "The user's favourite colour is teal"),
    ("We deploy Atlas on Friday.", "On Friday we deploy Atlas."),
    ("The demo is on March 15.", "The demo is on 15 March."),
    ("I have two cats.", "I have 2 cats."),
    ("Don't push to main.", "Do not push to main!"),
]
OTHER = [
    ("Deadline is March 30", "Deadline is March 15"),
    ("Sam told Alex", "Alex told Sam"),
    ("The dog bit the man.", "The man bit the dog."),
    ("I told her everything.", "She told me everything."),
    ("Alex moved to Berlin from Munich.", "Alex moved from Berlin to Munich."),
    ("Alex does not live in Berlin.", "Alex lives in Berlin."),
    ("Alex lives in Berlin.", "Alex never lives in Berlin."),
    ("Alex lived in Berlin.", "Alex lives in Berlin."),
    ("The server was down.", "The server is down."),
    ("We might use Redis.", "We use Redis."),
    ("We should use Redis.", "We use Redis."),
    ("Does Alex live in Berlin?", "Alex lives in Berlin."),
    ("Some invoices are paid.", "Invoices are paid."),
    ("I prefer C.", "I prefer C++."),
    ("The fee is 5%.", "The fee is 5."),
    ("I have three cats.", "I have two cats."),
    ("The meeting is on Friday.", "The meeting is on Tuesday."),
    ("The meeting is on Friday.", "The meeting is on Friday and Saturday."),
    ("His sister lives in Porto.", "My sister lives in Porto."),
    ("Tea or coffee is served.", "Tea and coffee is served."),
    ("I know how Alex works.", "I know where Alex works."),
    (
        "prefers strong black tea in the morning",
        "Alex prefers strong black tea in the morning",
    ),
    ("Alex lives in Berlin with Sam.", "Alex lives in Berlin."),
    ("Alex lives in Berlin.", "Alex lives in Berlin near the old mill by the lake."),
    ("", "Alex lives in Berlin."),
    ("", ""),
    ("the", "the"),
    ("Call before noon.", "Call after noon."),
    ("Only Alex may enter.", "Alex may enter."),
]


@pytest.mark.parametrize(("new", "old"), SAME)
def test_a_text_that_says_nothing_new_is_noticed(new: str, old: str) -> None:
    assert restated(new, old)


@pytest.mark.parametrize(("new", "old"), OTHER)
def test_a_text_that_says_something_else_is_kept_apart(new: str, old: str) -> None:
    assert not restated(new, old)


@given(texts | st.text())
@example("tea?")
def test_every_text_with_a_telling_word_restates_itself(text: str) -> None:
    assume({*terms(text)} - {"user"})

    assert restated(text, text)
    assert restated(f"  {text}\n", text)


@given(
    st.sampled_from([new for new, _ in SAME + OTHER if new]),
    st.sampled_from(["not", "never", "Tuesday", "17", "Priya", "might", "without"]),
    st.integers(0, 6),
)
def test_one_word_that_matters_makes_another_text(
    text: str, word: str, place: int
) -> None:
    words = text.split()
    words.insert(place, word)

    assert not restated(" ".join(words), text)
    assert not restated(text, " ".join(words))


@given(texts | st.text(), texts | st.text())
def test_what_restates_another_has_no_word_of_its_own(new: str, old: str) -> None:
    if restated(new, old):
        assert {*terms(new)} - {*terms(old)} <= {"user"}


def test_a_megabyte_is_compared_at_once() -> None:
    long = "word and not 17 Alex " * 50_000

    assert restated(long, long)
    assert not restated(long, long + " tea")
