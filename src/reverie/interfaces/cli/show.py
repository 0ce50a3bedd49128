"""`show`: the workspace, a store, a file, a memory, or what a change did."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError
from reverie.interfaces.cli.command import local, verb
from reverie.interfaces.cli.output import (
    Bar,
    Styled,
    Table,
    bad,
    counted,
    facts,
    faint,
    ident,
    paragraph,
    place,
    style_of_diff,
    title,
)
from reverie.interfaces.cli.session import NoClearMatchError, inside, named
from reverie.model.ids import Kind, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory, SubAgent
    from reverie.model.views import BlockUse, Overview, Shown

ON_A_SCREEN = 50
"""So many memories are listed for a person who did not say how many."""

_CHANGE = re.compile(r"[0-9a-f]{7,40}")
_LOOKS = {"active": "good", "fading": "warn", "dormant": "faint", "archived": "faint"}


class NothingThereError(NotFoundError):
    """No memory, store, file or change is called so."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"there is no memory, store or file {what!r}",
            hint=f"Give an id, a name, a path, or a store: {', '.join(Store)}.",
        )


@verb()
@click.argument("what", required=False, metavar="[ID|STORE|PATH|CHANGE]")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many, 0 for all.  [default: {ON_A_SCREEN} on a screen, else all]",
)
def show(session: Session, what: str | None, limit: int | None) -> None:
    """Show the workspace, a store, a file, a memory or a change.

    Without an argument: how full core memory is, how many memories there are, and
    whether alerts wait. A name that fits one memory alone stands for its id. CHANGE
    is an id that `reverie history` prints; it shows what that did to the files.

        reverie show
        reverie show semantic
        reverie show memory/vault/passport.md
        reverie show alex
        reverie show a6f907cb22
    """
    with session.asking() as memory:
        if not what:
            session.answer(memory.overview(), _overview)
        elif what.lower() in set(Store):
            _list(session, memory.items(Store(what.lower())), limit)
        elif what.partition(":")[0] in set(Kind):
            session.answer(memory.show(what), _one)
        elif _CHANGE.fullmatch(what):
            told = {"commit": what, "diff": memory.diff(what)}
            session.answer(told, lambda value: diff_page(value["diff"]))
        elif (found := _in_file(memory, what)) is not None:
            if session.for_person and not found:
                # Whether there is anything for others in it is not told.
                raise NothingThereError(what)
            _list(session, found, limit)
        else:
            try:
                session.answer(memory.show(named(memory, what)), _one)
            except NoClearMatchError as error:
                raise error if error.fitting else NothingThereError(what) from error


def _in_file(memory: Memory | SubAgent, what: str) -> list[Shown] | None:
    path = PurePosixPath(inside(memory.root, what))
    outside = path.is_absolute() or ".." in path.parts
    if outside or not (memory.root / path).is_file():
        return None
    return memory.items(path=str(path))


def _list(session: Session, found: list[Shown], limit: int | None) -> None:
    if limit is None:
        limit = ON_A_SCREEN if session.on_a_screen else 0
    left = len(found[limit:]) if limit else 0
    session.answer(found[: limit or None], lambda value: _several(value, left))


def diff_page(text: str) -> Page:
    """A diff, for a person to read."""
    if not text:
        return ["This change touched no files."]
    return [style_of_diff(line) for line in text.removesuffix("\n").split("\n")]


def core_table(uses: Sequence[BlockUse], tokens: int, cap: int) -> Table:
    """How full the blocks of core memory are, and all of it."""
    bars = [(str(use.block), use.tokens, use.budget) for use in uses]
    rows = [
        (name, Bar(used, budget), faint(f"{used:,} of {budget:,} tokens"))
        for name, used, budget in (*bars, (title("all of it"), tokens, cap))
    ]
    return Table(rows, indent=2)


def _overview(told: Overview) -> Iterator[Line | Table]:
    yield title("Workspace "), place(told.root)
    yield from ("", title("Core memory"))
    yield core_table(told.core, told.core_tokens, told.core_cap)
    yield from ("", title("Memories"))
    counts = [(s, title(f"{told.counts.get(s, 0):,}".rjust(6))) for s in Store]
    yield Table(counts, indent=2)
    yield from ("", f"{counted(told.changes, 'change')} in history (reverie history)")
    if told.alerts:
        words = counted(told.alerts, "alert waits", "alerts wait")
        yield bad(f"{words} for you (reverie alerts)")


def _several(found: Sequence[Shown], left: int) -> Iterator[Line | Table]:
    if not found:
        yield "There are no memories in it."
        return
    rows = [(ident(each.id), standing(each), each.title) for each in found]
    yield Table(rows, ("id", "standing", "what it says"))
    if left:
        yield faint(f"… and {left:,} more (--limit 0)")


def standing(each: Shown) -> str:
    """How vivid a memory is, in a word and a number."""
    if each.pinned:
        return title("pinned")
    return Styled(f"{each.status} {each.score:.2f}", _LOOKS.get(str(each.status), ""))


def uses(each: Shown) -> str:
    """How often a memory was of use, and when last."""
    times = "once" if each.accesses == 1 else f"{each.accesses:,} times"
    return f"{times}, last {local(each.last_accessed)}"


def _one(each: Shown) -> Page:
    told = [
        ("store", str(each.store)),
        ("standing", standing(each)),
        ("of use", uses(each)),
        ("created", local(each.created)),
        ("stands in", place(f"{each.path}:{each.line}")),
        ("words of", str(each.origin)),
        ("last change", f"{each.commit[:10]} by {each.actor}"),
    ]
    return [ident(each.id), "", *paragraph(each.text, 2), "", facts(told)]
