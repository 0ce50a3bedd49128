"""Exports too large to hold: one conversation, or one line, at a time."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import IO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importers.samples import shaped

from reverie.importers import exports
from reverie.importers.exports import Broken, ExportLine, ListElement, elements, lines


class Endless(io.RawIOBase):
    """A file that is made while it is read, and counts what was read of it."""

    def __init__(self, start: bytes, piece: bytes, times: int, end: bytes) -> None:
        super().__init__()
        self._pieces = iter([start, *[piece] * times, end])
        self._held = b""

    def read(self, size: int = -1) -> bytes:
        """As much as asked for."""
        while len(self._held) < size and (piece := next(self._pieces, b"")):
            self._held += piece
        data, self._held = self._held[:size], self._held[size:]
        return data


class Dripping(io.BytesIO):
    """A file that hands out very little at a time."""

    def read(self, _size: int | None = -1) -> bytes:
        """Three bytes."""
        return super().read(3)


def values(data: bytes) -> list[object]:
    found = list(elements(io.BytesIO(data)))
    return [
        each.value if isinstance(each, ListElement) else each.what for each in found
    ]


boxes = st.lists(shaped("a", 'q"uote', "back\\slash"), max_size=5).map(
    lambda items: [item if isinstance(item, dict | list) else [item] for item in items]
)


@given(boxes, st.sampled_from([None, 1]), st.booleans())
def test_a_list_is_read_element_by_element(
    items: list[object],
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001 - made up by Hypothesis
) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "replace")

    whole = list(elements(io.BytesIO(data)))
    dripped = list(elements(Dripping(data)))

    assert repr(dripped) == repr(whole)
    assert repr([each.value for each in cast("list[ListElement]", whole)]) == repr(
        json.loads(data)
    )


@given(st.binary())
def test_any_bytes_give_elements_or_say_what_is_wrong(data: bytes) -> None:
    for each in elements(io.BytesIO(data)):
        assert isinstance(each, ListElement | Broken)


@given(st.text(st.sampled_from('[]{}",:\\ a1\n')))
def test_any_brackets_and_quotes_come_to_an_end(text: str) -> None:
    data = text.encode()

    assert repr(list(elements(io.BytesIO(data)))) == repr(
        list(elements(Dripping(data)))
    )


def test_one_broken_element_does_not_stop_the_rest() -> None:
    assert values(b'[{"a": 1}, {"a": oops}, {"a": 2}]') == [
        {"a": 1},
        "is not valid JSON",
        {"a": 2},
    ]


def test_a_file_that_is_cut_off_gives_what_is_whole() -> None:
    first, *rest = values(b'[{"a": 1}, {"a": "b')

    assert first == {"a": 1}
    assert any("cut off" in str(what) for what in rest)


def test_a_list_that_is_never_closed_is_said_to_be_incomplete() -> None:
    assert "not complete" in str(values(b'[{"a": 1},')[-1])


@pytest.mark.parametrize("data", [b"", b"hello", b'"x"', b"12", b"\xff\xfe"])
def test_what_is_no_list_is_said_to_be_none(data: bytes) -> None:
    assert values(data) == ["is not a list of conversations"]


def test_something_else_in_the_list_is_remarked_on_once() -> None:
    found = values(b'[{"a": 1}, "x, {", 12 null }, {"a": 2}]')

    assert found == [{"a": 1}, "is not a conversation but something else", {"a": 2}]


def test_an_object_outside_a_list_is_one_element() -> None:
    assert values(b'\xef\xbb\xbf {"a": 1}\n{"a": 2}') == [{"a": 1}, {"a": 2}]


def test_nesting_without_end_is_broken_and_no_crash() -> None:
    deep = b"[" * 200_000 + b"]" * 200_000

    assert values(b"[" + deep + b", {}]") == ["is not valid JSON", {}]


def test_an_element_that_is_too_long_is_left_out() -> None:
    data = json.dumps([{"a": 1}, {"b": 'x"\\' * 99}, {"c": 2}]).encode()

    first, second, third = elements(io.BytesIO(data), longest=50)

    assert first == ListElement(1, {"a": 1})
    assert isinstance(second, Broken)
    assert "longer" in second.what
    assert third == ListElement(3, {"c": 2})


def test_memory_is_bounded_by_the_largest_element() -> None:
    one = json.dumps({"text": 'word "quoted" ' * 2_000}).encode() + b","
    export = Endless(b"[", one, 1_500, b"{}]")
    assert len(one) * 1_500 > 40 * exports.CHUNK

    tracemalloc.start()
    count = sum(
        isinstance(each, ListElement) for each in elements(cast("IO[bytes]", export))
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 1_501
    assert peak < 8 * exports.CHUNK


def test_memory_is_bounded_where_one_text_never_ends() -> None:
    bomb = Endless(b'[{"a": "', b"\\n0" * 100_000, 200, b'"}, {}]')

    tracemalloc.start()
    found = list(elements(cast("IO[bytes]", bomb), longest=exports.CHUNK))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [type(each) for each in found] == [Broken, ListElement]
    assert peak < 16 * exports.CHUNK


def test_lines_are_numbered_and_a_torn_one_is_known() -> None:
    assert list(lines(io.BytesIO(b"a\n\nb"))) == [
        ExportLine(1, b"a\n", ended=True),
        ExportLine(2, b"\n", ended=True),
        ExportLine(3, b"b", ended=False),
    ]


def test_a_line_that_is_too_long_is_not_held() -> None:
    data = b"a\n" + b"x" * 3_000_000 + b"\nb\n"

    assert list(lines(io.BytesIO(data), longest=10)) == [
        ExportLine(1, b"a\n", ended=True),
        ExportLine(2, None, ended=True),
        ExportLine(3, b"b\n", ended=True),
    ]


@given(
    st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=6)
)
def test_lines_that_are_short_enough_are_all_given(texts: list[bytes]) -> None:
    data = b"\n".join(texts)

    found = [line.data for line in lines(io.BytesIO(data), longest=10)]

    whole = data.split(b"\n")
    wanted = [text + b"\n" for text in whole[:-1]] + [
        text for text in whole[-1:] if text
    ]
    assert found == [text if len(text.strip(b"\n")) <= 10 else None for text in wanted]
