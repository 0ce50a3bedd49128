"""What commands share: the call, how they are made, common options, moments."""

from __future__ import annotations

import difflib
import os
import re
import sys
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import EnumMeta
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from reverie import Actor, NotFoundError, RefusedError, Secrets
from reverie.interfaces.cli import channel
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from reverie.authority.authority import Human
    from reverie.interfaces.cli.output import Line, Table
    from reverie.memory import Memory, SubAgent

    Decorator = Callable[[Any], Any]

R = TypeVar("R", "Memory", "SubAgent")

REFUSED, UNAVAILABLE, MUST_ANSWER, READER_GONE = 5, 6, 8, 141
"""Exit codes that commands end with; `main.CODES` has them all."""

MOST_INPUT = 64 << 20
"""No memory is this long; stop reading before the machine is out of memory."""

GIT_DIR = ".audit"
"""The folder by which a workspace is known."""


class NoWorkspaceError(NotFoundError):
    """No workspace was named, and none is around."""


def refuse(problem: str, hint: str = "") -> NoReturn:
    """Refuse to do what was asked for."""
    raise RefusedError(problem, hint=hint)


def misused(problem: str) -> NoReturn:
    """Tell that a command was typed wrongly."""
    raise click.UsageError(problem, click.get_current_context())


@dataclass(slots=True)
class Invocation:
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
        actor: Who history will say it was; None for who is there.
        yes: Whether to do without a confirmation.
        timezone: The zone that the workspace's settings name; None until they are read.
    """

    workspace: str = ""
    json: bool = False
    named: str = ""
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    human: Human | None = None
    whom: str = ""
    whose: str = ""
    reads_input: bool = False
    actor: Actor | None = None
    yes: bool = False
    timezone: str | None = None

    @property
    def zone(self) -> tzinfo:
        """The time zone of the workspace; this machine's where there is none."""
        from reverie.dates import home_zone

        if self.timezone is None:
            from reverie.memory import settings_at

            self.timezone = ""
            with suppress(NoWorkspaceError):
                settings = settings_at(self.root, os.environ)
                self.timezone = settings.workspace.timezone
        return home_zone(self.timezone, os.environ)

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
            # A damaged history may have lost any of them.
            if any((folder / GIT_DIR / name).exists() for name in ("HEAD", "objects")):
                return folder
        problem = f"there is no workspace in {here} or above it"
        hint = "`reverie init` makes this folder one; "
        hint += "-w PATH or REVERIE_WORKSPACE names another."
        raise NoWorkspaceError(problem, hint=hint)

    @property
    def memory(self) -> Memory:
        """The workspace, open until the command is done."""
        return click.get_current_context().with_resource(self.open())

    @property
    def reader(self) -> Memory | SubAgent:
        """The workspace, to be asked until the command is done."""
        from reverie.memory import Memory

        if self.agent:
            return self.companion
        made = Memory(self.root, clock=self.clock, person=self.for_person)
        # A single command is no session.
        made.stays = False
        return click.get_current_context().with_resource(self.using(made))

    @property
    def companion(self) -> SubAgent:
        """The workspace as a sub-agent has it: to be asked, and to propose to."""
        from reverie.memory import SubAgent

        agent, person = self.agent, self.for_person
        made = SubAgent(self.root, agent, clock=self.clock, person=person)
        return click.get_current_context().with_resource(self.using(made))

    def open(self) -> AbstractContextManager[Memory]:
        """The workspace, open; what was amiss with it is told at the end."""
        from reverie.memory import Memory
        from reverie.model.proposals import SubAgentError

        if self.agent:
            raise SubAgentError(self.agent, "do this")
        human, person = self.channel, self.for_person
        made = Memory.open(self.root, human=human, clock=self.clock, person=person)
        made.stays = False
        return self.using(made)

    @contextmanager
    def using(self, memory: R) -> Iterator[R]:
        """A workspace until it is done with."""
        self.timezone = memory.config.workspace.timezone
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
        """Show a person what would be done, and ask for a yes."""
        self.say(page)
        if not channel.confirms(question):
            unconfirmed()

    def progress(self, label: str) -> AbstractContextManager[Callable[..., None]]:
        """A bar while a person is watching; its steps tell what is done of what."""
        if self.json or not sys.stderr.isatty():
            return nullcontext(lambda *_: None)
        from reverie.interfaces.cli.output import progress_bar

        return progress_bar(label)


