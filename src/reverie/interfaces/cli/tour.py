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
import signal
import subprocess
import sys
import tempfile
import textwrap
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.isolation import isolated_python
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.memory import Memory

WIDTH, WRITES = 78, 20

WRITER = """\
import sys
from reverie import Episodic, Memory
with Memory(sys.argv[1]) as memory:
    for number in range(1000):
        receipt = memory.remember(f"Note {number}.", Episodic())
        print(receipt.ids[0], flush=True)
"""
"""The program that is killed."""

NEXT = """
What to do next:
  reverie init ~/agents/alex      make a workspace of your own, or adopt one
  reverie COMMAND --help          every command, with examples
  docs/cli.md                     the same, to read"""

LOOKUPS: Mapping[str, Callable[[Memory], str]] = {
    "{day-log}": lambda memory: memory.items(Store.EPISODIC)[-1].path,
    "{newest}": lambda memory: memory.history(actor="manual", limit=1)[0].commit[:10],
    "{key}": lambda memory: memory.find_to_forget("lunch with Sam").matches[0].key,
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


@cli.verb()
@cli.flag("--keep", "Leave the folder for you to look at.")
@cli.flag("--no-pause", "Do not wait for a key after each step.")
def tour(call: cli.Invocation, *, keep: bool, no_pause: bool) -> None:
    """See what Reverie can do, on a throw-away workspace.

    Real commands with their real output. The tour pretends that a few days pass. In a
    terminal it waits for a key after every step.

        reverie tour
        reverie tour --no-pause
        reverie tour --keep
    """
    pauses = not no_pause and call.on_a_screen and sys.stdin.isatty()
    shown = []
    with contextlib.ExitStack() as stack:
        kept, made = tempfile.mkdtemp, tempfile.TemporaryDirectory
        name = "reverie-tour-"
        folder = kept(None, name) if keep else stack.enter_context(made(None, name))
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
            if pauses:
                click.pause(err=True)
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
        if line.startswith("python "):
            code, output = self._kill()
        elif "reverie " in line and not line.startswith(("mkdir", "rm ")):
            code, output = self._type(line)
        else:
            # What a person does outside Reverie: an editor, a plain git.
            how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(["sh", "-c", line], check=False, text=True, **how)  # type: ignore[call-overload]
            code, output = done.returncode, done.stdout
            self.say(output.splitlines())
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
        from reverie.interfaces.cli.main import cli as reverie

        piped, _, typed = line.rpartition(" | ")
        words = shlex.split((typed if piped else line).replace("\\\n", ""))
        at = words.index("reverie")
        heard, code, keyboard = io.StringIO(), 0, sys.stdin
        sys.stdout.flush()
        with contextlib.ExitStack() as stack:
            for name, _, value in (word.partition("=") for word in words[:at]):
                os.environ[name] = value
                stack.callback(os.environ.pop, name)
            if piped:
                said = subprocess.check_output(["sh", "-c", piped], text=True)
                stack.callback(setattr, sys, "stdin", keyboard)
                sys.stdin = io.StringIO(said)
            if self.call.json:
                stack.enter_context(contextlib.redirect_stdout(heard))
                stack.enter_context(contextlib.redirect_stderr(heard))
            try:
                reverie.main(words[at + 1 :], "reverie", obj=self._own_call())
            except SystemExit as ended:
                code = int(ended.code or 0)
        return code, heard.getvalue()

    def _kill(self) -> tuple[int, str]:
        """Kill a program that writes many memories; every acknowledged one is there."""
        command = isolated_python(WRITER, str(self.root), away_from=self.root)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None  # noqa: S101 - it was asked for
            written = [writer.stdout.readline().strip() for _ in range(WRITES)]
            writer.send_signal(signal.SIGKILL)
            written += writer.stdout.read().split()
        with self._own_call().open() as memory:
            known = {each.id for each in memory.items()}
        found = sum(each in known for each in written)
        output = f"{len(written)} acknowledged, {found} found after the kill"
        self.say([output])
        return int(found < len(written)), output

    def say(self, page: Iterable[out.Line | out.Table]) -> None:
        """Tell a person something; a program gets all of it at the end."""
        if not self.call.json:
            self.call.say(page)
