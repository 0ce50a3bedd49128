"""One command: its examples stay as typed, and all share `-w` and `--json`."""

from __future__ import annotations

import difflib
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.session import session_of
from reverie.model.change import Actor, Secrets
from reverie.model.origin import Origin
from reverie.model.proposals import Agent, SubAgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import override
else:
    # Comes with Python 3.12; it only tells the type checker something.
    def override(method):  # noqa: ANN001, ANN201, D103 - stands in for typing's
        return method


class UnknownVerbError(click.UsageError):
    """A command that does not exist."""

    def __init__(self, name: str, known: Iterable[str], ctx: click.Context) -> None:
        close = difflib.get_close_matches(name, known, n=1)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        super().__init__(f"there is no command {name!r}.{guess}", ctx)


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
        *("recall", "context", "why", "show", "history", "diff", "blame"),
        *("pending", "propose", "health", "spend", "window", "window show"),
        *("alerts", "check", "instruct"),
    }
)
"""What a sub-agent may type: it reads, and it proposes."""


def require_allowed(ctx: click.Context) -> None:
    """Refuse a sub-agent whatever it may not do, before anything is opened."""
    agent = session_of(ctx).agent
    if not agent:
        return
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
        said = str(value)
        known = "sub-agent" if said.lower() == "subagent" else said
        return Origin(super().convert(known, param, ctx))


def secrets_option(default: Secrets) -> Callable[[Any], Any]:
    """`--secrets`: what to do with passwords and keys."""
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
    return Actor(value) if value else None
