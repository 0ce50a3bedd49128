"""A route: what an answer may say, what is mended in it, and what is refused."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import RefusedError
from reverie.model.ids import Store, slug
from reverie.model.items import Confidence
from reverie.model.route import (
    LONGEST_TAG,
    MOST_MENTIONS,
    MOST_TAGS,
    ROUTE_SCHEMA,
    EntityMention,
    RelationMention,
    Route,
    RouteError,
    is_name,
    parse_route,
    to_json,
)

SEED: dict[str, Any] = {
    "store": "semantic",
    "entities": [{"name": "OAuth2 PKCE", "type": "concept"}],
    "relations": [
        {"from": "project--moltbot", "relation": "uses", "to": "concept--oauth2-pkce"}
    ],
    "tags": ["auth", "security", "mobile"],
    "confidence": "high",
    "core_update": False,
    "summary": "Decided to use OAuth2 PKCE flow for mobile client auth.",
}
"""The example of the design."""

lines = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
words = st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
ends = st.builds(lambda kind, rest: f"{kind}--{rest}", words, lines.map(slug))
tags = lines.map(slug).filter(lambda tag: len(tag) <= LONGEST_TAG)
routes = st.builds(
    Route,
    store=st.sampled_from([store for store in Store if store is not Store.TURNS]),
    entities=st.lists(
        st.builds(EntityMention, lines.filter(is_name), words), unique=True, max_size=4
    ).map(tuple),
    relations=st.lists(
        st.builds(RelationMention, ends, words, ends), unique=True, max_size=4
    ).map(tuple),
    tags=st.lists(tags, unique=True, max_size=MOST_TAGS).map(tuple),
    confidence=st.sampled_from(Confidence),
    core_update=st.booleans(),
    summary=lines,
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SEED, "name", "x"]), inner, max_size=8)
    ),
    max_leaves=12,
)


def changed(**fields: object) -> dict[str, Any]:
    return SEED | fields


def test_the_example_of_the_design_is_read_and_written_back() -> None:
    route = parse_route(SEED)

    assert route == Route(
        Store.SEMANTIC,
        (EntityMention("OAuth2 PKCE", "concept"),),
        (RelationMention("project--moltbot", "uses", "concept--oauth2-pkce"),),
        ("auth", "security", "mobile"),
        Confidence.HIGH,
        core_update=False,
        summary="Decided to use OAuth2 PKCE flow for mobile client auth.",
    )
    assert to_json(route) == SEED
    assert list(to_json(route)) == list(SEED)


@given(routes)
def test_a_route_survives_json(route: Route) -> None:
    assert parse_route(json.loads(json.dumps(to_json(route)))) == route


@given(json_values)
def test_any_answer_is_read_or_refused(value: object) -> None:
    with suppress(RouteError):
        route = parse_route(value)
        assert parse_route(to_json(route)) == route


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        (None, "answer"),
        ([], "answer"),
        (changed(path="memory/vault/x.md"), "answer"),
        ({k: v for k, v in SEED.items() if k != "tags"}, "answer"),
        (changed(store="turns"), "store"),
        (changed(store="Semantic"), "store"),
        (changed(store=3), "store"),
        (changed(confidence="certain"), "confidence"),
        (changed(core_update="no"), "core_update"),
        (changed(core_update=0), "core_update"),
        (changed(summary=""), "summary"),
        (changed(summary="two\nlines"), "summary"),
        (changed(summary="x\u202egnp"), "summary"),
        (changed(summary="x" * 301), "summary"),
        (changed(summary=None), "summary"),
        (changed(tags="auth"), "tags"),
        (changed(tags=["a", 2]), "tags[1]"),
        (changed(tags=["x" * 41]), "tags[0]"),
        (changed(tags=["\ufdfa" * 3]), "tags[0]"),
        (changed(tags=["t"] * (MOST_MENTIONS + 1)), "tags"),
        (changed(entities={}), "entities"),
        (changed(entities=[{"name": "x"}]), "entities[0]"),
        (changed(entities=[{"name": "x", "type": "Tool"}]), "entities[0].type"),
        (changed(entities=[{"name": "x", "type": "a b"}]), "entities[0].type"),
        (changed(entities=[{"name": "../x", "type": "tool"}]), "entities[0].name"),
        (changed(entities=[{"name": "/etc/x", "type": "tool"}]), "entities[0].name"),
        (changed(entities=[{"name": "~/x", "type": "tool"}]), "entities[0].name"),
        (changed(entities=[{"name": "?!", "type": "tool"}]), "entities[0].name"),
        (changed(entities=[{"name": "a\tb", "type": "tool"}]), "entities[0].name"),
        (
            changed(entities=[{"name": "x", "type": "tool", "file": "x.md"}]),
            "entities[0]",
        ),
        (
            changed(entities=[{"name": f"x{n}", "type": "t"} for n in range(21)]),
            "entities",
        ),
        *(
            (
                changed(relations=[{"from": end, "relation": "uses", "to": "a--b"}]),
                "relations[0].from",
            )
            for end in ("moltbot", "--x", "a--", "a--B", "a--b/c", "a--b.md", "A--b")
        ),
        (
            changed(relations=[{"from": "a--b", "relation": "Uses it", "to": "c--d"}]),
            "relations[0].relation",
        ),
        (
            changed(relations=[{"origin": "a--b", "relation": "uses", "to": "c--d"}]),
            "relations[0]",
        ),
    ],
)
def test_a_wrong_answer_is_refused_naming_the_field(answer: object, field: str) -> None:
    with pytest.raises(RouteError) as caught:
        parse_route(answer)

    assert caught.value.field == field
    assert field in str(caught.value)
    assert caught.value.hint
    assert isinstance(caught.value, RefusedError)


def test_tags_are_mended() -> None:
    told = ["Auth", "auth", "Mobile Client", "!!!", "a", "b", "c", "d"]

    assert parse_route(changed(tags=told)).tags == (
        "auth",
        "mobile-client",
        "a",
        "b",
        "c",
    )


def test_blanks_of_other_widths_are_mended_and_joiners_stay() -> None:
    family, told = "\U0001f468\u200d\U0001f469", "C\u2019est\u00a0: oui \u200c!"

    route = parse_route(
        changed(summary=f" {told} ", entities=[{"name": f"x{family}", "type": "tool"}])
    )

    assert route.summary == "C\u2019est : oui \u200c!"
    assert route.entities[0].name == f"x{family}"


def test_no_tags_at_all_are_fine() -> None:
    assert parse_route(changed(tags=[])).tags == ()


def test_what_is_said_twice_counts_once() -> None:
    doubled = {key: SEED[key] * 2 for key in ("entities", "relations", "tags")}

    assert parse_route(SEED | doubled) == parse_route(SEED)


def test_a_mention_knows_the_name_of_its_page() -> None:
    assert EntityMention("OAuth2 PKCE", "concept").id == "concept--oauth2-pkce"


# --- the schema --------------------------------------------------------------


def fits(value: object, schema: dict[str, Any]) -> bool:
    """Whether a value is as the schema says; knows what ours uses."""
    if "enum" in schema and value not in schema["enum"]:
        return False
    match schema["type"]:
        case "string":
            pattern = schema.get("pattern", "")
            return isinstance(value, str) and bool(re.search(pattern, value))
        case "boolean":
            return isinstance(value, bool)
        case "array":
            sizes = range(schema["minItems"], schema["maxItems"] + 1)
            return (
                isinstance(value, list)
                and len(value) in sizes
                and all(fits(item, schema["items"]) for item in value)
            )
        case _:
            fields = schema["properties"]
            return (
                isinstance(value, dict)
                and set(value) == set(fields)
                and all(fits(value[name], fields[name]) for name in fields)
            )


@given(routes.filter(lambda route: len(route.tags) >= 2))
def test_what_the_schema_allows_is_read(route: Route) -> None:
    told = to_json(route)

    if fits(told, cast("dict[str, Any]", ROUTE_SCHEMA)):
        assert parse_route(told) == route


def test_the_design_s_own_example_is_as_the_schema_says() -> None:
    example = {
        "store": "semantic",
        "entities": [{"name": "OAuth2 PKCE", "type": "concept"}],
        "relations": [
            {
                "from": "project--moltbot",
                "relation": "uses",
                "to": "concept--oauth2-pkce",
            }
        ],
        "tags": ["auth", "security", "mobile"],
        "confidence": "high",
        "core_update": False,
        "summary": "Decided to use OAuth2 PKCE flow for mobile client auth.",
    }

    assert fits(example, cast("dict[str, Any]", ROUTE_SCHEMA))
    assert to_json(parse_route(example)) == example


def test_the_schema_allows_nothing_beside_its_fields() -> None:
    def objects(schema: object) -> list[dict[str, Any]]:
        if not isinstance(schema, dict):
            return []
        inner = [found for value in schema.values() for found in objects(value)]
        return [schema, *inner] if schema.get("type") == "object" else inner

    found = objects(ROUTE_SCHEMA)

    assert len(found) == 3
    assert all(schema["additionalProperties"] is False for schema in found)
    assert all(schema["required"] == list(schema["properties"]) for schema in found)
    assert json.loads(json.dumps(ROUTE_SCHEMA)) == ROUTE_SCHEMA
