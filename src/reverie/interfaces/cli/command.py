"""What commands share: how they are made, their common options, and moments."""

from __future__ import annotations

import difflib
import re
from datetime import UTC, datetime, time, timedelta
from enum import EnumMeta
from functools import wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.session import (
    GIT_DIR,
    MUST_ANSWER,
    REFUSED,
    Session,
    given_text,
    inside,
    misused,
    named,
    refuse,
    session_of,
    unconfirmed,
)
from reverie.model.change import Actor, Secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Decorator = Callable[[Any], Any]

__all__ = ["GIT_DIR", "MUST_ANSWER", "REFUSED", "Actor", "Secrets", "Session"]
__all__ += ["READING", "Verb", "VerbGroup", "group", "unknown", "verb"]
__all__ += ["actor_option", "argument", "flag", "option", "take_person", "yes_option"]
__all__ += ["for_person_option", "moment_type", "require_allowed", "secrets_option"]
__all__ += ["given_text", "inside", "misused", "named", "refuse", "unconfirmed"]
__all__ += ["local", "parse_moment"]

argument = click.argument


def verb(name: str | None = None, **more: Any) -> Callable[[Any], click.Command]:  # noqa: ANN401 - click's own
    """Make a command of a function, whose first argument is its session.

    What the function returns is the exit code; None is 0.
    """
    return lambda function: click.command(name, cls=Verb, **more)(_given(function))


def group() -> Callable[[Any], VerbGroup]:
    """Make a command with commands of its own; the function is what it does alone."""
    return lambda function: click.group(cls=VerbGroup, invoke_without_command=True)(
        _given(function, alone=True)
    )


def _given(function: Callable[..., Any], *, alone: bool = False) -> Callable[..., Any]:
    """Hand a function the session it belongs to, in front of its options."""

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:  # noqa: ANN401 - click's own
        ctx = click.get_current_context()
        if alone and ctx.invoked_subcommand is not None:
            return None
        return function(session_of(ctx), *args, **given)

    return run


class Verb(click.Command):
    """A command whose help ends with examples, with the options that all have."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **more)
        parts = cleandoc(self.help or "").split("\n\n")
        # Marked so, click does not wrap an indented paragraph.
        marked = (f"\b\n{part}" if part.startswith("    ") else part for part in parts)
        self.help = "\n\n".join(marked)
        self.params += [
            _shared("workspace", ["-w", "--workspace"], "PATH", WORKSPACE),
            _shared("json", ["--json"], None, "Print the result as JSON."),
            # Commands have parameters of their own that are called `agent`.
            _shared("named", ["acting_as", "--agent"], "NAME", AGENT, type=_agent),
        ]

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, where whoever types may."""
        require_allowed(ctx)
        session_of(ctx).reads_input = "-" in ctx.params.values()
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

WORKSPACE = "The workspace; else the nearest one upwards."
AGENT = "Act as this sub-agent: read, and propose."


def _shared(
    field: str,
    names: list[str],
    metavar: str | None,
    says: str,
    type: Any = None,  # noqa: A002, ANN401 - click's own
) -> click.Option:
    """An option that a session keeps, before or after the verb."""

    def take(ctx: click.Context, _param: click.Parameter, value: object) -> None:
        if value not in {None, False}:
            setattr(session_of(ctx), field, value)

    how: dict[str, Any] = {"metavar": metavar, "type": type}
    how = how if metavar else {"is_flag": True}
    return click.Option(names, expose_value=False, callback=take, help=says, **how)


def _agent(value: str) -> str:
    from reverie.model.proposals import Agent

    return Agent(value).name


