"""What the commands of one call share: the workspace, the reader, the clock."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from reverie.errors import NotFoundError, RefusedError
from reverie.interfaces.cli import channel
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from reverie.authority.authority import Human
    from reverie.interfaces.cli.output import Line, Table
    from reverie.memory import Memory, SubAgent
    from reverie.model.views import Shown

R = TypeVar("R", "Memory", "SubAgent")

REFUSED, UNAVAILABLE, MUST_ANSWER, READER_GONE = 5, 6, 8, 141
"""Exit codes that commands end with; `main.CODES` has them all."""

MOST_INPUT = 64 << 20
"""No memory is this long; stop reading before the machine is out of memory."""

GIT_DIR = ".audit"
"""The folder by which a workspace is known."""


class CommandError(RefusedError):
    """A command that cannot be carried out as it was given; nothing was changed."""


class NoWorkspaceError(NotFoundError):
    """No workspace was named, and none is around."""


class NoClearMatchError(NotFoundError):
    """What was named is no id, and no memory or several fit it."""

    def __init__(self, named: str, fitting: Sequence[Shown]) -> None:
        self.fitting = fitting
        several = ", ".join(each.id for each in fitting[:5])
        more = f" and {len(fitting) - 5:,} more" if len(fitting) > 5 else ""
        problem = f"several memories fit {named!r}: {several}{more}"
        hint = "`reverie recall` finds a memory, `reverie show STORE` lists them."
        super().__init__(
            problem if fitting else f"there is no memory {named!r}",
            hint="Name one of them." if fitting else hint,
        )


def refuse(problem: str, hint: str = "") -> NoReturn:
    """Refuse to do what was asked for."""
    raise CommandError(problem, hint=hint)


def misused(problem: str) -> NoReturn:
    """Tell that a command was typed wrongly."""
    raise click.UsageError(problem, click.get_current_context())


@dataclass(slots=True)
class Session:
    """One call of the command.

    Attributes:
        workspace: The folder that was named; empty to look for one.
        json: Whether the reader is a program.
        named: The sub-agent that was named on the command line.
        clock: Where the time comes from.
        human: Who answers for a person, instead of one at a terminal.
        whom: The person that was named there, for whom all of it is.
        whose: The person whose chat it is; no command in it is for another one.
        reads_input: Whether standard input is what a command reads its text from.
    """

    workspace: str = ""
    json: bool = False
    named: str = ""
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    human: Human | None = None
    whom: str = ""
    whose: str = ""
    reads_input: bool = False

    @property
    def for_person(self) -> str:
        """For whom all of it is; empty for everybody.

        What a host has set for a sub-agent, that cannot take back, nor a command
        whose chat it is.
        """
        told, typed = os.environ.get("REVERIE_PERSON", "").strip(), self.whom.strip()
        return self.whose or ((told or typed) if self.agent else (typed or told))

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
    def on_a_screen(self) -> bool:
        """Whether a person is reading what is printed."""
        return sys.stdout.isatty() and not self.json

    @property
    def channel(self) -> Human | None:
        """How a person is asked; None where there is none, whatever was passed in."""
        return self.human or (channel.agrees if self.interactive else None)

    @property
    def root(self) -> Path:
        """The workspace's folder: the one named, or the nearest one upwards."""
        if named := self.workspace or os.environ.get("REVERIE_WORKSPACE", ""):
            return Path(named)
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / GIT_DIR / "HEAD").is_file():
                return folder
        problem = f"there is no workspace in {here} or above it"
        hint = "`reverie init` makes this folder one; "
        hint += "-w PATH or REVERIE_WORKSPACE names another."
        raise NoWorkspaceError(problem, hint=hint)

    def open(self) -> AbstractContextManager[Memory]:
        """The workspace, open; what was amiss with it is told at the end."""
        from reverie.memory import Memory

        if self.agent:
            from reverie.model.proposals import SubAgentError

            raise SubAgentError(self.agent, "do this")
        human, person = self.channel, self.for_person
        opened = Memory.open(self.root, human=human, clock=self.clock, person=person)
        return self.using(opened)

    def asking(self) -> AbstractContextManager[Memory | SubAgent]:
        """The workspace, open to be asked only."""
        if self.agent:
            return self.proposing()
        from reverie.memory import Memory

        return self.using(Memory(self.root, clock=self.clock, person=self.for_person))

    def proposing(self) -> AbstractContextManager[SubAgent]:
        """The workspace, as a sub-agent has it: to be asked, and to propose to."""
        from reverie.memory import SubAgent

        agent, person = self.agent, self.for_person
        return self.using(SubAgent(self.root, agent, clock=self.clock, person=person))

    @contextmanager
    def using(self, memory: R) -> Iterator[R]:
        """A workspace until it is done with."""
        try:
            with memory:
                yield memory
        finally:
            for warning in memory.warnings:
                self.warn(warning)

    def answer(self, value: object, page: Iterable[Line | Table]) -> None:
        """Print what a verb returned: as JSON for a program, else the page."""
        if self.json:
            from reverie.interfaces.cli.output import render_json

            unicode = (sys.stdout.encoding or "").lower().startswith("utf")
            click.echo(render_json(value, ascii_only=not unicode))
        else:
            self.say(page)

    def prompt(self, value: object, text: str) -> None:
        """Print a text for an agent's prompt: as it is, where no person reads it."""
        if self.json or self.on_a_screen:
            self.answer(value, text.removesuffix("\n").split("\n"))
        elif text:
            click.echo(text.removesuffix("\n"))

    def say(self, page: Iterable[Line | Table]) -> None:
        """Print a page; where a program reads the result, on the error stream."""
        from reverie.interfaces.cli.output import print_page, render_plain

        if self.on_a_screen:
            print_page(page)
        else:
            click.echo(render_plain(page), nl=False, err=self.json)

    def warn(self, text: str) -> None:
        """Print a warning on the error stream."""
        from reverie.interfaces.cli.output import render_json_line

        told = f"{click.style('warning:', fg='yellow')} {printable(text)}"
        click.echo(render_json_line({"warning": text}) if self.json else told, err=True)

    def confirm(self, page: Iterable[Line | Table], question: str) -> None:
        """Show a person what would be done, and ask for a yes.

        Raises:
            CommandError: They say anything else.
        """
        self.say(page)
        if not channel.confirms(question):
            unconfirmed()

    def progress(self, label: str) -> AbstractContextManager[Callable[..., None]]:
        """A bar while a person is watching; its steps tell what is done of what."""
        from reverie.interfaces.cli.output import progress_bar

        return progress_bar(label) if self._watched else nullcontext(lambda *_: None)

    def status(self, words: str) -> AbstractContextManager[None]:
        """Say what is going on while a person is watching, nothing otherwise."""
        from reverie.interfaces.cli.output import status_line

        return status_line(words) if self._watched else nullcontext()

    @property
    def _watched(self) -> bool:
        return sys.stderr.isatty() and not self.json


