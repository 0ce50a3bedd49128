"""What commands share: how they are made, their common options, and moments."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from functools import wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.session import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

    from typing_extensions import override

    from reverie.model.change import Actor, Secrets
    from reverie.model.origin import Origin
else:
    # Comes with Python 3.12; it only tells the type checker something.
    def override(method):  # noqa: ANN001, ANN201, D103 - stands in for typing's
        return method


class UnknownVerbError(click.UsageError):
    """A command that does not exist."""

    def __init__(self, name: str, known: Iterable[str], ctx: click.Context) -> None:
        import difflib

        close = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        super().__init__(f"there is no command {name!r}.{guess}", ctx)


def verb(name: str | None = None, **more: Any) -> Callable[[Any], click.Command]:  # noqa: ANN401 - click's own
    """Make a command of a function, whose first argument is its session.

    What the function returns is the exit code; None is 0.
    """
    return lambda function: click.command(name, cls=Verb, **more)(
        with_session(function)
    )


def with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand a function the session it belongs to, in front of its options."""

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:  # noqa: ANN401 - click's own
        return function(session_of(click.get_current_context()), *args, **given)

    return run


class Verb(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **more)
        self.help = keep_examples(self.help or "")
        self.params += [workspace_option(), json_option(), agent_option()]

    @override
    def invoke(self, ctx: click.Context) -> object:
        """Run the command, where whoever types may."""
        require_allowed(ctx)
        session_of(ctx).reads_input = "-" in ctx.params.values()
        return super().invoke(ctx)


class VerbGroup(click.Group):
    """A command with commands of its own.

    Without one of them it does its own work, so its function looks at
    `ctx.invoked_subcommand`. `@group.command()` makes verbs of functions.
    """

    command_class = Verb

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - click's own
        more.setdefault("invoke_without_command", True)
        super().__init__(*args, **more)
        self.help = keep_examples(self.help or "")
        self.params += [workspace_option(), json_option(), agent_option()]

    @override
    def invoke(self, ctx: click.Context) -> object:
        """Run the command, where whoever types may."""
        require_allowed(ctx)
        return super().invoke(ctx)

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Names of the commands, in the order of the source."""
        return list(self.commands)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of the commands."""
        if cmd_name in self.commands or cmd_name.startswith("-"):
            return self.commands.get(cmd_name)
        raise UnknownVerbError(cmd_name, self.commands, ctx)


def keep_examples(text: str) -> str:
    """Mark indented paragraphs, so that click does not wrap them."""
    parts = cleandoc(text).split("\n\n")
    return "\n\n".join(f"\b\n{p}" if p.startswith("    ") else p for p in parts)


def workspace_option() -> click.Option:
    """`-w`, before or after the verb."""
    return click.Option(
        ["-w", "--workspace"],
        metavar="PATH",
        expose_value=False,
        callback=_take_workspace,
        help="The workspace; else the nearest one upwards.",
    )


def json_option() -> click.Option:
    """`--json`, before or after the verb."""
    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_take_json,
        help="Print the result as JSON.",
    )


def agent_option() -> click.Option:
    """`--agent`, before or after the verb."""
    return click.Option(
        # Commands have parameters of their own that are called `agent`.
        ["acting_as", "--agent"],
        metavar="NAME",
        expose_value=False,
        callback=_take_agent,
        help="Act as this sub-agent: read, and propose.",
    )


def whom_option() -> click.Option:
    """`--person`, before the verb."""
    return click.Option(
        ["for_whom", "--person"],
        metavar="NAME",
        expose_value=False,
        callback=_take_person,
        help="For whom all of it is; what is for others alone is left out.",
    )


def for_person_option(words: str, *, told: bool = True) -> Callable[[Any], Any]:
    """`--person` of a verb, else what was named before it or in the environment.

    Args:
        words: What it means there.
        told: Whether the verb is told; else only its session knows.
    """
    return click.option(
        "--person",
        metavar="NAME",
        expose_value=told,
        callback=_take_person,
        help=f"{words}  [default: REVERIE_PERSON]",
    )


READING = frozenset(
    {
        *("recall", "why", "show", "history", "pending", "propose", "health", "mind"),
        *("window", "window show", "alerts", "check", "instruct"),
    }
)
"""What a sub-agent may type: it reads, and it proposes."""


