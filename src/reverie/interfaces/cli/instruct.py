"""`instruct`: what agents are told about their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import actor_option, verb
from reverie.interfaces.cli.output import faint, good, place, warn
from reverie.interfaces.cli.session import inside

if TYPE_CHECKING:
    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt

USUAL = "AGENTS.md"
ONE_WISH = (
    "give one of --write, --remove, --check, or --for NAME to print what a sub-agent "
    "is told."
)


@verb()
@click.option("--for", "agent", metavar="NAME", help="For the sub-agent NAME.")
@click.option(
    "--write", is_flag=True, help="Put them into FILE, or bring them up to date."
)
@click.option("--remove", is_flag=True, help="Take them out of FILE.")
@click.option(
    "--check", is_flag=True, help="End with exit code 1 if FILE has not the newest."
)
@click.option(
    "--file",
    "path",
    metavar="FILE",
    default=USUAL,
    show_default=True,
    help="One of the files that agents read at every start.",
)
@actor_option()
def instruct(
    session: Session,
    agent: str | None,
    path: str,
    actor: Actor | None,
    *,
    write: bool,
    remove: bool,
    check: bool,
) -> int:
    """Print what agents are told about their memory.

    Made from reverie.toml, so the numbers are those of this workspace. --write puts
    it into AGENTS.md between two markers and leaves everything else there as it is;
    once it is there, it is kept current.

        reverie instruct
        reverie instruct --write
        reverie instruct --write --file CLAUDE.md
        reverie instruct --check
        reverie instruct --for researcher
    """
    if write + remove + check + (agent is not None) > 1:
        raise click.UsageError(ONE_WISH, click.get_current_context())
    if write or remove:
        with session.open() as memory:
            name = inside(memory.root, path)
            receipt = memory.instruct(name, actor=actor, remove=remove)
        session.answer(receipt, lambda told: _written(told, name, remove=remove))
        return 0
    with session.asking() as reader:
        if not check:
            text = reader.instructions(agent or session.agent)
            session.answer({"text": text}, lambda _: text.rstrip().split("\n"))
            return 0
        name = inside(reader.root, path)
        current = reader.instructed(name)
    page: Page = [(place(name), " is current.")]
    if not current:
        page = [
            (place(name), warn(" has not the newest instructions.")),
            faint("`reverie instruct --write` mends that."),
        ]
    session.answer({"file": name, "current": current}, lambda _: page)
    return int(not current)


def _written(receipt: Receipt | None, path: str, *, remove: bool) -> Page:
    if receipt is None:
        said = " has no instructions." if remove else " is current already."
        return [(place(path), said)]
    done = good("Taken out of " if remove else "Written to ")
    return [(done, place(path), faint(f"  {receipt.commit[:10]}"))]
