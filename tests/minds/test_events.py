"""Server-sent events: however the bytes are cut, the same events."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.minds import events
from reverie.minds.events import Event, OversizedEventError, read_events


def read(*pieces: bytes) -> list[tuple[str, str]]:
    return [(event.kind, event.data) for event in read_events(pieces)]


@pytest.mark.parametrize(
    ("stream", "found"),
    [
        (b"data: a\n\n", [("", "a")]),
        (b"data:a\n\n", [("", "a")]),
        (b"data:  a \n\n", [("", " a ")]),
        (b"data: a\ndata: b\n\n", [("", "a\nb")]),
        (b"data: a\ndata\ndata: b\n\n", [("", "a\n\nb")]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [("", "a"), ("", "b"), ("", "c")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), ("", "b")]),
        (b": alive\n\n: alive\ndata: a\n\n", [("", "a")]),
        (b"id: 7\nretry: 3\ndata: a: b\nodd\n\n", [("", "a: b")]),
        (b"event: x\n\ndata: a\n\n", [("", "a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"data: \xef\xbb\xbfa\n\n", [("", "\ufeffa")]),
        ("data: é😀\n\n".encode(), [("", "é😀")]),
        (b"data: \xff\n\n", [("", "\ufffd")]),
        (b"data: a\n", []),
        (b"data: a", []),
        (b"<!doctype html>\n\n<p>Hi\n\n", []),
        (b"", []),
    ],
)
def test_events_are_read(stream: bytes, found: list[tuple[str, str]]) -> None:
    assert read(stream) == found


LINE = st.sampled_from(
    ["", "", "data: a", "data:é😀", "data", "event: x", ": alive", "\ufeff", "odd"]
).map(str.encode)
END = st.sampled_from([b"\n", b"\r", b"\r\n"])
STREAMS = st.lists(
    LINE | END | st.tuples(LINE, END).map(b"".join) | st.binary(max_size=4), max_size=12
).map(b"".join)


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    at = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[a:b] for a, b in pairwise(at)]


@given(STREAMS, st.lists(st.integers(0, 1000), max_size=5))
def test_any_cut_gives_the_same_events(stream: bytes, places: list[int]) -> None:
    assert read(*cut(stream, places)) == read(stream)
    assert read(*(bytes([byte]) for byte in stream)) == read(stream)


_WITHIN = st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")
LINES = st.text(_WITHIN, max_size=8)


@given(st.lists(st.tuples(LINES, st.lists(LINES, min_size=1, max_size=3)), max_size=4))
def test_what_is_written_is_read(written: list[tuple[str, list[str]]]) -> None:
    stream = "".join(
        f"event: {kind}\n" + "".join(f"data: {line}\n" for line in lines) + "\n"
        for kind, lines in written
    )

    found = list(read_events([stream.encode()]))

    assert found == [Event(kind, "\n".join(lines)) for kind, lines in written]


@pytest.mark.parametrize(
    "stream",
    [b"data: " + b"x" * 200, b"y" * 200, b": " + b"y" * 200, b"data: x\n" * 100],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_event_without_end_is_refused_after_those_before_it(
    stream: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LARGEST_EVENT", 100)
    whole = b"data: a\n\n" + stream
    pieces = (whole[at : at + size] for at in range(0, len(whole), size))
    reading = read_events(pieces)

    assert next(reading) == Event("", "a")
    with pytest.raises(OversizedEventError, match="longer than"):
        next(reading)


def test_comments_without_end_take_no_room() -> None:
    assert read(*[b": alive\n"] * 20_000, b"data: a\n\n") == [("", "a")]
