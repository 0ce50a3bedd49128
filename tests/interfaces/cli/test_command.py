"""Commands, and commands with commands of their own."""

from __future__ import annotations

import click
from click.testing import CliRunner

from reverie.interfaces.cli.command import Invocation, group


@group()
def bees(call: Invocation) -> None:
    """Count the bees.

    They are many.

        reverie bees
    """
    _say(call, "counted")


@bees.verb()
def wake(call: Invocation) -> None:
    """Wake the bees.

    reverie bees wake
    """
    _say(call, "awake")


@bees.verb()
def calm(call: Invocation) -> None:
    """Calm the bees."""
    _say(call, "calm")


def _say(call: Invocation, what: str) -> None:
    click.echo(f"{what} {call.workspace} {call.json}")


def typed(*words: str) -> str:
    done = CliRunner().invoke(bees, words, prog_name="bees", obj=Invocation())
    return done.output


def test_a_group_without_a_command_does_its_own_work() -> None:
    assert typed("-w", "hive") == "counted hive False\n"


def test_a_command_of_a_group_does_only_its_own() -> None:
    assert typed("wake", "-w", "hive", "--json") == "awake hive True\n"


def test_the_workspace_and_json_may_be_named_before_the_command_of_a_group() -> None:
    assert typed("-w", "hive", "--json", "wake") == "awake hive True\n"


def test_the_help_of_a_group_lists_its_commands_in_the_order_of_the_source() -> None:
    text = typed("--help")

    assert text.index("wake") < text.index("calm")
    assert "\n      reverie bees\n" in text


def test_a_command_of_a_group_misspelled_is_guessed() -> None:
    assert "there is no command 'wakke'. Did you mean 'wake'?" in typed("wakke")


def test_an_option_that_a_group_does_not_have_is_told() -> None:
    assert "No such option" in typed("--honey")
