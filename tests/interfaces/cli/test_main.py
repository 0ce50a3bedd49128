"""The `reverie` command itself."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import environment, process

from reverie.interfaces.cli.main import COMMANDS, HOMES, cli

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

HEAVY = ("pygit2", "rich")


def loaded(words: str) -> set[str]:
    """Heavy modules that a command has loaded when it ends."""
    code = (
        "import sys\nfrom reverie.interfaces.cli.main import cli\n"
        f"try: cli.main({words.split()!r}, 'reverie')\nexcept SystemExit: pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
    )
    return set(eval(done.stderr.splitlines()[-1]))  # noqa: S307 - we printed it


def test_help_lists_every_command_but_the_hidden_one(nowhere: Desk) -> None:
    text = nowhere.done("--help").out

    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]

    assert set(HOMES) - set(listed) == {"tidy"}


def test_help_says_of_a_command_what_its_own_help_begins_with() -> None:
    for name, says in (each for names in COMMANDS.values() for each in names.items()):
        command = cli.get_command(None, name)  # type: ignore[arg-type]  # not looked at
        assert command is not None
        assert (command.help or "").partition("\n")[0] == says


def test_help_lists_the_exit_codes(nowhere: Desk) -> None:
    assert "\n    3    what was named does not exist\n" in nowhere.done("--help").out


def test_no_command_at_all_shows_the_help(nowhere: Desk) -> None:
    assert nowhere.done().out == nowhere.done("--help").out


def test_short_helps_are_not_cut(nowhere: Desk) -> None:
    assert "..." not in nowhere.done("--help").out.partition("Every day:")[2]


def test_a_command_misspelled_is_guessed(nowhere: Desk) -> None:
    typed = nowhere.type("rember", "x")

    assert typed.code == 2
    assert "there is no command 'rember'. Did you mean 'remember'?" in typed.err


def test_the_version_is_printed() -> None:
    assert process("--version").stdout.startswith("reverie")


def test_every_command_is_named_after_its_function() -> None:
    for name in HOMES:
        command = cli.get_command(None, name)  # type: ignore[arg-type]  # not looked at
        assert command is not None
        assert command.name == name


def test_help_loads_neither_git_nor_tables() -> None:
    assert loaded("--help") == set()
    assert loaded("remember --help") == set()


def test_a_pipe_gets_no_tables(desk: Desk) -> None:
    assert "rich" not in loaded(f"-w {desk.root} show")


def test_the_module_is_the_command(desk: Desk) -> None:
    done = process("-w", str(desk.root), "check")

    assert (done.returncode, done.stdout) == (0, "Nothing is wrong.\n")


@pytest.mark.parametrize("before", [True, False])
def test_json_may_stand_before_or_after_the_verb(desk: Desk, *, before: bool) -> None:
    words = ("--json", "check") if before else ("check", "--json")

    assert desk.done(*words).json == []


@pytest.mark.parametrize("before", [True, False])
def test_the_workspace_may_be_named_before_or_after_the_verb(
    desk: Desk, *, before: bool
) -> None:
    named = ("-w", str(desk.root))
    desk.root = desk.root.parent / "elsewhere"

    typed = desk.done(*named, "check") if before else desk.done("check", *named)

    assert typed.out == "Nothing is wrong.\n"
