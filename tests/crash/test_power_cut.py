"""After a power cut, files that were not synced may come back empty or not at all."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.crash.scenes import NOON, disagreements, opened, state

from reverie import Episodic, Memory, Semantic
from reverie.ledger.packs import loose_objects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


DAY = "memory/episodes/2026-02-02.md"


def emptied(file: Path) -> None:
    """The name survived, the content did not."""
    file.chmod(0o600)
    file.write_bytes(b"")


def garbled(file: Path) -> None:
    """Blocks of something else stand there."""
    file.chmod(0o600)
    file.write_bytes(b"\0" * 512)


def lost(file: Path) -> None:
    """Not even the name survived."""
    file.unlink()


@pytest.mark.parametrize("damage", [emptied, garbled, lost])
def test_unsynced_objects_come_back_from_the_redo_log(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    root = tmp_path / "agent"
    Memory.init(root, clock=lambda: NOON, environ={}).close()
    safe = loose_objects(root / ".audit" / "objects")
    with opened(root) as memory:
        for number in range(5):
            memory.remember(f"acknowledged {number}", Episodic())
            memory.remember(f"also {number}", Semantic("Alex", "person"))
    before = state(root)
    unsynced = loose_objects(root / ".audit" / "objects").keys() - safe.keys()
    for name, file in loose_objects(root / ".audit" / "objects").items():
        if name in unsynced:
            damage(file)
    _reboot(root)

    assert disagreements(root) == []

    after = state(root)
    changed = {path for path, blob in before.items() if after[path] != blob}
    assert changed <= {DAY, "memory/meta/decay-scores.json", "memory/graph/index.md"}
    text = (root / DAY).read_text(encoding="utf-8")
    assert [n for n in range(5) if f"acknowledged {n}" not in text] == []
    subprocess.run(["git", "fsck", "--full"], cwd=root, check=True)
    assert len(unsynced) > 20


def test_a_redo_record_cut_short_was_never_acknowledged(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    Memory.init(root, clock=lambda: NOON, environ={}).close()
    with opened(root) as memory:
        memory.remember("acknowledged", Episodic())
    log = root / ".audit" / "redo"
    log.write_bytes(log.read_bytes() + b"3 0123456789abcdef 400\nhalf a rec")
    _reboot(root)

    assert disagreements(root) == []


def test_a_session_that_ends_leaves_no_redo_log(tmp_path: Path) -> None:
    with Memory.init(tmp_path / "agent", clock=lambda: NOON, environ={}) as memory:
        memory.remember("once", Episodic())

    assert not (tmp_path / "agent" / ".audit" / "redo").exists()


def test_work_files_that_came_back_empty_are_written_again(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    Memory.init(root, clock=lambda: NOON, environ={}).close()
    with opened(root) as memory:
        memory.remember("first", Episodic())
    shutil.copytree(root, tmp_path / "earlier", symlinks=True)
    with opened(root) as memory:
        memory.remember("second", Episodic())
    # The ref and the redo log were synced; the mark and the work file were not.
    for name in (".audit/projected", DAY):
        shutil.copy2(tmp_path / "earlier" / name, root / name)
    _reboot(root)

    assert disagreements(root) == []

    text = (root / DAY).read_text(encoding="utf-8")
    assert "first" in text
    assert "second" in text


def _reboot(root: Path) -> None:
    """Make the log one that an earlier boot of the machine left behind."""
    log = root / ".audit" / "redo"
    _, _, records = log.read_bytes().partition(b"\n")
    log.write_bytes(b"an earlier boot\n" + records)
