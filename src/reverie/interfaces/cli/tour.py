"""`tour`: every capability once, on a real workspace that is thrown away."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.page import BLANK, Span, Style, row
from reverie.interfaces.cli.session import Session, session_of
from reverie.interfaces.cli.tour_steps import LOOKUPS, STEPS, Kill, Shell, Type
from reverie.isolation import isolated_python

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.tour_steps import Command, Step

WIDTH = 78

WRITER = """\
import sys
from reverie import Episodic, Memory
with Memory(sys.argv[1]) as memory:
    for number in range(1000):
        receipt = memory.remember(f"Note {number}.", Episodic())
        print(receipt.ids[0], flush=True)
"""
"""The program that is killed."""

NEXT = """\
  reverie init ~/agents/alex      make a workspace of your own, or adopt one
  reverie COMMAND --help          every command, with examples
  docs/cli.md                     the same, to read
"""


class UnexpectedEndError(RuntimeError):
    """A command of the tour did not end as it should."""

    def __init__(self, typed: str, code: int) -> None:
        super().__init__(f"`{typed}` ended with {code}")


@dataclass(frozen=True, slots=True)
class Told:
    """What was typed and what it printed; the latter only for --json."""

    typed: str
    code: int
    output: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour, as it went."""

    title: str
    says: str
    commands: tuple[Told, ...]


@click.command(cls=Verb)
@click.option("--keep", is_flag=True, help="Leave the folder for you to look at.")
@click.option("--pause", is_flag=True, help="Wait for a key after every step.")
@click.pass_context
def tour(ctx: click.Context, *, keep: bool, pause: bool) -> None:
    """See what Reverie can do, on a throw-away workspace.

    Real commands with their real output. The tour pretends that a few days pass.

        reverie tour
        reverie tour --pause
        reverie tour --keep
    """
    session = session_of(ctx)
    steps = [step for step in STEPS if not step.needs or shutil.which(step.needs)]
    with contextlib.ExitStack() as stack:
        folder = tempfile.mkdtemp(prefix="reverie-tour-") if keep else ""
        if not folder:
            made = tempfile.TemporaryDirectory(prefix="reverie-tour-")
            folder = stack.enter_context(made)
        guide = Guide(Path(folder), session, steps)
        stack.enter_context(contextlib.chdir(folder))
        stops = [guide.show(number, pause=pause) for number in range(len(steps))]
    if session.json:
        session.answer(stops, lambda _: [])
    else:
        session.say(_farewell(folder, keep=keep))


def _farewell(folder: str, *, keep: bool) -> Page:
    where = "is yours to look at" if keep else "has been removed"
    lines = [row(line) for line in NEXT.splitlines()]
    return [
        row(Span(f"The workspace {folder} {where}.", Style.TITLE)),
        BLANK,
        row("What to do next:"),
        *lines,
    ]


class Guide:
    """Walks through the steps in a folder, with a clock that runs ahead."""

    def __init__(self, root: Path, session: Session, steps: Sequence[Step]) -> None:
        self._root = root
        self._session = session
        self._steps = steps
        # History begins in the past, so that the last step is now.
        self._behind = sum((step.passes for step in steps), timedelta())

    def _clock(self) -> datetime:
        return datetime.now(UTC) - self._behind

    def show(self, number: int, *, pause: bool) -> Stop:
        """Take one step."""
        step = self._steps[number]
        self._behind -= step.passes
        self._say(_heading(step, number + 1, len(self._steps)))
        told = tuple(self._run(command) for command in step.commands)
        self._say([BLANK])
        if pause and not self._session.json:
            click.pause(err=True)
        return Stop(step.title, step.says, told)

    def _run(self, command: Command) -> Told:
        match command:
            case Type(line, code, says):
                with _typing(says):
                    self._say([row(f"> {each}", indent=2) for each in says])
                    return self._type(self._filled(line), code)
            case Shell(line):
                return self._shell(self._filled(line))
            case Kill(after):
                return self._kill(after)

    def _filled(self, line: str) -> str:
        for name, look_up in LOOKUPS.items():
            if name in line:
                with self._own_session().open() as memory:
                    line = line.replace(name, look_up(memory))
        return line

    def _own_session(self) -> Session:
        # Who takes the tour is a person, although nobody types.
        return Session(str(self._root), clock=self._clock, human=lambda _: True)

    def _type(self, line: str, expected: int) -> Told:
        from reverie.interfaces.cli.main import cli

        self._say(_prompt(line))
        words = shlex.split(line.replace("\\\n", ""))
        at = words.index("reverie")
        variables = dict(word.split("=", 1) for word in words[:at])
        with self._listening() as heard, _environment(variables):
            try:
                cli.main(words[at + 1 :], "reverie", obj=self._own_session())
            except SystemExit as ended:
                code = int(ended.code or 0)
        if code != expected:
            raise UnexpectedEndError(line, code)
        return Told(line, code, heard.getvalue())

    @contextlib.contextmanager
    def _listening(self) -> Iterator[io.StringIO]:
        """What is printed: kept for a program, passed through to a person."""
        heard = io.StringIO()
        sys.stdout.flush()
        if self._session.json:
            with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
                yield heard
        else:
            yield heard

    def _shell(self, line: str) -> Told:
        self._say(_prompt(line))
        done = subprocess.run(
            ["sh", "-c", line],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            raise UnexpectedEndError(line, done.returncode)
        self._say([row(text) for text in done.stdout.splitlines()])
        return Told(line, done.returncode, done.stdout)

    def _kill(self, after: int) -> Told:
        line = "python remember_a_thousand_notes.py   # and kill -9 from elsewhere"
        self._say(_prompt(line))
        with subprocess.Popen(
            isolated_python(WRITER, str(self._root), away_from=self._root),
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ) as writer:
            if writer.stdout is None:  # it was asked for
                raise UnexpectedEndError(line, after)
            acknowledged = [writer.stdout.readline().strip() for _ in range(after)]
            writer.send_signal(signal.SIGKILL)
            acknowledged += writer.stdout.read().split()
        with self._own_session().open() as memory:
            known = {each.id for each in memory.items()}
        found = sum(each in known for each in acknowledged)
        output = f"{len(acknowledged)} acknowledged, {found} found after the kill"
        self._say([row(output)])
        if found < len(acknowledged):
            raise UnexpectedEndError(line, writer.returncode)
        return Told(line, writer.returncode, output)

    def _say(self, page: Page) -> None:
        if not self._session.json:
            self._session.say(page)


def _heading(step: Step, number: int, count: int) -> Page:
    title = f"{number} of {count} · {step.title} "
    rule = "─" * max(0, WIDTH - len(title))
    lines = textwrap.wrap(step.says, WIDTH)
    return [
        row(Span(title, Style.TITLE), Span(rule, Style.FAINT)),
        *(row(Span(line)) for line in lines),
        BLANK,
    ]


def _prompt(line: str) -> Page:
    first, *more = line.split("\n")
    return [
        row(Span("$ ", Style.FAINT), Span(first, Style.TITLE)),
        *(row(Span(each, Style.TITLE)) for each in more),
    ]


@contextlib.contextmanager
def _typing(lines: Sequence[str]) -> Iterator[None]:
    """Let commands read what a person would type."""
    before = sys.stdin
    if lines:
        sys.stdin = io.StringIO("".join(f"{line}\n" for line in lines))
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
