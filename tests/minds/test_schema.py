"""What a schema allows, and how it is said what it does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.minds.json_answers import UnknownKeywordError, find_problem, without_limits

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "store": {"type": "string", "enum": ["core", "vault"]},
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 5},
            "minItems": 1,
            "maxItems": 2,
        },
        "who": {
            "type": "object",
            "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}},
            "required": ["name"],
        },
        "sure": {"type": "boolean"},
        "pattern": {"type": "integer", "description": "a name like a keyword"},
        "score": {"type": "number"},
        "nothing": {"type": "null"},
    },
    "required": ["store"],
    "additionalProperties": False,
}
GOOD: dict[str, Any] = {
    "store": "core",
    "tags": ["a"],
    "who": {"name": "alex", "more": [1]},
    "sure": False,
    "pattern": 3,
    "score": 1,
    "nothing": None,
}


def test_a_value_that_fits_has_no_problem() -> None:
    assert find_problem(GOOD, SCHEMA) == ""
    assert find_problem({"store": "vault", "score": 0.5}, SCHEMA) == ""


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"store": "attic"}, "store is 'attic', which is none of ['core', 'vault']"),
        ({"store": 3}, "store is 3, which is no string"),
        ({"extra": 1}, "'extra' was not asked for"),
        ({"tags": []}, "tags has 0 items, and needs 1"),
        ({"tags": ["a", "b", "c"]}, "tags has 3 items, and may have 2"),
        ({"tags": ["a", ""]}, "tags[1] has 0 characters, and needs 1"),
        ({"tags": ["longer"]}, "tags[0] has 6 characters, and may have 5"),
        ({"tags": "a"}, "tags is 'a', which is no array"),
        ({"who": {}}, "who.name is missing"),
        ({"who": {"name": "A"}}, "who.name is 'A', which does not match ^[a-z]+$"),
        ({"who": []}, "who is an array, which is no object"),
        ({"sure": 1}, "sure is 1, which is no boolean"),
        ({"sure": None}, "sure is null, which is no boolean"),
        ({"pattern": True}, "pattern is true, which is no integer"),
        ({"pattern": 1.5}, "pattern is 1.5, which is no integer"),
        ({"score": False}, "score is false, which is no number"),
        ({"nothing": {}}, "nothing is an object, which is no null"),
        ({"store": "\n\u202e" * 99}, "store is '\\n\\u202e"),
    ],
)
def test_a_problem_is_named_with_its_place(
    changed: dict[str, object], problem: str
) -> None:
    said = find_problem({**GOOD, **changed}, SCHEMA)

    assert said.startswith(problem)
    assert len(said) < 120
    assert said.isprintable()


def test_what_is_required_must_be_there() -> None:
    assert find_problem({}, SCHEMA) == "store is missing"
    assert find_problem([], SCHEMA) == "the answer is an array, which is no object"


def test_a_keyword_that_nobody_checks_is_an_error_of_the_schema() -> None:
    with pytest.raises(UnknownKeywordError, match="oneOf"):
        find_problem(1, {"oneOf": []})


def test_limits_can_be_left_out() -> None:
    bare = without_limits(SCHEMA)

    assert find_problem({**GOOD, "tags": ["longer"] * 9}, bare) == ""
    assert bare["properties"]["pattern"] == SCHEMA["properties"]["pattern"]  # type: ignore[index]  # a schema is nested
    assert "minItems" in str(SCHEMA)
    assert "minItems" not in str(bare)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(["store", "tags", "who", "name", "x"]), inside
        )
    ),
    max_leaves=6,
)


@given(json_values)
def test_a_schema_with_limits_allows_nothing_that_one_without_does_not(
    value: object,
) -> None:
    if find_problem(value, without_limits(SCHEMA)):
        assert find_problem(value, SCHEMA)
