"""No code that lies in a workspace or the current folder is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reverie import Memory
from reverie.isolation import (
    RUN_COMMAND,
    absolute_only,
    distrust_current_folder,
    isolated_python,
    trusted,
)
from reverie.workspace.background import start_upkeep
from reverie.workspace.files import Folder

PLANTED = (
    *("reverie.py", "numpy.py", "pygit2.py", "click.py", "rich.py", "msgspec.py"),
    *("sitecustomize.py", "usercustomize.py", "json.py", "subprocess.py"),
    *("sqlite3/__init__.py", "reverie/__init__.py", "reverie/__main__.py"),
)
COMMANDS = (
    ("recall", "tea"),
    ("remember", "Alex drinks tea."),
    ("hear", "Please remember that Alex drinks tea."),
    ("recall", "--context", "tea"),
    ("check",),
    ("health",),
    ("rebuild",),
    ("schedule", "install", "--cron", "--print"),
    ("tidy",),
)


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A workspace full of code that leaves a trace when it is run."""
    root = tmp_path / "agent"
    Memory.init(root).close()
    trace = tmp_path / "was-run"
    for name in PLANTED:
        file = root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(trace)!r}, 'a').write(__file__ + '\\n')\n")
    (root / "evil.pth").write_text(f"import os; open({str(trace)!r}, 'a').write('pth')")
    for name in ("git", "crontab", "sh", "python3"):
        (root / name).write_text(f"#!/bin/sh\necho $0 >> {trace}\n")
        (root / name).chmod(0o755)
    return root


def was_run(root: Path) -> str:
    trace = root.parent / "was-run"
    return trace.read_text() if trace.exists() else ""


def command(*words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("reverie")), *words]


def test_no_command_runs_what_lies_in_the_workspace(planted: Path) -> None:
    path = os.pathsep.join(("", ".", os.environ["PATH"]))
    for words in COMMANDS:
        done = subprocess.run(
            command(*words),
            check=False,
            cwd=planted,
            capture_output=True,
            env={**os.environ, "PATH": path, "HOME": str(planted.parent)},
        )
        assert done.returncode in {0, 1}, (words, done.stderr)
    assert was_run(planted) == ""


def test_a_background_process_loads_our_code_and_none_of_the_workspaces(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(planted))
    monkeypatch.setenv("PYTHONSTARTUP", str(planted / "reverie.py"))
    monkeypatch.setenv("PYTHONUSERBASE", str(planted))
    monkeypatch.chdir(planted)
    monkeypatch.setattr(sys, "path", ["", str(planted), *sys.path])

    words = isolated_python(RUN_COMMAND, "--version", away_from=planted)
    done = subprocess.run(words, check=False, capture_output=True, text=True)

    assert done.stdout.startswith("reverie")
    assert done.stderr == ""
    assert was_run(planted) == ""


def test_the_tidier_is_started_away_from_the_workspace(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def note(words: list[str], **how: object) -> None:
        begun.append(start(words, **how))  # type: ignore[call-overload]

    monkeypatch.setattr("reverie.workspace.background.subprocess.Popen", note)
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    monkeypatch.chdir(planted)

    folder = Folder(planted)
    start_upkeep(folder, ended=False)
    folder.close()

    assert begun[0].wait() == 0
    assert was_run(planted) == ""


def test_a_search_path_keeps_what_is_installed_and_drops_the_folders(
    tmp_path: Path,
) -> None:
    (tmp_path / "lib").mkdir()
    venv = str(Path(sys.prefix) / "lib")
    given = ["", ".", "lib", str(tmp_path), str(tmp_path / "lib"), venv, "/elsewhere"]

    assert trusted(given, (tmp_path,)) == [venv, "/elsewhere"]
    # An installation inside the folder is still an installation.
    assert trusted([venv], (Path(sys.prefix).parent,)) == [venv]


def test_a_link_to_a_workspace_is_no_way_around(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)

    assert trusted([str(tmp_path / "link")], (root,)) == []


def test_the_command_takes_workspaces_off_its_own_search_path(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(planted.parent)
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", ["", str(planted), str(planted / "x"), *before])

    distrust_current_folder()

    assert "" not in sys.path
    assert not [entry for entry in sys.path if entry.startswith(str(planted))]
    assert str(Path(__file__).parents[1] / "src") in sys.path


def test_programs_are_looked_for_in_absolute_folders_only() -> None:
    assert absolute_only(os.pathsep.join(("", ".", "bin", "/usr/bin"))) == "/usr/bin"
