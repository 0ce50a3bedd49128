"""`check`: everything that is wrong with the files, and how to mend it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.items import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.items import Finding

_LOOKS = {
    Severity.ERROR: ("Errors", "bad"),
    Severity.WARNING: ("Warnings", "warn"),
    Severity.NOTE: ("Notes", "faint"),
}


@cli.verb()
@cli.flag("--repair repairs", "Repair a history that cannot be read, then check.")
def check(call: cli.Invocation, *, repairs: bool) -> int:
    """Look for everything that is wrong, and change nothing.

    Names file and line, and how to mend it. The exit code is 1 when there are
    errors; warnings and notes leave it at 0. With --repair, a damaged history is
    copied first and then repaired as far as it can be read; no file of the workspace
    is changed, and every memory keeps its ID.

        reverie check
        reverie check --json
        reverie check --repair
    """
    page: out.Page = repair_page(call) if repairs else []
    found = call.reader.check()
    call.answer(found, [*page, *findings_page(found)])
    return int(any(each.severity is Severity.ERROR for each in found))


def repair_page(call: cli.Invocation) -> out.Page:
    """Repair the history, and say what was done."""
    from reverie.health import repair_history
    from reverie.memory import Memory

    root = call.root.absolute()
    done = repair_history(root, os.environ, call.clock())
    if not done.damaged:
        return ["History: nothing to repair."]
    copied = f"Copy of the damaged history: {done.copy} (`reverie erase` does not "
    copied += "reach it: delete it when nothing is missing)"
    if not done.head:
        with Memory.init(root, clock=call.clock) as memory:
            memory.tidy_on_close = False
        return [
            copied,
            out.Styled("History: no commit could be read; a new one begins.", "warn"),
        ]
    again = ", written again because commits before them are gone"
    says = f"History: {done.commits:,} commits{again if done.rewritten else ''}."
    return [copied, out.good(says)]


def findings_page(found: Sequence[Finding]) -> out.Page:
    """What is wrong, by how much it matters, and what to do about it."""
    page: out.Page = []
    for severity, (name, look) in _LOOKS.items():
        these = [each for each in found if each.severity is severity]
        if these:
            page += [""] if page else []
            page.append(out.Styled(f"{name} ({len(these):,})", look))
        for each in these:
            where = f"{each.path}:{each.line}" if each.line else each.path
            page.append(("  ", out.place(where), f": {each.what}"))
            page += [("      ", out.faint(each.mend))] if each.mend else []
    return page or [out.good("Nothing is wrong.")]
