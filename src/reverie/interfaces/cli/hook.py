"""`hook`: what a host runs at every event; the work is in `interfaces.hosts`."""

from __future__ import annotations

import sys

import click

from reverie.interfaces.cli import command as cli

_EVENTS = click.Choice(("start", "prompt", "stop", "compact", "end", "tool"))


@cli.verb()
@cli.argument("event", type=_EVENTS)
@cli.option("--host", "Whose event it is: claude-code, codex, …", metavar="HOST")
@cli.option("--part", "Which part of a long answer.", int, "N", default=1)
def hook(call: cli.Invocation, event: str, host: str | None, part: int) -> int:
    """Tell memory of a host's EVENT, whose JSON stands on standard input.

    For hosts; `reverie connect HOST` has them run it. It prints what the host is to
    tell its agent, as JSON, or nothing, and never fails: without a workspace it is
    silent. REVERIE_HOOK_DEBUG=1 has it say on standard error what went wrong.

        reverie hook prompt --host claude-code < event.json
    """
    from reverie.interfaces.hosts.hook import run

    place = ["--workspace", call.workspace] if call.workspace else []
    return run([event, "--host", host or "", "--part", str(part), *place]) or _done()


def _done() -> int:
    sys.stdout.flush()
    return 0
