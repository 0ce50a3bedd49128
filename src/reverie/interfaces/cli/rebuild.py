"""`rebuild`: make the index, or its vectors, from the files; the hidden `tidy`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOES_ON = "what is done stays done, and the same command goes on from there"
MISSING = "Vectors were kept; `reverie rebuild --vectors` makes the missing ones."


@cli.verb()
@cli.flag("--vectors", "Only make the vectors that are missing.")
def rebuild(call: cli.Invocation, *, vectors: bool) -> None:
    """Make the index anew from the files and their history.

    The index is derived: it may be deleted at any time, and this brings it back.
    Search by meaning needs vectors: a few are made whenever somebody asks; after much
    was added, or with another model, --vectors makes them all.

        reverie rebuild
        reverie rebuild --vectors
    """
    if vectors:
        _embed(call)
        return
    memory = call.memory
    with call.progress("Reading files") as step:
        report = memory.rebuild(step)
    found = f"{out.memories(report.memories)} and "
    found += f"{out.counted(report.edges, 'relation')} in "
    done = f"in {report.seconds:.2f} s: {found}{out.counted(report.files, 'file')}."
    more = [out.faint(MISSING)] if memory.config.embedding.model != "none" else []
    call.answer(report, [(out.good("Rebuilt "), done), *more])


def _embed(call: cli.Invocation) -> None:
    made = 0
    memory = call.memory
    if memory.config.embedding.model == "none":
        hint = "Set it in reverie.toml to 'built-in', a folder or an endpoint."
        cli.refuse("no vectors were made: embedding.model is 'none'", hint)
    with interruptible(call, "Making vectors") as step:

        def count(done: int, total: int) -> None:
            nonlocal made
            made = done
            step(done, total)

        left = memory.embed(count)
    words = f"{out.counted(made, 'memory has', 'memories have')} new vectors"
    page = [(out.good("Done: "), words, f", {left:,} have none yet." if left else ".")]
    call.answer({"embedded": made, "left": left}, page)


@contextmanager
def interruptible(call: cli.Invocation, label: str) -> Iterator[Callable[..., None]]:
    """A progress bar of work that goes on where it was interrupted."""
    try:
        with call.progress(label) as step:
            yield step
    except KeyboardInterrupt:
        call.warn(f"interrupted: {GOES_ON}")
        raise


@cli.verb(hidden=True)
@cli.argument("path", required=False)
@cli.flag("--ended", "Write down what was of use: a session has ended.")
def tidy(call: cli.Invocation, path: str | None, *, ended: bool) -> None:
    """Pack history and refresh git's own index.

    It runs by itself, in the background where there is much to do.

        reverie tidy
    """
    call.workspace = path or call.workspace
    memory = call.memory
    # Closing must not start this again.
    memory.tidy_on_close = False
    memory.stays = ended
    memory.tidy()
