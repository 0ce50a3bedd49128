"""What the minds of a workspace have spent: one file a day, one line an event.

A line says that tokens were put aside for a call, or what the call really took. So
whoever dies in between has spent what was put aside. Days are UTC's.

What a day has taken is noted outside of the workspace too: who removes the file, or
lines of it, gives nobody new tokens.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError
from reverie.errors import UnavailableError
from reverie.minds.budget import OutOfTokensError, Wish
from reverie.minds.mind import Use
from reverie.model.health import Spent, Sum
from reverie.workspace.files import DiskError, NotAPlainFileError
from reverie.workspace.local_state import Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.authority.keyring import Keyring
    from reverie.workspace.files import Folder

_ENDING = ".jsonl"
_TALLY = "spent"
_NUMBERED = re.compile(rb'"(?:reserved|settled)": "\d{4}-\d\d-\d\d\.(\d{1,12})"')
_UNWRITABLE = (DiskError, NotAPlainFileError)
_MOST = 10**12
_UNREADABLE = 10_000
"""Tokens a line counts that nobody can read, unless a larger one stands beside it."""


class Spending:
    """The purse of a workspace, shared by all its processes; see `Purse`."""

    def __init__(
        self,
        folder: Folder,
        clock: Callable[[], datetime],
        *,
        lock_seconds: float = 30.0,
        keyring: Keyring | None = None,
    ) -> None:
        """Open the purse.

        Args:
            folder: The workspace.
            clock: Where the time comes from.
            lock_seconds: How long to wait for another process.
            keyring: Where the day's sum is noted outside of the workspace.
        """
        self._drawer = Drawer(folder, "spending", lock_seconds)
        self._clock = clock
        self._keyring = keyring

    def reserve(self, wish: Wish, limit: int) -> str:
        """Put tokens of today aside; see `Purse.reserve`."""
        day = self._clock().astimezone(UTC).date()
        with self._drawer.alone("counting tokens"):
            lines = self._lines(day)
            spent = max(_summed(day, lines).tokens, self._noted(day))
            if spent + wish.tokens > limit:
                tomorrow = datetime.combine(day + timedelta(1), time(), UTC)
                name = "mind.daily_tokens"
                raise OutOfTokensError(name, limit, spent, wish, tomorrow)
            name = f"{day}.{_number(lines)}"
            self._add(day, {"reserved": name, **_fields(wish)}, sync=True)
            self._note_sum(day, spent + wish.tokens)
        return name

    def settle(self, name: str, use: Use) -> None:
        """Write down what was used; see `Purse.settle`."""
        day = date.fromisoformat(name.partition(".")[0])
        # Where it cannot be written, the reservation stands, which is the safe side.
        with suppress(*_UNWRITABLE):
            held = _held(self._lines(day), name)
            self._add(day, {"settled": name, **_fields(use)}, sync=False)
            with suppress(UnavailableError), self._drawer.alone("counting tokens"):
                self._note_sum(day, self._noted(day) + use.tokens - held)

    def note(self, use: Use) -> None:
        """Write down what somebody else's tokens were used for, such as the host's."""
        day = self._clock().astimezone(UTC).date()
        with suppress(*_UNWRITABLE), self._drawer.alone("counting tokens"):
            lines = self._lines(day)
            name = f"{day}.{_number(lines)}"
            self._add(day, {"settled": name, **_fields(use)}, sync=False)
            spent = max(_summed(day, lines).tokens, self._noted(day))
            self._note_sum(day, spent + use.tokens)

    def spent(self, day: date) -> Spent:
        """What a day has cost so far."""
        found = _summed(day, self._lines(day))
        missing = self._noted(day) - found.tokens
        if missing <= 0:
            return found
        # Lines were taken out of the file: nobody can read what they said.
        lost, feared = found.unreadable + 1, found.feared + missing
        return replace(found, unreadable=lost, feared=feared)

    def days(self, first: date, last: date) -> tuple[Spent, ...]:
        """What each day of a span has cost; only days that have a file are read."""
        names = (name.removesuffix(_ENDING) for name in self._drawer.names(_ENDING))
        found = {day for name in names if (day := _day(name))}
        found |= {last} if self._noted(last) else set()
        return tuple(self.spent(day) for day in sorted(found) if first <= day <= last)

    def _noted(self, day: date) -> int:
        """What the day has taken by what is noted outside of the workspace."""
        if self._keyring is None:
            return 0
        with suppress(KeyringError):
            return max(_tallied(note, day) for note in self._keyring.known(_TALLY))
        return 0

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


def _tallied(note: bytes | None, day: date) -> int:
    """What a note says that a day has taken."""
    with suppress(ValueError):
        named, tokens = (note or b"").decode("ascii").split()
        return int(tokens) if named == str(day) else 0
    return 0


def _held(lines: list[bytes], name: str) -> int:
    """The tokens that are put aside under a name, and not settled yet."""
    found = 0
    for entry in filter(None, map(_parsed, lines)):
        if entry[0] == name:
            found = entry[1].tokens if isinstance(entry[1], Wish) else 0
    return found


def _number(lines: list[bytes]) -> int:
    """A number that no line of the day has, whatever was taken out of the file."""
    named = (int(found[1]) for line in lines if (found := _NUMBERED.search(line)))
    return 1 + max(len(lines), *named, 0)


def _day(name: str) -> date | None:
    """The day a file is named after; None for a name that is not one of ours."""
    with suppress(ValueError):
        day = date.fromisoformat(name)
        return day if name == f"{day}" else None
    return None


def _fields(of: Wish | Use) -> dict[str, object]:
    """A value as it stands in a line."""
    return {each.name: getattr(of, each.name) for each in fields(of)}


def _summed(day: date, lines: list[bytes]) -> Spent:
    standing: dict[str, Wish] = {}
    used: list[Use] = []
    unreadable, largest = 0, _UNREADABLE
    for line in lines:
        entry = _parsed(line)
        if entry is None:
            unreadable += 1
        elif isinstance(entry[1], Wish):
            standing[entry[0]] = entry[1]
            largest = max(largest, entry[1].tokens)
        else:
            standing.pop(entry[0], None)
            used.append(entry[1])
    sums = _by_operation(used, list(standing.values()))
    return Spent(day, sums, unreadable, unreadable * largest)


def _by_operation(used: list[Use], standing: list[Wish]) -> tuple[Sum, ...]:
    calls = [_sum_of(use) for use in used]
    calls += [Sum(w.operation, w.model, 1, standing=w.tokens) for w in standing]
    sums: dict[tuple[str, str], Sum] = {}
    for call in calls:
        place = (call.operation, call.model)
        sums[place] = _together(sums.get(place, Sum(*place)), call)
    return tuple(sums[place] for place in sorted(sums))


def _sum_of(use: Use) -> Sum:
    tokens = (use.input_tokens, use.output_tokens)
    return Sum(use.operation, use.model, 1, int(use.estimated), *tokens)


def _together(one: Sum, other: Sum) -> Sum:
    return replace(
        one,
        calls=one.calls + other.calls,
        estimated=one.estimated + other.estimated,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        standing=one.standing + other.standing,
    )


def _parsed(line: bytes) -> tuple[str, Wish | Use] | None:
    """What a line says, and of which reservation; None where nobody can read it."""
    try:
        entry = json.loads(line)
        kind = Wish if "reserved" in entry else Use
        name = entry.pop("reserved" if kind is Wish else "settled")
        value = kind(**entry)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    texts = (name, value.operation, value.model)
    if not all(isinstance(text, str) for text in texts) or not _counted(value):
        return None
    return name, value


def _counted(value: Wish | Use) -> bool:
    """Whether its numbers are numbers of tokens."""
    if isinstance(value, Wish):
        return _count(value.tokens)
    numbers = _count(value.input_tokens) and _count(value.output_tokens)
    return numbers and isinstance(value.estimated, bool)


def _count(number: object) -> bool:
    return type(number) is int and 0 <= number <= _MOST
