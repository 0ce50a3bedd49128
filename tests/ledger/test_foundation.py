"""Making a folder a workspace."""

from __future__ import annotations

import stat
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import Clock, Room
from tests.memory.home import Home

from reverie.errors import RefusedError
from reverie.ledger.git_ledger import create_repository, plan_first, prepare
from reverie.ledger.repository import Repository, keep_ours
from reverie.workspace.files import Folder

if TYPE_CHECKING:
    from collections.abc import Callable
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

    with pytest.raises(RefusedError, match="is not a folder"):
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


STEERING = (
    "[include]\n\tpath = /tmp/planted\n",
    "[include] path = /tmp/planted\n",
    "[INCLUDE]\n\tPATH=/tmp/planted\n",
    '[includeIf "gitdir:/"]\n\tpath = x\n',
    '[includeIf "onbranch:main"] path = x\n',
    "[core]\n\tworktree = /tmp\n",
    "[core]\n\tbare = true\n",
    "[core] bare = yes\n",
    "[core]\n\thooksPath = /tmp/hooks\n",
    "[core]\n\tfsmonitor = /tmp/run\n",
    "[core]\n\tattributesFile = /tmp/pipe\n",
    "[core]\n\texcludesFile = /tmp/pipe\n",
    "[core]\n\teditor = \\\n/tmp/run\n",
    "[core]\n\tfsync = none\n",
    "[core]\n\trepositoryformatversion = 1\n",
    "[extensions]\n\tobjectformat = sha256\n",
    "[extensions]\n\tworktreeConfig = true\n",
    '[filter "x"]\n\tclean = /tmp/run\n\tsmudge = /tmp/run\n',
    '[diff "x"]\n\ttextconv = /tmp/run\n',
    "[alias]\n\tstatus = !/tmp/run\n",
    "[gc]\n\tauto = 1\n",
    "[pack]\n\tthreads = 900\n",
    "[credential]\n\thelper = !/tmp/run\n",
    "[uploadpack]\n\tpackObjectsHook = /tmp/run\n",
    "no section = at all\n",
    "[core\n",
    '[core "sub"]\n\tbare = false\n',
)
PERSONAL = (
    '[user]\n\tname = Alex\n\temail = "alex@example.org" # mine\n'
    '[remote "backup"]\n\turl = /mnt/backup\n\tfetch = +refs/heads/*:refs/x/*\n'
    '[branch "main"]\n\tremote = backup\n'
)


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    create_repository(tmp_path / ".audit")
    return tmp_path / ".audit"


def test_what_we_write_is_ours(git_dir: Path) -> None:
    written = (git_dir / "config").read_text()

    assert keep_ours(git_dir) == ()
    assert (git_dir / "config").read_text() == written


def test_what_steers_is_taken_out_and_told(
    git_dir: Path, record_property: Callable[[str, object], None]
) -> None:
    written = (git_dir / "config").read_text()
    for planted in STEERING:
        for text in (written + planted, planted + written, planted):
            (git_dir / "config").write_text(text + PERSONAL)

            taken = keep_ours(git_dir)

            assert taken, planted
            assert all("taken out" in line for line in taken)
            after = (git_dir / "config").read_text()
            assert after == written + PERSONAL, planted
            assert keep_ours(git_dir) == ()
            assert not Repository(git_dir).git.is_bare
    record_property("attempts: settings that steer git", 3 * len(STEERING))


def test_what_is_a_persons_own_stays(git_dir: Path) -> None:
    with (git_dir / "config").open("a") as file:
        file.write(PERSONAL)
    written = (git_dir / "config").read_text()

    assert keep_ours(git_dir) == ()
    assert (git_dir / "config").read_text() == written


def test_nothing_outside_is_read_for_the_ledger(
    git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[core]\n\tfromhome = true\n")
    monkeypatch.setenv("HOME", str(home))

    config = Repository(git_dir).git.config

    assert "core.fromhome" not in config
    assert "core.worktree" in config


def test_a_file_that_leads_git_elsewhere_refuses(git_dir: Path) -> None:
    for name in (
        *("commondir", "gitdir", "info/grafts", "shallow", "config.worktree"),
        *("objects/info/alternates", "objects/info/http-alternates"),
    ):
        (git_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (git_dir / name).write_text("/srv\n")

        with pytest.raises(RefusedError, match=name.rpartition("/")[2]) as caught:
            Repository(git_dir)
        assert "move it away" in caught.value.advice
        (git_dir / name).unlink()


def test_a_workspace_tells_what_was_taken_out(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with (home.root / ".audit/config").open("a") as file:
        file.write("[include]\n\tpath = /tmp/planted\n" + PERSONAL)

    memory = home.reopen()

    (warning,) = memory.warnings
    assert warning.startswith(".audit/config:")
    assert "include.path" in warning
    assert home.reopen().warnings == ()
    memory.close()
