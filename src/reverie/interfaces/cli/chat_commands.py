"""Slash commands of a chat: every verb, and shortcuts for the conversation at hand."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError
from reverie.interfaces.cli.chat_context import ChatError
from reverie.interfaces.cli.main import COMMANDS, HOMES, cli
from reverie.interfaces.cli.output import Table, faint, ident, title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.interfaces.cli.output import Line

LEAVING = frozenset({"quit", "exit"})
SHORTCUTS = {"turns": "show", "summary": "reflect", "edit": "edit", "delete": "delete"}
"""Commands of `window` for the conversation at hand."""

OWN = {
    "turns": "Show what was said here.",
    "summary": "Sum this conversation up: /summary [QUESTION].",
    "edit": "Correct an answer: /edit NUMBER TEXT.",
    "delete": "Let a turn never come back: /delete NUMBER.",
    "help": "Show this, or the help of one command: /help recall.",
    "quit": "Leave; Ctrl-D does, too.",
}


class NoSuchCommandError(NotFoundError):
    """A slash command that does not exist."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        guess = f". Did you mean /{close[0]}?" if close else ""
        super().__init__(
            f"there is no command /{name}{guess}",
            hint="/help lists them. A message that begins with a slash needs two: //…",
        )


def parse(line: str, window: str) -> list[str]:
    """The words of a `reverie` command, from what was typed behind the slash.

    Raises:
        NoSuchCommandError: There is no such command.
        ChatError: A quotation does not end, or it cannot be done in a chat.
    """
    apostrophe = "\ufdd0"  # stands for it while quotes are looked for
    try:
        words = shlex.split(re.sub(r"(?<=\w)'(?=\w)", apostrophe, line))
    except ValueError as error:
        problem = "a quotation in this command does not end"
        hint = 'Put a text with quotes between double ones: /remember "…".'
        raise ChatError(problem, hint=hint) from error
    name, *rest = [word.replace(apostrophe, "'") for word in words] or ["help"]
    known = [*OWN, *LEAVING, *HOMES]
    helped = name == "help" and rest and rest[0].removeprefix("/")
    if helped and helped not in {"help", *LEAVING}:
        name, *rest = helped, "--help"
    if name not in known:
        raise NoSuchCommandError(name, known)
    if name == "chat":
        problem = "this is a chat already"
        raise ChatError(problem, hint="/quit leaves it.")
    if "-" in rest:
        problem = "'-' does not work here: standard input is this conversation"
        raise ChatError(problem, hint="Type the text itself.")
    if name in {"help", *LEAVING}:
        return [name]
    if name in SHORTCUTS:
        return _joined(["window", SHORTCUTS[name], window, *rest])
    return _joined([name, *rest])


def _joined(words: list[str]) -> list[str]:
    """The words of a command, a text of several words as one argument.

    In a chat `/remember The deploy is on Friday` needs no quotes.
    """
    command: click.Command = cli
    count = 0
    while isinstance(command, click.Group) and count < len(words):
        ctx = click.Context(command)
        if words[count] not in command.list_commands(ctx):
            break
        command = command.get_command(ctx, words[count]) or command
        count += 1
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    if not arguments or any(argument.nargs != 1 for argument in arguments):
        return words
    takes_value = {
        name: not (option.is_flag or option.count)
        for option in command.params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    options: list[str] = []
    plain: list[str] = []
    rest = iter(words[count:])
    for word in rest:
        name, has_value, _ = word.partition("=")
        if word == "--":
            plain += rest
        elif name in takes_value or word == "--help":
            options.append(word)
            takes = takes_value.get(name) and not has_value
            options += [next(rest, "")] if takes else []
        else:
            plain.append(word)
    *before, last = arguments
    if len(plain) <= len(arguments) or last.type is not click.STRING:
        return words
    text = " ".join(plain[len(before) :])
    return [*words[:count], *options, "--", *plain[: len(before)], text]


def help_page() -> Iterator[Line | Table]:
    """All slash commands, in groups."""
    for section, names in ({"This conversation": OWN} | COMMANDS).items():
        yield title(section)
        listed = {name: says for name, says in names.items() if name != "chat"}
        yield Table([(ident(f"/{n:<12}"), s) for n, s in listed.items()], indent=2)
        yield ""
    yield faint("/help COMMAND tells more. Whatever has no slash in front is said.")
