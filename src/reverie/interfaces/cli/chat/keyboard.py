"""Where a chat's lines come from: a terminal with a prompt, or a pipe without one.

Another thread may have something to say meanwhile: `Keyboard.interject` shows it above
the prompt, or keeps it until there is one.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROMPT = "> "
GOES_ON = ". "
"""The prompt below a line that ended with a backslash."""

_CLEARED = "\r\x1b[K"


class Keyboard:
    """Who types, line by line.

    Args:
        screen: Whether a person sits at a terminal; else there are no prompts.
    """

    def __init__(self, *, screen: bool) -> None:
        self.screen = screen
        self._prompt = ""
        self._again: list[str] = []
        self._waiting: list[Callable[[], None]] = []
        self._lock = threading.RLock()
        if screen:
            _load_editing()
        elif isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def message(self) -> str | None:
        """What is typed next, lines that end with a backslash as one; None at the end.

        Raises:
            KeyboardInterrupt: Ctrl-C at the prompt.
        """
        lines: list[str] = []
        while True:
            line = self.line(GOES_ON if lines else PROMPT)
            if line is None:
                return "\n".join(lines) if lines else None
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line.removesuffix("\\"))

    def line(self, prompt: str) -> str | None:
        """One line without its end; None where nothing more comes."""
        if self._again:
            return self._again.pop()
        with self._asking(prompt):
            if self.screen:
                with contextlib.suppress(EOFError):
                    return input(prompt)
                click.echo()
                return None
            read = sys.stdin.readline()
        return read.rstrip("\r\n") if read else None

    def type_again(self, line: str) -> None:
        """Take a line for the next one: it was no answer to what was asked."""
        self._again.append(line)

    def interject(self, tell: Callable[[], None], *, later: bool = True) -> None:
        """Say something above the prompt, from another thread.

        Args:
            tell: Says it.
            later: Whether to say it before the next prompt, where there is none now.
        """
        with self._lock:
            if not self._prompt:
                self._waiting += [tell] if later else []
                return
            click.echo(_CLEARED, nl=False)
            tell()
            click.echo(f"{self._prompt}{_typed_so_far()}", nl=False)

    @contextlib.contextmanager
    def _asking(self, prompt: str) -> Iterator[None]:
        with self._lock:
            for tell in self._waiting:
                tell()
            self._waiting.clear()
            self._prompt = prompt if self.screen else ""
        try:
            yield
        finally:
            with self._lock:
                self._prompt = ""


def _load_editing() -> None:
    """Let `input` edit lines and know the last ones; they are kept in no file."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - it does so by being there


def _typed_so_far() -> str:
    editing = sys.modules.get("readline")
    return editing.get_line_buffer() if editing else ""
