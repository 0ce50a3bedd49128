"""Lines at a prompt, and what another thread says meanwhile."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.chat import Keyboard

if TYPE_CHECKING:
    import pytest


def test_what_is_said_meanwhile_stands_above_the_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keyboard = Keyboard(screen=True)

    def type_slowly(_prompt: str) -> str:
        keyboard.interject(lambda: click.echo("A summary."))
        return "typed"

    monkeypatch.setattr("builtins.input", type_slowly)

    assert keyboard.message() == "typed"
    said = capsys.readouterr().out
    assert "A summary.\n" in said
    assert said.endswith("> ")


def test_without_a_prompt_it_waits_for_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\r\ntwo"))
    keyboard = Keyboard(screen=False)

    keyboard.interject(lambda: click.echo("A summary."))
    keyboard.interject(lambda: click.echo("AI is reflecting…"), later=False)
    before = capsys.readouterr().out

    assert [keyboard.message(), keyboard.message(), keyboard.message()] == [
        *("one", "two", None)
    ]
    assert (before, capsys.readouterr().out) == ("", "A summary.\n")


def test_at_a_terminal_the_end_of_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)

    assert Keyboard(screen=True).message() is None


def test_what_was_no_answer_is_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("two\n"))
    keyboard = Keyboard(screen=False)

    keyboard.type_again("one")

    assert [keyboard.message(), keyboard.message()] == ["one", "two"]


def test_bytes_that_are_no_text_end_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"caf\xe9\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", typed)

    assert Keyboard(screen=False).message() == "caf\ufffd"