def require_allowed(ctx: click.Context) -> None:
    """Refuse a sub-agent whatever it may not do, before anything is opened."""
    agent = session_of(ctx).agent
    if not agent:
        return
    from reverie.model.proposals import Agent, SubAgentError

    agent = Agent(agent).name
    verb = ctx.command_path.partition(" ")[2]
    below = getattr(ctx.command, "commands", {})
    leads = any(f"{verb} {name}" in READING for name in below)
    if verb not in READING and not leads:
        raise SubAgentError(agent, f"`reverie {verb}`")


def _take_person(ctx: click.Context, _param: click.Parameter, value: str | None) -> str:
    session = session_of(ctx)
    if value is not None:
        session.whom = value
    return session.for_person


def _take_agent(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        from reverie.model.proposals import Agent

        session_of(ctx).named = Agent(value).name


def _take_workspace(
    ctx: click.Context, _param: click.Parameter, value: str | None
) -> None:
    if value is not None:
        session_of(ctx).workspace = value


def _take_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click calls it so
    if value:
        session_of(ctx).json = True


class OriginChoice(click.Choice[str]):
    """One of some origins, spelled as files spell it; `subagent` is taken as well."""

    def __init__(self, origins: Iterable[Origin]) -> None:
        super().__init__([str(each) for each in origins], case_sensitive=False)

    @override
    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Origin:
        """The origin that was named, in either spelling."""
        from reverie.model.origin import Origin

        said = str(value)
        known = "sub-agent" if said.lower() == "subagent" else said
        return Origin(super().convert(known, param, ctx))


def secrets_option(default: Secrets) -> Callable[[Any], Any]:
    """`--secrets`: what to do with passwords and keys."""
    from reverie.model.change import Secrets

    return click.option(
        "--secrets",
        type=click.Choice(Secrets, case_sensitive=False),
        default=default,
        help="Passwords and keys: refuse, redact, or keep in plain text.  "
        f"[default: {default}]",
    )


def actor_option(otherwise: str = "bot:main") -> Callable[[Any], Any]:
    """`--actor`: who history will say it was; None for who is there."""
    return click.option(
        "--actor",
        metavar="ACTOR",
        envvar="REVERIE_ACTOR",
        callback=_take_actor,
        help=f"Who acts.  [default: manual in a terminal, else {otherwise}]",
    )


def _take_actor(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> Actor | None:
    from reverie.model.change import Actor

    return Actor(value) if value else None


# --- moments ---------------------------------------------------------------------

EXAMPLES = (
    "2026-02-02, '2026-02-02 14:30', 14:30, yesterday, 'last week', '3 hours ago'"
)

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_WEEK = 7 * 86_400
_AGO = re.compile(r"(?P<count>\d{1,6}|an?) (?P<unit>second|minute|hour|day|week)s? ago")
_DAY_AND_TIME = re.compile(r"(?P<day>.*?)\s*(?P<time>\d{1,2}:\d\d)?", re.DOTALL)


class NoMomentError(ValueError):
    """A text that names no moment."""


def parse_moment(text: str, now: datetime, *, whole_day: time) -> datetime:
    """Read a moment.

    Args:
        text: What was typed: an exact time, a time ago, or a day as a question may
            name it; of more than one day, the first, or the last for its end.
        now: The present, aware of its zone.
        whole_day: Which time of day a bare date means; `time.max` is its end.

    Raises:
        NoMomentError: It names none, or one that the calendar does not have.
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
    except (ValueError, OverflowError, OSError) as error:
        raise NoMomentError(text) from error


def local(moment: datetime) -> str:
    """A moment for people, in their own time zone, to the minute."""
    try:
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return moment.strftime("%Y-%m-%d %H:%MZ")


def ago(moment: datetime, now: datetime) -> str:
    """A moment for people, told from now if it is within a week."""
    seconds = (now - moment).total_seconds()
    if not 0 <= seconds < _WEEK:
        return local(moment)[:10]
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def day_ago(day: date, today: date) -> str:
    """A day for people, told from today if it is within a week."""
    days = (today - day).days
    if not 0 <= days < 7:
        return day.isoformat()
    return ("today", "yesterday")[days] if days < 2 else f"{days} days ago"


def moment_type(
    whole_day: time = time.min, *, past: bool = False
) -> Callable[[str], datetime]:
    """An option's type: a moment, in the past where only that makes sense."""

    def when(value: str) -> datetime:
        now = session_of(click.get_current_context()).clock()
        try:
            moment = parse_moment(value, now, whole_day=whole_day)
        except NoMomentError as error:
            message = f"{value!r} is no moment; try {EXAMPLES}."
            raise click.BadParameter(message) from error
        if past and moment > now:
            message = f"{local(moment)} has not come yet."
            raise click.BadParameter(message)
        return moment

    return when
