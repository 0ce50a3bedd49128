"""`propose`: the one thing a sub-agent can do besides reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.command import for_person_option, secrets_option, verb
from reverie.interfaces.cli.output import good, ident, warn
from reverie.interfaces.cli.session import given_text
from reverie.model.change import Secrets
from reverie.model.ids import Store
from reverie.model.items import Confidence

if TYPE_CHECKING:
    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.proposals import Proposed

_STORES = (Store.EPISODIC, Store.SEMANTIC, Store.PROCEDURAL, Store.VAULT)


class NobodyProposesError(RefusedError):
    """A proposal without a sub-agent that makes it."""

    def __init__(self) -> None:
        super().__init__(
            "who proposes this?",
            hint="Sub-agents propose: --agent NAME, or REVERIE_AGENT. The main agent "
            "and people use `reverie remember`.",
        )


@verb()
@click.argument("text")
@click.option(
    "-s",
    "--store",
    type=click.Choice(_STORES, case_sensitive=False),
    default=Store.SEMANTIC,
    show_default=True,
    help="Where it should go.",
)
@click.option(
    "--entity",
    "entities",
    multiple=True,
    metavar="ID",
    help="What it is about, such as project--apollo; repeatable.",
)
@click.option(
    "--confidence",
    type=click.Choice(Confidence, case_sensitive=False),
    default=Confidence.MEDIUM,
    show_default=True,
    help="How sure the sub-agent is.",
)
@click.option("--core-worthy", is_flag=True, help="It should stand in core memory.")
@click.option("--name", default="", metavar="NAME", help="procedural: its name.")
@click.option("--when", default="", metavar="WORDS", help="procedural: when to do it.")
@click.option(
    "--supersedes", default="", metavar="ID", help="The fact that it should replace."
)
@click.option(
    "--contradicts",
    multiple=True,
    metavar="ID",
    help="What it contradicts: a fact, a memory or '#4'; repeatable.",
)
@for_person_option("Whom it is for alone: it becomes an episode of theirs.", told=False)
@secrets_option(Secrets.REFUSE)
@click.option(
    "--trigger",
    default="auto-detect",
    show_default=True,
    metavar="WORDS",
    help="What started it.",
)
def propose(session: Session, text: str, **given: Any) -> None:  # noqa: ANN401 - passed on as it was typed
    """Propose TEXT, or standard input for '-', as a sub-agent.

    It waits until the main agent or its human decides: `reverie pending`.

        reverie propose --agent researcher "Prefers academic sources to blogs."
        reverie propose --agent coder --store procedural --name tests - < steps.txt
    """
    if not session.agent:
        raise NobodyProposesError
    with session.proposing() as companion:
        proposed = companion.propose(given_text(text), **given)

    def told(proposed: Proposed) -> Page:
        words = "Waits already as " if proposed.known else "Proposed "
        redacted = ((warn("Redacted: "), kind) for kind in proposed.redacted)
        return [(good(words), ident(f"#{proposed.number}")), *redacted]

    session.answer(proposed, told)
