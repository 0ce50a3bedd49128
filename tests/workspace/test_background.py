"""Upkeep in the background: one process at a time, with little of the machine."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import SCORES, Clock

from reverie import Episodic, Memory
from reverie.isolation import isolated_python
from reverie.session import upkeep
from reverie.workspace import background
from reverie.workspace.background import MAX_MEMORY_BYTES, NICENESS

if TYPE_CHECKING:
    from collections.abc import Sequence

CLOSER = """
import sys
from reverie import Memory
from reverie.session import upkeep
upkeep.SMALL = upkeep.BETWEEN_TIDYING = 0
memory = Memory(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
memory.close()
"""
LIMITED = """
import os, resource
from reverie.workspace.background import limit_resources
limit_resources()
print(os.nice(0), *resource.getrlimit(resource.RLIMIT_DATA))
"""
PROC = Path("/proc")


def upkeep_processes(root: Path) -> list[int]:
    """Processes of this machine that do upkeep of a workspace."""
    found = []
    for folder in PROC.glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"tidy" in words and bytes(root) in words:
            found.append(int(folder.name))
    return found


def close_together(root: Path, count: int) -> None:
    """Have several processes close a workspace at the same time."""
    words = isolated_python(CLOSER, str(root), away_from=root)
    closers = [
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    for closer in closers:
        assert closer.stdout is not None
        assert closer.stdout.readline() == "open\n"
    for closer in closers:
        closer.communicate("close\n")
        assert closer.returncode == 0


def wait_for_upkeep(root: Path) -> None:
    """Return when no upkeep runs."""
    with (root / ".reverie" / background.LOCK_FILE).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The commands that would be started in the background."""
    started: list[Sequence[str]] = []

    def note(words: Sequence[str], **_: object) -> None:
        started.append(words)

    monkeypatch.setattr("reverie.workspace.background.subprocess.Popen", note)
    monkeypatch.setattr(upkeep, "SMALL", 0)
    return started


@pytest.mark.skipif(not PROC.is_dir(), reason="counts the processes of Linux")
def test_processes_that_close_together_start_one_background_process(
    tmp_path: Path,
) -> None:
    root = tmp_path / "agent"
    with Memory.init(root) as memory:
        memory.remember("Nora lives in Lisbon.", Episodic())
        memory.tidy_on_close = False

    with Memory(root) as writer:
        writer.tidy_on_close = False
        # While somebody writes, upkeep waits, and so it still runs.
        with writer._session.ledger.exclusively("a test"):  # noqa: SLF001 - stands for a writer
            close_together(root, 4)
            first = upkeep_processes(root)
            close_together(root, 2)
            second = upkeep_processes(root)
        wait_for_upkeep(root)

    assert len(first) == 1
    assert second == first
    assert upkeep_processes(root) == []
    close_together(root, 1)
    wait_for_upkeep(root)


def test_a_memory_that_may_not_tidy_starts_nothing(
    tmp_path: Path, begun: list[Sequence[str]]
) -> None:
    memory = Memory.init(tmp_path / "agent")
    memory.tidy_on_close = False
    told = memory.remember("Nora lives in Lisbon.", Episodic())
    for _ in range(upkeep.MANY):
        memory.reinforce(told.ids)
    memory.remember("Nora moved to Porto.", Episodic())
    memory.close()
    assert begun == []

    with Memory(tmp_path / "agent") as again:
        again.remember("Nora likes Porto.", Episodic())
    assert len(begun) == 1


def test_a_memory_with_a_clock_of_its_own_does_its_upkeep_by_that_clock(
    tmp_path: Path, begun: list[Sequence[str]]
) -> None:
    clock = Clock()
    memory = Memory.init(tmp_path / "agent", clock=clock)
    told = memory.remember("Nora lives in Lisbon.", Episodic())
    memory.reinforce(told.ids)
    memory.close()

    scores = (tmp_path / "agent" / SCORES).read_text()
    assert begun == []
    assert '"access_count": 2' in scores
    with Memory(tmp_path / "agent", clock=clock) as again:
        days = {change.at.date() for change in again.history()}
    assert days == {clock.now.date()}


def test_the_background_process_has_low_priority_and_limited_memory(
    tmp_path: Path,
) -> None:
    words = isolated_python(LIMITED, away_from=tmp_path)
    done = subprocess.run(words, check=True, capture_output=True, text=True)

    nice, *limits = map(int, done.stdout.split())
    assert nice >= NICENESS
    if sys.platform == "linux":
        assert max(limits) <= MAX_MEMORY_BYTES
