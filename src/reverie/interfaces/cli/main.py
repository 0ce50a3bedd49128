"""The `reverie` command: its verbs, loaded when named, and every failure told."""

from __future__ import annotations

import gc
import io
import os
import sys
import traceback
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from reverie.errors import (
    ConflictError,
    FormatError,
    NotFoundError,
    RefusedError,
    ReverieError,
    UnavailableError,
)
from reverie.interfaces.cli.command import (
    READER_GONE,
    UNAVAILABLE,
    VerbGroup,
    kept_option,
    unknown,
)
from reverie.isolation import distrust_current_folder
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.interfaces.cli.command import Invocation

COMMANDS = {
    "Every day": {
        "init": "Make the folder PATH a workspace, or adopt what is in it.",
        "remember": "Remember TEXT, or standard input for '-'.",
        "recall": "Find what answers QUESTION, each memory with where it stands.",
        "show": "Show the workspace, a store, a file, a memory or a change.",
        "correct": "Put NEW in the place of what is remembered, in one change.",
        "forget": "Find what is remembered about WHAT, and forget it once you agree.",
        "undo": "Take back one change, the newest unless CHANGE names another.",
        "history": "Tell what changed, newest first: everything, or one file.",
        "pending": "List what waits for a decision, and decide on it.",
        "settle": "Say which of some statements holds that contradict each other.",
        "reflect": "Sleep on what happened, and decide what becomes of it.",
        "chat": "Talk with the configured model, with this memory behind it.",
        "tour": "See what Reverie can do, on a throw-away workspace.",
    },
    "Looking after it": {
        "why": "Tell why the memory ID is there, and why it is as vivid as it is.",
        "pin": "Keep the memory ID from fading, or let it fade again.",
        "reinforce": "Note that memories were of use.",
        "merge": "Put the page of ONE into that of INTO: they are the same.",
        "rename": "Give ENTITY another name, or another type.",
        "expect": "Keep QUESTION answerable: ANSWER has to be found for it.",
        "import": "Bring in what is at PATH: documents, notes, chat exports.",
        "purge": "Take everything of one origin out of memory.",
        "erase": "Remove a memory, a text or a person for good, from history too.",
        "alerts": "List changes that you have not seen yet, and what they changed.",
        "owner": "Have what only you may do ask for a passphrase.",
        "workspace": "Show the identity of the workspace, and confirm its folder.",
        "schedule": "Show whether the machine offers reflections by itself.",
        "health": "Show how the workspace is doing, and what to do about it.",
        "check": "Look for everything that is wrong, and change nothing.",
        "audit": "Count what should not be in the memories at PATH.",
        "rebuild": "Make the index anew from the files and their history.",
    },
    "For agents and their hosts": {
        "connect": "Have HOST use this workspace as its memory.",
        "instruct": "Print what agents are told about their memory.",
        "wake": "Print what an agent should see when it wakes in WINDOW.",
        "attend": "Print what to tell the agent in WINDOW for MESSAGE, or '-'.",
        "hear": "Do what MESSAGE asks of memory, or standard input for '-'.",
        "say": "Record TEXT as said in WINDOW, or standard input for '-'.",
        "observe": "Keep OBSERVATIONS, a JSON list, or standard input for '-'.",
        "window": "List conversations, and which are due for a summary.",
        "propose": "Propose TEXT, or standard input for '-', as a sub-agent.",
        "mind": "Show what thinking has cost, by day and by cause.",
        "mcp": "Serve this workspace to an agent by MCP, as its host starts it.",
        "hook": "Tell memory of a host's EVENT, whose JSON stands on standard input.",
        "up": "Serve this workspace on this machine: a page for you, MCP and hooks for "
        "agents.",
    },
}
"""Commands, in the order of a first acquaintance; each has a module of its name."""

HOMES = {
    name: f"{name}_" if iskeyword(name) else name
    for names in COMMANDS.values()
    for name in names
} | {
    **dict.fromkeys(("say", "wake", "attend"), "window"),
    "reinforce": "pin",
    "tidy": "rebuild",
}
"""Which module holds a command; it is loaded when the command is named."""

FAILING = (
    "`check`, `import`, `erase`, `expect --check`, `instruct --check`, "
    "`audit --fail-on` fail"
)
CODES = (
    (0, "it was done"),
    (1, FAILING),
    (2, "the command was typed wrongly"),
    (3, "what was named does not exist"),
    (4, "somebody else changed it meanwhile; nothing was done"),
    (5, "refused; nothing was done"),
    (6, "the disk, a lock or a tool did not let us"),
    (7, "a file does not read as what it should be"),
    (8, "the host agent has to answer a question first"),
    (70, "a fault in Reverie itself"),
    (130, "interrupted"),
)
"""Exit codes, as help and docs list them."""


FAULT, INTERRUPTED = 70, 130
WHOM = "For whom all of it is; what is for others alone is left out."

_KINDS = (NotFoundError, ConflictError, RefusedError, UnavailableError, FormatError)
"""Kinds of errors, in the order of their exit codes from 3 on."""

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code:<4} {why}" for code, why in CODES)


class ReaderGoneError(Exception):
    """Whoever read our output has enough of it."""


