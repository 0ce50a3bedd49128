"""The docs say what the program does."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from tests.memory.home import agrees

from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.main import CODES, HOMES, cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
GENERATED = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "[[[cog" in path.read_text(encoding="utf-8")
]


def command(name: str) -> click.Command:
    """A command, or one of a group's: `schedule`, `schedule install`."""
    found: click.Command | None = cli
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def names() -> Iterator[str]:
    """Every command, a group's own after the group."""
    for name in HOMES:
        yield name
        found = command(name)
        if isinstance(found, click.Group):
            below = found.list_commands(click.Context(found))
            yield from (f"{name} {each}" for each in below)


NAMES = list(names())


def examples(name: str) -> list[str]:
    """The calls that a command's help shows."""
    lines = (command(name).help or "").splitlines()
    return [line.strip() for line in lines if line.startswith("    reverie ")]


def test_a_command_has_help_that_begins_with_one_sentence() -> None:
    for name in NAMES:
        first, _, rest = (command(name).help or "").partition("\n\n")

        assert first.endswith("."), name
        assert "\n" not in first, name
        assert rest, name


def test_a_command_has_an_example_that_can_be_typed() -> None:
    for name in NAMES:
        assert examples(name), name
        for line in examples(name):
            words = shlex.split(line.partition(" < ")[0])
            called = ["reverie", *name.split()]
            below = isinstance(command(name), click.Group)
            assert words[: len(called)] == called
            if not below:
                command(name).make_context(name, words[len(called) :], obj=Invocation())


def test_every_option_says_what_it_is_for() -> None:
    options = [
        (name, param.name)
        for name in NAMES
        for param in command(name).params
        if isinstance(param, click.Option) and not param.help
    ]

    assert options == []


def test_every_command_has_json_and_is_documented() -> None:
    for name in NAMES:
        opts = {opt for param in command(name).params for opt in param.opts}
        assert "--json" in opts, name
        assert f"\n### {name}\n" in CLI_PAGE or name == "tidy", name


def test_only_real_commands_are_documented() -> None:
    commands = CLI_PAGE.partition("\n## Commands\n")[2]

    assert set(re.findall(r"^### (.+)$", commands, re.MULTILINE)) <= set(NAMES)


def test_the_commands_of_a_group_are_looked_at_too() -> None:
    assert {"schedule", "schedule install", "schedule remove"} <= set(NAMES)


def test_every_exit_code_is_documented() -> None:
    for code, why in CODES:
        assert f"| {code} | {why} |" in CLI_PAGE


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_generated_parts_are_up_to_date(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", str(path)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )

    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nRun `make docs`."


_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_VARYING = re.compile(r"\b[0-9a-f]{10}\b|\d{4}-\d\d-\d\d[ :]\d\d:\d\d|/\S*/agent\b")
"""Names of changes, moments, and where the folder is."""


def test_the_first_session_of_the_readme_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = _CONSOLE.findall(readme)[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVERIE_WORKSPACE", raising=False)

    seen = ""
    for line in re.findall(r"^\$ (.*)$", shown, re.MULTILINE):
        words = shlex.split(line.partition(" && ")[0])[1:]
        done = CliRunner().invoke(cli, words, obj=Invocation(human=agrees))
        seen += f"$ {line}\n{done.stdout}"
        if " && cd " in line:
            monkeypatch.chdir(tmp_path / "agent")

    assert _VARYING.sub("…", seen) == _VARYING.sub("…", shown)
