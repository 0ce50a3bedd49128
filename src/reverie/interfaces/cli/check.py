"""`check`: everything that is wrong with the files, and how to mend it."""

from __future__ import annotations

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
def check(call: cli.Invocation) -> int:
    """Look for everything that is wrong, and change nothing.

    Names file and line, and how to mend it. The exit code is 1 when there are
    errors; warnings and notes leave it at 0.

        reverie check
        reverie check --json
    """
    found = call.reader.check()
    call.answer(found, findings_page(found))
    return int(any(each.severity is Severity.ERROR for each in found))


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
