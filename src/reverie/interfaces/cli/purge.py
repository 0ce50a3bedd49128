"""`purge`: everything of one origin, in one change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import OriginChoice, Verb
from reverie.interfaces.cli.page import (
    BLANK,
    Grid,
    Span,
    Style,
    counted,
    row,
    shortened,
)
from reverie.interfaces.cli.session import session_of
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Receipt
    from reverie.model.views import Purge

FILES = 20
"""So many files are listed; the others are counted."""

LINES = 3
"""So many lines are shown of each."""

LONGEST = 90

_GOING = (Origin.TOOL, Origin.IMPORT, Origin.SUBAGENT, Origin.AGENT)


@click.command(cls=Verb)
@click.option(
    "--origin",
    required=True,
    type=OriginChoice(_GOING),
    help="Whose words are to go.",
)
@click.option("--source", default="", help="Only what was imported from this file.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.pass_context
def purge(ctx: click.Context, origin: Origin, source: str, *, dry_run: bool) -> None:
    """Take everything of one origin out of memory.

    For the day on which a web page, an import or an agent turns out to have lied.
    Shows what would go, line by line, asks, and takes all of it out in one change:
    episodes, facts, procedures, notes, lines of core memory, imported conversations
    and proposals. Of a page that mixes origins only those lines go. History keeps
    everything, and `undo` brings it back.

        reverie purge --origin tool
        reverie purge --origin import --source notes.md
        reverie purge --origin sub-agent --dry-run
    """
    session = session_of(ctx)
    with session.open() as memory:
        found = memory.purgeable(origin, source=source)
        if dry_run or not found.taken:
            session.answer(found, _would_go)
            return
        session.say(_would_go(found), aside=session.json)
        if session.interactive:
            session.confirm("Take all of it out?")
        receipt = memory.purge(found)
    session.answer(receipt, _gone)


def _would_go(found: Purge) -> Page:
    of = f"origin {found.origin}" + (f" from {found.source}" if found.source else "")
    if not found.taken:
        return [row(f"There is nothing of {of}.")]
    files = found.files
    count, places = counted(len(found.taken), "line"), counted(len(files), "file")
    page: Page = [row(f"Of {of}, {count} in {places} would go:"), BLANK]
    rows = []
    for path, number in list(files.items())[:FILES]:
        lines = [each for each in found.taken if each.path == path]
        for each in lines[:LINES]:
            said = shortened(each.text, LONGEST)
            place = Span(f"{path}:{each.line}" if each.line else path, Style.PATH)
            rows.append((place, Span(said)))
        if number > LINES:
            rows.append((Span(""), Span(f"… and {number - LINES:,} more", Style.FAINT)))
    page.append(Grid(("where", "what"), tuple(rows), flexible=1))
    if len(files) > FILES:
        rest = counted(len(files) - FILES, "file")
        page.append(row(Span(f"… and {rest} more", Style.FAINT)))
    return [*page, row(Span("History keeps it; `undo` brings it back.", Style.FAINT))]


def _gone(receipt: Receipt) -> Page:
    count = counted(len(receipt.ids), "memory", "memories")
    hint = f"`reverie undo {receipt.commit[:10]}` brings it back."
    return [
        row(
            Span("Taken out: ", Style.GOOD),
            count,
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        ),
        row(Span(hint, Style.FAINT)),
    ]