def unconfirmed() -> NoReturn:
    """Do nothing, because a person did not say yes."""
    refuse("nothing was changed: it was not confirmed")


def session_of(ctx: click.Context | None) -> Session:
    """The session a command belongs to."""
    return Session() if ctx is None else ctx.find_root().ensure_object(Session)


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


def named(memory: Memory | SubAgent, text: str) -> str:
    """The id of the one memory that is meant: an id, or a name that fits one alone.

    The id of a fact stands for the page it is on.

    Raises:
        NoClearMatchError: None or several fit; a few of them are listed.
    """
    from reverie.model.ids import Kind

    wanted = " ".join(text.casefold().split())
    if text.partition(":")[0] in set(Kind) or not wanted:
        return text
    if fact := re.fullmatch(r"([\w-]+--[\w-]+)#[0-9a-f]+", text):
        return f"entity:{fact[1]}"
    slug = wanted.replace(" ", "-")
    found = memory.items()
    ways: tuple[Callable[[Shown], bool], ...] = (
        lambda each: slug == re.split(r":|--", each.id, maxsplit=2)[-1].casefold(),
        lambda each: wanted == each.title.casefold() or slug == each.id.casefold(),
        lambda each: slug in each.id.casefold(),
        lambda each: wanted in each.title.casefold(),
    )
    for fits in ways:
        fitting = [each for each in found if fits(each)]
        if len(fitting) == 1:
            return fitting[0].id
        if fitting:
            raise NoClearMatchError(text, fitting)
    raise NoClearMatchError(text, [])


def given_text(text: str) -> str:
    """What was typed; `-` stands for standard input."""
    if text != "-":
        return text
    data = sys.stdin.buffer.read(MOST_INPUT + 1)
    if len(data) > MOST_INPUT:
        refuse(f"standard input is longer than {MOST_INPUT >> 20} MiB", "Split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1:,} is not valid UTF-8"
        hint = "Is it a binary file, or in another encoding? Try `iconv -t UTF-8`."
        refuse(f"standard input cannot be read: {problem}", hint)
