"""A person is asked at their terminal, whatever feeds standard input."""

from __future__ import annotations

import io
import os
import sys
import termios
from typing import TYPE_CHECKING, Any

import click
import pytest
from tests.interfaces.cli.conftest import on_a_screen

from reverie import Act, Request
from reverie.interfaces.cli import channel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal device of the test's own; what it types goes into this end."""
    ours, theirs = os.openpty()
    monkeypatch.setattr(channel, "TTY", os.ttyname(theirs))
    yield ours
    os.close(ours)
    os.close(theirs)


def streams(monkeypatch: pytest.MonkeyPatch, *, stdin: bool, stderr: bool) -> None:
    """Say which streams are terminals."""
    monkeypatch.setattr(sys, "stdin", Screen() if stdin else io.StringIO("y\n"))
    monkeypatch.setattr(sys, "stderr", Screen() if stderr else io.StringIO())


def shown(terminal: int, until: bytes) -> bytes:
    """What is seen at the terminal, up to something."""
    seen = b""
    while until not in seen:
        seen += os.read(terminal, 1000)
    return seen


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("stdin", "stderr", "reads", "there"),
    [
        (True, True, False, True),
        (False, True, False, False),
        (False, True, True, True),
        (True, False, False, False),
        (False, False, True, False),
    ],
)
def test_where_a_person_is(
    monkeypatch: pytest.MonkeyPatch,
    *,
    stdin: bool,
    stderr: bool,
    reads: bool,
    there: bool,
) -> None:
    streams(monkeypatch, stdin=stdin, stderr=stderr)

    assert channel.is_there(reads_input=reads) is there


def test_without_a_terminal_device_nobody_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    streams(monkeypatch, stdin=True, stderr=True)
    monkeypatch.setattr(channel, "TTY", str(tmp_path / "none"))

    assert not channel.is_there()
    with pytest.raises(click.Abort):
        channel.confirms("Go on?")


def test_a_yes_on_standard_input_is_no_yes(
    monkeypatch: pytest.MonkeyPatch, terminal: int
) -> None:
    streams(monkeypatch, stdin=False, stderr=True)
    os.write(terminal, b"no\n")

    assert not channel.confirms("Go on?")
    assert b"Go on? [y/N]: " in shown(terminal, b"[y/N]: ")


def test_answers_come_line_by_line_with_their_default(terminal: int) -> None:
    os.write(terminal, b"\n 8K \nyes\n")

    assert channel.ask("How many?", "5K") == "5K"
    assert channel.ask("How many?", "5K") == "8K"
    assert channel.confirms("So?")


def test_a_terminal_that_ends_is_no_answer(terminal: int) -> None:
    os.write(terminal, b"\x04")

    with pytest.raises(click.Abort):
        channel.ask("Type 'erase' to go on")


def test_a_passphrase_is_not_shown(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(Act.ERASE, "erase \x1b[2Jvault:x", passphrase=True)
    real, typed = termios.tcsetattr, iter([b"three owls on a wire\n"])

    def then_type(device: io.FileIO, when: int, flags: list[Any]) -> None:
        """Type once the echo is off."""
        real(device, when, flags)
        os.write(terminal, next(typed, b""))

    monkeypatch.setattr(termios, "tcsetattr", then_type)

    assert channel.agrees(request) == "three owls on a wire"
    seen = shown(terminal, b"passphrase: ")
    assert b"Owner passphrase: " in seen
    assert b"owls" not in seen
    assert b"\x1b" not in seen
    assert channel.agrees(Request(Act.ERASE, "erase vault:x")) is True


def test_text_that_is_piped_in_leaves_the_person_at_their_terminal(desk: Desk) -> None:
    words = ("-w", str(desk.root), "remember", "-", "--store", "vault")
    code, _ = on_a_screen(words, piped=b"The spare key is under the pot.\n")

    assert code == 0
    (found,) = desk.json("show", "vault")
    assert "spare key" in found["text"]
    assert "manual" in [each["actor"] for each in desk.json("history", "-n", "2")]


@pytest.mark.parametrize(
    "words",
    [
        ("erase", "--text", "kettle", "--yes"),
        ("pin", "--remove", "entity:person--alex"),
        ("remember", "x", "--store", "core", "--actor", "manual"),
        ("remember", "x", "--secrets", "keep", "--actor", "manual"),
        ("alerts", "--ack"),
        ("pin", "entity:person--alex", "--actor", "manual"),
        ("undo", "--actor", "manual"),
        ("undo", "--file", "SOUL.md"),
        ("undo", "--to", "2 days ago", "--yes", "--actor", "manual"),
        ("expect", "--remove", "Who?"),
        ("window", "edit", "talk", "1", "Other."),
        ("forget", "kettle", "--permanently", "--confirm", "x"),
        ("reflect", "self-image", "--reject"),
    ],
)
def test_no_flag_and_no_variable_stands_for_a_person(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    desk.done("remember", "The kettle is blue.", "--about", "Alex", "--type", "person")
    desk.done("pin", "entity:person--alex")
    desk.write("SOUL.md", "# Soul\n")
    desk.done("show")
    before = (desk.root / ".audit/refs/heads/main").read_text("ascii")
    monkeypatch.setenv("REVERIE_ACTOR", "manual")

    typed = desk.left_alone(*words, stdin="yes\nerase\ny\n")

    assert typed.code in {3, 5}, typed
    assert (desk.root / ".audit/refs/heads/main").read_text("ascii") == before
