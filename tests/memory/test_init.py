"""Making a workspace, and moving into one that an agent already lives in."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import GIT_ENVIRONMENT, NOON, Home, agrees, git

from reverie import Episodic, Memory, NotFoundError, RefusedError
from reverie.config import parse_config

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    "MEMORY.md",
    "reverie.toml",
    "memory/graph/index.md",
    "memory/graph/relations.md",
    "memory/meta/decay-scores.json",
    "memory/meta/reflection-log.md",
    "memory/meta/pending-reflection.md",
    "memory/meta/pending-memories.md",
    "memory/meta/evolution.md",
    "memory/meta/audit.log",
    "memory/meta/reward-log.md",
    "memory/meta/devices.md",
]
FOLDERS = [
    "memory/episodes",
    "memory/graph/entities",
    "memory/procedures",
    "memory/vault",
    "memory/meta/reflections",
    "memory/meta/reflections/dialogues",
    "memory/meta/rewards",
    ".audit",
    ".reverie",
]
AGENT = {
    "SOUL.md": b"# Soul\n\nBe kind.\n",
    "IDENTITY.md": b"I am Molty.\r\nWith Windows line ends.\r\n",
    "MEMORY.md": b"# Mine\n\n## Identity\n- Name: Alex\n",
    "memory/2026-01-01.md": b"an old note without any shape",
    "memory/meta/decay-scores.json": b'{"version": 1, "entries": {}, "mine": 7}',
    "memory/vault/caf\xc3\xa9.md".encode(
        "latin-1"
    ).decode(): b"# Caf\xc3\xa9\n\nKey.\n",
    "notes.txt": b"not a memory",
}


def init(root: Path) -> Memory:
    return Memory.init(root, clock=lambda: NOON, environ={}, human=agrees)


@pytest.mark.parametrize("path", FILES)
def test_a_new_workspace_has_every_file_of_the_design(home: Home, path: str) -> None:
    assert (home.root / path).is_file()


@pytest.mark.parametrize("path", FOLDERS)
def test_a_new_workspace_has_every_folder_of_the_design(home: Home, path: str) -> None:
    assert (home.root / path).is_dir()


def test_the_configuration_it_begins_with_is_the_default_spelled_out(
    home: Home,
) -> None:
    text = home.text("reverie.toml")

    assert parse_config(text, "reverie.toml", {}) == home.memory.config
    assert "shard_limit = 1000" in text


def test_a_new_workspace_has_nothing_to_complain_about(home: Home) -> None:
    assert home.memory.check() == []
    assert home.memory.warnings == ()
    assert home.disagreements() == []


def test_the_first_commit_is_by_the_system_and_names_every_file(home: Home) -> None:
    (first,) = home.memory.history()

    assert (str(first.actor), first.approval) == ("system:init", "auto")
    assert {line.path for line in first.lines} == set(FILES) - {"memory/meta/audit.log"}
    assert home.log()[0] == (
        "2026-02-02T12:00Z | CREATE | reverie.toml | system:init | auto | new workspace"
    )


def test_an_agents_folder_is_adopted_without_changing_a_byte(tmp_path: Path) -> None:
    for path, data in AGENT.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    with init(tmp_path) as memory:
        first = memory.history()[-1]
        summaries = {line.path: line.summary for line in first.lines}

    after = {path: (tmp_path / path).read_bytes() for path in AGENT}
    scores = "memory/meta/decay-scores.json"
    assert json.loads(after[scores])["mine"] == 7
    assert after | {scores: AGENT[scores]} == AGENT
    assert str(first.actor) == "system:init"
    assert summaries["SOUL.md"] == "adopted as it was"
    assert summaries["memory/graph/relations.md"] == "new workspace"
    assert "notes.txt" not in summaries
    assert git(tmp_path, "show", "HEAD:IDENTITY.md").encode() == AGENT["IDENTITY.md"]


def test_what_an_adopted_agent_knew_can_be_shown(tmp_path: Path) -> None:
    for path, data in AGENT.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    with init(tmp_path) as memory:
        assert memory.show("core:identity/name").text == "Name: Alex"
        assert memory.show("vault:café").text == "Key."


def test_adopting_raises_no_alert_about_critical_files(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("# Soul\n")

    with init(tmp_path) as memory:
        assert memory.alerts() == []


def test_adopting_very_many_files_tells_of_them_by_folder(tmp_path: Path) -> None:
    vault = tmp_path / "memory/vault"
    vault.mkdir(parents=True)
    for number in range(1_001):
        (vault / f"note-{number}.md").write_text(f"# Note {number}\n\nText.\n")

    made = Home(tmp_path)
    made.clock.forward(days=3)
    made.memory.remember("Later.", Episodic())
    told = {line.path: line.summary for line in made.memory.history()[-1].lines}

    assert told["memory/vault/*"] == "1001 files"
    assert made.memory.show("vault:note-7").created == NOON
    assert made.unlike_head() == []
    made.memory.close()


def test_beginning_twice_does_nothing(home: Home) -> None:
    home.furnish()
    home.memory.tidy()
    before, head = home.tracked(), home.head

    init(home.root).close()

    assert home.tracked() == before
    assert home.head == head


def test_beginning_again_puts_a_missing_file_back(home: Home) -> None:
    (home.root / "memory/meta/evolution.md").unlink()

    with init(home.root) as memory:
        told = [(str(e.actor), e.lines[0].action) for e in memory.history()[:2]]

    assert told == [("system:init", "CREATE"), ("manual", "DELETE")]
    assert home.text("memory/meta/evolution.md").startswith("# Philosophical Evolution")
    assert home.disagreements() == []


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("I am a file")

    with pytest.raises(RefusedError, match="is not a folder") as caught:
        init(tmp_path / "agent")

    assert caught.value.advice
    assert (tmp_path / "agent").read_text() == "I am a file"


def test_a_folder_that_is_no_workspace_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is not a Reverie workspace") as caught:
        Memory(tmp_path, clock=lambda: NOON, environ={})

    assert "reverie init" in caught.value.advice
    assert list(tmp_path.iterdir()) == []


def test_inside_a_users_repository_git_sees_no_trace_of_ours(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    root = tmp_path / "agent"

    with init(root) as memory:
        memory.remember("Chose the hybrid approach.", Episodic())
    listed = git(tmp_path, "status", "--porcelain", "-uall")

    assert not (root / ".git").exists()
    assert "?? agent/MEMORY.md" in listed
    assert ".audit" not in listed
    assert ".reverie" not in listed


def test_a_workspace_that_is_itself_a_repository_keeps_its_own_git(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    head = (tmp_path / ".git/HEAD").read_bytes()

    with init(tmp_path) as memory:
        memory.remember("Chose the hybrid approach.", Episodic())

    assert (tmp_path / ".git/HEAD").read_bytes() == head
    assert "trunk" in git(tmp_path, "status")
    assert ".audit" not in git(tmp_path, "status", "--porcelain", "-uall")


def test_plain_git_works_in_the_folder_and_has_nothing_to_say(tmp_path: Path) -> None:
    with init(tmp_path) as memory:
        for number in range(3):
            memory.remember(f"Event {number}.", Episodic())
        memory.undo()

    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "diff") == ""
    assert "[APPEND] memory/episodes/2026-02-02.md — Event 1." in git(tmp_path, "log")
    assert "Event 1." in git(tmp_path, "blame", "memory/episodes/2026-02-02.md")
    done = subprocess.run(
        ["git", "fsck", "--strict", "--full"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=GIT_ENVIRONMENT,
        check=True,
    )
    assert "error" not in done.stderr + done.stdout
    assert "missing" not in done.stderr + done.stdout


def test_no_one_else_may_look_into_history_or_index(home: Home) -> None:
    modes = [(home.root / name).stat().st_mode & 0o077 for name in FOLDERS[-2:]]

    assert modes == [0, 0]
