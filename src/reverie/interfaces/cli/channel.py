"""The terminal of a person: where they are asked, whatever feeds standard input.

A program that runs the command can pass flags, set variables and write to its standard
input. What decides is therefore read from the terminal device itself.
"""

from __future__ import annotations

import os
import sys
import termios
from io import FileIO
from typing import TYPE_CHECKING

import click

from reverie.printable import printable

if TYPE_CHECKING:
    from reverie.authority.authority import Request

TTY = "/dev/tty"


def is_there(*, reads_input: bool = False) -> bool:
    """Whether a person sits at a terminal.

    Args:
        reads_input: Whether standard input is what the command reads its text from,
            and need not be their keyboard.
    """
    shown = sys.stderr is not None and sys.stderr.isatty()
    typed = reads_input or (sys.stdin is not None and sys.stdin.isatty())
    if not (shown and typed):
        return False
    try:
        with _device():
            return True
    except OSError:
        return False


def ask(question: str, default: str = "") -> str:
    """One line from the terminal.

    Raises:
        click.Abort: It ended instead, or is gone.
    """
    usual = f" [{default}]" if default else ""
    return _asked(f"{question}{usual}: ").strip() or default


def confirms(question: str) -> bool:
    """Whether the person says yes."""
    return _asked(f"{question} [y/N]: ").strip().lower() in {"y", "yes"}


def passphrase(prompt: str) -> str:
    """What is typed without being shown."""
    return _asked(prompt, echo=False)


def agrees(request: Request) -> bool | str:
    """Answer for the person at the terminal, whose command it is.

    They typed it there, and a verb that has something to show has asked them; the
    passphrase they are asked for each time.
    """
    if not request.passphrase:
        return True
    return passphrase(f"{printable(request.what)}\nOwner passphrase: ")


def _device() -> FileIO:
    return FileIO(os.open(TTY, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC), "r+")


def _asked(prompt: str, *, echo: bool = True) -> str:
    try:
        with _device() as device:
            before = termios.tcgetattr(device)
            silent = [*before]
            silent[3] &= ~termios.ECHO
            if not echo:
                termios.tcsetattr(device, termios.TCSADRAIN, silent)
            try:
                device.write(printable(prompt, lines=True).encode("utf-8", "replace"))
                # Typed byte by byte: what comes after is for whoever reads next.
                typed = device.readline()
            finally:
                if not echo:
                    termios.tcsetattr(device, termios.TCSADRAIN, before)
                    device.write(b"\n")
    except OSError as error:
        raise click.Abort from error
    if not typed:
        raise click.Abort
    return typed.decode("utf-8", "replace").rstrip("\r\n")
