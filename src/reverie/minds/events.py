"""Server-sent events: a stream of bytes read as the events in it, as they come.

Lines end as the server likes, and bytes may be cut anywhere. What is neither data
nor the name of an event (comments, ids, times) is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LARGEST_EVENT = 1 << 20
"""Bytes; what a model says at a time is a few words."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class OversizedEventError(ValueError):
    """An event goes on and on."""

    def __init__(self) -> None:
        super().__init__(f"an event is longer than {LARGEST_EVENT:,} bytes")


@dataclass(frozen=True, slots=True)
class Event:
    """One event: what the server calls it, and its data."""

    kind: str
    data: str


def read_events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream; one that no blank line ends is none.

    Raises:
        OversizedEventError: After the events before it.
    """
    kind, data, size = "", list[str](), 0
    for line in _lines(pieces):
        if not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data, size = "", [], 0
            continue
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            size += len(value) + 1
            if size > LARGEST_EVENT:
                raise OversizedEventError
            data.append(value.decode("utf-8", "replace"))
        elif name == b"event":
            kind = value.decode("utf-8", "replace")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, so that a character which was cut in two is whole in its line."""
    begun = bytearray()
    first, returned = True, False
    for piece in filter(None, pieces):
        # Of a line end that was cut in two, the first half has ended the line.
        fresh = piece.removeprefix(b"\n") if returned else piece
        returned = piece.endswith(b"\r")
        *ends, rest = _LINE_END.split(fresh)
        for end in ends:
            _require_end(begun, end)
            line = bytes(begun) + end if begun else end
            yield line.removeprefix(_BYTE_ORDER_MARK) if first else line
            begun.clear()
            first = False
        _require_end(begun, rest)
        begun += rest


def _require_end(begun: bytearray, more: bytes) -> None:
    if len(begun) + len(more) > LARGEST_EVENT:
        raise OversizedEventError
