"""Fail every call that changes the disk, once or from then on, and look again."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, instrumented
from tests.crash.scenes import SCENES, disagreements, state, states

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
                raise sqlite3.OperationalError("database or disk is full")  # noqa: TRY003, EM101 - as sqlite3 says it
            raise OSError(self._errno, os.strerror(self._errno))


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO], ids=["ENOSPC", "EIO"])
@pytest.mark.parametrize("name", CHOSEN)
def test_a_failing_disk_is_told_clearly_and_loses_nothing(
    name: str,
    number: int,
    quick_path: Path,
    record_property: Callable[[str, object], None],
    *,
    lasting: bool,
) -> None:
    origin = quick_path / "origin"
    SCENES[name].before(origin)
    total, allowed = _rehearse(name, origin, quick_path / "rehearsal")
    for at in range(1, total + 1):
        root = quick_path / "struck"
        shutil.copytree(origin, root, symlinks=True)
        failing = Failing(at, number, lasting=lasting)

        acknowledged = _try(name, root, failing)

        where = f"{name}: {failing.points.names[at - 1]} (call {at})"
        done = state(root)
        assert done in allowed, where
        if acknowledged and name in DONE_WHEN_ACKNOWLEDGED:
            assert done in allowed[1:], where
        assert disagreements(root) == [], where
        shutil.rmtree(root)
    record_property("disk errors", total)


def _try(name: str, root: Path, failing: Failing) -> bool:
    """Whether the operation succeeded, or failed without saying what to do."""
    with instrumented(failing.points):
        try:
            SCENES[name].act(root)
        except ReverieError as error:
            return not error.hint
        return True


def _rehearse(name: str, origin: Path, copy: Path) -> tuple[int, list[dict[str, str]]]:
    shutil.copytree(origin, copy, symlinks=True)
    head = Repository(copy / ".audit").head
    before = state(copy)
    points = Points()
    with instrumented(points):
        SCENES[name].act(copy)
    after = states(copy, head)
    shutil.rmtree(copy)
    return points.count, [before, *after]
