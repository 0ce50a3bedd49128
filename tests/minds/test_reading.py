"""JSON from models: exactly one object, or a clear refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.minds.json_answers import UnreadableAnswerError, load_strict, parse_object

visible = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | visible,
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(visible, inside, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(visible, values, max_size=4)
prose = st.text(st.characters(exclude_characters="{}"), max_size=40).filter(
    lambda text: not text.lstrip().startswith("<think>")
)


@given(objects, prose, prose, st.sampled_from([None, 1]))
def test_an_object_is_found_between_any_words(
    value: dict[str, object], before: str, after: str, indent: int | None
) -> None:
    text = before + json.dumps(value, indent=indent) + after

    assert parse_object(text) == value


@given(st.text() | st.text('{}[]":,\\ tnfa1e', max_size=60))
def test_any_text_is_an_object_or_refused(text: str) -> None:
    try:
        value = parse_object(text)
    except UnreadableAnswerError:
        return
    assert isinstance(value, dict)
    assert json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_reading_strictly_gives_a_value_or_a_value_error(text: str) -> None:
    try:
        value = load_strict(text)
    except ValueError:
        return
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it has no JSON objects"),
        ("Hello.", "it has no JSON objects"),
        ("Fill in {name} here.", "it has no JSON objects"),
        ('"{\\"a\\": 1}"', "it has no JSON objects"),
        ('{"a": 1} or {"a": 2}', "it has 2 JSON objects"),
        ('{"a": {"b": 1}', "malformed"),
        ('{"a": {"b": 1}, c}', "malformed"),
        ("{'a': 1}", "it has no JSON objects"),
        ('{"a": 1,}', "malformed"),
        ('{"a": 1, "a": 2}', "'a' is given twice"),
        ('{"b": {"a": 1, "a": 1}}', "'a' is given twice"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1e999}', "1e999 is not a number"),
        ('{"a": "\\ud800"}', "malformed"),
        ('{"a": ' + "9" * 5000 + "}", "malformed"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a":' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_ambiguous_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        parse_object(text)

    assert problem in caught.value.problem


def test_an_object_that_is_quoted_while_thinking_is_no_answer() -> None:
    text = '<think>They want {"store": "vault"}.</think>{"store": "episodic"}'

    assert parse_object(text) == {"store": "episodic"}


def test_an_object_inside_a_broken_one_is_not_taken_for_the_answer() -> None:
    with pytest.raises(UnreadableAnswerError, match="malformed"):
        parse_object('{"store": "core", "entities": [{"name": "Alex"}], oops}')


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "{ " * 500_000,
        "{" + " " * 1_000_000,
        '{"' * 500_000,
        '{"a":1}' * 150_000,
        "<think>" * 150_000,
        "{" + ",".join(f'"{n}":0' for n in range(90_000)) + ',"0":0}',
    ],
    ids=str.__len__,
)
def test_a_megabyte_of_malice_is_refused(text: str) -> None:
    with pytest.raises(UnreadableAnswerError):
        parse_object(text)
