"""What the commands of one call share: the workspace, the reader, the clock."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from reverie.errors import NotFoundError, RefusedError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli.page import render_plain
from reverie.model.proposals import SubAgentError
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.authority.authority import Human
    from reverie.interfaces.cli.page import Page
    from reverie.memory import Memory
    from reverie.memory.companions import SubAgent

V = TypeVar("V")
R = TypeVar("R", "Memory", "SubAgent")

GIT_DIR = ".audit"
"""The folder by which a workspace is known."""


class NoWorkspaceError(NotFoundError):
    """No workspace was named, and none is around."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"there is no workspace in {folder} or above it",
            hint="`reverie init` makes this folder one; "
            "-w PATH or REVERIE_WORKSPACE names another.",
        )


class NotConfirmedError(RefusedError):
    """Somebody was asked, and did not say yes."""

    def __init__(self) -> None:
        super().__init__("nothing was changed: it was not confirmed")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Session:
    """One call of the command.

    Attributes:
        workspace: The folder that was named; empty to look for one.
        json: Whether the reader is a program.
        clock: Where the time comes from.
        human: Who answers for a person, instead of one at a terminal.
        named: The sub-agent that was named on the command line.
        whom: The person that was named there, for whom all of it is.
        whose: The person whose chat it is; no command in it is for another one.
        chat: Whether commands are typed into a chat, behind a slash.
        reads_input: Whether standard input is what a command reads its text from.
    """

    workspace: str = ""
    json: bool = False
    named: str = ""
    clock: Callable[[], datetime] = field(default=_now)
    human: Human | None = None
    whom: str = ""
    whose: str = ""
    chat: bool = False
    reads_input: bool = False

    def typed(self, command: str) -> str:
        """A command as it is typed here, for a hint."""
        return f"`/{command}`" if self.chat else f"`reverie {command}`"

    @property
    def for_person(self) -> str:
        """For whom all of it is; empty for everybody.

        What a host has set for a sub-agent, that cannot take back, nor a command
        whose chat it is.
        """
        if self.whose:
            return self.whose
        told = os.environ.get("REVERIE_PERSON", "").strip()
        typed = self.whom.strip()
        return (told or typed) if self.agent else (typed or told)

    @property
    def agent(self) -> str:
        """The sub-agent that types; empty for the main agent and for people.

        A host sets the variable once; what is typed cannot take it back.
        """
        return os.environ.get("REVERIE_AGENT", "").strip() or self.named

    @property
    def interactive(self) -> bool:
        """Whether there is a person at a terminal to ask."""
        return channel.is_there(reads_input=self.reads_input)

    @property
    def channel(self) -> Human | None:
        """How a person is asked; None where there is none, whatever was passed in."""
        return self.human or (channel.agrees if self.interactive else None)

    @property
    def root(self) -> Path:
        """The workspace's folder: the one named, or the nearest one upwards."""
        named = self.workspace or os.environ.get("REVERIE_WORKSPACE", "")
        if named:
            return Path(named)
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / GIT_DIR / "HEAD").is_file():
                return folder
        raise NoWorkspaceError(here)

    @contextmanager
    def open(self) -> Iterator[Memory]:
        """The workspace, open; what was amiss with it is told at the end."""
        from reverie.memory import Memory

        if self.agent:
            raise SubAgentError(self.agent, "do this")
        opened = Memory.open(
            self.root,
            human=self.channel,
            clock=self.clock,
            person=self.for_person,
        )
        with self.using(opened) as memory:
            yield memory

    @contextmanager
    def asking(self) -> Iterator[Memory | SubAgent]:
        """The workspace, open to be asked only."""
        if self.agent:
            with self.proposing() as companion:
                yield companion
            return
        from reverie.memory import Memory

        opened = Memory(self.root, clock=self.clock, person=self.for_person)
        with self.using(opened) as memory:
            yield memory

    @contextmanager
    def proposing(self) -> Iterator[SubAgent]:
        """The workspace, as a sub-agent has it: to be asked, and to propose to."""
        from reverie.memory.companions import SubAgent

        companion = SubAgent(
            self.root, self.agent, clock=self.clock, person=self.for_person
        )
        with self.using(companion) as opened:
            yield opened

    @contextmanager
    def using(self, memory: R) -> Iterator[R]:
        """A workspace until it is done with."""
        try:
            with memory:
                yield memory
        finally:
            for warning in memory.warnings:
                self.warn(warning)

    def answer(self, value: V, page: Callable[[V], Page]) -> None:
        """Print what a verb returned, for whoever reads it."""
        if self.json:
            from reverie.interfaces.cli.jsonify import render_json

            encoding = sys.stdout.encoding or ""
            unicode = encoding.lower().startswith("utf")
            click.echo(render_json(value, ascii_only=not unicode))
        else:
            self.say(page(value))

    @property
    def on_a_screen(self) -> bool:
        """Whether a person is reading what is printed."""
        return sys.stdout.isatty() and not self.json

    def say(self, page: Page, *, aside: bool = False) -> None:
        """Print a page, with colours on a screen.

        Args:
            page: What to print.
            aside: Whether it is no result: then it goes to the error stream.
        """
        if self.on_a_screen and not aside:
            from reverie.interfaces.cli.terminal import print_page

            print_page(page)
        else:
            click.echo(render_plain(page), nl=False, err=aside)

    def warn(self, text: str) -> None:
        """Print a warning on the error stream."""
        if self.json:
            from reverie.interfaces.cli.jsonify import render_json_line

            click.echo(render_json_line({"warning": text}), err=True)
        else:
            click.echo(
                f"{click.style('warning:', fg='yellow')} {printable(text)}", err=True
            )

    def confirm(self, question: str) -> None:
        """Ask for a yes; raises `NotConfirmedError` for anything else."""
        if not channel.confirms(question):
            raise NotConfirmedError

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """A progress bar while a person is watching, nothing otherwise."""
        if sys.stderr.isatty() and not self.json:
            from reverie.interfaces.cli.terminal import progress_bar

            with progress_bar(label) as step:
                yield step
        else:
            yield lambda _done, _all: None

    @contextmanager
    def status(self, words: str) -> Iterator[None]:
        """Say what is going on while a person is watching, nothing otherwise."""
        if sys.stderr.isatty() and not self.json:
            from reverie.interfaces.cli.terminal import status_line

            with status_line(words):
                yield
        else:
            yield

    @contextmanager
    def reading(self, label: str) -> Iterator[Callable[[int, int, int], None]]:
        """The same for reading: bytes done, bytes in all, memories made of them."""
        if sys.stderr.isatty() and not self.json:
            from reverie.interfaces.cli.terminal import reading_bar

            with reading_bar(label) as step:
                yield step
        else:
            yield lambda _done, _all, _memories: None


def session_of(ctx: click.Context | None) -> Session:
    """The session a command belongs to."""
    if ctx is None:
        return Session()
    return ctx.find_root().ensure_object(Session)


def inside(root: Path, text: str) -> str:
    """A path as the workspace knows it, however it was typed.

    A file is looked for from the current folder first, then from the workspace's.
    What is in neither is left as it was typed: history may know it.
    """
    typed = Path(text)
    top = Path(os.path.normpath(root.absolute()))
    for base in (Path.cwd(), top):
        path = Path(os.path.normpath(base / typed))
        known = path.exists() or typed.is_absolute()
        if known and path.is_relative_to(top) and path != top:
            return path.relative_to(top).as_posix()
    return text
