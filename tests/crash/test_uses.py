"""Kill who counts a use at every call that changes the disk: it counts, or not at all.

What was told to be counted is counted, and nothing else is harmed.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, instrumented, run_killed
from tests.crash.scenes import disagreements, opened, prepared
from tests.memory.home import copy_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reverie import Memory

EPISODE = "episode:2026-02-02:12:00"
TOLD = "told"
"""A file beside the workspace, made once the use was acknowledged."""


def _waiting(root: Path) -> None:
    """A workspace in which a use waits to be written down."""
    prepared(root)
    with opened(root) as memory:
        memory.reinforce([EPISODE])


ACTS: dict[str, tuple[Callable[[Memory], object], Callable[[Path], None], int]] = {
    "a recall": (lambda memory: memory.recall("hybrid approach"), prepared, 1),
    "writing it down": (
        lambda memory: memory._session.uses.write_down(),  # noqa: SLF001 - only this
        _waiting,
        1,
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_a_kill_loses_no_use_that_was_counted(
    name: str, quick_path: Path, *, full: bool
) -> None:
    act, before, most = ACTS[name]
    origin, root = quick_path / "origin", quick_path / "struck"
    before(origin)

    def run(folder: Path) -> None:
        memory = opened(folder)
        act(memory)
        (folder.parent / TOLD).touch()
        memory.close()

    copy_workspace(origin, root)
    points = Points()
    with instrumented(points):
        run(root)
    (quick_path / TOLD).unlink()
    shutil.rmtree(root)
    least = _uses(origin)
    for number in range(1, len(points.names) + 1, 1 if full else 3):
        copy_workspace(origin, root)

        run_killed(partial(run, root), number, "before")

        acknowledged = (quick_path / TOLD).exists()
        assert (most if acknowledged else least) <= _uses(root) <= most, number
        assert disagreements(root) == [], number
        (quick_path / TOLD).unlink(missing_ok=True)
        shutil.rmtree(root)


def _uses(root: Path) -> int:
    with opened(root) as memory:
        return memory.show(EPISODE).accesses - 1
