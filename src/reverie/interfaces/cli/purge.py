"""`purge`: everything of one origin, in one change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import OriginChoice, verb
from reverie.interfaces.cli.output import (
    Table,
    counted,
    faint,
    good,
    place,
    shortened,
)
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.model.views import Purge

FILES, LINES, LONGEST = 20, 3, 90
"""So many files are listed, lines of each are shown, characters of each line."""

_GOING = (Origin.TOOL, Origin.IMPORT, Origin.SUBAGENT, Origin.AGENT)


@verb()
@click.option(
    "--origin", required=True, type=OriginChoice(_GOING), help="Whose words are to go."
)
@click.option("--source", default="", help="Only what was imported from this file.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
def purge(session: Session, origin: Origin, source: str, *, dry_run: bool) -> None:
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
    with session.open() as memory:
        found = memory.purgeable(origin, source=source)
        if dry_run or not found.taken:
            session.answer(found, _would_go)
            return
        session.say(_would_go(found), aside=session.json)
        if session.interactive:
            session.confirm("Take all of it out?")
        receipt = memory.purge(found)
    count, commit = counted(len(receipt.ids), "memory", "memories"), receipt.commit[:10]
    done = good("Taken out: "), count, faint(f"  {commit}")
    back = faint(f"`reverie undo {commit}` brings it back.")
    session.answer(receipt, lambda _: [done, back])


def _would_go(found: Purge) -> Iterator[Line | Table]:
    of = f"origin {found.origin}" + (f" from {found.source}" if found.source else "")
    if not found.taken:
        yield f"There is nothing of {of}."
        return
    files = found.files
    count, places = counted(len(found.taken), "line"), counted(len(files), "file")
    yield from (f"Of {of}, {count} in {places} would go:", "")
    rows: list[tuple[str, str]] = []
    for path, number in list(files.items())[:FILES]:
        lines = [each for each in found.taken if each.path == path]
        for each in lines[:LINES]:
            where = place(f"{path}:{each.line}" if each.line else path)
            rows.append((where, shortened(each.text, LONGEST)))
        if number > LINES:
            rows.append(("", faint(f"… and {number - LINES:,} more")))
    yield Table(rows, ("where", "what"), flexible=1)
    if len(files) > FILES:
        yield faint(f"… and {counted(len(files) - FILES, 'file')} more")
    yield faint("History keeps it; `undo` brings it back.")