class Verbs(VerbGroup):
    """The commands, each loaded when it is needed, and every failure told."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Names of the commands, in the order of a first acquaintance."""
        return list(HOMES)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands in sections, without loading any of them."""
        for section, names in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(names.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name.startswith("-"):
            return None
        if cmd_name not in HOMES:
            raise unknown(cmd_name, HOMES, ctx)
        module = import_module(f"reverie.interfaces.cli.{HOMES[cmd_name]}")
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(module, name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click itself would take a closed pipe for a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_: Any,
        **extra: Any,
    ) -> NoReturn:
        """Run one command and end with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        sys.exit(guarded(partial(super().main, words, prog_name, **extra), words))


@click.group(
    cls=Verbs,
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@kept_option("whom", "for_whom --person", WHOM, metavar="NAME")
@click.version_option(package_name="reverie", help="Print the version.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A memory that you can read, correct and roll back.

    The memory is a folder of Markdown under git. Commands work on the workspace
    that -w names, else REVERIE_WORKSPACE, else the nearest one upwards.

        reverie init agent
        cd agent
        reverie remember "Chose the hybrid approach."
        reverie recall "what did we choose?"
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def typed(words: Sequence[str], call: Invocation, *heard: Any) -> tuple[int, str]:
    """Type a command in this process.

    Args:
        words: Behind `reverie`.
        call: Whose it is.
        heard: `redirect_stdout` and `redirect_stderr`, for what is not to be printed.

    Returns:
        Its exit code, and what was heard of it.
    """
    printed, code = io.StringIO(), 0
    with ExitStack() as stack:
        for redirect in heard:
            stack.enter_context(redirect(printed))
        try:
            cli.main(words, "reverie", obj=call)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, printed.getvalue()


# --- whatever goes wrong becomes a message and an exit code ------------------------


def guarded(work: Callable[[], object], arguments: Sequence[str]) -> int:
    """Do the work of one command; returns the exit code, having told of failures."""
    try:
        _require_unicode(arguments)
        code = work()
        sys.stdout.flush()
    except click.Abort:
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        # Python would try to flush the rest when it ends, and complain.
        sys.stdout = io.StringIO()
        return READER_GONE
    except Exception as error:
        return tell(error, as_json="--json" in arguments)
    return code if isinstance(code, int) else 0


def _require_unicode(arguments: Sequence[str]) -> None:
    """Refuse arguments that Python could read only as stray bytes."""
    for number, argument in enumerate(arguments, 1):
        if argument.encode("utf-8", "replace").decode() != argument:
            message = f"argument {number} is not valid UTF-8: {argument[:40]}"
            raise click.UsageError(message)


def exit_code(error: ReverieError) -> int:
    """The exit code of a kind of error."""
    found = (3 + n for n, kind in enumerate(_KINDS) if isinstance(error, kind))
    return next(found, FAULT)


def _explained(error: Exception) -> tuple[int, str, str]:
    """The exit code of an error, its message, and what to do about it."""
    match error:
        case click.ClickException():
            ctx = getattr(error, "ctx", None)
            hint = f"`{ctx.command_path} --help` shows how it is used." if ctx else ""
            if isinstance(error, click.NoSuchOption):
                hint += " Put -- before a text that begins with a dash."
            # Choices come one a line, with tabs.
            said = " ".join(error.format_message().split())
            return error.exit_code, said, hint.strip()
        case ReverieError():
            return exit_code(error), str(error), error.advice
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            hint = "Check that the folder exists, is yours to write, and the disk has "
            return UNAVAILABLE, f"{where}{error.strerror or error}", f"{hint}room."
        case _:
            pass
    if os.environ.get("REVERIE_DEBUG"):
        click.echo("".join(traceback.format_exception(error)), err=True)
    message = f"this should not have happened: {type(error).__name__}: {error}"
    hint = "Please report it, with what REVERIE_DEBUG=1 prints before it."
    return FAULT, message, hint


def tell(error: Exception, *, as_json: bool) -> int:
    """Tell of a failure on the error stream; returns its exit code."""
    code, message, hint = _explained(error)
    try:
        sys.stdout.flush()
    except OSError:
        # What cannot be written now cannot be when Python ends, and it would complain.
        sys.stdout = io.StringIO()
    if as_json:
        from reverie.interfaces.cli.output import render_json_line

        usage = isinstance(error, click.ClickException)
        kind = "UsageError" if usage else type(error).__name__
        told = {"type": kind, "message": message, "hint": hint}
        click.echo(render_json_line({"error": told}), err=True)
        return code
    red, cyan = click.style("error:", fg="red", bold=True), click.style("hint:", "cyan")
    click.echo(f"{red} {printable(message, lines=True)}", err=True)
    if hint:
        click.echo(f"{cyan} {hint}", err=True)
    return code


def main() -> NoReturn:
    """What the `reverie` command calls."""
    distrust_current_folder()
    # Threads that wait for work cost more than one question has of it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # One command makes little garbage, and looking for it takes a tenth of its time.
    gc.set_threshold(200_000, 50, 50)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - to the end
            setattr(sys, name, nothing)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli.main(prog_name="reverie")
