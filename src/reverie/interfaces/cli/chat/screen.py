"""How a chat speaks: to a person at a terminal, through a pipe, or in JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import click

from reverie.interfaces.cli.chat.keyboard import Keyboard
from reverie.interfaces.cli.edge import guarded
from reverie.interfaces.cli.page import Span, Style, row
from reverie.printable import printable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from reverie.errors import ReverieError
    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session


class Screen:
    """Who is talked with: what they type, and what they are told.

    Args:
        session: Who reads.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.json = session.json
        self.person = sys.stdin.isatty() and session.on_a_screen
        self.keyboard = Keyboard(screen=self.person)

    def say(self, page: Page) -> None:
        """Tell a person something; a program gets it another way."""
        if page and not self.json:
            self._session.say(page)

    def remark(self, words: str) -> None:
        """Tell a person something by the way."""
        self.say([row(Span(words, Style.FAINT))])

    def emit(self, role: str, /, **more: object) -> None:
        """Tell a program something: one object on one line."""
        if self.json:
            from reverie.interfaces.cli.jsonify import render_json_line

            click.echo(render_json_line({"role": role, **more}))

    def pieces(self, text: str) -> None:
        """Print a piece of an answer as it comes, whatever characters it has."""
        if not self.json:
            click.echo(
                printable(text.replace("\r", "").replace("\t", "    "), lines=True),
                nl=False,
            )
            sys.stdout.flush()

    def problem(self, error: ReverieError) -> None:
        """Tell what went wrong, and what to do about it."""
        if self.json:
            kind = type(error).__name__
            self.emit("error", text=str(error), hint=error.hint, type=kind)
            return

        def fail() -> NoReturn:
            raise error

        guarded(fail, ())

    def waiting(self, words: str) -> AbstractContextManager[None]:
        """Say what is going on while a person waits for it."""
        return self._session.status(words)
