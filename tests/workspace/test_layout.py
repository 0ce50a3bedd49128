"""What the ledger keeps, and what plain git is told to ignore."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from reverie.workspace.layout import (
    AUDIT_LOG,
    BOOT_FILES,
    CONFIG_FILES,
    conflict_copy,
    exclude_rules,
    passing,
    tracked,
)

if TYPE_CHECKING:
    from pathlib import Path

KEPT = [
    *("MEMORY.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "AGENTS.md"),
    *CONFIG_FILES,
    *BOOT_FILES,
    *("memory/episodes/2026-02-02.md", "memory/graph/index.md", "memory/x"),
    *("memory/graph/entities/person--alex.md", "memory/meta/decay-scores.json"),
    *("memory/meta/audit-archive.md", "memory/a/b/c/d.md", "memory/with space.md"),
    *("memory/日本語.md", "memory/🦊.md", "memory/x#y.md", "memory/4914", "Über.md"),
    *("memory/49131.md", "memory/x~y.md", "memory/swp.md", "memory/tmp/x.md"),
    *("memory/graph/audit.log", "memory/meta/audit.log.md", "memory/!x.md"),
    "memory/my conflicted copy of it/x.md",
    *("conversations/trip.md", "conversations/2026/trip.md", "conversations/x.txt"),
    "conversations/with space.md",
]
LEFT = [
    *("notes.txt", "README", "main.py", "src/x.md", "docs/MEMORY.md", "memory.txt"),
    *("reverie.toml.bak", "x/reverie.toml", "NOTES.MD", "Memory/x.md", "md"),
    *(
        ".env",
        ".hidden.md",
        "memory/.cursorrules",
        "x/.windsurfrules",
        ".audit/HEAD",
        ".reverie/index.db",
        ".reverie/new/1",
    ),
    *("memory/.hidden.md", "memory/.obsidian/workspace.json", "memory/a/.b/c.md"),
    *(
        "memory/x.md~",
        "memory/#x.md#",
        "memory/.x.md.swp",
        "memory/x.swp",
        "MEMORY.md~",
    ),
    *("memory/x.swx", "memory/x.tmp", "memory/x.part", "memory/x.crdownload"),
    *("memory/4913", "4913", "memory/4913/x.md", "memory/d.tmp/y.md", "x.md/y.md"),
    *(AUDIT_LOG, "memory/meta/.audit.log.123", "#MEMORY.md#"),
    *("memory/x.sync-conflict-20260202-1-A.md", "MEMORY.sync-conflict-1.md"),
    *("memory/x (conflicted copy 2026-02-02).md", "SOUL (conflicted copy).md"),
    *("my conflicted copy/x.md", "x.sync-conflict-1/y.md"),
    *("conversations/.hidden.md", "conversations/x.md~", "conversations/4913/x.md"),
    *("conversations/x.sync-conflict-20260202-1-A.md", "Conversations/x.md"),
    *("conversation/x.md", "x/conversations/y.md"),
]
UNSAFE = ["memory/a:b.md", "memory/nul.md", "memory/../x.md", "memory/git~1/x", "/x.md"]


def git(root: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=stdin.encode(),
        capture_output=True,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.decode()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git/info/exclude").write_text(exclude_rules(), encoding="utf-8")
    return tmp_path


def test_a_file_of_the_memory_is_kept() -> None:
    for path in KEPT:
        assert tracked(path)


def test_anything_else_is_left_alone() -> None:
    for path in (*LEFT, *UNSAFE):
        assert not tracked(path)


def test_git_ignores_exactly_what_the_ledger_leaves_out(repository: Path) -> None:
    asked = "".join(f"{path}\0" for path in [*KEPT, *LEFT])

    said = git(repository, "check-ignore", "--no-index", "--stdin", "-z", stdin=asked)

    assert set(said.split("\0")) - {""} == set(LEFT)


def test_git_status_shows_exactly_what_the_ledger_would_keep(repository: Path) -> None:
    clash = {"memory/4913"}
    for path in {*KEPT, *LEFT} - clash:
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text("x\n", encoding="utf-8")

    said = git(repository, "status", "--porcelain", "-z", "--untracked-files=all")

    assert set(said.split("\0")) - {""} == {f"?? {path}" for path in KEPT}


def test_what_editors_leave_lying_around_is_passing() -> None:
    for name in ("x~", "#x#", ".x", "x.swp", "4913", "git~1", ".git"):
        assert passing(name)


def test_an_ordinary_name_is_not_passing() -> None:
    for name in ("x.md", "x.swap", "~x", "#x", "tmp", "4913.md"):
        assert not passing(name)


def test_a_conflict_copy_is_told_by_its_name() -> None:
    assert conflict_copy("x.sync-conflict-20260202-101112-ABC.md")
    assert conflict_copy("x (Alex's conflicted copy 2026-02-02).md")
    assert not conflict_copy("conflict.md")