def unconfirmed() -> NoReturn:
    """Do nothing, because a person did not say yes."""
    refuse("nothing was changed: it was not confirmed")


def invocation(ctx: click.Context | None) -> Invocation:
    """The call that a command belongs to."""
    return Invocation() if ctx is None else ctx.find_root().ensure_object(Invocation)


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

    The id of a fact is one, and what may be a citation is left to the memory.

    Raises:
        NotFoundError: None or several fit; a few of them are listed.
    """
    from reverie.model.ids import Kind, is_citation

    wanted = " ".join(text.casefold().split())
    if text.partition(":")[0] in set(Kind) or not wanted:
        return text
    if re.fullmatch(r"[\w-]+--[\w-]+#[0-9a-f]+", text):
        return text
    if called := memory.called(text):
        return _only(text, called)
    slug, fitting = wanted.replace(" ", "-"), list[str]()
    ways: tuple[Callable[[str, str], bool], ...] = (
        lambda id_, _: slug == re.split(r":|--", id_, maxsplit=2)[-1],
        lambda id_, title: slug == id_ or wanted == title,
        lambda id_, _: slug in id_,
        lambda _, title: wanted in title,
    )
    known = [(e.id, e.id.casefold(), e.title.casefold()) for e in memory.items()]
    for fits in ways:
        fitting = fitting or [id_ for id_, low, title in known if fits(low, title)]
    if not fitting and is_citation(text):
        return text
    if not fitting:
        hint = "`reverie recall` finds a memory, `reverie show STORE` lists them."
        problem = f"there is no memory {text!r}"
        raise NotFoundError(problem, hint=hint)
    return _only(text, fitting)


def _only(text: str, fitting: list[str]) -> str:
    """The one memory that fits a name; several are listed."""
    if len(fitting) == 1:
        return fitting[0]
    more = f" and {len(fitting) - 5:,} more" if len(fitting) > 5 else ""
    problem = f"several memories fit {text!r}: {', '.join(fitting[:5])}{more}"
    raise NotFoundError(problem, hint="Name one of them.")


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


# --- commands --------------------------------------------------------------------

argument = click.argument


def verb(name: str | None = None, **more: Any) -> Callable[[Any], click.Command]:
    """Make a command of a function, whose first argument is the call.

    What the function returns is the exit code; None is 0.
    """
    return lambda function: click.command(name, cls=Verb, **more)(_given(function))


def group() -> Callable[[Any], VerbGroup]:
    """Make a command with commands of its own; the function is what it does alone."""
    return lambda function: click.group(cls=VerbGroup, invoke_without_command=True)(
        _given(function, alone=True)
    )


def _given(function: Callable[..., Any], *, alone: bool = False) -> Callable[..., Any]:
    """Hand a function the call it belongs to, in front of its options."""

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        ctx = click.get_current_context()
        if alone and ctx.invoked_subcommand is not None:
            return None
        return function(invocation(ctx), *args, **given)

    return run


class Verb(click.Command):
    """A command whose help ends with examples, with the options that all have."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        parts = cleandoc(self.help or "").split("\n\n")
        # Marked so, click does not wrap an indented paragraph.
        marked = (f"\b\n{part}" if part.startswith("    ") else part for part in parts)
        self.help = "\n\n".join(marked)
        for add in SHARED:
            add(self)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, where whoever types may."""
        require_allowed(ctx)
        invocation(ctx).reads_input = "-" in ctx.params.values()
        return super().invoke(ctx)


class VerbGroup(Verb, click.Group):
    """A command with commands of its own."""

    def verb(self, name: str | None = None) -> Callable[[Any], click.Command]:
        """Make one of its commands of a function; see `verb`."""
        return lambda function: self.command(name, cls=Verb)(_given(function))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Names of the commands, in the order of the source."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of the commands."""
        if cmd_name in self.commands or cmd_name.startswith("-"):
            return self.commands.get(cmd_name)
        raise unknown(cmd_name, self.commands, ctx)


