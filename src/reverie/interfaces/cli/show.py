"""`show`: the workspace, a store, a file, a memory, or what a change did."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.ids import Kind, Store
from reverie.recall.context_block import quote_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import BlockUse, Memory, Overview, Shown, SubAgent

ON_A_SCREEN = 50
"""So many memories are listed for a person who did not say how many."""

UNCONFIRMED = (
    "Its file has an edit that you have not confirmed. "
    "Hint: `reverie pending` shows it; `reverie alerts --ack` confirms it."
)
_MANY = f"How many, 0 for all.  [default: {ON_A_SCREEN} on a screen, else all]"
_GRAPH = "memory/graph/index.md"
_CHANGE = re.compile(r"[0-9a-f]{7,40}")
_LOOKS = {"active": "good", "fading": "warn", "dormant": "faint", "archived": "faint"}


@cli.verb()
@cli.argument("what", required=False, metavar="[ID|STORE|PATH|CHANGE]")
@cli.option("-n --limit", _MANY, click.IntRange(min=0), "N")
def show(call: cli.Invocation, what: str | None, limit: int | None) -> None:
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
    reader = call.reader
    if not what:
        call.answer(told := reader.overview(), _overview(told))
    elif what.lower() in set(Store):
        _list(call, reader.items(Store(what.lower())), limit)
    elif _CHANGE.fullmatch(what):
        diff = reader.diff(what)
        page = [
            out.Styled(line, out.DIFF.get(line[:1], "")) for line in diff.splitlines()
        ]
        none = ["This change touched no files."]
        call.answer({"commit": what, "diff": diff}, page if diff else none)
    elif cli.inside(reader.root, what) == _GRAPH:
        graph = reader.graph()
        call.answer({"graph": graph}, graph.splitlines())
    elif (found := _in_file(reader, what)) is not None:
        if call.for_person and not found:
            # Whether there is anything for others in it is not told.
            cli.named(reader, what)
        _list(call, found, limit)
    else:
        one = reader.show(cli.named(reader, what))
        call.answer(one, _one(one))


def _in_file(memory: Memory | SubAgent, what: str) -> list[Shown] | None:
    path = PurePosixPath(cli.inside(memory.root, what))
    outside = path.is_absolute() or ".." in path.parts
    if outside or what.partition(":")[0] in set(Kind):
        return None
    return memory.items(path=str(path)) if (memory.root / path).is_file() else None


def _list(call: cli.Invocation, found: list[Shown], limit: int | None) -> None:
    if limit is None:
        limit = ON_A_SCREEN if call.on_a_screen else 0
    told = found[: limit or None]
    rows = [
        (out.ident(each.id), standing(each), quote_others(each.title, each.origin))
        for each in told
    ]
    table = out.Table(rows, ("id", "standing", "what it says"))
    left = out.rest(len(found) - len(told), " (--limit 0)")
    call.answer(told, [table, *left] if rows else ["There are no memories in it."])


def core_table(uses: Sequence[BlockUse], tokens: int, cap: int) -> out.Table:
    """How full the blocks of core memory are, and all of it."""
    bars = [(str(use.block), use.tokens, use.budget) for use in uses]
    rows = [
        (name, out.bar(used, budget), out.faint(f"{used:,} of {budget:,} tokens"))
        for name, used, budget in (*bars, (out.title("all of it"), tokens, cap))
    ]
    return out.Table(rows, indent=2)


def _overview(told: Overview) -> out.Lines:
    yield out.title("Workspace "), out.place(told.root)
    yield from ("", out.title("Core memory"))
    yield core_table(told.core, told.core_tokens, told.core_cap)
    yield from ("", out.title("Memories"))
    counts = [(s, out.title(f"{told.counts.get(s, 0):,}".rjust(6))) for s in Store]
    yield out.Table(counts, indent=2)
    yield from (
        "",
        f"{out.counted(told.changes, 'change')} in history (reverie history)",
    )
    if told.alerts:
        words = out.counted(told.alerts, "alert waits", "alerts wait")
        yield out.bad(f"{words} for you (reverie alerts)")


def standing(each: Shown) -> str:
    """Return the decay status and score of a memory, or that it is unconfirmed."""
    if each.unconfirmed:
        return out.warn("unconfirmed")
    if each.pinned:
        return out.title("pinned")
    look = _LOOKS.get(str(each.status), "")
    return out.Styled(f"{each.status} {each.score:.2f}", look)


def uses(each: Shown) -> str:
    """How often a memory was of use, and when last."""
    times = "once" if each.accesses == 1 else f"{each.accesses:,} times"
    return f"{times}, last {cli.local(each.last_accessed)}"


def _one(each: Shown) -> out.Page:
    told = [
        ("store", str(each.store)),
        ("standing", standing(each)),
        ("of use", uses(each)),
        ("created", cli.local(each.created)),
        ("stands in", out.place(f"{each.path}:{each.line}")),
        ("words of", str(each.origin)),
        ("last change", f"{each.commit[:10]} by {each.actor}"),
    ]
    text = quote_others(each.text, each.origin)
    page = [out.ident(each.id), "", *out.paragraph(text, 2), "", out.facts(told)]
    return [*page, "", out.warn(UNCONFIRMED)] if each.unconfirmed else page
