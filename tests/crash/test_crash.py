"""Kill the process at every call that changes the disk, then open again.

Shortened: one scene is struck at every sixth call, others at one call of every fifth
kind, which is another call in each scene; scenes that go a way which another one goes
are left out.
In full, two scenes are struck before and after every call, and all others before every
call: `make test-full`.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

from tests.crash.faults import Points, chosen, instrumented, run_killed
from tests.crash.scenes import SCENES, disagreements, state, states

from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
from tests.memory.home import copy_workspace

NOT_HELD = ("adopt",)
SHORT = ("remember an episode", "remember a fact")
ALIKE = {
    *("remember on a new day", "remember a procedure", "remember in the vault"),
    *("pin", "unpin an episode", "reject a reflection", "restore"),
    *("correct an episode", "forget a memory", "erase a page"),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    full = metafunc.config.getoption("--full")
    names = [name for name in SCENES if full or name not in ALIKE]
    metafunc.parametrize("name", names)


def test_a_kill_at_any_call_leaves_all_or_nothing(
    name: str,
    quick_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    scene = SCENES[name]
    origin = quick_path / "origin"
    scene.before(origin)
    struck = 0
    points, allowed = _rehearse(name, origin, quick_path / "rehearsal")
    every = full or name == SHORT[0]
    struck_at = chosen(points, [*SCENES].index(name), full=every)
    for number in struck_at if full or not every else struck_at[5::6]:
        # After one call is before the next, which two scenes show.
        twice = (full and name in SHORT) or number == len(points)
        for when in ("before", "after") if twice else ("before",):
            root = quick_path / "struck"
            copy_workspace(origin, root)

            killed = run_killed(partial(scene.act, root), number, when)

            _require_whole(name, root, allowed, f"{name}: {when} call {number}")
            assert killed, f"{name}: call {number} was not reached"
            shutil.rmtree(root)
            struck += 1
    record_property("crash points", struck)


def _rehearse(
    name: str, origin: Path, copy: Path
) -> tuple[list[str], list[dict[str, tuple[str, str]]]]:
    """Write down the calls, and the states a workspace may be found in afterwards."""
    copy_workspace(origin, copy)
    begun = (copy / ".audit").exists()
    head = Repository(copy / ".audit").head if begun else ""
    before = state(copy) if begun else {}
    points = Points()
    with instrumented(points):
        SCENES[name].act(copy)
    erased = name.startswith("erase")
    after = [state(copy)] if erased else states(copy, head)
    shutil.rmtree(copy)
    return points.names, [before, *after]


def _require_whole(
    name: str, root: Path, allowed: list[dict[str, tuple[str, str]]], where: str
) -> None:
    if name in NOT_HELD:
        SCENES[name].act(root)
    # People's edits are taken in by whoever opens the workspace next.
    assert disagreements(root, allowed) == [], where