def option(
    names: str,
    says: str,
    kind: Any = None,  # noqa: ANN401 - a type of click's, or an enum
    metavar: str | None = None,
    usual: object = None,
    **more: Any,  # noqa: ANN401 - click's own
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


def flag(names: str, says: str, **more: Any) -> Decorator:  # noqa: ANN401 - click's own
    """An option that is there or not."""
    return click.option(*names.split(), help=says, is_flag=True, **more)


def yes_option(says: str = "Do not ask again.") -> Decorator:
    """`--yes`: do without a confirmation."""
    return flag("-y --yes", says)


def for_person_option(words: str, *, told: bool = True) -> Decorator:
    """`--person` of a verb, else what was named before it or in the environment.

    Args:
        words: What it means there.
        told: Whether the verb is told; else only its session knows.
    """
    says = f"{words}  [default: REVERIE_PERSON]"
    return option(
        "--person", says, metavar="NAME", expose_value=told, callback=take_person
    )


def take_person(ctx: click.Context, _param: click.Parameter, value: str | None) -> str:
    """Note for whom all of it is."""
    session = session_of(ctx)
    session.whom = session.whom if value is None else value
    return session.for_person


def secrets_option(default: Secrets) -> Decorator:
    """`--secrets`: what to do with passwords and keys."""
    says = "Passwords and keys: refuse, redact, or keep in plain text.  "
    return option("--secrets", f"{says}[default: {default}]", Secrets, default=default)


def actor_option(otherwise: str = "bot:main") -> Decorator:
    """`--actor`: who history will say it was; None for who is there."""

    def take(_ctx: object, _param: object, value: str | None) -> Actor | None:
        return Actor(value) if value else None

    says = f"Who acts.  [default: manual in a terminal, else {otherwise}]"
    return option(
        "--actor", says, metavar="ACTOR", envvar="REVERIE_ACTOR", callback=take
    )


READING = frozenset({"recall", "why", "show", "history", "pending", "propose"})
READING |= {"health", "mind", "window", "window show", "alerts", "check", "instruct"}
"""What a sub-agent may type: it reads, and it proposes."""


def require_allowed(ctx: click.Context) -> None:
    """Refuse a sub-agent whatever it may not do, before anything is opened."""
    agent, typed = session_of(ctx).agent, ctx.command_path.partition(" ")[2]
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
_AGO = re.compile(r"(?P<count>\d{1,6}|an?) (?P<unit>second|minute|hour|day|week)s? ago")
_DAY_AND_TIME = re.compile(r"(?P<day>.*?)\s*(?P<time>\d{1,2}:\d\d)?", re.DOTALL)


def parse_moment(text: str, now: datetime, *, whole_day: time) -> datetime:
    """Read a moment.

    Args:
        text: What was typed: an exact time, a time ago, or a day as a question may
            name it; of more than one day, the first, or the last for its end.
        now: The present, aware of its zone.
        whole_day: Which time of day a bare date means; `time.max` is its end.

    Raises:
        ValueError: It names none, or one that the calendar does not have.
    """
    from reverie.dates import find_spans

    words, here = " ".join(text.split()), now.astimezone()
    try:
        if ago := _AGO.fullmatch(words.lower()):
            count = 1 if ago["count"].startswith("a") else int(ago["count"])
            return here - timedelta(**{f"{ago['unit']}s": count})
        said = _DAY_AND_TIME.fullmatch(words)
        day, at = (said["day"], said["time"]) if said else ("", None)
        day = day or ("today" if at else "")
        spans = find_spans(day, here)
        if not spans or spans[0].text != day:
            moment = datetime.fromisoformat(words).astimezone()
            moment.astimezone(UTC)  # absurd years have no place there
            return moment
        on = spans[0].start
        if whole_day == time.max:
            on = max(on, spans[0].end - timedelta(days=1))
        clock = time.fromisoformat(at.rjust(5, "0")) if at else whole_day
        return datetime.combine(on.date(), clock).astimezone()
    except (OverflowError, OSError) as error:
        raise ValueError(text) from error


def local(moment: datetime) -> str:
    """A moment for people, in their own time zone, to the minute."""
    try:
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return moment.strftime("%Y-%m-%d %H:%MZ")


def moment_type(
    whole_day: time = time.min, *, past: bool = False
) -> Callable[[str], datetime]:
    """An option's type: a moment, in the past where only that makes sense."""

    def when(value: str) -> datetime:
        now = session_of(click.get_current_context()).clock()
        try:
            moment = parse_moment(value, now, whole_day=whole_day)
        except ValueError as error:
            message = f"{value!r} is no moment; try {EXAMPLES}."
            raise click.BadParameter(message) from error
        if past and moment > now:
            message = f"{local(moment)} has not come yet."
            raise click.BadParameter(message)
        return moment

    return when
