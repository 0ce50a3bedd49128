"""The `reverie` command: its groups of verbs, and the edge around them."""

from __future__ import annotations

import gc
import io
import os
import sys
from functools import partial
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

import click

from reverie.interfaces.cli.command import (
    UnknownVerbError,
    agent_option,
    json_option,
    keep_examples,
    whom_option,
    workspace_option,
)
from reverie.interfaces.cli.edge import CODES, ReaderGoneError, guarded
from reverie.isolation import distrust_current_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import override
else:
    # Comes with Python 3.12; it only tells the type checker something.
    def override(method):  # noqa: ANN001, ANN201, D103 - stands in for typing's
        return method


HOMES = {
    "init": "check",
    "remember": "remember",
    "hear": "hear",
    "say": "attend",
    "wake": "attend",
    "attend": "attend",
    "window": "window",
    "chat": "chat.chatting",
    "detect": "hear",
    "forget": "forget",
    "questions": "mind",
    "answer": "mind",
    "spend": "spend",
    "reflect": "reflect",
    "expect": "expect",
    "propose": "propose",
    "pending": "pending",
    "accept": "pending",
    "reject": "pending",
    "defer": "pending",
    "resolve": "pending",
    "instruct": "instruct",
    "import": "import_",
    "recall": "recall",
    "why": "why",
    "context": "recall",
    "show": "show",
    "history": "history",
    "diff": "history",
    "blame": "history",
    "undo": "undo",
    "restore": "undo",
    "pin": "remember",
    "unpin": "remember",
    "reinforce": "remember",
    "alerts": "show",
    "owner": "owner",
    "health": "health",
    "check": "check",
    "audit": "audit",
    "rebuild": "check",
    "embed": "import_",
    "schedule": "schedule",
    "purge": "purge",
    "erase": "erase",
    "tour": "tour",
    "tidy": "check",
}
"""Which module holds a command; it is loaded when the command is named."""

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code:<4} {why}" for code, why in CODES)


class Verbs(click.Group):
    """The commands, each loaded when it is needed, and every failure told."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **more)
        self.help = keep_examples(self.help or "")
        self.params = [
            workspace_option(),
            json_option(),
            agent_option(),
            whom_option(),
            *self.params,
        ]

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Names of the commands, in the order of a first acquaintance."""
        return list(HOMES)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in HOMES:
            if cmd_name.startswith("-"):
                return None
            raise UnknownVerbError(cmd_name, HOMES, ctx)
        module = import_module(f"reverie.interfaces.cli.{HOMES[cmd_name]}")
        function = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(module, function)
        return command

    @override
    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click itself would take a closed pipe for a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    @override
    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_: Any,  # noqa: ANN401 - click's own
        **extra: Any,  # noqa: ANN401 - click's own
    ) -> NoReturn:
        """Run one command and end with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        work = partial(super().main, words, prog_name, **extra)
        sys.exit(guarded(work, words))


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click calls it so
    if value:
        from importlib.metadata import PackageNotFoundError, version

        try:
            click.echo(f"reverie {version('reverie')}")
        except PackageNotFoundError:
            click.echo("reverie, run from its source")
        ctx.exit()


@click.group(
    cls=Verbs,
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A memory that you can read, correct and roll back.

    The memory is a folder of Markdown under git. Commands work on the workspace
    that -w names, else REVERIE_WORKSPACE, else the nearest one upwards.

        reverie init agent
        cd agent
        reverie remember "Chose the hybrid approach."
        reverie show
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> NoReturn:
    """What the `reverie` command calls."""
    distrust_current_folder()
    # Threads that wait for work cost more than one question has of it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # One command makes little garbage, and looking for it takes a tenth of its time.
    gc.set_threshold(200_000, 50, 50)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli.main(prog_name="reverie")
