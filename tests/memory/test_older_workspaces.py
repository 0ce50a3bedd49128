"""A workspace that an earlier version wrote opens with everything in it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from reverie import Memory
from reverie.config import AuditConfig

DATA = Path(__file__).parents[1] / "data" / "workspace-of-the-first-version.tar.gz"
IDS = {
    "core:persona/prefers-short-answers",
    "entity:person--alex",
    "entity:person--nora",
    "episode:2026-02-02:14:31",
    "episode:2026-02-02:14:42",
    "episode:2026-02-03:14:44",
    "procedure:release",
    "turn:trip-to-rome/1/assistant/0",
    "turn:trip-to-rome/1/user/0",
    "vault:passport",
}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    with tarfile.open(DATA) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "agent"


def texts(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    kept = (path for path in files if path.suffix in {".md", ".toml"})
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def test_every_memory_keeps_its_id_and_every_file_its_bytes(older: Path) -> None:
    before = texts(older)

    with Memory(older) as memory:
        assert memory.config.audit.critical_files == AuditConfig().critical_files
        assert [each.path for each in memory.alerts()] == [".audit"]
        assert memory.warnings == ()
        found = {each.id: each for each in memory.items()}
        answer = memory.recall("where does Alex live?").hits

    assert found.keys() >= IDS
    assert found["entity:person--alex"].pinned
    assert "Paris" in answer[0].text
    after = texts(older)
    derived = "memory/graph/index.md"
    assert {n: t for n, t in before.items() if n != derived}.items() <= after.items()


def test_a_log_that_was_altered_meanwhile_is_told(older: Path) -> None:
    log = older / "memory/meta/audit.log"
    said = log.read_bytes()
    log.write_bytes(said.replace(b"CREATE", b"DELETE", 1))

    with Memory(older) as memory:
        memory.alerts()
        assert memory.warnings == ("audit.log had been altered; it was written again",)

    assert log.read_bytes() == said


def test_it_can_be_added_to_and_taken_back(older: Path) -> None:
    with Memory(older) as memory:
        receipt = memory.remember("Nora moved to Lisbon.")
        assert memory.recall("where did Nora move?").hits
        memory.undo(receipt.commit)

        assert len(memory.history()) > 22
