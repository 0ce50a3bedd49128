"""JSON of a person's: changed where asked, and nowhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import FormatError
from reverie.interfaces.hosts.json_text import append, cut, look_up, put, read

COMMENTED = """{
  // mine
  theme: 'dark', /* as ever */
  "mcpServers": {
    "other": {"command": "x", "args": ["a", 'b',],}, // keep
  },
  "n": -0x1F,
}
"""


def test_json5_is_read_with_its_comments_quotes_and_commas() -> None:
    assert read(COMMENTED, "f").data == {
        "theme": "dark",
        "mcpServers": {"other": {"command": "x", "args": ["a", "b"]}},
        "n": -31,
    }


def test_escapes_are_read_as_what_they_stand_for() -> None:
    text = r"""{"a": "\u00e9\x41\'\n", "b": "\ud83d\ude00", 'c': 'x\
y'}"""

    assert read(text, "f").data == {"a": "éA'\n", "b": "😀", "c": "xy"}


def test_a_member_goes_behind_the_last_one_and_comments_stay_where_they_are() -> None:
    text = '{\n\t"a": 1 // one\n}\n'

    new = put(text, ("b", "c"), 2, "f")

    assert new == '{\n\t"a": 1, // one\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'
    assert cut(new, ("b",), "f") == text


def test_on_one_line_it_stays_on_one_line() -> None:
    assert put('{"a": 1}', ("b",), [2], "f") == '{"a": 1, "b": [2]}'
    assert append('{"a": [1]}', ("a",), {"x": 2}, "f") == '{"a": [1, {"x": 2}]}'


def test_line_ends_are_those_of_the_file() -> None:
    new = put('{\r\n  "a": 1\r\n}\r\n', ("b",), {"c": 2}, "f")

    assert new == '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}\r\n'


def test_a_comment_does_not_swallow_what_comes_behind_it() -> None:
    text = '{ // head\n "ours": 1, "theirs": 2}'

    assert read(cut(text, ("ours",), "f"), "f").data == {"theirs": 2}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{\n"a": 1\n"b": 2}', 3, "a comma"),
        ('{"a": }', 1, "a value was expected"),
        ('{"a": 1', 1, "a comma or '}'"),
        ('{"a": 1} x', 1, "more behind"),
        ("[1]", 1, "an object was expected"),
        ('{"a": 1,\n"a": 2}', 2, "twice"),
        ('{"a": tru}', 1, "a value was expected"),
        ("{\n/* open\n}", 2, "a name was expected"),
        ('{"a" 1}', 1, "a colon"),
        ("[" * 200, 1, "deeper"),
    ],
)
def test_what_is_no_json_is_told_with_its_line(
    text: str, line: int, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        read(text, "settings.json")

    assert (caught.value.path, caught.value.line) == ("settings.json", line)
    assert "Nothing was changed" in caught.value.advice


def test_something_else_on_the_way_is_refused() -> None:
    with pytest.raises(FormatError, match="hooks should be an object"):
        put('{"hooks": 1}', ("hooks", "Stop"), [], "f")
    with pytest.raises(FormatError, match="a should be free"):
        put('{"a": 1}', ("a",), 2, "f")
    with pytest.raises(FormatError, match=r"hooks\.Stop should be a list"):
        append('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1, "f")


def test_what_is_no_number_is_no_hindrance() -> None:
    assert cut("{a: NaN, b: 1}", ("b",), "f") == "{a: NaN}"


NAMES = st.text(max_size=5)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
INNER = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(NAMES, PLAIN, max_size=3)
VALUES = INNER | st.lists(INNER, max_size=3) | st.dictionaries(NAMES, INNER, max_size=3)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
SPACES = st.sampled_from([None, 0, 1, 2, "\t"])
TRAILING = st.sampled_from(["", ","])
COMMENTS = st.sampled_from(["", " ", "\n", "// c\n", "/* , } */", "\r\n"])


@st.composite
def texts(draw: st.DrawFn, value: object | None = None) -> str:
    """A text of an object, with white space, comments and quotes of any kind."""
    if value is None:
        value = draw(OBJECTS)

    def gap() -> str:
        return draw(COMMENTS)

    def written(part: object) -> str:
        if isinstance(part, dict):
            pairs = [
                f"{gap()}{json.dumps(k)}{gap()}:{gap()}{written(v)}{gap()}"
                for k, v in part.items()
            ]
            return "{" + closed(pairs) + "}"
        if isinstance(part, list):
            return "[" + closed([f"{gap()}{written(v)}{gap()}" for v in part]) + "]"
        return json.dumps(part, ensure_ascii=draw(st.booleans()))

    def closed(parts: list[str]) -> str:
        trailing = draw(TRAILING) if parts else ""
        return ",".join(parts) + trailing + gap()

    return gap() + written(value) + gap()


@given(texts(), VALUES)
def test_what_is_put_in_is_there_and_all_else_stays(text: str, value: object) -> None:
    old = read(text, "f").data
    new = put(text, ("reverie-", "inner"), value, "f")

    assert read(new, "f").data == {**old, "reverie-": {"inner": value}}
    assert read(cut(new, ("reverie-",), "f"), "f").data == old


@given(texts(), st.lists(VALUES, min_size=1, max_size=3))
def test_items_are_appended_and_taken_out_again(text: str, items: list[object]) -> None:
    old, keys = read(text, "f").data, ("reverie-", "Stop")
    new = text
    for item in items:
        new = append(new, keys, item, "f")
    assert look_up(read(new, "f").data, keys) == items
    for _ in items:
        new = cut(new, (*keys, 0), "f")

    assert read(new, "f").data == {**old, "reverie-": {"Stop": []}}


@given(OBJECTS, SPACES)
def test_plain_json_comes_back_byte_for_byte(
    value: dict[str, object], indent: int
) -> None:
    text = json.dumps(value, indent=indent)
    new = put(text, ("reverie-",), {"a": [1]}, "f")

    assert (cut(new, ("reverie-",), "f") == text) or not value
