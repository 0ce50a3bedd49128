"""Fail every call that changes the disk, once or from then on, and look again.

Shortened: two calls of every kind, each failing in one way, by turns. In full, every
call fails in every way: `make test-full`.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, chosen, instrumented
from tests.crash.scenes import SCENES, disagreements, state, states
from tests.memory.home import copy_workspace

from reverie import ReverieError
from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHOSEN = (
    "remember an episode",
    "remember a fact",
    "remember in core, moving another out",
    "notice edits by hand",
    "undo",
)
WAYS = [
    (number, lasting)
    for number in (errno.ENOSPC, errno.EIO)
    for lasting in (False, True)
]
DONE_WHEN_ACKNOWLEDGED = frozenset(CHOSEN) - {"notice edits by hand"}


class Failing:
    """Raises an error at one call, or at that call and all later ones."""

    def __init__(self, at: int, number: int, *, lasting: bool) -> None:
        self.points = Points(self._act)
        self._at = at
        self._errno = number
        self._lasting = lasting

    def _act(self, number: int, when: str) -> None:
        struck = number >= self._at if self._lasting else number == self._at
        if when == "before" and struck:
            if self.points.names[-1].startswith("sqlite"):
                raise sqlite3.OperationalError("database or disk is full")
            raise OSError(self._errno, os.strerror(self._errno))


@pytest.mark.parametrize("name", CHOSEN)
def test_a_failing_disk_is_told_clearly_and_loses_nothing(
    name: str,
    quick_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    origin = quick_path / "origin"
    SCENES[name].before(origin)
    names, allowed = _rehearse(name, origin, quick_path / "rehearsal")
    turn = CHOSEN.index(name)
    struck = [(at, way) for at in chosen(names, 0, full=True) for way in WAYS]
    if not full:
        some = chosen(names, turn, full=False)
        struck = [(at, WAYS[(at + turn) % len(WAYS)]) for at in some]
    for at, (number, lasting) in struck:
        root = quick_path / "struck"
        copy_workspace(origin, root)
        failing = Failing(at, number, lasting=lasting)

        acknowledged = _try(name, root, failing)

        where = f"{name}: {failing.points.names[at - 1]} (call {at})"
        done = state(root)
        assert done in allowed, where
        if acknowledged and name in DONE_WHEN_ACKNOWLEDGED:
            assert done in allowed[1:], where
        assert disagreements(root) == [], where
        shutil.rmtree(root)
    record_property("disk errors", len(struck))


def _try(name: str, root: Path, failing: Failing) -> bool:
    """Whether the operation succeeded, or failed without saying what to do."""
    with instrumented(failing.points):
        try:
            SCENES[name].act(root)
        except ReverieError as error:
            return not error.advice
        return True


def _rehearse(
    name: str, origin: Path, copy: Path
) -> tuple[list[str], list[dict[str, tuple[str, str]]]]:
    copy_workspace(origin, copy)
    head = Repository(copy / ".audit").head
    before = state(copy)
    points = Points()
    with instrumented(points):
        SCENES[name].act(copy)
    after = states(copy, head)
    shutil.rmtree(copy)
    return points.names, [before, *after]
