"""`propose`: the one thing a sub-agent can do besides reading."""

from __future__ import annotations

from typing import Any

import click

from reverie import Confidence, Store
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

_STORES = click.Choice(
    (Store.EPISODIC, Store.SEMANTIC, Store.PROCEDURAL, Store.VAULT),
    case_sensitive=False,
)
_ENTITY = "What it is about, such as project--apollo; repeatable."
_CONTRADICTS = "What it contradicts: a fact, a memory or '#4'; repeatable."
WHO = (
    "Sub-agents propose: --agent NAME, or REVERIE_AGENT. The main agent and people "
    "use `reverie remember`."
)


@cli.verb()
@cli.argument("text")
@cli.option("-s --store", "Where it should go.", _STORES, usual=Store.SEMANTIC)
@cli.option("--entity entities", _ENTITY, metavar="ID", multiple=True)
@cli.option(
    "--confidence", "How sure the sub-agent is.", Confidence, usual=Confidence.MEDIUM
)
@cli.flag("--core-worthy", "It should stand in core memory.")
@cli.option("--name", "procedural: its name.", metavar="NAME", default="")
@cli.option("--when", "procedural: when to do it.", metavar="WORDS", default="")
@cli.option("--supersedes", "The fact that it should replace.", None, "ID", default="")
@cli.option("--contradicts", _CONTRADICTS, metavar="ID", multiple=True)
@cli.person_option("Whom it is for alone: it becomes an episode of theirs.")
@cli.secrets_option("refuse")
@cli.option("--trigger", "What started it.", None, "WORDS", usual="auto-detect")
def propose(call: cli.Invocation, text: str, **given: Any) -> None:
    """Propose TEXT, or standard input for '-', as a sub-agent.

    It waits until the main agent or its human decides: `reverie pending`.

        reverie propose --agent researcher "Prefers academic sources to blogs."
        reverie propose --agent coder --store procedural --name tests - < steps.txt
    """
    if not call.agent:
        cli.refuse("who proposes this?", WHO)
    proposed = call.companion.propose(cli.given_text(text), **given)
    words = out.good("Waits already as " if proposed.known else "Proposed ")
    redacted = [(out.warn("Redacted: "), kind) for kind in proposed.redacted]
    call.answer(proposed, [(words, out.ident(f"#{proposed.number}")), *redacted])
