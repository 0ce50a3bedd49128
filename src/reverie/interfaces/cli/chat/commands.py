"""Slash commands of a chat: every verb, and shortcuts for the conversation at hand."""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import re
import shlex
from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError, RefusedError
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, row
from reverie.interfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page

LEAVING = frozenset({"quit", "exit"})

SHORTCUTS = {
    "turns": ("show", "Show what was said here."),
    "summary": ("reflect", "Sum this conversation up: /summary [QUESTION]."),
    "edit": ("edit", "Correct an answer: /edit NUMBER TEXT."),
    "delete": ("delete", "Let a turn never come back: /delete NUMBER."),
}
"""Commands of `window` for the conversation at hand, and what they do."""

_OWN = {
    **{name: says for name, (_, says) in SHORTCUTS.items()},
    "help": "Show this, or the help of one command: /help recall.",
    "quit": "Leave; Ctrl-D does, too.",
}

GROUPS = (
    ("This conversation", tuple(_OWN)),
    ("Memories", ("remember", "recall", "forget", "show", "why", "context")),
    (
        "Keeping",
        ("pin", "unpin", "reinforce", "expect", "import", "embed", "purge", "erase"),
    ),
    ("History", ("history", "diff", "blame", "undo", "restore", "alerts")),
    (
        "Reflection and company",
        (
            *("reflect", "schedule", "pending", "accept", "reject", "defer"),
            *("resolve", "propose", "instruct", "questions", "answer"),
        ),
    ),
    ("Conversations", ("window", "say", "wake", "attend", "hear", "detect")),
    (
        "The workspace",
        (
            *("init", "owner", "health", "check", "audit", "rebuild", "spend"),
            *("tidy", "tour"),
        ),
    ),
)
"""What `/help` lists, in the order of how often it is wanted."""

_INSIDE_A_WORD = re.compile(r"(?<=\w)'(?=\w)")
_APOSTROPHE = "\ufdd0"  # stands for it while quotes are looked for; no character is it


class UnclosedQuoteError(RefusedError):
    """A slash command with a quotation that does not end."""

    def __init__(self) -> None:
        super().__init__(
            "a quotation in this command does not end",
            hint='Put a text with quotes between double ones: /remember "…".',
        )


class NoSuchCommandError(NotFoundError):
    """A slash command that does not exist."""

    def __init__(self, name: str, close: Sequence[str]) -> None:
        guess = f". Did you mean /{close[0]}?" if close else ""
        super().__init__(
            f"there is no command /{name}{guess}",
            hint="/help lists them. A message that begins with a slash needs two: //…",
        )


class ChatInAChatError(RefusedError):
    """A chat was to begin inside of one."""

    def __init__(self) -> None:
        super().__init__("this is a chat already", hint="/quit leaves it.")


class OwnInputError(RefusedError):
    """A command would read what is typed into the chat."""

    def __init__(self) -> None:
        super().__init__(
            "'-' does not work here: standard input is this conversation",
            hint="Type the text itself.",
        )


def parse(line: str, window: str) -> list[str]:
    """The words of a `reverie` command, from what was typed behind the slash.

    Args:
        line: What was typed.
        window: The conversation at hand, for the shortcuts.

    Raises:
        UnclosedQuoteError: A quotation does not end.
        NoSuchCommandError: There is no such command.
        ChatInAChatError: It would begin another chat.
        OwnInputError: It would read what is typed into the chat.
    """
    words = _split(line)
    name, *rest = words or ["help"]
    known = _known()
    _require_known(name, known)
    if name == "chat":
        raise ChatInAChatError
    if "-" in rest:
        raise OwnInputError
    if name == "help":
        return _helped([word.removeprefix("/") for word in rest], known)
    if name in SHORTCUTS:
        words = ["window", SHORTCUTS[name][0], window, *rest]
    return _joined(words)


def _require_known(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise NoSuchCommandError(name, difflib.get_close_matches(name, known, n=1))


def _helped(words: list[str], known: Sequence[str]) -> list[str]:
    """What tells of a command; without one, or of one that leaves, the whole list."""
    if not words or words[0] in {"help", *LEAVING}:
        return ["help"]
    _require_known(words[0], known)
    if words[0] in SHORTCUTS:
        words = ["window", SHORTCUTS[words[0]][0]]
    return ["help", *words]


def run(words: Sequence[str], session: Session) -> int:
    """Run a command as if it were typed in a shell; its exit code.

    What goes wrong is told as there, and the chat goes on.
    """
    from reverie.interfaces.cli.main import cli

    own = Session(
        str(session.root),
        json=session.json,
        clock=session.clock,
        human=session.human,
        whose=session.for_person,
        chat=True,
    )
    asked = [*(["--json"] if session.json else []), *words]
    try:
        cli.main(asked, "reverie", obj=own)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0


def run_silent(words: Sequence[str], session: Session) -> dict[str, object]:
    """The same for a program: what it printed, to be put on one line."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = run(words, session)
    text = printed.getvalue()
    try:
        result: object = json.loads(text) if text else None
    except ValueError:
        result = text
    return {"text": shlex.join(words), "code": code, "told": result}


def help_page() -> Page:
    """All slash commands, in groups."""
    page: Page = []
    for title, names in GROUPS:
        page += [*([BLANK] if page else []), row(Span(title, Style.TITLE))]
        rows = tuple((Span(f"/{name:<12}", Style.ID), _says(name)) for name in names)
        page.append(Grid((), rows, indent=2))
    more = "/help COMMAND tells more. Whatever has no slash in front is said."
    return [*page, BLANK, row(Span(more, Style.FAINT))]


def _says(name: str) -> Span:
    own = _OWN.get(name)
    return Span(own or _command([name])[0].get_short_help_str(60))


def _known() -> list[str]:
    from reverie.interfaces.cli.main import HOMES

    return [*_OWN, *LEAVING, *HOMES]


def _split(line: str) -> list[str]:
    kept = _INSIDE_A_WORD.sub(_APOSTROPHE, line)
    try:
        words = shlex.split(kept)
    except ValueError as error:
        raise UnclosedQuoteError from error
    return [word.replace(_APOSTROPHE, "'") for word in words]


def _command(words: Sequence[str]) -> tuple[click.Command, int]:
    """The command that words begin with, and how many of them name it."""
    from reverie.interfaces.cli.main import cli

    command: click.Command = cli
    for count, word in enumerate(words):
        if not isinstance(command, click.Group):
            return command, count
        ctx = click.Context(command)
        if word not in command.list_commands(ctx):
            return command, count
        command = command.get_command(ctx, word) or command
    return command, len(words)


def _joined(words: list[str]) -> list[str]:
    """The words of a command, a text of several words as one argument.

    In a chat `/remember The deploy is on Friday` needs no quotes.
    """
    command, count = _command(words)
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    if not arguments or any(argument.nargs != 1 for argument in arguments):
        return words
    options, plain = _sorted_out(command, words[count:])
    *before, last = arguments
    if len(plain) <= len(arguments) or last.type is not click.STRING:
        return words
    text = " ".join(plain[len(before) :])
    return [*words[:count], *options, "--", *plain[: len(before)], text]


def _sorted_out(
    command: click.Command, words: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The options of a command with their values, and all other words."""
    known = {
        name: not (option.is_flag or option.count)
        for option in command.params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    options: list[str] = []
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        name, has_value, _ = word.partition("=")
        if word == "--":
            plain += rest
        elif name in known:
            options.append(word)
            options += [next(rest, "")] if known[name] and not has_value else []
        else:
            plain.append(word)
    return options, plain
