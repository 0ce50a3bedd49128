"""What the minds of a workspace have spent: one file a day, one line an event.

A line says that tokens were put aside for a call, or what the call really took. So
whoever dies in between has spent what was put aside. Days are UTC's.

What a day has taken is noted outside of the workspace too: who removes the file, or
lines of it, gives nobody new tokens.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec.structs import asdict, replace

from reverie.authority.keyring import KeyringError
from reverie.errors import UnavailableError
from reverie.minds.mind import OutOfTokensError
from reverie.model.health import Spent, Sum
from reverie.workspace.files import DiskError, NotAPlainFileError
from reverie.workspace.local_state import Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reverie.authority.keyring import Keyring
    from reverie.minds.mind import Use

_ENDING = ".jsonl"
_TALLY = "spent"
_NUMBERED = re.compile(rb'"(?:reserved|settled)": "\d{4}-\d\d-\d\d\.(\d{1,12})"')
_UNWRITABLE = (DiskError, NotAPlainFileError)
_Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
_UNREADABLE = 10_000
"""Tokens a line counts that nobody can read, unless a larger one stands beside it."""


class Spending:
    """The purse of a workspace, shared by all its processes; see `Purse`.

    Args:
        state: Folder of the state files of the workspace.
        clock: Where the time comes from.
        lock_seconds: How long to wait for another process.
        keyring: Where the day's sum is noted outside of the workspace.
    """

    def __init__(
        self,
        state: Path,
        clock: Callable[[], datetime],
        *,
        lock_seconds: float = 30.0,
        keyring: Keyring | None = None,
    ) -> None:
        self._drawer = Drawer(state, "spending", lock_seconds)
        self._clock, self._keyring = clock, keyring

    def reserve(self, most: Use, limit: int) -> str:
        """Put tokens of today aside; see `Purse.reserve`."""
        day = self._clock().astimezone(UTC).date()
        with self._drawer.alone("counting tokens"):
            lines = self._lines(day)
            spent = max(sum_lines(day, lines).tokens, self._noted(day))
            if spent + most.tokens > limit:
                tomorrow = datetime.combine(day + timedelta(1), time(), UTC)
                what = ("mind.daily_tokens", limit, spent, most, tomorrow)
                raise OutOfTokensError(*what)
            # A number that no line has, whatever was taken out of the file.
            named = (int(n[1]) for line in lines if (n := _NUMBERED.search(line)))
            name = f"{day}.{1 + max(len(lines), *named, 0)}"
            whose = {"operation": most.operation, "model": most.model}
            entry = {"reserved": name, **whose, "tokens": most.tokens}
            self._add(day, entry, sync=True)
            self._note_sum(day, spent + most.tokens)
        return name

    def settle(self, name: str, use: Use) -> None:
        """Write down what was used; see `Purse.settle`."""
        day = date.fromisoformat(name.partition(".")[0])
        # Where it cannot be written, the reservation stands, which is the safe side.
        with suppress(*_UNWRITABLE):
            held = 0
            for entry in filter(None, map(parse_line, self._lines(day))):
                if name in {entry.reserved, entry.settled}:
                    held = entry.tokens
            self._add(day, {"settled": name, **asdict(use)}, sync=False)
            with suppress(UnavailableError), self._drawer.alone("counting tokens"):
                self._note_sum(day, self._noted(day) + use.tokens - held)

    def note(self, use: Use) -> None:
        """Write down what somebody else's tokens were used for, such as the host's."""
        with suppress(*_UNWRITABLE):
            self.settle(self.reserve(use, sys.maxsize), use)

    def spent(self, day: date) -> Spent:
        """What a day has cost so far."""
        found = sum_lines(day, self._lines(day))
        missing = self._noted(day) - found.tokens
        if missing <= 0:
            return found
        # Lines were taken out of the file: nobody can read what they said.
        lost, feared = found.unreadable + 1, found.feared + missing
        return replace(found, unreadable=lost, feared=feared)

    def days(self, first: date, last: date) -> tuple[Spent, ...]:
        """What each day of a span has cost; only days that have a file are read."""
        found = {last} if self._noted(last) else set()
        for name in self._drawer.names(_ENDING):
            with suppress(ValueError):
                day = date.fromisoformat(name.removesuffix(_ENDING))
                found |= {day} if name == f"{day}{_ENDING}" else set()
        return tuple(self.spent(day) for day in sorted(found) if first <= day <= last)

    def _noted(self, day: date) -> int:
        """What the day has taken by what is noted outside of the workspace."""
        tokens = 0
        if self._keyring is not None:
            with suppress(KeyringError):
                for note in self._keyring.known(_TALLY):
                    found = re.fullmatch(rb"(\S+) (\d+)\n", note or b"")
                    if found and found[1].decode("ascii", "replace") == str(day):
                        tokens = max(tokens, int(found[2]))
        return tokens

    def _note_sum(self, day: date, tokens: int) -> None:
        # Where it cannot be written, the file alone counts.
        if self._keyring is not None:
            with suppress(KeyringError):
                noted = f"{day} {max(0, tokens)}\n".encode("ascii")
                self._keyring.note(_TALLY, noted)

    def _lines(self, day: date) -> list[bytes]:
        written = self._drawer.read(f"{day}{_ENDING}") or b""
        return [line for line in written.splitlines() if line.strip()]

    def _add(self, day: date, entry: Mapping[str, object], *, sync: bool) -> None:
        line = json.dumps(entry, ensure_ascii=True).encode()
        self._drawer.add_line(f"{day}{_ENDING}", line, sync=sync)


class _Line(msgspec.Struct):
    """An event: tokens put aside under a name, or what was used of them."""

    operation: str
    model: str
    reserved: str = ""
    settled: str = ""
    tokens: _Count = 0
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    estimated: bool = False


def parse_line(line: bytes) -> _Line | None:
    """What a line says; None where nobody can read it."""
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        found = msgspec.json.decode(line, type=_Line)
        return found if found.reserved or found.settled else None
    return None


def sum_lines(day: date, lines: list[bytes]) -> Spent:
    """What a day has cost by the lines of its file."""
    standing: dict[str, _Line] = {}
    used: list[_Line] = []
    unreadable, largest = 0, _UNREADABLE
    for entry in map(parse_line, lines):
        if entry is None:
            unreadable += 1
        elif entry.reserved:
            standing[entry.reserved] = entry
            largest = max(largest, entry.tokens)
        else:
            standing.pop(entry.settled, None)
            used.append(entry)
    sums: dict[tuple[str, str], Sum] = {}
    for each in (*used, *standing.values()):
        place = (each.operation, each.model)
        one = sums.get(place, Sum(*place))
        sums[place] = replace(
            one,
            calls=one.calls + 1,
            estimated=one.estimated + each.estimated,
            input_tokens=one.input_tokens + each.input_tokens,
            output_tokens=one.output_tokens + each.output_tokens,
            standing=one.standing + each.tokens,
        )
    told = tuple(sums[place] for place in sorted(sums))
    return Spent(day, told, unreadable, unreadable * largest)
