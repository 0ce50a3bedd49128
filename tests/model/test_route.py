"""A route, and the schema in which a mind answers with one."""

from __future__ import annotations

from typing import Any, cast

from reverie.minds.json_answers import find_problem
from reverie.model.ids import Store
from reverie.model.route import (
    ROUTE_SCHEMA,
    EntityMention,
    RelationMention,
    Route,
    to_json,
)

ROUTE = Route(
    Store.SEMANTIC,
    "project--moltbot",
    (EntityMention("OAuth2 PKCE", "concept"),),
    (RelationMention("project--moltbot", "uses", "concept--oauth2-pkce"),),
    ("project--moltbot#3f2a9c",),
    tags=("auth",),
)


def test_a_route_is_written_as_its_schema_asks_for_it() -> None:
    assert find_problem(to_json(ROUTE), ROUTE_SCHEMA) == ""


def test_only_the_fields_of_the_design_have_to_be_there() -> None:
    schema = cast("dict[str, Any]", ROUTE_SCHEMA)

    seed = {"store", "entities", "relations", "tags", "confidence", "core_update"}
    assert set(schema["required"]) == {*seed, "summary"}
    more = {"about", "supersedes", "contradicts", "block", "name", "trigger", "steps"}
    more |= {"observations"}
    assert schema["properties"].keys() - schema["required"] == more


def test_no_store_of_turns_can_be_answered() -> None:
    answer = to_json(ROUTE) | {"store": "turns"}

    assert "Invalid enum value" in find_problem(answer, ROUTE_SCHEMA)
