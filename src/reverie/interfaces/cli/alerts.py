"""`alerts`: changes of critical files, and changes that this ledger did not make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.views import Alert

ACK = "Note that you have seen those of PATH, or all."
SHOWN = 20
"""Lines of what changed that are shown of each."""

ENDS = "`reverie show CHANGE` shows a change, `reverie alerts --ack` ends them."
OF_FOLDER = frozenset({"copy", "moved", "replaced"})
"""Kinds of alerts on a folder that does not match the known workspace."""

CONFIRMS = (
    "`reverie workspace accept` confirms this folder; no other alert ends before."
)


@cli.verb()
@cli.flag("--all everything", "Also those acknowledged.")
@cli.option("--ack", ACK, None, "[PATH]", is_flag=False, flag_value="*")
def alerts(call: cli.Invocation, *, everything: bool, ack: str | None) -> None:
    """List changes that you have not seen yet, and what they changed.

    Changes to critical files: what an agent reads at every start, such as SOUL.md,
    AGENTS.md and CLAUDE.md, and the configuration; audit.critical_files in
    reverie.toml names them. And changes that this ledger did not make, such as a
    plain git commit, or all that was written before there were seals or on another
    machine: acknowledging those of .audit accepts them. And a folder that was copied
    or replaced, or an older history: only `reverie workspace accept` confirms it.

        reverie alerts
        reverie alerts --ack SOUL.md
        reverie alerts --ack .audit
        reverie alerts --ack
    """
    if ack is None:
        found = call.reader.alerts(everything=everything)
        new = any(not each.acknowledged for each in found)
        locked = any(each.kind in OF_FOLDER and not each.acknowledged for each in found)
        more = ["", out.faint(CONFIRMS if locked else ENDS)] if new else []
        call.answer(found, [*_alerts(found), *more] or ["No alerts."])
        return
    memory = call.memory
    path = "" if ack == "*" else cli.inside(memory.root, ack)
    waiting = [a for a in memory.alerts() if not path or a.path == path]
    if waiting and call.human is None and call.interactive:
        if memory.owned:
            call.say(_alerts(waiting, whole=True))
        else:
            call.confirm(_alerts(waiting, whole=True), "Did you mean all of this?")
    seen = memory.acknowledge(path, shown=waiting)
    none = f"No alerts of {path} were waiting." if path else "No alerts were waiting."
    head = out.good(f"Acknowledged {len(seen):,}:") if seen else none
    call.answer(seen, [head, *map(_alert, seen)])


def _alerts(found: Sequence[Alert], *, whole: bool = False) -> out.Lines:
    for each in found:
        most = len(each.changed) if whole else SHOWN
        yield _alert(each)
        if not each.acknowledged:
            yield "    ", out.faint(each.summary)
            for line in each.changed[:most]:
                yield "    ", out.Styled(line, out.DIFF.get(line[:1], "faint"))
            yield from out.rest(len(each.changed) - most, " lines", 4)


def _alert(each: Alert) -> out.Line:
    look = "warn" if each.kind == "critical" else "bad"
    return (
        "  ",
        out.Styled(f"{each.kind:<15}", "faint" if each.acknowledged else look),
        out.place(each.path),
        " by ",
        out.who(each.actor),
        f" {cli.local(each.at)} ",
        out.ident(each.commit[:10]),
    )
