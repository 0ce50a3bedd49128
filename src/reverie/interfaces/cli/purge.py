"""`purge`: everything of one origin, in one change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.items import Origin

if TYPE_CHECKING:
    from reverie.model.views import Purge

FILES, LINES, LONGEST = 20, 3, 90
"""So many files are listed, lines of each are shown, characters of each line."""

_GOING = (Origin.TOOL, Origin.PASTED, Origin.IMPORT, Origin.SUBAGENT, Origin.AGENT)
_CHOICE = click.Choice([str(each) for each in _GOING], case_sensitive=False)


@cli.verb()
@cli.option("--origin", "Whose words are to go.", _CHOICE, required=True)
@cli.option("--source", "Only what was imported from this file.", default="")
@cli.flag("--dry-run", "Only show what would go.")
def purge(call: cli.Invocation, origin: str, source: str, *, dry_run: bool) -> None:
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
    memory = call.memory
    found = memory.purgeable(Origin(origin), source=source)
    if dry_run or not found.taken:
        call.answer(found, _would_go(found))
        return
    if not call.json or call.interactive:
        call.say(_would_go(found))
    if call.interactive and not channel.confirms("Take all of it out?"):
        cli.unconfirmed()
    receipt = memory.purge(found)
    done = out.good("Taken out: "), out.memories(len(receipt.ids)), out.commit(receipt)
    back = out.faint(f"`reverie undo {receipt.commit[:10]}` brings it back.")
    call.answer(receipt, [done, back])


def _would_go(found: Purge) -> out.Lines:
    of = f"origin {found.origin}" + (f" from {found.source}" if found.source else "")
    if not found.taken:
        yield f"There is nothing of {of}."
        return
    files = found.files
    places = out.counted(len(files), "file")
    yield f"Of {of}, {out.counted(len(found.taken), 'line')} in {places} would go:"
    yield ""
    rows: list[tuple[str, str]] = []
    for path, number in list(files.items())[:FILES]:
        lines = [each for each in found.taken if each.path == path]
        for each in lines[:LINES]:
            where = out.place(f"{path}:{each.line}" if each.line else path)
            rows.append((where, out.shortened(each.text, LONGEST)))
        if number > LINES:
            rows.append(("", out.faint(f"… and {number - LINES:,} more")))
    yield out.Table(rows, ("where", "what"), flexible=1)
    yield from out.rest(len(files) - FILES, " files")
    yield out.faint("History keeps it; `undo` brings it back.")
