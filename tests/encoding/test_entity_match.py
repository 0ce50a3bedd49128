"""Names that are one thing."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from reverie.encoding.entity_match import EntityMatch, match_entity

KNOWN = {
    "person--alex": ["Alex", "Alex Moreau"],
    "person--nora-lindqvist": ["Nora Lindqvist"],
    "person--jonas-moe": ["Jonas Moe"],
    "person--alexandra": ["Alexandra"],
    "person--james": ["James"],
    "concept--oauth2-pkce": ["OAuth2 PKCE Flow"],
    "concept--nlp": ["Natural Language Processing"],
    "concept--feature-flag": ["Feature flags"],
    "concept--c": ["C"],
    "tool--c-sharp": ["C#"],
    "tool--postgres": ["PostgreSQL", "PG"],
    "tool--node-js": ["Node.js"],
    "tool--python-3": ["Python 3"],
    "project--atlas": ["Atlas"],
    "project--night-train": ["Night Train"],
    "project--sprint-12": ["Sprint 12"],
    "place--koln": ["Köln", "Cologne"],
    "place--springfield-a": ["Springfield"],
    "place--springfield-b": ["Springfield"],
}
NONE = EntityMatch()


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
        assert match_entity(name, kind, KNOWN).same == id_


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
        found = match_entity(name, kind, KNOWN)

        assert not found.same
        assert id_ in found.perhaps, name


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
        assert match_entity(name, kind, KNOWN) == NONE, name


def test_c_is_not_c_plus_plus_and_not_c_sharp() -> None:
    assert match_entity("C++", "tool", KNOWN) == NONE
    assert match_entity("C#", "tool", KNOWN).same == "tool--c-sharp"
    assert match_entity("C", "concept", KNOWN).same == "concept--c"


names = st.text(st.characters(exclude_categories=["C"]), max_size=20)
kinds = st.sampled_from(["person", "tool", "concept"])


@given(names, kinds)
def test_whatever_is_known_is_found_by_its_own_name(name: str, kind: str) -> None:
    known = {f"{kind}--x": [name], "place--y": ["Y"]}

    assert match_entity(name, kind, known).same == f"{kind}--x"
    assert match_entity(f" {name.casefold()} ", kind, known).same == f"{kind}--x"


@given(names, kinds, kinds)
def test_nothing_of_another_type_is_merged(name: str, kind: str, other: str) -> None:
    assume(kind != other)

    assert not match_entity(name, other, {f"{kind}--x": [name]}).same
