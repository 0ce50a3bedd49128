"""`import`: bring in documents, notes and chat exports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie import Severity, UnavailableError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.check import findings_page
from reverie.interfaces.cli.rebuild import interruptible

if TYPE_CHECKING:
    from reverie import Memory
    from reverie.importers.intake import Imported

MOST_PROBLEMS = 20
"""So many problems are listed; --json has them all."""

KINDS = (
    "What it is: markdown, text, pdf, openclaw, obsidian, chatgpt, claude or "
    "claude-code.  [default: its content tells]"
)


@cli.verb("import")
@cli.argument("path")
@cli.option("--kind", KINDS, metavar="KIND")
@cli.secrets_option("redact")
def import_(call: cli.Invocation, path: str, **given: Any) -> int:
    """Bring in what is at PATH: documents, notes, chat exports.

    PATH is a file, a folder or a zip. What is there already stays as it is, so it
    may be done again. Passwords and keys are redacted, and that is told. The exit
    code is 1 when something could not be read.

        reverie import ~/notes
        reverie import chatgpt-export.zip
        reverie import ~/.claude/projects --kind claude-code
    """
    memory = call.memory
    with interruptible(call, "Importing") as step:
        report = memory.import_from(Path(path), progress=step, **given)
    if report.added:
        make_vectors(call, memory)
    call.answer(report, _imported(report, path))
    return int(any(each.severity is Severity.ERROR for each in report.findings))


def make_vectors(call: cli.Invocation, memory: Memory) -> None:
    """Give vectors to what was brought in; without a model it is found by its words."""
    if memory.config.embedding.model == "none":
        return
    try:
        with interruptible(call, "Making vectors") as step:
            memory.embed(step, sentences=False)
    except UnavailableError as error:
        again = "`reverie rebuild --vectors` tries again"
        call.warn(f"no vectors yet, {again}: {error}")


def _imported(report: Imported, path: str) -> out.Lines:
    if report.added:
        counts = {"new": report.added, "there already": report.known}
        counts |= {"changes": len(report.commits), "problems": len(report.findings)}
        more = {"facts on pages": report.filed, "still to be read": report.waiting}
        counts |= {name: count for name, count in more.items() if count}
        yield out.good("Imported "), out.place(path)
        yield out.facts((name, f"{count:,}".rjust(9)) for name, count in counts.items())
    elif report.known:
        known = out.counted(report.known, "memory was", "memories were")
        yield f"Nothing new: {known} there already."
    else:
        hint = "Documents, notes and chat exports can be: `reverie import --help`."
        yield "Nothing to import was found in ", out.place(path)
        yield out.faint(hint)
    problems = sorted(report.findings)
    if problems:
        yield from ("", *findings_page(problems[:MOST_PROBLEMS]))
    yield from out.rest(len(problems) - MOST_PROBLEMS, " (--json)")
