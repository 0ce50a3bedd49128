"""`instructions`: what agents are told about memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.page import Span, Style, paragraph, row
from reverie.interfaces.cli.session import inside, session_of

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt

USUAL = "AGENTS.md"


class OneWishError(click.UsageError):
    """Several things were asked for that exclude each other."""

    def __init__(self, ctx: click.Context) -> None:
        super().__init__(
            "give one of --write, --remove, --check, or --for NAME to print what a "
            "sub-agent is told.",
            ctx,
        )


@click.command(cls=Verb)
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
@click.pass_context
def instruct(
    ctx: click.Context,
    agent: str | None,
    path: str,
    actor: Actor | None,
    *,
    write: bool,
    remove: bool,
    check: bool,
) -> None:
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
        raise OneWishError(ctx)
    session = session_of(ctx)
    if write or remove:
        _write(session, path, actor, remove=remove)
    elif check:
        _check(ctx, path)
    else:
        with session.asking() as memory:
            text = memory.instructions(agent or session.agent)
        session.answer({"text": text}, lambda told: paragraph(told["text"].rstrip()))


def _write(session: Session, path: str, actor: Actor | None, *, remove: bool) -> None:
    with session.open() as memory:
        name = inside(memory.root, path)
        receipt = memory.instruct(name, actor=actor, remove=remove)
    session.answer(receipt, lambda told: _written(told, name, remove=remove))


def _written(receipt: Receipt | None, path: str, *, remove: bool) -> Page:
    where = Span(path, Style.PATH)
    if receipt is None:
        said = " has no instructions." if remove else " is current already."
        return [row(where, said)]
    done = "Taken out of " if remove else "Written to "
    commit = Span(f"  {receipt.commit[:10]}", Style.FAINT)
    return [row(Span(done, Style.GOOD), where, commit)]


def _check(ctx: click.Context, path: str) -> None:
    session = session_of(ctx)
    with session.asking() as memory:
        name = inside(memory.root, path)
        current = memory.instructed(name)
    session.answer(
        {"file": name, "current": current}, lambda _: _checked(name, current)
    )
    if not current:
        ctx.exit(1)


def _checked(path: str, current: bool) -> Page:  # noqa: FBT001 - there is nothing else
    where = Span(path, Style.PATH)
    if current:
        return [row(where, " is current.")]
    hint = "`reverie instruct --write` mends that."
    return [
        row(where, Span(" has not the newest instructions.", Style.WARN)),
        row(Span(hint, Style.FAINT)),
    ]