def unknown(name: str, known: Iterable[str], ctx: click.Context) -> Exception:
    """That there is no such command, and which may be meant."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    guess = f" Did you mean '{close[0]}'?" if close else ""
    return click.UsageError(f"there is no command {name!r}.{guess}", ctx)


# --- options ---------------------------------------------------------------------


def _agent(value: str) -> str:
    from reverie.model.proposals import Agent

    return Agent(value).name


def option(
    names: str,
    says: str,
    kind: Any = None,
    metavar: str | None = None,
    usual: object = None,
    **more: Any,
) -> Decorator:
    """An option of a command.

    Args:
        names: How it is typed and what it is called: `-n --limit`, `--tag tags`.
        says: What it is for.
        kind: What it takes: a type, or an enum of which one is named.
        metavar: How that is called in the help.
        usual: What it is without, which the help shows.
        more: Whatever else click takes.
    """
    if isinstance(kind, EnumMeta):
        kind = click.Choice(kind, case_sensitive=False)
    if usual is not None:
        more |= {"default": usual, "show_default": True}
    return click.option(*names.split(), help=says, type=kind, metavar=metavar, **more)


def flag(names: str, says: str, **more: Any) -> Decorator:
    """An option that is there or not."""
    return click.option(*names.split(), help=says, is_flag=True, **more)


def kept_option(field: str, names: str, says: str, **how: Any) -> Decorator:
    """An option that the call keeps, as one of its fields."""

    def take(ctx: click.Context, _param: click.Parameter, value: object) -> None:
        if value not in {None, False}:
            setattr(invocation(ctx), field, value)

    given = {"help": says, "expose_value": False, "callback": take, **how}
    return click.option(*names.split(), **given)


# Commands have parameters of their own that are called `agent`.
SHARED = (
    kept_option(
        "workspace",
        "-w --workspace",
        "The workspace; else the nearest one upwards.",
        metavar="PATH",
    ),
    kept_option("json", "--json", "Print the result as JSON.", is_flag=True),
    kept_option(
        "named",
        "acting_as --agent",
        "Act as this sub-agent: read, and propose.",
        metavar="NAME",
        type=_agent,
    ),
)
"""Options that every command has, before or after the verb."""


def yes_option(says: str = "Do not ask again.") -> Decorator:
    """`--yes`: do without a confirmation."""
    return kept_option("yes", "-y --yes", says, is_flag=True)


def person_option(words: str) -> Decorator:
    """`--person` of a verb, else what was named before it or in the environment."""
    says = f"{words}  [default: REVERIE_PERSON]"
    return kept_option("whom", "--person", says, metavar="NAME")


def secrets_option(default: str) -> Decorator:
    """`--secrets`: what to do with passwords and keys."""
    says = "Passwords and keys: refuse, redact, or keep in plain text.  "
    return option(
        "--secrets", f"{says}[default: {default}]", Secrets, default=Secrets(default)
    )


def actor_option(otherwise: str = "bot:main") -> Decorator:
    """`--actor`: who history will say it was."""
    says = f"Who acts.  [default: manual in a terminal, else {otherwise}]"
    how = {"type": _actor, "envvar": "REVERIE_ACTOR", "metavar": "ACTOR"}
    return kept_option("actor", "--actor", says, **how)


def _actor(value: str) -> Actor | None:
    return Actor(value) if value else None


READING = frozenset({"recall", "why", "show", "history", "pending", "propose"})
READING |= {"health", "mind", "window", "window show", "alerts", "check", "instruct"}
READING |= {"mcp"}
"""What a sub-agent may type: it reads, and it proposes."""


def require_allowed(ctx: click.Context) -> None:
    """Refuse a sub-agent whatever it may not do, before anything is opened."""
    agent, typed = invocation(ctx).agent, ctx.command_path.partition(" ")[2]
    if not agent or not typed:
        return
    from reverie.model.proposals import SubAgentError

    below = getattr(ctx.command, "commands", {})
    leads = any(f"{typed} {name}" in READING for name in below)
    if typed not in READING and not leads:
        raise SubAgentError(_agent(agent), f"`reverie {typed}`")


# --- moments ---------------------------------------------------------------------

EXAMPLES = (
    "2026-02-02, '2026-02-02 14:30', 14:30, yesterday, 'last week', '3 hours ago'"
)
_AGO = re.compile(
    r"(?P<count>\d{1,6}|an?) "
    r"(?P<unit>second|minute|hour|day|week|month|quarter|year)s? ago"
)
_DAY_AND_TIME = re.compile(r"(?P<day>.*?)\s*(?P<time>\d{1,2}:\d\d)?", re.DOTALL)


def day_or_moment(value: str) -> datetime | date:
    """An option's type: a moment, or the day alone where no hour was typed."""
    first, other = (moment_type(hour)(value) for hour in (time.min, time(1)))
    return first if first == other else first.date()


