"""The lines of the journal: what was said, each line with its checksum.

The first line tells how far a conversation had come when the file was begun. Every
further one holds the turns that were said together. Both are JSON, so a text may hold
whatever it likes: none of it ends a line.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reverie.model.conversation import REFLECTION, WindowState
from reverie.model.items import Role, Turn, in_utc
from reverie.model.origin import SCOPE, scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from reverie.model.conversation import Utterance

HEAD = 256
"""Bytes of the first line: a file of any other size has more than that."""

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def number_turns(
    window: str,
    said: Iterable[Utterance],
    state: WindowState,
    answered: Collection[int],
) -> tuple[tuple[Turn, ...], WindowState]:
    """Turns with their numbers, equal to what will be read back; and the state then.

    An answer to a turn that has one already, or that there is not, gets a new number.
    One that does not say whom it is for is for whom the turn before it is.

    Args:
        window: Which conversation.
        said: What was said, in order.
        state: How far the conversation has come.
        answered: Numbers that are known to have an answer.
    """
    turns: list[Turn] = []
    taken: set[int] = set()
    for each in said:
        number = state.number_for(each)
        if each.role is Role.ASSISTANT:
            has_one = number in answered or number in taken
            if has_one or (each.answers and not _can_be_open(number, state)):
                number = state.last + 1
            taken.add(number)
        more = tuple((_sound(key), _sound(value)) for key, value in each.more)
        at = in_utc(each.at).replace(microsecond=0)
        text, speaker = _sound(each.text), _sound(each.speaker)
        turn = Turn(window, number, each.role, text, at, speaker, more)
        turns.append(_in_scope(turn, "" if each.answers else state.scope))
        state = state.after(turns[-1])
    return tuple(turns), state


def _in_scope(turn: Turn, scope: str) -> Turn:
    """An answer that is for nobody else than what it answers, or goes on from."""
    if turn.role is not Role.ASSISTANT or not scope or scope_of(turn):
        return turn
    if turn.field(REFLECTION):
        return turn
    return replace(turn, more=(*turn.more, (SCOPE, scope)))


def _can_be_open(number: int, state: WindowState) -> bool:
    """Whether there is a turn with this number, and no answer that a state knows of."""
    return 0 < number < state.last or (number == state.last and state.open)


def _sound(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def render_head(generation: int, state: WindowState | None) -> bytes:
    """The first line of a file.

    Args:
        generation: Tells this file from those that were in its place.
        state: How far the conversation has come; None if only history knows.
    """
    told = None if state is None else _told_state(state)
    payload = _to_json({"generation": generation, "state": told}).encode()
    return _line(payload.ljust(HEAD - 10))


def parse_head(data: bytes) -> tuple[int, WindowState | None]:
    """What the first line of a file says; no state if it cannot be read."""
    told = _payload(data[: max(0, data.find(b"\n"))])
    try:
        return int(told["generation"]), _state(told["state"])
    except (KeyError, TypeError, ValueError):
        return 0, None


def as_kept(state: WindowState) -> WindowState:
    """The state as it will be read back."""
    return _state(_told_state(state)) or state


def render_turns(turns: Sequence[Turn]) -> bytes:
    """A line with turns that were said together."""
    return _line(_to_json([_told_turn(turn) for turn in turns]).encode())


def parse_turns(data: bytes, window: str) -> Iterator[tuple[list[Turn], int]]:
    """The turns of each line that is whole, and where the line ends.

    A line that was spoiled is stepped over; what has no end is not a line yet.
    """
    start = 0
    while (end := data.find(b"\n", start) + 1) > 0:
        told = _payload(data[start : end - 1])
        start = end
        if isinstance(told, list):
            try:
                yield [_turn(window, each) for each in told], end
            except (KeyError, TypeError, ValueError):
                continue


def _line(payload: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(payload), payload)


def _payload(line: bytes) -> Any:  # noqa: ANN401 - whatever JSON can say
    """What a line says; None if it does not read as it was written."""
    checksum, _, payload = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(payload):
        return None
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def _told_state(state: WindowState) -> dict[str, object]:
    return {
        "last": state.last,
        "open": state.open,
        "since": state.since,
        "heard": _told_moment(state.heard),
        "reflected": _told_moment(state.reflected),
        "scope": state.scope,
        "waiting": state.waiting,
    }


def _state(told: dict[str, Any] | None) -> WindowState | None:
    if told is None:
        return None
    last, open_ = int(told["last"]), bool(told["open"])
    return WindowState(
        last,
        open_,
        int(told["since"]),
        _moment(told["heard"]),
        _moment(told["reflected"]),
        str(told.get("scope", "")),
        int(told.get("waiting", last if open_ else 0)),
    )


def _told_turn(turn: Turn) -> dict[str, object]:
    return {
        "turn": turn.number,
        "role": turn.role,
        "at": _told_moment(turn.at),
        "speaker": turn.speaker,
        "more": turn.more,
        "text": turn.text,
    }


def _turn(window: str, told: dict[str, Any]) -> Turn:
    more = tuple((str(key), str(value)) for key, value in told["more"])
    return Turn(
        window,
        int(told["turn"]),
        Role(told["role"]),
        str(told["text"]),
        _moment(told["at"]),
        str(told["speaker"]),
        more,
    )


def _told_moment(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None


def _moment(told: str | None) -> datetime | None:
    return datetime.fromisoformat(told) if told else None
