"""`reverie connect` says what it does, and how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, in which no host is set up."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_it_tells_what_was_written_and_how_to_undo_it(desk: Desk, home: Path) -> None:
    (home / ".claude.json").write_text("{}")

    said = desk.done("connect", "claude-code").out

    assert f"{home}/.claude.json changed" in said
    assert "as it was before: " in said
    assert "`reverie connect claude-code --remove` undoes it." in said
    assert "`reverie owner set`" in said
    assert desk.done("connect", "claude-code", "--remove").out.endswith("onnected.\n")
    assert (home / ".claude.json").read_text() == "{}"


def test_a_dry_run_shows_the_lines_and_changes_nothing(desk: Desk, home: Path) -> None:
    said = desk.done("connect", "codex", "--dry-run").out

    assert "would be created" in said
    assert "+[mcp_servers.reverie]" in said
    assert not (home / ".codex").exists()


def test_status_tells_what_is_connected(desk: Desk, home: Path) -> None:
    desk.done("connect", "gemini")

    told = desk.json("connect", "--status")

    assert told["gemini"]["state"] == "connected"
    assert told["codex"]["state"] == "not connected"
    assert str(home / ".gemini/settings.json") in desk.done("connect", "--status").out


@pytest.mark.usefixtures("home")
def test_the_files_are_told_to_a_program(desk: Desk) -> None:
    told = desk.json("connect", "opencode")

    assert {each["does"] for each in told["files"]} == {"create"}
    assert told["owned"] is False
    assert desk.json("connect", "opencode")["files"] == []


def test_a_project_is_the_folder_one_is_in(desk: Desk, tmp_path: Path) -> None:
    desk.done("connect", "cursor", "--project")

    assert (tmp_path / ".cursor/mcp.json").is_file()


@pytest.mark.usefixtures("home")
def test_what_is_broken_is_told_with_its_line(desk: Desk, home: Path) -> None:
    (home / ".claude.json").write_text('{\n"a" 1}')

    typed = desk.type("connect", "claude-code")

    assert typed.code == 7
    assert ".claude.json:2: a colon was expected" in typed.err
    assert "Nothing was changed" in typed.err


def test_what_was_connected_goes_without_its_workspace(desk: Desk, home: Path) -> None:
    desk.done("connect", "gemini")
    desk.root = home / "gone"

    assert (
        "would be removed"
        in desk.done("connect", "gemini", "--remove", "--dry-run").out
    )
    desk.done("connect", "gemini", "--remove")

    assert not (home / ".gemini").exists()


def test_a_host_has_to_be_named(desk: Desk) -> None:
    assert desk.type("connect").code == 2
    assert desk.type("connect", "codex", "--remove", "--status").code == 2
    assert desk.type("connect", "emacs").code == 3


def test_a_sub_agent_connects_nothing(desk: Desk) -> None:
    assert desk.type("connect", "codex", "--agent", "researcher").code == 5


def test_a_plugin_is_written_into_a_folder(desk: Desk, tmp_path: Path) -> None:
    desk.done("connect", "claude-code", "--plugin", str(tmp_path / "plugin"))

    assert (tmp_path / "plugin/.claude-plugin/plugin.json").is_file()