def parse_moment(text: str, now: datetime, *, whole_day: time) -> datetime:
    """Read a moment.

    Args:
        text: What was typed: an exact time, a time ago, or a day as a question may
            name it; of more than one day, the first, or the last for its end.
        now: The present, in the zone of who typed it.
        whole_day: Which time of day a bare date means; `time.max` is its end.

    Raises:
        ValueError: It names none, or one that the calendar does not have.
    """
    from reverie.dates import find_spans, moved

    words = " ".join(text.split())
    try:
        if ago := _AGO.fullmatch(words.lower()):
            count = 1 if ago["count"].startswith("a") else int(ago["count"])
            return moved(now, ago["unit"], -count)
        said = _DAY_AND_TIME.fullmatch(words)
        day, at = (said["day"], said["time"]) if said else ("", None)
        day = day or ("today" if at else "")
        spans = find_spans(day, now)
        if not spans or spans[0].text != day:
            moment = datetime.fromisoformat(words)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=now.tzinfo)
            moment.astimezone(UTC)  # absurd years have no place there
            return moment.astimezone(now.tzinfo)
        on = spans[0].start
        if whole_day == time.max:
            on = max(on, spans[0].end - timedelta(days=1))
        clock = time.fromisoformat(at.rjust(5, "0")) if at else whole_day
        return datetime.combine(on.date(), clock, now.tzinfo)
    except (OverflowError, OSError) as error:
        raise ValueError(text) from error


def local(moment: datetime) -> str:
    """A moment for people, in the workspace's time zone, to the minute."""
    from reverie.dates import home_zone

    ctx = click.get_current_context(silent=True)
    zone = invocation(ctx).zone if ctx else home_zone("", os.environ)
    try:
        return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return moment.strftime("%Y-%m-%d %H:%MZ")


def moment_type(whole_day: time = time.min) -> Callable[[str], datetime]:
    """An option's type: a moment."""

    def when(value: str) -> datetime:
        call = invocation(click.get_current_context())
        now = call.clock().astimezone(call.zone)
        try:
            return parse_moment(value, now, whole_day=whole_day)
        except ValueError as error:
            message = f"{value!r} is no moment; try {EXAMPLES}."
            raise click.BadParameter(message) from error

    return when
