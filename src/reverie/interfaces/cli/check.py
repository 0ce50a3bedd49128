"""`init`, `check`, `rebuild` and the hidden `tidy`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.errors import ReverieError
from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, row
from reverie.interfaces.cli.session import GIT_DIR, session_of
from reverie.model.items import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.change import LogEntry
    from reverie.model.items import Finding
    from reverie.model.views import Overview, RebuildReport

_LOOKS = {
    Severity.ERROR: ("Errors", Style.BAD),
    Severity.WARNING: ("Warnings", Style.WARN),
    Severity.NOTE: ("Notes", Style.FAINT),
}


@click.command(cls=Verb)
@click.argument("path", required=False)
@click.pass_context
def init(ctx: click.Context, path: str | None) -> None:
    """Make the folder PATH a workspace, or adopt what is in it.

    Without PATH, the current folder. Nothing that is there is overwritten, and
    doing it twice does no harm.

        reverie init
        reverie init ~/agents/alex
    """
    from reverie.memory import Memory

    session = session_of(ctx)
    root = Path(path or session.workspace or ".")
    known = (root / GIT_DIR / "HEAD").is_file()
    with session.using(
        Memory.init(root, clock=session.clock, human=session.channel)
    ) as memory:
        first = memory.history(actor="system:init")[-1:]
        told, owned = memory.overview(), False
        with suppress(ReverieError):
            owned = memory.owned
    session.answer(told, lambda value: _founded(value, first, known=known, owned=owned))


def _founded(
    told: Overview, first: Sequence[LogEntry], *, known: bool, owned: bool
) -> Page:
    where = Span(str(Path(told.root).absolute()), Style.PATH)
    if known:
        return [row(where, " is a workspace already; nothing was overwritten.")]
    adopted = sum(
        line.summary.startswith("adopted") for entry in first for line in entry.lines
    )
    page: Page = [row(Span("Made a workspace in ", Style.GOOD), where)]
    if adopted:
        page.append(row(f"{counted(adopted, 'file')} of yours adopted unchanged."))
    next_step = 'Go there, then: reverie remember "something worth keeping"'
    lock = "So that nobody says yes for you: reverie owner set"
    if owned:
        lock = (
            "The owner passphrase of a workspace that was here before still holds: "
            "reverie owner remove"
        )
    return [*page, row(Span(next_step, Style.FAINT)), row(Span(lock, Style.FAINT))]


@click.command(cls=Verb)
@click.pass_context
def check(ctx: click.Context) -> None:
    """Look for everything that is wrong, and change nothing.

    Names file and line, and how to mend it. The exit code is 1 when there are
    errors; warnings and notes leave it at 0.

        reverie check
        reverie check --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        found = memory.check()
    session.answer(found, findings_page)
    if any(each.severity is Severity.ERROR for each in found):
        ctx.exit(1)


def findings_page(found: Sequence[Finding]) -> Page:
    """What is wrong, by how much it matters, and what to do about it."""
    page: Page = []
    for severity, (title, style) in _LOOKS.items():
        these = [each for each in found if each.severity is severity]
        if these:
            page += [BLANK] if page else []
            page.append(row(Span(f"{title} ({len(these):,})", style)))
        for each in these:
            page.append(row(*_finding(each), indent=2))
            if each.mend:
                page.append(row(Span(each.mend, Style.FAINT), indent=6))
    return page or [row(Span("Nothing is wrong.", Style.GOOD))]


def _finding(each: Finding) -> tuple[Span, ...]:
    place = f"{each.path}:{each.line}" if each.line else each.path
    return Span(place, Style.PATH), Span(f": {each.what}")


@click.command(cls=Verb)
@click.pass_context
def rebuild(ctx: click.Context) -> None:
    """Make the index anew from the files and their history.

    The index is derived: it may be deleted at any time, and this brings it back.

        reverie rebuild
    """
    session = session_of(ctx)
    with session.open() as memory, session.progress("Reading files") as step:
        report = memory.rebuild(step)
        vectors = memory.config.embedding.model != "none"
    session.answer(report, lambda told: _rebuilt(told, vectors=vectors))


def _rebuilt(report: RebuildReport, *, vectors: bool) -> Page:
    page: Page = [
        row(
            Span("Rebuilt ", Style.GOOD),
            f"in {report.seconds:.2f} s: "
            f"{counted(report.memories, 'memory', 'memories')} and "
            f"{counted(report.edges, 'relation')} in {counted(report.files, 'file')}.",
        )
    ]
    if vectors and report.memories:
        hint = "Vectors were kept; `reverie embed` makes those that are missing."
        page.append(row(Span(hint, Style.FAINT)))
    return page


@click.command(cls=Verb, hidden=True)
@click.argument("path", required=False)
@click.pass_context
def tidy(ctx: click.Context, path: str | None) -> None:
    """Pack history and refresh git's own index.

    It runs by itself, in the background where there is much to do.

        reverie tidy
    """
    session = session_of(ctx)
    session.workspace = path or session.workspace
    with session.open() as memory:
        # Closing must not start this again.
        memory.tidy_on_close = False
        memory.tidy()
