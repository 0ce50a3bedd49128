"""Kill the process at every call that changes the disk, then open again.

Two scenes are struck at every call, before and after; the others at every second one,
or at all of them with REVERIE_CRASH_STEP=1.
"""

from __future__ import annotations

import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, instrumented, run_killed
from tests.crash.scenes import SCENES, disagreements, state, states

from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOT_HELD = ("adopt",)
SHORT = ("remember an episode", "remember a fact")
STEP = int(os.environ.get("REVERIE_CRASH_STEP", "2"))


@pytest.mark.parametrize("name", SCENES)
def test_a_kill_at_any_call_leaves_all_or_nothing(
    name: str, quick_path: Path, record_property: Callable[[str, object], None]
) -> None:
    scene = SCENES[name]
    origin = quick_path / "origin"
    scene.before(origin)
    struck = 0
    points, allowed = _rehearse(name, origin, quick_path / "rehearsal")
    for number in range(1, points + 1, 1 if name in SHORT else STEP):
        for when in _moments(name, number, points):
            root = quick_path / "struck"
            shutil.copytree(origin, root, symlinks=True)

            killed = run_killed(partial(scene.act, root), number, when)

            _require_whole(name, root, allowed, f"{name}: {when} call {number}")
            assert killed, f"{name}: call {number} was not reached"
            shutil.rmtree(root)
            struck += 1
    record_property("crash points", struck)


def _moments(name: str, number: int, points: int) -> tuple[str, ...]:
    """When to strike; after one call is before the next, which two scenes show."""
    if name not in SHORT and number < points:
        return ("before",)
    return ("before", "after")


def _rehearse(name: str, origin: Path, copy: Path) -> tuple[int, list[dict[str, str]]]:
    """Count the calls, and the states a workspace may be found in afterwards."""
    shutil.copytree(origin, copy, symlinks=True)
    begun = (copy / ".audit").exists()
    head = Repository(copy / ".audit").head if begun else ""
    before = state(copy) if begun else {}
    points = Points()
    with instrumented(points):
        SCENES[name].act(copy)
    erased = name == "erase"
    after = [state(copy)] if erased else states(copy, head)
    shutil.rmtree(copy)
    return points.count, [before, *after]


def _require_whole(
    name: str, root: Path, allowed: list[dict[str, str]], where: str
) -> None:
    if name in NOT_HELD:
        SCENES[name].act(root)
    # People's edits are taken in by whoever opens the workspace next.
    found = disagreements(root)
    assert found == [], where
    reached = states(root, "")
    assert any(one in allowed for one in reached), where
