"""`tour`: what Reverie can do, on a real workspace that is thrown away.

The stops stand in `tour.md`: a title with the hours since the one before, what it is
about, and what is typed. A command that ends with another exit code than 0 stands
behind it, and `>` goes on with the line above.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.memory import Memory

WIDTH = 78

NEXT = """
What to do next:
  reverie init ~/agents/alex      make a workspace of your own, or adopt one
  reverie COMMAND --help          every command, with examples
  docs/cli.md                     the same, to read"""

KEYS = "Any key goes on, q ends the tour. "

LOOKUPS: Mapping[str, Callable[[Memory], str]] = {
    "{day-log}": lambda memory: memory.items(Store.EPISODIC)[0].path,
    "{newest}": lambda memory: memory.history(actor="manual", limit=1)[0].commit[:10],
    "{key}": lambda memory: memory.find_to_forget("lunch with Sam").matches[0].key,
    "{job}": lambda memory: [
        each.id
        for each in memory.correct("entity:person--alex", "-").choices
        if each.text.startswith("Works at")
    ][-1],
    "{question}": lambda memory: memory.questions()[0].id,
    "{shown}": lambda memory: memory.reflection.status().shown,
    # Made of parts, so that nobody who scans these files takes it for a real one.
    "{secret}": lambda _: "sk-" + "proj-" + "7Qm2Xv9LtR4wZk8B" * 2,
}
"""What is only known once the tour is under way."""

_STOP = re.compile(r"# (.+?)(?: \(\+(\d+) h\))?\n\n(.+?)\n\n(.+)", re.DOTALL)
_COMMAND = re.compile(r"    (?:(\d+) )?\$ (.*(?:\n    > .*)*)")


class Step(Struct, frozen=True):
    """One stop: what it is about, the hours since the one before, what is typed."""

    name: str
    says: str
    hours: int
    commands: tuple[tuple[str, int], ...]


def _step(part: str) -> Step:
    name, hours, says, typed = _STOP.fullmatch(part.strip()).groups()  # type: ignore[union-attr]
    commands = tuple(
        (line.replace("\n    > ", "\n"), int(code or 0))
        for code, line in _COMMAND.findall(typed)
    )
    return Step(name, " ".join(says.split()), int(hours or 0), commands)


_TEXT = (files("reverie.interfaces.cli") / "tour.md").read_text(encoding="utf-8")
STEPS = [_step(part) for part in re.split(r"\n(?=# )", _TEXT)]


def goes_on() -> bool:
    """Wait for a key; whether the next step is wanted."""
    click.echo(click.style(KEYS, dim=True), nl=False, err=True)
    try:
        key = click.getchar()
    except (KeyboardInterrupt, EOFError):
        key = "q"
    click.echo(err=True)
    return key.casefold() != "q"


@cli.verb()
@cli.flag("--keep", "Leave the folder for you to look at.")
@cli.flag("--no-pause", "Do not wait for a key after each step.")
def tour(call: cli.Invocation, *, keep: bool, no_pause: bool) -> None:
    """See what Reverie can do, on a throw-away workspace.

    Real commands with their real output. The tour pretends that a few days pass. In a
    terminal it waits for a key after every step; q ends it.

        reverie tour
        reverie tour --no-pause
        reverie tour --keep
    """
    pauses = not no_pause and call.on_a_screen and sys.stdin.isatty()
    shown = []
    with contextlib.ExitStack() as stack:
        name = "reverie-tour-"
        # Somebody may still be tidying up there; a tour does not end in an error.
        made = partial(tempfile.TemporaryDirectory, ignore_cleanup_errors=True)
        folder = (
            tempfile.mkdtemp(prefix=name)
            if keep
            else stack.enter_context(made(prefix=name))
        )
        stack.enter_context(contextlib.chdir(folder))
        # History begins in the past, so that the last step is now.
        behind = timedelta(hours=sum(step.hours for step in STEPS))
        for number, step in enumerate(STEPS, 1):
            behind -= timedelta(hours=step.hours)
            head = f"{number} of {len(STEPS)} · {step.name} "
            guide = Guide(Path(folder), call, behind)
            guide.say([(out.title(head), out.faint("─" * (WIDTH - len(head))))])
            guide.say([*textwrap.wrap(step.says, WIDTH), ""])
            told = [guide.run(*command) for command in step.commands]
            shown.append({"title": step.name, "says": step.says, "commands": told})
            guide.say([""])
            if pauses and number < len(STEPS) and not goes_on():
                break
    where = "is yours to look at" if keep else "has been removed"
    end = out.title(f"The workspace {folder} {where}.")
    call.answer(shown, [end, *NEXT.split("\n")])


class Guide(Struct, frozen=True):
    """Types commands in a folder, with a clock that is some time behind."""

    root: Path
    call: cli.Invocation
    behind: timedelta

    def run(self, line: str, expected: int) -> dict[str, object]:
        """Type a command; what it was and what came of it, for a program.

        Raises:
            RuntimeError: It did not end as it should.
        """
        for name, look_up in LOOKUPS.items():
            if name in line:
                with self._own_call().open() as memory:
                    line = line.replace(name, look_up(memory))
        first, *more = line.split("\n")
        self.say([(out.faint("$ "), out.title(first)), *map(out.title, more)])
        if "reverie " in line and not line.startswith(("mkdir", "rm ")):
            code, output = self._type(line)
        else:
            # What a person does outside Reverie: an editor, a plain git.
            how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(["sh", "-c", line], check=False, text=True, **how)  # type: ignore[call-overload]
            code, output = done.returncode, done.stdout
            self.say(output.splitlines())
        if code == cli.READER_GONE:
            raise BrokenPipeError
        if code != expected:
            message = f"`{line}` ended with {code}"
            raise RuntimeError(message)
        return {"typed": line, "code": code, "output": output}

    def _own_call(self) -> cli.Invocation:
        # Who takes the tour is a person, although nobody types.
        clock = lambda: datetime.now(UTC) - self.behind  # noqa: E731 - its clock
        return cli.Invocation(str(self.root), clock=clock, human=lambda _: True)

    def _type(self, line: str) -> tuple[int, str]:
        """Run one of our own commands, in this process; its output for a program."""
        from reverie.interfaces.cli.main import typed

        piped, _, last = line.rpartition(" | ")
        words = shlex.split((last if piped else line).replace("\\\n", ""))
        at, keyboard = words.index("reverie"), sys.stdin
        sys.stdout.flush()
        with contextlib.ExitStack() as stack:
            for name, _, value in (word.partition("=") for word in words[:at]):
                os.environ[name] = value
                stack.callback(os.environ.pop, name)
            if piped:
                said = subprocess.check_output(["sh", "-c", piped], text=True)
                stack.callback(setattr, sys, "stdin", keyboard)
                sys.stdin = io.StringIO(said)
            streams = contextlib.redirect_stdout, contextlib.redirect_stderr
            heard = streams if self.call.json else ()
            return typed(words[at + 1 :], self._own_call(), *heard)

    def say(self, page: Iterable[out.Line | out.Table]) -> None:
        """Tell a person something; a program gets all of it at the end."""
        if not self.call.json:
            self.call.say(page)
