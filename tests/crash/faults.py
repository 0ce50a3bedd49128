"""Stopping the program, or failing it, at any call that changes the disk."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reverie.ledger.repository import Repository
from reverie.workspace import files

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OS_CALLS = (
    "write",
    "pwrite",
    "ftruncate",
    "fsync",
    "fdatasync",
    "fchmod",
    "chmod",
    "rename",
    "replace",
    "link",
    "unlink",
    "mkdir",
    "rmdir",
)
GIT_CALLS = ("write_blob", "_write_tree", "write_commit", "move_head")
KILLED = 137

Call = Callable[..., Any]
Wrapper = Callable[[Call], Call]


class Points:
    """Counts calls that change the disk, and acts at one of them."""

    def __init__(self, act: Callable[[int, str], None] | None = None) -> None:
        self.count = 0
        self.names: list[str] = []
        self._act = act or (lambda _number, _when: None)

    def around(self, name: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - any call's result
        """Make a call that is a point."""
        self.count += 1
        self.names.append(name)
        number = self.count
        self._act(number, "before")
        try:
            return call()
        finally:
            self._act(number, "after")


def chosen(names: Sequence[str], turn: int, *, full: bool) -> list[int]:
    """The points to strike: all of them, or one call of every fifth kind.

    Args:
        names: The call at each point, as a rehearsal met them.
        turn: Which kinds, the others in the next turns; and which call of a kind that
            comes often, another one in each turn.
        full: Whether to strike all of them.
    """
    if full:
        return [*range(1, len(names) + 1)]
    kinds: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names, 1):
        kinds[name].append(number)
    some = [kinds[name] for name in sorted(kinds)][turn % 5 :: 5]
    return sorted(numbers[7 * turn % len(numbers)] for numbers in some)


class _Connection(sqlite3.Connection):
    """A connection whose statements are points."""

    points: Points

    def execute(self, *args: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 has it
        statement = str(args[0]).split(None, 1)[0].upper()
        if statement in {"SELECT", "PRAGMA"}:
            return super().execute(*args)
        found: sqlite3.Cursor = self.points.around(
            f"sqlite {statement}", lambda: super(_Connection, self).execute(*args)
        )
        return found

    def executemany(self, *args: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 has it
        found: sqlite3.Cursor = self.points.around(
            "sqlite rows", lambda: super(_Connection, self).executemany(*args)
        )
        return found


@contextmanager
def instrumented(points: Points) -> Iterator[None]:
    """Make every call that changes the disk a point while the block runs."""
    wrappers: list[tuple[Any, str, Wrapper]] = [
        *((os, name, _plain(points, f"os.{name}")) for name in OS_CALLS),
        (os, "open", _opening(points)),
        *((Repository, name, _plain(points, f"git {name}")) for name in GIT_CALLS),
        (files, "_renameat2", _plain(points, "renameat2")),
        (sqlite3, "connect", _connecting(points)),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in wrappers]
    for (owner, name, wrapper), (_, _, original) in zip(
        wrappers, originals, strict=True
    ):
        setattr(owner, name, wrapper(original))
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _plain(points: Points, label: str) -> Wrapper:
    def wrapper(original: Call) -> Call:
        return lambda *args, **kwargs: points.around(
            label, lambda: original(*args, **kwargs)
        )

    return wrapper


def _opening(points: Points) -> Wrapper:
    """`os.open` is a point only when it may change something."""

    def wrapper(original: Call) -> Call:
        def call(path: Any, flags: int, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - os.open
            if not flags & WRITING:
                return original(path, flags, *args, **kwargs)
            return points.around(
                "os.open", lambda: original(path, flags, *args, **kwargs)
            )

        return call

    return wrapper


def _connecting(points: Points) -> Wrapper:
    def wrapper(original: Call) -> Call:
        def call(path: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - sqlite3.connect
            connection = original(path, factory=_Connection, **kwargs)
            connection.points = points
            return connection

        return call

    return wrapper


def run_killed(action: Callable[[], None], at: int, when: str) -> bool:
    """Run an action in a child that dies at one point; False if it got through."""
    child = os.fork()
    if child == 0:
        try:

            def strike(number: int, moment: str) -> None:
                if (number, moment) == (at, when):
                    os._exit(KILLED)

            with instrumented(Points(strike)):
                action()
        except BaseException:  # noqa: BLE001 - a child must never return into pytest
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, KILLED}, f"the child failed by itself at point {at} ({when})"
    return code == KILLED


def in_child(action: Callable[[], None]) -> int:
    """Run something in a process of its own; its exit code tells how it went."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - a child must never return into pytest
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    return child
