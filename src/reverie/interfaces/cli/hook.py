"""`hook`: what a host runs at every event; the work is in `interfaces.hosts`."""

from __future__ import annotations

import click

from reverie.interfaces.cli import command as cli
from reverie.interfaces.hosts.hook import DEADLINES

_EVENTS = click.Choice(tuple(DEADLINES))


@cli.verb()
@cli.argument("event", type=_EVENTS)
@cli.option("--host", "Whose event it is: claude-code, codex, …", metavar="HOST")
@cli.option("--part", "Which part of a long answer.", metavar="N/ALL", default="1")
@cli.person_option("The person whose session it is.")
def hook(call: cli.Invocation, event: str, host: str | None, part: str) -> int:
    """Tell memory of a host's EVENT, whose JSON stands on standard input.

    For hosts; `reverie connect HOST` has them run it. It prints what the host is to
    tell its agent, as JSON, or nothing, and never fails: without a workspace it is
    silent. REVERIE_HOOK_DEBUG=1 has it say on standard error what went wrong.

        reverie hook prompt --host claude-code < event.json
    """
    from reverie.interfaces.hosts.hook import run

    place = ["--workspace", call.workspace] if call.workspace else []
    place += ["--person", call.for_person] if call.for_person else []
    place += ["--agent"] if call.agent else []
    return run([event, "--host", host or "", "--part", part, *place])
