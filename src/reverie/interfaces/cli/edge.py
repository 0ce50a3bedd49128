"""The outer edge: whatever goes wrong becomes a message and an exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from reverie.errors import (
    ConflictError,
    FormatError,
    NotFoundError,
    RefusedError,
    ReverieError,
    UnavailableError,
)
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CODES = (
    (0, "it was done"),
    (
        1,
        "`check`, `import`, `erase`, `expect --check`, `instruct --check`, "
        "`audit --fail-on` fail",
    ),
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

UNAVAILABLE, FAULT, INTERRUPTED, READER_GONE = 6, 70, 130, 141
MUST_ANSWER = 8
REFUSED = 5

_CODE_OF: tuple[tuple[type[ReverieError], int], ...] = (
    (NotFoundError, 3),
    (ConflictError, 4),
    (RefusedError, 5),
    (UnavailableError, 6),
    (FormatError, 7),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, for a person or a program."""

    type: str
    message: str
    hint: str = ""


class ReaderGoneError(Exception):
    """Whoever read our output has enough of it."""


class NotUnicodeError(click.UsageError):
    """An argument is not valid UTF-8."""

    def __init__(self, number: int, argument: str) -> None:
        shown = argument[:40]
        super().__init__(f"argument {number} is not valid UTF-8: {shown}")


def require_unicode(arguments: Sequence[str]) -> None:
    """Refuse arguments that Python could read only as stray bytes."""
    for number, argument in enumerate(arguments, 1):
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError as error:
            raise NotUnicodeError(number, argument) from error


def guarded(work: Callable[[], object], arguments: Sequence[str]) -> int:
    """Do the work of one command; returns the exit code, having told of failures."""
    try:
        require_unicode(arguments)
        code = work()
        sys.stdout.flush()
    except click.Abort:
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        # Python would try to flush the rest when it ends, and complain.
        sys.stdout = io.StringIO()
        return READER_GONE
    except Exception as error:
        return _tell(*_explained(error), as_json="--json" in arguments)
    return code if isinstance(code, int) else 0


def _explained(error: Exception) -> tuple[Failure, int]:
    match error:
        case click.ClickException():
            return _of_usage(error), error.exit_code
        case ReverieError():
            failure = Failure(type(error).__name__, str(error), error.hint)
            return failure, exit_code(error)
        case OSError():
            return _of_system(error), UNAVAILABLE
        case _:
            return _of_fault(error), FAULT


def exit_code(error: ReverieError) -> int:
    """The exit code of a kind of error."""
    return next((code for kind, code in _CODE_OF if isinstance(error, kind)), FAULT)


def _of_usage(error: click.ClickException) -> Failure:
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"`{error.ctx.command_path} --help` shows how it is used."
    if isinstance(error, click.NoSuchOption):
        hint += " Put -- before a text that begins with a dash."
    return Failure("UsageError", error.format_message(), hint.strip())


def _of_system(error: OSError) -> Failure:
    what = error.strerror or str(error)
    where = f"{error.filename}: " if error.filename else ""
    hint = "Check that the folder exists, is yours to write, and the disk has room."
    return Failure(type(error).__name__, f"{where}{what}", hint)


def _of_fault(error: Exception) -> Failure:
    if os.environ.get("REVERIE_DEBUG"):
        click.echo("".join(traceback.format_exception(error)), err=True)
    return Failure(
        type(error).__name__,
        f"this should not have happened: {type(error).__name__}: {error}",
        "Please report it, with what REVERIE_DEBUG=1 prints before it.",
    )


def _tell(failure: Failure, code: int, *, as_json: bool) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        # What cannot be written now cannot be when Python ends, and it would complain.
        sys.stdout = io.StringIO()
    if as_json:
        from reverie.interfaces.cli.jsonify import render_json_line

        click.echo(render_json_line({"error": failure}), err=True)
        return code
    message = printable(failure.message, lines=True)
    click.echo(f"{click.style('error:', fg='red', bold=True)} {message}", err=True)
    if failure.hint:
        click.echo(f"{click.style('hint:', fg='cyan')} {failure.hint}", err=True)
    return code
