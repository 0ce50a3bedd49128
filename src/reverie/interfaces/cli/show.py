"""`show` and `alerts`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from reverie.errors import NotFoundError
from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import (
    BLANK,
    Bar,
    Grid,
    Span,
    Style,
    counted,
    paragraph,
    row,
)
from reverie.interfaces.cli.session import inside, session_of
from reverie.model.ids import Kind, Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page, Row
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.memory.companions import SubAgent
    from reverie.model.views import Alert, Overview, Shown

ON_A_SCREEN = 50
"""So many memories are listed for a person who did not say how many."""

_STATUS_STYLE = {
    "active": Style.GOOD,
    "fading": Style.WARN,
    "dormant": Style.FAINT,
    "archived": Style.FAINT,
}


class NothingThereError(NotFoundError):
    """No memory, store or file is called so."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"there is no memory, store or file {what!r}",
            hint=f"Give an id, a path, or a store: {', '.join(Store)}.",
        )


@click.command(cls=Verb)
@click.argument("what", required=False, metavar="[ID|STORE|PATH]")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many, 0 for all.  [default: {ON_A_SCREEN} on a screen, else all]",
)
@click.pass_context
def show(ctx: click.Context, what: str | None, limit: int | None) -> None:
    """Show the workspace, one store, one file or one memory.

    Without an argument: how full core memory is, how many memories there are, and
    whether alerts wait.

        reverie show
        reverie show semantic
        reverie show memory/vault/passport.md
        reverie show entity:person--alex --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        if not what:
            session.answer(memory.overview(), _overview)
        elif what.lower() in set(Store):
            _list(session, memory.items(Store(what.lower())), limit)
        elif what.partition(":")[0] in set(Kind):
            session.answer(memory.show(what), _one)
        else:
            found = _in_file(memory, what)
            if session.for_person and not found:
                # Whether there is anything for others in it is not told.
                raise NothingThereError(what)
            _list(session, found, limit)


def _in_file(memory: Memory | SubAgent, what: str) -> list[Shown]:
    path = PurePosixPath(inside(memory.root, what))
    outside = path.is_absolute() or ".." in path.parts
    if outside or not (memory.root / path).is_file():
        raise NothingThereError(what)
    return memory.items(path=str(path))


def _list(session: Session, found: list[Shown], limit: int | None) -> None:
    if limit is None:
        limit = ON_A_SCREEN if session.on_a_screen else 0
    listed = found[: limit or None]
    left = len(found) - len(listed)
    session.answer(listed, lambda value: _several(value, left))


def _overview(told: Overview) -> Page:
    bars = [
        (
            Span(use.block),
            Bar(use.tokens, use.budget),
            Span(f"{use.tokens:,} of {use.budget:,} tokens", Style.FAINT),
        )
        for use in told.core
    ]
    total = f"{told.core_tokens:,} of {told.core_cap:,} tokens"
    bars.append(
        (
            Span("all of it", Style.TITLE),
            Bar(told.core_tokens, told.core_cap),
            Span(total, Style.FAINT),
        )
    )
    counts = [
        (Span(store), Span(f"{told.counts.get(store, 0):,}".rjust(6), Style.TITLE))
        for store in Store
    ]
    return [
        row(Span("Workspace ", Style.TITLE), Span(told.root, Style.PATH)),
        BLANK,
        row(Span("Core memory", Style.TITLE)),
        Grid((), tuple(bars), indent=2),
        BLANK,
        row(Span("Memories", Style.TITLE)),
        Grid((), tuple(counts), indent=2),
        BLANK,
        row(f"{counted(told.changes, 'change')} in history (reverie history)"),
        *_waiting(told.alerts),
    ]


def _waiting(alerts: int) -> Page:
    if not alerts:
        return []
    words = counted(alerts, "alert waits", "alerts wait")
    return [row(Span(f"{words} for you (reverie alerts)", Style.BAD))]


def _several(found: Sequence[Shown], left: int) -> Page:
    if not found:
        return [row("There are no memories in it.")]
    rows = tuple(
        (Span(each.id, Style.ID), standing(each), Span(each.title)) for each in found
    )
    page: Page = [Grid(("id", "standing", "what it says"), rows)]
    if left:
        page.append(row(Span(f"… and {left:,} more (--limit 0)", Style.FAINT)))
    return page


def standing(each: Shown) -> Span:
    """How vivid a memory is, in a word and a number."""
    if each.pinned:
        return Span("pinned", Style.TITLE)
    style = _STATUS_STYLE.get(str(each.status), Style.PLAIN)
    return Span(f"{each.status} {each.score:.2f}", style)


def uses(each: Shown) -> str:
    """How often a memory was of use, and when last."""
    times = "once" if each.accesses == 1 else f"{each.accesses:,} times"
    return f"{times}, last {local(each.last_accessed)}"


def _one(each: Shown) -> Page:
    facts = [
        ("store", Span(each.store)),
        ("standing", standing(each)),
        ("of use", Span(uses(each))),
        ("created", Span(local(each.created))),
        ("stands in", Span(f"{each.path}:{each.line}", Style.PATH)),
        ("words of", Span(each.origin)),
        ("last change", Span(f"{each.commit[:10]} by {each.actor}")),
    ]
    rows = tuple((Span(name, Style.FAINT), cell) for name, cell in facts)
    return [
        row(Span(each.id, Style.ID)),
        BLANK,
        *paragraph(each.text, indent=2),
        BLANK,
        Grid((), rows, indent=2),
    ]


@click.command(cls=Verb)
@click.option("--all", "everything", is_flag=True, help="Also those acknowledged.")
@click.option(
    "--ack",
    is_flag=False,
    flag_value="*",
    metavar="[PATH]",
    help="Note that you have seen those of PATH, or all.",
)
@click.pass_context
def alerts(ctx: click.Context, *, everything: bool, ack: str | None) -> None:
    """List changes that you have not seen yet, and what they changed.

    Changes to critical files: what an agent reads at every start, such as SOUL.md,
    AGENTS.md and CLAUDE.md, and the configuration; audit.critical_files in
    reverie.toml names them. And changes that this ledger did not make, such as a
    plain git commit, or all that was written before there were seals or on another
    machine: acknowledging those of .audit accepts them. And a history that was
    exchanged or moved back.

        reverie alerts
        reverie alerts --ack SOUL.md
        reverie alerts --ack .audit
        reverie alerts --ack
    """
    session = session_of(ctx)
    if ack is None:
        with session.asking() as reader:
            session.answer(reader.alerts(everything=everything), _alerts)
        return
    with session.open() as memory:
        path = "" if ack == "*" else inside(memory.root, ack)
        waiting = [a for a in memory.alerts() if not path or a.path == path]
        if waiting and session.human is None and session.interactive:
            session.say(_alerts(waiting, hint=""), aside=session.json)
            if not memory.owned:
                session.confirm("Did you mean all of this?")
        session.answer(memory.acknowledge(path, shown=waiting), _acknowledged)


ENDS = "`reverie diff CHANGE` shows a change, `reverie alerts --ack` ends them."


def _acknowledged(seen: Sequence[Alert]) -> Page:
    if not seen:
        return [row("No alerts were waiting.")]
    page: Page = [row(Span(f"Acknowledged {len(seen):,}:", Style.GOOD))]
    return page + [_alert(each) for each in seen]


def _alerts(found: Sequence[Alert], hint: str = ENDS) -> Page:
    if not found:
        return [row("No alerts.")]
    waiting = any(not each.acknowledged for each in found)
    page: Page = []
    for each in found:
        page += [_alert(each), *_what(each)]
    if waiting:
        page += [BLANK, row(Span(hint, Style.FAINT))] if hint else []
    return page


def _alert(each: Alert) -> Row:
    style = Style.FAINT if each.acknowledged else _ALERT_STYLE.get(each.kind, Style.BAD)
    return row(
        Span(f"{each.kind:<15}", style),
        Span(each.path, Style.PATH),
        " by ",
        Span(each.actor, Style.ACTOR),
        f" {local(each.at)} ",
        Span(each.commit[:10], Style.ID),
        indent=2,
    )


def _what(each: Alert) -> Page:
    """What an alert is about: what is said of it, and the lines that changed."""
    if each.acknowledged:
        return []
    page: Page = [row(Span(each.summary, Style.FAINT), indent=4)]
    styles = {"+": Style.GOOD, "-": Style.BAD}
    for line in each.changed:
        page.append(row(Span(line, styles.get(line[:1], Style.FAINT)), indent=4))
    return page


_ALERT_STYLE = {
    "critical": Style.WARN,
    "unapproved": Style.BAD,
    "unverified": Style.BAD,
    "rewritten": Style.BAD,
    "moved": Style.BAD,
}
