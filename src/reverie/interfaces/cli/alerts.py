"""`alerts`: changes of critical files, and changes that this ledger did not make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import local, verb
from reverie.interfaces.cli.output import Styled, faint, good, ident, place, who
from reverie.interfaces.cli.session import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.views import Alert

ENDS = "`reverie show CHANGE` shows a change, `reverie alerts --ack` ends them."


@verb()
@click.option("--all", "everything", is_flag=True, help="Also those acknowledged.")
@click.option(
    "--ack",
    is_flag=False,
    flag_value="*",
    metavar="[PATH]",
    help="Note that you have seen those of PATH, or all.",
)
def alerts(session: Session, *, everything: bool, ack: str | None) -> None:
    """List changes that you have not seen yet, and what they changed.

    Changes to critical files: what an agent reads at every start, such as SOUL.md,
    AGENTS.md and CLAUDE.md, and the configuration; audit.critical_files in
    reverie.toml names them. And changes that this ledger did not make, such as a
    plain git commit, or all that was written before there were seals or on another
    machine: acknowledging those of .audit accepts them. And a history that was
    exchanged or moved back.

        reverie alerts
        reverie alerts --ack SOUL.md
        reverie alerts --ack .audit
        reverie alerts --ack
    """
    if ack is None:
        with session.asking() as reader:
            session.answer(reader.alerts(everything=everything), _alerts)
        return
    with session.open() as memory:
        path = "" if ack == "*" else inside(memory.root, ack)
        waiting = [a for a in memory.alerts() if not path or a.path == path]
        if waiting and session.human is None and session.interactive:
            session.say(_alerts(waiting, hint=""), aside=session.json)
            if not memory.owned:
                session.confirm("Did you mean all of this?")
        session.answer(memory.acknowledge(path, shown=waiting), _acknowledged)


def _acknowledged(seen: Sequence[Alert]) -> Page:
    if not seen:
        return ["No alerts were waiting."]
    return [good(f"Acknowledged {len(seen):,}:"), *map(_alert, seen)]


def _alerts(found: Sequence[Alert], hint: str = ENDS) -> Iterator[Line]:
    if not found:
        yield "No alerts."
    for each in found:
        yield _alert(each)
        if not each.acknowledged:
            yield "    ", faint(each.summary)
            looks = {"+": "good", "-": "bad"}
            for line in each.changed:
                yield "    ", Styled(line, looks.get(line[:1], "faint"))
    if hint and any(not each.acknowledged for each in found):
        yield from ("", faint(hint))


def _alert(each: Alert) -> Line:
    look = "warn" if each.kind == "critical" else "bad"
    return (
        "  ",
        Styled(f"{each.kind:<15}", "faint" if each.acknowledged else look),
        place(each.path),
        " by ",
        who(each.actor),
        f" {local(each.at)} ",
        ident(each.commit[:10]),
    )
