"""What an error tells: what happened, and what to do, in commands and in Python."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import click
import pytest

from reverie import Memory, NotFoundError
from reverie.agents.review import NotYoursError
from reverie.errors import CALLS, in_python
from reverie.interfaces.cli.main import cli
from reverie.memory.memory import SubAgent
from reverie.reflection.reflection import OnlyBaselineError, Reflection


@pytest.mark.parametrize(
    ("advice", "hint"),
    [
        ("`reverie history` shows it.", "`memory.history()` shows it."),
        ("Try `reverie undo a1b2 --yes`.", "Try `memory.undo(change)`."),
        ("`reverie alerts --ack x` does.", "`memory.acknowledge(paths)` does."),
        ("--secrets redact takes it out.", '`secrets="redact"` takes it out.'),
        ("In a terminal: `reverie erase`.", "In a terminal: `reverie erase`."),
        ("`reverie schedule install` does.", "`reverie schedule install` does."),
        ("Nothing to do.", "Nothing to do."),
    ],
)
def test_a_hint_names_calls_where_the_advice_names_commands(
    advice: str, hint: str
) -> None:
    assert in_python(advice) == hint


def test_every_call_that_a_hint_names_is_there() -> None:
    parts = {"memory": Memory, "Memory": Memory, "agent": SubAgent}
    for call in CALLS.values():
        owner, name, *more = re.findall(r"(\w+)(?=[.(]|$)", call.partition("(")[0])
        if (owner, name) == ("memory", "reflection"):
            owner, name = "reflection", more[0]
        assert hasattr({**parts, "reflection": Reflection}[owner], name), call


def test_what_messages_and_pages_tell_to_type_can_be_typed() -> None:
    root = Path(__file__).parents[1]
    pages = [*(root / "src").rglob("*.py"), *(root / "docs").glob("*.md")]
    named = re.compile(r"`reverie ([a-z]+)((?: [a-z]+)?) (--[a-z-]+)")
    wrong = []
    for page in pages:
        for verb, below, option in named.findall(page.read_text(encoding="utf-8")):
            ctx = click.Context(cli)
            found = cli.get_command(ctx, verb)
            inner = found if isinstance(found, click.Group) else None
            more = inner.get_command(ctx, below.strip()) if inner and below else None
            known = {
                opt
                for each in (cli, found, more)
                for param in (each.params if each else ())
                for opt in param.opts
            }
            if option not in {*known, "--help"}:
                wrong.append(f"{page.name}: reverie {verb}{below} {option}")

    assert wrong == []


def test_a_traceback_shows_what_to_do() -> None:
    error = NotFoundError("there is no change zz", hint="See `reverie history`.")

    shown = "".join(traceback.format_exception(error))

    assert shown.endswith("there is no change zz\nSee `memory.history()`.\n")


def test_an_error_that_says_all_of_it_is_given_no_end_by_its_parent() -> None:
    told = (NotYoursError(4, "a human decides"), OnlyBaselineError(9_000, 8_000))

    assert [str(each) for each in told] == [
        "proposal #4 is not for an agent to decide on: a human decides",
        "9,000 tokens are more than the baseline of 8,000",
    ]
