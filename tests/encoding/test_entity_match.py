"""Names that are one thing."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from reverie.encoding.entity_match import Doubtful, Register, Same

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


def test_a_clear_match_is_the_same_entity() -> None:
    for name, kind, id_ in [
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
    ]:
        assert REGISTER.find(name, kind) == Same(id_)


def test_a_doubtful_match_is_only_proposed() -> None:
    for name, kind, id_ in [
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
    ]:
        found = REGISTER.find(name, kind)

        assert isinstance(found, Doubtful)
        assert id_ in found.ids
        assert found.why


def test_another_name_is_another_thing() -> None:
    for name, kind in [
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
    ]:
        assert REGISTER.find(name, kind) is None


def test_c_is_not_c_plus_plus_and_not_c_sharp() -> None:
    assert REGISTER.find("C++", "tool") is None
    assert REGISTER.find("C#", "tool") == Same("tool--c-sharp")
    assert REGISTER.find("C", "concept") == Same("concept--c")


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
