"""`audit`: what should not stand in a folder of memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.audit import Fault
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.audit import AuditReport, Count

SOME = 3
"""So many examples of each fault, and of the other places of each, are named."""

MOST = 5
"""So many starts, and so much that was left out, are listed."""

_FAIL_ON = f"End with exit code 1 on any of these: {', '.join(Fault)}."
_FAULTS = click.Choice([fault.value for fault in Fault])
_WHOLE = "Who looks after the workspace may run it, without naming a person."


@cli.verb()
@cli.argument("path", required=False)
@cli.flag("--all everything", "Name every place.")
@cli.option("--fail-on", _FAIL_ON, _FAULTS, "FAULT", multiple=True)
def audit(
    call: cli.Invocation,
    path: str | None,
    *,
    everything: bool,
    fail_on: tuple[str, ...],
) -> int:
    """Count what should not be in the memories at PATH.

    Nothing is changed. PATH is a Reverie or OpenClaw workspace, the memory of Claude
    Code or Codex, an Obsidian vault, or any folder, zip or file of Markdown; without
    it, the workspace. Counts secrets, invisible characters, text that came out of
    memory and was stored again, entries that stand there twice, and dead links, and
    tells what every start of the agent loads and costs. What Reverie writes about its
    own work is left out, and so are chat exports and session logs.

        reverie audit
        reverie audit ~/.openclaw/workspace
        reverie audit ~/.claude/projects --all
        reverie audit notes --json
        reverie audit . --fail-on secrets --fail-on loops
    """
    from reverie.audit import audit_folder

    if call.for_person:
        cli.refuse("an audit reads whole files, what is for others alone, too", _WHOLE)
    root = Path(path) if path else call.root
    with call.progress("Auditing") as step:
        report = audit_folder(root, step, None if everything else SOME)
    call.answer(report, _page(report))
    return int(any(count.found and count.fault in fail_on for count in report.counts))


def _page(report: AuditReport) -> out.Lines:
    """The counts, examples of each, what a start costs, what was left out."""
    entries = out.counted(report.entries, "entry", "entries")
    files = out.counted(report.files, "file")
    yield out.title("Audit of "), out.place(report.root)
    yield out.faint(f"{report.store}: {entries} in {files}, {report.size:,} B")
    rows = []
    for each in report.counts:
        grave = "bad" if each.fault is Fault.SECRETS else "warn"
        found = out.Styled(f"{each.found:,}".rjust(5), grave if each.found else "good")
        rows.append((out.Styled(each.fault, "" if each.found else "faint"), found))
    yield from ("", out.Table(rows, ("looked for", "found")))
    for each in report.counts:
        yield from _count(each) if each.found else ()
    starts, left = report.starts, report.left_out
    if starts:
        yield from ("", out.title("Loaded at every start"))
    for start in starts[:MOST]:
        names = (f"{f.path.rpartition('/')[2]} {f.tokens:,}" for f in start.files)
        told = f": about {start.tokens:,} tokens ({', '.join(names)})"
        yield "  ", out.place(start.folder or "."), told
    yield from out.rest(len(starts) - MOST, " (--json)", 2)
    if starts:
        yield "  ", out.faint("Move what is rarely needed into files read on demand.")
    if left:
        yield from ("", out.title(f"Left out ({len(left):,})"))
    for finding in left[:MOST]:
        yield "  ", out.place(finding.path), ": " * bool(finding.path), finding.what
    yield from out.rest(len(left) - MOST, " (--json)", 2)


def _count(count: Count) -> out.Lines:
    name = count.fault.replace("-", " ").capitalize()
    yield from ("", out.title(f"{name} ({count.found:,})"))
    for each in count.examples:
        yield "  ", out.place(str(each.spot)), f": {each.what}"
        if each.also:
            more = f" and {left:,} more" if (left := len(each.also) - SOME) > 0 else ""
            named = f"also {', '.join(map(str, each.also[:SOME]))}{more}"
            yield "      ", out.faint(named)
    if sum(len(each.also) + 1 for each in count.examples) < count.found:
        yield "  ", out.faint("… and more (--all)")
    yield "  ", out.faint(count.mend)
