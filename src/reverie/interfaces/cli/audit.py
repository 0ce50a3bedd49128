"""`audit`: what should not stand in a folder of memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.audit import Fault
from reverie.errors import RefusedError
from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.audit import AuditReport, Count, Spot, Start
    from reverie.interfaces.cli.page import Page
    from reverie.model.items import Finding

SOME = 3
"""So many examples of each fault are named unless all are asked for."""

_ALSO = 3
"""So many of the other places of an example are named."""

_LEFT_OUT, _STARTS = 5, 5

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


@click.command(cls=Verb)
@click.argument("path", required=False)
@click.option("--all", "everything", is_flag=True, help="Name every place.")
@click.option(
    "--fail-on",
    type=click.Choice([fault.value for fault in Fault]),
    multiple=True,
    metavar="FAULT",
    help=f"End with exit code 1 on any of these: {', '.join(Fault)}.",
)
@click.pass_context
def audit(
    ctx: click.Context, path: str | None, *, everything: bool, fail_on: tuple[str, ...]
) -> None:
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

    session = session_of(ctx)
    if session.for_person:
        raise WholeFilesError
    root = Path(path) if path else session.root
    most = None if everything else SOME
    with session.progress("Auditing") as step:
        report = audit_folder(root, step, most)
    session.answer(report, audit_page)
    if any(count.found and count.fault in fail_on for count in report.counts):
        ctx.exit(1)


def audit_page(report: AuditReport) -> Page:
    """The report for a person: the counts, examples of each, what a start costs."""
    whose = _STORES.get(report.store, report.store)
    entries = counted(report.entries, "entry", "entries")
    what = f"{whose}: {entries} in {counted(report.files, 'file')}, {report.size:,} B"
    rows = tuple(
        (Span(c.fault, Style.PLAIN if c.found else Style.FAINT), _times(c))
        for c in report.counts
    )
    page: Page = [
        row(Span("Audit of ", Style.TITLE), Span(report.root, Style.PATH)),
        row(Span(what, Style.FAINT)),
        BLANK,
        Grid(("looked for", "found"), rows),
    ]
    for count in report.counts:
        page += _count(count) if count.found else ()
    return [*page, *_starts(report.starts), *_left_out(report.left_out)]


def _times(count: Count) -> Span:
    grave = Style.BAD if count.fault is Fault.SECRETS else Style.WARN
    return Span(f"{count.found:,}".rjust(5), grave if count.found else Style.GOOD)


def _count(count: Count) -> Page:
    name = count.fault.replace("-", " ").capitalize()
    page: Page = [BLANK, row(Span(f"{name} ({count.found:,})", Style.TITLE))]
    for each in count.examples:
        place = Span(str(each.spot), Style.PATH)
        page.append(row(place, Span(f": {each.what}"), indent=2))
        if each.also:
            page.append(row(Span(f"also {_spots(each.also)}", Style.FAINT), indent=6))
    told = sum(len(each.also) + 1 for each in count.examples)
    if told < count.found:
        page.append(row(Span("… and more (--all)", Style.FAINT), indent=2))
    return [*page, row(Span(count.mend, Style.FAINT), indent=2)]


def _spots(spots: Sequence[Spot]) -> str:
    named = ", ".join(map(str, spots[:_ALSO]))
    left = len(spots) - _ALSO
    return f"{named} and {left:,} more" if left > 0 else named


def _starts(starts: Sequence[Start]) -> Page:
    if not starts:
        return []
    page: Page = [BLANK, row(Span("Loaded at every start", Style.TITLE))]
    for start in starts[:_STARTS]:
        files = ", ".join(
            f"{file.path.rpartition('/')[2]} {file.tokens:,}" for file in start.files
        )
        place = Span(f"{start.folder or '.'}", Style.PATH)
        told = f": about {start.tokens:,} tokens ({files})"
        page.append(row(place, Span(told), indent=2))
    if len(starts) > _STARTS:
        left = f"… and {len(starts) - _STARTS:,} more (--json)"
        page.append(row(Span(left, Style.FAINT), indent=2))
    hint = "Move what is rarely needed into files that are read when they are needed."
    return [*page, row(Span(hint, Style.FAINT), indent=2)]


def _left_out(findings: Sequence[Finding]) -> Page:
    if not findings:
        return []
    page: Page = [BLANK, row(Span(f"Left out ({len(findings):,})", Style.TITLE))]
    page += [
        row(Span(each.path, Style.PATH), ": " * bool(each.path), each.what, indent=2)
        for each in findings[:_LEFT_OUT]
    ]
    left = len(findings) - _LEFT_OUT
    if left > 0:
        page.append(row(Span(f"… and {left:,} more (--json)", Style.FAINT), indent=2))
    return page
