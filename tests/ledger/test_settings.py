"""`.audit/config`: what steers the ledger is taken out, what is a person's stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home

from reverie.ledger.git_folder import (
    check_settings,
    create_repository,
    keep_ours,
    read_settings,
)
from reverie.ledger.repository import Repository
from reverie.model.items import Severity
from reverie.workspace.state_files import SteeredLedgerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    assert check_settings(git_dir) == []
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
            found = list(read_settings(after))
            assert all(each.ours or each.harmless for each in found), after
            assert [each.key for each in found if not each.ours] == [
                *("user.name", "user.email", "remote.backup.url"),
                *("remote.backup.fetch", "branch.main.remote"),
            ]
            assert keep_ours(git_dir) == ()
            assert not Repository(git_dir).git.is_bare
    record_property("attempts: settings that steer git", 3 * len(STEERING))


def test_what_is_a_persons_own_stays_and_is_listed(git_dir: Path) -> None:
    with (git_dir / "config").open("a") as file:
        file.write(PERSONAL)
    written = (git_dir / "config").read_text()

    assert keep_ours(git_dir) == ()
    assert (git_dir / "config").read_text() == written
    found = check_settings(git_dir)
    assert [each.what for each in found][:2] == ["has user.name", "has user.email"]
    assert {each.severity for each in found} == {Severity.NOTE}


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


@pytest.mark.parametrize(
    "name",
    [
        *("commondir", "gitdir", "info/grafts", "shallow", "config.worktree"),
        *("objects/info/alternates", "objects/info/http-alternates"),
    ],
)
def test_a_file_that_leads_git_elsewhere_refuses(git_dir: Path, name: str) -> None:
    (git_dir / name).parent.mkdir(parents=True, exist_ok=True)
    (git_dir / name).write_text("/srv\n")

    with pytest.raises(SteeredLedgerError, match=name.rpartition("/")[2]) as caught:
        Repository(git_dir)
    assert "move it away" in caught.value.hint


def test_a_workspace_tells_what_was_taken_out(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with (home.root / ".audit/config").open("a") as file:
        file.write("[include]\n\tpath = /tmp/planted\n" + PERSONAL)

    memory = home.reopen()

    (warning,) = memory.warnings
    assert warning.startswith(".audit/config:")
    assert "include.path" in warning
    assert "has user.name" in [found.what for found in memory.check()]
    assert home.reopen().warnings == ()
    memory.close()
