"""`rebuild`: make the index, or its vectors, from the files; the hidden `tidy`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.command import verb
from reverie.interfaces.cli.output import counted, faint, good, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.views import RebuildReport

GOES_ON = "what is done stays done, and the same command goes on from there"


class NoEmbedderError(RefusedError):
    """There is no model that could make vectors."""

    def __init__(self) -> None:
        super().__init__(
            "no vectors were made: embedding.model is 'none'",
            hint="Set it in reverie.toml to 'built-in', a folder or an endpoint.",
        )


@verb()
@click.option("--vectors", is_flag=True, help="Only make the vectors that are missing.")
def rebuild(session: Session, *, vectors: bool) -> None:
    """Make the index anew from the files and their history.

    The index is derived: it may be deleted at any time, and this brings it back.
    Search by meaning needs vectors: a few are made whenever somebody asks; after much
    was added, or with another model, --vectors makes them all.

        reverie rebuild
        reverie rebuild --vectors
    """
    if vectors:
        _embed(session)
        return
    with session.open() as memory, session.progress("Reading files") as step:
        report = memory.rebuild(step)
        embeds = memory.config.embedding.model != "none"

    def told(report: RebuildReport) -> Page:
        made = counted(report.memories, "memory", "memories")
        found = f"{made} and {counted(report.edges, 'relation')}"
        files = (
            f"in {report.seconds:.2f} s: {found} in {counted(report.files, 'file')}."
        )
        hint = "Vectors were kept; `reverie rebuild --vectors` makes the missing ones."
        more = [faint(hint)] if embeds and report.memories else []
        return [(good("Rebuilt "), files), *more]

    session.answer(report, told)


def _embed(session: Session) -> None:
    made = 0
    with session.open() as memory:
        if memory.config.embedding.model == "none":
            raise NoEmbedderError
        with interruptible(session, "Making vectors") as step:

            def count(done: int, total: int) -> None:
                nonlocal made
                made = done
                step(done, total)

            left = memory.embed(count)

    def told(_: object) -> Page:
        if not made and not left:
            return ["All memories have vectors."]
        memories = counted(made, "memory has", "memories have")
        more = [warn(f"{left:,} have none yet.")] if left else []
        return [(good("Done: "), f"{memories} vectors now."), *more]

    session.answer({"embedded": made, "left": left}, told)


@contextmanager
def interruptible(session: Session, label: str) -> Iterator[Callable[..., None]]:
    """A progress bar of work that goes on where it was interrupted."""
    try:
        with session.progress(label) as step:
            yield step
    except KeyboardInterrupt:
        session.warn(f"interrupted: {GOES_ON}")
        raise


@verb(hidden=True)
@click.argument("path", required=False)
def tidy(session: Session, path: str | None) -> None:
    """Pack history and refresh git's own index.

    It runs by itself, in the background where there is much to do.

        reverie tidy
    """
    session.workspace = path or session.workspace
    with session.open() as memory:
        # Closing must not start this again.
        memory.tidy_on_close = False
        memory.tidy()
