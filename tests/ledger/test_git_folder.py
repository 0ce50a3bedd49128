"""Making a folder a workspace."""

from __future__ import annotations

import stat
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import Clock, Room

from reverie.ledger.git_folder import NotAFolderError, plan_first, prepare
from reverie.workspace.files import Folder
from reverie.workspace.layout import FOLDERS

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_workspace_is_private_and_open_to_plain_git(tmp_path: Path) -> None:
    root = tmp_path / "new/work"

    prepare(root)

    assert (root / ".git").read_text(encoding="utf-8") == "gitdir: .audit\n"
    for private in (".audit", ".reverie"):
        assert stat.S_IMODE((root / private).stat().st_mode) == 0o700
        assert (root / private / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_preparing_twice_is_preparing_once(tmp_path: Path) -> None:
    prepare(tmp_path)
    config = (tmp_path / ".audit/config").read_bytes()

    prepare(tmp_path)

    assert (tmp_path / ".audit/config").read_bytes() == config


def test_preparing_finishes_what_a_kill_left_half_done(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / ".audit/info/attributes").unlink()

    prepare(tmp_path)

    assert (tmp_path / ".audit/info/attributes").exists()


@pytest.mark.parametrize("where", [".", ".."])
def test_a_repository_that_is_there_keeps_its_git(tmp_path: Path, where: str) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / where / ".git").mkdir()

    prepare(root)

    assert (root / where / ".git").is_dir()
    assert not (root / ".git").is_file()


def test_the_users_own_repository_does_not_see_the_ledger(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    room = Room.found(tmp_path, Clock())

    assert room.git("status", "--porcelain").split("\n") == [
        "?? MEMORY.md",
        "?? SOUL.md",
        "?? memory/",
        "",
    ]
    assert room.git("--git-dir=.audit", "log", "--format=%an") == "system:init\n"
    room.folder.close()


def test_a_file_is_not_made_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")

    with pytest.raises(NotAFolderError, match="is not a folder"):
        prepare(tmp_path / "file")


def test_the_first_change_adds_what_is_missing_and_adopts_what_is_there(
    tmp_path: Path,
) -> None:
    (tmp_path / "SOUL.md").write_bytes(b"mine\n")
    folder = Folder(tmp_path)

    first = plan_first(
        folder, {"SOUL.md": "new\n", "MEMORY.md": "new\n"}, file_limit=99
    )

    assert {edit.path: (edit.content, edit.summary) for edit in first.edits} == {
        "MEMORY.md": (b"new\n", "new workspace"),
        "SOUL.md": (b"mine\n", "adopted as it was"),
    }
    assert all((tmp_path / name).is_dir() for name in FOLDERS)
    folder.close()


def test_very_many_files_are_told_by_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    starting = {f"memory/vault/{n}.md": "" for n in range(1000)} | {"MEMORY.md": ""}

    first = plan_first(folder, starting, file_limit=99)

    assert [(line.path, line.summary) for line in first.told] == [
        ("*", "1 files"),
        ("memory/vault/*", "1000 files"),
    ]
    folder.close()
