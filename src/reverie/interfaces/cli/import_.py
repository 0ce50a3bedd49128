"""`import` and `embed`: taking in much, with a bar to watch."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError, UnavailableError
from reverie.interfaces.cli.check import findings_page
from reverie.interfaces.cli.command import Verb, secrets_option
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.model.change import Secrets
from reverie.model.items import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.importers.intake import Imported
    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory

MOST_PROBLEMS = 20
"""So many problems are listed; --json has them all."""

GOES_ON = "what is done stays done, and the same command goes on from there"


class NoModelError(RefusedError):
    """There is no model that could make vectors."""

    def __init__(self) -> None:
        super().__init__(
            "no vectors were made: embedding.model is 'none'",
            hint="Set it in reverie.toml to 'built-in', a folder or an endpoint.",
        )


@click.command("import", cls=Verb)
@click.argument("path")
@click.option(
    "--kind",
    metavar="KIND",
    help="What it is: markdown, text, pdf, openclaw, obsidian, chatgpt, claude or "
    "claude-code.  [default: its content tells]",
)
@secrets_option(Secrets.REDACT)
@click.pass_context
def import_(ctx: click.Context, path: str, kind: str | None, secrets: Secrets) -> None:
    """Bring in what is at PATH: documents, notes, chat exports.

    PATH is a file, a folder or a zip. What is there already stays as it is, so it
    may be done again. Passwords and keys are redacted, and that is told. The exit
    code is 1 when something could not be read.

        reverie import ~/notes
        reverie import chatgpt-export.zip
        reverie import ~/.claude/projects --kind claude-code
    """
    session = session_of(ctx)
    with session.open() as memory:
        with _interruptible(session), session.reading("Importing") as step:
            report = memory.import_from(
                Path(path), kind=kind, secrets=secrets, progress=step
            )
        if report.added:
            _embed_after(session, memory)
    session.answer(report, lambda told: _imported(told, path))
    if any(each.severity is Severity.ERROR for each in report.findings):
        ctx.exit(1)


@contextmanager
def _interruptible(session: Session) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        session.warn(f"interrupted: {GOES_ON}")
        raise


def _embed_after(session: Session, memory: Memory) -> None:
    """Give vectors to what is new; without a model it is found by its words."""
    if memory.config.embedding.model == "none":
        return
    try:
        with _interruptible(session), session.progress("Making vectors") as step:
            memory.embed(step)
    except UnavailableError as error:
        session.warn(f"no vectors yet, `reverie embed` tries again: {error}")


def _imported(report: Imported, path: str) -> Page:
    page = _counts(report, path)
    problems = sorted(report.findings)
    if problems:
        page += [BLANK, *findings_page(problems[:MOST_PROBLEMS])]
    left = len(problems) - MOST_PROBLEMS
    if left > 0:
        page.append(row(Span(f"… and {left:,} more (--json)", Style.FAINT)))
    return page


def _counts(report: Imported, path: str) -> Page:
    if report.added:
        counts = (
            ("new", report.added),
            ("there already", report.known),
            ("changes", len(report.commits)),
            ("problems", len(report.findings)),
        )
        rows = tuple(
            (Span(name, Style.FAINT), Span(f"{count:,}".rjust(9)))
            for name, count in counts
        )
        return [
            row(Span("Imported ", Style.GOOD), Span(path, Style.PATH)),
            Grid((), rows, indent=2),
        ]
    if report.known:
        known = counted(report.known, "memory was", "memories were")
        return [row(f"Nothing new: {known} there already.")]
    hint = "Documents, notes and chat exports can be: `reverie import --help`."
    return [
        row("Nothing to import was found in ", Span(path, Style.PATH)),
        row(Span(hint, Style.FAINT)),
    ]


@click.command(cls=Verb)
@click.pass_context
def embed(ctx: click.Context) -> None:
    """Give vectors to all memories that have none yet.

    Search by meaning needs them. A few are made whenever somebody asks; after much
    was added, or with another model, this makes them all.

        reverie embed
    """
    session = session_of(ctx)
    made = 0
    with session.open() as memory:
        if memory.config.embedding.model == "none":
            raise NoModelError
        with _interruptible(session), session.progress("Making vectors") as step:

            def count(done: int, total: int) -> None:
                nonlocal made
                made = done
                step(done, total)

            left = memory.embed(count)
    session.answer({"embedded": made, "left": left}, _embedded)


def _embedded(told: dict[str, int]) -> Page:
    if not any(told.values()):
        return [row("All memories have vectors.")]
    memories = counted(told["embedded"], "memory has", "memories have")
    page: Page = [row(Span("Done: ", Style.GOOD), f"{memories} vectors now.")]
    if told["left"]:
        page.append(row(Span(f"{told['left']:,} have none yet.", Style.WARN)))
    return page
