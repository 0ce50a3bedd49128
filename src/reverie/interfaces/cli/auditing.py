"""`audit`: how good the memories are that stand somewhere."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.verb import Verb
from reverie.model.audit import Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.audit import AuditReport, Fault, Mark, Spot
    from reverie.model.finding import Finding

WORST = 20
"""So many findings are listed unless all are asked for."""

_OF_EACH = 2
"""So many of each judgement are among them, before one takes all the room."""

_ALSO = 3
"""So many of the other places of a finding are named."""

_LEFT_OUT = 5

_STORES = {
    "reverie": "a Reverie workspace",
    "openclaw": "an OpenClaw workspace",
    "claude-code": "memory of Claude Code",
    "codex": "memory of Codex",
    "obsidian": "an Obsidian vault",
    "markdown": "Markdown",
}
_LOOKS = {
    Grade.CLEAN: Style.GOOD,
    Grade.GOOD: Style.GOOD,
    Grade.FAIR: Style.WARN,
    Grade.POOR: Style.BAD,
    Grade.BAD: Style.BAD,
    Grade.EMPTY: Style.FAINT,
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
@click.option("--all", "everything", is_flag=True, help="List every finding.")
@click.option(
    "--fail-under",
    type=click.IntRange(0, 100),
    metavar="N",
    help="End with exit code 1 when the score is below N.",
)
@click.pass_context
def audit(
    ctx: click.Context, path: str | None, *, everything: bool, fail_under: int | None
) -> None:
    """Score the memories at PATH, whoever wrote them.

    Nothing is changed. PATH is a Reverie or OpenClaw workspace, the memory of Claude
    Code or Codex, an Obsidian vault, or any folder, zip or file of Markdown; without
    it, the workspace. Looks for secrets, invisible characters, contradictions, memory
    that came out of memory, junk, duplicates, stale entries and files too long to be
    always loaded. Transcripts are no memories and are left out.

        reverie audit
        reverie audit ~/.openclaw/workspace
        reverie audit ~/.claude/projects --all
        reverie audit notes --json
        reverie audit . --fail-under 90
    """
    from reverie.memory.auditing import audit as judge

    session = session_of(ctx)
    if session.for_person:
        raise WholeFilesError
    root = Path(path) if path else session.root
    with session.progress("Auditing") as step:
        report = judge(root, now=session.clock(), progress=step)
    most = len(report.faults) if everything else WORST
    session.answer(report, lambda told: audit_page(told, most))
    if fail_under is not None and report.score < fail_under:
        ctx.exit(1)


def audit_page(report: AuditReport, most: int = WORST) -> Page:
    """The report for a person: the score, a table, the worst findings, what to do."""
    page = [*_head(report), *_table(report.marks)]
    shown = worst(report.faults, most)
    for judgement, faults in groupby(shown, key=lambda fault: fault.judgement):
        page += [BLANK, row(Span(judgement.capitalize(), Style.TITLE))]
        for fault in faults:
            page += _fault(fault)
    left = len(report.faults) - len(shown)
    if left:
        page += [BLANK, row(Span(f"… and {left:,} more (--all)", Style.FAINT))]
    return [*page, *_left_out(report.left_out), *_steps(report)]


def _head(report: AuditReport) -> Page:
    what = (
        f"{_STORES.get(report.store, report.store)}: "
        f"{counted(report.memories, 'memory', 'memories')} "
        f"in {counted(report.files, 'file')}"
    )
    page: Page = [
        row(Span("Audit of ", Style.TITLE), Span(report.root, Style.PATH)),
        row(Span(what, Style.FAINT)),
    ]
    if report.conversations:
        talk = counted(report.conversations, "transcript")
        told = f"{talk} left out: what was said is not what is remembered"
        page.append(row(Span(told, Style.FAINT)))
    if report.grade is Grade.EMPTY:
        return [*page, BLANK, row("There are no memories in it.")]
    style = _LOOKS[report.grade]
    score = Span(f"{report.score} of 100, {report.grade}", style)
    return [*page, BLANK, row(Span("Score: ", Style.TITLE), score)]


def _table(marks: Iterable[Mark]) -> Page:
    rows = tuple(
        (
            Span(mark.judgement, Style.PLAIN if mark.faults else Style.FAINT),
            Span(f"{mark.faults:,}".rjust(5)),
            Span(f"{mark.memories:,}".rjust(8)),
            Span(_percent(mark).rjust(6)),
            Span(f"{mark.score}".rjust(5), _look(mark.score)),
        )
        for mark in marks
    )
    return [BLANK, Grid(("judged for", "found", "memories", "share", "score"), rows)]


def _percent(mark: Mark) -> str:
    if 0 < mark.share < 0.001:
        return "<0.1 %"
    return f"{100 * mark.share:.1f} %" if mark.share else "-"


def _look(score: int) -> Style:
    steps = ((100, Style.GOOD), (90, Style.PLAIN), (75, Style.WARN))
    return next((style for least, style in steps if score >= least), Style.BAD)


def worst(faults: Sequence[Fault], most: int) -> list[Fault]:
    """The worst findings, and of each judgement some."""
    if len(faults) <= most:
        return list(faults)
    count: dict[str, int] = {}
    ranked = []
    for order, fault in enumerate(faults):
        count[fault.judgement] = count.get(fault.judgement, 0) + 1
        ranked.append((count[fault.judgement] > _OF_EACH, order))
    return [faults[order] for order in sorted(n for _, n in sorted(ranked)[:most])]


def _fault(fault: Fault) -> Page:
    page: Page = [
        row(Span(str(fault.spot), Style.PATH), Span(f": {fault.why}"), indent=2)
    ]
    if fault.quote:
        page.append(row(Span(f"“{fault.quote}”", Style.FAINT), indent=6))
    if fault.also:
        page.append(row(Span(f"also {_spots(fault.also)}", Style.FAINT), indent=6))
    return [*page, row(Span(fault.mend, Style.FAINT), indent=6)]


def _spots(spots: Sequence[Spot]) -> str:
    named = ", ".join(map(str, spots[:_ALSO]))
    left = len(spots) - _ALSO
    return f"{named} and {left:,} more" if left > 0 else named


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


def _steps(report: AuditReport) -> Page:
    page: Page = []
    if report.steps:
        page += [BLANK, row(Span("Next", Style.TITLE))]
    page += [row(f"{n}. {step}", indent=2) for n, step in enumerate(report.steps, 1)]
    return [*page, BLANK, row(Span(report.formula, Style.FAINT))]
