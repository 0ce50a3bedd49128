"""`audit`: what should not stand in a folder of memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.audit import Fault
from reverie.errors import RefusedError
from reverie.interfaces.cli.command import verb
from reverie.interfaces.cli.output import (
    Styled,
    Table,
    counted,
    faint,
    place,
    title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.audit import AuditReport, Count
    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session

SOME = 3
"""So many examples of each fault, and of the other places of each, are named."""

MOST = 5
"""So many starts, and so much that was left out, are listed."""

_STORES = {
    "reverie": "a Reverie workspace",
    "openclaw": "an OpenClaw workspace",
    "claude-code": "memory of Claude Code",
    "codex": "memory of Codex",
    "obsidian": "an Obsidian vault",
    "markdown": "Markdown",
}


class WholeFilesError(RefusedError):
    """An audit was asked for in the name of one person."""

    def __init__(self) -> None:
        super().__init__(
            "an audit reads whole files, what is for others alone, too",
            hint="Who looks after the workspace may run it, without naming a person.",
        )


@verb()
@click.argument("path", required=False)
@click.option("--all", "everything", is_flag=True, help="Name every place.")
@click.option(
    "--fail-on",
    type=click.Choice([fault.value for fault in Fault]),
    multiple=True,
    metavar="FAULT",
    help=f"End with exit code 1 on any of these: {', '.join(Fault)}.",
)
def audit(
    session: Session, path: str | None, *, everything: bool, fail_on: tuple[str, ...]
) -> int:
    """Count what should not be in the memories at PATH.

    Nothing is changed. PATH is a Reverie or OpenClaw workspace, the memory of Claude
    Code or Codex, an Obsidian vault, or any folder, zip or file of Markdown; without
    it, the workspace. Counts secrets, invisible characters, text that came out of
    memory and was stored again, entries that stand there twice or nearly so, and dead
    links, and tells what every start of the agent loads and costs. What Reverie
    writes about its own work is left out, and so are chat exports and session logs.

        reverie audit
        reverie audit ~/.openclaw/workspace
        reverie audit ~/.claude/projects --all
        reverie audit notes --json
        reverie audit . --fail-on secrets --fail-on loops
    """
    from reverie.audit import audit_folder

    if session.for_person:
        raise WholeFilesError
    root = Path(path) if path else session.root
    with session.progress("Auditing") as step:
        report = audit_folder(root, step, None if everything else SOME)
    session.answer(report, _page)
    return int(any(count.found and count.fault in fail_on for count in report.counts))


def _page(report: AuditReport) -> Iterator[Line | Table]:
    """The counts, examples of each, what a start costs, what was left out."""
    whose = _STORES.get(report.store, report.store)
    entries = counted(report.entries, "entry", "entries")
    files = counted(report.files, "file")
    yield title("Audit of "), place(report.root)
    yield faint(f"{whose}: {entries} in {files}, {report.size:,} B")
    yield ""
    rows = []
    for each in report.counts:
        grave = "bad" if each.fault is Fault.SECRETS else "warn"
        found = Styled(f"{each.found:,}".rjust(5), grave if each.found else "good")
        rows.append((Styled(each.fault, "" if each.found else "faint"), found))
    yield Table(rows, ("looked for", "found"))
    for each in report.counts:
        yield from _count(each) if each.found else ()
    if report.starts:
        yield from ("", title("Loaded at every start"))
    for start in report.starts[:MOST]:
        loaded = ", ".join(
            f"{file.path.rpartition('/')[2]} {file.tokens:,}" for file in start.files
        )
        told = f": about {start.tokens:,} tokens ({loaded})"
        yield "  ", place(start.folder or "."), told
    if len(report.starts) > MOST:
        yield "  ", faint(f"… and {len(report.starts) - MOST:,} more (--json)")
    if report.starts:
        hint = "Move what is rarely needed into files that are read when they are "
        yield "  ", faint(f"{hint}needed.")
    left = report.left_out
    if left:
        yield from ("", title(f"Left out ({len(left):,})"))
    for finding in left[:MOST]:
        yield "  ", place(finding.path), ": " * bool(finding.path), finding.what
    if len(left) > MOST:
        yield "  ", faint(f"… and {len(left) - MOST:,} more (--json)")


def _count(count: Count) -> Iterator[Line]:
    name = count.fault.replace("-", " ").capitalize()
    yield from ("", title(f"{name} ({count.found:,})"))
    for each in count.examples:
        yield "  ", place(str(each.spot)), f": {each.what}"
        if each.also:
            left = len(each.also) - SOME
            more = f" and {left:,} more" if left > 0 else ""
            yield "      ", faint(f"also {', '.join(map(str, each.also[:SOME]))}{more}")
    if sum(len(each.also) + 1 for each in count.examples) < count.found:
        yield "  ", faint("… and more (--all)")
    yield "  ", faint(count.mend)
